"""Ready-made surfaces: closed, outward, well-shaped, free of self-intersections, true to their equation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces import shapes
from polycontact.surfaces.shapes.delaunay_refinement import SMALLEST_ANGLE, triangulate
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import EPS

PI = math.pi

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
L_SHAPE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])
ARROW = np.array([[0.0, 0.0], [2.0, -1.0], [1.2, 0.0], [2.0, 1.0]])

PUBLISHED_PROFILE = np.array(
    [
        [0.0, 0.05],
        [0.02162, 0.05583],
        [0.04358, 0.0695],
        [0.0662, 0.08527],
        [0.08982, 0.09739],
        [0.11469, 0.1004],
        [0.13976, 0.09296],
        [0.16294, 0.07709],
        [0.18212, 0.05491],
        [0.19518, 0.02851],
        [0.2, 0.0],
    ]
)


def circle(n: int, radius: float = 1.0) -> NDArray[np.float64]:
    angle = 2.0 * PI * np.arange(n) / n
    return radius * np.stack((np.cos(angle), np.sin(angle)), axis=1)


def hexagon(across_flats: float) -> float:
    """Its area, m²."""
    return 0.5 * math.sqrt(3.0) * across_flats**2


def thread_section(radius: float, pitch: float) -> float:
    """Area of a cut across a thread of ISO 68-1, m²: all phases of the profile occur, crests, roots and flanks."""
    root = radius - 0.625 * math.sqrt(0.75) * pitch
    return PI * (radius**2 / 8 + root**2 / 4 + 0.625 * (radius**2 + radius * root + root**2) / 3)


# Name: (shape, Euler characteristic: 2 for a ball, 0 for a ring, 1 for an open patch).
SHAPES: dict[str, tuple[Callable[[], Surface], int]] = {
    "sphere": (lambda: shapes.sphere(0.3), 2),
    "icosahedron": (lambda: shapes.sphere(1.0, 0), 2),
    "ellipsoid": (lambda: shapes.ellipsoid((1.0, 1.5, 2.0)), 2),
    "capsule": (lambda: shapes.capsule(0.1, 0.3), 2),
    "coarse capsule": (lambda: shapes.capsule(0.1, 0.3, segments=6), 2),
    "torus": (lambda: shapes.torus(0.2, 0.1), 0),
    "odd torus": (lambda: shapes.torus(2.0, 1.0, 31, 17), 0),
    "box": (lambda: shapes.box((1.0, 2.0, 1.5)), 2),
    "divided box": (lambda: shapes.box((1.0, 2.0, 3.0), (3, 5, 8)), 2),
    "plane": (lambda: shapes.plane((2.0, 1.0), (8, 5)), 1),
    "disc": (lambda: shapes.disc(0.7), 1),
    "cylinder": (lambda: shapes.cylinder(0.5, 1.0), 2),
    "triangular prism": (lambda: shapes.cylinder(0.5, 1.0, segments=3), 2),
    "cone": (lambda: shapes.cone(0.5, 0.7), 2),
    "bubble": (shapes.bubble, 2),
    "coarse bubble": (lambda: shapes.bubble_with(100), 2),
    "fine bubble": (lambda: shapes.bubble_with(5000), 2),
    "container": (shapes.container, 1),
    "spindle": (lambda: shapes.revolve([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)], 7), 2),
    "tube": (lambda: shapes.revolve([(0.0, 1.0), (0.5, 1.0), (1.0, 1.2)], 14, "x"), 0),
    "washer": (lambda: shapes.revolve([(0, 1.0), (0, 1.5), (0.4, 1.5), (0.4, 1.0), (0, 1.0)], 24, "y"), 0),
    "graded funnel": (lambda: shapes.revolve([(0, 0.3), (0.5, 0.5), (1.0, 1.0)], 18, graded=True), 0),
    "graded ring": (
        lambda: shapes.revolve([(0, 1.0), (0, 2.0), (1, 1.5), (0, 1.0)], 32, "x", graded=True),
        0,
    ),
    "square prism": (lambda: shapes.extrude(SQUARE, 1.0), 2),
    "extruded L": (lambda: shapes.extrude(L_SHAPE, 0.3, spacing=0.2), 2),
    "pipe": (lambda: shapes.extrude(circle(32), 0.5, holes=[circle(32, 0.6)], spacing=0.25), 0),
    "two holes": (
        lambda: shapes.extrude(
            SQUARE * 4.0, 0.4, holes=[circle(12, 0.7) + 1.2, circle(12, 0.5)[::-1] + 2.9], spacing=0.4
        ),
        -2,
    ),
    "plate_with_hole": (lambda: shapes.plate_with_hole((1.2, 1.0), 0.1, 0.25), 0),
    "spherical_cup": (lambda: shapes.spherical_cup(0.1), 2),
    "shallow cup": (lambda: shapes.spherical_cup(0.1, 0.02, opening=0.6, segments=24), 2),
    "horseshoe": (shapes.horseshoe, 2),
    "table": (shapes.table, 2),
    "threaded_bolt": (lambda: shapes.threaded_bolt(0.01, 0.0015, 0.006), 2),
    "bolt of any length": (lambda: shapes.threaded_bolt(0.008, 0.00125, 0.00517, segments=54, divisions=3), 2),
    "threaded_nut": (lambda: shapes.threaded_nut(0.01, 0.0015, clearance=1e-4, segments=60), 0),
    "coarse nut": (lambda: shapes.threaded_nut(0.02, 0.0025, 0.0071, segments=24, divisions=1), 0),
    "spur_gear": (lambda: shapes.spur_gear(0.002, 20, 0.01, backlash=1e-4, divisions=8), 0),
    "gear of many teeth": (lambda: shapes.spur_gear(0.001, 60, 0.002, flank_edges=3), 0),
    "table with inset legs": (lambda: shapes.table(1.0, 0.5, leg_inset=0.1, spacing=0.1), 2),
}

THIN = {"threaded_bolt", "bolt of any length", "threaded_nut", "coarse nut", "spur_gear", "gear of many teeth"}
OPEN = {"plane", "disc", "container", "tube", "graded funnel"}


@pytest.fixture(params=SHAPES, scope="module")
def named(request: pytest.FixtureRequest) -> tuple[str, Surface]:
    return request.param, SHAPES[request.param][0]()


def test_topology(named: tuple[str, Surface]) -> None:
    name, surface = named
    edges = surface.half_edges
    assert surface.is_closed == (name not in OPEN)
    assert len(np.unique(surface.triangles)) == len(surface.vertices), "a vertex is not used"
    assert len(np.unique(surface.vertices, axis=0)) == len(surface.vertices), "two vertices coincide"
    assert len(surface.vertices) - len(edges.edges) + surface.n_triangles == SHAPES[name][1]


def test_closed_shapes_are_outward(named: tuple[str, Surface]) -> None:
    name, surface = named
    if name not in OPEN:
        assert surface.volume > 0


def test_triangles_are_well_shaped(named: tuple[str, Surface]) -> None:
    # 1 is equilateral, 0.87 half a square. A right triangle with sides 1 : 3 has 0.52: beyond it one
    # barycentre no longer stands for the contact on a triangle. The published bubble has fixed counts, and so
    # 0.38 at its poles.
    # The crest of a thread is an eighth of a pitch wide, and its ends and the roots of gears cut across: thin ones are
    # among them, but less than a quarter.
    name, surface = named
    if name in THIN:
        assert np.quantile(quality(surface), 0.25) > 0.4
        assert quality(surface).min() > 0.01
    else:
        assert quality(surface).min() > (0.38 if name == "bubble" else 0.5)


def test_no_self_intersection(named: tuple[str, Surface]) -> None:
    assert self_intersections(named[1]) == 0


def test_self_intersections_are_found() -> None:
    ball = shapes.sphere(1.0, 1)
    both = Surface(
        np.concatenate((ball.vertices, ball.vertices + 0.5)),
        np.concatenate((ball.triangles, ball.triangles + len(ball.vertices))),
    )
    assert self_intersections(both) > 0
    folded = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0.5, 1e-4]], [[0, 1, 2], [1, 0, 3]])
    assert self_intersections(folded) > 0


def test_arrays_are_the_same_every_time(named: tuple[str, Surface]) -> None:
    name, surface = named
    again = SHAPES[name][0]()
    assert np.array_equal(surface.vertices, again.vertices)
    assert np.array_equal(surface.triangles, again.triangles)


# Vertices lie on the analytic surface.


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


def test_plane_and_disc_face_up_at_zero() -> None:
    for surface, area in (
        (shapes.plane((2.0, 3.0), (4, 7)), 6.0),
        (shapes.disc(2.0), 24 * 4 * math.sin(PI / 24)),
    ):
        assert (surface.vertices[:, 2] == 0.0).all()
        assert (surface.normals[:, 2] == 1.0).all()
        assert surface.areas.sum() == pytest.approx(area, rel=1e-13)
    assert shapes.plane(1.0).n_triangles == 2


def test_box_grid() -> None:
    box = shapes.box((1.0, 2.0, 3.0), (2, 3, 4))
    assert box.n_triangles == 4 * (2 * 3 + 3 * 4 + 4 * 2)
    np.testing.assert_array_equal(box.bounds, [[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]])
    assert box.volume == pytest.approx(6.0, rel=1e-14)
    assert shapes.box(2.0).n_triangles == 12
    assert set(np.abs(box.normals).sum(axis=1)) == {1.0}


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


def test_extrusion_is_exact() -> None:
    prism = shapes.extrude(L_SHAPE[::-1], 0.5, spacing=0.3, divisions=4)
    assert prism.volume == pytest.approx(1.5, rel=1e-13)
    assert prism.areas.sum() == pytest.approx(2 * 3.0 + 8.0 * 0.5, rel=1e-13)
    np.testing.assert_allclose(np.unique(prism.vertices[:, 2]), [0.0, 0.125, 0.25, 0.375, 0.5])
    given = {tuple(point) for point in L_SHAPE}
    assert given <= {tuple(point) for point in prism.vertices[:, :2]}


def test_plate_with_hole() -> None:
    plate = shapes.plate_with_hole((2.0, 1.0), 0.1, 0.3, segments=30)
    hole = 15 * 0.09 * math.sin(2 * PI / 30)
    assert plate.volume == pytest.approx(0.1 * (2.0 - hole), rel=1e-13)
    np.testing.assert_allclose(plate.bounds, [[-1.0, -0.5, -0.05], [1.0, 0.5, 0.05]], atol=1e-16)


def test_horseshoe_stands_on_two_feet() -> None:
    shoe = shapes.horseshoe(0.1, 0.04, 0.02, 0.08, segments=60)
    feet = shoe.barycentres[shoe.barycentres[:, 2] < 1e-12]
    assert {-1.0, 1.0} == set(np.sign(feet[:, 0]))
    assert np.abs(feet[:, 0]).min() > 0.08
    assert shoe.areas[shoe.barycentres[:, 2] < 1e-12].sum() == pytest.approx(2 * 0.04 * 0.02, rel=1e-12)
    assert shoe.volume == pytest.approx(0.04 * 0.02 * (PI * 0.1 + 2 * 0.08), rel=1e-3)


@pytest.mark.parametrize("inset", [0.0, 0.1])
def test_table_stands_on_four_feet(inset: float) -> None:
    table = shapes.table((1.0, 0.6), 0.7, top_thickness=0.05, leg_width=0.08, leg_inset=inset)
    on_floor = table.barycentres[:, 2] < 1e-12
    assert {(-1, -1), (-1, 1), (1, -1), (1, 1)} == {
        tuple(each) for each in np.sign(table.barycentres[on_floor, :2]).astype(int).tolist()
    }
    assert table.areas[on_floor].sum() == pytest.approx(4 * 0.08**2, rel=1e-12)
    assert table.volume == pytest.approx(0.05 * 0.6 + 4 * 0.08**2 * 0.65, rel=1e-12)


# Volume and area converge with the square of the edge length.


@pytest.mark.parametrize(
    ("make", "volume", "area"),
    [
        (lambda n: shapes.sphere(1.0, 1 + n), 4 / 3 * PI, 4 * PI),
        (lambda n: shapes.ellipsoid((1.0, 1.0, 0.5), 1 + n), 2 / 3 * PI, None),
        (lambda n: shapes.torus(2.0, 1.0, 24 * 2**n, 12 * 2**n), 4 * PI**2, 8 * PI**2),
        (lambda n: shapes.capsule(1.0, 2.0, segments=24 * 2**n), 10 / 3 * PI, 8 * PI),
        (lambda n: shapes.cylinder(1.0, 2.0, segments=24 * 2**n), 2 * PI, 6 * PI),
        (lambda n: shapes.cone(1.0, 1.0, segments=24 * 2**n), PI / 3, (1 + math.sqrt(2)) * PI),
        (lambda n: shapes.disc(1.0, segments=24 * 2**n), None, PI),
        (
            lambda n: shapes.spherical_cup(1.0, 1.0, segments=24 * 2**n),
            (8 - 2 / 3) * PI,
            (4 + 3 + 8 + 2) * PI,
        ),
        (lambda n: shapes.plate_with_hole(1.0, 0.2, 0.3, segments=24 * 2**n), 0.2 * (1 - 0.09 * PI), None),
        (lambda n: shapes.horseshoe(1.0, 0.4, 0.5, 1.0, segments=8 * 2**n), 0.2 * (PI + 2), None),
        (
            lambda n: shapes.threaded_bolt(1.0, 0.16, 0.7, head_height=0.5, segments=24 * 2**n),
            0.5 * hexagon(1.6) + 0.7 * thread_section(0.5, 0.16),
            None,
        ),
        (
            lambda n: shapes.threaded_nut(1.0, 0.16, 0.75, clearance=0.03, across_flats=1.5, segments=24 * 2**n),
            0.75 * (hexagon(1.5) - thread_section(0.53, 0.16)),
            None,
        ),
    ],
    ids=[
        *("sphere", "ellipsoid", "torus", "capsule", "cylinder", "cone", "disc", "cup", "plate", "horseshoe"),
        *("bolt", "nut"),
    ],
)
def test_convergence_is_of_second_order(
    make: Callable[[int], Surface], volume: float | None, area: float | None
) -> None:
    coarse, fine = make(1), make(2)
    for exact, of_coarse, of_fine in (
        (volume, coarse.volume, fine.volume),
        (area, coarse.areas.sum(), fine.areas.sum()),
    ):
        if exact is not None:
            order = math.log2((of_coarse - exact) / (of_fine - exact))
            assert order == pytest.approx(2.0, abs=0.15)
            assert of_fine == pytest.approx(exact, rel=0.02)


def test_bubble_converges_with_second_order() -> None:
    volumes = [shapes.bubble(n, 2 * n - 1).volume for n in (50, 100, 200)]
    assert math.log2((volumes[1] - volumes[0]) / (volumes[2] - volumes[1])) == pytest.approx(2.0, abs=0.05)
    assert shapes.bubble_with(200_000).volume == pytest.approx(volumes[2], rel=1e-3)


# Bubbles and container: the published data.


def test_published_bubble() -> None:
    bubble = shapes.bubble()
    assert len(bubble.vertices) == 477
    assert bubble.n_triangles == 950
    x, y, z = bubble.vertices.T
    radius = np.hypot(x, z)
    for each_y, each_radius in PUBLISHED_PROFILE:
        for side in (1.0, -1.0):
            ring = y == side * each_y
            assert ring.sum() == (1 if each_radius == 0.0 else 25)
            np.testing.assert_allclose(radius[ring], each_radius, rtol=4 * EPS, atol=0.0)
    angle = np.sort(np.arctan2(x[y == 0.0], z[y == 0.0]))
    np.testing.assert_allclose(np.diff(angle), 2 * PI / 25, rtol=1e-13)


@pytest.mark.parametrize("make", [shapes.bubble, lambda: shapes.bubble(16, 31), lambda: shapes.bubble_with(300)])
def test_bubble_is_its_own_mirror_image(make: Callable[[], Surface]) -> None:
    bubble = make()
    number = {tuple(vertex): i for i, vertex in enumerate(bubble.vertices.tolist())}
    mirrored = np.array([number[x, -y, z] for x, y, z in bubble.vertices.tolist()])
    there = {frozenset(each) for each in bubble.triangles.tolist()}
    assert there == {frozenset(each) for each in mirrored[bubble.triangles].tolist()}


def test_refined_bubble_hits_the_published_profile() -> None:
    profile = bubble_profile(20 * 4 - 1)[::4]
    np.testing.assert_allclose(profile[10:], PUBLISHED_PROFILE, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(profile[:11], PUBLISHED_PROFILE[::-1] * (-1.0, 1.0), rtol=1e-14, atol=1e-16)


def test_bubble_profile_is_smooth() -> None:
    # A cubic spline has a second derivative that is continuous and piecewise linear: its steps shrink with
    # the spacing, also across the poles, where the profile is continued by its mirror image.
    def largest_step(n: int) -> float:
        half = bubble_profile(20 * n - 1)
        closed = np.concatenate((half, half[-2:0:-1] * (1.0, -1.0)))
        second = (np.roll(closed, -1, axis=0) - 2 * closed + np.roll(closed, 1, axis=0)) * n**2
        return float(np.abs(second - np.roll(second, 1, axis=0)).max())

    assert largest_step(64) == pytest.approx(0.5 * largest_step(32), rel=0.05)


@pytest.mark.parametrize("wanted", [100, 500, 2000, 10_000, 100_000, pytest.param(1_000_000, id="1M")])
def test_bubble_with_a_number_of_triangles(wanted: int) -> None:
    bubble = shapes.bubble_with(wanted)
    assert bubble.n_triangles == pytest.approx(wanted, rel=0.1 if wanted < 1000 else 0.01)
    assert quality(bubble).min() > 0.75
    assert bubble.areas.max() < 2.0 * bubble.areas.min()
    np.testing.assert_array_equal(bubble.bounds[:, 1], [-0.2, 0.2])


def test_bubble_with_950_is_the_published_one() -> None:
    np.testing.assert_array_equal(shapes.bubble_with(950).vertices, shapes.bubble().vertices)


def test_container() -> None:
    container = shapes.container()
    assert not container.is_closed
    assert container.n_triangles == 4
    assert {tuple(each) for each in container.vertices.tolist()} == {
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 0.5),
        (-1.0, 1.0, 0.5),
        (1.0, -1.0, 0.5),
        (-1.0, -1.0, 0.5),
    }
    up, inward = math.sqrt(0.8), math.sqrt(0.2)
    np.testing.assert_allclose(container.normals[:, 2], up, rtol=1e-15)
    toward_axis = -np.sign(np.round(container.barycentres[:, :2], 12))
    np.testing.assert_allclose(container.normals[:, :2], inward * toward_axis, atol=1e-15)


# Triangulation of polygons.


@pytest.mark.parametrize("spacing", [None, 0.1])
@pytest.mark.parametrize(
    "loops",
    [[SQUARE], [L_SHAPE], [circle(40)], [4 * SQUARE - 2, circle(40)[::-1]]],
    ids=["square", "L", "circle", "hole"],
)
def test_triangulation_has_no_small_angles(loops: list[NDArray[np.float64]], spacing: float | None) -> None:
    mesh = triangulate("test", loops, spacing)
    assert smallest_angles(mesh.points, mesh.triangles).min() > SMALLEST_ANGLE - 1e-9
    if spacing is not None:
        sides = mesh.points[mesh.triangles] - mesh.points[np.roll(mesh.triangles, 1, axis=1)]
        assert np.linalg.norm(sides, axis=2).max() < 1.6 * spacing


def test_sharp_corners_end_the_refinement() -> None:
    mesh = triangulate("test", [ARROW], 0.05)
    angles = smallest_angles(mesh.points, mesh.triangles)
    at_tips = np.isin(mesh.triangles, [1, 3]).any(axis=1)
    assert (angles < SMALLEST_ANGLE - 1e-9).mean() < 0.02
    assert angles[~at_tips].min() > math.radians(15.0)


@settings(max_examples=60, deadline=None)
@given(
    gaps=st.lists(st.floats(0.2, 1.0), min_size=7, max_size=24),
    radii=st.lists(st.floats(0.1, 1.0), min_size=24, max_size=24),
    fineness=st.sampled_from([None, 0.5, 0.1]),
    offset=st.floats(-1e3, 1e3),
)
def test_any_star_shaped_polygon_can_be_extruded(
    gaps: list[float], radii: list[float], fineness: float | None, offset: float
) -> None:
    # No gap is wider than half a turn, so the polygon contains its origin and does not cross itself.
    angle = 2 * PI * np.cumsum(gaps) / sum(gaps)
    star = np.array(radii[: len(gaps)])[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    prism = shapes.extrude(star + offset, 1.0, spacing=fineness, divisions=1)
    x, y = star.T
    assert prism.is_closed
    assert prism.volume == pytest.approx(0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1)), rel=1e-9)


# Arguments that make no sense.


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: shapes.sphere(-1.0), ["sphere", "radius = -1.0 m", "1e-50 to 1e+50"]),
        (lambda: shapes.sphere(math.nan), ["radius = nan m"]),
        (lambda: shapes.sphere("big"), ["radius = 'big'", "number"]),  # type: ignore[arg-type]
        (lambda: shapes.sphere("1.0"), ["radius = '1.0'"]),  # type: ignore[arg-type]
        (lambda: shapes.sphere(10**400), ["radius", "number"]),
        (lambda: shapes.sphere(1.0, 11), ["subdivisions = 11", "0 to 10"]),
        (lambda: shapes.sphere(1.0, 2.5), ["subdivisions = 2.5", "integer"]),  # type: ignore[arg-type]
        (lambda: shapes.sphere(1.0, True), ["subdivisions = True"]),
        (lambda: shapes.ellipsoid((1.0, 2.0)), ["semi_axes = (1.0, 2.0)", "3 lengths"]),
        (lambda: shapes.box((1.0, 0.0, 1.0)), ["box: size = 0.0 m"]),
        (lambda: shapes.box(1.0, 0), ["divisions = 0"]),
        (lambda: shapes.box(1.0, 50_000_000), ["3e+16 triangles", "50000000"]),
        (lambda: shapes.plane(1.0, (10_000, 10_000)), ["2e+08 triangles"]),
        (lambda: shapes.plane([[1.0, 2.0], [3.0, 4.0]]), ["size"]),
        (lambda: shapes.disc(1.0, segments=12, rings=7), ["rings = 7", "1 to 6"]),
        (lambda: shapes.cylinder(1.0, 1.0, segments=2), ["segments = 2"]),
        (lambda: shapes.cylinder(1e-9, 1e9), ["triangles"]),
        (lambda: shapes.cone(1.0, 1.0, rings=1000), ["too close", "use fewer rings"]),
        (lambda: shapes.capsule(1.0, 0.0), ["length = 0.0 m"]),
        (lambda: shapes.torus(1.0, 1.0), ["minor_radius = 1 m", "less than major_radius = 1 m"]),
        (lambda: shapes.bubble(2), ["meridians = 2"]),
        (lambda: shapes.bubble(10_000, 10_000), ["2e+08 triangles"]),
        (lambda: shapes.bubble_with(10), ["n_triangles = 10", "100 to 50000000"]),
        (lambda: shapes.revolve([(0.0, 1.0)]), ["profile has shape (1, 2)"]),
        (lambda: shapes.revolve([(0.0, 1.0), (1.0, -1.0)]), ["profile[1]", "-1 m"]),
        (lambda: shapes.revolve([(0.0, 1.0), (1.0, 0.0), (2.0, 1.0)]), ["profile[1]", "0 m"]),
        (lambda: shapes.revolve([(0.0, 0.0), (1.0, 0.0)]), ["on the axis"]),
        (lambda: shapes.revolve([(0.0, 1.0), (math.inf, 1.0)]), ["profile[1]", "finite"]),
        (lambda: shapes.revolve([(0, 1), (1, 1), (1, 2), (0.5, 0.5)]), ["crosses"]),
        (lambda: shapes.revolve([(0.0, 1.0), (1.0, 1.0)], axis="w"), ["axis = 'w'"]),
        (lambda: shapes.extrude(SQUARE, 0.0), ["height = 0.0 m"]),
        (lambda: shapes.extrude([[0, 0], [1, 1], [2, 2]], 1.0), ["no area"]),
        (lambda: shapes.extrude(SQUARE[[0, 2, 1, 3]] * [1, 2], 1.0), ["polygon"]),
        (lambda: shapes.extrude([[0, 0], [2, 0], [2, 1], [1, 0], [0, 1]], 1.0), ["touches"]),
        (lambda: shapes.extrude([[0, 0], [1, 0], [1, 0], [0, 1]], 1.0), ["coincide"]),
        (lambda: shapes.extrude([[0, 0], [1, 0], [1, 1], [1, 0.5], [0.5, 1]], 1.0), ["crosses or touches"]),
        (lambda: shapes.extrude(SQUARE, 1.0, holes=[SQUARE + 5.0]), ["holes[0]", "outside"]),
        (lambda: shapes.extrude(SQUARE, 1.0, holes=[SQUARE * 0.5 - 0.1]), ["crosses"]),
        (
            lambda: shapes.extrude(4 * SQUARE, 1.0, holes=[2 * SQUARE + 1.0, SQUARE + 1.5]),
            ["holes[1]", "another hole"],
        ),
        (lambda: shapes.extrude(SQUARE, 1.0, spacing=1e-9), ["triangles", "spacing"]),
        (lambda: shapes.extrude(circle(20_001), 1.0), ["20001 points", "20000"]),
        (lambda: shapes.plate_with_hole(1.0, 0.1, 0.5), ["hole_radius = 0.5 m", "0.5 m"]),
        (lambda: shapes.spherical_cup(1.0, opening=3.0), ["opening = 3.0 rad"]),
        (lambda: shapes.spherical_cup(1.0, 1e-4), ["thickness = 0.0001 m"]),
        (lambda: shapes.spherical_cup(1.0, 1e3, segments=1000), ["triangles"]),
        (lambda: shapes.horseshoe(1.0, 2.0), ["width = 2 m", "less than 2 m"]),
        (lambda: shapes.horseshoe(thickness=1e30), ["triangles"]),
        (lambda: shapes.table(height=0.01), ["top_thickness = 0.04 m", "height = 0.01 m"]),
        (lambda: shapes.table(leg_width=0.5), ["leg_width = 0.5 m", "0.4 m"]),
        (lambda: shapes.table(spacing=1e-9), ["triangles"]),
    ],
)
def test_bad_arguments_are_named(make: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(SurfaceError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def quality(surface: Surface) -> NDArray[np.float64]:
    """Area over the sum of squared edges of each triangle, 1 if it is equilateral, 0 if it is flat."""
    corners = surface.vertices[surface.triangles]
    edges = np.roll(corners, -1, axis=1) - corners
    return np.asarray(4.0 * math.sqrt(3.0) * surface.areas / (edges**2).sum(axis=(1, 2)))


def smallest_angles(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    corners = points[triangles]
    ahead, back = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    cross = ahead[..., 0] * back[..., 1] - ahead[..., 1] * back[..., 0]
    return np.asarray(np.arctan2(cross, (ahead * back).sum(axis=2)).min(axis=1))


def bubble_profile(n_rings: int) -> NDArray[np.float64]:
    """(y, radius) of the poles and rings of a bubble, from the lower to the upper pole."""
    bubble = shapes.bubble(3, n_rings)
    ring_starts = np.concatenate(([0], 1 + 3 * np.arange(n_rings), [len(bubble.vertices) - 1]))
    x, y, z = bubble.vertices[ring_starts].T
    return np.stack((y, np.hypot(x, z)), axis=1)


def self_intersections(surface: Surface) -> int:
    """Pairs of triangles where an edge of one passes through the other, or which are folded onto each other.

    By brute force over overlapping boxes, so that it shares nothing with the code under test.
    """
    corners = surface.vertices[surface.triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    n = surface.n_triangles
    first, second = [], []
    for rows in np.array_split(np.arange(n), max(1, n // 256)):
        meet = np.arange(n)[None, :] != rows[:, None]
        for axis in range(3):
            meet &= low[None, :, axis] <= high[rows, None, axis]
            meet &= high[None, :, axis] >= low[rows, None, axis]
        i, j = np.nonzero(meet)
        first.append(rows[i])
        second.append(j)
    i, j = np.concatenate(first), np.concatenate(second)
    same = (surface.triangles[i][:, :, None] == surface.triangles[j][:, None, :]).any(axis=2)
    folded = (same.sum(axis=1) == 2) & (np.einsum("ij,ij->i", surface.normals[i], surface.normals[j]) < -0.99)
    crossing = np.zeros(len(i), dtype=bool)
    for k in range(3):
        separate = np.flatnonzero(~same[:, k] & ~same[:, (k + 1) % 3])
        a, b = corners[i[separate], k], corners[i[separate], (k + 1) % 3]
        crossing[separate] |= pierced(a, b, corners[j[separate]])
    return int((folded | crossing).sum())


def pierced(a: NDArray[np.float64], b: NDArray[np.float64], triangles: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which segments from a to b pass through the interior of their triangle (Möller and Trumbore)."""
    p, q, r = np.moveaxis(triangles, 1, 0)
    direction, u_axis, v_axis, start = b - a, q - p, r - p, a - p
    normal = np.cross(u_axis, v_axis)
    along = -np.einsum("ij,ij->i", direction, normal)
    scale = np.linalg.norm(direction, axis=1) * np.linalg.norm(normal, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.einsum("ij,ij->i", start, normal) / along
        turned = np.cross(start, direction)
        u = np.einsum("ij,ij->i", v_axis, turned) / along
        v = -np.einsum("ij,ij->i", u_axis, turned) / along
        inside = (t > 1e-9) & (t < 1 - 1e-9) & (u > 1e-9) & (v > 1e-9) & (u + v < 1 - 1e-9)
    return np.asarray(inside & (np.abs(along) > 1e-12 * scale))
