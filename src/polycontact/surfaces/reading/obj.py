"""Wavefront OBJ: vertices and polygonal faces; groups, materials, normals and textures are ignored.

Lines are found and parsed as arrays. Where all faces have the same form (``7``, ``7/1``, ``7//3``, ``7/1/3``)
their indices are parsed as one array too; a mixture takes a loop over the faces.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.face_polygons import Polygons, check_polygons, split_polygons
from polycontact.surfaces.reading.limits import MAX_POLYGON_CORNERS
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource, shown
from polycontact.surfaces.reading.text import (
    IS_SPACE,
    TextLines,
    parse_numbers,
    split_lines,
    token_starts,
    tokens_per_row,
)

_SLASH, _MINUS, _PLUS, _BLANK = (np.uint8(ord(character)) for character in "/-+ ")
_OUT_OF_RANGE_INDEX = 2**62  # an index that is out of range for certain and still fits into 64 bits


def read_obj(source: MeshSource) -> RawMesh:
    """Read the vertices and faces of an OBJ file."""
    lines = split_lines(source, comment=b"#", continued=True)
    vertex_lines, face_lines = _lines_with(lines, b"v"), _lines_with(lines, b"f")
    vertices = _read_vertices(lines, vertex_lines)
    written, counts = _read_corners(lines, face_lines)
    known = np.searchsorted(vertex_lines, face_lines)  # vertices before each face: what -1 counts back from
    corners = np.where(written < 0, written + np.repeat(known, counts), written - 1)
    corners[written == 0] = -1
    polygons = Polygons(corners, counts)
    check_polygons(
        source,
        polygons,
        len(vertices),
        lambda i: f"line {lines.number_of(face_lines[i])}: face {i + 1}",
        written,
    )
    triangles, notes = split_polygons(source, vertices, polygons)
    return RawMesh(vertices, triangles, source.path, MeshFormat.OBJ, notes=notes)


def _lines_with(lines: TextLines, keyword: bytes) -> NDArray[np.int64]:
    """Lines whose first word is the one-letter ``keyword``."""
    first, second = lines.characters[lines.keywords], lines.characters[lines.keywords + 1]
    return np.flatnonzero((first == keyword[0]) & IS_SPACE[second])


def _read_vertices(lines: TextLines, vertex_lines: NDArray[np.int64]) -> NDArray[np.float64]:
    """Positions (n, 3); a weight or a colour after them is ignored."""
    rows = lines.numbers(vertex_lines, skip=1)
    short = np.flatnonzero(rows.counts < 3)
    if len(short):
        count = int(rows.counts[short[0]])
        lines.source.fail(
            f"vertex {int(short[0]) + 1} has {count} coordinates instead of 3; mend the line or export again",
            line=lines.number_of(vertex_lines[short[0]]),
        )
    return np.asarray(rows.values[rows.offsets[:-1, None] + np.arange(3)], dtype=np.float64)


def _read_corners(lines: TextLines, face_lines: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Vertex indices of all faces as written, flat, and the number of corners of each face."""
    written, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for block in lines.blocks(face_lines):
        picked = lines.pick(block, skip=1)
        tokens = tokens_per_row(picked)
        corners = _parse_uniform_corners(picked.characters)
        if corners is None or len(corners) != tokens.sum():
            corners, tokens = _parse_corners_one_by_one(lines, block)
        written.append(corners)
        counts.append(tokens)
    return np.concatenate(written), np.concatenate(counts)


def _parse_uniform_corners(characters: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """Vertex indices where all corners have the same form, otherwise None."""
    slashes = characters == _SLASH
    per_corner = 1
    if slashes.any():
        starts = np.flatnonzero(token_starts(characters))
        slash_counts = np.add.reduceat(slashes, starts, dtype=np.int64)
        doubled = int(np.count_nonzero(slashes[1:] & slashes[:-1]))
        if np.any(slash_counts != slash_counts[0]) or doubled not in (0, len(starts)):
            return None
        per_corner = int(slash_counts[0]) + 1 - (doubled > 0)
        characters = np.where(slashes, _BLANK, characters)
    # A sign inside a number would make two of it and hide a missing one elsewhere.
    signs = np.flatnonzero((characters == _MINUS) | (characters == _PLUS))
    if np.any(~IS_SPACE[characters[signs - 1]] & (signs > 0)):
        return None
    values = parse_numbers(characters, np.dtype(np.int64))
    if values is None or len(values) % per_corner:
        return None
    return np.ascontiguousarray(values.reshape(-1, per_corner)[:, 0])


def _parse_corners_one_by_one(
    lines: TextLines, face_lines: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    written, counts = array("q"), array("q")
    for line in face_lines.tolist():
        tokens = lines.content(line, skip=1).split(None, MAX_POLYGON_CORNERS + 1)
        for token in tokens:
            written.append(_corner(lines, token, line))
        counts.append(len(tokens))
    return np.array(written, dtype=np.int64), np.array(counts, dtype=np.int64)


def _corner(lines: TextLines, token: bytes, line: int) -> int:
    parts = token.split(b"/", 3)
    try:
        if len(parts) <= 3 and b"_" not in token:
            for ignored in filter(None, parts[1:]):
                int(ignored)
            return max(-_OUT_OF_RANGE_INDEX, min(int(parts[0]), _OUT_OF_RANGE_INDEX))
    except ValueError:
        pass
    raise lines.source.error(
        f"{shown(token)} is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn with integers",
        line=lines.number_of(line),
    )
