"""Opening files: what is no mesh file at all, formats recognised by content, limits of size and memory."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest
import trimesh

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, read_mesh
from polycontact.surfaces.reading.sniffing import EXTENSIONS

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def refused(path: Path | str) -> str:
    with pytest.raises(SurfaceError) as error:
        read_mesh(path)
    return str(error.value)


def test_path_as_text_or_object(tmp_path: Path) -> None:
    (tmp_path / "part.OBJ").write_text(TRIANGLE)
    assert len(read_mesh(str(tmp_path / "part.OBJ")).triangles) == 1
    assert len(read_mesh(tmp_path / "part.OBJ").triangles) == 1


def test_missing_file(tmp_path: Path) -> None:
    message = refused(tmp_path / "gone.obj")
    assert message.startswith("gone.obj: no such file")
    assert "check the path" in message


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "dir.obj").mkdir()
    assert refused(tmp_path / "dir.obj").startswith("dir.obj: is a folder")
    assert "folder" in refused(os.sep)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_empty_file(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"part{extension}"
    path.touch()
    assert refused(path).startswith(f"part{extension}: the file is empty")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_fifo_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.stl")
    assert "FIFO" in refused(tmp_path / "pipe.stl")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs devices")
def test_device_does_not_block() -> None:
    assert "device" in refused("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "part.obj"
    path.write_text(TRIANGLE)
    path.chmod(0)
    assert "no permission" in refused(path)


def test_permission_error_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.obj").write_text(TRIANGLE)

    def deny(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("polycontact.surfaces.reading.source.os.open", deny)
    assert refused(tmp_path / "part.obj").startswith("part.obj: no permission")


@pytest.mark.parametrize("name", ["a\0b.obj", "x" * 5000 + ".obj"])
def test_impossible_paths(name: str) -> None:
    refused(name)


def test_file_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "part.obj").write_text(TRIANGLE)
    assert "inner.obj: cannot be read" in refused(tmp_path / "part.obj" / "inner.obj")


def test_unknown_extension(tmp_path: Path) -> None:
    path = tmp_path / "part.xyz"
    path.write_text("S      1\n")
    message = refused(path)
    assert "'.xyz'" in message
    assert ".stl" in message
    path.with_suffix("").write_text("S      1\n")
    assert "unknown extension ''" in refused(path.with_suffix(""))
    path.write_text(TRIANGLE)
    assert read_mesh(path).format is MeshFormat.OBJ


def test_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.surfaces.reading.source.MAX_FILE_BYTES", 1000)
    path = tmp_path / "big.stl"
    path.write_bytes(bytes(20_000_000))
    tracemalloc.start()
    message = refused(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "20000000 bytes, the limit is 1000" in message
    assert peak < 5_000_000


def test_too_many_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.surfaces.reading.text.MAX_LINES", 4)
    (tmp_path / "part.obj").write_text(TRIANGLE)
    assert "5 lines, the limit is 4" in refused(tmp_path / "part.obj")


MARKED = ["stl_ascii", "ply", "off", "glb", "3mf"]
UNMARKED = [("obj", ".obj"), ("stl", ".stl"), ("stl", ".mesh"), ("stl", "")]


@pytest.mark.parametrize(
    ("kind", "extension"),
    [(kind, extension) for kind in MARKED for extension in ("", ".mesh", ".obj", ".stl", ".ply")] + UNMARKED,
)
def test_content_decides(tmp_path: Path, kind: str, extension: str) -> None:
    path = tmp_path / f"box{extension}"
    trimesh.creation.box().export(path, file_type=kind)
    mesh = read_mesh(path)
    assert len(mesh.triangles) == 12
    expected = {"stl_ascii": "stl", "glb": "gltf"}.get(kind, kind)
    assert mesh.format.value == expected
    assert (f"read as {expected}" in " ".join(mesh.notes)) == (EXTENSIONS.get(extension) is not mesh.format)


def test_drawings_are_recognised(tmp_path: Path) -> None:
    face = "".join(f"{c + i}\n{(i == 1) * (c == 10) + (i == 2) * (c == 20)}\n" for i in range(3) for c in (10, 20))
    path = tmp_path / "drawing.txt"
    path.write_text(f"  0\nSECTION\n  2\nENTITIES\n  0\n3DFACE\n{face}  0\nENDSEC\n  0\nEOF\n")
    assert read_mesh(path).format is MeshFormat.DXF


PLY_HEADER = (
    b"ply\nformat %s 1.0\nelement vertex 140000000\nproperty double x\nproperty double y\nproperty double z\n"
    b"element face 40000000\nproperty list uchar int vertex_indices\nend_header\n"
)
HOSTILE = {
    "a.ply": PLY_HEADER % b"binary_little_endian" + bytes(100),
    "b.ply": PLY_HEADER % b"ascii" + b"0 0 0\n",
    "a.stl": bytes(80) + b"\xff" * 4 + bytes(100),
    "a.off": b"OFF\n2000000000 2000000000 0\n0 0 0\n",
    "a.obj": b"v 0 0 0\nf 1 2000000000 3\n",
    "a.gltf": b'{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],'
    b'"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":4000000000}],'
    b'"bufferViews":[{"buffer":0,"byteLength":48000000000}],'
    b'"buffers":[{"byteLength":48000000000,"uri":"data:;base64,AAAA"}]}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_claims_are_checked_before_memory_is_taken(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(HOSTILE[name])
    tracemalloc.start()
    message = refused(tmp_path / name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert message.startswith(f"{name}: ")
    assert peak < 5_000_000


def test_running_out_of_memory_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.obj").write_text(TRIANGLE)

    def starve(*_: object) -> None:
        raise MemoryError

    monkeypatch.setitem(read_mesh.__globals__["_READERS"], MeshFormat.OBJ, starve)
    assert "memory" in refused(tmp_path / "part.obj")
