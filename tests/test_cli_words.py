"""What commands and notebooks say in passing: where help is, numbers without noise, objects on one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

import polycontact as pc
from polycontact.cli import main
from polycontact.surfaces.inspection.surface_problems import format_point


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["run", "bubbles", "--endtime", "3"], "See 'polycontact run --help'."),
        (["run"], "See 'polycontact run --help'."),
        (["frobnicate"], "See 'polycontact --help'."),
    ],
)
def test_messages_name_the_help_that_is_meant(words: list[str], where: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.endswith(f"{where}\n")


@pytest.mark.parametrize("command", ["bench", "verify", "report", "run", "view"])
def test_help_has_no_options_for_nothing(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([command, "--help"])
    shown = capsys.readouterr().out
    assert "Usage: polycontact" in shown.splitlines()[0]
    assert "--empty-" not in shown
    assert "--no-no-" not in shown


def test_python_can_run_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "polycontact", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, pc.__version__)


def test_one_mesh_is_placed_once(tmp_path: Path) -> None:
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.3mf")
    assert "1 mesh placed 1 time" in pc.check_surface(tmp_path / "box.3mf").notes


def test_positions_have_no_noise() -> None:
    assert format_point((0.5, -1.03e-15, 0.0)) == "(0.5, 0, 0)"
    assert format_point((1e-9, 2e-9, 0.0)) == "(1e-09, 2e-09, 0)"


def test_times_have_no_noise() -> None:
    system = pc.MultibodySystem("still")
    system.add_body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    run = pc.simulate(system, end_time=0.1 + 0.2, output_step=0.1)
    with pytest.raises(pc.SimulationError, match=r"t = 0\.4 s is not within the run, 0 s to 0\.3 s"):
        run.trajectory.at(0.1 + 0.3)


def test_scenario_and_ledger_are_one_line() -> None:
    scenario = pc.load_scenario("ball_on_table")
    assert repr(scenario) == "Scenario('ball_on_table', 3 bodies, 2.5 s)"
    rows = np.zeros((3, 10))
    rows[:, 0] = 1.0, 2.0, 4.0
    rows[-1, -1] = -1.03e-15
    ledger = pc.EnergyLedger(np.array([0.0, 0.5, 1.0]), rows)
    assert repr(ledger).startswith("EnergyLedger(3 samples, 0 to 1 s, turnover 3 J, worst balance 1.03e-15 J")
    assert "<td>4</td>" in ledger._repr_html_()
    assert "e-15" not in ledger._repr_html_()
    assert "\n" not in repr(pc.EnergyLedger(np.zeros(0), np.zeros((0, 10))))
