"""Reading STEP through OpenCASCADE: units, closed surfaces, and damaged files, which may end its process."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from polycontact.errors import SurfaceError
from polycontact.surfaces.mesh_loading import load_surface
from polycontact.surfaces.reading import MeshFormat, read_mesh, step_file
from step_texts import box_text, cylinder_text


def refused(path: Path, content: str) -> str:
    path.write_text(content)
    with pytest.raises(SurfaceError) as error:
        read_mesh(path)
    assert str(error.value).startswith(f"{path.name}: ")
    assert len(str(error.value)) < 600
    return str(error.value)


@pytest.mark.parametrize(
    ("unit", "metres", "extension"),
    [("mm", 1e-3, ".step"), ("cm", 1e-2, ".stp"), ("m", 1.0, ".STEP"), ("in", 0.0254, ".stp")],
)
def test_every_unit_arrives_in_metres(tmp_path: Path, unit: str, metres: float, extension: str) -> None:
    path = tmp_path / f"box{extension}"
    path.write_text(box_text((10.0, 20.0, 40.0), unit))
    surface = load_surface(path)
    assert surface.is_closed
    assert surface.n_triangles == 12
    # Positions pass through single precision.
    assert np.allclose(surface.bounds, np.array([(0, 0, 0), (10, 20, 40)]) * metres, rtol=1e-6)
    assert np.isclose(surface.volume, 8000 * metres**3, rtol=1e-6)


def test_the_unit_cannot_be_given_again(tmp_path: Path) -> None:
    (tmp_path / "box.step").write_text(box_text((1.0, 1.0, 1.0)))
    with pytest.raises(SurfaceError, match=r"box\.step: unit 'mm' .* leave the unit out"):
        load_surface(tmp_path / "box.step", unit="mm")
    assert np.isclose(load_surface(tmp_path / "box.step", scale=1000.0).volume, 1.0, rtol=1e-6)


@pytest.mark.parametrize(("radius", "height"), [(10.0, 1.0), (10.0, 4000.0), (0.01, 0.04)])
def test_round_surfaces_are_closed_and_as_fine_as_stated(tmp_path: Path, radius: float, height: float) -> None:
    path = tmp_path / "roller.step"
    path.write_text(cylinder_text(radius, height))
    surface = load_surface(path)
    assert surface.is_closed
    sides = len(surface.vertices) // 2
    assert 60 <= sides <= 100
    # A regular prism instead of a cylinder, up to single precision.
    area = 0.5 * sides * np.sin(2 * np.pi / sides) * (1e-3 * radius) ** 2
    assert np.isclose(surface.volume, area * 1e-3 * height, rtol=1e-5)


def test_reading_repeats(tmp_path: Path) -> None:
    (tmp_path / "roller.step").write_text(cylinder_text(10.0, 40.0))
    first, second = (read_mesh(tmp_path / "roller.step") for _ in range(2))
    assert np.array_equal(first.vertices, second.vertices)
    assert np.array_equal(first.triangles, second.triangles)


def test_recognised_by_content(tmp_path: Path) -> None:
    (tmp_path / "box.txt").write_text(box_text((1.0, 2.0, 3.0)))
    mesh = read_mesh(tmp_path / "box.txt")
    assert mesh.format is MeshFormat.STEP
    assert mesh.unit == 1.0
    assert "60 to 100 sides for a full circle" in mesh.notes[1]


def test_no_step_at_all(tmp_path: Path) -> None:
    assert "ISO-10303-21" in refused(tmp_path / "part.step", "what is this")


def test_damaged_files(tmp_path: Path) -> None:
    text = box_text((1.0, 2.0, 3.0))
    message = refused(tmp_path / "cut.step", text[: len(text) // 2])
    assert "OpenCASCADE cannot read it as step" in message
    assert "export it again" in message
    refused(tmp_path / "bare.step", "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n")


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    refused(tmp_path / "cut.step", box_text((1.0, 2.0, 3.0))[:2000])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os; os.abort()", "status"),
        ("raise SystemExit(3)", "status 3"),
        ("print('*** ERR StepFile : broken ***')", "ERR StepFile : broken"),
    ],
)
def test_a_process_that_fails_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, words: str
) -> None:
    monkeypatch.setattr(step_file, "_PROGRAM", program)
    assert words in refused(tmp_path / "part.step", box_text((1.0, 2.0, 3.0)))


def test_a_process_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_file, "_PROGRAM", "import time; time.sleep(60)")
    monkeypatch.setattr(step_file, "MAX_STEP_SECONDS", 1)
    assert "more than 1 s" in refused(tmp_path / "part.step", box_text((1.0, 2.0, 3.0)))


def test_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_file, "MAX_STEP_BYTES", 1000)
    assert "limit for STEP is 1000" in refused(tmp_path / "part.step", box_text((1.0, 2.0, 3.0)))


def test_modules_in_the_working_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cascadio.py").write_text("raise SystemExit('wrong module')")
    (tmp_path / "box.step").write_text(box_text((1.0, 2.0, 3.0)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert len(read_mesh("box.step").triangles) == 12


@pytest.mark.parametrize("executable", [None, "no such python"])
def test_without_a_python_to_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executable: str | None) -> None:
    monkeypatch.setattr(step_file, "get_executable", lambda: executable)
    assert "cannot be started" in refused(tmp_path / "part.step", box_text((1.0, 2.0, 3.0)))
