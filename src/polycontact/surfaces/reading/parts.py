"""Putting placed copies of parts into one mesh, for formats with instances (glTF, 3MF)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.face_polygons import refuse_too_many
from polycontact.surfaces.reading.limits import MAX_INSTANCES, MAX_VERTICES
from polycontact.surfaces.reading.source import MeshSource


class Part(NamedTuple):
    """A mesh in its own frame: vertices (n, 3) and triangles (m, 3)."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]


class Placement(NamedTuple):
    """A copy of part number ``part``, moved by the 4 x 4 ``matrix`` that acts on columns (x, y, z, 1).

    ``name``: that of its node in the file, as far as it has one.
    """

    part: int
    matrix: NDArray[np.float64]
    name: str = ""


def refuse_too_many_instances(source: MeshSource, count: int) -> None:
    """Refuse more placed copies than `MAX_INSTANCES`."""
    if count > MAX_INSTANCES:
        source.fail(
            f"places more than {MAX_INSTANCES} copies of its parts; export the mesh without instances or split it"
        )


def place_parts(source: MeshSource, parts: Mapping[int, Part], placements: Sequence[Placement]) -> Part:
    """All placed copies as one mesh; mirrored copies are reversed, so that outside stays outside."""
    refuse_too_many_instances(source, len(placements))
    n_triangles = sum(len(parts[placement.part].triangles) for placement in placements)
    n_vertices = sum(len(parts[placement.part].vertices) for placement in placements)
    if n_triangles == 0:
        source.fail("places no triangles; export the mesh again as triangles, in the scene or build that is shown")
    refuse_too_many(source, n_triangles)
    if n_vertices > MAX_VERTICES:
        source.fail(f"the mesh has {n_vertices} vertices, the limit is {MAX_VERTICES}; reduce the mesh or split it")
    vertices = np.empty((n_vertices, 3))
    triangles = np.empty((n_triangles, 3), dtype=np.int32)
    vertex = triangle = 0
    for placement in placements:
        part = parts[placement.part]
        after_vertex, after_triangle = vertex + len(part.vertices), triangle + len(part.triangles)
        vertices[vertex:after_vertex] = _moved(part.vertices, placement.matrix)
        triangles[triangle:after_triangle] = _oriented(part.triangles, placement.matrix) + np.int32(vertex)
        vertex, triangle = after_vertex, after_triangle
    return Part(vertices, triangles)


def _moved(vertices: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.array_equal(matrix, np.eye(4)):
        return vertices
    with np.errstate(all="ignore"):
        return np.asarray(vertices @ matrix[:3, :3].T + matrix[:3, 3])


def _oriented(triangles: NDArray[np.int32], matrix: NDArray[np.float64]) -> NDArray[np.int32]:
    with np.errstate(all="ignore"):
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
    return triangles[:, ::-1] if mirrored else triangles
