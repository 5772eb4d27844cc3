"""Which format a file has: from its content where that is unmistakable, otherwise from its extension."""

from __future__ import annotations

import re

from polycontact.surfaces.reading import gltf_outline, off, step_file
from polycontact.surfaces.reading.other_formats import what_to_do
from polycontact.surfaces.reading.raw_mesh import MeshFormat
from polycontact.surfaces.reading.source import MeshSource, shown
from polycontact.surfaces.reading.stl import is_binary_stl

EXTENSIONS = {
    ".obj": MeshFormat.OBJ,
    ".stl": MeshFormat.STL,
    ".ply": MeshFormat.PLY,
    ".off": MeshFormat.OFF,
    ".gltf": MeshFormat.GLTF,
    ".glb": MeshFormat.GLTF,
    ".3mf": MeshFormat.THREEMF,
    ".dxf": MeshFormat.DXF,
    ".step": MeshFormat.STEP,
    ".stp": MeshFormat.STEP,
}
"""Formats by extension, in lower case."""

_SNIFFED_BYTES = 4096
_OBJ_PREFACE = rb"(?:[ \t\r]*\n|[ \t]*(?:#|(?:o|g|s|mtllib|usemtl)[ \t])[^\n]*\n)*"
_OBJ = re.compile(_OBJ_PREFACE + rb"[ \t]*v[ \t]+(?:[-+.\deE]+[ \t]+){2}[-+.\d]")
_TEXT_STL = re.compile(rb"\s*solid\b.*\bfacet\s+normal\b", re.IGNORECASE | re.DOTALL)
_DXF = re.compile(rb"\s*(?:999[^\n]*\n[^\n]*\n\s*)*0[ \t]*(?:\r\n|\n|\r)[ \t]*SECTION[ \t]*[\r\n]")


def recognise(source: MeshSource) -> MeshFormat:
    """The format of a file; an unknown extension is accepted where the content tells."""
    extension = source.path.suffix.lower()
    expected = EXTENSIONS.get(extension)
    if expected is MeshFormat.STL and is_binary_stl(source.data):
        return expected
    found = _from_content(source.data) or expected
    if found is None and is_binary_stl(source.data):
        return MeshFormat.STL
    if found is None:
        known = what_to_do(extension, source.data)
        if known:
            source.fail(known)
        source.fail(
            f"unknown extension {shown(extension)}, and the content is of no known format either; convert the mesh "
            f"to one of {' '.join(EXTENSIONS)}: from a CAD program best STEP, from others STL, OBJ or PLY"
        )
    return found


def _from_content(data: bytes) -> MeshFormat | None:
    head = data[:_SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf")
    start = head.lstrip()
    if head.startswith(gltf_outline.MAGIC) or (start.startswith(b"{") and b'"asset"' in data):
        return MeshFormat.GLTF
    if head.startswith(b"PK\x03\x04"):
        return MeshFormat.THREEMF
    if head.startswith((b"ply\n", b"ply\r")):
        return MeshFormat.PLY
    if start.startswith(step_file.MARK):
        return MeshFormat.STEP
    if off.HEADER.match(start):
        return MeshFormat.OFF
    if _TEXT_STL.match(head):
        return MeshFormat.STL
    if _OBJ.match(head):
        return MeshFormat.OBJ
    if _DXF.match(head):
        return MeshFormat.DXF
    return None
