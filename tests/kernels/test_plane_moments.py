"""Moments of plane regions and the three points that integrate quadratics over them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from polycontact.kernels.contact.plane_moments import (
    divide_region,
    linear_through,
    region_within,
    roundness,
    three_points,
    triangle_region,
    value_at,
)
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles

REFERENCE = ((0.0, 0.0), (1.0, 0.0), (0.5, 0.5 * np.sqrt(3.0)))


@kernel
def _describe(edges: Doubles, first: int, n: int, out: Doubles) -> None:
    region = region_within(edges, first, n)
    out[0], out[1], out[2] = region.area, region.x, region.y
    out[3], out[4], out[5] = region.xx, region.xy, region.yy
    points = three_points(region)
    for k in range(3):
        out[6 + 2 * k], out[7 + 2 * k] = points[k]
    out[12] = roundness(region)
    values = (1.0, -2.0, 0.5)
    linear = linear_through(region, values)
    for k in range(3):
        out[13 + k] = value_at(linear, points[k]) - values[k]


@kernel
def _describe_triangle(corners: tuple[tuple[float, float], ...], out: Doubles) -> None:
    points = three_points(triangle_region(corners))
    for k in range(3):
        out[2 * k], out[2 * k + 1] = points[k]


@kernel
def _divide(edges: Doubles, n: int, x: float, y: float, dx: float, dy: float) -> tuple[int, int]:
    return divide_region(edges, 0, n, (x, y), (dx, dy))


def border(points: np.ndarray) -> np.ndarray:
    """Directed edges around a polygon, with room for its parts."""
    edges = np.zeros((16 * len(points), 5))
    edges[: len(points), :2] = points
    edges[: len(points), 2:4] = np.roll(points, -1, axis=0)
    return edges


def convex(rng: np.random.Generator) -> np.ndarray:
    points = rng.normal(size=(rng.integers(3, 9), 2)) * rng.uniform(0.01, 3.0, size=2) + rng.normal(size=2)
    return points[ConvexHull(points).vertices]


def integral(points: np.ndarray, power: tuple[int, int]) -> float:
    """∫ x^i y^j over a polygon, by Gauss points on the triangles of a fan."""
    g, w = np.polynomial.legendre.leggauss(6)
    g, w = 0.5 * (g + 1.0), 0.5 * w
    total = 0.0
    for a, b in pairwise(points[1:]):
        u, v = a - points[0], b - points[0]
        for s, ws in zip(g, w, strict=True):
            for t, wt in zip(g, w, strict=True):
                x, y = points[0] + s * ((1 - t) * u + t * v)
                total += ws * wt * s * (u[0] * v[1] - u[1] * v[0]) * x ** power[0] * y ** power[1]
    return total


@pytest.mark.parametrize("seed", range(25))
def test_three_points_integrate_quadratics_inside_convex_regions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = convex(rng)
    out = np.zeros(16)
    _describe(border(points), 0, len(points), out)
    area = integral(points, (0, 0))
    assert out[0] == pytest.approx(area, rel=1e-10)
    samples = out[6:12].reshape(3, 2)
    for power in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2)):
        mean = (samples[:, 0] ** power[0] * samples[:, 1] ** power[1]).mean()
        scale = np.abs(points).max() ** sum(power)
        assert mean == pytest.approx(integral(points, power) / area, abs=1e-9 * scale)
    for p in samples:
        ahead = np.roll(points, -1, axis=0) - points
        side = ahead[:, 0] * (p - points)[:, 1] - ahead[:, 1] * (p - points)[:, 0]
        assert side.min() > -1e-12  # inside (Kannan, Lovász and Simonovits)
    assert 0.82 < out[12] <= 1.0  # a triangle has 0.827, the least of convex regions
    assert out[13:16] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_points_of_triangles_keep_away_from_their_sides() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        corners = rng.normal(size=(3, 2))
        if np.linalg.det(corners[1:] - corners[0]) < 0.0:
            corners = corners[::-1]
        out = np.zeros(6)
        _describe_triangle(tuple(map(tuple, corners)), out)
        for p in out.reshape(3, 2):
            share = np.linalg.solve(np.vstack((corners.T, np.ones(3))), [*p, 1.0])
            assert share.min() > 0.12  # towards corners 1/6; midpoints of sides have 0
    out = np.zeros(6)
    _describe_triangle(REFERENCE, out)
    share = [np.linalg.solve(np.vstack((np.transpose(REFERENCE), np.ones(3))), [*p, 1.0]) for p in out.reshape(3, 2)]
    assert np.array(share) == pytest.approx(np.full((3, 3), 1 / 6) + 0.5 * np.eye(3), abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_parts_add_up(seed: int) -> None:
    """Two loops and a hole, divided by a line: area and first moments of the parts are those of the whole."""
    rng = np.random.default_rng(seed)
    loops = [convex(rng), convex(rng) + 50.0]
    hole = (loops[0].mean(axis=0) + 0.2 * (loops[0] - loops[0].mean(axis=0)))[::-1]
    parts = [border(loop)[: len(loop)] for loop in (*loops, hole)]
    n = sum(map(len, parts))
    edges = np.zeros((8 * n, 5))
    edges[:n] = np.vstack(parts)
    whole, left, right = np.zeros(16), np.zeros(16), np.zeros(16)
    _describe(edges, 0, n, whole)
    angle = rng.uniform(0.0, np.pi)
    n_left, n_right = _divide(edges, n, *loops[0].mean(axis=0), np.cos(angle), np.sin(angle))
    _describe(edges, n, n_left, left)
    _describe(edges, n + n_left, n_right, right)
    assert left[0] > 0.0
    assert right[0] > 0.0
    assert left[0] + right[0] == pytest.approx(whole[0], rel=1e-12)
    assert left[0] * left[1:3] + right[0] * right[1:3] == pytest.approx(whole[0] * whole[1:3], rel=1e-9)
    assert whole[12] < 0.8  # scattered
