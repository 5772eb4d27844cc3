"""Convex shapes: mass in closed form, bounds, rounded edges, meshes that are refused, support mappings of users."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.kinds import from_plain, to_plain
from polycontact.surfaces.convex.core import ConvexGeometry
from polycontact.surfaces.geometry import problem_of

convex = pc.convex


@convex.support_mapping("test: double cone")
def double_cone(n: Any, parameters: Any) -> tuple[float, float, float]:
    """Two cones base to base; parameters: radius, height of each, m."""
    across = math.hypot(n[0], n[1])
    if parameters[1] * abs(n[2]) >= parameters[0] * across:
        return 0.0, 0.0, math.copysign(parameters[1], n[2])
    return parameters[0] * n[0] / across, parameters[0] * n[1] / across, 0.0


@convex.support_mapping("test: ball")
def ball(n: Any, parameters: Any) -> tuple[float, float, float]:
    return parameters[0] * n[0], parameters[0] * n[1], parameters[0] * n[2]


SHAPES = {
    "sphere": (convex.Sphere(0.1), pc.shapes.sphere(0.1, 6)),
    "ellipsoid": (convex.Ellipsoid((0.1, 0.2, 0.4)), pc.shapes.ellipsoid((0.1, 0.2, 0.4), 6)),
    "box": (convex.Box((0.1, 0.2, 0.3)), pc.shapes.box((0.1, 0.2, 0.3))),
    "cylinder": (convex.Cylinder(0.1, 0.3), pc.shapes.cylinder(0.1, 0.3, segments=400, rings=1, cap_rings=1)),
    "cone": (convex.Cone(0.1, 0.3), pc.shapes.cone(0.1, 0.3, segments=400, rings=1, cap_rings=1)),
    "capsule": (convex.Capsule(0.1, 0.3), pc.shapes.capsule(0.1, 0.3, segments=400, rings=1)),
    "mesh": (convex.ConvexMesh(pc.shapes.box((0.1, 0.2, 0.3), 3)), pc.shapes.box((0.1, 0.2, 0.3))),
}


@pytest.mark.parametrize("name", SHAPES)
def test_mass_and_box_are_those_of_a_fine_mesh(name: str) -> None:
    shape, mesh = SHAPES[name]
    found, expected = shape.mass_properties(1000.0), mesh.mass_properties(1000.0)
    # 400 edges around, or 82,000 triangles, lack 1 - sin(x)/x with x = 2π/400 of their volume: 4e-5.
    assert found.mass == pytest.approx(expected.mass, rel=2e-4)
    np.testing.assert_allclose(found.centre, expected.centre, atol=1e-6)
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=3e-4, atol=1e-6 * np.abs(expected.inertia).max())
    np.testing.assert_allclose(shape.bounds, mesh.bounds, atol=1e-5)
    assert not problem_of(shape)
    assert isinstance(shape, ConvexGeometry)
    assert 0.0 < shape.thickness <= (shape.bounds[1] - shape.bounds[0]).min() + 1e-15
    assert shape.picture.is_closed


@pytest.mark.parametrize("name", SHAPES)
def test_files_know_them(name: str) -> None:
    shape = SHAPES[name][0]
    again = from_plain(to_plain(shape))
    assert type(again) is type(shape)
    np.testing.assert_array_equal(again.bounds, shape.bounds)
    assert again.name == shape.name


def distance(e: Any, f: Any, r: Any) -> float:
    law = pc.LayerLaw(stiffness=1.0)
    return pc.ContactPairing(e, f, method=pc.contact.ConvexMethod(), law=law).distance(np.eye(3), r).distance


TIP = convex.Sphere(1e-3)


@pytest.mark.parametrize("radius", [0.01, 0.05])
def test_rounded_primitives_keep_their_size(radius: float) -> None:
    """Faces stay; the edge of a box recedes by (√2 - 1) radii, its corner by (√3 - 1); S4.16."""
    box = convex.Box((0.2, 0.2, 0.1), radius)
    assert distance(box, TIP, (0.15, 0.0, 0.0)) == pytest.approx(0.049, abs=1e-15)
    out = np.array([0.1, 0.1, 0.0]) + 0.1 * np.array([1.0, 1.0, 0.0]) / math.sqrt(2)
    assert distance(box, TIP, out) == pytest.approx(0.099 + (math.sqrt(2) - 1) * radius, abs=1e-15)
    out = np.array([0.1, 0.1, 0.05]) + 0.1 * np.ones(3) / math.sqrt(3)
    assert distance(box, TIP, out) == pytest.approx(0.099 + (math.sqrt(3) - 1) * radius, abs=1e-15)
    cylinder = convex.Cylinder(0.1, 0.2, radius)
    assert distance(cylinder, TIP, (0.0, 0.2, 0.03 if radius < 0.05 else 0.0)) == pytest.approx(0.099, abs=1e-14)
    assert distance(cylinder, TIP, (0.02, 0.0, 0.2)) == pytest.approx(0.099, abs=1e-14)


def test_rounded_cone_keeps_base_and_slope() -> None:
    cone, slant = convex.Cone(0.3, 0.4, 0.05), math.hypot(0.3, 0.4)
    assert distance(cone, TIP, (0.0, 0.0, 0.5)) == pytest.approx(0.099, abs=1e-14)
    beside = np.array([0.15, 0.0, 0.2]) + 0.1 * np.array([0.4, 0.0, -0.3]) / slant
    assert distance(cone, TIP, beside) == pytest.approx(0.099, abs=1e-14)
    # The tip recedes to the ball of the edge radius that touches the slope: its centre is r / sin(half angle) away.
    assert distance(cone, TIP, (0.0, 0.0, -0.1)) == pytest.approx(0.099 + 0.05 * slant / 0.3 - 0.05, abs=1e-14)


def test_rounded_meshes_grow() -> None:
    mesh = convex.ConvexMesh(pc.shapes.box(0.2), 0.01)
    assert distance(mesh, TIP, (0.2, 0.0, 0.0)) == pytest.approx(0.089, abs=1e-15)
    np.testing.assert_allclose(mesh.bounds, [[-0.11] * 3, [0.11] * 3])
    assert mesh.mass_properties().volume == pytest.approx(0.008)


def test_full_cylinders() -> None:
    for make in (convex.pipe, convex.gearwheel, convex.spring):
        shape = make(0.1, 0.3, edge_radius=0.01)
        assert (shape.radius, shape.length, shape.edge_radius, shape.name) == (0.1, 0.3, 0.01, make.__name__)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: convex.Sphere(0.0), r"Sphere: radius = 0.0 m; allowed is"),
        (lambda: convex.Sphere(math.nan), r"radius = nan m"),
        (lambda: convex.Sphere("big"), r"'big'"),
        (lambda: convex.Ellipsoid((1.0, 2.0)), r"semi_axes = \(1.0, 2.0\)"),
        (lambda: convex.Box((1.0, 1.0, -1.0)), r"size = -1.0 m"),
        (lambda: convex.Box(1.0, edge_radius=0.6), r"edge_radius = 0.6 m is more than .* 0.5 m"),
        (lambda: convex.Cylinder(1.0, 0.1, edge_radius=0.06), r"fits inside, 0.05 m"),
        (lambda: convex.Cone(0.3, 0.4, edge_radius=0.2), r"fits inside, 0.15 m"),
        (lambda: convex.Capsule(0.1, math.inf), r"length = inf m"),
        (lambda: convex.Sphere(0.1).mass_properties(-1.0), r"density -1.0 kg/m³"),
        (lambda: convex.ConvexMesh("box.stl"), r"surface is 'box.stl'; expected a Surface"),
        (lambda: convex.ConvexMesh(pc.shapes.plane(1.0)), r"open surface \(4 border edges\)"),
        (lambda: convex.ConvexMesh(pc.shapes.box(1.0).flipped()), r"volume is -1 m³; .*flipped"),
        (
            lambda: convex.ConvexMesh(pc.shapes.torus(0.1, 0.03)),
            r"30 mm below the hull .*; divide it",
        ),
        (lambda: convex.ConvexMesh(two_boxes()), r"2 separate parts .* a shape of its own"),
        (lambda: convex.ConvexMesh(dented_edge()), r"edges rise above their neighbours, by up to .* mm"),
        (lambda: convex.SupportShape("nobody's"), r"not known here"),
    ],
)
def test_bad_input_is_named(make: Callable[[], object], said: str) -> None:
    with pytest.raises(pc.SurfaceError, match=said):
        make()


def two_boxes() -> pc.Surface:
    box = pc.shapes.box(0.1)
    vertices = np.concatenate((box.vertices, box.vertices + 1.0))
    return pc.Surface(vertices, np.concatenate((box.triangles, box.triangles + len(box.vertices))))


def dented_edge() -> pc.Surface:
    """A box whose vertices are all corners of its hull, but one of whose faces is folded inwards along a diagonal."""
    box = pc.shapes.box(1.0)
    vertices = box.vertices.copy()
    top = np.flatnonzero(vertices[:, 2] > 0.4)
    faces = [set(each) for each in box.triangles.tolist() if set(each) <= set(top.tolist())]
    (inner,) = [each for each in top.tolist() if each not in faces[0]]
    vertices[inner, 2] += 0.1  # the two corners beside the diagonal rise, the diagonal stays
    (other,) = [each for each in top.tolist() if each not in faces[1]]
    vertices[other, 2] += 0.1
    return pc.Surface(vertices, box.triangles)


def test_rounding_of_files_is_no_dent() -> None:
    """Coordinates in single precision are convex enough, a vertex that is 2 mm too low is not."""
    ball = pc.shapes.sphere(0.1, 4)
    convex.ConvexMesh(pc.Surface(ball.vertices.astype(np.float32).astype(float), ball.triangles))
    vertices = ball.vertices.copy()
    vertices[100] *= 0.98
    with pytest.raises(pc.SurfaceError, match="not convex"):
        convex.ConvexMesh(pc.Surface(vertices, ball.triangles))


def test_support_mapping_of_a_user() -> None:
    shape = double_cone(0.1, 0.2)
    np.testing.assert_allclose(shape.bounds, [[-0.1, -0.1, -0.2], [0.1, 0.1, 0.2]], atol=1e-15)
    assert shape.mass_properties().volume == pytest.approx(2 * math.pi * 0.1**2 * 0.2 / 3, rel=1e-3)
    # The points of its picture lie on it; the widest gap of 2,562 directions is some 5°.
    assert shape.thickness == pytest.approx(2 * 0.1 * 0.2 / math.hypot(0.1, 0.2), rel=2e-2)
    assert distance(shape, TIP, (0.0, 0.0, 0.3)) == pytest.approx(0.099, abs=1e-15)
    slope = np.array([0.05, 0.0, 0.1]) + 0.1 * np.array([0.2, 0.0, 0.1]) / math.hypot(0.2, 0.1)
    assert distance(shape, TIP, slope) == pytest.approx(0.099, abs=1e-12)
    assert distance(double_cone(0.1, 0.2, edge_radius=0.01), TIP, slope) == pytest.approx(0.089, abs=1e-12)
    assert from_plain(to_plain(shape)) == shape


def test_smooth_mapping_is_as_exact_as_ours() -> None:
    """Newton's method works with its differences."""
    egg, r = convex.Ellipsoid((0.3, 0.2, 0.1)), (0.2, 0.25, 0.1)
    assert distance(egg, ball(0.2), r) == pytest.approx(distance(egg, convex.Sphere(0.2), r), abs=1e-13)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda n, parameters: (math.nan, n[1], n[2]), "finite coordinates"),
        (lambda n, parameters: (-n[0], n[1], n[2]), "farther along n"),
        (lambda n, parameters: (n[0] ** 3, n[1], n[2] + 0.3 * n[0] ** 2), "farther along n"),
        (lambda n, parameters: (0.0, 0.0, 1.0), "in a plane"),
        (lambda n, parameters: n[0], "cannot be compiled"),
    ],
)
def test_what_is_no_support_mapping_is_refused(function: Callable[..., Any], said: str) -> None:
    make = convex.support_mapping("test: wrong")(function)
    with pytest.raises(pc.SurfaceError, match=said):
        make()


def test_mapping_with_other_arguments_is_refused() -> None:
    with pytest.raises(pc.SurfaceError, match="1 arguments"):
        convex.support_mapping("test: one argument")(lambda n: n)
    with pytest.raises(pc.SurfaceError, match="parameter 0 is nan"):
        ball(math.nan)
