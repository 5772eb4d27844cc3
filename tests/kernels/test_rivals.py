"""The nearest triangle by lists of rivals: the same as by comparing all, whatever was asked before."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc
from polycontact.kernels.geometry.nearest import foot_on, near_at
from polycontact.kernels.geometry.rivals import Rivals, find_core, find_nearest, look_over_core
from polycontact.kernels.geometry.vectors import triangle
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import JIT_IS_OFF, Doubles, Ints, Longs

SURFACES = {
    "ball": pc.shapes.sphere(0.1, 3),
    "box": pc.shapes.box((0.2, 0.15, 0.1), (4, 3, 2)),
    "torus": pc.shapes.torus(0.1, 0.04),
    "plate": pc.shapes.plate_with_hole((0.3, 0.3), 0.01, 0.06),
    "cone": pc.shapes.cone(0.1, 0.2),
    "bubble": pc.shapes.bubble(),
    "thread": pc.shapes.threaded_bolt(0.01, 1.5e-3, 0.0045),
    "far from its origin": pc.shapes.torus(0.1, 0.04).transformed(position=(30.0, -50.0, 20.0)),
    "needles": pc.shapes.cone(1e-3, 1.0, rings=1, cap_rings=1),
    "open": pc.shapes.container(),
}

pytestmark = pytest.mark.skipif(JIT_IS_OFF, reason="thousands of points take minutes as plain Python")


@kernel
def _find_all(
    mesh: object,
    rivals: object,
    points: Doubles,
    guesses: Longs,
    stack: Ints,
    found: Longs,
    certain: Longs,
    cores: Longs,
) -> None:
    for k in range(len(points)):
        p = (points[k, 0], points[k, 1], points[k, 2])
        cores[k] = find_core(mesh, rivals, guesses[k], p).triangle
        near = find_nearest(mesh, rivals, p, near_at(mesh, p, guesses[k]), stack)
        found[k] = near.triangle
        certain[k] = look_over_core(mesh, rivals, near.triangle, p).certain


@kernel
def _compare_all(mesh: object, points: Doubles, found: Longs, squares: Doubles) -> None:
    for k in range(len(points)):
        p = (points[k, 0], points[k, 1], points[k, 2])
        least = np.inf
        for s in range(mesh.n_triangles):
            square = foot_on(triangle(mesh.corners, s), p).square
            if square < least:
                least = square
                found[k] = s
        squares[k] = least


def near_points(surface: pc.Surface, rng: np.random.Generator, n: int) -> np.ndarray:
    """Points on both sides of a surface, up to a few edges from it; every tenth exactly at an edge or a vertex."""
    data = surface.contact_data
    t = rng.integers(len(data.areas), size=n)
    weights = rng.dirichlet((1.0, 1.0, 1.0), size=n)
    weights[::10] = (0.5, 0.5, 0.0)
    weights[5::20] = (1.0, 0.0, 0.0)
    at = np.einsum("ki,kij->kj", weights, data.corners[t].reshape(-1, 3, 3))
    away = 3.0 * data.mean_edge * rng.random(n) ** 2 * rng.choice((-1.0, 1.0), size=n)
    return np.ascontiguousarray(at + away[:, None] * data.normals[t])


@pytest.mark.parametrize("name", SURFACES)
def test_rivals_are_all_that_can_be_nearer(name: str) -> None:
    surface = SURFACES[name]
    mesh = surface.contact_data.view
    rng = np.random.default_rng(4)
    stack = np.zeros((256, 6), np.int32)
    rivals = Rivals()
    rivals.reserve(n=2 * mesh.n_triangles, n_triangles=mesh.n_triangles)
    right, found, certain, cores = (np.zeros(600, np.int64) for _ in range(4))
    squares = np.zeros(600)
    settled = 0
    for _ in range(8):  # lists are made the second time they are needed, and made anew for greater distances
        points = near_points(surface, rng, 600)
        _compare_all(mesh, points, right, squares)
        guesses = rng.integers(mesh.n_triangles, size=600)
        guesses[::2] = np.maximum(mesh.neighbours[right[::2], 0], 0)  # a way over cores begins close by
        _find_all(mesh, rivals, points, guesses, stack, found, certain, cores)
        off = squares > 1e-24  # for those on the surface, to rounding, any triangle at that distance is right
        assert np.array_equal(found[off], right[off])
        over = off & (cores >= 0)
        assert np.array_equal(cores[over], right[over])
        settled = certain.mean()
    # Many points lie over cores by then; fewest where walls are thinner than the points are deep.
    assert settled > 0.02
    for _ in range(2):  # then with the lists of these points
        _find_all(mesh, rivals, points, guesses, stack, found, certain, cores)
    assert np.array_equal(cores[off & (cores >= 0)], right[off & (cores >= 0)])
    # Where a way begins next to the right triangle it ends there, if that has a core; a few go round a corner.
    assert (cores >= 0)[::2].sum() > 0.6 * certain[::2].sum()
    assert (rivals.reach > 0.0).any()


def test_flat_faces_have_no_rivals_beside_them() -> None:
    surface = pc.shapes.box((0.4, 0.4, 0.4), (8, 8, 8))
    data = surface.contact_data
    mesh = data.view
    rivals = Rivals()
    rivals.reserve(n=2 * mesh.n_triangles, n_triangles=mesh.n_triangles)
    middle = np.flatnonzero((np.abs(data.barycentres[:, :2]).max(axis=1) < 0.1) & (data.normals[:, 2] > 0.5))
    points = data.barycentres[middle] - 0.01 * data.normals[middle]
    found, certain, cores = (np.zeros(len(points), np.int64) for _ in range(3))
    for _ in range(2):
        _find_all(mesh, rivals, points, middle.astype(np.int64), np.zeros((256, 6), np.int32), found, certain, cores)
    assert np.array_equal(found, middle)
    assert certain.all()
    assert not rivals.length[2 * middle].any()


@pytest.mark.parametrize("name", ["thread", "torus"])
def test_shallow_points_of_a_saddle_lie_over_cores(name: str) -> None:
    """Where neighbours' planes cut through a triangle, only their distance tells that they are not nearer: 0.92 of the
    points lie over cores by that, 0.58 to 0.65 by planes alone."""
    data = SURFACES[name].contact_data
    mesh = data.view
    rng = np.random.default_rng(0)
    rivals = Rivals()
    rivals.reserve(n=2 * mesh.n_triangles, n_triangles=mesh.n_triangles)
    n = 5_000
    right, found, certain, cores = (np.zeros(n, np.int64) for _ in range(4))
    for _ in range(6):
        t = rng.integers(mesh.n_triangles, size=n)
        at = np.einsum("ki,kij->kj", rng.dirichlet((1.0, 1.0, 1.0), size=n), data.corners[t].reshape(-1, 3, 3))
        points = np.ascontiguousarray(at - 0.01 * data.mean_edge * data.normals[t])
        _find_all(mesh, rivals, points, t, np.zeros((256, 6), np.int32), found, certain, cores)
    _compare_all(mesh, points, right, np.zeros(n))
    assert np.array_equal(found, right)
    assert certain.mean() > 0.85
