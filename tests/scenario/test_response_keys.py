"""The contact response in scenario files and on the command line, and in runs that are recorded and go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli import main
from polycontact.scenario.loading import parse_scenario
from polycontact.scenario.schema.scenario import export_schema

TEXT = """
[scenario]
name = "ball"
[simulation]
end_time = 0.1
output_step = 0.01
RESPONSE
[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.05, geometry = "convex" }
density = 1000
position = [0, 0, 0.06]
[[bodies]]
name = "floor"
shape = { kind = "box", size = [1, 1, 0.1], geometry = "convex" }
position = [0, 0, -0.05]
fixed = true
[contact]
automatic = true
law = { kind = "spring_damper", stiffness = 1e5 }
"""


def scenario(response: str) -> Any:
    return parse_scenario(TEXT.replace("RESPONSE", response))


def file_of(folder: Path, response: str) -> str:
    path = folder / "ball.toml"
    path.write_text(TEXT.replace("RESPONSE", response))
    return str(path)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("response = 'multipliers'", pc.MultiplierResponse()),
        ("response = 'impulses'", pc.ImpulseResponse()),
        (
            "response = { kind = 'multipliers', step = 2e-3, solver = 'lemke' }",
            pc.MultiplierResponse(step=2e-3, solver="lemke"),
        ),
        (
            "response = { kind = 'impulses', update = 'simultaneous', restitution = 0.5 }",
            pc.ImpulseResponse(update="simultaneous", restitution=0.5),
        ),
        ("[simulation.response]\nkind = 'impulses'\nhypothesis = 'newton'", pc.ImpulseResponse(hypothesis="newton")),
    ],
)
def test_names_and_tables(keys: str, expected: object) -> None:
    made = scenario(keys)
    run = pc.simulate(made.build(), **made.settings)
    assert pc.Trajectory is type(run.trajectory)
    assert run.trajectory.settings["response"] == {"kind": made.settings["response"]["kind"], **vars(expected)}
    assert run.statistics.response is not None


@pytest.mark.parametrize("keys", ["", "response = 'compliant'", "response = { kind = 'compliant' }"])
def test_compliant_is_the_default(keys: str) -> None:
    made = scenario(keys)
    run = pc.simulate(made.build(), **made.settings)
    assert run.trajectory.settings["response"] == {"kind": "compliant"}
    assert run.statistics.response is None


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("response = 'rigid'", "simulation.response"),
        ("response = 'layer'", "simulation.response"),
        ("response = 3", "simulation.response"),
        ("response = { kind = 'rigid' }", "simulation.response"),
        ("response = { kind = 'multipliers', step = -1 }", "simulation.response.step: -1"),
        ("response = { kind = 'multipliers', step = nan }", "simulation.response.step: nan"),
        ("response = { kind = 'impulses', restitution = 2 }", "simulation.response.restitution: 2"),
        ("response = { kind = 'impulses', update = 'both' }", 'simulation.response.update: "both"'),
        ("response = { kind = 'impulses', stepp = 1 }", "simulation.response.stepp"),
        ("response = { kind = 'multipliers', update = 'simultaneous' }", "simulation.response.update"),
    ],
)
def test_mistakes_are_named_by_their_key(keys: str, told: str) -> None:
    with pytest.raises(pc.ScenarioError) as caught:
        scenario(keys)
    assert told in "\n".join(caught.value.problems)


def test_schema_knows_names_and_tables() -> None:
    text = str(export_schema())
    for name in ("multipliers", "impulses", "compliant", "rest_speed"):
        assert name in text


# Command line and recorded runs -----------------------------------------------------------------------------------


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = file_of(tmp_path, ""), str(tmp_path / "run.h5")
    assert main(["run", path, "-o", out, "--response", "multipliers"]) == 0
    assert "contact problems" in capsys.readouterr().out
    assert pc.Trajectory.open(out).settings["response"]["kind"] == "multipliers"
    assert main(["run", path, "--response", "rigid"]) == 2
    assert "'compliant', 'impulses', 'multipliers'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["impulses", "multipliers"])
def test_a_resumed_run_keeps_its_response(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = f"response = {{ kind = '{name}', restitution = 0.5, step = 2e-3 }}"
    path, out = file_of(tmp_path, table), str(tmp_path / "run.h5")
    assert main(["run", path, "-o", out]) == 0
    other = file_of(tmp_path, "")  # the recorded run decides, not the file
    assert main(["run", other, "-o", out, "--resume", "--end-time", "0.3"]) == 0
    run = pc.Trajectory.open(out)
    assert run.settings["response"]["kind"] == name
    assert run.settings["response"]["step"] == 2e-3
    assert run.time[-1] == pytest.approx(0.3)
    made = scenario(table)
    once = pc.simulate(made.build(), **{**made.settings, "end_time": 0.3}).trajectory
    np.testing.assert_allclose(run.time, once.time, atol=1e-12)
    np.testing.assert_allclose(run.body("ball").position, once.body("ball").position, atol=1e-4)  # atol of runs
    capsys.readouterr()


@pytest.mark.parametrize("name", ["impulses", "multipliers"])
def test_runs_are_the_same_bits(name: str, tmp_path: Path) -> None:
    made = scenario(f"response = {{ kind = '{name}', restitution = 0.5 }}")
    first, again = (pc.simulate(made.build(), **made.settings).trajectory for _ in range(2))
    threads = pc.simulate(made.build(), **{**made.settings, "workers": 2}).trajectory
    recorded = pc.simulate(made.build(), record=tmp_path / "run.h5", **made.settings).trajectory
    for other in (again, threads, recorded):
        for array in ("time", "state", "positions", "velocities", "wrenches", "contact", "energies"):
            np.testing.assert_array_equal(first.array(array), other.array(array), err_msg=array)


@pytest.mark.parametrize("name", ["impulses", "multipliers"])
def test_contact_events_are_found(name: str) -> None:
    made = scenario(f"response = {{ kind = '{name}' }}")
    run = pc.simulate(made.build(), **{**made.settings, "contact_events": True})
    assert run.events[0].time == pytest.approx((2.0 * 0.01 / 9.81) ** 0.5, abs=1.1e-3)
    assert run.events[0].kind == "start"
    restarted = pc.simulate(made.build(), **{**made.settings, "contact_events": "restart"})
    assert restarted.status == "finished"
