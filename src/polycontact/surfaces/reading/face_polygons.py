"""Faces of any number of corners, as a file lists them, checked and then split into triangles.

In: `Polygons` from a reader. Out: `Triangulation`. Triangles pass through; faces that one corner sees as a
whole (all convex ones) become fans, many at a time; the few others are clipped ear by ear in `ear_clipping`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.ear_clipping import fan, fans_are_valid, newell_normals, triangulate_polygon
from polycontact.surfaces.reading.limits import MAX_CLIPPING_WORK, MAX_POLYGON_CORNERS
from polycontact.surfaces.reading.source import MeshSource
from polycontact.tolerances import MAX_TRIANGLES

_GROUP_CORNERS = 1 << 20  # corners that are worked on at a time: bounds the memory of intermediate arrays
_FAN_STARTS = 16  # corners from which a fan is tried; a small concave face seldom needs more
_EXACT_INTEGERS = 2.0**53  # below it a float64 holds every integer


class Polygons(NamedTuple):
    """Faces: ``corners`` (flat) are vertex indices from 0, ``counts`` how many belong to each face."""

    corners: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Index of the first corner of each face, and the end of the last."""
        return np.concatenate(([0], np.cumsum(self.counts)))


class Triangulation(NamedTuple):
    """Triangles (m, 3) in the order of the faces, and what had to be done."""

    triangles: NDArray[np.int32]
    notes: tuple[str, ...]


def polygons_of_numbers(
    source: MeshSource, corners: NDArray[Any], counts: NDArray[np.int64], locate: Callable[[int], str]
) -> Polygons:
    """Faces from indices that a text file may have written as any number; fractions and nan are refused."""
    bad = np.flatnonzero(~((np.abs(corners) < _EXACT_INTEGERS) & (corners == np.floor(corners))))
    if len(bad):
        face = int(np.searchsorted(np.cumsum(counts), bad[0], side="right"))
        source.fail(f"{locate(face)} has the corner {corners[bad[0]]:g}; expected the index of a vertex")
    return Polygons(corners.astype(np.int64), counts)


def check_polygons(
    source: MeshSource,
    polygons: Polygons,
    n_vertices: int,
    locate: Callable[[int], str],
    written: NDArray[np.int64] | None = None,
) -> None:
    """Refuse faces with too few or too many corners or with indices out of range.

    ``locate`` names a face by its index ("line 12: face 3"); ``written`` are the indices as the file has
    them, for the message.
    """
    if not len(polygons.counts):
        source.fail("holds no faces; export the mesh as triangles or polygons, not as points or curves")
    few, many = polygons.counts < 3, polygons.counts > MAX_POLYGON_CORNERS
    bad = np.flatnonzero(few | many)
    if len(bad):
        corners = int(polygons.counts[bad[0]])
        limit = f"needs at least 3; remove it{_others(len(bad))}"
        if corners > MAX_POLYGON_CORNERS:
            limit = f"may have at most {MAX_POLYGON_CORNERS}; triangulate the mesh before exporting it"
        source.fail(f"{locate(int(bad[0]))} has {corners} corners; a face {limit}")
    _refuse_out_of_range(source, polygons, n_vertices, locate, written)
    refuse_too_many(source, int(polygons.counts.sum() - 2 * len(polygons.counts)))


def _refuse_out_of_range(
    source: MeshSource,
    polygons: Polygons,
    n_vertices: int,
    locate: Callable[[int], str],
    written: NDArray[np.int64] | None,
) -> None:
    bad = np.flatnonzero((polygons.corners < 0) | (polygons.corners >= n_vertices))
    if not len(bad):
        return
    face = int(np.searchsorted(polygons.offsets, bad[0], side="right")) - 1
    value = int((polygons.corners if written is None else written)[bad[0]])
    source.fail(
        f"{locate(face)} refers to vertex {value}, but the file has {n_vertices} vertices; the file is "
        "damaged or "
        f"incomplete: export the mesh again{_others(len(bad))}"
    )


def _others(count: int) -> str:
    return f" ({count} such places)" if count > 1 else ""


def refuse_too_many(source: MeshSource, n_triangles: int) -> None:
    """Refuse more triangles than a surface may have, before memory is taken for them."""
    if n_triangles > MAX_TRIANGLES:
        source.fail(f"the mesh has {n_triangles} triangles, the limit is {MAX_TRIANGLES}; reduce the mesh or split it")


def split_polygons(source: MeshSource, vertices: NDArray[np.float64], polygons: Polygons) -> Triangulation:
    """Triangles of checked ``polygons``: n - 2 for n corners, each with the orientation of its face."""
    counts, offsets = polygons.counts, polygons.offsets
    if not np.any(counts != 3):
        return Triangulation(polygons.corners.reshape(-1, 3).astype(np.int32), ())
    out_offsets = np.concatenate(([0], np.cumsum(counts - 2)))
    triangles = np.empty((int(out_offsets[-1]), 3), dtype=np.int32)
    doubtful = work = 0
    for n in np.unique(counts).tolist():
        faces = np.flatnonzero(counts == n)
        size = max(1, _GROUP_CORNERS // n)
        for group in (faces[i : i + size] for i in range(0, len(faces), size)):
            corners = polygons.corners[offsets[group][:, None] + np.arange(n)]
            parts, clipped = _split_fans(vertices, corners)
            work += len(clipped) * n * n
            if work > MAX_CLIPPING_WORK:
                source.fail(
                    f"its concave polygons of up to {n} corners take too long to split (sum of corners² over "
                    f"{MAX_CLIPPING_WORK}); triangulate the mesh before exporting it"
                )
            doubtful += _clip_ears(vertices, corners, parts, clipped)
            triangles[out_offsets[group][:, None] + np.arange(n - 2)] = parts
    return Triangulation(triangles, _notes(counts, doubtful))


def _split_fans(
    vertices: NDArray[np.float64], corners: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Fans (k, n - 2, 3) of faces (k, n), and the indices of those for which a fan is wrong."""
    n = corners.shape[1]
    parts = corners[:, fan(n)]
    if n == 3:
        return parts, np.zeros(0, dtype=np.int64)
    points = vertices[corners]
    normals = newell_normals(points)
    wrong = np.flatnonzero(~fans_are_valid(points, normals, start=0))
    for start in range(1, min(n, _FAN_STARTS)):
        if not len(wrong):
            break
        valid = fans_are_valid(points[wrong], normals[wrong], start=start)
        parts[wrong[valid]] = np.roll(corners[wrong[valid]], -start, axis=1)[:, fan(n)]
        wrong = wrong[~valid]
    return parts, wrong


def _clip_ears(
    vertices: NDArray[np.float64],
    corners: NDArray[np.int64],
    parts: NDArray[np.int64],
    faces: NDArray[np.int64],
) -> int:
    """Replace the fans of ``faces`` in ``parts`` by clipped ears; returns how many faces are not simple."""
    doubtful = 0
    for face in faces.tolist():
        pieces = triangulate_polygon(vertices[corners[face]])
        parts[face] = corners[face][pieces.triangles]
        doubtful += not pieces.simple
    return doubtful


def _notes(counts: NDArray[np.int64], doubtful: int) -> tuple[str, ...]:
    polygons = counts[counts > 3]
    notes = [f"{len(polygons)} polygons of 4 to {int(polygons.max())} corners split into triangles"]
    if doubtful:
        notes.append(f"{doubtful} polygons are degenerate or cross themselves: their triangles are doubtful")
    return tuple(notes)
