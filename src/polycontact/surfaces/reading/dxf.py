"""ASCII DXF: the 3DFACE entities and polyface meshes of the drawing; everything else is skipped.

DXF shares no vertices between faces: bit-identical ones are merged. Text may be in any encoding (the code
page of the drawing), since only numbers are read.
"""

from __future__ import annotations

import io
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.face_polygons import Polygons, check_polygons, split_polygons
from polycontact.surfaces.reading.merge import merge_identical
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource, shown

BINARY_MARK = b"AutoCAD Binary DXF"
"""First bytes of a binary DXF file, which is not supported."""

_FLAGS = 70
_POLYFACE, _POSITION, _FACE_RECORD = 64, 64, 128
_CORNER_CODES = (71, 72, 73, 74)


class _Entity(NamedTuple):
    """An entity: its kind, the line of its name, and its values by group code."""

    kind: bytes
    line: int
    values: dict[int, bytes]


def read_dxf(source: MeshSource) -> RawMesh:
    """Read the faces of an ASCII DXF drawing."""
    if source.data.startswith(BINARY_MARK):
        source.fail("is a binary DXF file, which is not supported; export it as ASCII DXF (R12)")
    collector = _FaceCollector(source)
    for entity in _entities(source):
        collector.add(entity)
    vertices, polygons, merged = collector.finish()
    check_polygons(source, polygons, len(vertices), lambda i: f"face {i}")
    triangles, notes = split_polygons(source, vertices, polygons)
    return RawMesh(vertices, triangles, source.path, MeshFormat.DXF, notes=(*merged, *notes))


def _tags(source: MeshSource) -> Iterator[tuple[int, bytes, int]]:
    """Group code, value and line of the code: a DXF file is a sequence of such pairs of lines."""
    data = source.data if b"\n" in source.data else source.data.replace(b"\r", b"\n")
    lines = io.BytesIO(data)
    number = 1
    for code_line in lines:
        value_line = lines.readline()
        try:
            code = int(code_line)
        except ValueError:
            source.fail(
                f"{shown(code_line.strip())} is not a group code; the file is no ASCII DXF or damaged: export it again",
                line=number,
            )
        value = value_line.strip()
        yield code, value, number
        if code == 0 and value == b"EOF":
            return
        number += 2
    source.fail("the drawing ends without 'EOF'; it is truncated: export it again", line=number)


def _entities(source: MeshSource) -> Iterator[_Entity]:
    """Entities of the section ENTITIES."""
    inside, section_begins = False, False
    entity: _Entity | None = None
    for code, value, line in _tags(source):
        if code == 0:
            if entity is not None and inside:
                yield entity
            entity = _Entity(value, line, {})
            section_begins = value == b"SECTION"
            inside = inside and value != b"ENDSEC"
        elif code == 2 and section_begins:
            inside, section_begins, entity = value == b"ENTITIES", False, None
        elif entity is not None and inside and code < 100:
            entity.values[code] = value


class _FaceCollector:
    """Gathers corners of faces; the positions of a polyface mesh are kept until its faces refer to them."""

    def __init__(self, source: MeshSource) -> None:
        self.source = source
        self.coordinates = array("d")
        self.counts = array("q")
        self.positions: list[tuple[float, float, float]] | None = None
        self.skipped: Counter[str] = Counter()

    def add(self, entity: _Entity) -> None:
        """Add the faces of an entity, or a vertex of the polyface mesh that is being read."""
        if entity.kind == b"3DFACE":
            points = [self._point(entity, i) for i in range(3 + (13 in entity.values))]
            self._add_face(points)
        elif entity.kind == b"POLYLINE":
            self.positions = [] if self._integer(entity, _FLAGS) & _POLYFACE else None
            if self.positions is None:
                self._skip("POLYLINE")
        elif entity.kind == b"VERTEX" and self.positions is not None:
            self._add_polyface_vertex(entity, self.positions)
        elif entity.kind == b"SEQEND":
            self.positions = None
        elif entity.kind != b"VERTEX":
            self._skip(entity.kind[:20].decode("ascii", "replace"))

    def finish(self) -> tuple[NDArray[np.float64], Polygons, tuple[str, ...]]:
        """Merged vertices, faces, and notes on what was done."""
        if not self.counts:
            found = ", ".join(f"{count} {kind}" for kind, count in self.skipped.most_common(5)) or "nothing"
            self.source.fail(
                f"the drawing has no 3DFACE and no polyface mesh, but {found}; export the surface as 3DFACE"
            )
        corners = np.array(self.coordinates, dtype=np.float64).reshape(-1, 3)
        vertices, index = merge_identical(corners)
        notes = [f"{len(corners)} corners merged into {len(vertices)} vertices where bit-identical"]
        if self.skipped:
            kinds = ", ".join(f"{count} {kind}" for kind, count in self.skipped.most_common(5))
            notes.append(f"entities skipped: {kinds}")
        return vertices, Polygons(index.astype(np.int64), np.array(self.counts, dtype=np.int64)), tuple(notes)

    def _add_polyface_vertex(self, entity: _Entity, positions: list[tuple[float, float, float]]) -> None:
        flags = self._integer(entity, _FLAGS)
        if not flags & _FACE_RECORD or flags & _POSITION:
            positions.append(self._point(entity, 0))
            return
        # A negative index marks an invisible edge, zero a corner that is not used.
        corners = [abs(self._integer(entity, code)) for code in _CORNER_CODES]
        used = [corner for corner in corners if corner]
        for corner in used:
            if corner > len(positions):
                self._fail(entity, f"refers to vertex {corner}, but the polyface mesh has {len(positions)}")
        if len(used) >= 3:
            self._add_face([positions[corner - 1] for corner in used])

    def _add_face(self, points: list[tuple[float, float, float]]) -> None:
        # The format writes a triangle as a quad with a corner repeated.
        if len(points) == 4:
            distinct = [point for i, point in enumerate(points) if point != points[i - 1]]
            points = distinct if len(distinct) >= 3 else points[:3]
        for point in points:
            self.coordinates.extend(point)
        self.counts.append(len(points))

    def _skip(self, kind: str) -> None:
        if len(self.skipped) < 1000 or kind in self.skipped:
            self.skipped[kind] += 1

    def _point(self, entity: _Entity, i: int) -> tuple[float, float, float]:
        x, y = (self._number(entity, code + i, None) for code in (10, 20))
        return x, y, self._number(entity, 30 + i, b"0")

    def _number(self, entity: _Entity, code: int, default: bytes | None) -> float:
        text = entity.values.get(code, default)
        if text is None:
            self._fail(entity, f"has no value with group code {code}")
        try:
            return float(text)
        except ValueError:
            self._fail(entity, f"has {shown(text)} with group code {code}; expected a number")

    def _integer(self, entity: _Entity, code: int) -> int:
        text = entity.values.get(code, b"0")
        try:
            return int(text)
        except ValueError:
            self._fail(entity, f"has {shown(text)} with group code {code}; expected an integer")

    def _fail(self, entity: _Entity, message: str) -> NoReturn:
        kind = entity.kind[:20].decode("ascii", "replace")
        self.source.fail(f"{kind} {message}; mend the drawing or export it again", line=entity.line)
