"""Loading surfaces: units, scale, orientation, names, and errors that begin with the name of the file."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh

from polycontact.errors import SurfaceError, SurfaceWarning
from polycontact.surfaces.check import check_surface
from polycontact.surfaces.mesh_loading import load_surface

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A box of 1 x 2 x 3 file units."""
    path = tmp_path / "box.obj"
    trimesh.creation.box((1, 2, 3)).export(path)
    return path


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "bad.obj"
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", ["obj", "stl", "ply", "off", "glb", "gltf"])
def test_every_format_gives_the_same_surface(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"ball.{kind}"
    trimesh.creation.icosphere(subdivisions=2).export(path)
    surface = load_surface(path)
    assert surface.name == "ball"
    assert surface.is_closed
    assert surface.n_triangles == 320
    assert np.isclose(surface.volume, trimesh.creation.icosphere(subdivisions=2).volume, rtol=1e-6)


@pytest.mark.parametrize(
    ("unit", "metres"),
    [(None, 1), ("m", 1), ("mm", 1e-3), ("cm", 1e-2), ("um", 1e-6), ("in", 0.0254), ("ft", 0.3048)],
)
def test_units(box: Path, unit: str | None, metres: float) -> None:
    surface = load_surface(box, unit=unit)
    assert np.allclose(surface.bounds[1] - surface.bounds[0], np.array([1, 2, 3]) * metres)


def test_scale_multiplies_the_unit(box: Path) -> None:
    assert np.isclose(load_surface(box, unit="mm", scale=2.0).volume, 6e-9 * 8)


def test_declared_units(tmp_path: Path) -> None:
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "box.3mf")
    assert np.isclose(load_surface(tmp_path / "box.3mf").volume, 6e-9)
    assert np.isclose(load_surface(tmp_path / "box.3mf", unit="m").volume, 6.0)
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "box.glb")
    assert np.isclose(load_surface(tmp_path / "box.glb").volume, 6.0)
    assert np.isclose(load_surface(tmp_path / "box.glb", unit="cm").volume, 6e-6)


def test_flip(box: Path) -> None:
    with pytest.warns(
        SurfaceWarning, match=r"box\.obj: inward orientation .*normals point into the material; .*flip=True"
    ):
        inside_out = load_surface(box, flip=True)
    assert inside_out.volume == -load_surface(box).volume


def test_warnings_point_to_the_caller(box: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load_surface(box, flip=True)
    assert [entry.filename for entry in caught] == [__file__]


def test_name(box: Path) -> None:
    assert load_surface(box).name == "box"
    assert load_surface(box, name="crate").name == "crate"


def test_cracks_are_warned_of(tmp_path: Path) -> None:
    path = write(tmp_path, TRIANGLE + "v 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n")
    with pytest.warns(SurfaceWarning, match=r"bad\.obj: .*cracks"):
        load_surface(path)


@pytest.mark.parametrize("unit", ["km", "", "MM", "metre"])
def test_unknown_unit(box: Path, unit: str) -> None:
    with pytest.raises(SurfaceError, match=r"box\.obj: unit .* is unknown; give one of m, mm, cm, um, in, ft"):
        load_surface(box, unit=unit)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_scale(box: Path, scale: float) -> None:
    with pytest.raises(SurfaceError, match=r"box\.obj: scale .* must be positive"):
        load_surface(box, scale=scale)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
        (TRIANGLE + "f 1 2 2\n", "no area"),
        (TRIANGLE + "v 0 0 1\nv 0 0 -1\nv 1 1 1\nf 1 2 3\nf 1 2 4\nf 1 2 5\n", "more than two triangles"),
        (TRIANGLE + "v 1 1 0\nf 1 2 3\nf 2 3 4\n", "contradicts"),
        (TRIANGLE + "f 1 2 7\n", "vertex 7"),
        (TRIANGLE, "no faces"),
    ],
)
def test_bad_geometry_names_the_file(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SurfaceError, match=words) as error:
        load_surface(write(tmp_path, text), name="my part")
    assert str(error.value).startswith("bad.obj: ")


@pytest.mark.filterwarnings("error")
def test_scale_beyond_the_range_of_numbers(box: Path) -> None:
    with pytest.raises(SurfaceError, match=r"box\.obj: "):
        load_surface(box, scale=1.7e308)


def test_what_a_check_calls_an_error_is_not_loaded_silently(tmp_path: Path) -> None:
    """Shells that overlap, and one of several that is inside out: the words of the check, as warnings."""
    one, other = trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1))
    other.apply_translation((0.5, 0.25, 0.3))
    trimesh.util.concatenate([one, other]).export(tmp_path / "overlap.ply")
    other.apply_translation((5.0, 0.0, 0.0))
    other.invert()
    trimesh.util.concatenate([one, one, other]).export(tmp_path / "inward.ply")
    for name, words in (("overlap.ply", "self intersections"), ("inward.ply", "inward orientation")):
        report = check_surface(tmp_path / name)
        with pytest.warns(SurfaceWarning) as caught:
            load_surface(tmp_path / name)
        told = [str(entry.message) for entry in caught]
        assert len(told) == len(report.errors)
        assert any(f"{name}: {words}" in each for each in told)
