"""Splitting polygons: exact cover, orientation and every corner used, for convex and concave ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.ear_clipping import Pieces, newell_normals, triangulate_polygon
from polycontact.surfaces.reading import face_polygons as polygons_module
from polycontact.surfaces.reading.face_polygons import Polygons, split_polygons
from polycontact.surfaces.reading.merge import merge_identical
from polycontact.surfaces.reading.source import MeshSource

Array = NDArray[np.float64]
SOURCE = MeshSource(Path("part.obj"), b"")


def in_space(flat: Array, seed: int = 0) -> Array:
    """A planar polygon turned and moved somehow."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    rotation *= np.linalg.det(rotation)
    return np.column_stack((flat, np.zeros(len(flat)))) @ rotation.T + rng.normal(size=3)


def assert_exact_cover(points: Array, triangles: NDArray[np.integer]) -> None:
    """All triangles turn with the polygon, add up to its area, use every corner and share inner sides."""
    assert triangles.shape == (len(points) - 2, 3)
    area_vector = newell_normals(points[None])[0]
    area = np.linalg.norm(area_vector)
    a, b, c = (points[triangles[:, i]] for i in range(3))
    areas = np.cross(b - a, c - a) @ area_vector / area
    assert (areas > 0).all()
    assert np.isclose(areas.sum(), area, rtol=1e-9)
    assert set(triangles.ravel().tolist()) == set(range(len(points)))
    sides = {(int(t[i]), int(t[i - 2])) for t in triangles for i in range(3)}
    assert len(sides) == 3 * len(triangles)
    outer = {(i, (i + 1) % len(points)) for i in range(len(points))}
    assert {side for side in sides if side[::-1] not in sides} == outer


def split(points: Array) -> Pieces:
    pieces = triangulate_polygon(points)
    assert_exact_cover(points, pieces.triangles)
    assert pieces.simple
    return pieces


def star(angles: list[float], radii: list[float]) -> Array:
    angle = np.sort(np.array(angles))
    return np.array(radii)[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)


def with_corners_on_sides(flat: Array, shares: list[float]) -> Array:
    after = np.roll(flat, -1, axis=0)
    rows = [np.stack((p, *(p + s * (q - p) for s in sorted(shares)))) for p, q in zip(flat, after, strict=True)]
    return np.concatenate(rows)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 50])
def test_regular_polygons(n: int) -> None:
    angle = np.arange(n) * 2 * np.pi / n
    split(in_space(np.stack((np.cos(angle), np.sin(angle)), axis=1), seed=n))


@pytest.mark.parametrize("reflex", range(4))
def test_concave_quads(reflex: int) -> None:
    arrow = np.roll(np.array([[0.2, 0.2], [1, 0], [1, 1], [0, 1.0]]), reflex, axis=0)
    arrow[reflex] = [0.6, 0.6]
    points = in_space(arrow)
    split(points)
    polygons = Polygons(np.arange(4), np.array([4]))
    assert_exact_cover(points, split_polygons(SOURCE, points, polygons).triangles)


def test_comb() -> None:
    x = np.arange(100.0)
    teeth = np.column_stack((x, np.where(x % 2, 50.0, 1.0)))[::-1]
    split(in_space(np.vstack(([[0, 0], [99, 0]], teeth))))


@pytest.mark.parametrize("inward", [True, False])
def test_spiral(inward: bool) -> None:
    t = np.linspace(1, 40, 600)
    inner, outer = (np.stack((r * np.cos(t), r * np.sin(t)), axis=1) for r in (t, t + 2))
    flat = np.vstack((inner[::-1], outer)) if inward else np.vstack((inner, outer[::-1]))
    split(in_space(flat))


def test_hole_joined_by_a_bridge() -> None:
    flat = np.array([(0, 0), (4, 0), (4, 4), (0, 4), (0, 0), (1, 1), (1, 2), (2, 2), (2, 1), (1, 1)], dtype=float)
    points = in_space(flat)
    pieces = triangulate_polygon(points)
    a, b, c = (points[pieces.triangles[:, i]] for i in range(3))
    assert pieces.simple
    assert np.isclose(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum(), 2 * (16 - 1))


def test_triangle_with_corners_on_its_sides() -> None:
    triangle = np.array([[0, 0], [1, 0], [0, 1.0]])
    split(in_space(with_corners_on_sides(triangle, [0.25, 0.5])))
    split(np.column_stack((with_corners_on_sides(triangle, [1 / 3, 2 / 3]), np.zeros(9))))


@given(
    st.lists(st.floats(0.05, 1.0), min_size=4, max_size=25),
    st.lists(st.floats(0.01, 0.99), max_size=2, unique_by=lambda share: round(share, 2)),
    st.integers(0, 1000),
)
def test_random_stars(radii: list[float], shares: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = 2 * np.pi / len(radii)
    angles = steps * (np.arange(len(radii)) + rng.uniform(0, 0.5, len(radii)))
    split(in_space(with_corners_on_sides(star(angles.tolist(), radii), shares), seed))


def test_warped_quad() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0.1], [1, 1, 0], [0, 1, 0.1]])
    assert triangulate_polygon(points).triangles.shape == (2, 3)


@pytest.mark.parametrize(
    "points",
    [
        [(0, 0, 0), (1, 1, 0), (1, 0, 0), (0, 1, 0)],
        [(0, 0, 0)] * 5,
        [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)],
        [(0, 0, 0), (np.nan, 0, 0), (2, 1, 0), (3, 0, 0)],
        [(0, 0, 0), (np.inf, 0, 0), (2, 1, 0), (3, 0, 0)],
        [(0, 0, 0), (1e300, 0, 0), (1e300, 1e300, 0), (0, 1e300, 0)],
        [(0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 0)],
    ],
)
def test_degenerate_polygons_still_give_triangles(points: list[tuple[float, float, float]]) -> None:
    pieces = triangulate_polygon(np.array(points, dtype=float))
    assert pieces.triangles.shape == (len(points) - 2, 3)
    assert not pieces.simple


def test_polygons_that_cross_themselves_are_noted() -> None:
    points = np.array([(0, 0, 0), (1, 1, 0), (1, 0, 0), (0, 1, 0)], dtype=float)
    found = split_polygons(SOURCE, points, Polygons(np.arange(4), np.array([4])))
    assert "doubtful" in found.notes[1]


def test_mixture_of_faces_in_order() -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(3, 9, size=200)
    points, corners = [], []
    for i, n in enumerate(counts.tolist()):
        angle = np.arange(n) * 2 * np.pi / n
        points.append(in_space(rng.uniform(0.2, 1, n)[:, None] * np.stack((np.cos(angle), np.sin(angle)), 1), i))
        corners.append(np.arange(n) + sum(map(len, points[:-1])))
    triangles = split_polygons(SOURCE, np.concatenate(points), Polygons(np.concatenate(corners), counts)).triangles
    at = 0
    for face, part in zip(corners, points, strict=True):
        assert_exact_cover(part, triangles[at : at + len(face) - 2] - face[0])
        at += len(face) - 2
    assert at == len(triangles)


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polygons_module, "MAX_CLIPPING_WORK", 1000)
    flat = with_corners_on_sides(np.array([[0, 0], [1, 0], [0, 1.0]]), np.linspace(0, 1, 20)[1:-1].tolist())
    with pytest.raises(SurfaceError, match="triangulate the mesh"):
        split_polygons(SOURCE, in_space(flat), Polygons(np.arange(len(flat)), np.array([len(flat)])))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_merging_agrees_with_sorting(dtype: type) -> None:
    points = np.random.default_rng(0).integers(-3, 3, size=(5000, 3)).astype(dtype) / dtype(4)
    vertices, index = merge_identical(points)
    assert len(vertices) == len(np.unique(points, axis=0))
    assert np.array_equal(vertices[index], points)
    first = [int(np.flatnonzero(index == i)[0]) for i in range(len(vertices))]
    assert first == sorted(first)


def test_merging_survives_a_bad_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "polycontact.surfaces.reading.merge._hash_rows", lambda bits: np.zeros(len(bits), dtype=np.uint64)
    )
    points = np.array([[0, 0, 1], [0, 1, 0], [0, 0, 1], [-0.0, 1, 0]])
    vertices, index = merge_identical(points)
    assert vertices.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert index.tolist() == [0, 1, 0, 1]
