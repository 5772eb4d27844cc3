"""One shape as mesh, convex, parametric and implicit geometry: same place, same size, same mass, or a clear refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.surfaces import shapes
from polycontact.surfaces.alternatives import GEOMETRIES, alternatives_of, geometry_of, has_own_mass, keys_of

SHAPES: dict[str, dict[str, Any]] = {
    "box": {"size": [0.1, 0.2, 0.3], "divisions": 2},
    "sphere": {"radius": 0.1, "subdivisions": 5},
    "ellipsoid": {"semi_axes": [0.1, 0.2, 0.3], "subdivisions": 5},
    "capsule": {"radius": 0.1, "length": 0.2, "segments": 240, "rings": 1},
    "cylinder": {"radius": 0.1, "length": 0.3, "segments": 240, "rings": 1, "cap_rings": 1},
    "cone": {"radius": 0.1, "height": 0.3, "segments": 240, "rings": 1, "cap_rings": 1},
    "plane": {"size": 1.0},
    "paraboloid": {"radii": [0.5, -2.0], "size": [1.0, 0.5]},
    "cosine_surface": {"amplitude": 0.1, "wavelength": 0.5},
    "spur_gear": {"module": 0.002, "teeth": 20, "width": 0.01},
    "extrude": {"polygon": [[0, 0], [1, 0], [0, 1]], "height": 0.5},
    "revolve": {"profile": [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]]},
}
EXPECTED = {
    "box": ("mesh", "convex", "implicit"),
    "sphere": GEOMETRIES,
    "ellipsoid": GEOMETRIES,
    "capsule": ("mesh", "convex"),
    "cylinder": ("mesh", "convex", "implicit"),
    "cone": ("mesh", "convex"),
    "plane": ("mesh", "parametric", "implicit"),
    "paraboloid": ("mesh", "parametric"),
    "cosine_surface": ("mesh", "parametric"),
    "spur_gear": ("mesh", "convex"),
    "extrude": ("mesh", "convex"),
    "revolve": ("mesh", "convex"),
    "torus": ("mesh",),
    "mesh": ("mesh", "convex"),
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_what_a_shape_can_be(kind: str) -> None:
    assert alternatives_of(kind) == EXPECTED[kind]


def test_every_shape_can_be_its_mesh() -> None:
    assert all("mesh" in alternatives_of(kind) for kind in (*shapes.__all__, "mesh"))


@pytest.mark.parametrize("kind", SHAPES)
def test_all_lie_in_the_same_place(kind: str) -> None:
    """Facets of 240 edges stay below round shapes by less than 1e-4 of the radius; boxes of formulas have margins."""
    mesh = geometry_of(kind, SHAPES[kind])
    assert isinstance(mesh, pc.Surface)
    for name in alternatives_of(kind)[1:]:
        other = geometry_of(kind, SHAPES[kind], name)
        size = np.linalg.norm(mesh.bounds[1] - mesh.bounds[0])
        if name == "implicit" and kind == "plane":  # a half-space reaches down
            np.testing.assert_array_equal(other.bounds[1], mesh.bounds[1])
        else:
            np.testing.assert_allclose(other.bounds, mesh.bounds, atol=1e-3 * size)
        np.testing.assert_allclose(other.picture.bounds, mesh.bounds, atol=5e-3 * size)


@pytest.mark.parametrize("kind", [kind for kind in SHAPES if kind not in ("plane", "paraboloid", "cosine_surface")])
def test_all_weigh_the_same(kind: str) -> None:
    """Round meshes miss less than 1e-3 of the volume; a box with rounded edges (exponent 20) misses 1.1 % of it."""
    mesh = geometry_of(kind, SHAPES[kind]).mass_properties(1000.0)
    for name in alternatives_of(kind)[1:]:
        other = geometry_of(kind, SHAPES[kind], name).mass_properties(1000.0)
        if not has_own_mass(kind, name):
            assert other.mass > 1.2 * mesh.mass
            continue
        rounded = name == "implicit" and kind in ("box", "cylinder")
        assert other.mass == pytest.approx(mesh.mass, rel=0.012 if rounded else 1e-3)
        np.testing.assert_allclose(other.inertia.diagonal(), mesh.inertia.diagonal(), rtol=0.03 if rounded else 2e-3)
        np.testing.assert_allclose(other.centre, mesh.centre, atol=1e-3)


def test_an_upright_cylinder_is_round_across_and_flat_at_its_ends() -> None:
    """Distances of a small ball along the axes and in between, where the section is a circle."""
    cylinder = geometry_of("cylinder", {"radius": 0.1, "length": 0.3}, "implicit")
    ball = geometry_of("sphere", {"radius": 0.05}, "implicit")
    pairing = pc.ContactPairing(
        cylinder, ball, method=pc.contact.ImplicitMethod(), law=pc.laws.SpringDamperLaw(stiffness=1.0)
    )
    for place, expected in [
        ((0.0, 0.0, 0.25), 0.05),
        ((0.2, 0.0, 0.0), 0.05),
        ((0.2 * np.cos(1.0), 0.2 * np.sin(1.0), 0.0), 0.05),
        ((0.02, 0.03, -0.22), 0.02),  # the end is flat: below 1e-9 m within a third of the radius at exponent 20
    ]:
        assert pairing.distance(np.eye(3), place).distance == pytest.approx(expected, abs=1e-8)


def test_axes_of_a_super_ellipsoid_take_turns() -> None:
    """The same body, turned: moments of inertia and pictures go along."""
    along_x = pc.implicit.SuperEllipsoid((0.3, 0.1, 0.2), exponent=8.0, cross_exponent=2.0)
    along_z = pc.implicit.SuperEllipsoid((0.1, 0.2, 0.3), exponent=8.0, cross_exponent=2.0, axis="z")
    x, z = (each.mass_properties(1000.0) for each in (along_x, along_z))
    assert z.mass == pytest.approx(x.mass, rel=1e-14)
    np.testing.assert_allclose(z.inertia.diagonal(), np.roll(x.inertia.diagonal(), -1), rtol=1e-14)
    picture = along_z.picture.mass_properties(1000.0)
    np.testing.assert_allclose(picture.inertia.diagonal(), z.inertia.diagonal(), rtol=0.02)
    with pytest.raises(pc.SurfaceError, match='axis is \'w\'; give "x", "y" or "z"'):
        pc.implicit.SuperEllipsoid((0.1, 0.1, 0.1), axis="w")


def test_rounded_edges_and_exponents_arrive() -> None:
    assert geometry_of("box", {"size": 0.2, "edge_radius": 0.01}, "convex").edge_radius == 0.01
    assert geometry_of("cone", {"radius": 0.1, "height": 0.3, "edge_radius": 0.01}, "convex").edge_radius == 0.01
    assert geometry_of("extrude", SHAPES["extrude"] | {"edge_radius": 0.01}, "convex").edge_radius == 0.01
    assert geometry_of("box", {"size": 0.2, "exponent": 8.0}, "implicit").exponent == 8.0
    assert geometry_of("box", {"size": 0.2}, "implicit").exponent == 20.0
    assert keys_of("cylinder", "implicit") == ("radius", "length", "exponent")


def test_gears_are_full_cylinders() -> None:
    gear = geometry_of("spur_gear", SHAPES["spur_gear"], "convex")
    assert gear == pc.convex.gearwheel(0.022, 0.01)


def test_mesh_files_may_be_convex(tmp_path: Path) -> None:
    path = tmp_path / "tetrahedron.obj"
    pc.save_surface(shapes.sphere(0.5, 0), path)
    solid = geometry_of("mesh", {"file": path, "unit": "cm"}, "convex")
    assert isinstance(solid, pc.convex.ConvexMesh)
    assert solid.bounds.max() == pytest.approx(0.005)
    pc.save_surface(shapes.bubble(), path)
    with pytest.raises(pc.SurfaceError, match="not convex"):
        geometry_of("mesh", {"file": path}, "convex")


@pytest.mark.parametrize(
    ("kind", "arguments", "geometry", "message"),
    [
        ("plane", {"size": 1.0}, "convex", 'plane cannot be convex; take geometry = "mesh", .* or a "box" whose upper'),
        ("torus", {}, "implicit", 'torus cannot be implicit; take geometry = "mesh", or a shape that can: "sphere", '),
        ("box", {"size": 1, "edge_radius": 0.1}, "mesh", 'box: edge_radius belongs to geometry = "convex", not to "m'),
        ("box", {"size": 1, "exponent": 20}, "convex", 'box: exponent belongs to geometry = "implicit", not to "conv'),
        ("sphere", {"radius": 1, "edge_radius": 0.1}, "convex", "as convex it has no edge_radius; leave it out"),
        ("sphere", {}, "implicit", "sphere: radius missing"),
        ("ball", {}, "mesh", "there is no shape 'ball'; give one of \"box\""),
        ("box", {"size": 1}, "nurbs", "geometry is 'nurbs'; give one of \"mesh\""),
        ("plane", {"size": [1, 2]}, "implicit", r"size = \[1, 2\] m; .* give one length"),
        ("sphere", {"radius": float("nan")}, "parametric", "radius = nan m; allowed is"),
        ("box", {"size": [1, -1, 1]}, "implicit", "size = -1 m; allowed is"),
        ("spur_gear", {"module": 0.0, "teeth": 20, "width": 1}, "convex", "module = 0.0 m; allowed is"),
        ("paraboloid", {"radii": [0.0, 1.0]}, "mesh", "radii = .*other than 0"),
        ("paraboloid", {"radii": "flat"}, "mesh", "radii = 'flat' m; give one number or two"),
        ("cosine_surface", {"amplitude": 0.1, "wavelength": 1e-9}, "mesh", "make the wavelength longer"),
    ],
)
def test_what_cannot_be_is_told(kind: str, arguments: dict[str, Any], geometry: str, message: str) -> None:
    with pytest.raises(pc.SurfaceError, match=message):
        geometry_of(kind, arguments, geometry)


def test_meshes_of_height_surfaces_lie_on_them() -> None:
    bowl, waves = shapes.paraboloid((0.5, -2.0), (1.0, 0.5), (8, 4)), shapes.cosine_surface(0.1, 0.5, divisions=20)
    x, y, z = bowl.vertices.T
    np.testing.assert_allclose(z, x**2 / (2 * 0.5) - y**2 / (2 * 2.0), atol=1e-15)
    np.testing.assert_allclose(waves.vertices[:, 2], 0.1 * np.cos(4 * np.pi * waves.vertices[:, 0]), atol=1e-15)
    assert bowl.n_triangles == 64
    assert (bowl.normals[:, 2] > 0.0).all()
    assert not waves.is_closed
    assert waves.n_triangles == 800
    assert np.ptp(shapes.paraboloid((np.inf, np.inf)).vertices[:, 2]) == 0.0
