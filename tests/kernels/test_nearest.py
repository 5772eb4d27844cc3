"""Nearest triangles and signed distances, against all triangles at once and against solid angles."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc
from polycontact.kernels.geometry.nearest import (
    foot_on,
    near_at,
    search_nearest,
    signed_offset,
)
from polycontact.kernels.geometry.vectors import triangle
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import JIT_IS_OFF, Doubles, Ints, Longs

SURFACES = {
    "ball": pc.shapes.sphere(0.1, 2),
    "box": pc.shapes.box((0.2, 0.15, 0.1), (2, 1, 3)),
    "torus": pc.shapes.torus(0.1, 0.04),
    "plate": pc.shapes.plate_with_hole((0.3, 0.3), 0.05, 0.06),
    "cone": pc.shapes.cone(0.1, 0.2),
}

pytestmark = pytest.mark.skipif(JIT_IS_OFF, reason="thousands of points take minutes as plain Python")


@kernel
def _ask_all(
    mesh: object, points: Doubles, guesses: Longs, stack: Ints, found: Longs, depths: Doubles, least: Doubles
) -> None:
    for k in range(len(points)):
        p = (points[k, 0], points[k, 1], points[k, 2])
        near = search_nearest(mesh, p, near_at(mesh, p, guesses[k]), stack)
        found[k] = near.triangle
        depths[k] = signed_offset(mesh, p, near).depth
        least[k] = 1e300
        for s in range(mesh.n_triangles):
            least[k] = min(least[k], foot_on(triangle(mesh.corners, s), p).square)


def winding_numbers(surface: pc.Surface, points: np.ndarray) -> np.ndarray:
    """How often a closed surface winds around points: solid angles (van Oosterom and Strackee 1983) over 4π."""
    a, b, c = (surface.vertices[surface.triangles[:, i]][None] - points[:, None] for i in range(3))
    la, lb, lc = (np.linalg.norm(each, axis=2) for each in (a, b, c))
    triple = np.einsum("pti,pti->pt", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("pti,pti->pt", x, y) for x, y in ((a, b), (b, c), (c, a)))
    return 2.0 * np.arctan2(triple, la * lb * lc + ab * lc + bc * la + ca * lb).sum(axis=1) / (4.0 * np.pi)


@pytest.mark.parametrize("name", SURFACES)
def test_nearest_of_all_with_its_sign(name: str) -> None:
    surface = SURFACES[name]
    data = surface.contact_data
    rng = np.random.default_rng(1)
    low, high = surface.bounds
    points = low + (high - low) * rng.uniform(-0.1, 1.1, size=(400, 3))
    n = len(points)
    guesses = rng.integers(len(data.areas), size=n)
    found, depths, least = np.zeros(n, np.int64), np.zeros(n), np.zeros(n)
    _ask_all(data.view, points, guesses, np.zeros((256, 6), np.int32), found, depths, least)
    assert np.array_equal(depths**2 <= least * (1 + 1e-14), np.ones(n, bool))  # none is nearer, to rounding
    again = np.zeros(n, np.int64)
    _ask_all(data.view, points, guesses[::-1].copy(), np.zeros((256, 6), np.int32), again, depths, least)
    assert np.array_equal(found, again)  # wherever the search begins
    inside = winding_numbers(surface, points) > 0.5
    certain = np.abs(depths) > 1e-9
    assert np.array_equal(depths[certain] > 0.0, inside[certain])
    assert 20 < inside.sum() < n
