"""STL, text and binary: triangles with corners of their own, which are merged where they are bit-identical.

A binary file may begin with the word "solid", like a text file: the size of the file decides.
"""

from __future__ import annotations

import re
import struct

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.face_polygons import refuse_too_many
from polycontact.surfaces.reading.merge import merge_identical
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource, shown
from polycontact.surfaces.reading.text import TextLines, split_lines

HEADER_BYTES = 84
"""Comment (80) and number of triangles (4) of a binary file."""

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""One triangle of a binary file, 50 bytes."""

_SNIFFED_BYTES = 4096
_FIRST_FACET = re.compile(rb"\n\s*facet\s+normal\s+[-+.\d]")
_BINARY = re.compile(rb"[^\t-\r -~\x80-\xff]")


def _code(keyword: bytes) -> int:
    return int.from_bytes(keyword[:4], "big")


_FACET = (b"facet", b"outer", b"vertex", b"vertex", b"vertex", b"endloop", b"endfacet")
_FACET_CODES = np.array([_code(keyword) for keyword in _FACET], dtype=np.uint32)
_SOLID, _ENDSOLID, _VERTEX = _code(b"solid"), _code(b"endsolid"), _code(b"vertex")


def read_stl(source: MeshSource) -> RawMesh:
    """Read the triangles of an STL file, text or binary."""
    corners = _read_text(source) if is_text_stl(source.data) else _read_binary(source)
    vertices, index = merge_identical(corners)
    notes = (f"{len(corners)} corners merged into {len(vertices)} vertices where bit-identical",)
    return RawMesh(vertices, index.reshape(-1, 3), source.path, MeshFormat.STL, notes=notes)


def is_binary_stl(data: bytes) -> bool:
    """Whether the size is exactly that of a binary file with the number of triangles it announces."""
    return len(data) >= HEADER_BYTES and len(data) == _binary_size(_announced(data))


def is_text_stl(data: bytes) -> bool:
    """Whether this is a text file rather than a (possibly damaged) binary one."""
    if is_binary_stl(data):
        return False
    head = data[:_SNIFFED_BYTES].lower()
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"solid")
    return begins and (b"\0" not in head or _FIRST_FACET.search(head) is not None)


def _announced(data: bytes) -> int:
    return int(struct.unpack_from("<I", data, 80)[0])


def _binary_size(n_triangles: int) -> int:
    return HEADER_BYTES + RECORD.itemsize * n_triangles


def _read_binary(source: MeshSource) -> NDArray[np.float32]:
    data = source.data
    if not _BINARY.search(data[:_SNIFFED_BYTES]):
        source.fail(
            f"this is text, but not that of an STL file, which begins with 'solid': it begins with "
            f"{shown(data.lstrip()[:40])}; give it the extension of its format, or export it again",
            line=1,
        )
    if len(data) < HEADER_BYTES:
        source.fail(
            f"has {len(data)} bytes; a binary STL file has at least {HEADER_BYTES} and a text one begins "
            "with "
            f"'solid': the file is truncated or no STL, export it again"
        )
    n_triangles = _announced(data)
    if len(data) != _binary_size(n_triangles):
        source.fail(
            f"the header announces {n_triangles} triangles, which take {_binary_size(n_triangles)} bytes, "
            "but the "
            f"file has {len(data)}; it is truncated or damaged: export it again"
        )
    _refuse_none(source, n_triangles)
    refuse_too_many(source, n_triangles)
    records = np.frombuffer(data, dtype=RECORD, offset=HEADER_BYTES)
    return np.ascontiguousarray(records["corners"]).reshape(-1, 3)


def _refuse_none(source: MeshSource, n_triangles: int) -> None:
    if n_triangles == 0:
        source.fail("holds no triangles; export the mesh again")


def _read_text(source: MeshSource) -> NDArray[np.float64]:
    lines = split_lines(source)
    filled = lines.filled()
    codes = lines.keyword_codes(4)
    _check_solids(lines, filled, codes)
    facet_lines = filled[(codes[filled] != _SOLID) & (codes[filled] != _ENDSOLID)]
    _check_facets(lines, facet_lines, codes)
    _refuse_none(source, len(facet_lines))
    refuse_too_many(source, len(facet_lines) // len(_FACET))
    vertex_lines = facet_lines[codes[facet_lines] == _VERTEX]
    rows = lines.numbers(vertex_lines, skip=len(b"vertex"))
    bad = np.flatnonzero(rows.counts != 3)
    if len(bad):
        count = int(rows.counts[bad[0]])
        line = lines.number_of(vertex_lines[bad[0]])
        source.fail(f"vertex has {count} coordinates instead of 3; mend the line or export again", line=line)
    return np.asarray(rows.values, dtype=np.float64).reshape(-1, 3)


def _check_solids(lines: TextLines, filled: NDArray[np.int64], codes: NDArray[np.uint32]) -> None:
    """Refuse a file whose solids are not all ended: it was cut off."""
    marks = filled[(codes[filled] == _SOLID) | (codes[filled] == _ENDSOLID)]
    solids = codes[marks] == _SOLID
    last_is_end = len(marks) > 0 and marks[-1] == filled[-1] and not solids[-1]
    if last_is_end and len(marks) % 2 == 0 and np.array_equal(solids, np.arange(len(marks)) % 2 == 0):
        return
    line = lines.number_of(filled[-1])
    lines.source.fail("the file ends without 'endsolid' of each 'solid'; it is truncated: export it again", line=line)


def _check_facets(lines: TextLines, facet_lines: NDArray[np.int64], codes: NDArray[np.uint32]) -> None:
    """Refuse anything but facets of seven lines, each with one loop of three vertices."""
    expected = np.resize(_FACET_CODES, len(facet_lines))
    wrong = np.flatnonzero(codes[facet_lines] != expected)
    if not len(wrong) and len(facet_lines) % len(_FACET) == 0:
        return
    at = int(wrong[0]) if len(wrong) else len(facet_lines) - 1
    keyword = _FACET[at % len(_FACET)].decode() if len(wrong) else "a complete facet"
    lines.source.fail(
        f"expected {keyword!r}, found {shown(lines.content(int(facet_lines[at])))}; a facet has one loop "
        "of three "
        f"vertices on seven lines: mend the file or export it again",
        line=lines.number_of(facet_lines[at]),
    )
