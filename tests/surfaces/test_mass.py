"""Mass properties: closed forms, an independent program, invariance under rigid motion, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces import shapes
from polycontact.surfaces.mass import MassProperties, mass_properties
from polycontact.surfaces.surface import Surface
from scenes import examples


def test_box() -> None:
    a, b, c = 1.0, 2.0, 3.0
    properties = mass_properties(shapes.box((a, b, c), (2, 1, 3)), 500.0)
    mass = 500.0 * a * b * c
    assert properties.mass == pytest.approx(mass, rel=1e-14)
    assert properties.volume == pytest.approx(6.0, rel=1e-14)
    np.testing.assert_allclose(properties.centre, 0.0, atol=1e-15)
    expected = mass / 12 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2])
    np.testing.assert_allclose(properties.inertia, expected, rtol=1e-13, atol=1e-11)


def test_corner_tetrahedron() -> None:
    # Unit tetrahedron at the origin: centre 1/4, about the origin Ixx = 2/60 and Ixy = -1/120 (density 1).
    surface = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    properties = mass_properties(surface, 1.0)
    assert properties.volume == pytest.approx(1 / 6, rel=1e-15)
    np.testing.assert_allclose(properties.centre, 0.25, rtol=1e-15)
    about_origin = np.full((3, 3), -1 / 120) + np.eye(3) * (1 / 30 + 1 / 120)
    centre = np.full(3, 0.25)
    steiner = (centre @ centre * np.eye(3) - np.outer(centre, centre)) / 6
    np.testing.assert_allclose(properties.inertia, about_origin - steiner, rtol=1e-14)


def test_sphere_converges_with_second_order() -> None:
    errors = []
    for subdivisions in (3, 4, 5):
        properties = mass_properties(shapes.sphere(2.0, subdivisions), 3.0)
        exact = 0.4 * 3.0 * 4 / 3 * math.pi * 2.0**5
        np.testing.assert_allclose(properties.inertia, properties.inertia[0, 0] * np.eye(3), atol=1e-10)
        errors.append(exact - properties.inertia[0, 0])
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    assert math.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.02)


def test_solid_with_a_cavity() -> None:
    outer, inner = shapes.box(2.0), shapes.box(1.0).flipped()
    hollow = Surface(
        np.concatenate((outer.vertices, inner.vertices + 0.25)),
        np.concatenate((outer.triangles, inner.triangles + len(outer.vertices))),
    )
    properties = mass_properties(hollow, 1.0)
    assert properties.volume == pytest.approx(7.0, rel=1e-14)
    np.testing.assert_allclose(properties.centre, -0.25 / 7, rtol=1e-13)


@pytest.mark.parametrize(
    "surface",
    [
        shapes.bubble(),
        shapes.cone(0.3, 0.8),
        shapes.torus(1.0, 0.3),
        shapes.table(),
        shapes.horseshoe(),
        shapes.spherical_cup(0.2),
        shapes.plate_with_hole(1.0, 0.1, 0.2),
        shapes.ellipsoid((1.0, 2.0, 3.0)),
    ],
    ids=lambda surface: surface.name,
)
def test_agrees_with_trimesh(surface: Surface) -> None:
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(surface.vertices, surface.triangles, process=False)
    mesh.density = 7.8
    properties = surface.mass_properties(7.8)
    assert properties.volume == pytest.approx(mesh.volume, rel=1e-12)
    assert properties.mass == pytest.approx(mesh.mass, rel=1e-12)
    np.testing.assert_allclose(properties.centre, mesh.center_mass, atol=1e-12 * surface.size)
    np.testing.assert_allclose(
        properties.inertia, mesh.moment_inertia, atol=1e-10 * float(np.abs(properties.inertia).max())
    )


@settings(max_examples=examples(100), deadline=None)
@given(
    quaternion=st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: sum(x * x for x in q) > 0.01),
    position=st.tuples(*[st.floats(-100.0, 100.0)] * 3),
    density=st.floats(1e-3, 1e5),
)
def test_rigid_motion_moves_the_properties(
    quaternion: tuple[float, ...], position: tuple[float, ...], density: float
) -> None:
    rotation, shift = rotation_of(np.array(quaternion)), np.array(position)
    surface = shapes.cone(0.4, 1.0, segments=7).transformed(position=(0.3, -0.2, 0.1))
    at_home = mass_properties(surface, density)
    moved = mass_properties(surface.transformed(rotation, shift), density)
    # Coordinates up to 100 m are rounded to 1e-14 m, on a body of about 1 m.
    assert moved.mass == pytest.approx(at_home.mass, rel=1e-12)
    np.testing.assert_allclose(moved.centre, rotation @ at_home.centre + shift, atol=1e-12)
    turned = rotation @ at_home.inertia @ rotation.T
    np.testing.assert_allclose(moved.inertia, turned, atol=1e-12 * float(at_home.inertia.max()))


def test_far_from_the_origin_no_digits_are_lost() -> None:
    # Coordinates of this box are exact in binary also at 2**30 m, so only the integrals could lose digits.
    near = mass_properties(shapes.box((1.0, 2.0, 4.0), 4), 1.0)
    far = mass_properties(shapes.box((1.0, 2.0, 4.0), 4).transformed(position=(2.0**30, 2.0**30, -(2.0**30))), 1.0)
    np.testing.assert_allclose(far.inertia, near.inertia, rtol=1e-15, atol=1e-15)
    np.testing.assert_array_equal(far.centre, [2.0**30, 2.0**30, -(2.0**30)])


def test_scaling_of_length_and_density() -> None:
    surface = shapes.bubble()
    one, large = surface.mass_properties(1.0), surface.scaled(2.0).mass_properties(1.0)
    np.testing.assert_allclose(large.inertia, 2.0**5 * one.inertia, rtol=1e-13, atol=1e-18)
    dense = surface.mass_properties(250.0)
    assert dense.volume == one.volume
    np.testing.assert_allclose(dense.inertia, 250.0 * one.inertia, rtol=1e-14)


@pytest.mark.parametrize("surface", [shapes.box((3.0, 1.0, 2.0)), shapes.bubble(), shapes.sphere(1.0)], ids=str)
def test_principal_axes(surface: Surface) -> None:
    tilted = surface.transformed(rotation_of(np.array([0.3, 0.5, -0.2, 0.7])))
    properties = mass_properties(tilted, 10.0)
    moments, rotation = properties.principal()
    assert (np.diff(moments) >= 0).all()
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-14)
    assert np.linalg.det(rotation) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(
        rotation @ np.diag(moments) @ rotation.T, properties.inertia, atol=1e-13 * float(moments[2])
    )
    assert moments[0] + moments[1] >= moments[2], "no real body breaks the triangle inequality"


def test_principal_moments_of_a_box() -> None:
    moments, rotation = mass_properties(shapes.box((3.0, 1.0, 2.0)), 1.0).principal()
    np.testing.assert_allclose(moments, [2.5, 5.0, 6.5], rtol=1e-13)
    np.testing.assert_allclose(np.abs(rotation), [[1, 0, 0], [0, 0, 1], [0, 1, 0]], atol=1e-13)


def test_result_cannot_be_changed() -> None:
    properties = mass_properties(shapes.box(1.0), 1.0)
    assert isinstance(properties, MassProperties)
    with pytest.raises(ValueError, match="read-only"):
        properties.inertia[0, 0] = 1.0
    with pytest.raises(AttributeError):
        properties.mass = 2.0  # type: ignore[misc]


@pytest.mark.parametrize("density", [0.0, -1.0, math.nan, math.inf, "heavy", None])
def test_bad_density(density: object) -> None:
    with pytest.raises(SurfaceError, match="kg/m³"):
        mass_properties(shapes.box(1.0), density)  # type: ignore[arg-type]


def test_open_surface_is_refused() -> None:
    with pytest.raises(SurfaceError, match=r"open surface \(4 border edges\).*in the CAD program"):
        mass_properties(shapes.container(), 1.0)


def test_inward_surface_is_refused() -> None:
    with pytest.raises(SurfaceError, match=r"negative .*flipped"):
        mass_properties(shapes.sphere(1.0).flipped(), 1.0)


def test_surface_without_volume_is_refused() -> None:
    flat = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0.3]], [[0, 1, 2], [0, 2, 1]])
    with pytest.raises(SurfaceError, match="vanishes"):
        mass_properties(flat, 1.0)


def rotation_of(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
