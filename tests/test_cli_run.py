"""`polycontact list` and `run`: exit status, what goes to stdout and to stderr, files that are written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli import main, scenarios
from polycontact.report.run_table import ledger_table
from polycontact.scenario.builtin import list_scenarios, scenario_text
from polycontact.scenario.schema.joint_keys import Joint
from polycontact.scenario.schema.key_reference import key_sections
from polycontact.simulation.integrators import INTEGRATORS
from polycontact.simulation.ledger import EnergyLedger

ROOT = Path(__file__).resolve().parents[1]
SHORT = ("--end-time", "0.05")

Captured = pytest.CaptureFixture[str]


def spoken(arguments: list[str], capsys: Captured) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a command."""
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def answered(arguments: list[str], capsys: Captured) -> dict[str, Any]:
    """The one JSON object that a successful command prints."""
    status, out, _ = spoken([*arguments, "--json"], capsys)
    assert status == 0
    answer = json.loads(out)
    assert isinstance(answer, dict)
    return answer


def refused(arguments: list[str], capsys: Captured, status: int = 2) -> str:
    """Message on stderr of a command that fails; stdout stays empty."""
    found, out, err = spoken(arguments, capsys)
    assert found == status
    assert out == ""
    assert "Traceback" not in err
    return err


def test_list_names_all_scenarios(capsys: Captured) -> None:
    status, out, err = spoken(["list"], capsys)
    assert (status, err) == (0, "")
    for name, _ in list_scenarios():
        assert name in out
    answer = answered(["list"], capsys)
    assert [each["name"] for each in answer["scenarios"]] == [name for name, _ in list_scenarios()]
    assert all(each["description"] for each in answer["scenarios"])


def test_run_prints_tables(capsys: Captured) -> None:
    status, out, err = spoken(["run", "bubbles", *SHORT], capsys)
    assert (status, err) == (0, "")
    for part in ("bubbles, 0.05 s simulated", "cvode-bdf", "energy ledger, J", "balance"):
        assert part in out
    assert "paper" not in out  # whose runs are longer
    assert "│     -0 │" not in out


def test_template_prints_the_file(capsys: Captured) -> None:
    assert spoken(["template", "bubbles"], capsys) == (0, scenario_text("bubbles"), "")


def test_printed_template_tells_of_its_meshes(capsys: Captured) -> None:
    status, out, err = spoken(["template", "pedestrian"], capsys)
    assert (status, out) == (0, scenario_text("pedestrian"))
    assert "'polycontact template pedestrian -o pedestrian.toml' writes them too" in err


def test_template_brings_its_meshes_along(capsys: Captured, tmp_path: Path) -> None:
    """A copy runs like the original, to the last digit."""
    copy = tmp_path / "mine.toml"
    status, out, err = spoken(["template", "pedestrian", "-o", str(copy)], capsys)
    assert (status, err) == (0, "")
    assert f"with 16 meshes beside it in {tmp_path / 'pedestrian'}" in out
    ours, theirs = (answered(["run", name, *SHORT], capsys) for name in (str(copy), "pedestrian"))
    assert ours["ledger"] == theirs["ledger"]
    assert ours["statistics"]["evaluations"] == theirs["statistics"]["evaluations"]


def test_template_replaces_nothing(capsys: Captured, tmp_path: Path) -> None:
    copy = tmp_path / "mine.toml"
    copy.write_text("# mine", encoding="utf-8")
    assert f"{copy}: File exists; choose another file" in refused(["template", "pedestrian", "-o", str(copy)], capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_schema_can_be_read(capsys: Captured) -> None:
    status, out, _ = spoken(["schema"], capsys)
    assert status == 0
    assert json.loads(out)["properties"]
    assert max(map(len, out.splitlines())) < 1000


@pytest.mark.parametrize("name", ["joints", "joint", "[[joints]]", "Joints"])
def test_keys_of_a_table(name: str, capsys: Captured) -> None:
    status, out, _ = spoken(["schema", name], capsys)
    assert status == 0
    assert out.startswith("[[joints]]\nA joint between two bodies")
    assert all(key in out for key in Joint.model_fields)
    assert "`" not in out


def test_keys_of_kinds(capsys: Captured) -> None:
    status, out, _ = spoken(["schema", "forces"], capsys)
    assert status == 0
    assert 'kind = "bushing"' in out
    assert out.index("All kinds have these keys") < out.index("kind = ")


def test_every_section_of_keys_has_its_own_words(capsys: Captured) -> None:
    for section in key_sections():
        status, out, _ = spoken(["schema", section.name], capsys)
        assert (status, out.splitlines()[0]) == (0, section.written)


@pytest.mark.parametrize(
    ("name", "told"), [("jonts", "did you mean 'joints'?"), ("xyz", "give one of file, scenario,")]
)
def test_a_table_that_does_not_exist(name: str, told: str, capsys: Captured) -> None:
    assert told in refused(["schema", name], capsys)


def test_json_is_one_object(capsys: Captured) -> None:
    answer = answered(["run", "bubbles", *SHORT], capsys)
    assert answer["scenario"] == "bubbles"
    assert (answer["status"], answer["output"], answer["runs"]) == ("finished", None, [])
    assert answer["failures"] == []
    statistics = answer["statistics"]
    assert statistics["integrator"] == "cvode-bdf"
    assert statistics["simulated_time"] == 0.05
    assert statistics["real_time_factor"] == pytest.approx(statistics["cpu_seconds"] / 0.05)
    assert {"kinetic", "residual", "balance", "worst_balance", "turnover"} <= set(answer["ledger"])
    assert answer["peaks"]["contacts"] == {}  # nothing touches so early


def test_greatest_loads_are_told(capsys: Captured) -> None:
    until = ["run", "ball_on_table", "--end-time", "0.3"]
    peaks = answered(until, capsys)["peaks"]
    assert set(peaks["contacts"]["ball–table"]) == {"force", "pressure", "depth"}
    force = peaks["contacts"]["ball–table"]["force"]
    assert force["value"] > 100.0
    assert 0.2 < force["time"] < 0.3
    status, out, _ = spoken(until, capsys)
    assert status == 0
    assert "greatest loads of contacts" in out
    assert f"{force['value']:.4g} N" in out


@pytest.mark.slow
def test_all_integrators_beside_the_paper(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    status, out, _ = spoken(["run", "bubbles", "--integrator", "all"], capsys)
    assert status == 0
    assert "energy ledger of the run with dopri5, J" in out
    for part in ("cvode-bdf", "lsoda", "ida", "dopri5", "paper: LSODE", "paper: DASSL", "Pentium"):
        assert part in out
    for row in ("mean step", "evaluations", "Jacobians", "CPU time", "real-time factor"):
        assert row in out
    for published in ("6046", "7100", "88", "92.1", "95.3", "0.8 ms", "1.2 ms"):
        assert published in out
    answer = answered(["run", "bubbles", "--integrator", "all", *SHORT], capsys)
    names = [each["statistics"]["integrator"] for each in answer["runs"]]
    assert names == ["cvode-bdf", "lsoda", "ida", "dopri5"]


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_options_reach_the_run(integrator: str, capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    arguments = [
        "run",
        "ball_on_table",
        "-o",
        str(path),
        *SHORT,
        "--integrator",
        integrator,
        "--rtol",
        "1e-5",
        "--atol",
        "1e-6",
        "--velocity-atol",
        "1e-3",
        "--max-step",
        "0.004",
        "--output-step",
        "0.025",
        "--workers",
        "1",
        "--events",
        "--elements",
        "--profile",
    ]
    answer = answered(arguments, capsys)
    assert answer["output"] == str(path)
    assert answer["statistics"]["mean_step"] <= 0.004 * (1.0 + 1e-12)
    assert set(answer["statistics"]["profile"]) == {"contacts", "dynamics", "recording", "integrator"}
    trajectory = pc.Trajectory.open(path)
    assert trajectory.time.tolist() == pytest.approx([0.0, 0.025, 0.05])
    assert trajectory.has_elements
    expected = {
        "integrator": integrator,
        "rtol": 1e-5,
        "atol": 1e-6,
        "velocity_atol": 1e-3,
        "max_step": 0.004,
        "output_step": 0.025,
        "workers": 1,
        "contact_events": True,
        "elements": True,
        "end_time": 0.05,
    }
    assert {key: trajectory.settings[key] for key in expected} == expected
    assert trajectory.scenario is not None
    assert 'name = "ball_on_table"' in trajectory.scenario


def test_profile_is_shown(capsys: Captured) -> None:
    status, out, _ = spoken(["run", "ball_on_table", *SHORT, "--profile"], capsys)
    assert status == 0
    for part in ("profile", "contacts", "dynamics", "recording", "share"):
        assert part in out


def test_output_is_named_and_replaced(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    for end in ("0.05", "0.02"):
        status, out, _ = spoken(["run", "ball_on_table", "-o", str(path), "--end-time", end], capsys)
        assert status == 0
        assert "recorded in" in out
    assert pc.Trajectory.open(path).time[-1] == 0.02


def test_resume_goes_on(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    steps = ("--output-step", "0.01")
    answered(["run", "ball_on_table", "-o", str(path), *SHORT, *steps], capsys)
    answer = answered(["run", "ball_on_table", "-o", str(path), "--resume", "--end-time", "0.1", *steps], capsys)
    assert answer["output"] == str(path)
    assert answer["statistics"]["simulated_time"] == pytest.approx(0.1)
    assert pc.Trajectory.open(path).time.tolist() == pytest.approx([0.01 * i for i in range(11)])


def test_resume_needs_a_run(capsys: Captured, tmp_path: Path) -> None:
    assert "--output" in refused(["run", "bubbles", "--resume"], capsys)
    missing = tmp_path / "missing.h5"
    assert str(missing) in refused(["run", "bubbles", "--resume", "-o", str(missing)], capsys)
    path = tmp_path / "run.h5"
    answered(["run", "ball_on_table", "-o", str(path), *SHORT], capsys)
    before = path.read_bytes()
    assert "not those of this system" in refused(["run", "bubbles", "--resume", "-o", str(path)], capsys)
    assert "not after the start" in refused(["run", "ball_on_table", "--resume", "-o", str(path), *SHORT], capsys)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "bubles"], 'did you mean "bubbles"'),
        (["run", "no/such/file.toml"], 'no such file in "no/such"'),
        (["run", "bubbles", "--integrator", "euler"], "no integrator 'euler'; choose one of cvode-bdf"),
        (["run", "bubbles", "--end-time", "-1"], "end_time -1.0 s is not after"),
        (["run", "bubbles", "--end-time", "0"], "end_time 0.0 s is not after"),
        (["run", "bubbles", "--end-time", "soon"], "soon"),
        (["run", "bubbles", "--rtol", "0"], "rtol is 0.0"),
        (["run", "bubbles", "--workers", "0"], "workers is 0"),
        (["run", "bubbles", "--max-step", "nan"], "max_step is nan"),
        (["run", "bubbles", "--output-step", "1e-9"], "output_step of 1e-09"),
        (["run", "bubbles", "-o", "."], "this is a folder"),
        (["run", "bubbles", "-o", "run.csv"], "name a .h5 or .hdf5 file; for tables use 'polycontact export"),
        (["run", "bubbles", "-o", "run"], "name a .h5 or .hdf5 file"),
        (["run", "bubbles", "-o", "no/such/folder/run.h5"], "no/such/folder does not exist"),
        (["run", "bubbles", "--integrator", "all", "-o", "run.h5"], "records nothing"),
        (["run"], "SCENARIO is missing"),
        (["run", "bubbles", "--workers", "1.5"], '--workers is "1.5"; give a whole number'),
        (["run", "bubbles", "--end-time", "20 ms"], '--end-time is "20 ms"; give a plain number'),
        (["run", "bubbles", "--speed", "1"], "--speed"),
    ],
)
def test_bad_use_is_told(
    arguments: list[str], said: str, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refused(arguments, capsys).replace(os.sep, "/")
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_not_overwritten(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "notes.h5"
    path.write_text("important", encoding="utf-8")
    assert "not overwritten" in refused(["run", "ball_on_table", "-o", str(path), *SHORT], capsys)
    assert path.read_text(encoding="utf-8") == "important"


def test_json_tells_of_errors_too(capsys: Captured) -> None:
    status, out, err = spoken(["run", "bubbles", "--integrator", "euler", "--json"], capsys)
    assert status == 2
    answer = json.loads(out)
    assert answer["ok"] is False
    assert "euler" in answer["error"]
    assert "euler" in err


def test_all_mistakes_of_a_scenario_are_listed(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(
        """
[scenario]
name = "wrong"

[simulation]
end_time = -1.0

[[bodies]]
name = "ball"
shape = { kind = "spere", radius = 0.1 }

[[bodies]]
name = "box"
shape = { kind = "box", size = [0.1, -0.1, 0.1] }
mass = "heavy"
colour = 7
""",
        encoding="utf-8",
    )
    message = refused(["run", str(path)], capsys)
    assert "wrong.toml" in message
    for part in ("end_time", "spere", "size", "mass", "colour"):
        assert part in message


def test_failed_integration_has_status_one(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> pc.Run:
        raise pc.IntegrationError("cvode-bdf stopped at 0.1 s", time=0.1)

    monkeypatch.setattr("polycontact.simulation.simulate.simulate", fail)
    assert "stopped at 0.1 s" in refused(["run", "bubbles", *SHORT], capsys, status=1)


def test_runs_before_a_failure_are_shown(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --integrator all, one that fails does not hide what the others needed."""
    simulate = pc.simulate

    def fail_with_ida(*arguments: Any, **options: Any) -> pc.Run:
        if options["integrator"] == "ida":
            raise pc.IntegrationError("ida stopped at 0.1 s", time=0.1)
        return simulate(*arguments, **options)

    monkeypatch.setattr("polycontact.simulation.simulate.simulate", fail_with_ida)
    status, out, err = spoken(["run", "ball_on_table", "--integrator", "all", *SHORT], capsys)
    assert status == 1
    assert "ida stopped" in err
    for name in ("cvode-bdf", "lsoda", "dopri5"):
        assert name in out
    status, out, _ = spoken(["run", "ball_on_table", "--integrator", "all", *SHORT, "--json"], capsys)
    assert status == 1
    answer = json.loads(out)
    assert len(answer["runs"]) == 3
    assert answer["failures"] == ["ida stopped at 0.1 s"]


@pytest.mark.parametrize("resume", [False, True])
def test_interrupt_keeps_the_run(
    resume: bool, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.h5"
    if resume:
        answered(["run", "ball_on_table", "-o", str(path), *SHORT], capsys)
    simulate = pc.simulate

    def interrupted(system: pc.MultibodySystem, **options: Any) -> pc.Run:
        def stop(view: pc.multibody.ForceView) -> None:
            if view.time > 0.1:
                raise KeyboardInterrupt

        system.add_force(pc.multibody.PythonForce("stop", stop))
        return simulate(system, **options)

    monkeypatch.setattr("polycontact.simulation.simulate.simulate", interrupted)
    options = ["--resume"] if resume else []
    status, out, err = spoken(["run", "ball_on_table", "-o", str(path), "--json", *options], capsys)
    assert status == scenarios.STOPPED
    answer = json.loads(out)
    assert answer["status"] == "stopped"
    assert answer["output"] == str(path)
    assert "stopped by the user" in err
    assert f"continue with: polycontact run ball_on_table -o {path} --resume --json\n" in err.replace('"', "")
    assert pc.Trajectory.open(path).status == "stopped"


def test_continuation_repeats_what_was_given() -> None:
    given = {"end_time": 2.0, "velocity_atol": 1e-3, "step_limit": False, "elements": True}
    words = scenarios._continuation("my drop.toml", Path("run.h5"), given, ["a.b=12 mm"], json=True)
    assert words == (
        'polycontact run "my drop.toml" -o run.h5 --resume --end-time 2.0 --velocity-atol 0.001 --no-step-limit '
        '--elements --set "a.b=12 mm" --json'
    )


def test_interrupt_anywhere_has_no_traceback(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("polycontact.scenario.loading.load_scenario", interrupted)
    assert refused(["run", "bubbles"], capsys, status=scenarios.STOPPED) == "polycontact: stopped\n"


def test_other_files_than_scenarios_are_told_apart(capsys: Captured, tmp_path: Path) -> None:
    run, mesh = tmp_path / "run.h5", tmp_path / "part.stl"
    answered(["run", "ball_on_table", "-o", str(run), *SHORT], capsys)
    pc.save_surface(pc.shapes.box(1.0), mesh)
    assert "recorded run" in refused(["run", str(run)], capsys)
    assert "recorded run" in refused(["run", str(run.rename(tmp_path / "run.dat"))], capsys)
    assert "this is a mesh" in refused(["run", str(mesh)], capsys)


def test_ledger_shows_no_noise() -> None:
    rows = np.zeros((2, 12))
    rows[1] = [1.0, -0.0, 2.022e-28, -1e-13, 1e-9, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-13, -1e-11]
    rows[0, 10] = -0.0
    table = ledger_table(EnergyLedger(np.array([0.0, 1.0]), rows))
    assert list(table.columns[1].cells) == ["0"] * 10  # no rows of numerical losses and of layers where there are none
    assert list(table.columns[2].cells) == ["1", "0", "0", "0", "1e-09", "0", "0", "0", "0", "-1e-11"]


@pytest.mark.slow
def test_as_a_process(tmp_path: Path) -> None:
    """The same through the interpreter: status, one JSON object on stdout, a file."""
    path = tmp_path / "run.h5"
    process = subprocess.run(
        [sys.executable, "-m", "polycontact.cli", "run", "ball_on_table", "-o", str(path), *SHORT, "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert process.returncode == 0, process.stderr
    answer = json.loads(process.stdout)
    assert process.stdout.count("\n") == 1
    assert answer["statistics"]["real_time_factor"] > 0.0
    assert pc.Trajectory.open(path).status == "finished"


BOXES = """gravity = [0, 0, 0]
[scenario]
name = "boxes"
[simulation]
end_time = 0.1
[[bodies]]
name = "a"
shape = { kind = "box", size = [0.1, 0.1, 0.1], divisions = 4 }
mass = 1.0
[[bodies]]
name = "b"
shape = { kind = "box", size = [0.1, 0.1, 0.1], divisions = 4 }
mass = 1.0
position = [0.03, 0.02, 0.15]
velocity = [0, 0, -1]
[contact]
stiffness = 1e8
depth = "base_normal"
[[contact.pairs]]
bodies = ["a", "b"]
"""


def test_contacts_that_make_energy_are_told(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "boxes.toml"
    file.write_text(BOXES)
    with pytest.warns(pc.SimulationWarning, match="the residual work of the contacts reached"):
        status, out, _ = spoken(["run", str(file)], capsys)
    assert status == 0
    assert "residual work of contacts is a large share of the turnover, see the warning" in " ".join(out.split())
    with pytest.warns(pc.SimulationWarning, match="the residual work of the contacts reached"):
        answer = answered(["run", str(file)], capsys)
    assert answer["energy_warning"].startswith("the residual work of the contacts reached")
    assert answer["ledger"]["worst_residual"] > 0.05 * answer["ledger"]["turnover"]


def test_values_are_set_on_the_command_line(capsys: Captured) -> None:
    setting = "bodies.ball 1.position[0]=-300 mm"  # too far away to touch within the time
    assert main(["run", "billiard_balls", "--end-time", "0.1", "--set", setting, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["peaks"]["contacts"] == {}
    assert main(["run", "billiard_balls", "--set", "bodies.ball 9.mass=1"]) == 2
    assert 'there is no "ball 9"; did you mean "ball' in capsys.readouterr().err
