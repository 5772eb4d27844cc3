"""Nearest points and rays of surfaces, against brute force by another program and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

import polycontact as pc

SURFACES = {
    "sphere": pc.shapes.sphere(0.1, 2),
    "torus": pc.shapes.torus(0.1, 0.04),
    "box": pc.shapes.box((0.2, 0.15, 0.1), (2, 1, 3)),
    "sheet": pc.shapes.plane(0.3, 4),
}


@pytest.mark.parametrize("name", SURFACES)
def test_nearest_points_are_those_of_trimesh(name: str) -> None:
    surface = SURFACES[name]
    points = np.random.default_rng(1).uniform(-0.2, 0.2, size=(100, 3))
    found = surface.closest_points(points)
    corners = surface.vertices[surface.triangles]
    all_feet = np.stack([trimesh.triangles.closest_point(corners, np.tile(p, (len(corners), 1))) for p in points])
    distance = np.linalg.norm(all_feet - points[:, None], axis=2)
    np.testing.assert_allclose(np.abs(found.distances), distance.min(axis=1), rtol=1e-9)
    rows = np.arange(len(points))
    np.testing.assert_allclose(found.points, all_feet[rows, found.triangles], atol=1e-12)
    assert (distance[rows, found.triangles] <= distance.min(axis=1) + 1e-12).all()
    assert len(found) == len(points)


def test_signs_tell_inside_from_outside() -> None:
    points = np.random.default_rng(2).uniform(-0.16, 0.16, size=(500, 3))
    in_box = SURFACES["box"].closest_points(points).distances < 0.0
    assert np.array_equal(in_box, (np.abs(points) < (0.1, 0.075, 0.05)).all(axis=1))
    ring = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.1, points[:, 2])
    clear = np.abs(ring - 0.04) > 4e-3  # of facets
    torus = SURFACES["torus"].closest_points(points).distances
    assert np.array_equal((torus < 0.0)[clear], (ring < 0.04)[clear])
    assert 30 < in_box.sum() < 450
    assert (SURFACES["sheet"].closest_points(points).distances >= 0.0).all()
    assert SURFACES["box"].flipped().closest_points([(0.0, 0.0, 0.0)]).distances[0] == pytest.approx(0.05)


def first_hits(surface: pc.Surface, origins: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Distances by Möller and Trumbore (1997), every ray against every triangle; infinite where there is none."""
    a, b, c = (surface.vertices[surface.triangles[:, i]] for i in range(3))
    found = np.full(len(origins), np.inf)
    for i, (o, d) in enumerate(zip(origins, directions, strict=True)):
        p = np.cross(d, c - a)
        determinant = np.einsum("ij,ij->i", b - a, p)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.einsum("ij,ij->i", o - a, p) / determinant
            q = np.cross(o - a, b - a)
            v = q @ d / determinant
            t = np.einsum("ij,ij->i", c - a, q) / determinant
            inside = (u >= -1e-12) & (v >= -1e-12) & (u + v <= 1.0 + 1e-12) & (t >= 0.0)
        found[i] = t[inside].min(initial=np.inf)
    return found


@pytest.mark.parametrize("name", SURFACES)
def test_rays_meet_what_brute_force_meets(name: str) -> None:
    surface = SURFACES[name]
    rng = np.random.default_rng(3)
    origins = rng.uniform(-0.3, 0.3, size=(200, 3))
    directions = rng.uniform(-0.1, 0.1, size=(200, 3)) - origins
    directions[0] = (0.0, 0.0, -1.0)
    found = surface.rays(origins, 7.0 * directions)
    unit = directions / np.linalg.norm(directions, axis=1)[:, None]
    expected = first_hits(surface, origins, unit)
    np.testing.assert_allclose(found.distances, expected, rtol=1e-9)
    assert np.array_equal(found.hit, np.isfinite(expected))
    assert 20 < found.hit.sum() < 200
    assert (found.triangles[~found.hit] == -1).all()
    assert np.isnan(found.points[~found.hit]).all()
    np.testing.assert_allclose(surface.closest_points(found.points[found.hit]).distances, 0.0, atol=1e-12)


def test_no_ray_passes_between_triangles() -> None:
    """From the centre of a ball to its vertices and the middles of its edges, where triangles meet."""
    ball = SURFACES["sphere"]
    middles = ball.vertices[ball.half_edges.edges].mean(axis=1)
    aims = np.vstack((ball.vertices, middles))
    found = ball.rays(np.zeros_like(aims), aims)
    assert found.hit.all()
    np.testing.assert_allclose(found.distances, np.linalg.norm(aims, axis=1), rtol=1e-12)


def test_rays_along_the_axes_and_from_the_surface() -> None:
    box = SURFACES["box"]
    found = box.rays(
        [(0, 0, 1), (0, 0, 0), (0.03, 0.01, 0.05), (0.5, 0, 1)], [(0, 0, -2), (1, 0, 0), (0, 0, 1), (0, 0, -1)]
    )
    np.testing.assert_allclose(found.distances, (0.95, 0.1, 0.0, math.inf), atol=1e-15)


def test_nothing_is_asked() -> None:
    assert len(SURFACES["box"].closest_points(np.zeros((0, 3)))) == 0
    assert len(SURFACES["box"].rays(np.zeros((0, 3)), np.zeros((0, 3)))) == 0


@pytest.mark.parametrize(
    ("points", "told"),
    [
        (np.zeros(3), r"points have shape \(3,\); expected \(n, 3\)"),
        (np.zeros((2, 2)), r"points have shape \(2, 2\)"),
        ([[0.0, math.nan, 0.0]], r"row 0 of points is \[0.0, nan, 0.0\]; give finite numbers"),
        ([[0.0, 0.0, 0.0], [1e200, 0.0, 0.0]], "row 1 of points"),
        ("here", "points are not an array of numbers"),
        (None, "points"),
    ],
)
def test_bad_points_are_refused(points: object, told: str) -> None:
    with pytest.raises(pc.SurfaceError, match=told):
        SURFACES["box"].closest_points(points)


def test_bad_rays_are_refused() -> None:
    box = SURFACES["box"]
    with pytest.raises(pc.SurfaceError, match="2 origins and 1 directions; give as many of both"):
        box.rays(np.zeros((2, 3)), np.ones((1, 3)))
    with pytest.raises(pc.SurfaceError, match=r"direction 1 is \[0.0, 0.0, 0.0\]; give vectors that are not 0"):
        box.rays(np.zeros((2, 3)), [[1, 0, 0], [0, 0, 0]])
    with pytest.raises(pc.SurfaceError, match="row 0 of directions"):
        box.rays(np.zeros((1, 3)), [[math.inf, 0, 0]])
