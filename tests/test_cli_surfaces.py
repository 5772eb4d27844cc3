"""The commands `check` and `repair`: what they print where, and their exit status."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from polycontact.cli import main
from polycontact.errors import SurfaceWarning
from polycontact.scenario.loading import parse_scenario
from polycontact.surfaces.check import check_surface
from polycontact.surfaces.mesh_loading import load_surface
from step_texts import box_text


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound [1].off"
    trimesh.creation.icosphere(subdivisions=1).export(path, file_type="off")
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """An unwelded box with one triangle reversed."""
    mesh = trimesh.creation.box()
    corners = np.array(mesh.vertices[mesh.faces])
    corners[3] = corners[3, ::-1]
    lines = [f"v {x} {y} {z}" for x, y, z in corners.reshape(-1, 3)]
    lines += [f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(12)]
    path = tmp_path / "broken.obj"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def hopeless(tmp_path: Path) -> Path:
    """Three triangles on one edge."""
    path = tmp_path / "hopeless.off"
    path.write_text("OFF\n5 3 0\n0 0 0\n1 0 0\n0 1 0\n0 -1 1\n0 -1 -1\n3 0 1 2\n3 1 0 3\n3 1 0 4\n")
    return path


def run_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    """Status and the object on stdout, which has to be the only thing there."""
    status = main([str(argument) for argument in (*arguments, "--json")])
    record = json.loads(capsys.readouterr().out)
    assert isinstance(record, dict)
    return status, record


def test_check_of_a_sound_mesh(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(sound)]) == 0
    out = capsys.readouterr().out
    assert "sound [1].off: ok" in out
    assert "80 triangles" in out


def test_check_of_a_broken_mesh(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(broken)]) == 1
    out = capsys.readouterr().out
    assert "not ok" in out
    assert "cracks" in out
    assert "remedy" in out


@pytest.fixture(params=[pytest.param("step", marks=pytest.mark.slow), "glb", "3mf"])
def cad(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A box of 10 x 20 x 40 mm in a format that needs the extra ``cad``."""
    path = tmp_path / f"part.{request.param}"
    if request.param == "step":
        path.write_text(box_text((10.0, 20.0, 40.0)))
    else:
        size = np.array((10.0, 20.0, 40.0)) * (1e-3 if request.param == "glb" else 1.0)
        trimesh.creation.box(size).export(path)
    return path


def test_commands_read_cad_files(cad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, record = run_json(capsys, "check", cad)
    assert status == 0
    assert np.isclose(record["volume"], 8e-6, rtol=1e-6)
    assert main(["repair", str(cad), "-o", str(cad.with_suffix(".ply"))]) == 0
    assert np.isclose(load_surface(cad.with_suffix(".ply")).volume, 8e-6, rtol=1e-6)
    page = cad.with_suffix(".html")
    assert main(["view", str(cad), "-o", str(page), "--no-open"]) == 0
    assert page.stat().st_size > 10_000


def test_check_as_json(sound: Path, broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, record = run_json(capsys, "check", sound)
    assert status == 0
    assert record["ok"] is True
    assert record["problems"] == []
    assert record["n_triangles"] == 80
    status, record = run_json(capsys, "check", broken)
    assert status == 1
    assert record["ok"] is False
    assert "cracks" in {problem["kind"] for problem in record["problems"]}


@pytest.mark.parametrize("command", [["check"], ["repair", "-o", "out.obj"]])
def test_unreadable_file_is_bad_input(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rubbish = tmp_path / "rubbish.obj"
    rubbish.write_bytes(b"\x00\x01\x02")
    for path in (rubbish, tmp_path / "missing.stl", tmp_path):
        assert main([*command, str(path)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("polycontact: ")
        status, record = run_json(capsys, *command, path)
        assert status == 2
        assert record["ok"] is False
        assert record["error"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["repair", "a.obj"],
        ["nonsense"],
        ["check", "a.obj", "--nonsense"],
        ["check", "a.obj", "b.obj"],
    ],
)
def test_bad_use(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "polycontact" in captured.err


def test_repair_writes_a_surface(broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "mended.ply"
    assert main(["repair", str(broken), "-o", str(output)]) == 0
    out = capsys.readouterr().out
    assert "welded 28 vertices" in out
    assert "reversed 1 triangle " in out
    surface = load_surface(output)
    assert surface.is_closed
    assert surface.volume == pytest.approx(1.0)
    assert main(["check", str(output)]) == 0


def test_repair_as_json(broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "mended.obj"
    status, record = run_json(capsys, "repair", broken, "--output", output, "--tolerance", "1e-5")
    assert status == 0
    assert record["ok"] is True
    assert record["tolerance"] == pytest.approx(1e-5)
    assert len(record["actions"]) == 2
    assert record["report"]["is_closed"] is True
    assert output.exists()


def test_repair_says_when_nothing_was_needed(sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", str(sound), "-o", str(tmp_path / "same.off")]) == 0
    assert "nothing to mend" in capsys.readouterr().out


def test_what_cannot_be_mended_does_not_hold(
    hopeless: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.obj"
    assert main(["repair", str(hopeless), "-o", str(output)]) == 1
    assert "more than two triangles" in capsys.readouterr().err
    status, record = run_json(capsys, "repair", hopeless, "-o", output)
    assert status == 1
    assert "more than two triangles" in record["error"]
    assert not output.exists()


@pytest.mark.parametrize(
    "options", [["-o", "out.xyz"], ["-o", "no such folder/out.obj"], ["-o", "out.obj", "--tolerance", "-1"]]
)
def test_bad_output_or_tolerance(
    options: list[str], broken: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(broken.parent)
    assert main(["repair", "broken.obj", *options]) == 2
    assert capsys.readouterr().out == ""
    status, record = run_json(capsys, "repair", "broken.obj", *options)
    assert status == 2
    assert record["ok"] is False


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip()
    assert main(["--help"]) == 0
    assert "check" in capsys.readouterr().out


@pytest.mark.slow
def test_as_a_process(broken: Path) -> None:
    command = [sys.executable, "-m", "polycontact.cli", "check", str(broken), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["ok"] is False


@pytest.mark.parametrize(("suffix", "status"), [("stl", 1), ("ply", 0)])
def test_repair_tells_what_the_file_holds(
    suffix: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two boxes that touch along an edge are separated; in STL, which has no vertices, they fall together again."""
    box = trimesh.creation.box((1, 1, 1))
    other = box.copy()
    other.apply_translation((1.0, 1.0, 0.0))
    both = trimesh.util.concatenate([box, other])
    both.merge_vertices()
    both.export(tmp_path / "boxes.ply")
    target = tmp_path / f"mended.{suffix}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert main(["repair", str(tmp_path / "boxes.ply"), "-o", str(target), "--json"]) == status
    assert json.loads(capsys.readouterr().out)["ok"] is (status == 0)
    assert ["write .ply, .obj or .off" in str(entry.message) for entry in caught] == [True] * status
    assert check_surface(target).ok is (status == 0)


def test_commands_take_the_unit_of_a_file(sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, metres = run_json(capsys, "check", sound)
    _, millimetres = run_json(capsys, "check", sound, "--unit", "mm")
    assert millimetres["volume"] == pytest.approx(1e-9 * metres["volume"])
    status, _ = run_json(capsys, "repair", sound, "--unit", "mm", "-o", tmp_path / "small.off")
    assert status == 0
    assert trimesh.load(tmp_path / "small.off").extents.max() == pytest.approx(0.002)
    assert main(["view", str(sound), "--unit", "mm", "--no-open", "-o", str(tmp_path / "page.html")]) == 0
    capsys.readouterr()
    assert main(["check", str(sound), "--unit", "yard"]) == 2
    assert "give one of m, mm, cm" in capsys.readouterr().err


def test_check_asks_about_a_mesh_as_large_as_a_house(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "part.off"
    trimesh.creation.box((44.0, 20.0, 10.0)).export(path, file_type="off")
    main(["check", str(path)])
    assert "44 m across" in " ".join(capsys.readouterr().out.split())
    main(["check", str(path), "--unit", "mm"])
    assert "across" not in capsys.readouterr().out


def test_scenario_asks_about_a_mesh_out_of_proportion(tmp_path: Path) -> None:
    trimesh.creation.box((44.0, 20.0, 10.0)).export(tmp_path / "part.off", file_type="off")
    text = """
    [scenario]
    name = "part"
    [simulation]
    end_time = 1
    [[bodies]]
    name = "part"
    shape = { kind = "mesh", file = "part.off" UNIT }
    mass = 1
    [[joints]]
    name = "pin"
    kind = "revolute"
    child = "part"
    at = [0.03, 0, 0]
    """
    with pytest.warns(SurfaceWarning, match="is it in millimetres"):
        parse_scenario(text.replace("UNIT", ""), tmp_path).build()
    for unit in ("mm", "m"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parse_scenario(text.replace("UNIT", f', unit = "{unit}"'), tmp_path).build()


def test_check_of_a_scenario_tells_what_it_holds_or_all_its_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """[scenario]
name = "pendulum"
[simulation]
end_time = "1 s"
[[bodies]]
name = "rod"
mass = "250 g"
inertia = [1e-3, 1e-3, 1e-3]
centre = [0, 0, -0.1]
[[joints]]
name = "pin"
kind = "revolute"
child = "rod"
axis = [0, 1, 0]
"""
    path = tmp_path / "pendulum.toml"
    path.write_text(text)
    status, record = run_json(capsys, "check", path)
    assert (status, record["ok"], record["degrees_of_freedom"]) == (0, True, 1)
    assert record["bodies"] == [{"name": "rod", "mass": 0.25, "joint": "revolute"}]
    assert main(["check", str(path)]) == 0
    assert "pendulum.toml: ok" in capsys.readouterr().out
    path.write_text(text.replace("250 g", "250 mm").replace('child = "rod"', 'child = "rot"'))
    status, record = run_json(capsys, "check", path)
    assert (status, record["ok"]) == (2, False)
    assert "is a length; expected is a mass" in record["error"]
    assert 'did you mean "rod"' in record["error"]
    assert main(["check", str(path), "--unit", "mm"]) == 2
