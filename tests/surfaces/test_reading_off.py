"""Reading OFF: headers and their variants, colours, damaged files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, RawMesh, read_mesh
from polycontact.surfaces.reading.off import read_off
from polycontact.surfaces.reading.source import MeshSource

TEXT = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"


def read(text: str) -> RawMesh:
    return read_off(MeshSource(Path("part.off"), text.encode()))


def refused(text: str) -> str:
    with pytest.raises(SurfaceError) as error:
        read(text)
    assert str(error.value).startswith("part.off: ")
    return str(error.value)


def test_agrees_with_trimesh(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(subdivisions=3)
    ball.export(tmp_path / "ball.off", digits=17)
    mesh = read_mesh(tmp_path / "ball.off")
    assert mesh.format is MeshFormat.OFF
    assert np.array_equal(mesh.vertices, ball.vertices)
    assert np.array_equal(mesh.triangles, ball.faces)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("OFF\n", "OFF "),
        TEXT.replace("OFF\n", ""),
        TEXT.replace("4 2 0", "4 2"),
        "# made by hand\n\n" + TEXT.replace("\n", " # comment\n\n"),
        TEXT.replace("3 0 1 2", "3 0 1 2 255 0 0"),
        TEXT.replace("3 0 1 2", "3 0 1 2 0.5 0.5 0.5 1").replace("OFF", "COFF").replace("1 1 0", "1 1 0 9 9 9 9"),
        TEXT.replace("OFF", "NOFF").replace("1 1 0", "1 1 0 0 0 1"),
        TEXT.replace("OFF", "STCNOFF"),
        TEXT.replace("3 0 1 2\n3 0 2 3", "4 0 1 2 3").replace("4 2 0", "4 1 0"),
    ],
)
def test_variants(text: str) -> None:
    mesh = read(text)
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("4 2 0", "5 2 0", ["line 2", "announces 5 vertices", "6 lines follow"]),
        ("4 2 0", "4 3000000000 0", ["announces 4 vertices and 3000000000 faces"]),
        ("4 2 0", "4 1 0", ["line 2"]),
        ("4 2 0", "4 two 0", ["line 2", "two"]),
        ("4 2 0", "-4 2 0", ["line 2", "-4"]),
        ("4 2 0", "9" * 5000 + " 2 0", ["line 2"]),
        ("OFF", "4OFF", ["3 dimensions"]),
        ("OFF", "nOFF", ["3 dimensions"]),
        ("OFF", "OFF BINARY", ["binary"]),
        ("OFF", "WHAT", ["line 1", "WHAT"]),
        ("1 1 0\n", "1 1\n", ["line 5", "vertex 2", "2 coordinates"]),
        ("1 1 0\n", "1 l 0\n", ["line 5", "'l'"]),
        ("3 0 2 3", "3 0 2 4", ["line 8", "vertex 4"]),
        ("3 0 2 3", "3 0 2 -1", ["line 8", "vertex -1"]),
        ("3 0 2 3", "3 0 2 nan", ["line 8", "nan"]),
        ("3 0 2 3", "3 0 2 0.5", ["line 8", "0.5"]),
        ("3 0 2 3", "3 0 2", ["line 8", "announces 3 corners"]),
        ("3 0 2 3", "2 0 2", ["line 8", "2 corners"]),
        ("3 0 2 3", "1e300 0 2 3", ["line 8", "1e+300"]),
    ],
)
def test_damaged(old: str, new: str, words: list[str]) -> None:
    message = refused(TEXT.replace(old, new, 1))
    for word in words:
        assert word in message


@pytest.mark.parametrize("text", ["OFF", "OFF\n", "# only a comment\n", "\n\n", "OFF\n0 0 0\n"])
def test_nothing_there(text: str) -> None:
    refused(text)


def test_nan_is_kept() -> None:
    assert np.isnan(read(TEXT.replace("1 1 0\n", "1 nan 0\n")).vertices[2, 1])
