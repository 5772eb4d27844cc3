"""Damaged files of every format either read or raise a `SurfaceError`: nothing else, and no warnings.

The formats that are read here get the full measure, those behind trimesh less, and STEP, a process each, a few.
"""

from __future__ import annotations

import base64
import io
import json
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, RawMesh, read_source
from polycontact.surfaces.reading.source import MeshSource
from scenes import examples
from step_texts import cylinder_text

Edit = tuple[float, int, bytes]


def _dxf(box: trimesh.Trimesh) -> bytes:
    tags = ["0", "SECTION", "2", "ENTITIES"]
    for corners in box.vertices[box.faces].tolist():
        tags += ["0", "3DFACE", "8", "0"]
        for i, point in enumerate([*corners, corners[2]]):
            for code, value in zip((10, 20, 30), point, strict=True):
                tags += [str(code + i), repr(value)]
    return "\n".join([*tags, "0", "ENDSEC", "0", "EOF", ""]).encode()


def _gltf(box: trimesh.Trimesh) -> bytes:
    files = box.export(file_type="gltf")
    tree = json.loads(files["model.gltf"])
    for buffer in tree["buffers"]:
        buffer["uri"] = "data:;base64," + base64.b64encode(files[buffer["uri"]]).decode()
    return json.dumps(tree).encode()


def _threemf_stored(box: trimesh.Trimesh) -> bytes:
    """Not compressed, so that changes reach the XML."""
    packed, stored = io.BytesIO(box.export(file_type="3mf")), io.BytesIO()
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(stored, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    return stored.getvalue()


def _samples() -> dict[str, tuple[MeshFormat, bytes]]:
    box = trimesh.creation.box((1, 2, 3))
    concave = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv .5 .2 0\nv 0 1 0\nf 1/1 2/1 \\\n 3/1 4/1 5/1\nf -5//1 -4//1 3//1\n"
    exported = {
        "obj": MeshFormat.OBJ,
        "stl": MeshFormat.STL,
        "stl_ascii": MeshFormat.STL,
        "ply": MeshFormat.PLY,
        "off": MeshFormat.OFF,
        "glb": MeshFormat.GLTF,
        "3mf": MeshFormat.THREEMF,
    }
    samples = {}
    for kind, found in exported.items():
        content = box.export(file_type=kind)
        samples[kind] = (found, content if isinstance(content, bytes) else content.encode())
    return samples | {
        "ply_ascii": (MeshFormat.PLY, box.export(file_type="ply", encoding="ascii")),
        "obj_concave": (MeshFormat.OBJ, concave),
        "dxf": (MeshFormat.DXF, _dxf(box)),
        "gltf": (MeshFormat.GLTF, _gltf(box)),
        "3mf_stored": (MeshFormat.THREEMF, _threemf_stored(box)),
    }


SAMPLES = _samples()
LIGHT = {"glb", "gltf", "3mf", "3mf_stored"}
"""Samples that trimesh reads."""
FULL = sorted(SAMPLES.keys() - LIGHT)


def portion(kind: str, full: int) -> int:
    """How many of ``full`` trials a sample gets."""
    return full // 5 if kind in LIGHT else full


def read_or_refuse(found: MeshFormat, data: bytes) -> RawMesh | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            mesh = read_source(MeshSource(Path(f"fuzz.{found.value}"), data))
        except SurfaceError as error:
            message = str(error)
        else:
            message = None
    if message is not None:
        assert message.startswith(f"fuzz.{found.value}: ")
        assert len(message) < 1000
        return None
    assert mesh.vertices.dtype == np.float64
    assert mesh.triangles.dtype == np.int32
    assert mesh.vertices.shape[1:] == mesh.triangles.shape[1:] == (3,)
    assert mesh.triangles.min() >= 0
    assert mesh.triangles.max() < len(mesh.vertices)
    return mesh


@pytest.mark.parametrize("kind", SAMPLES)
def test_samples_are_valid(kind: str) -> None:
    mesh = read_or_refuse(*SAMPLES[kind])
    assert mesh is not None
    assert len(mesh.triangles) == (4 if kind == "obj_concave" else 12)


@pytest.mark.parametrize("kind", SAMPLES)
def test_truncated(kind: str) -> None:
    found, data = SAMPLES[kind]
    for size in np.linspace(0, len(data) - 1, portion(kind, 150)).astype(int).tolist():
        read_or_refuse(found, data[:size])


TOKENS = [
    b"-1",
    b"0",
    b"nan",
    b"1e999",
    b"99999999999999999999",
    b"\xff\xfe",
    b"\0",
    b"\n",
    b" ",
    b"{",
    b"[",
    b"-",
]


EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 8), st.one_of(st.binary(max_size=8), st.sampled_from(TOKENS))),
    min_size=1,
    max_size=4,
)


def changed(data: bytes, edits: list[Edit]) -> bytes:
    for where, removed, inserted in edits:
        at = int(where * len(data))
        data = data[:at] + inserted + data[at + removed :]
    return data


@pytest.mark.parametrize("kind", FULL)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=EDITS)
def test_changed(kind: str, edits: list[Edit]) -> None:
    found, data = SAMPLES[kind]
    read_or_refuse(found, changed(data, edits))


@pytest.mark.parametrize("kind", sorted(LIGHT))
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=EDITS)
def test_changed_behind_trimesh(kind: str, edits: list[Edit]) -> None:
    found, data = SAMPLES[kind]
    read_or_refuse(found, changed(data, edits))


@pytest.mark.slow
def test_changed_step() -> None:
    """Some of these end the process of OpenCASCADE by a memory fault."""
    text = cylinder_text(10.0, 40.0).encode()
    rng = np.random.default_rng(0)
    for _ in range(8):
        edits = [(rng.uniform(0.2, 1), int(rng.integers(0, 8)), TOKENS[rng.integers(len(TOKENS))]) for _ in range(2)]
        read_or_refuse(MeshFormat.STEP, changed(text, edits))


@pytest.mark.parametrize("kind", SAMPLES)
def test_single_bytes_changed(kind: str) -> None:
    found, data = SAMPLES[kind]
    rng = np.random.default_rng(len(data))
    for _ in range(portion(kind, 400)):
        hit = bytearray(data)
        for at in rng.integers(0, len(data), size=rng.integers(1, 4)).tolist():
            hit[at] = int(rng.integers(0, 256))
        read_or_refuse(found, bytes(hit))


@pytest.mark.parametrize("found", MeshFormat)
@settings(deadline=None)  # what begins like STEP costs a process
@given(data=st.binary(min_size=1, max_size=300))
def test_noise(found: MeshFormat, data: bytes) -> None:
    read_or_refuse(found, data)
