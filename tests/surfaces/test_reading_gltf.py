"""Reading glTF by trimesh: node hierarchy, primitives, what is refused rather than left out, hostile files."""

from __future__ import annotations

import base64
import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, RawMesh, gltf_outline, read_mesh
from polycontact.surfaces.reading.gltf import read_gltf
from polycontact.surfaces.reading.source import MeshSource

POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype="<f4")
CORNERS = np.array([0, 1, 2, 0, 2, 3], dtype="<u2")
DATA = POINTS.tobytes() + CORNERS.tobytes()


def document(**changes: Any) -> dict[str, Any]:
    """A square of two triangles."""
    uri = "data:application/octet-stream;base64," + base64.b64encode(DATA).decode()
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4},
            {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 6},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 12},
        ],
        "buffers": [{"byteLength": 60, "uri": uri}],
    } | changes


def edited(path: str, value: Any) -> dict[str, Any]:
    """The square with one field changed, or removed by None: ``accessors.0.count``."""
    found: Any = (root := document())
    *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    for key in parents:
        found = found[key]
    if value is None:
        del found[last]
    else:
        found[last] = value
    return root


def read(content: dict[str, Any] | bytes, path: Path = Path("part.gltf")) -> RawMesh:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return read_gltf(MeshSource(path, data))


def refused(content: dict[str, Any] | bytes, path: Path = Path("part.gltf")) -> str:
    with pytest.raises(SurfaceError) as error:
        read(content, path)
    assert str(error.value).startswith("part.gltf: ")
    assert len(str(error.value)) < 600
    return str(error.value)


def glb(content: dict[str, Any], binary: bytes = DATA) -> bytes:
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


@pytest.mark.parametrize("kind", ["gltf", "glb"])
def test_agrees_with_trimesh(tmp_path: Path, kind: str) -> None:
    scene = trimesh.Scene()
    ball, box = trimesh.creation.icosphere(subdivisions=2), trimesh.creation.box((1, 2, 3))
    turn = trimesh.transformations.rotation_matrix(0.7, (1, 2, 3), (0.1, 0.2, 0.3))
    scene.add_geometry(ball, node_name="ball")
    scene.add_geometry(box, node_name="box", transform=turn, parent_node_name="ball")
    scene.add_geometry(box, node_name="mirror", transform=np.diag((-2.0, 1.0, 1.0, 1.0)))
    if kind == "glb":
        scene.export(tmp_path / "scene.glb")
    else:
        for name, content in scene.export(file_type="gltf").items():
            (tmp_path / name.replace("model.gltf", "scene.gltf")).write_bytes(content)
    mesh = read_mesh(tmp_path / f"scene.{kind}")
    expected = scene.to_mesh() if hasattr(scene, "to_mesh") else scene.dump(concatenate=True)
    assert mesh.format is MeshFormat.GLTF
    assert mesh.unit == 1.0
    assert len(mesh.triangles) == len(ball.faces) + 2 * len(box.faces)
    found = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    assert np.allclose(found.bounds, expected.bounds, atol=1e-6)
    assert np.isclose(found.volume, ball.volume + box.volume + 2 * box.volume, rtol=1e-6)
    assert found.is_watertight


def test_square() -> None:
    mesh = read(document())
    assert np.array_equal(mesh.vertices, POINTS)
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


def test_binary_container() -> None:
    assert np.array_equal(read(glb(document(buffers=[{"byteLength": 60}]))).vertices, POINTS)


def test_buffer_in_a_file_beside(tmp_path: Path) -> None:
    (tmp_path / "my data").mkdir()
    (tmp_path / "my data" / "a.bin").write_bytes(DATA)
    content = document(buffers=[{"byteLength": 60, "uri": "my%20data/a.bin"}])
    assert len(read(content, tmp_path / "part.gltf").triangles) == 2


def test_vertices_split_for_normals_are_merged() -> None:
    box = trimesh.creation.box()
    points = box.vertices[box.faces].reshape(-1, 3).astype("<f4")
    uri = "data:;base64," + base64.b64encode(points.tobytes()).decode()
    mesh = read(
        document(
            meshes=[{"primitives": [{"attributes": {"POSITION": 0}}]}],
            accessors=[{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 36}],
            bufferViews=[{"buffer": 0, "byteLength": points.nbytes}],
            buffers=[{"byteLength": points.nbytes, "uri": uri}],
        )
    )
    assert len(mesh.vertices) == 8
    assert "28 vertices merged" in mesh.notes[0]


@pytest.mark.parametrize(
    ("mode", "corners", "expected"),
    [
        (4, [0, 1, 2, 0, 2, 3], [[0, 1, 2], [0, 2, 3]]),
        (5, [0, 1, 3, 2, 2, 2], [[0, 1, 3], [2, 3, 1]]),
    ],
)
def test_lists_and_strips(mode: int, corners: list[int], expected: list[list[int]]) -> None:
    data = POINTS.tobytes() + np.array(corners, dtype="<u2").tobytes()
    content = edited("meshes.0.primitives.0.mode", mode) | {"buffers": [{"byteLength": 60}]}
    assert read(glb(content, data)).triangles.tolist() == expected


def test_primitives_of_one_mesh_share_vertices() -> None:
    content = document()
    content["accessors"] += [
        {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 3},
        {"bufferView": 1, "byteOffset": 6, "componentType": 5123, "type": "SCALAR", "count": 3},
    ]
    primitives = [{"attributes": {"POSITION": 0}, "indices": i} for i in (2, 3)]
    content["meshes"] = [{"primitives": primitives}]
    content["nodes"] = [{"mesh": 0, "translation": [0, 0, 5]}, {"mesh": 0}]
    content["scenes"] = [{"nodes": [0, 1]}]
    mesh = read(content)
    assert len(mesh.vertices) == 8
    assert sorted(mesh.vertices[:, 2].tolist()) == [0] * 4 + [5] * 4
    assert len(mesh.triangles) == 4


def test_points_and_lines_are_skipped() -> None:
    content = document()
    content["meshes"][0]["primitives"].insert(0, {"attributes": {"POSITION": 0}, "mode": 1})
    assert "1 primitives of points or lines" in read(content).notes[0]


def test_stride_and_integers() -> None:
    points = np.zeros(4, dtype=[("p", "<i2", 3), ("padding", "<i2")])
    points["p"] = [[0, 0, 0], [32767, 0, 0], [32767, -32767, 0], [0, -32768, 0]]
    content = document(
        extensionsRequired=["KHR_mesh_quantization"],
        bufferViews=[
            {"buffer": 0, "byteLength": 32, "byteStride": 8},
            {"buffer": 0, "byteOffset": 32, "byteLength": 12},
        ],
        buffers=[{"byteLength": 44}],
    )
    content["accessors"][0] |= {"componentType": 5122}
    data = points.tobytes() + CORNERS.tobytes()
    assert read(glb(content, data)).vertices.tolist() == points["p"].tolist()
    content["accessors"][0] |= {"normalized": True}  # trimesh would take them for metres
    assert "stand for fractions" in refused(glb(content, data))


def test_hierarchy_of_translation_rotation_scale_and_matrix() -> None:
    half = np.sqrt(0.5)
    content = document(
        nodes=[
            {"translation": [10, 0, 0], "children": [1]},
            {"rotation": [0, 0, half, half], "scale": [2, 1, 1], "children": [2]},
            {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1]},
        ]
    )
    assert np.allclose(read(content).vertices, [[10, 0, 5], [10, 2, 5], [9, 2, 5], [9, 0, 5]])


def test_mirrored_nodes_keep_the_outside() -> None:
    content = document(nodes=[{"mesh": 0, "scale": [-1, 1, 1]}])
    mesh = read(content)
    a, b, c = mesh.vertices[mesh.triangles[0]]
    assert np.cross(b - a, c - a)[2] > 0


def test_other_scenes_are_not_read() -> None:
    content = document(scene=1, scenes=[{"nodes": [0]}, {"nodes": [1]}], nodes=[{"mesh": 0}] * 2)
    assert len(read(content).triangles) == 2


def test_first_scene_is_the_default() -> None:
    content = document()
    del content["scene"]
    assert len(read(content).triangles) == 2


def test_meshes_that_are_not_placed_are_never_lost_in_silence() -> None:
    content = document()
    del content["scenes"], content["scene"]
    assert "no scene" in refused(content)
    camera = {"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1, "aspectRatio": 1.0}}
    on_camera = document(nodes=[{"mesh": 0}, {"mesh": 0, "camera": 0}], scenes=[{"nodes": [0, 1]}], cameras=[camera])
    assert "1 of its 2 meshes" in refused(on_camera)
    below_camera = document(nodes=[{"children": [1], "camera": 0}, {"mesh": 0}], cameras=[camera])
    refused(below_camera)
    lines = {"primitives": [{"attributes": {"POSITION": 0}, "mode": 3}]}
    below_lines = document(nodes=[{"mesh": 1, "translation": [5, 0, 0], "children": [1]}, {"mesh": 0}])
    below_lines["meshes"].append(lines)
    refused(below_lines)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("asset.version", "1.0", ["`1.0`"]),
        ("asset", [], ["AttributeError"]),
        ("scene", 7, ["glTF 2.0", "IndexError"]),
        ("scenes.0.nodes", [9], ["glTF 2.0", "IndexError"]),
        ("scenes.0.nodes", [0, 0], ["nodes[0]", "twice"]),
        ("nodes.0.mesh", 4, ["glTF 2.0"]),
        ("nodes.0.mesh", -1, ["0 of its 1"]),
        ("nodes.0.children", [0], ["nodes[0]", "twice", "tree"]),
        ("nodes.0.matrix", [1, 2, 3], ["trimesh", "gltf"]),
        ("nodes.0.matrix", [10**400] * 16, ["trimesh", "OverflowError"]),
        ("nodes.0", 3, ["glTF 2.0"]),
        ("meshes.0.primitives.0.mode", 9, ["unknown mode 9"]),
        ("meshes.0.primitives.0.mode", 6, ["meshes[0]", "fan", "plain triangles"]),
        ("meshes.0.primitives.0.attributes", {}, ["POSITION"]),
        ("meshes.0.primitives.0.indices", "one", ["glTF 2.0"]),
        ("meshes.0.primitives.0.indices", 0, ["accessors[0]", "SCALAR"]),
        ("meshes.0.primitives", [], ["no triangles"]),
        ("accessors.0.count", 5, ["trimesh"]),
        ("accessors.0.count", 2**52, ["accessors", "limit"]),
        ("accessors.0.count", -1, ["accessors[0]", "-1"]),
        ("accessors.0.count", 3, ["triangle 1", "vertex 3"]),
        ("accessors.1.count", 5, ["trimesh"]),
        ("accessors.0.byteOffset", 40, ["trimesh"]),
        ("accessors.0.type", "VEC2", ["accessors[0]", "'VEC2'", "VEC3"]),
        ("accessors.0.componentType", 7, ["accessors[0]", "7"]),
        ("accessors.1.componentType", 5122, ["accessors[1]", "5122"]),
        ("accessors.0.sparse", {"count": 1}, ["accessors[0]", "sparse"]),
        ("accessors.0.bufferView", None, ["accessors[0]", "compressed"]),
        ("accessors.0.bufferView", 8, ["trimesh"]),
        ("bufferViews.0.byteLength", 999, ["trimesh"]),
        ("bufferViews.0.byteOffset", 2**50, ["trimesh"]),
        ("bufferViews.0.buffer", 3, ["trimesh"]),
        ("buffers.0.uri", None, ["trimesh", "uri"]),
        ("buffers.0.uri", "data:text/plain,abc", ["folder"]),
        ("buffers.0.uri", "data:;base64,####", ["trimesh"]),
        ("buffers.0.uri", "http://example.org/a.bin", ["folder"]),
        ("buffers.0.uri", "file:///etc/passwd", ["folder"]),
        ("buffers.0.uri", "/etc/passwd", ["folder"]),
        ("buffers.0.uri", "../a.bin", ["folder"]),
        ("buffers.0.uri", "%2e%2e/a.bin", ["folder"]),
        ("buffers.0.uri", "a\\b.bin", ["folder"]),
        ("buffers.0.uri", "a%00b", ["folder"]),
        ("buffers.0.uri", "", ["folder"]),
        ("buffers.0.uri", "missing.bin", ["missing.bin", "no such file"]),
        ("buffers.0.uri", "x" * 10_000, ["'xxxx"]),
        ("buffers.0.uri", ".", ["folder"]),
    ],
)
def test_damaged_fields(tmp_path: Path, path: str, value: Any, words: list[str]) -> None:
    message = refused(edited(path, value), tmp_path / "part.gltf")
    for word in words:
        assert word in message


@pytest.mark.parametrize("name", ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "XYZ_future"])
def test_required_extensions(name: str) -> None:
    assert f"extension '{name}'" in refused(document(extensionsRequired=[name]))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "meshes"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(DATA)
    (folder / "a.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "b.bin").symlink_to(folder / "b.bin")
    for name in ("a.bin", "b.bin"):
        refused(document(buffers=[{"byteLength": 60, "uri": name}]), folder / "part.gltf")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_buffer_in_a_fifo(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.bin")
    message = refused(document(buffers=[{"byteLength": 60, "uri": "a.bin"}]), tmp_path / "part.gltf")
    assert "FIFO" in message


def test_cyclic_nodes() -> None:
    content = document(nodes=[{"children": [1]}, {"children": [2], "mesh": 0}, {"children": [1]}])
    assert "nodes[1] is reached twice" in refused(content)


def test_deep_nodes() -> None:
    """Trimesh took 29 s for a file of 1 MB, a time that grows with the square of the depth."""

    def nested(depth: int) -> dict[str, Any]:
        return document(nodes=[*({"children": [i + 1]} for i in range(depth - 1)), {"mesh": 0}])

    assert "nodes[256] is nested more than 256 nodes deep; export the scene with a flatter tree" in refused(
        nested(50_000)
    )
    assert len(read(nested(256)).triangles)


def test_exponential_instancing() -> None:
    nodes: list[dict[str, Any]] = [{"children": [i + 1, i + 1]} for i in range(60)]
    assert "twice" in refused(document(nodes=[*nodes, {"mesh": 0}]))


def test_many_copies_of_many_triangles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.surfaces.reading.face_polygons.MAX_TRIANGLES", 100)
    monkeypatch.setattr(gltf_outline, "MAX_TRIANGLES", 100)
    nodes = [{"mesh": 0}] * 51
    message = refused(document(nodes=nodes, scenes=[{"nodes": list(range(51))}]))
    assert "102 triangles, the limit is 100" in message
    primitives = [{"attributes": {"POSITION": 0}, "indices": 1}] * 51
    assert "102 triangles" in refused(document(meshes=[{"primitives": primitives}]))


@pytest.mark.parametrize(
    ("field", "entry", "words"),
    [
        ("bufferViews", {"buffer": 0, "byteLength": 60}, "bytes in its buffer views, the limit is 5000"),
        ("accessors", {"componentType": 5126, "type": "VEC3", "count": 4}, "values in its accessors, the limit is 300"),
    ],
)
def test_many_entries_that_share_bytes(
    monkeypatch: pytest.MonkeyPatch, field: str, entry: dict[str, Any], words: str
) -> None:
    monkeypatch.setattr(gltf_outline, "MAX_FILE_BYTES", 5000)
    monkeypatch.setattr(gltf_outline, "MAX_ACCESSOR_ITEMS", 300)
    content = document()
    content[field] += [entry] * 100
    assert words in refused(content)


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"[]",
        b"3",
        b"{}",
        b'{"asset": NaN}',
        b"{" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 1_000_000,
        b"\xff{}",
    ],
)
def test_damaged_json(text: bytes) -> None:
    refused(text)


def test_json_with_too_many_values() -> None:
    assert "limit" in refused(b'{"a": [' + b"0," * 5_000_001 + b"0]}")


def test_truncated_containers() -> None:
    data = glb(document(buffers=[{"byteLength": 60}]))
    for size in range(4, len(data)):
        refused(data[:size])


@pytest.mark.parametrize(("at", "value"), [(4, 1), (12, 2**32 - 1), (16, 0)])
def test_damaged_containers(at: int, value: int) -> None:
    data = bytearray(glb(document(buffers=[{"byteLength": 60}])))
    data[at : at + 4] = struct.pack("<I", value)
    refused(bytes(data))


def test_nan_is_kept() -> None:
    points = POINTS.copy()
    points[2, 1] = np.nan
    mesh = read(glb(document(buffers=[{"byteLength": 60}]), points.tobytes() + CORNERS.tobytes()))
    assert np.isnan(mesh.vertices[2, 1])
