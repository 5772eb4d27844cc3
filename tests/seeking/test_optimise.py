"""The best values of functions whose optimum is known, with conditions and without; records and mistakes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from falling_ball import ALONG, END, TEXT, UP, G, distance, drop, total, valley, waves
from scipy.optimize import minimize_scalar

import polycontact as pc
from polycontact.cli import main
from polycontact.errors import StudyError
from polycontact.scenario.parsing import parse_scenario

BOTH = (pc.StudyParameter(ALONG, range=(-1.5, 2.0)), pc.StudyParameter(UP, range=(-1.5, 2.0)))


@pytest.mark.slow
def test_the_bottom_of_rosenbrocks_valley() -> None:
    found = pc.optimise(drop(), BOTH, minimise=valley, workers=0)
    assert found.ok
    assert found.values[ALONG] == pytest.approx(1.0, abs=0.02)  # central differences of steps of 1 % of the ranges
    assert found.values[UP] == pytest.approx(1.0, abs=0.04)
    assert found.value == min(each.objective for each in found.history)
    assert found.at_bounds == ()


def test_a_condition_is_heeded() -> None:
    """Nearest to (1, 1) with x + y < 1: (1/2, 1/2)."""
    found = pc.optimise(drop(), BOTH, minimise=distance, subject_to=(total, "<", 1.0), workers=0)
    assert found.ok
    assert found.values[ALONG] == pytest.approx(0.5, abs=2e-3)
    assert found.value == pytest.approx(0.5, abs=1e-3)
    assert sum(found.values.values()) <= 1.0 + 2e-6
    assert found.conditions[0].told() == "total < 1"


def test_the_highest_ball_is_at_the_end_of_its_range() -> None:
    up = pc.StudyParameter(UP, range=("-1 m/s", "2 m/s"))
    found = pc.optimise(drop(), up, maximise="final position of ball.z", workers=0)
    assert found.ok
    assert found.value == pytest.approx(1.0 + 2.0 * END - 0.5 * G * END**2, abs=1e-6)
    assert found.at_bounds == (UP,)
    assert "a wider range may have better values" in found.notes[0]
    assert found.scenario_there.model.bodies[0].velocity[2] == found.values[UP]


def test_the_deepest_of_several_valleys() -> None:
    up = pc.StudyParameter(UP, range=(-2.0, 2.0))
    found = pc.optimise(drop(), up, minimise=waves, starts=16, refined=3, workers=0)
    assert found.values[UP] == pytest.approx(0.7, abs=5e-3)
    assert any("several local optima" in note for note in found.notes)


IMPACT = """
gravity = [0.0, 0.0, 0.0]
[scenario]
name = "impact"
[simulation]
end_time = 0.014
[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.05, geometry = "convex" }
mass = 0.5
position = [0.0, 0.0, 0.05]
velocity = [0.0, 0.0, -1.5]
[[bodies]]
name = "plate"
shape = { kind = "box", size = [0.4, 0.4, 0.1], geometry = "convex" }
fixed = true
position = [0.0, 0.0, -0.05]
[contact]
law = { kind = "spring_damper", stiffness = 2e4, damping = 10.0 }
[[contact.pairs]]
bodies = ["ball", "plate"]
"""


@pytest.mark.slow
def test_the_damper_with_the_least_peak_force() -> None:
    """Of a mass on a spring and a damper: x = e^(−ζt) sin(ωt)/ω with ω² = 1 − ζ², force x + 2ζx', least over ζ."""
    t = np.linspace(0.0, 4.0, 40_001)

    def peak(zeta: float) -> float:
        w = math.sqrt(1.0 - zeta**2)
        x = np.exp(-zeta * t) * np.sin(w * t) / w
        return float((x + 2.0 * zeta * np.exp(-zeta * t) * (np.cos(w * t) - zeta / w * np.sin(w * t))).max())

    zeta = minimize_scalar(peak, bounds=(0.05, 0.6), method="bounded").x
    damping = pc.StudyParameter("contact.law.damping", range=(1.0, 500.0), scale="log")
    scenario = parse_scenario(IMPACT)
    found = pc.optimise(scenario, damping, minimise="peak force of ball-plate", starts=6, refined=1, workers=0)
    assert found.value == pytest.approx(peak(zeta) * 1.5 * math.sqrt(2e4 * 0.5), rel=1e-4)
    assert found.values["contact.law.damping"] == pytest.approx(2.0 * zeta * math.sqrt(2e4 * 0.5), rel=0.02)


def test_no_point_fulfils_the_conditions() -> None:
    found = pc.optimise(drop(), BOTH, minimise=distance, subject_to=[(total, ">", 5.0)], workers=0)
    assert (found.status, found.ok) == ("no feasible point", False)
    assert "the nearest misses total > 5" in " ".join(found.notes)


@pytest.mark.slow
def test_runs_are_limited_recorded_and_go_on(tmp_path: Path) -> None:
    record = tmp_path / "a.runs"
    short = pc.optimise(drop(), BOTH, minimise=valley, workers=0, max_runs=20, record=record)
    assert (short.status, short.runs) == ("not converged", 17)  # the start design and one more; then five are too many
    assert "raise max_runs" in short.message
    whole = pc.optimise(drop(), BOTH, minimise=valley, workers=0, record=record)
    assert whole.recorded == 17
    assert whole.values == pc.optimise(drop(), BOTH, minimise=valley, workers=0).values


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"maximise": "steps"}, "give either minimise or maximise"),
        ({"parameters": ()}, "give one or more StudyParameter"),
        ({"parameters": pc.StudyParameter(UP, values=(1.0, 2.0))}, "only ranges of real numbers"),
        ({"parameters": pc.StudyParameter(UP, range=(1, 2), integer=True)}, "only ranges of real numbers"),
        ({"parameters": (BOTH[0], BOTH[0])}, "the same key is there twice"),
        ({"starts": -1}, "starts is -1"),
        ({"refined": 0}, "refined is 0"),
        ({"subject_to": "steps is few"}, "write a result, < or >, and a number"),
    ],
)
def test_mistakes_are_told(options: dict[str, object], told: str) -> None:
    asked = {"parameters": BOTH, "minimise": "steps", "workers": 0} | options
    with pytest.raises(StudyError, match=told):
        pc.optimise(drop(), **asked)  # type: ignore[arg-type]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("drop.toml").write_text(TEXT)
    command = ["optimise", "drop.toml", "--vary", f"{UP}=-1 m/s..2 m/s", "--maximise", "final position of ball.z"]
    limit = ["--subject-to", "final velocity of ball.z < 50 cm/s"]
    assert main([*command, *limit, "--workers", "0", "--starts", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["values"][UP] == pytest.approx(0.5 + G * END, abs=1e-4)
    assert main([*command, "--workers", "0", "--starts", "2", "-o", "best.toml"]) == 0
    assert "greatest final position of ball.z" in capsys.readouterr().out
    assert pc.load_scenario("best.toml").model.bodies[0].velocity[2] == pytest.approx(2.0, abs=1e-3)
    assert main(["optimise", "drop.toml", "--vary", "nonsense", "--minimise", "steps"]) == 2
    assert "write KEY=LOW..HIGH" in capsys.readouterr().err
