"""The contact pairings of a recorded run, made again from its file, so that patches can be computed anew.

A file stores the description of each pairing, the meshes and the poses, and maybe values of contact elements, but no
polygons: shapes of patches are always worked out from the poses.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.description import ContactDescription
from polycontact.contact.kinds import from_plain
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.errors import ContactError, ContactWarning, PolycontactError, SurfaceWarning
from polycontact.multibody.rotations import from_quaternion
from polycontact.simulation.recording.records import PairingRecord, RunDescription, ShapeRecord
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.surface import Surface


@dataclass(frozen=True, eq=False)
class RunPairing:
    """A pairing of a run: numbers of its bodies and their shapes; ``pairing`` is None where it cannot be remade.

    ``states``: where states of its method and laws stand in the state of a sample.
    """

    number: int
    name: str
    e: int
    f: int
    shape_e: ShapeRecord
    shape_f: ShapeRecord
    pairing: ContactPairing | None
    states: NDArray[np.int64]

    @property
    def sides(self) -> tuple[tuple[int, ShapeRecord], tuple[int, ShapeRecord]]:
        """Body and shape of E and of F."""
        return (self.e, self.shape_e), (self.f, self.shape_f)


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses and velocities of all bodies at one sample, in the world: rows are bodies; m, m/s, rad/s.

    ``state`` (ns,) of the sample, as the integrator had it.
    """

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]
    state: NDArray[np.float64]

    @classmethod
    def at(cls, trajectory: Trajectory, sample: int) -> Motion:
        """Poses, velocities and the state that were recorded at a sample."""
        array = trajectory.array
        return cls(
            from_quaternion(array("quaternions")[sample]),
            array("positions")[sample],
            array("velocities")[sample],
            array("angular_velocities")[sample],
            array("state")[sample],
        )


def touching_pairings(trajectory: Trajectory) -> NDArray[np.int64]:
    """Numbers of the pairings that touch at a sample: of a heap of bodies every two may, and only few do."""
    return trajectory.contacts.touched


def remake_pairings(
    description: RunDescription, chosen: NDArray[np.int64] | None = None
) -> tuple[tuple[RunPairing, ...], tuple[str, ...]]:
    """The pairings, all or the ``chosen`` ones, whose bodies and shapes the file has, and notes on those it has not."""
    numbers = {body.name: i for i, body in enumerate(description.bodies)}
    states = _contact_states(description)
    geometries: dict[tuple[object, ...], Geometry | None] = {}
    shared: dict[tuple[int, ...], ContactPairing | None] = {}
    made: list[RunPairing] = []
    notes: list[str] = []
    for number in range(len(description.pairings)) if chosen is None else chosen.tolist():
        record = description.pairings[number]
        e, f = numbers.get(record.e), numbers.get(record.f)
        i, j = record.shape_e, record.shape_f
        if e is None or f is None or not _has_shapes(description, e, i, f, j):
            notes.append(f"{record.name}: its patches cannot be shown, the file lacks a shape of its bodies")
            continue
        shape_e, shape_f = description.bodies[e].shapes[i], description.bodies[f].shapes[j]
        own = [_geometry(geometries, key, shape) for key, shape in (((e, i), shape_e), ((f, j), shape_f))]
        like = (id(own[0]), id(own[1]), id(record.contact))  # geometries and contact are the same: so is the set-up
        if shared.get(like) is None:
            shared[like] = _pairing(record, own[0], own[1], notes)
        found = shared[like]
        pairing = None if found is None else found.named(record.name)
        own_states = np.array(states.get(record.name, ()), dtype=np.int64)
        made.append(RunPairing(number, record.name, e, f, shape_e, shape_f, pairing, own_states))
    return tuple(made), tuple(notes)


def relative_kinematics(pair: RunPairing, motion: Motion) -> RelativeKinematics:
    """Pose and velocity of the shape of F as seen from that of E."""
    frames = []
    for body, shape in pair.sides:
        R = motion.rotation[body]
        arm = R @ shape.position
        w = motion.angular_velocity[body]
        frames.append((R @ shape.rotation, motion.position[body] + arm, motion.velocity[body] + np.cross(w, arm), w))
    (R_E, r_E, v_E, w_E), (R_F, r_F, v_F, w_F) = frames
    apart = r_F - r_E
    return RelativeKinematics(
        rotation=R_E.T @ R_F,
        position=R_E.T @ apart,
        velocity=R_E.T @ (v_F - v_E - np.cross(w_E, apart)),
        angular_velocity=R_E.T @ (w_F - w_E),
    )


def evaluate_again(pair: RunPairing, motion: Motion) -> ContactResult | None:
    """The contact of a pairing as it was; None where it cannot be computed.

    It is evaluated without what its laws remembered of elements: forces that depend on that are those recorded.
    """
    if pair.pairing is None:
        return None
    states = motion.state[pair.states] if len(pair.states) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # the run has said it already
        try:
            return pair.pairing.evaluate(relative_kinematics(pair, motion), states=states)
        except ContactError:
            return None  # a pose that cannot be: the bodies are shown all the same


def _contact_states(description: RunDescription) -> dict[str, list[int]]:
    """Where the states of each contact stand, by its name."""
    found: dict[str, list[int]] = {}
    for i, name in enumerate(description.state_names):
        if (match := re.fullmatch(r"contact (.*) state \d+", name, re.DOTALL)) is not None:
            found.setdefault(match[1], []).append(i)
    return found


def _has_shapes(description: RunDescription, e: int, i: int, f: int, j: int) -> bool:
    return i < len(description.bodies[e].shapes) and j < len(description.bodies[f].shapes)


def _geometry(
    known: dict[tuple[object, ...], Geometry | None], key: tuple[object, ...], shape: ShapeRecord
) -> Geometry | None:
    """The geometry of a shape; None where its mesh is no surface, or where nobody has announced its kind.

    Shapes with the same mesh, whose arrays they share, have the same one.
    """
    if shape.geometry is None:
        key = ("mesh", id(shape.vertices), id(shape.triangles), shape.name)
    if key not in known:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SurfaceWarning)  # loading the mesh has said it already
            try:
                is_mesh = shape.geometry is None
                known[key] = (
                    Surface(shape.vertices, shape.triangles, name=shape.name) if is_mesh else from_plain(shape.geometry)
                )
            except (PolycontactError, TypeError, ValueError):
                known[key] = None
    return known[key]


def _pairing(record: PairingRecord, e: Geometry | None, f: Geometry | None, notes: list[str]) -> ContactPairing | None:
    if e is None or f is None:
        notes.append(
            f"{record.name}: its patches cannot be shown, a mesh of the file is no surface, or a kind of geometry is "
            f"not known here"
        )
        return None
    if not record.contact:
        notes.append(f"{record.name}: its patches cannot be shown, the file does not tell how the two touch")
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # the run has said it already
        try:
            return ContactPairing(e, f, name=record.name, description=ContactDescription.from_plain(record.contact))
        except (PolycontactError, KeyError, ValueError, TypeError) as error:
            notes.append(f"{record.name}: its patches cannot be computed: {error}")
            return None
