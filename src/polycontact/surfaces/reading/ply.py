"""PLY, text and binary: the ``vertex`` and ``face`` elements; other elements and properties are skipped."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.face_polygons import (
    Polygons,
    check_polygons,
    polygons_of_numbers,
    refuse_too_many,
    split_polygons,
)
from polycontact.surfaces.reading.ply_body import Column, Table, read_ply_tables
from polycontact.surfaces.reading.ply_header import PlyElement, PlyHeader, read_ply_header
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource

_INDEX_NAMES = ("vertex_indices", "vertex_index")


def read_ply(source: MeshSource) -> RawMesh:
    """Read the vertices and faces of a PLY file."""
    header = read_ply_header(source)
    _check_elements(source, header)
    tables = read_ply_tables(source, header, wanted=frozenset({"vertex", "face"}))
    vertices = _read_vertices(tables["vertex"])
    polygons = _read_faces(source, tables["face"])
    check_polygons(source, polygons, len(vertices), _face_name)
    triangles, notes = split_polygons(source, vertices, polygons)
    skipped = [element.name for element in header.elements if element.name not in tables]
    if skipped:
        notes = (*notes, f"elements skipped: {', '.join(skipped[:10])}")
    return RawMesh(vertices, triangles, source.path, MeshFormat.PLY, notes=notes)


def _check_elements(source: MeshSource, header: PlyHeader) -> None:
    vertex, face = _only_element(source, header, "vertex"), _only_element(source, header, "face")
    numbers = {entry.name for entry in vertex.properties if entry.count_type is None}
    missing = [name for name in "xyz" if name not in numbers]
    if missing:
        source.fail(f"vertices have no property {missing[0]!r}; export the mesh again", line=vertex.line)
    lists = {entry.name: entry for entry in face.properties if entry.count_type is not None}
    found = [lists[name] for name in _INDEX_NAMES if name in lists]
    if not found or found[0].value_type.kind not in "iu":
        source.fail(
            f"faces have no list of integers named {' or '.join(_INDEX_NAMES)}; export the mesh again",
            line=face.line,
        )
    refuse_too_many(source, face.count)


def _only_element(source: MeshSource, header: PlyHeader, name: str) -> PlyElement:
    found = [element for element in header.elements if element.name == name]
    if len(found) != 1:
        names = ", ".join(element.name for element in header.elements[:10]) or "none"
        source.fail(
            f"expected one element {name!r} in the header, found {len(found)} (elements: {names}); export "
            "the mesh "
            f"as vertices and faces"
        )
    return found[0]


def _read_vertices(table: Table) -> NDArray[np.float64]:
    return np.stack([table[axis].values.astype(np.float64) for axis in "xyz"], axis=1)


def _read_faces(source: MeshSource, table: Table) -> Polygons:
    column: Column = next(table[name] for name in _INDEX_NAMES if name in table)
    return polygons_of_numbers(source, column.values, column.counts, _face_name)


def _face_name(face: int) -> str:
    return f"element 'face', row {face}"
