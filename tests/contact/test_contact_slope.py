"""Derivatives of the wrench from the elements of one evaluation, against central differences of evaluations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.contact.methods import PenetrationLines, PolygonalMethod
from scenes import random_rotation

Array = NDArray[np.float64]

SIZE = 0.1
STIFFNESS, DAMPING = 1e8, 1e4
ELASTIC = pc.LayerLaw(stiffness=STIFFNESS)
DAMPED = pc.LayerLaw(stiffness=STIFFNESS, damping=DAMPING, transition_depth=1e-4)
RUBS = pc.RegularisedCoulomb(coefficient=0.4, velocity=0.01)
STICKS = pc.laws.StickFriction(coefficient=0.4, stiffness=1e9)
SCALE = np.array([1.0, 1.0, 1.0, 1.0 / SIZE, 1.0 / SIZE, 1.0 / SIZE])
"""Makes torques and rotations comparable with forces and ways."""


def shapes(kind: str) -> tuple[Any, Any, Any]:
    """Two bodies, and where F is put by a random number generator."""
    if kind == "balls":
        ball = pc.shapes.sphere(SIZE, 3)
        return ball, ball, lambda rng: (2.0 * SIZE - 0.004) * unit(rng)
    if kind == "boxes":
        box = pc.shapes.box((SIZE, SIZE, SIZE))
        return box, box, lambda rng: 1.1 * SIZE * unit(rng)
    rings = pc.shapes.torus(SIZE, 0.03)
    return rings, rings, lambda rng: np.array([0.147, 0.0, 0.0]) + 0.01 * rng.normal(size=3)


def unit(rng: np.random.Generator) -> Array:
    """A random direction."""
    way = rng.normal(size=3)
    return np.asarray(way / np.linalg.norm(way))


def misfit(found: Array, right: Array) -> float:
    """Difference of two derivatives (6, 6), relative to their size."""
    weights = SCALE[:, None] * SCALE[None, :]
    return float(np.linalg.norm((found - right) * weights) / np.linalg.norm(right * weights))


def misfits(kind: str, n: int, **options: Any) -> Array:
    """Misfits of pose and of velocity, and how far the derivative by the pose is from symmetric, over random poses."""
    e, f, place = shapes(kind)
    pairing = pc.ContactPairing(e, f, **options)
    rng = np.random.default_rng(7)
    rows = []
    while len(rows) < n:
        motion = random_rotation(rng), place(rng), 0.1 * rng.normal(size=3), 0.5 * rng.normal(size=3)
        wrench = pairing.wrench(*motion)
        if not np.linalg.norm(wrench) > 1.0:
            continue
        found, right = (pairing.wrench_derivative(*motion, differences=each) for each in (False, True))
        # Second derivatives of the potential, but that rotations do not commute, which the torque feels.
        K = found[:, :6].copy()
        K[3:, 3:] += 0.5 * skew(wrench[3:])
        K *= SCALE[:, None] * SCALE[None, :]
        velocity = 0.0 if not np.abs(right[:, 6:]).any() else misfit(found[:, 6:], right[:, 6:])
        rows.append((misfit(found[:, :6], right[:, :6]), velocity, np.linalg.norm(K - K.T) / np.linalg.norm(K)))
    return np.array(rows)


def skew(a: Array) -> Array:
    """Matrix of the cross product with a."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@pytest.mark.parametrize("base", list(pc.Base))
@pytest.mark.parametrize("kind", ["balls", "boxes"])
def test_slope_of_elastic_forces(kind: str, base: pc.Base) -> None:
    """As accurate as the force, whose tolerance is 5e-3; where few elements bear, one sample of each bends more."""
    pose, _, symmetry = misfits(kind, 6, base=base, law=ELASTIC).T
    assert np.median(pose) < 5e-3
    assert pose.max() < 3e-2
    assert symmetry.max() < 3e-2


def test_slope_of_exact_elements() -> None:
    """Where all elements are integrated exactly, so is their slope, but for the rounding of differences (1e-6)."""
    exact = PolygonalMethod(tolerance=1e-6, base=pc.Base.F)
    assert misfits("boxes", 4, method=exact, law=ELASTIC)[:, 0].max() < 2e-5


@pytest.mark.parametrize("friction", [RUBS, STICKS], ids=["rubs", "sticks"])
def test_slope_with_damping_and_friction(friction: Any) -> None:
    """By velocities it is that of the law; by the pose it leaves out what little area comes and goes, and inclines."""
    pose, velocity, _ = misfits("boxes", 5, base=pc.Base.E, law=DAMPED, friction=friction).T
    assert velocity.max() < 1e-5  # central differences see the law's own curvature
    assert np.median(pose) < 0.03
    assert pose.max() < 0.2


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F])
@pytest.mark.parametrize("depth", ["base_normal", "target_normal"])
def test_slope_of_depths_along_normals(depth: str, base: pc.Base) -> None:
    """Triangles taken whole: between the poses where one more counts, what a line finds has no other derivative.

    The quarter: differences of smooth normals of the target from its facets, which weigh elements on flanks.
    """
    method = PolygonalMethod(depth=depth, elements="whole", base=base)
    pose, velocity, _ = misfits("balls", 8, method=method, law=DAMPED).T
    assert velocity.max() < 1e-5
    assert np.median(pose) < 0.02
    assert pose.max() < 0.25


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F])
def test_slope_of_penetration_lines(base: pc.Base) -> None:
    """They take whole triangles; some come and go within the step of the differences."""
    method = PenetrationLines(max_penetration=0.05, base=base)
    pose, _, _ = misfits("balls", 8, method=method, law=ELASTIC).T
    assert np.median(pose) < 0.02


def test_no_contact_has_no_slope() -> None:
    ball = pc.shapes.sphere(SIZE, 2)
    pairing = pc.ContactPairing(ball, ball, law=DAMPED)
    np.testing.assert_array_equal(pairing.wrench_derivative(np.eye(3), (0.3, 0.0, 0.0)), np.zeros((6, 12)))


def test_an_evaluation_after_a_slope_is_as_before() -> None:
    """The elements are moved for the slope and put back: the wrench beside it has the same bits."""
    ball = pc.shapes.sphere(SIZE, 3)
    pairing = pc.ContactPairing(ball, ball, law=DAMPED, friction=STICKS)
    motion = np.eye(3), (0.19, 0.01, 0.0), (0.1, 0.0, 0.02), (0.0, 0.5, 0.0)
    before = pairing.wrench(*motion)
    pairing.wrench_derivative(*motion)
    np.testing.assert_array_equal(pairing.wrench(*motion), before)


@pytest.mark.slow
@pytest.mark.parametrize("base", list(pc.Base))
@pytest.mark.parametrize("kind", ["balls", "boxes", "rings"])
def test_slope_at_many_poses(kind: str, base: pc.Base) -> None:
    """Also of rings, which touch in several places with facets as large as the contact."""
    pose, _, symmetry = misfits(kind, 250, base=base, law=ELASTIC).T
    assert np.median(pose) < 0.02
    assert np.quantile(pose, 0.99) < 0.15
    assert np.median(symmetry) < 0.03
