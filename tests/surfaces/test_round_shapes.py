"""Round shapes and surfaces of revolution: true to their equation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polycontact.surfaces import shapes
from polycontact.tolerances import EPS

PI = math.pi


def test_sphere_vertices_lie_on_it() -> None:
    ball = shapes.sphere(0.25, 4)
    assert ball.n_triangles == 20 * 4**4
    np.testing.assert_allclose(np.linalg.norm(ball.vertices, axis=1), 0.25, rtol=8 * EPS)
    assert (np.einsum("ij,ij->i", ball.normals, ball.barycentres) > 0).all()


def test_ellipsoid_vertices_lie_on_it() -> None:
    semi_axes = np.array([1.0, 2.0, 0.5])
    points = shapes.ellipsoid(semi_axes).vertices / semi_axes
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, rtol=8 * EPS)


def test_torus_vertices_lie_on_it() -> None:
    x, y, z = shapes.torus(2.0, 0.5, 20, 11).vertices.T
    np.testing.assert_allclose(np.hypot(np.hypot(x, y) - 2.0, z), 0.5, rtol=1e-14)


def test_capsule_vertices_lie_on_it() -> None:
    points = shapes.capsule(0.2, 0.6).vertices.copy()
    points[:, 2] -= np.clip(points[:, 2], -0.3, 0.3)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.2, rtol=1e-14)


def test_cylinder_vertices_lie_on_it() -> None:
    x, y, z = shapes.cylinder(0.5, 2.0, rings=7, cap_rings=5).vertices.T
    on_wall = np.abs(z) < 1.0
    np.testing.assert_allclose(np.hypot(x, y)[on_wall], 0.5, rtol=1e-15)
    assert on_wall.sum() == 6 * 48
    assert set(np.abs(z[~on_wall])) == {1.0}
    assert np.hypot(x, y).max() <= 0.5 * (1 + 4 * EPS)


def test_cone_points_down_from_its_base() -> None:
    cone = shapes.cone(0.5, 2.0)
    x, y, z = cone.vertices.T
    side = z < 2.0
    np.testing.assert_allclose(np.hypot(x, y)[side], 0.25 * z[side], rtol=1e-14)
    assert (cone.vertices[0] == 0.0).all()
    np.testing.assert_allclose(cone.bounds[1, 2], 2.0)


def test_spherical_cup_hollow_lies_on_the_sphere() -> None:
    cup = shapes.spherical_cup(0.1, segments=36)
    radius = np.linalg.norm(cup.vertices, axis=1)
    hollow = np.flatnonzero(radius < 0.1 * (1 + 1e-9))
    np.testing.assert_allclose(radius[hollow], 0.1, rtol=1e-14)
    of_hollow = np.isin(cup.triangles, hollow).all(axis=1)
    inward = np.einsum("ij,ij->i", cup.normals[of_hollow], cup.barycentres[of_hollow])
    assert (inward < 0).all(), "normals of the hollow point to its centre"
    assert cup.areas[of_hollow].sum() == pytest.approx(2 * PI * 0.01, rel=0.01)
    np.testing.assert_allclose(cup.bounds[:, 2], (-0.15, 0.0), atol=1e-16)


@pytest.mark.parametrize("n_rings", range(1, 30))
def test_caps_never_fold(n_rings: int) -> None:
    disc = shapes.disc(1.0, segments=2 * n_rings + 1, rings=n_rings)
    assert (disc.normals[:, 2] > 0.999).all()
    n = 2 * n_rings + 1
    assert disc.areas.sum() == pytest.approx(0.5 * n * math.sin(2 * PI / n), rel=1e-12)


def test_revolve_closes_poles_and_turns_outward() -> None:
    profile = np.array([(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)])
    up, down = shapes.revolve(profile, 24), shapes.revolve(profile[::-1], 24)
    assert up.volume == pytest.approx(down.volume, rel=1e-14)
    assert up.volume > 0
    area_of_24_gon = 12 * math.sin(2 * PI / 24)
    assert up.volume == pytest.approx(area_of_24_gon / 3.0, rel=1e-14)


@pytest.mark.parametrize(("axis", "column"), [("x", 0), ("y", 1), ("z", 2)])
def test_revolve_about_each_axis(axis: str, column: int) -> None:
    profile = np.array([(0.0, 1.0), (2.0, 1.0)])
    tube = shapes.revolve(profile, 12, axis)
    radial = np.delete(tube.vertices, column, axis=1)
    np.testing.assert_allclose(np.linalg.norm(radial, axis=1), 1.0, rtol=1e-15)
    outward = np.delete(tube.barycentres, column, axis=1) * np.delete(tube.normals, column, axis=1)
    assert (outward.sum(axis=1) > 0).all()
    inside_out = shapes.revolve(profile[::-1], 12, axis)
    assert inside_out.volume == pytest.approx(-tube.volume, rel=1e-14)
