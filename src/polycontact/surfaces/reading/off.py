"""OFF: counts, a line for each vertex, a line for each face; also COFF, NOFF and STOFF variants.

Numbers after the three coordinates of a vertex (normal, colour, texture) and after the corners of a face
(colour) are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.face_polygons import (
    Polygons,
    check_polygons,
    polygons_of_numbers,
    split_polygons,
)
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource, shown
from polycontact.surfaces.reading.text import TextLines, split_lines, take_runs
from polycontact.wording import counted

HEADER = re.compile(rb"(?:ST)?C?N?(4?n?)OFF(?=[\s#]|$)")
"""First word of the file; the group is not empty for points that are not of three dimensions."""


def read_off(source: MeshSource) -> RawMesh:
    """Read the vertices and faces of a text OFF file."""
    lines = split_lines(source, comment=b"#")
    n_vertices, n_faces, body = _read_counts(lines)
    vertices = _read_vertices(lines, body[:n_vertices])
    face_lines = body[n_vertices : n_vertices + n_faces]
    polygons = _read_faces(lines, face_lines)
    check_polygons(source, polygons, n_vertices, _locate(lines, face_lines))
    triangles, notes = split_polygons(source, vertices, polygons)
    return RawMesh(vertices, triangles, source.path, MeshFormat.OFF, notes=notes)


def _read_counts(lines: TextLines) -> tuple[int, int, NDArray[np.int64]]:
    """Announced numbers of vertices and faces, and the lines after them, of which there are enough."""
    filled = lines.filled()
    if not len(filled):
        lines.source.fail("holds nothing but comments; export the mesh again")
    at, words = 0, lines.content(int(filled[0])).split(None, 4)
    header = HEADER.match(words[0])
    if header:
        _check_variant(lines, header, words)
        words = words[1:]
        if not words and len(filled) > 1:
            at, words = 1, lines.content(int(filled[1])).split(None, 4)
    line = lines.number_of(filled[at])
    if not (2 <= len(words) <= 3 and all(word.isdigit() and len(word) < 19 for word in words)):
        lines.source.fail(
            f"expected the numbers of vertices, faces and edges, found {shown(b' '.join(words))}; an OFF "
            "file "
            f"begins with 'OFF' and these numbers",
            line=line,
        )
    n_vertices, n_faces = int(words[0]), int(words[1])
    body = filled[at + 1 :]
    if len(body) != n_vertices + n_faces:
        lines.source.fail(
            f"announces {n_vertices} vertices and {n_faces} faces, one on each line, but "
            f"{counted(len(body), 'line follows', 'lines follow')}; the file is truncated or damaged: export it again",
            line=line,
        )
    return n_vertices, n_faces, body


def _check_variant(lines: TextLines, header: re.Match[bytes], words: list[bytes]) -> None:
    if header[1]:
        lines.source.fail(f"{shown(words[0])} has points of other than 3 dimensions; export it as OFF", line=1)
    if b"BINARY" in words[1:2]:
        lines.source.fail("is a binary OFF file, which is not supported; export it as text", line=1)


def _read_vertices(lines: TextLines, vertex_lines: NDArray[np.int64]) -> NDArray[np.float64]:
    rows = lines.numbers(vertex_lines)
    short = np.flatnonzero(rows.counts < 3)
    if len(short):
        count, line = int(rows.counts[short[0]]), lines.number_of(vertex_lines[short[0]])
        lines.source.fail(f"vertex {int(short[0])} has {count} coordinates instead of 3", line=line)
    return np.asarray(rows.values[rows.offsets[:-1, None] + np.arange(3)], dtype=np.float64)


def _read_faces(lines: TextLines, face_lines: NDArray[np.int64]) -> Polygons:
    """Faces on lines ``n i_1 ... i_n``, with anything after them."""
    rows = lines.numbers(face_lines)
    starts = rows.offsets[:-1]
    counts, available = rows.values[starts], rows.counts - 1
    bad = np.flatnonzero(~((counts >= 0) & (counts <= available) & (counts == np.floor(counts))))
    if len(bad):
        lines.source.fail(
            f"face {int(bad[0])} announces {counts[bad[0]]:g} corners, but {int(available[bad[0]])} numbers follow",
            line=lines.number_of(face_lines[bad[0]]),
        )
    sizes = counts.astype(np.int64)
    corners = take_runs(rows.values, starts + 1, sizes)
    return polygons_of_numbers(lines.source, corners, sizes, _locate(lines, face_lines))


def _locate(lines: TextLines, face_lines: NDArray[np.int64]) -> Callable[[int], str]:
    return lambda i: f"line {lines.number_of(int(face_lines[i]))}: face {i}"
