"""What a trajectory gives for a name: the history of a body, a pairing or a joint, and what a joint or loop transmits.

One row for each sample.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.description import finds_points
from polycontact.errors import SimulationError
from polycontact.multibody.rotations import from_quaternion
from polycontact.simulation.recording.element_tables import no_elements
from polycontact.simulation.recording.records import BodyRecord, ElementRecord, JointRecord, LoopRecord, PairingRecord
from polycontact.simulation.recording.sample_quantities import CONTACT_COLUMNS

if TYPE_CHECKING:
    from polycontact.simulation.recording.trajectory import Trajectory

DASHES = "[-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}]"
"""What may stand between the names of two bodies."""

LISTED = 20
"""Names that a message lists at most."""


class BodyHistory:
    """How a body moved; n is the number of samples. Positions and velocities in world axes."""

    def __init__(self, trajectory: Trajectory, index: int, record: BodyRecord) -> None:
        self.name = record.name
        self.record = record
        self._trajectory = trajectory
        self._index = index

    def __repr__(self) -> str:
        return f"BodyHistory({self.name!r}, {self.record.mass} kg, {len(self._trajectory)} samples)"

    @property
    def position(self) -> NDArray[np.float64]:
        """Origin of the body, (n, 3) m."""
        return self._rows("positions")

    @property
    def quaternion(self) -> NDArray[np.float64]:
        """Orientation (w, x, y, z), (n, 4)."""
        return self._rows("quaternions")

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Rotation from the body's axes to those of the world, (n, 3, 3)."""
        return from_quaternion(self.quaternion)

    @property
    def velocity(self) -> NDArray[np.float64]:
        """Velocity of the origin, (n, 3) m/s."""
        return self._rows("velocities")

    @property
    def angular_velocity(self) -> NDArray[np.float64]:
        """Angular velocity, (n, 3) rad/s."""
        return self._rows("angular_velocities")

    @property
    def acceleration(self) -> NDArray[np.float64]:
        """Acceleration of the origin, (n, 3) m/s², where reactions were recorded."""
        return self._rows("accelerations")

    @property
    def angular_acceleration(self) -> NDArray[np.float64]:
        """Angular acceleration, (n, 3) rad/s², where reactions were recorded."""
        return self._rows("angular_accelerations")

    @property
    def centre_of_mass(self) -> NDArray[np.float64]:
        """Centre of mass, (n, 3) m."""
        return self.position + self.rotation @ np.asarray(self.record.centre)

    def _rows(self, name: str) -> NDArray[np.float64]:
        return self._trajectory.array(name)[:, self._index]


class PairingHistory:
    """The contact of a pairing; n is the number of samples. Force and torque on E at marker F, world axes."""

    def __init__(self, trajectory: Trajectory, index: int, record: PairingRecord) -> None:
        self.name = record.name
        self.record = record
        self._trajectory = trajectory
        self._index = index
        self._read: dict[str, NDArray[np.float64]] = {}

    def __repr__(self) -> str:
        share = float(np.mean(self.in_contact)) if len(self._trajectory) else 0.0
        return f"PairingHistory({self.name!r}, in contact in {share:.0%} of {len(self._trajectory)} samples)"

    @property
    def force(self) -> NDArray[np.float64]:
        """Contact force on E, (n, 3) N."""
        return self._rows("wrenches")[:, :3]

    @property
    def torque(self) -> NDArray[np.float64]:
        """Torque on E at marker F, (n, 3) N m."""
        return self._rows("wrenches")[:, 3:]

    @property
    def finds_points(self) -> bool:
        """Whether the method finds points: they have no area, 1 stands for it, and their force for the pressure."""
        return finds_points(self.record.contact)

    @property
    def area(self) -> NDArray[np.float64]:
        """Area of the contact, (n,) m²."""
        return self._column("area")

    @property
    def in_contact(self) -> NDArray[np.bool_]:
        """Whether there is an area of contact, (n,)."""
        return self.area > 0.0

    @property
    def depth(self) -> NDArray[np.float64]:
        """Greatest depth of penetration at each sample, (n,), m."""
        return self._column("depth")

    @property
    def pressure(self) -> NDArray[np.float64]:
        """Greatest pressure, (n,) Pa."""
        return self._column("pressure")

    @property
    def elastic_energy(self) -> NDArray[np.float64]:
        """Energy stored in the layers, (n,) J."""
        return self._column("elastic_energy")

    @property
    def damping_power(self) -> NDArray[np.float64]:
        """Power of the damping, (n,) W."""
        return self._column("damping_power")

    @property
    def friction_power(self) -> NDArray[np.float64]:
        """Power of the friction, (n,) W."""
        return self._column("friction_power")

    @property
    def centre_of_pressure(self) -> NDArray[np.float64]:
        """Mean of the contact elements' positions, weighted by their normal forces, in the world, (n, 3) m.

        nan where nothing presses; where reactions were recorded.
        """
        self._trajectory.refuse_missing("centres_of_pressure")
        return self._rows("centres_of_pressure")

    def elements(self, sample: int) -> ElementRecord:
        """The contact elements of a sample (negative: from the end); without contact a record without elements."""
        found = [record for record in self._trajectory.elements(sample) if record.pairing == self._index]
        return found[0] if found else no_elements(self._index)

    def _column(self, name: str) -> NDArray[np.float64]:
        return self._rows("contact")[:, CONTACT_COLUMNS.index(name)]

    def _rows(self, quantity: str) -> NDArray[np.float64]:
        if quantity not in self._read:
            self._read[quantity] = self._trajectory.contacts.history(quantity, self._index)
        return self._read[quantity]


class JointHistory:
    """How a joint moved; n is the number of samples. Names of the columns are in ``record``."""

    def __init__(self, trajectory: Trajectory, index: int, record: JointRecord) -> None:
        before = trajectory.description.joints[:index]
        self.name = record.name
        self.record = record
        self._trajectory = trajectory
        self._first_coordinate = sum(len(joint.coordinates) for joint in before)
        self._first_speed = sum(len(joint.speeds) for joint in before)

    def __repr__(self) -> str:
        names = ", ".join(self.record.coordinates)
        return f"JointHistory({self.name!r}, {self.record.kind}, coordinates {names or 'none'})"

    @property
    def coordinates(self) -> NDArray[np.float64]:
        """Coordinates, (n, number of them): m, rad or quaternion."""
        first = self._first_coordinate
        return self._trajectory.array("coordinates")[:, first : first + len(self.record.coordinates)]

    @property
    def speeds(self) -> NDArray[np.float64]:
        """Speeds, (n, number of them): m/s or rad/s."""
        return self._along_speeds("speeds")

    @property
    def accelerations(self) -> NDArray[np.float64]:
        """Time derivatives of the speeds, (n, number of them): m/s² or rad/s², where reactions were recorded."""
        return self._along_speeds("joint_accelerations")

    @property
    def drive(self) -> NDArray[np.float64]:
        """Effort of a prescribed motion and of motors along each speed, (n, number of speeds): N m or N.

        Zero where nothing drives the joint; where reactions were recorded.
        """
        return self._along_speeds("drives")

    def _along_speeds(self, name: str) -> NDArray[np.float64]:
        first = self._first_speed
        return self._trajectory.array(name)[:, first : first + len(self.record.speeds)]


class Names:
    """Names of one kind of things, found quickly however many there are."""

    def __init__(self, kind: str, names: Iterable[str], label: str) -> None:
        self.all = tuple(names)
        self._kind = kind
        self._label = label
        self._numbers = {name: i for i, name in reversed(list(enumerate(self.all)))}

    def find(self, name: str | int) -> int:
        """The number of ``name``, or a number itself (negative: from the end), or an error that lists what is there."""
        if isinstance(name, str) and name in self._numbers:
            return self._numbers[name]
        if isinstance(name, int | np.integer) and -len(self.all) <= name < len(self.all):
            return int(name) % len(self.all)
        raise no_such(self._kind, name, self.all, self._label)

    def get(self, name: str) -> int | None:
        """The number of ``name``, None where it is not known."""
        return self._numbers.get(name)


class PairingNames(Names):
    """Names of pairings, which are also found by their bodies, in either order and with any dash between them."""

    def __init__(self, records: Sequence[PairingRecord], label: str) -> None:
        super().__init__("pairing", (record.name for record in records), label)
        self._records = records

    @cached_property
    def _by_bodies(self) -> dict[frozenset[str], list[int]]:
        found: dict[frozenset[str], list[int]] = {}
        for i, record in enumerate(self._records):
            found.setdefault(frozenset((record.e, record.f)), []).append(i)
        return found

    def find_pair(self, first: str | int, second: str | None = None) -> int:
        """The number of a pairing by its name or number, or by the names of two bodies."""
        if second is None and (not isinstance(first, str) or self.get(first) is not None):
            return self.find(first)
        couples = [(str(first), second)] if second is not None else _couples(str(first))
        found = {number for couple in couples for number in self._by_bodies.get(frozenset(couple), ())}
        if not found and second is None:
            found = {number for couple in couples if (number := self.get("–".join(couple))) is not None}
        if len(found) > 1:
            listed = ", ".join(repr(self.all[number]) for number in sorted(found))
            raise SimulationError(f"{self._label}: {first!r} may be any of {listed}; give one of these names")
        if found:
            return found.pop()
        raise no_such("pairing", first if second is None else f"{first}–{second}", self.all, self._label)


def _couples(name: str) -> list[tuple[str, str]]:
    """Two names from one text, at each of the dashes in it."""
    parts = re.split(f"({DASHES})", name)
    return [("".join(parts[:i]).strip(), "".join(parts[i + 1 :]).strip()) for i in range(1, len(parts), 2)]


def find_name(kind: str, name: str, names: Sequence[str], label: str) -> int:
    """Index of ``name`` in ``names``, or an error that lists what is there."""
    if name in names:
        return names.index(name)
    raise no_such(kind, name, names, label)


def no_such(kind: str, name: object, names: Sequence[str], label: str) -> SimulationError:
    """The error of a name that is not there: what may be meant, and what there is."""
    lower = {known.partition(" [")[0].casefold(): known for known in reversed(names)}
    close = [lower[match] for match in difflib.get_close_matches(str(name).casefold(), lower, n=3, cutoff=0.6)]
    meant = f"did you mean {' or '.join(map(repr, close))}?" if close else ""
    if close and len(names) > LISTED:
        return SimulationError(f"{label}: no {kind} {name!r}; {meant}")
    listed = ", ".join(repr(known) for known in names[:LISTED]) or "none"
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    there = f"{meant} There are" if close else "there are"
    return SimulationError(f"{label}: no {kind} {name!r}; {there}: {listed}{more}")


Array = NDArray[np.float64]


class ReactionHistory:
    """Force and torque on the child of a joint, or on body b of a loop, at ``point``; n is the number of samples.

    They act at the origin of the joint's marker on that body; the other body feels the opposite. All that the joint
    transmits is in them: springs, stops, motors and prescribed motions along its coordinates too.
    """

    def __init__(self, trajectory: Trajectory, quantity: str, index: int, record: JointRecord | LoopRecord) -> None:
        self.name = record.name
        self.record = record
        self._trajectory = trajectory
        self._quantity = quantity
        self._index = index
        if isinstance(record, JointRecord):
            self.other, self.body = record.parent, record.child
        else:
            self.other, self.body = record.body_a, record.body_b

    def __repr__(self) -> str:
        return f"ReactionHistory({self.name!r}, of {self.other!r} on {self.body!r}, {len(self._trajectory)} samples)"

    @property
    def force(self) -> Array:
        """Force, world axes, (n, 3) N."""
        return self._wrench[:, :3]

    @property
    def torque(self) -> Array:
        """Torque at `point`, world axes, (n, 3) N m."""
        return self._wrench[:, 3:]

    @property
    def own_force(self) -> Array:
        """Force in the axes of the joint's marker on the other body, (n, 3) N; z is the axis of a revolute joint."""
        return self._turned(self.force)

    @property
    def own_torque(self) -> Array:
        """Torque in the axes of the joint's marker on the other body, (n, 3) N m."""
        return self._turned(self.torque)

    @property
    def point(self) -> Array:
        """The point at which the reaction acts, in the world, (n, 3) m."""
        body = self._trajectory.body(self.body)
        return np.asarray(body.position + body.rotation @ np.asarray(self.record.point))

    @property
    def _wrench(self) -> Array:
        return self._trajectory.array(self._quantity)[:, self._index]

    def _turned(self, vectors: Array) -> Array:
        """World vectors (n, 3) in the joint's axes."""
        own = np.asarray(self.record.rotation)
        bodies = self._trajectory.bodies
        if self.other not in bodies:  # the world
            return np.asarray(vectors @ own)
        rotation = from_quaternion(self._trajectory.array("quaternions")[:, bodies.index(self.other)])
        return np.asarray(np.einsum("nij,ni->nj", rotation @ own, vectors))
