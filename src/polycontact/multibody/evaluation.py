"""What an evaluation of a system found: an object of its own, which no later evaluation changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.result import ContactResult
from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.multibody import checks
from polycontact.multibody.evaluation_memory import make_memory
from polycontact.multibody.named_reactions import Reactions
from polycontact.multibody.placement import Placement, ShapePlaces
from polycontact.multibody.system_setup import SystemSetup


class StoredEnergies(NamedTuple):
    """Kinetic energy and potential energies of gravity, springs and contacts, J."""

    kinetic: float
    gravity: float
    springs: float
    contact: float

    @property
    def mechanical(self) -> float:
        """Kinetic energy, and energy of gravity and springs; not that of contacts, J."""
        return self.kinetic + self.gravity + self.springs


class SystemPowers(NamedTuple):
    """Power of the contacts on the bodies, lost in their damping and friction and in other dampers, put in, lost in
    layers that remember; W."""

    contact: float
    contact_damping: float
    friction: float
    damping: float
    input: float
    layers: float = 0.0


@dataclass(frozen=True, eq=False)
class ContactsFound:
    """Contacts of all pairs (n); zero where nothing touches.

    ``near``: pairs whose boxes overlap; ``status`` bits; ``area`` m², greatest ``depth`` m and ``pressure`` Pa, elastic
    ``energy`` J, ``damping_power`` and ``friction_power`` lost, W; ``wrench`` (n, 6): force (N) and torque (N m) on E
    at marker F in the axes of E; ``kinematics`` (n, 18) of F in E, of near pairs: rotation, position, velocity,
    angular velocity.
    """

    near: NDArray[np.int32]
    status: NDArray[np.int32]
    area: NDArray[np.float64]
    depth: NDArray[np.float64]
    pressure: NDArray[np.float64]
    energy: NDArray[np.float64]
    damping_power: NDArray[np.float64]
    friction_power: NDArray[np.float64]
    wrench: NDArray[np.float64]
    kinematics: NDArray[np.float64]

    @classmethod
    def in_memory(cls, view: SystemView) -> ContactsFound:
        """What the memory of an evaluation holds now and until it is used again; ``near`` has room for all pairs."""
        c = view.contacts
        return cls(
            near=c.near,
            status=c.status,
            area=c.area,
            depth=c.depth,
            pressure=c.pressure,
            energy=c.energy,
            damping_power=c.damping_power,
            friction_power=c.friction_power,
            wrench=c.wrench,
            kinematics=c.kinematics,
        )

    def copy(self, n_near: int) -> ContactsFound:
        """The same for good, with the first ``n_near`` near pairs."""
        return ContactsFound(
            near=self.near[:n_near].copy(),
            status=self.status.copy(),
            area=self.area.copy(),
            depth=self.depth.copy(),
            pressure=self.pressure.copy(),
            energy=self.energy.copy(),
            damping_power=self.damping_power.copy(),
            friction_power=self.friction_power.copy(),
            wrench=self.wrench.copy(),
            kinematics=self.kinematics.copy(),
        )

    def summaries(self) -> NDArray[np.float64]:
        """Area, depth, pressure, energy, damping power and friction power of every pair: (n, 6)."""
        columns = (self.area, self.depth, self.pressure, self.energy, self.damping_power, self.friction_power)
        return np.column_stack(columns)


class ContactsSeen(NamedTuple):
    """Contacts of all pairs at one time (s)."""

    time: float
    contacts: ContactsFound


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A system at time ``time`` (s) and ``state`` y, with the ``discrete`` states of users' elements.

    ``bodies`` and ``shapes``: where everything is and how it moves; ``contacts``; ``acceleration`` (n_bodies, 6) of the
    bodies, rad/s² and m/s²; ``joint_accelerations`` and ``efforts`` of force elements and couplers along all
    joint speeds; ``rates``: dy/dt; ``momentum``: N s, and N m s at the world's origin. ``reactions``: what joints,
    loops, drives and force elements transmit; ``centres_of_pressure`` (n_contacts, 3) m in the world, nan where nothing
    presses.
    """

    time: float
    state: NDArray[np.float64]
    discrete: NDArray[np.float64]
    bodies: Placement
    shapes: ShapePlaces
    contacts: ContactsFound
    acceleration: NDArray[np.float64]
    joint_accelerations: NDArray[np.float64]
    efforts: NDArray[np.float64]
    rates: NDArray[np.float64]
    energies: StoredEnergies
    powers: SystemPowers
    momentum: NDArray[np.float64]
    reactions: Reactions
    centres_of_pressure: NDArray[np.float64]

    def contact(self, name: str) -> ContactResult:
        """The contact of a pairing with its elements and patches, evaluated anew in the frame of E.

        Without what its laws remember of elements: forces that depend on that are those in ``contacts``.
        """
        setup = self.bodies.setup
        numbers = {each.name: i for i, each in enumerate(setup.contacts)}
        checks.known("contact", name, numbers, "system")
        pair = numbers[name]
        first, n = int(setup.pairs.first_state[pair]), int(setup.pairs.state_count[pair])
        motion = self.bodies.relative_motion(int(setup.pairs.shape_e[pair]), int(setup.pairs.shape_f[pair]))
        return setup.pairing(pair).evaluate(motion, states=self.state[first : first + n])


class SystemMemory:
    """The memory in which a system is evaluated, seen as what evaluations are made of."""

    def __init__(self, setup: SystemSetup) -> None:
        self.view = make_memory(setup)
        self.bodies = Placement.in_memory(setup, self.view)
        self.shapes = ShapePlaces.in_memory(self.view)
        self.acceleration = self.view.bodies.acceleration
        self._contacts = ContactsFound.in_memory(self.view)

    @property
    def touching(self) -> NDArray[np.bool_]:
        """Which pairs touch, at the last evaluation of contacts."""
        return self._contacts.area > 0.0

    def contacts(self) -> ContactsFound:
        """Contacts at their last evaluation, for good."""
        return self._contacts.copy(self.view.contacts.n_near)

    def evaluation(
        self,
        t: float,
        y: NDArray[np.float64],
        discrete: NDArray[np.float64],
        rates: NDArray[np.float64],
        reactions: Reactions,
        centres: NDArray[np.float64],
    ) -> Evaluation:
        """All that was found at t (s) and y, where the system was evaluated last, for good."""
        view = self.view
        energies, powers = view.ledger.energies, view.ledger.powers
        return Evaluation(
            time=float(t),
            state=np.array(y),
            discrete=discrete.copy(),
            bodies=self.bodies.copy(),
            shapes=self.shapes.copy(),
            contacts=self.contacts(),
            acceleration=self.acceleration.copy(),
            joint_accelerations=view.joints.rates.copy(),
            efforts=view.forces.efforts.copy(),
            rates=rates,
            energies=StoredEnergies(energies.kinetic, energies.gravity, energies.springs, energies.contact),
            powers=SystemPowers(
                powers.contact,
                powers.contact_damping,
                powers.friction,
                powers.damping,
                powers.input,
                powers.layers,
            ),
            momentum=view.ledger.momentum.copy(),
            reactions=reactions,
            centres_of_pressure=centres,
        )
