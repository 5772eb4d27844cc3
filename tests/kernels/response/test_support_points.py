"""A few points for many elements: groups of directions, outermost and deepest points, borders."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.response.support_points import GROUPS, POINTS, SupportWork, choose_supports
from polycontact.tolerances import LEAST_SHARE

Array = NDArray[np.float64]
UP = (0.0, 0.0, 1.0)


def chosen(
    position: Array,
    push: Array,
    depth: Array,
    *,
    load: Array | None = None,
    border: Array | None = None,
    other: Array | None = None,
    small: float = 0.0,
) -> Array:
    n = len(position)
    border = np.zeros((0, 3)) if border is None else border
    elements, work = ElementTable(), SupportWork()
    elements.reserve(room=n)
    elements.n = n
    elements.position[:] = position
    elements.depth[:] = depth
    work.reserve(room=n, room_of_border=len(border))
    work.n_border, work.small = len(border), small
    work.push[:] = push
    work.load[:] = 1.0 if load is None else load
    work.border[:] = border
    if other is not None:
        work.knows_target = 1
        work.other_push[:] = other
    found = np.zeros((GROUPS * POINTS, 8))
    return found[: choose_supports(elements, work, found)]


def grid(n: int = 5, size: float = 1.0) -> Array:
    x = np.linspace(-0.5 * size, 0.5 * size, n)
    return np.array([(a, b, 0.0) for a in x for b in x])


def has(points: Array, place: tuple[float, float, float], atol: float = 1e-9) -> bool:
    return bool((np.linalg.norm(points[:, :3] - place, axis=1) <= atol).any())


def test_a_square_is_borne_by_its_corners() -> None:
    position = grid()
    points = chosen(position, np.tile(UP, (25, 1)), np.full(25, 1e-3))
    for x in (-0.5, 0.5):
        for y in (-0.5, 0.5):
            assert has(points, (x, y, 0.0))
    np.testing.assert_array_equal(points[:, 3:6], np.tile(UP, (len(points), 1)))
    assert len(points) <= POINTS


def test_the_border_reaches_farther_than_the_middles_of_elements() -> None:
    border = np.array([(x, y, 0.0) for x in (-0.6, 0.6) for y in (-0.6, 0.6)])
    points = chosen(grid(), np.tile(UP, (25, 1)), np.full(25, 1e-3), border=border)
    for corner in border:
        assert has(points, tuple(corner))


def test_shallow_points_are_not_far_out() -> None:
    """A ball: depth falls to zero at the border; the middle bears."""
    position = grid(21)
    depth = np.maximum(1e-3 * (1.0 - 2.0 * (position**2).sum(axis=1)), 0.0)
    points = chosen(position, np.tile(UP, (len(position), 1)), depth, load=depth)
    assert np.linalg.norm(points[:, :2], axis=1).max() <= 0.5 + 1e-9  # half the depth
    assert has(points, (0.0, 0.0, 0.0))
    assert points[:, 6].max() == 1e-3


def test_two_directions_are_two_groups() -> None:
    """A ball in a vee."""
    left, right = (
        grid() @ np.diag([0.1, 0.1, 1.0]) - (1.0, 0.0, 0.0),
        grid() @ np.diag([0.1, 0.1, 1.0]) + (1.0, 0.0, 0.0),
    )
    push = np.repeat([(0.6, 0.0, 0.8), (-0.6, 0.0, 0.8)], 25, axis=0)
    points = chosen(np.concatenate([left, right]), push, np.full(50, 1e-3))
    sides = points[:, 0] > 0.0
    assert sides.any()
    assert not sides.all()
    np.testing.assert_allclose(points[sides, 3], -0.6)
    np.testing.assert_allclose(points[~sides, 3], 0.6)


def test_directions_on_one_side_agree_on_the_other() -> None:
    """A corner on a plate: three faces of the corner push three ways, the plate one."""
    position = 0.01 * np.array([(1.0, 0.0, 0.1), (-0.5, 0.8, 0.1), (-0.5, -0.8, 0.1)])
    push = np.array([(0.8, 0.0, 0.6), (-0.4, 0.69, 0.6), (-0.4, -0.69, 0.6)])
    push /= np.linalg.norm(push, axis=1, keepdims=True)
    points = chosen(position, push, np.full(3, 1e-3), other=np.tile(UP, (3, 1)))
    np.testing.assert_allclose(points[:, 3:6], np.tile(UP, (len(points), 1)), atol=1e-12)


def test_a_sliver_of_another_direction_is_left_out() -> None:
    position = np.concatenate([grid(), [(0.5, 0.0, 0.0)]])
    push = np.concatenate([np.tile(UP, (25, 1)), [(1.0, 0.0, 0.0)]])
    load = np.ones(26)
    load[25] = 0.5 * LEAST_SHARE * 25.0
    points = chosen(position, push, np.full(26, 1e-3), load=load)
    np.testing.assert_allclose(points[:, 5], 1.0)


def test_elements_without_weight_have_no_points() -> None:
    assert len(chosen(grid(), np.tile(UP, (25, 1)), np.full(25, 1e-3), load=np.zeros(25))) == 0


@pytest.mark.parametrize("seed", range(5))
def test_more_directions_than_groups_are_bounded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    push = rng.normal(size=(200, 3))
    push /= np.linalg.norm(push, axis=1, keepdims=True)
    points = chosen(rng.normal(size=(200, 3)), push, rng.uniform(1e-4, 1e-3, 200))
    assert 0 < len(points) <= GROUPS * POINTS
    assert np.isfinite(points).all()
    np.testing.assert_allclose(np.linalg.norm(points[:, 3:6], axis=1), 1.0)


def test_a_small_patch_is_one_point_and_areas_add_up() -> None:
    position, depth = grid(), np.full(25, 1e-3)
    load = depth * 0.04
    (point,) = chosen(position, np.tile(UP, (25, 1)), depth, load=load, small=0.8)
    np.testing.assert_allclose(point, (0.0, 0.0, 0.0, *UP, 1e-3, 1.0), atol=1e-12)
    several = chosen(position, np.tile(UP, (25, 1)), depth, load=load, small=0.1)
    assert len(several) >= 4
    assert several[:, 7].sum() == pytest.approx(1.0)


def test_one_element_is_one_point() -> None:
    points = chosen(np.array([(0.1, 0.2, 0.3)]), np.array([UP]), np.array([2e-3]))
    np.testing.assert_allclose(points, [(0.1, 0.2, 0.3, *UP, 2e-3, 500.0)])  # load over depth
