"""What a run hands to its recorder, and what a trajectory gives back: plain records of numbers and names.

The driver of a simulation knows nothing of files, and files know nothing of integrators; between them stand these
records. All quantities are in SI units; quaternions are (w, x, y, z); arrays are float64 unless stated otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ShapeRecord:
    """A shape of a body: its mesh or, of another geometry, the picture of it.

    ``vertices`` (n, 3) m and ``triangles`` (m, 3) int32 in the frame of the surface; ``position`` (3,) m and
    ``rotation`` (3, 3) of that frame in the body frame; ``contact``: False for a mere picture; ``colour`` "#rrggbb";
    ``geometry``: None for a mesh, else the geometry as plain data, so that it can be made again.
    """

    name: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    contact: bool = True
    colour: str | None = None
    geometry: dict[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class MarkerRecord:
    """A named frame on a body: ``position`` (3,) m and ``rotation`` (3, 3) in the body frame."""

    name: str
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BodyRecord:
    """A body: ``mass`` kg, ``centre`` of mass (3,) m in the body frame, ``inertia`` (3, 3) kg m² about it."""

    name: str
    mass: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]
    shapes: tuple[ShapeRecord, ...] = ()
    markers: tuple[MarkerRecord, ...] = ()


Axes = tuple[tuple[float, ...], ...]
"""A rotation (3, 3), row by row."""

IDENTITY: Axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class JointRecord:
    """A joint between two bodies, with the names of its coordinates and of its speeds.

    ``rotation`` of its marker in the parent's frame and ``point`` (m), the origin of its marker in the child's: where
    and in which axes its reaction is given. ``driven``: by a prescribed motion or motors.
    """

    name: str
    kind: str
    parent: str
    child: str
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    rotation: Axes = IDENTITY
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    driven: bool = False


@dataclass(frozen=True)
class LoopRecord:
    """A joint that closes a loop: ``rotation`` of its marker in the frame of a, ``point`` (m) of the one in b's."""

    name: str
    kind: str
    body_a: str
    body_b: str
    rotation: Axes
    point: tuple[float, ...]


class ForceLoad(NamedTuple):
    """A load of a force element: its name, and the ``columns`` among the element's numbers whose vector it is."""

    name: str
    columns: slice


VECTORS = ("force", "torque")
"""How three numbers of a force element begin that are the components of one vector."""


@dataclass(frozen=True)
class ForceRecord:
    """A built-in force element or coupler: what its recorded ``numbers`` are, and their ``unit``, or those of equal
    parts of them.
    """

    name: str
    kind: str
    numbers: tuple[str, ...]
    unit: str

    def unit_of(self, number: int) -> str:
        """Unit of the quantity ``number``, counted from 0."""
        units = self.unit.split(", ")
        return units[number * len(units) // len(self.numbers)]

    @property
    def loads(self) -> tuple[ForceLoad, ...]:
        """Its vectors, and the numbers that belong to none."""
        found: list[ForceLoad] = []
        for i, number in enumerate(self.numbers):
            vector = number.partition(" ")[0]
            if vector not in VECTORS:
                found.append(ForceLoad(number, slice(i, i + 1)))
            elif not found or found[-1].name != vector:
                found.append(ForceLoad(vector, slice(i, i + 3)))
        return tuple(found)


@dataclass(frozen=True)
class PairingRecord:
    """A contact pairing of two shapes, ``shape_e`` of body ``e`` and ``shape_f`` of body ``f``, by their numbers.

    ``contact``: the whole `ContactDescription` as plain data, so that the contact can be evaluated again.
    """

    name: str
    e: str
    f: str
    shape_e: int
    shape_f: int
    contact: dict[str, Any]


class MappedShape(NamedTuple):
    """A shape of which a run keeps maps: the name of its body, its number there, and how many triangles it has."""

    body: str
    shape: int
    n_triangles: int


@dataclass(frozen=True, eq=False)
class RunDescription:
    """What does not change during a run.

    ``state_names``: one for each entry of the state; ``settings`` of the integration, as JSON can hold them;
    ``scenario``: text of the TOML file the run was made from, and ``scenario_folder`` where its meshes lie;
    ``energies``: names of the columns of `Sample.energies`; ``remembered_width``: most numbers that a contact law
    remembers of an element between accepted steps, 0 where none does; ``reactions``: whether samples have reactions and
    accelerations; ``maps``: the shapes with maps of what they went through, whose rows follow each other in this order.
    """

    name: str
    bodies: tuple[BodyRecord, ...]
    joints: tuple[JointRecord, ...] = ()
    pairings: tuple[PairingRecord, ...] = ()
    state_names: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    scenario: str | None = None
    scenario_folder: str | None = None
    energies: tuple[str, ...] = ()
    remembered_width: int = 0
    loops: tuple[LoopRecord, ...] = ()
    forces: tuple[ForceRecord, ...] = ()
    reactions: bool = False
    maps: tuple[MappedShape, ...] = ()


@dataclass(frozen=True, eq=False)
class RememberedRecord:
    """What a contact law remembers at one time of elements from the last accepted step.

    ``pairing``: its number in the description; ``law``: 0 for the normal, 1 for the tangential one; ``keys`` (n,) int64
    of the elements and ``values`` (n, m), in the law's own units.
    """

    pairing: int
    law: int
    keys: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ElementRecord:
    """The contact elements of one pairing at one time, in world axes.

    ``pairing``: its number in the description; ``position`` (n, 3) m; ``normal`` (n, 3) into the base body; ``area``
    (n,) m²; ``depth`` (n,) m; ``pressure`` (n,) Pa; ``slip`` (n, 3) slip velocity of F against E, m/s;
    ``base_triangle`` (n,) int32; ``side`` (n,) int8: 0 where E is the base, 1 where F is.
    """

    pairing: int
    position: NDArray[np.float64]
    normal: NDArray[np.float64]
    area: NDArray[np.float64]
    depth: NDArray[np.float64]
    pressure: NDArray[np.float64]
    slip: NDArray[np.float64]
    base_triangle: NDArray[np.int32]
    side: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.area)


@dataclass(frozen=True, eq=False)
class Sample:
    """A run at one time (s).

    ``state`` (ns,) and ``discrete`` (nd,) as the integrator has them: a run can be continued from them. Of the bodies
    ``positions`` (nb, 3) m, origins in the world; ``quaternions`` (nb, 4); ``velocities`` (nb, 3) of the origins, m/s,
    and ``angular_velocities`` (nb, 3), rad/s, in world axes. Of all joints in a row ``coordinates`` (nq,), ``speeds``
    (nv,). Of the pairings ``wrenches`` (np, 6), force (N) and torque (N m) on E at marker F in world axes, and
    ``contact`` (np, 6): area m², greatest depth m, greatest pressure Pa, elastic energy J, damping power W, friction
    power W. ``energies`` (ne,) J. ``evaluations`` and ``steps`` since the start. ``elements``: None where they are not
    recorded. ``remembered``: what contact laws remember, a part of the state.

    Where reactions are recorded, else None: ``accelerations`` (nb, 3) of the origins, m/s², and
    ``angular_accelerations`` (nb, 3), rad/s²; ``joint_accelerations`` (nv,); ``reactions`` (nj, 6), force (N) and
    torque (N m) of the parent on the child of each joint at its point, world axes; ``loop_reactions`` (nl, 6), the same
    of a on b; ``drives`` (nv,), efforts of prescribed motions and motors along joint speeds; ``element_forces`` (nf,)
    of the built-in force elements and couplers; ``centres_of_pressure`` (np, 3) m in the world, nan where nothing
    presses.
    """

    time: float
    state: NDArray[np.float64]
    discrete: NDArray[np.float64]
    positions: NDArray[np.float64]
    quaternions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    angular_velocities: NDArray[np.float64]
    coordinates: NDArray[np.float64]
    speeds: NDArray[np.float64]
    wrenches: NDArray[np.float64]
    contact: NDArray[np.float64]
    energies: NDArray[np.float64]
    evaluations: int = 0
    steps: int = 0
    elements: tuple[ElementRecord, ...] | None = None
    remembered: tuple[RememberedRecord, ...] = ()
    accelerations: NDArray[np.float64] | None = None
    angular_accelerations: NDArray[np.float64] | None = None
    joint_accelerations: NDArray[np.float64] | None = None
    reactions: NDArray[np.float64] | None = None
    loop_reactions: NDArray[np.float64] | None = None
    drives: NDArray[np.float64] | None = None
    element_forces: NDArray[np.float64] | None = None
    centres_of_pressure: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class SampleBlock:
    """Samples that follow each other: arrays of all quantities of `Sample` by name, with a row for each sample.

    ``elements`` of each, None where they are not recorded; ``remembered`` of each.
    """

    arrays: dict[str, NDArray[Any]]
    elements: list[tuple[ElementRecord, ...]] | None
    remembered: list[tuple[RememberedRecord, ...]]

    def __len__(self) -> int:
        return len(self.remembered)


@dataclass(frozen=True)
class ContactEvent:
    """The pairing named ``pairing`` comes into contact (``kind`` "start") or leaves it ("end") at ``time`` (s)."""

    time: float
    pairing: str
    kind: str


@dataclass(frozen=True)
class Outcome:
    """How a run ended: ``status`` "finished", "ended", "stopped" or "failed"; "running" without an end."""

    status: str = "running"
    message: str = ""
    statistics: dict[str, Any] = field(default_factory=dict)


class Recorder(Protocol):
    """Takes a run as it goes: begin, then samples with increasing time and events, then finish."""

    def begin(self, description: RunDescription, *, n_samples: int = 0) -> None:
        """Take what does not change, and how many samples to expect (0: not known)."""

    def add(self, sample: Sample) -> None:
        """Take the next sample; its arrays are copied."""

    def add_block(self, block: SampleBlock) -> None:
        """Take the next samples; their arrays are the recorder's from now on."""

    def add_event(self, event: ContactEvent) -> None:
        """Take a start or end of contact, in the order of time."""

    def finish(self, status: str, message: str, statistics: dict[str, Any], maps: NDArray[Any] | None = None) -> None:
        """Take how the run ended, and rows of maps of the surfaces; nothing can be added any more."""
