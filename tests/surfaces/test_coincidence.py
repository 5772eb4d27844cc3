"""Coincident points: within the tolerance of their representative, never beyond, in bounded memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polycontact.surfaces.inspection import coincidence
from polycontact.surfaces.inspection.coincidence import representatives
from scenes import examples


def distances(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=-1))


steps = st.integers(0, 12).map(lambda k: 0.3 * k)


@settings(max_examples=examples(150), deadline=None)
@given(points=st.lists(st.tuples(steps, steps, st.sampled_from([0.0, 0.1])), min_size=1, max_size=40))
def test_groups_are_no_wider_than_the_tolerance_allows(points: list[tuple[float, float, float]]) -> None:
    x = np.array(points)
    result = representatives(x, 1.0)
    assert np.array_equal(result[result], result)
    assert np.all(result <= np.arange(len(x)))
    assert np.all(np.linalg.norm(x - x[result], axis=1) <= 1.0)
    kept = np.unique(result)
    apart = distances(x[kept]) + 2.0 * np.eye(len(kept))
    assert np.all(apart > 1.0)


def test_tolerance_zero_joins_equal_points_only() -> None:
    points = np.array([[0.0, 0, 0], [1e-300, 0, 0], [-0.0, 0, 0], [1, 2, 3], [1, 2, 3]])
    assert representatives(points, 0.0).tolist() == [0, 1, 0, 3, 3]


def test_points_that_gaps_part_need_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_tree(*_: object) -> None:
        raise AssertionError("asked for")

    monkeypatch.setattr(coincidence, "_merge_near", no_tree)
    grid = np.stack(np.meshgrid(*3 * [np.arange(6.0)]), axis=-1).reshape(-1, 3)
    assert np.array_equal(representatives(grid, 0.9), np.arange(len(grid)))


def test_points_with_company_are_found_among_many_without() -> None:
    rng = np.random.default_rng(5)
    grid = np.stack(np.meshgrid(*3 * [np.arange(8.0)]), axis=-1).reshape(-1, 3)
    chosen = rng.choice(len(grid), 40, replace=False)
    points = np.concatenate((grid, grid[chosen] + rng.uniform(-0.1, 0.1, (40, 3))))
    expected = np.arange(len(points))
    expected[len(grid) :] = chosen
    assert np.array_equal(representatives(points, 0.2), expected)


def test_no_points() -> None:
    assert representatives(np.empty((0, 3)), 1.0).tolist() == []


@pytest.mark.parametrize("spread", [1e-3, 3.0])
def test_crowds_are_thinned_without_moving_far(spread: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coincidence, "MAX_PAIRS_PER_POINT", 4)
    points = np.random.default_rng(0).normal(scale=spread, size=(2000, 3))
    result = representatives(points, 1.0)
    assert np.array_equal(result[result], result)
    assert np.all(np.linalg.norm(points - points[result], axis=1) <= 1.0)
    if spread < 0.1:
        assert len(np.unique(result)) < 30
