"""Reading STL: text and binary, merging of corners, damaged files."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, RawMesh, read_mesh
from polycontact.surfaces.reading.source import MeshSource
from polycontact.surfaces.reading.stl import read_stl

FACET = "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n endloop\nendfacet\n"
TEXT = f"solid a part\n{FACET}endsolid a part\n"


def read(data: bytes | str) -> RawMesh:
    return read_stl(MeshSource(Path("part.stl"), data if isinstance(data, bytes) else data.encode()))


def refused(data: bytes | str) -> str:
    with pytest.raises(SurfaceError) as error:
        read(data)
    assert str(error.value).startswith("part.stl: ")
    return str(error.value)


def binary(corners: np.ndarray, *, header: bytes = b"", count: int | None = None) -> bytes:
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0) for triangle in corners)
    return header.ljust(80, b"\0") + struct.pack("<I", len(corners) if count is None else count) + records


@pytest.mark.parametrize("kind", ["stl", "stl_ascii"])
def test_agrees_with_trimesh(tmp_path: Path, kind: str) -> None:
    ball = trimesh.creation.icosphere(subdivisions=3)
    ball.export(tmp_path / "ball.stl", file_type=kind)
    mesh = read_mesh(tmp_path / "ball.stl")
    assert mesh.format is MeshFormat.STL
    assert len(mesh.vertices) == len(ball.vertices)
    assert np.allclose(mesh.vertices[mesh.triangles], ball.vertices[ball.faces], atol=1e-7)
    assert f"merged into {len(ball.vertices)} vertices" in mesh.notes[0]


def test_binary_coordinates_are_exact() -> None:
    corners = np.random.default_rng(0).normal(size=(7, 3, 3)).astype(np.float32)
    mesh = read(binary(corners))
    assert np.array_equal(mesh.vertices[mesh.triangles], corners.astype(np.float64))


def test_both_zeros_are_one_vertex() -> None:
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[-0.0, -0.0, 0.0], [1, 0, -0.0], [0, 1, 0]]])
    assert len(read(binary(corners)).vertices) == 3
    assert len(read(TEXT.replace("endsolid", FACET.replace(" 0", " -0.0") + "endsolid")).vertices) == 3


def test_vertices_that_differ_by_a_bit_stay_apart() -> None:
    near = np.nextafter(np.float32(1), np.float32(2))
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [near, 0, 0], [0, 1, 0]]])
    assert len(read(binary(corners)).vertices) == 4


def test_binary_that_begins_with_solid() -> None:
    corners = np.eye(3)[None]
    assert len(read(binary(corners, header=b"solid facet normal")).triangles) == 1


def test_nan_is_kept() -> None:
    corners = np.full((1, 3, 3), np.nan)
    assert np.isnan(read(binary(corners)).vertices).all()
    assert np.isnan(read(TEXT.replace("vertex 1 ", "vertex nan ")).vertices).any()


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.upper(),
        TEXT.replace("\n", "\n\n"),
        "\n  " + TEXT,
        TEXT.replace("solid a part", "solid"),
        TEXT + TEXT,
        TEXT.replace(" outer", " " * 100 + "outer"),
    ],
)
def test_variants_of_text(text: str) -> None:
    assert len(read(text).vertices) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace("endsolid a part\n", ""), ["endsolid", "truncated"]),
        (TEXT[: TEXT.index("endloop")], ["truncated"]),
        (TEXT.replace(" endloop\n", ""), ["line 7", "'endloop'"]),
        (TEXT.replace("  vertex 0 1 0\n", "  vertex 0 1 0\n  vertex 0 2 0\n"), ["line 7", "three"]),
        (TEXT.replace("vertex 1 0 0", "vertex 1 0"), ["line 5", "2 coordinates"]),
        (TEXT.replace("vertex 1 0 0", "vertex 1 0 x"), ["line 5", "'x'"]),
        (TEXT.replace("endsolid", "rubbish\nendsolid"), ["'rubbish'", "line 9"]),
        ("solid\nendsolid\n", ["no triangles"]),
    ],
)
def test_damaged_text(text: str, words: list[str]) -> None:
    message = refused(text)
    for word in words:
        assert word in message


def test_text_in_another_encoding() -> None:
    for name in ("Geh\xe4use", "Geh\xe4use \0 2"):
        assert len(read(TEXT.replace("a part", name).encode("latin-1")).triangles) == len(read(TEXT.encode()).triangles)


def test_text_of_another_format(tmp_path: Path) -> None:
    """OBJ is read as what it is; of other text it is said that it is no STL."""
    path = tmp_path / "part.stl"
    path.write_bytes(b"# made by hand\no part\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert read_mesh(path).format is MeshFormat.OBJ
    message = refused("Dear colleague,\nhere is the part.\n" * 10)
    assert "this is text, but not that of an STL file" in message
    assert "'Dear colleague" in message


@pytest.mark.parametrize("count", [0, 1, 3, 4_000_000_000])
def test_wrong_count(count: int) -> None:
    message = refused(binary(np.zeros((2, 3, 3)), count=count))
    assert f"announces {count} triangles" in message


def test_truncated_binary() -> None:
    data = binary(np.zeros((2, 3, 3)))
    for size in (1, 79, 80, 83, 84, 100, len(data) - 1):
        refused(data[:size])


def test_binary_without_triangles() -> None:
    assert "no triangles" in refused(binary(np.zeros((0, 3, 3))))
