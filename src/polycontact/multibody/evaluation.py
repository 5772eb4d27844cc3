"""What an evaluation of a system found: an object of its own, which no later evaluation changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.evaluation_views import SystemView
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
        """What contacts do not store, J."""
        return self.kinetic + self.gravity + self.springs


class SystemPowers(NamedTuple):
    """Power of the contacts on the bodies, lost in their damping and friction and in other dampers, put in; W."""

    contact: float
    contact_damping: float
    friction: float
    damping: float
    input: float


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
    def copied(cls, view: SystemView) -> ContactsFound:
        """From the memory of an evaluation."""
        c = view.contacts
        return cls(
            near=c.near[: c.n_near].copy(),
            status=c.status.copy(),
            area=c.area.copy(),
            depth=c.depth.copy(),
            pressure=c.pressure.copy(),
            energy=c.energy.copy(),
            damping_power=c.damping_power.copy(),
            friction_power=c.friction_power.copy(),
            wrench=c.wrench.copy(),
            kinematics=c.kinematics.copy(),
        )

    def summaries(self) -> NDArray[np.float64]:
        """Area, depth, pressure, energy, damping power and friction power of every pair: (n, 6)."""
        columns = (self.area, self.depth, self.pressure, self.energy, self.damping_power, self.friction_power)
        return np.column_stack(columns)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A system at time ``time`` (s) and ``state`` y, with the ``discrete`` states of users' elements.

    ``bodies`` and ``shapes``: where everything is and how it moves; ``contacts``; ``acceleration`` (n_bodies, 6) of the
    bodies, rad/s² and m/s²; ``joint_accelerations`` and ``efforts`` of force elements along all joint speeds;
    ``rates``: dy/dt; ``momentum``: N s, and N m s at the world's origin.
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

    @classmethod
    def copied(
        cls,
        setup: SystemSetup,
        view: SystemView,
        t: float,
        y: NDArray[np.float64],
        discrete: NDArray[np.float64],
        rates: NDArray[np.float64],
    ) -> Evaluation:
        """From the memory in which the system was evaluated at t (s) and y."""
        energies, powers = view.ledger.energies, view.ledger.powers
        return cls(
            time=float(t),
            state=np.array(y),
            discrete=discrete.copy(),
            bodies=Placement.in_memory(setup, view).copy(),
            shapes=ShapePlaces.in_memory(view).copy(),
            contacts=ContactsFound.copied(view),
            acceleration=view.bodies.acceleration.copy(),
            joint_accelerations=view.joints.rates.copy(),
            efforts=view.forces.efforts.copy(),
            rates=rates,
            energies=StoredEnergies(energies.kinetic, energies.gravity, energies.springs, energies.contact),
            powers=SystemPowers(powers.contact, powers.contact_damping, powers.friction, powers.damping, powers.input),
            momentum=view.ledger.momentum.copy(),
        )
