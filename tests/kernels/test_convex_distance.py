"""Signed distances of convex shapes: closed forms, coal, and bounds that hold whoever found them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import polycontact as pc
from polycontact.kernels.views import JIT_IS_OFF
from scenes import Tally, random_rotation
from tools.convex_peers import KINDS, POSES, Coal, Pair, pairing_of, random_pair, way_out

pytestmark = pytest.mark.skipif(JIT_IS_OFF, reason="thousands of directions take minutes as plain Python")

PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))
ROUNDING = 1e-14
"""Some tens of roundings, in units of the size."""
PROMISED = 1e-6
"""What is promised of a distance, in units of the size."""


def measure(e: object, f: object, r: object, R: object = None) -> pc.contact.Distance:
    R = np.eye(3) if R is None else R
    return pairing_of(Pair(e, f, np.asarray(R, dtype=float), np.asarray(r, dtype=float))).distance(R, r)


def assert_consistent(pair: Pair, found: pc.contact.Distance) -> None:
    """The points lie the distance apart along the normal, and no nearer plane lies between: both bounds."""
    n = found.normal
    assert abs(np.linalg.norm(n) - 1.0) < ROUNDING
    np.testing.assert_allclose(found.point_f - found.point_e, found.distance * n, rtol=0, atol=1e-11 * pair.size)
    # The way out along the normal, by formulas that share nothing with the kernels.
    assert abs(way_out(pair, n[None])[0] + found.distance) < ROUNDING * 10 * pair.size


@pytest.mark.parametrize("slender", [False, True])
def test_random_pairs_against_coal(slender: bool) -> None:
    """Hundreds of pairs of all kinds, apart, grazing, shallow, deep, coincident; needles and plates too."""
    pytest.importorskip("coal")
    coal = Coal()
    rng = np.random.default_rng(7 + slender)
    directions = rng.normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    same, overlaps = Tally(), Tally()
    for e, f in PAIRS:
        for pose in POSES * 2:
            pair = random_pair(e, f, pose, rng, slender=slender)
            found = pairing_of(pair).distance(pair.R, pair.r)
            assert_consistent(pair, found)
            overlaps.note(found.distance < 0.0)
            # No sampled direction leads out on a shorter way.
            assert way_out(pair, directions).min() > -found.distance - PROMISED * pair.size
            other, _ = coal.ask(pair)
            difference = (found.distance - other) / pair.size
            same.note(abs(difference) < PROMISED)
            if abs(difference) >= PROMISED and math.isfinite(other):
                # coal is known to miss the shortest way out of some ellipsoids and cylinders; then ours is shorter.
                assert found.distance < 0.0, (pair, found, other)
                assert difference > 0.0 or way_out(pair, directions).min() > -found.distance, (pair, found, other)
    same.assert_share(0.93)
    overlaps.assert_share(0.3)


@pytest.mark.parametrize("distance", [0.3, 1e-9, -1e-9, -0.05, -0.19])
def test_balls(distance: float) -> None:
    n = np.array([0.36, 0.48, 0.8])
    found = measure(pc.convex.Sphere(0.1), pc.convex.Sphere(0.25), (0.35 + distance) * n, random_rotation_of(3))
    assert found.distance == pytest.approx(distance, abs=1e-16)
    np.testing.assert_allclose(found.normal, n, atol=1e-15)
    np.testing.assert_allclose(found.point_e, 0.1 * n, atol=1e-16)


def random_rotation_of(seed: int) -> np.ndarray:
    return random_rotation(np.random.default_rng(seed))


def test_coincident_balls() -> None:
    found = measure(pc.convex.Sphere(0.1), pc.convex.Sphere(0.2), (0.0, 0.0, 0.0))
    assert found.distance == pytest.approx(-0.3, abs=1e-16)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0)


def test_crossing_capsules() -> None:
    """Their cores cross in a point: the difference is flat, the way out is across both."""
    R = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    found = measure(pc.convex.Capsule(0.1, 1.0), pc.convex.Capsule(0.2, 1.0), (0.0, 0.1, 0.05), R)
    assert found.distance == pytest.approx(-0.3, abs=1e-15)
    np.testing.assert_allclose(np.abs(found.normal), (1.0, 0.0, 0.0), atol=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_ball_at_an_ellipsoid_is_a_root(seed: int) -> None:
    """The foot of a point on an ellipsoid: x_i = a_i² p_i / (a_i² + t), with t the root of the secular equation."""
    from scipy.optimize import brentq

    rng = np.random.default_rng(seed)
    axes = rng.uniform(0.05, 1.0, size=3)
    p = rng.normal(size=3)
    p *= rng.uniform(1.2, 3.0) / np.linalg.norm(p / axes)
    t = brentq(lambda t: np.sum((axes * p / (axes**2 + t)) ** 2) - 1.0, 0.0, 100.0, xtol=1e-16)
    foot = axes**2 * p / (axes**2 + t)
    found = measure(pc.convex.Ellipsoid(axes), pc.convex.Sphere(0.01), p)
    # The root is known to some 1e-15, and so is what follows from it.
    assert found.distance == pytest.approx(np.linalg.norm(p - foot) - 0.01, abs=1e-13)
    np.testing.assert_allclose(found.point_e, foot, atol=1e-12)


@pytest.mark.parametrize(("radius", "length"), [(0.4, 0.7), (0.9, 0.3), (0.25, 0.9)])
def test_ball_in_the_axis_of_a_cone(radius: float, length: float) -> None:
    """All ways out to the slope are equally short: a whole ring of them."""
    found = measure(pc.convex.Cone(radius, length), pc.convex.Sphere(0.3), (0.0, 0.0, length / 2))
    slope = radius * (length / 2) / math.hypot(radius, length)
    assert found.distance == pytest.approx(-0.3 - min(slope, length / 2), abs=1e-15)


def test_parallel_boxes() -> None:
    e, f = pc.convex.Box((1.0, 2.0, 3.0)), pc.convex.Box((0.4, 0.4, 0.4))
    assert measure(e, f, (0.9, 0.1, -0.2)).distance == pytest.approx(0.2, abs=1e-15)
    assert measure(e, f, (0.6, 0.1, -0.2)).distance == pytest.approx(-0.1, abs=1e-15)
    corner = measure(e, f, (0.8, 1.3, 1.8))
    assert corner.distance == pytest.approx(0.1 * math.sqrt(3.0), abs=1e-15)
    np.testing.assert_allclose(corner.normal, np.full(3, math.sqrt(1 / 3)), atol=1e-14)


@pytest.mark.parametrize("depth", [-0.02, 1e-4, 0.02])
def test_cap_of_a_cylinder_against_a_ball(depth: float) -> None:
    """The direction is the axis, to rounding, wherever on the cap the ball is."""
    found = measure(pc.convex.Cylinder(0.3, 0.5), pc.convex.Ellipsoid((0.1, 0.1, 0.1)), (0.12, -0.2, 0.35 - depth))
    assert found.distance == pytest.approx(-depth, abs=1e-15)
    np.testing.assert_allclose(found.normal, (0.0, 0.0, 1.0), atol=1e-15)
    np.testing.assert_allclose(found.point_e, (0.12, -0.2, 0.25), atol=1e-14)


def test_side_by_side_cylinders() -> None:
    """Lines that touch along their length: the distance is that of the axes, whichever point is told."""
    found = measure(pc.convex.Cylinder(0.3, 1.0), pc.convex.Cylinder(0.2, 0.6), (0.3, 0.39, 0.1))
    assert found.distance == pytest.approx(math.hypot(0.3, 0.39) - 0.5, abs=1e-12)
    np.testing.assert_allclose(found.normal[2], 0.0, atol=1e-9)


def test_normals_change_smoothly() -> None:
    """Where pieces are smooth the normal is known to rounding: its differences along a path are those of a curve."""
    egg = pc.convex.Ellipsoid((0.3, 0.2, 0.1))
    pairing = pairing_of(Pair(egg, pc.convex.Cylinder(0.1, 0.4), np.eye(3), np.zeros(3)))
    R = random_rotation_of(5)
    steps = np.linspace(0.0, 1e-3, 41)
    normals = np.array([pairing.distance(R, (0.1 + s, 0.2, 0.12)).normal for s in steps])
    bends = np.linalg.norm(normals[2:] - 2 * normals[1:-1] + normals[:-2], axis=1)
    # A curvature of some 10/m² over steps of 25 µm gives 1e-8; noise of the distance's accuracy would give 1e-4.
    assert bends.max() < 1e-7


def test_same_bits_whatever_was_asked_before() -> None:
    rng = np.random.default_rng(4)
    pairs = [random_pair("ellipsoid", "cone", pose, rng) for pose in POSES]
    pairing = pairing_of(pairs[0])
    first = [pairing.distance(pair.R, pair.r).distance for pair in pairs]
    again = [pairing.distance(pair.R, pair.r).distance for pair in reversed(pairs)]
    assert first == again[::-1]


def test_large_meshes_climb() -> None:
    """A ball of 2,562 vertices against a plate: the lowest vertex, found along edges, is that of all."""
    ball = pc.shapes.sphere(0.1, 4)
    pairing = pairing_of(Pair(pc.convex.Box((1.0, 1.0, 0.1)), pc.convex.ConvexMesh(ball), np.eye(3), np.zeros(3)))
    for seed in range(20):
        R = random_rotation_of(seed)
        lowest = (ball.vertices @ R.T)[:, 2].min()
        assert pairing.distance(R, (0.0, 0.0, 0.2)).distance == pytest.approx(0.15 + lowest, abs=1e-15)
