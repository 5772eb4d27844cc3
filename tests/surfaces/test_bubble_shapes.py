"""Bubbles and container: the published data."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from shape_quality import quality

from polycontact.surfaces import shapes
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import EPS

PI = math.pi
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


@pytest.mark.parametrize(
    "wanted", [100, 500, 2000, 10_000, 100_000, pytest.param(1_000_000, id="1M", marks=pytest.mark.slow)]
)
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


def bubble_profile(n_rings: int) -> NDArray[np.float64]:
    """(y, radius) of the poles and rings of a bubble, from the lower to the upper pole."""
    bubble = shapes.bubble(3, n_rings)
    ring_starts = np.concatenate(([0], 1 + 3 * np.arange(n_rings), [len(bubble.vertices) - 1]))
    x, y, z = bubble.vertices[ring_starts].T
    return np.stack((y, np.hypot(x, z)), axis=1)
