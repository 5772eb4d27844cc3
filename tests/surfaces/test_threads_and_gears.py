"""Bolts, nuts and gears: their dimensions, that they fit, and what other libraries make of their meshes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.surfaces import shapes

Array = NDArray[np.float64]
PITCH = 1.5e-3
SOLIDS = {
    "bolt": lambda: shapes.threaded_bolt(0.01, PITCH, 0.02),
    "nut": lambda: shapes.threaded_nut(0.01, PITCH, clearance=1e-4, segments=60),
    "gear": lambda: shapes.spur_gear(0.002, 20, 0.01, backlash=5e-5, divisions=4),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_other_libraries_find_a_sound_solid(name: str) -> None:
    """trimesh: closed, of one orientation, the same mass properties; manifold3d: a manifold, the same volume."""
    trimesh = pytest.importorskip("trimesh")
    manifold3d = pytest.importorskip("manifold3d")
    surface = SOLIDS[name]()
    mesh = trimesh.Trimesh(surface.vertices, surface.triangles, process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    mesh.density = 7850.0
    own = surface.mass_properties(7850.0)
    assert own.mass == pytest.approx(mesh.mass, rel=1e-9)
    np.testing.assert_allclose(own.centre, mesh.center_mass, atol=1e-9 * surface.size)
    np.testing.assert_allclose(own.inertia, mesh.moment_inertia, atol=1e-7 * np.abs(own.inertia).max())
    solid = manifold3d.Manifold(
        manifold3d.Mesh64(surface.vertices.copy(), np.ascontiguousarray(surface.triangles, dtype=np.uint64))
    )
    assert solid.status() == manifold3d.Error.NoError
    assert solid.volume() == pytest.approx(surface.volume, rel=1e-9)
    assert pc.check_surface(surface).ok  # no self-intersections


def at_angle(vertices: Array, turns: float) -> Array:
    """Radius and height (n, 2) of the vertices on the half-plane at a part of a turn about z."""
    x, y, z = vertices.T
    near = np.abs((np.arctan2(y, x) / (2.0 * math.pi) - turns + 0.5) % 1.0 - 0.5) < 1e-9
    return np.stack((np.hypot(x, y), z), axis=1)[near]


def test_bolt_has_the_dimensions_of_an_m10() -> None:
    """ISO 68-1: 10 mm over the crests, 10 - 1.0825 P = 8.376 mm over the roots, half of a crest at the start."""
    bolt = shapes.threaded_bolt(0.01, PITCH, 0.02)
    low, high = bolt.bounds
    assert high[2] == 0.02
    assert low[2] == pytest.approx(-0.0064)
    on_column = at_angle(bolt.vertices, 0.25)
    thread = on_column[(on_column[:, 1] > 1e-6) & (on_column[:, 1] < 0.02 - 1e-6)]
    assert thread[:, 0].max() == pytest.approx(0.005, rel=1e-12)
    assert 2.0 * thread[:, 0].min() == pytest.approx(0.01 - 1.0825 * PITCH, rel=1e-4)
    crests = thread[thread[:, 0] > 0.005 - 1e-9, 1]
    roots = thread[thread[:, 0] < thread[:, 0].min() + 1e-9, 1]
    # A quarter of a turn on, everything is a quarter of the pitch higher: right-handed.
    assert np.abs((crests / PITCH - 0.25 + 0.5) % 1.0 - 0.5) == pytest.approx(1.0 / 16.0, abs=1e-9)
    assert np.abs((roots / PITCH - 0.75 + 0.5) % 1.0 - 0.5) == pytest.approx(1.0 / 8.0, abs=1e-9)
    head = bolt.vertices[bolt.vertices[:, 2] < -1e-3]
    flats = np.abs(head[:, :2] @ np.array([math.cos(math.pi / 6), math.sin(math.pi / 6)])).max()
    assert 2.0 * flats == pytest.approx(0.016, rel=1e-9)


def test_nut_is_wider_by_its_clearance() -> None:
    bolt, nut = shapes.threaded_bolt(0.01, PITCH, 0.012), shapes.threaded_nut(0.01, PITCH, 0.012, clearance=1e-4)
    for turns in (0.0, 0.125, 0.625):
        rows = [at_angle(surface.vertices, turns) for surface in (bolt, nut)]
        inner, outer = (rows_[(rows_[:, 0] > 0.004) & (rows_[:, 0] < 0.0052)] for rows_ in rows)
        inner, outer = (each[(each[:, 1] > 1e-9) & (each[:, 1] < 0.012 - 1e-9)] for each in (inner, outer))
        inner, outer = (each[np.argsort(each[:, 1])] for each in (inner, outer))
        np.testing.assert_allclose(outer - inner, np.tile([1e-4, 0.0], (len(inner), 1)), atol=1e-12)


def test_gear_has_involute_teeth() -> None:
    """Radii of ISO 53, and the thickness s = π m / 2 on the pitch circle, less the backlash."""
    gear = shapes.spur_gear(0.002, 24, 0.01, backlash=1e-4, flank_edges=64, divisions=1)
    radius = np.hypot(*gear.vertices[:, :2].T)
    assert radius.max() == pytest.approx(0.026, rel=1e-12)
    angle = np.arctan2(gear.vertices[:, 1], gear.vertices[:, 0])
    wall = np.unique(gear.triangles[np.abs(gear.normals[:, 2]) < 0.1])
    tooth = (np.abs(angle) < math.pi / 24) & (radius > 0.0226) & (gear.vertices[:, 2] > 0.0)
    flank = tooth & (angle > 0.0) & np.isin(np.arange(len(angle)), wall)
    order = np.argsort(radius[flank])
    at_pitch = np.interp(0.024, radius[flank][order], angle[flank][order])
    assert 2.0 * 0.024 * at_pitch == pytest.approx(0.5 * math.pi * 0.002 - 1e-4, rel=1e-4)
    # Normals of an involute touch the base circle: the moment arm of a flank's normal is the base radius.
    base = 0.024 * math.cos(math.radians(20.0))
    normals, centres = gear.normals, gear.barycentres
    reach = np.hypot(*centres[:, :2].T)
    on_flank = (reach > 0.0235) & (reach < 0.0255) & (np.abs(normals[:, 2]) < 0.1)
    arm = np.abs(centres[:, 0] * normals[:, 1] - centres[:, 1] * normals[:, 0])[on_flank]
    assert len(arm) > 1000
    np.testing.assert_allclose(arm[arm > 0.5 * base], base, rtol=2e-3)
    np.testing.assert_allclose(gear.bounds[:, 2], [-0.005, 0.005], atol=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: shapes.threaded_bolt(0.01, PITCH, 0.02, segments=50), "multiple of 6"),
        (lambda: shapes.threaded_bolt(0.01, 0.006, 0.02), "pitch"),
        (lambda: shapes.threaded_bolt(0.01, PITCH, 0.001), "length"),
        (lambda: shapes.threaded_bolt(0.01, PITCH, 1e3), "triangles"),
        (lambda: shapes.threaded_bolt(0.01, PITCH, 0.02, across_flats=0.01), "across_flats"),
        (lambda: shapes.threaded_nut(0.01, PITCH, clearance=-1e-4), "clearance"),
        (lambda: shapes.threaded_nut(0.01, PITCH, clearance=0.01), "across_flats"),
        (lambda: shapes.spur_gear(0.002, 12, 0.01), "teeth"),
        (lambda: shapes.spur_gear(0.002, 20, 0.01, bore=0.02), "bore"),
        (lambda: shapes.spur_gear(0.002, 20, 0.01, pressure_angle=0.6, backlash=9e-4), "pointed"),
        (lambda: shapes.spur_gear(0.002, 20, 0.0), "width"),
    ],
)
def test_bad_arguments_are_named(make: object, message: str) -> None:
    with pytest.raises(pc.SurfaceError, match=message):
        make()  # type: ignore[operator]
