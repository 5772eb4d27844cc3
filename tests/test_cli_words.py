"""What commands and notebooks say in passing: where help is, numbers without noise, objects on one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

import polycontact as pc
from polycontact.cli import main
from polycontact.simulation.ledger import COLUMNS
from polycontact.wording import counted, format_vector


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["run", "bubbles", "--endtime", "3"], "See 'polycontact run --help'."),
        (["run"], "See 'polycontact run --help'."),
        (["frobnicate"], "See 'polycontact --help'."),
        (["chek"], "there is no command 'chek'; did you mean 'check'? See 'polycontact --help'."),
        (
            ["list", "all"],
            "'all' is one word too many; put names with spaces in quotes. See 'polycontact list --help'.",
        ),
        (["study", "sensitivty", "s.h5"], "instead of 'sensitivty'? See 'polycontact study --help'."),
        (["repair", "a.obj"], "--output is missing. See 'polycontact repair --help'."),
        (["compare", "x", "--bodies", "a"], "--bodies needs 2 values after it. See 'polycontact compare --help'."),
        (
            ["compare", "x", "--rounds", "9.9"],
            "--rounds is \"9.9\"; give a whole number. See 'polycontact compare --help'.",
        ),
        (["study", "open", "s.h5", "1.5"], "RUN is \"1.5\"; give a whole number. See 'polycontact study open --help'."),
        (["check", "a.obj", "--json", "--json"], "--json is given more than once. See 'polycontact check --help'."),
    ],
)
def test_messages_name_the_help_that_is_meant(words: list[str], where: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.endswith(f"{where}\n")


@pytest.mark.parametrize("command", ["compare", "verify", "report", "run", "view"])
def test_help_has_no_options_for_nothing(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([command, "--help"])
    shown = capsys.readouterr().out
    assert "Usage: polycontact" in shown.splitlines()[0]
    assert "--empty-" not in shown
    assert "--no-no-" not in shown
    assert "default: False" not in shown


def test_python_can_run_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "polycontact", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, pc.__version__)


def test_one_mesh_is_placed_once(tmp_path: Path) -> None:
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.3mf")
    assert "1 mesh placed 1 time" in pc.check_surface(tmp_path / "box.3mf").notes


def test_one_of_each_is_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", encoding="utf-8")
    (tmp_path / "one.urdf").write_text('<robot name="r"><link name="x"/></robot>', encoding="utf-8")
    for name, said in (("one.obj", "3 vertices, 1 triangle, 1 component"), ("one.urdf", "r: 1 link, 0 joints")):
        assert main(["check", str(tmp_path / name)]) == 0
        assert said in capsys.readouterr().out
    assert [counted(1, "mesh", "meshes"), counted(2, "mesh", "meshes"), counted(0, "run")] == [
        "1 mesh",
        "2 meshes",
        "0 runs",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["view", "part.obj", "-o", "part.obj"], "a page is a .html or .htm file"),
        (["repair", "part.obj", "-o", "part.obj"], "this is the mesh itself"),
        (["study", "table", "part.obj", "-o", "part.obj"], "a table is a .csv file"),
        (["picture", "part.obj", "-o", "part.obj"], "a .png, .jpg, .jpeg, .webp, .gif or .mp4 file"),
        (["run", "part.obj", "-o", "part.obj"], "this is a mesh, no scenario"),
    ],
)
def test_no_command_writes_over_what_it_reads(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pc.save_surface(pc.shapes.box(1.0), "part.obj")
    before = Path("part.obj").read_bytes()
    assert main(words) == 2
    assert said in capsys.readouterr().err
    assert Path("part.obj").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["view", "bubbles", "--fps", "5"], "--fps is of runs"),
        (["view", "bubbles", "--unit", "mm"], "--unit is of meshes"),
        (["view", "bubles"], 'did you mean "bubbles"?'),
        (["view", "BUBBLES"], 'did you mean "bubbles"?'),
        (["picture", "r.h5", "-o", "r.png", "--fps", "5"], "fps is of a film"),
        (["picture", "r.h5", "-o", "r.gif", "--time", "1"], "time is of a picture"),
        (["check", "r.urdf", "--material", "steel"], "a robot file has masses"),
        (["check", "r.obj", "--density", "1"], "are for assemblies"),
        (["repair", "r.obj", "-o", "m.obj", "--fill-holes", "nan"], "fill_holes is nan m"),
        (["responses", "billiard_balls", "--output-step", "-1"], "output_step is -1.0 s"),
        (["compare", "sphere_on_plat"], "did you mean 'sphere_on_plate'?"),
        (["study", "bubbles_starts", "--resume", "--replace"], "leave one out"),
        (["study", "bubbles_starts", "--tls-ca", "x"], "--tls-ca is for --cluster tls://"),
        (["study", "bubbles_starts", "--time-limit", "soon"], "the time limit is 'soon'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_json_too(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    has_json = words[0] not in ("view", "picture")
    assert main(words + ["--json"] * has_json) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert json.loads(captured.out)["ok"] is False if has_json else captured.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["study"], "it needs scenario, results, [[parameters]] and [design]"),
        (["identify"], "it needs scenario, [[parameters]] and [[curves]]"),
        (["view", "--no-open", "--pose"], "it needs [e], [f], [contact] and [kinematics]"),
    ],
)
def test_other_files_than_scenarios_tell_what_they_need(
    command: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.toml"
    path.touch()
    assert main([*command, str(path)]) == 2
    assert f"the file is empty; {said}" in capsys.readouterr().err
    path.write_text(pc.load_scenario("ball_on_table").source, encoding="utf-8")
    assert main([*command, str(path)]) == 2
    assert "this is a scenario" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
@pytest.mark.parametrize(
    "words", [["view", "--no-open"], ["report", "--no-open"], ["study", "sensitivity"], ["check"], ["run"]]
)
def test_no_command_waits_for_a_fifo(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pipe.h5"
    os.mkfifo(path)
    assert main([*words, str(path)]) == 2
    assert "FIFO" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_output_that_cannot_be_written_is_told() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "polycontact", "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("polycontact: the output: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["list"], ["--help"]])
def test_readers_may_stop_reading(words: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "polycontact", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()  # before anything can have been written
    assert (process.wait(), process.stderr.read()) == (0, "")
    process.stderr.close()


def test_positions_have_no_noise() -> None:
    assert format_vector((0.5, -1.03e-15, 0.0)) == "(0.5, 0, 0)"
    assert format_vector((float("nan"), 1.0, 1e-15)) == "(nan, 1, 0)"
    assert format_vector((1e-9, 2e-9, 0.0)) == "(1e-09, 2e-09, 0)"


def test_times_have_no_noise() -> None:
    system = pc.MultibodySystem("still")
    system.add_body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    run = pc.simulate(system, end_time=0.1 + 0.2, output_step=0.1)
    with pytest.raises(pc.SimulationError, match=r"t = 0\.4 s is not within the run, 0 s to 0\.3 s"):
        run.trajectory.at(0.1 + 0.3)


def test_scenario_and_ledger_are_one_line() -> None:
    scenario = pc.load_scenario("ball_on_table")
    assert repr(scenario) == "Scenario('ball_on_table', 3 bodies, 2.5 s)"
    rows = np.zeros((3, len(COLUMNS)))
    rows[:, 0] = 1.0, 2.0, 4.0
    rows[-1, -1] = -1.03e-15
    ledger = pc.simulation.EnergyLedger(np.array([0.0, 0.5, 1.0]), rows)
    assert repr(ledger).startswith("EnergyLedger(3 samples, 0 to 1 s, turnover 3 J, worst balance 1.03e-15 J")
    assert "<td>4</td>" in ledger._repr_html_()
    assert "e-15" not in ledger._repr_html_()
    assert "\n" not in repr(pc.simulation.EnergyLedger(np.zeros(0), np.zeros((0, len(COLUMNS)))))


def test_objects_are_one_short_line() -> None:
    """What a notebook shows of them: no walls of arrays, no noise."""
    system = pc.MultibodySystem("things")
    surface = pc.shapes.box(0.1)
    system.add_body("block", surface=surface, density=1000.0, position=(0.0, 0.0, 0.0499))
    system.add_body("floor", surface=pc.shapes.box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_joint("pin", "revolute", "world", "arm")
    system.add_contact("block", "floor", law=pc.LayerLaw(stiffness=1e8))
    pairing = pc.ContactPairing(surface, pc.shapes.box(1.0), law=pc.LayerLaw(stiffness=1e8))
    result = pairing.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -0.549)))
    run = pc.simulate(system, end_time=0.01)
    stiffness = ["400 N/mm"] * 3 + [10.0] * 3
    things = {
        pc.multibody.Bushing(
            "m", "a", "b", stiffness
        ): "Bushing('m', body_a='a', body_b='b', stiffness=diagonal (400000, 4",
        pc.multibody.AppliedForce(
            "f", "a", force=(0, 0, "sin(t)")
        ): "AppliedForce('f', body='a', force=(0, 0, 'sin(t)'))",
        pc.materials["steel"]: "Material('steel', youngs_modulus=2.1e+11, poissons_ratio=0.3, density=7850)",
        system.joints["pin"]: "Joint('pin', revolute, 'world' to 'arm')",
        system.contacts["block–floor"]: "Contact('block–floor', PolygonalMethod, LayerLaw)",
        surface.mass_properties(1000.0): "MassProperties(1 kg, 0.001 m³, centre (0, 0, 0) m, moments (0.00166667, ",
        result: "ContactResult(",
        pc.check_surface(surface): "SurfaceReport('box', ok: 8 vertices, 12 triangles",
    }
    for thing, begin in things.items():
        assert repr(thing).startswith(begin), repr(thing)
    more = [result.elements, result.kinematics, run.statistics, run.peaks, run.trajectory.at(0.0)]
    more += [system.bodies["block"].shapes[0], pc.compare("box_on_plate", rounds=0)]
    for thing in (*things, *more):
        assert len(repr(thing)) < 400
        assert "\n" not in repr(thing)
        assert "e-1" not in repr(thing)
