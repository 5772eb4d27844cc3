"""Volume and area of shapes converge with the square of the edge length."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from polycontact.surfaces import shapes
from polycontact.surfaces.surface import Surface

PI = math.pi


def hexagon(across_flats: float) -> float:
    """Its area, m²."""
    return 0.5 * math.sqrt(3.0) * across_flats**2


def thread_section(radius: float, pitch: float) -> float:
    """Area of a cut across a thread of ISO 68-1, m²: all phases of the profile occur, crests, roots and flanks."""
    root = radius - 0.625 * math.sqrt(0.75) * pitch
    return PI * (radius**2 / 8 + root**2 / 4 + 0.625 * (radius**2 + radius * root + root**2) / 3)


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
