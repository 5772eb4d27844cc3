"""Shapes with arguments that make no sense: the error names them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from flat_outlines import SQUARE, circle

from polycontact.errors import SurfaceError
from polycontact.surfaces import shapes


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
