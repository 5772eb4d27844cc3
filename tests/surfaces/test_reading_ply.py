"""Reading PLY: text, both byte orders, lists, what is skipped, damaged files."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, RawMesh, read_mesh
from polycontact.surfaces.reading.ply import read_ply
from polycontact.surfaces.reading.source import MeshSource

POINTS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.5)]
TEXT = (
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n3 0 1 2\n3 0 2 3\n"
)


def read(data: bytes | str) -> RawMesh:
    return read_ply(MeshSource(Path("part.ply"), data if isinstance(data, bytes) else data.encode()))


def refused(data: bytes | str) -> str:
    with pytest.raises(SurfaceError) as error:
        read(data)
    assert str(error.value).startswith("part.ply: ")
    return str(error.value)


def binary(order: str, faces: list[tuple[int, ...]], *, extras: bool = False) -> bytes:
    name = {"<": "little", ">": "big"}[order]
    colour = "property uchar red\n" if extras else ""
    texture = "property uchar flags\nproperty list uchar float texcoord\n" if extras else ""
    header = (
        f"ply\nformat binary_{name}_endian 1.0\nelement material 2\nproperty int id\n"
        f"property list ushort short codes\nelement vertex 4\n{colour}property double x\nproperty double y\n"
        f"property double z\nelement face {len(faces)}\n{texture}property list uint int "
        "vertex_index\nend_header\n"
    )
    body = struct.pack(order + "iH3h", 7, 3, 1, 2, 3) + struct.pack(order + "iH", 8, 0)
    for point in POINTS:
        body += (b"\x40" if extras else b"") + struct.pack(order + "3d", *point)
    for i, face in enumerate(faces):
        if extras:
            body += struct.pack(order + f"BB{2 * i}f", 1, 2 * i, *[0.5] * (2 * i))
        body += struct.pack(order + f"I{len(face)}i", len(face), *face)
    return header.encode() + body


@pytest.mark.parametrize("encoding", ["ascii", "binary"])
def test_agrees_with_trimesh(tmp_path: Path, encoding: str) -> None:
    ball = trimesh.creation.icosphere(subdivisions=3)
    ball.visual.vertex_colors = np.full((len(ball.vertices), 4), 200, dtype=np.uint8)
    ball.export(tmp_path / "ball.ply", encoding=encoding, vertex_normal=True)
    mesh = read_mesh(tmp_path / "ball.ply")
    assert mesh.format is MeshFormat.PLY
    assert np.array_equal(mesh.triangles, ball.faces)
    assert np.allclose(mesh.vertices, ball.vertices, atol=1e-6)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("extras", [False, True])
@pytest.mark.parametrize("faces", [[(0, 1, 2), (0, 2, 3)], [(0, 1, 2, 3)], [(0, 1, 2), (0, 1, 2, 3), (1, 2, 3)]])
def test_binary(order: str, extras: bool, faces: list[tuple[int, ...]]) -> None:
    mesh = read(binary(order, faces, extras=extras))
    assert np.array_equal(mesh.vertices, POINTS)
    assert len(mesh.triangles) == sum(len(face) - 2 for face in faces)
    assert mesh.triangles[0].tolist() == [0, 1, 2]
    assert "material" in mesh.notes[-1]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines(end: str) -> None:
    assert np.array_equal(read(TEXT.replace("\n", end)).vertices, POINTS)
    header, body = binary("<", [(0, 1, 2)]).split(b"end_header\n")
    body = b"\n" + body[1:]  # the first byte of data looks like the end of a line
    data = header.replace(b"\n", end.encode()) + b"end_header" + end.encode() + body
    assert np.array_equal(read(data).vertices, POINTS)


def test_text_with_other_elements_and_properties() -> None:
    text = (
        "ply\nformat ascii 1.0\nelement face 1\nproperty uchar flags\nproperty list uchar int "
        "vertex_indices\n"
        "property list uchar float uv\nelement edge 1\nproperty int a\nelement vertex 4\nproperty list "
        "uchar int q\n"
        "property float x\nproperty float y\nproperty float z\nproperty uchar red\nend_header\n"
        "9 4 0 1 2 3 2 .5 .5\n\n17\n0 0 0 0 1\n1 5 1 0 0 1\n0 1 1 0 1\n0 0 1 0.5 1\n"
    )
    mesh = read(text)
    assert np.array_equal(mesh.vertices, POINTS)
    assert len(mesh.triangles) == 2


def test_comments_in_any_encoding() -> None:
    data = binary("<", [(0, 1, 2)]).replace(b"element material", b"comment Geh\xe4use\nelement material", 1)
    assert len(read(data).triangles) == 1


def test_nan_is_kept() -> None:
    assert np.isnan(read(TEXT.replace("1 1 0\n", "nan 1 0\n")).vertices[2, 0])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("ply", "plop", ["line 1", "'ply'"]),
        ("ascii", "roman", ["line 2", "'roman'"]),
        ("format ascii 1.0\n", "", ["format"]),
        ("end_header\n", "", ["end_header"]),
        ("element vertex 4", "element vertex many", ["line 4", "'many'"]),
        ("element vertex 4", "element vertex -4", ["'-4'"]),
        ("element vertex 4", "element vertex 5", ["announces 7 lines", "6 follow"]),
        ("element vertex 4", "element vertex 99999999", ["announces 100000001 lines"]),
        ("element vertex 4", "element vertex 4000000000", ["4000000000", "limit"]),
        ("element face 2", "element face 1", ["announces 5 lines"]),
        ("element face 2", "element polygon 2", ["'face'", "polygon"]),
        ("property float x", "property float u", ["'x'"]),
        ("property float x", "property float y", ["twice"]),
        ("property float x", "property long x", ["line 5", "'long'"]),
        ("property float x", "property x", ["line 5"]),
        ("list uchar int vertex", "list float int vertex", ["line 9", "'float'"]),
        ("list uchar int vertex", "list uchar float vertex", ["vertex_indices"]),
        ("int vertex_indices", "int corners", ["vertex_indices"]),
        ("3 0 2 3", "3 0 2 4", ["face', row 1", "vertex 4", "4 vertices"]),
        ("3 0 2 3", "3 0 2 -1", ["vertex -1"]),
        ("3 0 2 3", "3 0 2 1.5", ["1.5"]),
        ("3 0 2 3", "4 0 2 3", ["line 16", "4 numbers", "3 are left"]),
        ("3 0 2 3", "2 0 2", ["2 corners"]),
        ("3 0 2 3", "-3 0 2 3", ["-3"]),
        ("3 0 2 3", "3 0 2 3 9", ["line 16", "1 numbers more"]),
        ("1 1 0\n", "1 1\n", ["line 13", "'z'"]),
        ("1 1 0\n", "1 one 0\n", ["line 13", "'one'"]),
    ],
)
def test_damaged_text(old: str, new: str, words: list[str]) -> None:
    message = refused(TEXT.replace(old, new, 1))
    for word in words:
        assert word in message


@pytest.mark.parametrize("order", ["<", ">"])
def test_truncated_binary(order: str) -> None:
    data = binary(order, [(0, 1, 2), (0, 1, 2, 3)], extras=True)
    for size in range(len(data)):
        refused(data[:size])
    assert "bytes follow" in refused(data + b"more")
    assert len(read(data + b"\n").triangles) == 3


def test_lists_longer_than_the_file() -> None:
    data = binary("<", [(0, 1, 2)])
    huge = data[:-16] + struct.pack("<I", 4_000_000_000) + data[-12:]
    assert "does not fit" in refused(huge)


def test_huge_counts_need_no_memory() -> None:
    data = binary("<", [(0, 1, 2)])
    assert "100000000 rows" in refused(data.replace(b"element vertex 4", b"element vertex 100000000"))
    assert "limit" in refused(data.replace(b"element face 1", b"element face 99999999999"))
    assert "limit is 50000000" in refused(data.replace(b"element face 1", b"element face 60000000"))


def test_elements_without_properties() -> None:
    assert "no properties" in refused(TEXT.replace("element face", "element nothing 100000\nelement face"))
