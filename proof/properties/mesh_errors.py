"""How well the error that facets may make is known: forces of meshes beside those of the smooth bodies.

Balls and cylinders on a plane, balls in seats and pins in holes, meshes as they are and balanced, in random
orientations, with either body as the base. The forces of smooth bodies are closed forms, or integrals of the distance
over the smooth surface.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import polycontact as pc
from polycontact.contact.mesh_error import mesh_error_at

STIFFNESS = 1e9
"""N/m³; errors do not depend on it."""
RADIUS = 0.01
"""Of balls, cylinders and pins, m."""
LENGTH = 0.02
"""Of cylinders and pins, m."""
DEPTHS = (0.001, 0.003, 0.01, 0.03, 0.1)
"""Over the radius; seats and holes get all but the last."""
CLEARANCES = {"ball in a seat": (0.003, 0.02, 0.2), "pin in a hole": (0.002, 0.01, 0.1)}
"""Over the radius."""
OPENING = 1.25
"""Of the seat: angle of its rim from its lowest point, rad."""

Array = NDArray[np.float64]


class Measured(NamedTuple):
    """A contact: what it is, whether its meshes are balanced, its true error and the one that is told of it, shares of
    the force; infinite where a contact was not seen at all."""

    kind: str
    balanced: bool
    error: float
    told: float


def measure(seed: int = 0) -> list[Measured]:
    """All contacts, in orientations that a seed chooses."""
    rng = np.random.default_rng(seed)
    return [
        each
        for balanced in (False, True)
        for contacts in (_balls, _cylinders, _seats, _holes)
        for each in contacts(balanced, rng)
    ]


def _finish(surface: pc.Surface, balanced: bool) -> pc.Surface:
    return surface.balanced() if balanced else surface


def _contact(
    kind: str,
    balanced: bool,
    bodies: tuple[pc.Surface, pc.Surface],
    rotation: Array,
    position: Array,
    wanted: Array,
    smooth: float,
) -> Iterator[Measured]:
    """One contact with either base; ``wanted``: direction of the force on E; ``smooth``: what it should be, N."""
    for base in (pc.Base.E, pc.Base.F):
        pair = pc.ContactPairing(*bodies, law=pc.LayerLaw(stiffness=STIFFNESS), base=base)
        force = float(pair.wrench(rotation, position)[:3] @ wanted)
        told = mesh_error_at(pair, pc.RelativeKinematics(rotation=rotation, position=position))
        yield Measured(kind, balanced, force / smooth - 1.0, math.inf if told is None else told.share)


def _plate() -> pc.Surface:
    return pc.shapes.box((0.1, 0.1, 0.02), (6, 6, 1))


def _on_plate(rotation: Array, depth: float) -> tuple[Array, Array, Array]:
    """Pose of the plate in the frame of a round body that is turned by ``rotation`` and so deep in it; its normal."""
    return rotation.T, rotation.T @ (0.0, 0.0, -(RADIUS - depth + 0.01)), rotation.T @ (0.0, 0.0, 1.0)


def _balls(balanced: bool, rng: np.random.Generator) -> Iterator[Measured]:
    for subdivisions in (2, 3, 4, 5):
        ball = _finish(pc.shapes.sphere(RADIUS, subdivisions), balanced)
        for depth in DEPTHS:
            u = depth * RADIUS
            smooth = STIFFNESS * math.pi * u * u * (RADIUS - u / 3.0)
            for _ in range(3):
                pose = _on_plate(Rotation.random(random_state=rng).as_matrix(), u)
                yield from _contact("ball on a plane", balanced, (ball, _plate()), *pose, smooth)


def _cylinders(balanced: bool, rng: np.random.Generator) -> Iterator[Measured]:
    lying = Rotation.from_euler("x", 90, degrees=True)
    for sides in (16, 24, 48, 96):
        cylinder = _finish(pc.shapes.cylinder(RADIUS, LENGTH, segments=sides), balanced)
        for depth in DEPTHS:
            angle = math.acos(1.0 - depth)
            smooth = STIFFNESS * LENGTH * RADIUS**2 * (angle - math.sin(angle) * math.cos(angle))
            for _ in range(3):
                turned = lying * Rotation.from_euler("z", rng.uniform(0.0, 2.0 * math.pi))
                pose = _on_plate(turned.as_matrix(), depth * RADIUS)
                yield from _contact("cylinder on a plane", balanced, (cylinder, _plate()), *pose, smooth)


def _conforming(hollow: float, depth: float, opening: float, *, is_round: bool) -> float:
    """Force of a smooth ball or pin in a smooth hollow, N; of a pin per m: the pressure c φ over the inner body."""
    edges = np.linspace(0.0, opening, 100_001)
    angle = 0.5 * (edges[1:] + edges[:-1])
    away = hollow - RADIUS + depth
    phi = np.hypot(RADIUS * np.sin(angle), away + RADIUS * np.cos(angle)) - hollow
    along = np.maximum(phi, 0.0) * np.cos(angle)
    width = 2.0 * math.pi * RADIUS**2 * np.sin(angle) if is_round else 2.0 * RADIUS
    return float(STIFFNESS * (along * width).sum() * (edges[1] - edges[0]))


def _seats(balanced: bool, rng: np.random.Generator) -> Iterator[Measured]:
    kind = "ball in a seat"
    for subdivisions, segments in ((3, 48), (4, 48), (4, 96), (5, 192)):
        ball = _finish(pc.shapes.sphere(RADIUS, subdivisions), balanced)
        for clearance in CLEARANCES[kind]:
            hollow = RADIUS * (1.0 + clearance)
            angle = np.linspace(0.0, 1.3, segments // 4 + 1)
            inner, outer = (
                radius * np.column_stack((-np.cos(a), np.sin(a)))
                for radius, a in ((hollow, angle), (hollow + 0.004, angle[::-1]))
            )
            seat = _finish(pc.shapes.revolve(np.vstack((inner, outer)), segments), balanced)
            for depth in DEPTHS[:-1]:
                u = depth * RADIUS
                smooth = _conforming(hollow, u, OPENING, is_round=True)
                down = np.array((0.0, 0.0, -(hollow - RADIUS + u)))
                turned = Rotation.random(random_state=rng).as_matrix()
                wanted = np.array((0.0, 0.0, -1.0))
                yield from _contact(kind, balanced, (seat, ball), turned, down, wanted, smooth)


def _holes(balanced: bool, rng: np.random.Generator) -> Iterator[Measured]:
    kind = "pin in a hole"
    for sides, of_pin in ((24, 24), (24, 48), (48, 48), (48, 96), (96, 96), (192, 192)):
        pin = _finish(pc.shapes.cylinder(RADIUS, LENGTH, segments=of_pin), balanced)
        for clearance in CLEARANCES[kind]:
            hollow = RADIUS * (1.0 + clearance)
            wall = [(-0.02, hollow), (-0.02, hollow + 0.006), (0.02, hollow + 0.006), (0.02, hollow), (-0.02, hollow)]
            ring = _finish(pc.shapes.revolve(wall, sides), balanced)
            for depth in DEPTHS[:-1]:
                u = depth * RADIUS
                smooth = LENGTH * _conforming(hollow, u, 0.5 * math.pi, is_round=False)
                turned = Rotation.from_euler("z", rng.uniform(0.0, 2.0 * math.pi)).as_matrix()
                aside, wanted = np.array((-(hollow - RADIUS + u), 0.0, 0.0)), np.array((-1.0, 0.0, 0.0))
                yield from _contact(kind, balanced, (ring, pin), turned, aside, wanted, smooth)
