"""Conforming pairs with large faces, rings, strips, pieces of a triangle, and brushes of legs, with both bases.

The default integration against sums over ever smaller triangles, and against closed forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from fine_sums import fine_sums
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import polycontact as pc

Array = NDArray[np.float64]
STIFFNESS = 1e7
LAW = pc.LayerLaw(stiffness=STIFFNESS)
TOLERANCE = 5e-3
"""Of the method by default: a share of ∫ p dA."""
BASES = [pc.Base.E, pc.Base.F]
Pose = tuple[Array, Array]
"""Rotation and position (m) of F in E."""


def circle(radius: float, n: int) -> Array:
    angle = 2.0 * np.pi * np.arange(n) / n
    return np.column_stack((radius * np.cos(angle), radius * np.sin(angle)))


def star(outer: float, inner: float, points: int) -> Array:
    return circle(1.0, 2 * points) * np.where(np.arange(2 * points) % 2 == 0, outer, inner)[:, None]


def brush(n: int, width: float = 0.01) -> pc.Surface:
    """n × n square legs of a ``width`` (m) whose feet are in z = 0, 30 mm apart."""
    leg = pc.shapes.box((width, width, 0.05))
    places = 0.03 * (np.arange(n) - 0.5 * (n - 1))
    shifts = [(x, y, 0.025) for x in places for y in places]
    vertices = np.concatenate([leg.vertices + shift for shift in shifts])
    return pc.Surface(vertices, np.concatenate([leg.triangles + 8 * k for k in range(len(shifts))]))


def turned(*angles: float) -> Array:
    return np.asarray(Rotation.from_rotvec(angles).as_matrix())


def near(rng: np.random.Generator, place: tuple[float, float, float], shift: float, turn: float) -> Pose:
    """A pose about ``place``, up to ``shift`` (m) and ``turn`` (rad) off in each direction."""
    return turned(*rng.uniform(-turn, turn, 3)), np.array(place) + rng.uniform(-shift, shift, 3)


def pegs() -> tuple[pc.Surface, pc.Surface]:
    """A peg of 64 sides and radius 100 mm, and a hole of 48 sides that is too narrow by 0.5 mm."""
    return pc.shapes.extrude(circle(0.1, 64), 0.1), pc.shapes.extrude(circle(0.16, 24), 0.2, holes=[circle(0.0995, 48)])


def stars() -> tuple[pc.Surface, pc.Surface]:
    hole = pc.shapes.extrude(circle(0.15, 20), 0.15, holes=[star(0.0995, 0.0597, 7)])
    return pc.shapes.extrude(star(0.1, 0.06, 7), 0.08), hole


def angle_bar() -> pc.Surface:
    corners = 0.05 * np.array([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]], dtype=float)
    return pc.shapes.extrude(corners, 0.2)


def pairs() -> Iterator[tuple[str, pc.Surface, pc.Surface, Pose]]:
    rng = np.random.default_rng(4)
    peg, hole = pegs()
    star_peg, star_hole = stars()
    tube = pc.shapes.extrude(circle(0.1, 6), 0.4, holes=[circle(0.08, 6)])
    roller = pc.shapes.cylinder(0.02, 0.012, segments=48, rings=1).transformed(rotation=turned(0.0, np.pi / 2, 0.0))
    cube, bar = pc.shapes.box((0.1, 0.1, 0.1)), angle_bar()
    bubble = pc.shapes.bubble_with(950)
    for k in range(2):
        yield f"peg in hole {k}", peg, hole, near(rng, (0.0, 0.0, 0.05), 3e-4, 2e-3)
        yield f"star in hole {k}", star_peg, star_hole, near(rng, (0.0, 0.0, 0.04), 3e-4, 2e-3)
        yield f"box in tube {k}", pc.shapes.box((0.1, 0.12, 0.1)), tube, near(rng, (0.0, 0.02, -0.2), 1e-3, 0.1)
    for n in (1, 3):
        yield f"{n * n} legs", brush(n), pc.shapes.box((0.6, 0.6, 0.1)), near(rng, (0.011, 0.005, -0.0495), 1e-4, 1e-3)
    yield (
        "roller on narrow rail",
        roller,
        pc.shapes.box((0.01, 0.2, 0.05)),
        (np.eye(3), np.array((0.0, 0.003, -0.0445))),
    )
    yield "roller on wide rail", roller, pc.shapes.box((0.016, 0.2, 0.05)), (np.eye(3), np.array((0.0, 0.003, -0.0445)))
    yield "cubes at a corner", cube, cube, (turned(0.3, 0.2, 0.1), np.array((0.08, 0.07, 0.06)))
    yield "cube on an edge", cube, cube, (turned(0.0, np.pi / 4, 0.0), np.array((0.0, 0.03, 0.11)))
    place = np.array((0.045, 0.045, 0.1))
    yield "ball in an angle bar", pc.shapes.sphere(0.04, 2), bar, (np.eye(3), -place)
    turn = turned(0.2, 0.3, 0.1)
    yield "cube in an angle bar", pc.shapes.box((0.04, 0.04, 0.04)), bar, (turn, -turn @ place)
    yield "bubble in a waist", bubble, bubble, (turned(0.0, 0.0, np.pi / 2), np.array((0.12, 0.0, 0.0)))


PAIRS = {name: rest for name, *rest in pairs()}
QUICK = ("roller on narrow rail", "9 legs", "cube in an angle bar", "cube on an edge")
"""Those whose sums take a part of a second."""
CASES = [
    pytest.param(name, base, marks=() if name in QUICK else pytest.mark.slow, id=f"{name}, {base.value}")
    for name in PAIRS
    for base in BASES
]


@pytest.mark.parametrize(("name", "base"), CASES)
def test_force_is_within_the_tolerance(name: str, base: pc.Base) -> None:
    e, f, (R, r) = PAIRS[name]
    moved = f.transformed(rotation=R, position=r)
    sums = fine_sums(e, moved) if base is pc.Base.E else fine_sums(moved, e)
    sign = 1.0 if base is pc.Base.E else -1.0
    force = sign * STIFFNESS * sums.force
    torque = sign * STIFFNESS * sums.torque - np.cross(r, force)
    found = pc.ContactPairing(e, f, law=LAW, base=base).evaluate(pc.RelativeKinematics(rotation=R, position=r))
    load = STIFFNESS * sums.load
    # What the sums themselves miss is below a thousandth.
    bound = (TOLERANCE + 1e-3) * load
    elements = found.elements
    assert abs((elements.area * elements.pressure).sum() - load) < bound
    assert np.linalg.norm(found.force - force) < bound
    lever = max(np.linalg.norm(elements.position - r, axis=1).max(), 1e-3)
    assert np.linalg.norm(found.torque - torque) < bound * lever
    assert found.integration_error < TOLERANCE
    deepest = max(float(-moved.closest_points(elements.base_point).distances.min()), 0.0)
    if base is pc.Base.F:
        deepest = max(float(-e.closest_points(elements.base_point).distances.min()), 0.0)
    # No mean is above the greatest depth: a sample that stands for a region lies in it.
    assert elements.depth.max() < 1.01 * deepest + 1e-6


@pytest.mark.parametrize("u", [1e-4, 2e-3])
@pytest.mark.parametrize(("n", "divisions"), [(1, 1), (1, (15, 15, 1)), (4, 1), (12, 1), (12, (15, 15, 1))])
def test_legs_flat_on_a_plate(n: int, divisions: int | tuple[int, int, int], u: float) -> None:
    """The depth under a square foot of side a is at most the distance to its rim: c (a³ - (a - 2u)³)/6 a leg."""
    a = 0.01
    plate = pc.shapes.box((0.6, 0.6, 0.1), divisions)
    pose = pc.RelativeKinematics(position=(0.011, 0.0053, u - 0.05))
    found = pc.ContactPairing(brush(n, a), plate, law=LAW, base=pc.Base.F).evaluate(pose)
    expected = n * n * STIFFNESS * (a**3 - (a - 2.0 * u) ** 3) / 6.0
    np.testing.assert_allclose(found.force, (0.0, 0.0, expected), rtol=0.0, atol=TOLERANCE * expected)
    # A leg has a few elements of its own, not hundreds.
    assert len(found.elements) < 50 + 40 * n * n


def moving(shape: Callable[[], pc.Surface], through: float) -> tuple[Array, Array]:
    """Forces of a shape in a cube, a billionth of its size (m) on either side of where a face passes a plane."""
    cube, small = pc.shapes.box((0.1, 0.1, 0.1)), shape()
    pair = pc.ContactPairing(small, cube, law=LAW, base=pc.Base.E)
    near_plane = [pair.wrench(np.eye(3), (through + s, 0.003, 0.002))[:3].copy() for s in (-1e-12, 1e-12)]
    return near_plane[0], near_plane[1]


@pytest.mark.parametrize("divisions", [1, 4, 8])
def test_no_jump_where_faces_pass_each_other(divisions: int) -> None:
    """A face of the base passes through the plane of a face of the target: the force is the same on both sides."""
    before, after = moving(lambda: pc.shapes.box((0.06, 0.06, 0.06), divisions), 0.02)
    # 1e-6 of the force over 1e-9 of the size; here the step is 2e-11 of it.
    assert np.linalg.norm(after - before) < 1e-6 * np.linalg.norm(before)
    assert np.linalg.norm(before) > 1.0
