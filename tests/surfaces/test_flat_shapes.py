"""Planes, boxes, extruded polygons and what is put together from them: exact but for rounding."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flat_outlines import ARROW, L_SHAPE, SQUARE, circle
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from shape_quality import smallest_angles

from polycontact.surfaces import shapes
from polycontact.surfaces.shapes.delaunay_refinement import SMALLEST_ANGLE, triangulate
from scenes import examples

PI = math.pi


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


@settings(max_examples=examples(60), deadline=None)
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
