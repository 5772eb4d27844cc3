"""Potentials of triangles in closed form against quadrature, and the factor of a matrix against NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from polycontact.kernels.contact.half_space_factor import factorise, solve_with_factor
from polycontact.kernels.contact.triangle_potential import own_potential, potential_of_triangle

Array = NDArray[np.float64]

TRIANGLES = {
    "even": ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.75**0.5, 0.0)),
    "right": ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0)),
    "thin": ((0.0, 0.0, 0.0), (3.0, 0.0, 0.0), (2.0, 0.1, 0.0)),
}


def divided(triangle: Array, times: int) -> Array:
    """The triangle in 4^times alike."""
    parts = triangle[None]
    for _ in range(times):
        a, b, c = parts[:, 0], parts[:, 1], parts[:, 2]
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        corners = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        parts = np.concatenate([np.stack(each, axis=1) for each in corners])
    return parts


def area(triangle: Array) -> float:
    return 0.5 * float(np.linalg.norm(np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])))


def potential(triangle: Array, point: Array) -> float:
    normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
    normal /= np.linalg.norm(normal)
    corners = tuple(tuple(corner) for corner in triangle.tolist())
    return float(potential_of_triangle(corners, tuple(normal.tolist()), tuple(point.tolist())))


@pytest.mark.parametrize("name", TRIANGLES)
def test_potential_against_quadrature(name: str) -> None:
    triangle = np.array(TRIANGLES[name])
    middles = divided(triangle, 6).mean(axis=1)
    weight = area(triangle) / len(middles)
    for point in ((2.0, 1.5, 0.0), (-0.7, -0.2, 0.0), (0.4, 0.3, 0.6), (0.4, 0.3, -0.6), (4.0, 0.0, 0.1)):
        by_points = weight * float((1.0 / np.linalg.norm(middles - np.array(point), axis=1)).sum())
        # Midpoints of 4,096 parts: second order in an edge of a 64th.
        assert potential(triangle, np.array(point)) == pytest.approx(by_points, rel=3e-4)


def test_potential_on_the_triangle() -> None:
    """In the middle of an even triangle 6 d arsinh √3, d from its edges; at corners and on edges it is finite."""
    even = np.array(TRIANGLES["even"])
    d = 0.5 / math.sqrt(3.0)
    assert potential(even, even.mean(axis=0)) == pytest.approx(6.0 * d * math.asinh(math.sqrt(3.0)), rel=1e-14)
    # From a corner its height subtends 30° to both sides: h ∫ dφ/cos φ.
    height = math.sqrt(0.75)
    assert potential(even, even[0]) == pytest.approx(2.0 * height * math.asinh(math.tan(math.pi / 6.0)), rel=1e-12)
    on_edge = potential(even, 0.5 * (even[0] + even[1]))
    beside = potential(even, 0.5 * (even[0] + even[1]) + np.array([0.0, -1e-9, 0.0]))
    assert on_edge == pytest.approx(beside, rel=1e-6)
    above = potential(even, even.mean(axis=0) + np.array([0.0, 0.0, 1e-9]))
    assert above == pytest.approx(potential(even, even.mean(axis=0)), rel=1e-7)


@pytest.mark.parametrize("name", TRIANGLES)
def test_own_potential_against_quadrature(name: str) -> None:
    triangle = np.array(TRIANGLES[name])
    middles = divided(triangle, 5).mean(axis=1)
    mean = float(np.mean([potential(triangle, point) for point in middles])) / area(triangle)
    corners = tuple(tuple(corner) for corner in triangle.tolist())
    assert own_potential(corners) == pytest.approx(mean, rel=2e-3)  # the slope is infinite at the edges


@pytest.mark.parametrize("n", [1, 3, 4, 5, 8, 31])
def test_factor_against_numpy(n: int) -> None:
    draw = np.random.default_rng(n)
    half = draw.normal(size=(n, n))
    matrix = half @ half.T + np.eye(n)
    wanted = draw.normal(size=n)
    right = matrix @ wanted
    u = matrix.copy().reshape(-1)
    assert factorise(u, n)
    assert np.triu(u.reshape(n, n)) == pytest.approx(np.linalg.cholesky(matrix).T, rel=1e-10, abs=1e-10)
    solve_with_factor(u, n, right)
    assert right == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_a_matrix_that_is_not_definite_is_told() -> None:
    matrix = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).reshape(-1)
    assert not factorise(matrix, 3)
