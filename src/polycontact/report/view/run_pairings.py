"""The contact pairings of a recorded run, made again from its file, so that patches can be computed anew.

A file stores the law of each pairing, the meshes and the poses, and maybe values of contact elements, but no polygons:
shapes of patches are always worked out from the poses.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import PolycontactError
from polycontact.multibody.rotations import from_quaternion
from polycontact.simulation.recording.records import PairingRecord, RunDescription, ShapeRecord
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.surfaces.surface import Surface


@dataclass(frozen=True, eq=False)
class RunPairing:
    """A pairing of a run: numbers of its bodies and their shapes; ``pairing`` is None where it cannot be remade."""

    number: int
    name: str
    e: int
    f: int
    shape_e: ShapeRecord
    shape_f: ShapeRecord
    pairing: ContactPairing | None

    @property
    def sides(self) -> tuple[tuple[int, ShapeRecord], tuple[int, ShapeRecord]]:
        """Body and shape of E and of F."""
        return (self.e, self.shape_e), (self.f, self.shape_f)


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses and velocities of all bodies at one sample, in the world: rows are bodies; m, m/s, rad/s."""

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]

    @classmethod
    def at(cls, trajectory: Trajectory, sample: int) -> Motion:
        """The motion at a sample."""
        array = trajectory.array
        return cls(
            from_quaternion(array("quaternions")[sample]),
            array("positions")[sample],
            array("velocities")[sample],
            array("angular_velocities")[sample],
        )


def remake_pairings(description: RunDescription) -> tuple[tuple[RunPairing, ...], tuple[str, ...]]:
    """The pairings whose bodies and shapes the file has, and notes on those that it has not."""
    numbers = {body.name: i for i, body in enumerate(description.bodies)}
    surfaces: dict[tuple[int, int], Surface | None] = {}
    made, notes = [], []
    seen: dict[tuple[str, str], int] = {}
    for number, record in enumerate(description.pairings):
        turn = seen.setdefault((record.e, record.f), 0)
        seen[record.e, record.f] = turn + 1
        e, f = numbers.get(record.e), numbers.get(record.f)
        pair = None if e is None or f is None else _shapes(description, e, f, turn)
        if e is None or f is None or pair is None:
            notes.append(f"{record.name}: its patches cannot be shown, the file lacks a shape of its bodies")
            continue
        i, j = pair
        shape_e, shape_f = description.bodies[e].shapes[i], description.bodies[f].shapes[j]
        pairing = None
        if record.parameters:  # none: the two never came near each other
            own = [_surface(surfaces, key, shape) for key, shape in (((e, i), shape_e), ((f, j), shape_f))]
            pairing = _pairing(record, own[0], own[1], notes)
        made.append(RunPairing(number, record.name, e, f, shape_e, shape_f, pairing))
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


def _shapes(description: RunDescription, e: int, f: int, turn: int) -> tuple[int, int] | None:
    """Shapes of the ``turn``-th pairing of two bodies: a run has one for each pair of contact shapes, in order."""
    touching = [[i for i, shape in enumerate(description.bodies[body].shapes) if shape.contact] for body in (e, f)]
    pairs = list(itertools.product(*touching))
    return (pairs[turn][0], pairs[turn][1]) if turn < len(pairs) else None


def _surface(known: dict[tuple[int, int], Surface | None], key: tuple[int, int], shape: ShapeRecord) -> Surface | None:
    if key not in known:
        try:
            known[key] = Surface(shape.vertices, shape.triangles, name=shape.name)
        except PolycontactError:
            known[key] = None
    return known[key]


def _pairing(record: PairingRecord, e: Surface | None, f: Surface | None, notes: list[str]) -> ContactPairing | None:
    if e is None or f is None:
        notes.append(f"{record.name}: its patches cannot be shown, a mesh of the file is no surface")
        return None
    given: dict[str, Any] = dict(record.parameters)
    law = {key: given[key] for key in ("stiffness", "damping", "transition_depth") if key in given}
    options: dict[str, Any] = {
        key: given[key] for key in ("elements", "depth", "generator", "max_penetration") if key in given
    }
    friction = given.get("friction")
    try:
        if "depth_share" in given:
            options["layers"] = _layers(law.pop("stiffness"), given["depth_share"])
        return ContactPairing(
            e,
            f,
            base=Base(given.get("base", "E")),
            law=LayerLaw(**law),
            friction=RegularisedCoulomb(coefficient=friction, velocity=given["friction_velocity"])
            if friction
            else None,
            name=record.name,
            **options,
        )
    except (PolycontactError, KeyError, ValueError, TypeError) as error:
        notes.append(f"{record.name}: its patches cannot be computed: {error}")
        return None


def _layers(stiffness: float, share: float) -> tuple[ElasticLayer, ElasticLayer]:
    """Two layers that together have the ``stiffness`` (N/m³) and of which E takes the ``share`` of the depth.

    Where the share is not recorded, pairings split the depth in half: pressures are the same, but slip is measured up
    to half a depth beside the place where the run measured it.
    """
    e, f = (
        ElasticLayer(youngs_modulus=stiffness / part, poissons_ratio=0.0, thickness=1.0)
        if part > 0.0
        else ElasticLayer.rigid()
        for part in (share, 1.0 - share)
    )
    return e, f
