"""Meshes divided into finer ones of the same body: compared with the finer meshes that shapes make of themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import SurfaceError


def test_a_ball_becomes_a_finer_ball() -> None:
    ball = pc.shapes.sphere(0.1, 3)
    finer = ball.subdivided()
    assert finer.n_triangles == 4 * ball.n_triangles
    distance = np.abs(np.linalg.norm(finer.vertices, axis=1) - 0.1)
    assert distance.max() < 2e-6  # m; normals are those of a ball to about the fourth power of the edge over R
    smooth = 4.0 / 3.0 * math.pi * 0.1**3
    lacks = [1.0 - each.volume / smooth for each in (ball, finer, ball.subdivided(2))]
    assert lacks[0] / lacks[1] == pytest.approx(4.0, rel=0.02)
    assert lacks[1] / lacks[2] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("rings", [1, None])
def test_a_cylinder_gets_rounder_within_its_caps(rings: int | None) -> None:
    finer = pc.shapes.cylinder(0.05, 0.1, segments=24, rings=rings).subdivided()
    own = pc.shapes.cylinder(0.05, 0.1, segments=48)
    assert finer.volume == pytest.approx(own.volume, rel=1e-4)
    assert np.abs(finer.vertices[:, 2]).max() == pytest.approx(0.05, abs=1e-12)
    assert np.hypot(*finer.vertices.T[:2]).max() == pytest.approx(0.05, rel=1e-4)


def test_a_torus_has_the_volume_of_its_finer_mesh() -> None:
    finer = pc.shapes.torus(0.1, 0.04).subdivided()
    own = pc.shapes.torus(0.1, 0.04, 96, 48)
    smooth = 2.0 * math.pi**2 * 0.1 * 0.04**2
    assert 1.0 - finer.volume / smooth == pytest.approx(1.0 - own.volume / smooth, rel=0.02)


def test_flat_faces_and_open_borders_stay() -> None:
    box = pc.shapes.box((0.1, 0.2, 0.3))
    assert box.subdivided(2).n_triangles == 16 * box.n_triangles
    assert box.subdivided(2).volume == pytest.approx(box.volume, rel=1e-12)
    plane = pc.shapes.plane(1.0).subdivided()
    assert np.all(plane.vertices[:, 2] == 0.0)
    assert plane.areas.sum() == pytest.approx(1.0)


def test_a_finer_balanced_mesh_is_nearer_to_the_body() -> None:
    finer = pc.shapes.sphere(0.1, 2).subdivided().balanced()
    assert finer.volume == pytest.approx(4.0 / 3.0 * math.pi * 0.1**3, rel=1e-3)


def test_what_cannot_be_divided_is_told() -> None:
    ball = pc.shapes.sphere(0.1)
    with pytest.raises(SurfaceError, match="it is balanced, so that its vertices lie outside the body"):
        ball.balanced().subdivided()
    for times in (-1, 7, 1.0, True):
        with pytest.raises(SurfaceError, match="give a whole number from 0 to 6"):
            ball.subdivided(times)  # type: ignore[arg-type]
    assert ball.subdivided(0) is ball
