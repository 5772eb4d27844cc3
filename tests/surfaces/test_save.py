"""Saving meshes: what was written is read back to the last digit, and by others too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from polycontact.errors import SurfaceError
from polycontact.surfaces.mesh_loading import load_surface
from polycontact.surfaces.reading import MeshFormat, RawMesh, read_mesh
from polycontact.surfaces.save import save_surface
from polycontact.surfaces.surface import Surface

EXACT = ["obj", "ply", "off"]


def ball() -> Surface:
    mesh = trimesh.creation.icosphere(subdivisions=2)
    return Surface(mesh.vertices / 3.0, mesh.faces, name="ball")


def raw(vertices: list[list[float]]) -> RawMesh:
    return RawMesh(np.array(vertices), np.array([[0, 1, 2]], dtype=np.int32), Path("x.obj"), MeshFormat.OBJ)


@pytest.mark.parametrize("kind", EXACT)
def test_round_trip_is_exact(tmp_path: Path, kind: str) -> None:
    surface = ball()
    save_surface(surface, tmp_path / f"ball.{kind}")
    again = load_surface(tmp_path / f"ball.{kind}")
    assert np.array_equal(again.vertices, surface.vertices)
    assert np.array_equal(again.triangles, surface.triangles)
    assert again.name == "ball"


def test_stl_round_trip(tmp_path: Path) -> None:
    surface = ball()
    save_surface(surface, str(tmp_path / "ball.stl"))
    again = load_surface(tmp_path / "ball.stl")
    assert np.array_equal(again.vertices[again.triangles], surface.vertices[surface.triangles].astype("f4"))
    assert again.is_closed
    assert not (tmp_path / "ball.stl").read_bytes().startswith(b"solid")


@pytest.mark.parametrize("kind", [*EXACT, "stl", "STL"])
def test_trimesh_reads_it(tmp_path: Path, kind: str) -> None:
    surface = ball()
    save_surface(surface, tmp_path / f"ball.{kind}")
    mesh = trimesh.load_mesh(tmp_path / f"ball.{kind}")
    assert mesh.is_watertight
    assert np.isclose(mesh.volume, surface.volume, rtol=1e-6)
    assert len(mesh.faces) == surface.n_triangles


def test_stl_normals(tmp_path: Path) -> None:
    surface = ball()
    save_surface(surface, tmp_path / "ball.stl")
    records = np.frombuffer((tmp_path / "ball.stl").read_bytes(), dtype="<f4,<f4,<f4,V38", offset=84)
    normals = np.stack([records[f"f{i}"] for i in range(3)], axis=1)
    assert np.allclose(normals, surface.normals, atol=1e-6)


@given(st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=3, max_size=5), st.sampled_from(EXACT))
def test_raw_meshes_with_any_coordinates(
    tmp_path_factory: pytest.TempPathFactory, points: list[list[float]], kind: str
) -> None:
    path = tmp_path_factory.mktemp("save") / f"any.{kind}"
    save_surface(raw(points), path)
    assert np.array_equal(read_mesh(path).vertices, np.array(points), equal_nan=True)


def test_degenerate_triangles_have_no_normal(tmp_path: Path) -> None:
    save_surface(raw([[0, 0, 0], [1, 0, 0], [1, 0, 0]]), tmp_path / "flat.stl")
    assert (tmp_path / "flat.stl").read_bytes()[84:96] == b"\0" * 12


def test_beyond_single_precision(tmp_path: Path) -> None:
    with pytest.raises(SurfaceError, match=r"far\.stl: triangle 0 .*float32"):
        save_surface(raw([[0, 0, 0], [1e39, 0, 0], [0, 1, 0]]), tmp_path / "far.stl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["ball.glb", "ball", "ball.txt"])
def test_unknown_format(tmp_path: Path, name: str) -> None:
    with pytest.raises(SurfaceError, match=r"cannot write the format .*\.obj \.stl \.ply \.off"):
        save_surface(ball(), tmp_path / name)


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(SurfaceError, match=r"ball\.obj: cannot be written"):
        save_surface(ball(), tmp_path / "gone" / "ball.obj")


def test_target_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "ball.obj").mkdir()
    with pytest.raises(SurfaceError, match=r"ball\.obj: cannot be written"):
        save_surface(ball(), tmp_path / "ball.obj")
    assert [path.name for path in tmp_path.iterdir()] == ["ball.obj"]


def test_existing_files_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "ball.ply"
    path.write_text("old")
    save_surface(ball(), path)
    assert load_surface(path).n_triangles == 320
    assert len(list(tmp_path.iterdir())) == 1
