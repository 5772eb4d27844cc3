"""Small contacts that also run with the JIT off: every method, base, kind of element and depth, every kind of pose."""

from __future__ import annotations

import itertools
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import polycontact as pc
from scenes import rotation

Array = NDArray[np.float64]

_LAW = {
    "law": pc.LayerLaw(stiffness=1e7, damping=2e4, transition_depth=1e-3),
    "friction": pc.RegularisedCoulomb(coefficient=0.3, velocity=0.05),
}
_GEOMETRY: tuple[dict[str, Any], ...] = (
    {"elements": "clipped", "depth": "base_normal"},
    {"elements": "whole", "depth": "base_normal"},
    {"depth": "target_normal"},
    {"method": "penetration_lines", "max_penetration": 0.1},
)
_BENT = np.array([[-2.0, -2.0, 0.0], [3.0, -2.0, 0.0], [-2.0, 3.0, 0.0], [0.0, 0.0, -1.0]])
_TETRAHEDRON = np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])


class Case(NamedTuple):
    """Two surfaces and poses (rotation, position) that follow each other."""

    e: pc.Surface
    f: pc.Surface
    poses: list[tuple[Array, Array]]


def _path(position: tuple[float, float, float], n: int = 3, tilt: float = 0.0) -> list[tuple[Array, Array]]:
    """Close poses, so that candidates and last hits are used again."""
    return [
        (rotation((1.0, 2.0, 0.5), tilt + 2e-4 * k), np.array(position) + 1e-4 * k * np.array([1.0, 0.5, 0.2]))
        for k in range(n)
    ]


def cases() -> dict[str, Case]:
    """The small scenes by name."""
    shapes = pc.shapes
    ball = shapes.sphere(0.1, 2)
    prism = shapes.extrude(
        [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)],
        0.5,
        divisions=1,
        holes=[[(0.0, 0.0), (0.2, 0.0), (0.2, 0.2), (0.0, 0.2)]],
    )
    legs = pc.Surface(*_two_feet())
    return {
        "balls": Case(ball, ball, _path((0.17, 0.02, 0.01), 8, 0.3)),
        "aligned boxes": Case(shapes.box(0.2, 2), shapes.box(0.2, 2), _path((0.1, 0.0, 0.19), 2)),
        "ball on a sheet": Case(shapes.plane(0.6, 4), ball, _path((0.25, 0.05, 0.08), 2, 0.1)),
        "hole in a triangle": Case(pc.Surface(_BENT, _TETRAHEDRON), prism, _path((-0.5, -0.5, -0.02), 1)),
        "feet on a triangle": Case(pc.Surface(_BENT, _TETRAHEDRON), legs, _path((-0.5, -0.5, -0.02), 1)),
        "one inside the other": Case(shapes.box(1.0), shapes.sphere(0.1, 1), _path((0.1, 0.0, 0.0), 1)),
        "apart": Case(ball, ball, _path((5.0, 0.0, 0.0), 1)),
    }


def _two_feet() -> tuple[Array, NDArray[np.int64]]:
    """Two boxes that are one surface of two components."""
    box = pc.shapes.box((0.1, 0.1, 0.4))
    apart = np.array([0.3, 0.1, 0.0])
    vertices = np.vstack((box.vertices, box.vertices + apart)) + np.array([0.0, 0.0, 0.2])
    return vertices, np.vstack((box.triangles, box.triangles + len(box.vertices)))


def labels() -> list[tuple[str, pc.Base, int]]:
    """Scene, base and number of the kind of geometry of every case."""
    return list(itertools.product(cases(), (pc.Base.E, pc.Base.F, pc.Base.BOTH), range(len(_GEOMETRY))))


def evaluate(name: str, base: pc.Base, geometry: int) -> tuple[Array, list[int]]:
    """Numbers of all poses of a case, one after the other, and counts that must be the same to the last."""
    case = cases()[name]
    numbers: list[Array] = []
    counts: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        pair = pc.ContactPairing(case.e, case.f, base=base, **_LAW, **_GEOMETRY[geometry])
        for R, r in case.poses:
            result = pair.evaluate(
                pc.RelativeKinematics(
                    rotation=R, position=r, velocity=(0.1, -0.2, 0.3), angular_velocity=(1.0, 0.5, -0.3)
                )
            )
            table = result.elements
            numbers += [result.force, result.torque, table.pressure, table.depth, table.area, table.slip.ravel()]
            numbers.append(np.array([result.volume]))
            numbers += [loop.ravel() for loops in result.outlines for loop in loops]
            s = result.statistics
            counts += [result.status.value, s.bv_checks, s.triangle_checks, s.lines, s.line_checks, s.elements]
            counts += [*s.cut_triangles, *s.inner_triangles, s.tree_searches, len(result.patches), len(result.polygons)]
    return np.concatenate(numbers), counts
