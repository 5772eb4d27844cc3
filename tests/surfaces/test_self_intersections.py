"""The search for self-intersections against brute force and an independent test of triangle pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from polycontact.surfaces.inspection import self_intersections
from polycontact.surfaces.inspection.box_search import overlapping_boxes
from polycontact.surfaces.inspection.self_intersections import find_self_intersections

TOLERANCE = 1e-9


def segment_pierces(a: NDArray[np.float64], b: NDArray[np.float64], triangle: NDArray[np.float64]) -> bool:
    """Whether segment a–b passes through a triangle (Möller and Trumbore 1997)."""
    p, q, r = triangle
    direction = b - a
    h = np.cross(direction, r - p)
    determinant = (q - p) @ h
    u = (a - p) @ h / determinant
    s = np.cross(a - p, q - p)
    v = direction @ s / determinant
    t = (r - p) @ s / determinant
    return bool(u > 0 and v > 0 and u + v < 1 and 0 < t < 1)


def triangles_cross(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether a side of one triangle passes through the other."""
    return any(
        segment_pierces(x[i], x[(i + 1) % 3], y) for x, y in ((first, second), (second, first)) for i in range(3)
    )


def test_random_triangles_agree_with_an_independent_test() -> None:
    rng = np.random.default_rng(3)
    points = rng.random((360, 3)) + np.repeat(rng.random((120, 3)), 3, axis=0)
    triangles = np.arange(360).reshape(-1, 3)
    found = find_self_intersections(points, triangles, TOLERANCE)
    expected = [
        (i, j) for i, j in combinations(range(120), 2) if triangles_cross(points[triangles[i]], points[triangles[j]])
    ]
    assert len(expected) > 100
    assert [tuple(pair) for pair in found.pairs.tolist()] == expected
    assert found.complete
    assert not np.any(found.overlap)


def test_triangles_that_share_a_vertex_agree_with_an_independent_test() -> None:
    rng = np.random.default_rng(4)
    points = np.concatenate(([[0.0, 0.0, 0.0]], rng.normal(size=(120, 3))))
    triangles = np.stack((np.zeros(60, dtype=int), np.arange(1, 120, 2), np.arange(2, 121, 2)), axis=1)
    found = find_self_intersections(points, triangles, TOLERANCE)
    expected = [
        (i, j)
        for i, j in combinations(range(60), 2)
        if segment_pierces(*points[triangles[i, 1:]], points[triangles[j]])
        or segment_pierces(*points[triangles[j, 1:]], points[triangles[i]])
    ]
    assert len(expected) > 10
    assert [tuple(pair) for pair in found.pairs.tolist()] == expected


def test_overlapping_boxes_agree_with_brute_force() -> None:
    rng = np.random.default_rng(5)
    lower = rng.random((300, 3))
    upper = lower + 0.2 * rng.random((300, 3))
    found = np.concatenate([pairs.copy() for pairs in overlapping_boxes(lower, upper)])
    meet = np.all((lower[:, None] <= upper[None]) & (lower[None] <= upper[:, None]), axis=2)
    expected = np.argwhere(np.triu(meet, 1))
    assert len(found) == len(expected)
    assert {tuple(sorted(pair)) for pair in found.tolist()} == {tuple(pair) for pair in expected.tolist()}


def test_buffers_are_handed_over_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.surfaces.inspection.box_search.PAIRS_AT_A_TIME", 7)
    lower = np.zeros((40, 3))
    parts = [pairs.copy() for pairs in overlapping_boxes(lower, lower + 1.0)]
    assert max(len(part) for part in parts) == 7
    assert len(np.unique(np.sort(np.concatenate(parts), axis=1), axis=0)) == 40 * 39 // 2


def test_search_ends_at_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    points = rng.random((3000, 3))
    triangles = np.arange(3000).reshape(-1, 3)
    monkeypatch.setattr(self_intersections, "MAX_FOUND", 50)
    found = find_self_intersections(points, triangles, TOLERANCE)
    assert len(found.pairs) == 50
    assert not found.complete


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_neighbours_never_count(angle: float) -> None:
    """Flat regions, aligned or not, share whole planes and still do not overlap."""
    mesh = trimesh.creation.box()
    mesh = mesh.subdivide().subdivide().subdivide()
    mesh.apply_transform(trimesh.transformations.rotation_matrix(angle, [1, 2, 3]))
    found = find_self_intersections(np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64), 1e-6)
    assert len(found.pairs) == 0
