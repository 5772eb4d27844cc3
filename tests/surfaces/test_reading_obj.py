"""Reading OBJ: what exporters write, what the format allows, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, RawMesh, read_mesh
from polycontact.surfaces.reading.obj import read_obj
from polycontact.surfaces.reading.source import MeshSource

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def read(text: str | bytes) -> RawMesh:
    data = text if isinstance(text, bytes) else text.encode()
    return read_obj(MeshSource(Path("part.obj"), data))


def refused(text: str | bytes) -> str:
    with pytest.raises(SurfaceError) as error:
        read(text)
    assert str(error.value).startswith("part.obj: ")
    return str(error.value)


def test_agrees_with_trimesh(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(subdivisions=3)
    ball.export(tmp_path / "ball.obj", digits=17, include_normals=True)
    mesh = read_mesh(tmp_path / "ball.obj")
    assert mesh.format is MeshFormat.OBJ
    assert mesh.name == "ball.obj"
    assert mesh.unit is None
    assert mesh.notes == ()
    assert np.array_equal(mesh.vertices[mesh.triangles], ball.vertices[ball.faces])
    assert mesh.vertices.dtype == np.float64
    assert mesh.triangles.dtype == np.int32


def test_arrays_are_read_only() -> None:
    mesh = read(SQUARE + "f 1 2 3\n")
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        mesh.triangles[0, 0] = 1


@pytest.mark.parametrize(
    "face",
    ["1 2 3", "1/1 2/1 3/1", "1//1 2//1 3//1", "1/1/1 2/1/1 3/1/1", "-4 -3 -2", "-4//-1 -3//-1 -2//-1"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_forms_of_corners(face: str, end: str) -> None:
    text = (SQUARE + "vt 0 0\nvn 0 0 1\nf " + face + "\n").replace("\n", end)
    assert read(text).triangles.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("face", ["1 2//1 3", "1/ 2/1 3", "1/1/ 2 3/", "+1 2 3", "1 2/1 -2/1/1"])
def test_mixed_forms_of_corners(face: str) -> None:
    assert read(SQUARE + f"f {face}\nf 1/1 3/1 4/1\n").triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


def test_negative_indices_count_back_from_the_face() -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf -3 -2 -1\nf 1 2 4\n"
    assert read(text).triangles.tolist() == [[0, 1, 2], [3, 4, 5], [0, 1, 3]]


def test_everything_else_is_ignored() -> None:
    text = (
        "# a comment\n\nmtllib a b.mtl\no object\ng group one\nusemtl steel\ns off\n"
        "  v 0 0 0 1.0\n\tv 1 0 0 # here\nv 1e0 1 0 0.5 0.5 0.5\nv\t.0 1. -0\nvn 0 0 1\nvt 0 0\nvp 1\n"
        "l 1 2\np 1\nf 1 2 \\\n  3\nf 1 \\\r\n3 4\nusemtl path\\\\name"
    )
    mesh = read(text)
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


def test_a_backslash_in_a_comment_does_not_continue_it() -> None:
    assert len(read(SQUARE + "# C:\\meshes\\\nf 1 2 3\n").triangles) == 1


def test_byte_order_mark_and_utf8_names() -> None:
    assert len(read(b"\xef\xbb\xbf" + ("# Gehäuse\n" + SQUARE + "f 1 2 3").encode()).triangles) == 1


def test_polygons_keep_the_order_of_faces() -> None:
    text = SQUARE + "v 0.5 2 0\nf 1 2 3 4\nf 1 2 3\nf 1 2 3 5 4\n"
    mesh = read(text)
    assert len(mesh.triangles) == 2 + 1 + 3
    assert mesh.triangles[2].tolist() == [0, 1, 2]
    assert "2 polygons of 4 to 5 corners" in mesh.notes[0]


def test_coordinates_that_are_not_finite_are_kept() -> None:
    mesh = read("v nan 0 0\nv inf 0 0\nv 0 -INF 0\nf 1 2 3\n")
    assert np.isnan(mesh.vertices[0, 0])
    assert mesh.vertices[1, 0] == np.inf
    assert mesh.vertices[2, 1] == -np.inf


@given(st.lists(st.tuples(*[st.floats(allow_nan=False)] * 3), min_size=3, max_size=20))
def test_every_float_survives(points: list[tuple[float, float, float]]) -> None:
    text = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points) + "f 1 2 3\n"
    assert np.array_equal(read(text).vertices, np.array(points))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (SQUARE + "f 1 2 9\n", 5, ["vertex 9", "4 vertices"]),
        (SQUARE + "f 1 2 3\n\nf 1 2 0\n", 7, ["vertex 0"]),
        (SQUARE + "f 1 2 -5\n", 5, ["vertex -5"]),
        (SQUARE + "f 1 2 99999999999999999999999999\n", 5, ["4 vertices"]),
        (SQUARE + "f 1/1 2 99999999999999999999999999\n", 5, ["4 vertices"]),
        (SQUARE + "f 1 2\n", 5, ["2 corners", "at least 3"]),
        (SQUARE + "f\n", 5, ["0 corners"]),
        (SQUARE + "f 1 2 x\n", 5, ["'x'", "corner"]),
        (SQUARE + "f 1 2 3.5\n", 5, ["'3.5'"]),
        (SQUARE + "f 1/1/1/1 2 3\n", 5, ["'1/1/1/1'"]),
        (SQUARE + "f 1 2 1_0\n", 5, ["'1_0'"]),
        (SQUARE + "f 1-2 /3 4\n", 5, ["'1-2'"]),
        ("v 0 0\nf 1 1 1\n", 1, ["2 coordinates"]),
        ("v 0 0 0\nv 0 zero 0\nf 1 1 1\n", 2, ["'zero'", "not a number"]),
        ("v 0 0 1_0\nf 1 1 1\n", 1, ["'1_0'"]),
        ("v 0 0 0\nv 1 \\\n 0 0\n\nv 0 1 q\nf 1 2 3\n", 5, ["'q'"]),
        ("v 0 0 0\r\nv 1 0 0\r\nv 0 1 q\r\nf 1 2 3\r\n", 3, ["'q'"]),
        ("v 0 0 0\rv 1 0 0\rv 0 1 q\rf 1 2 3\r", 3, ["'q'"]),
    ],
)
def test_errors_name_line_value_and_remedy(text: str, line: int, words: list[str]) -> None:
    message = refused(text)
    assert f"line {line}: " in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("text", ["v 0 0 0\n", "# nothing\n", "\n\n\n", "hello world\n", "\0" * 100])
def test_no_faces(text: str) -> None:
    assert "no faces" in refused(text)


@pytest.mark.parametrize(
    "comment", [b"# caf\xe9", b"# caf\xe9 \0 bar", b"o Geh\xe4use\0", b"\xef\xbb\xbf# caf\xc3\xa9"]
)
def test_names_and_comments_in_any_encoding(comment: bytes) -> None:
    mesh = read(comment + b"\n" + SQUARE.encode() + b"f 1 2 3\n")
    assert (len(mesh.vertices), len(mesh.triangles)) == (4, 1)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_characters(encoding: str) -> None:
    message = refused((SQUARE + "f 1 2 3\n").encode(encoding))
    assert "UTF-16" in message
    assert "save it as UTF-8" in message


def test_polygons_with_too_many_corners() -> None:
    message = refused(SQUARE + "f" + " 1" * 10_001 + "\n")
    assert "10001 corners" in message
    assert "line 5" in message


def test_long_values_are_cut_in_messages() -> None:
    assert len(refused(SQUARE + "f 1 2 " + "x" * 100_000)) < 400


def test_blocks_of_lines_give_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    trimesh.creation.icosphere(subdivisions=2).export(tmp_path / "ball.obj")
    whole = read_mesh(tmp_path / "ball.obj")
    monkeypatch.setattr("polycontact.surfaces.reading.text._BLOCK_BYTES", 50)
    blocks = read_mesh(tmp_path / "ball.obj")
    assert np.array_equal(whole.vertices, blocks.vertices)
    assert np.array_equal(whole.triangles, blocks.triangles)
