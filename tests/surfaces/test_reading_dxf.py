"""Reading DXF: 3DFACE and polyface meshes of ASCII drawings, damaged files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, RawMesh, read_mesh
from polycontact.surfaces.reading.dxf import read_dxf
from polycontact.surfaces.reading.source import MeshSource

Points = list[tuple[float, float, float]]
SQUARE: Points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]


def face(points: Points) -> str:
    corners = [(i, *point) for i, point in enumerate(points)]
    return "0\n3DFACE\n8\n0\n" + "".join(
        f"{10 + i}\n{x!r}\n{20 + i}\n{y!r}\n{30 + i}\n{z!r}\n" for i, x, y, z in corners
    )


def drawing(entities: str) -> str:
    return (
        "999\nmade by hand\n0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1009\n0\nENDSEC\n"
        f"0\nSECTION\n2\nBLOCKS\n{face(SQUARE)}0\nENDSEC\n0\nSECTION\n2\nENTITIES\n{entities}0\nENDSEC\n0\nEOF\n"
    )


def polyface(faces: list[tuple[int, ...]]) -> str:
    text = "0\nPOLYLINE\n8\n0\n66\n1\n70\n64\n71\n4\n72\n1\n"
    for x, y, z in SQUARE:
        text += f"0\nVERTEX\n8\n0\n10\n{x}\n20\n{y}\n30\n{z}\n70\n192\n"
    for corners in faces:
        text += "0\nVERTEX\n8\n0\n10\n0\n20\n0\n30\n0\n70\n128\n"
        text += "".join(f"{71 + i}\n{corner}\n" for i, corner in enumerate(corners))
    return text + "0\nSEQEND\n"


def read(text: str | bytes) -> RawMesh:
    return read_dxf(MeshSource(Path("part.dxf"), text if isinstance(text, bytes) else text.encode()))


def refused(text: str | bytes) -> str:
    with pytest.raises(SurfaceError) as error:
        read(text)
    assert str(error.value).startswith("part.dxf: ")
    return str(error.value)


def test_box_written_as_faces(tmp_path: Path) -> None:
    box = trimesh.creation.box((1.1, 2.2, 3.3))
    corners = box.vertices[box.faces].tolist()
    (tmp_path / "box.dxf").write_text(drawing("".join(face([*map(tuple, t), tuple(t[2])]) for t in corners)))
    mesh = read_mesh(tmp_path / "box.dxf")
    assert mesh.format is MeshFormat.DXF
    assert len(mesh.vertices) == 8
    assert np.array_equal(mesh.vertices[mesh.triangles], corners)
    assert "36 corners merged into 8" in mesh.notes[0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_quads_become_two_triangles(end: str) -> None:
    mesh = read(drawing(face(SQUARE)).replace("\n", end))
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


def test_faces_with_three_corners_or_a_repeated_one() -> None:
    repeated = [[SQUARE[i] for i in corners] for corners in ((0, 1, 2, 2), (0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 0))]
    mesh = read(drawing("".join(map(face, [SQUARE[:3], *repeated]))))
    assert len(mesh.triangles) == 5
    areas = np.linalg.norm(np.cross(*np.diff(mesh.vertices[mesh.triangles], axis=1).transpose(1, 0, 2)), axis=1)
    assert np.allclose(areas, 1.0)


def test_degenerate_faces_are_kept() -> None:
    assert len(read(drawing(face([SQUARE[0], SQUARE[0], SQUARE[1], SQUARE[1]]))).triangles) == 1


def test_polyface_mesh() -> None:
    mesh = read(drawing(polyface([(1, 2, -3), (1, 3, 4, 0)]) + face(SQUARE[:3])))
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]
    assert len(read(drawing(polyface([(1, 2, 3, 4)]))).triangles) == 2


def test_other_entities_and_encodings_are_skipped() -> None:
    text = drawing("0\nLINE\n8\nGehäuse\n10\n0\n0\nINSERT\n2\nBOLT\n" + face(SQUARE)).encode("latin-1")
    mesh = read(text)
    assert len(mesh.triangles) == 2
    assert "1 LINE" in mesh.notes[1]
    assert "1 INSERT" in mesh.notes[1]


def test_open_polylines_are_skipped() -> None:
    polyline = "0\nPOLYLINE\n66\n1\n70\n8\n0\nVERTEX\n10\n0\n20\n0\n0\nSEQEND\n"
    assert "1 POLYLINE" in read(drawing(polyline + face(SQUARE))).notes[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (drawing(face(SQUARE)).replace("0\nEOF\n", ""), ["EOF", "truncated"]),
        (drawing(face(SQUARE)).replace("10\n0\n", "10\nzero\n"), ["3DFACE", "'zero'", "line"]),
        (drawing(face(SQUARE)).replace("12\n1\n", ""), ["3DFACE", "group code 12", "line"]),
        (drawing(face(SQUARE)).replace("8\n0\n", "8\n"), ["line"]),
        (drawing(""), ["no 3DFACE", "nothing"]),
        (drawing("0\nLINE\n10\n0\n"), ["no 3DFACE", "1 LINE"]),
        (drawing(polyface([(1, 2, 9)])), ["vertex 9", "line"]),
        (drawing(polyface([(1, 2, 3)])).replace("70\n64", "70\nx"), ["'x'", "POLYLINE"]),
        (b"AutoCAD Binary DXF\r\n\x1a\0", ["binary", "ASCII"]),
        ("what is this\n", ["line 1", "group code"]),
    ],
)
def test_damaged(text: str | bytes, words: list[str]) -> None:
    message = refused(text)
    for word in words:
        assert word in message


def test_nan_is_kept() -> None:
    assert np.isnan(read(drawing(face([(float("nan"), 0, 0), *SQUARE[1:]]))).vertices).any()
