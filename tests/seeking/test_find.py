"""Thresholds in closed form; answers that are noisy, not monotone or missing; records, workers, the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from falling_ball import END, TEXT, UP, G, drop, gone_when_slow, noisy, twice

import polycontact as pc
from polycontact.cli import main
from polycontact.errors import StudyError

RISES = "final position of ball.z > 1 m"
EXACT = 0.5 * G * END
"""Speed with which the ball is back at 1 m at the end: 1 + v t − g t²/2 > 1."""

SPEED = pc.StudyParameter(UP, range=(-2.0, 3.0), name="speed")


@pytest.mark.parametrize("sections", [2, 4])
def test_a_threshold_in_closed_form(sections: int) -> None:
    found = pc.find(drop(), SPEED, RISES, tolerance=1e-3, sections=sections, workers=0)
    low, high = found.bracket
    assert low <= EXACT <= high
    assert high - low <= 5e-3  # a thousandth of the range of 5 m/s
    assert (found.value, found.holds_above, found.is_sound, found.notes) == (high, True, True, ())
    assert found.runs == len(found.tried)
    turned = pc.find(drop(), SPEED, RISES.replace(">", "<"), tolerance=1e-3, sections=sections, workers=0)
    assert (turned.value, turned.holds_above) == (low, False)
    run = pc.simulate(found.scenario_there.build(), **found.scenario_there.settings)
    assert run.trajectory.body("ball").position[-1, 2] > 1.0


def test_units_scales_and_whole_numbers() -> None:
    found = pc.find(drop(), pc.StudyParameter(UP, range=("0.1 m/s", "10 m/s"), scale="log"), RISES, workers=0)
    assert found.bracket[0] <= EXACT <= found.bracket[1] <= 1.06 * found.bracket[0]  # a hundredth of two decades: 4.7 %
    whole = pc.StudyParameter(UP, range=(-50, 50), integer=True)
    found = pc.find(drop(), whole, "final velocity of ball.z > 1200 cm/s", workers=0)
    assert found.bracket == (12.0, 13.0)  # v − 0.981 > 12
    assert found.is_sound


def test_noise_is_told_and_the_bracket_covers_it() -> None:
    found = pc.find(drop(), SPEED, (noisy, ">", 0.5), tolerance=1e-3, workers=0)
    assert not found.is_sound
    assert "it is noisy there" in found.notes[0]
    assert found.bracket[1] - found.bracket[0] > 5e-3
    assert 0.46 < found.bracket[0] < found.bracket[1] < 0.54
    assert all(each.holds for each in found.tried if each.value >= found.value)


def test_what_is_not_monotone_is_told() -> None:
    wide = pc.StudyParameter(UP, range=(-1.0, 2.0))
    with pytest.raises(StudyError, match="holds at both ends of the range and not between"):
        pc.find(drop(), wide, (twice, ">", 0.25), workers=0)
    above = pc.find(drop(), wide, (twice, ">", 0.25), want="smallest", workers=0)
    assert above.bracket[0] <= 0.5 <= above.bracket[1]
    assert not above.is_sound
    assert "the condition is not monotone" in above.notes[0]
    below = pc.find(drop(), wide, (twice, ">", 0.25), want="largest", workers=0)
    assert below.bracket[0] <= -0.5 <= below.bracket[1]


def test_runs_without_an_answer_are_left_out_and_told() -> None:
    narrow = pc.StudyParameter(UP, range=(0.0, 1.0))
    found = pc.find(drop(), narrow, (gone_when_slow, ">", 0.6), tolerance=0.02, sections=16, workers=0)
    assert found.bracket[0] <= 0.6 <= found.bracket[1]
    assert "runs without an answer" in found.notes[0]
    assert "too slow for me" in found.notes[0]
    with pytest.raises(StudyError, match=r"the run at the lower end, 0.35, has no answer: .*too slow for me"):
        pc.find(drop(), pc.StudyParameter(UP, range=(0.35, 1.0)), (gone_when_slow, ">", 0.6), workers=0)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"such_that": "final position of ball.z > 9 m"}, "does not hold at any value that was tried"),
        ({"such_that": "final position of ball.z > -9 m"}, "holds at any value that was tried"),
        ({"want": "largest"}, "so that there is a smallest value, but no largest one"),
        ({"such_that": "final position of ball.z"}, "write a result, < or >, and a number"),
        ({"such_that": "final position of ball.z > 1 kg"}, "kg"),
        ({"such_that": "final position of bal.z > 1"}, "did you mean"),
        ({"such_that": "steps < 3 m"}, "the result has no unit"),
        ({"such_that": "final position of ball.z > nan"}, "not finite"),
        ({"such_that": (noisy, "=", 3.0)}, "give a text, or a function of a Run"),
        ({"tolerance": 0.0}, "tolerance is 0.0"),
        ({"sections": 1}, "sections is 1"),
        ({"want": "best"}, "want is 'best'"),
        ({"parameter": pc.StudyParameter(UP, values=(1.0, 2.0))}, "give StudyParameter"),
        ({"parameter": pc.StudyParameter("bodies.ball.density", range=(-1.0, 2.0))}, "density"),
        ({"parameter": pc.StudyParameter("bodies.bal.density", range=(1.0, 2.0))}, "did you mean"),
    ],
)
def test_mistakes_are_told(options: dict[str, object], told: str) -> None:
    asked = {"parameter": SPEED, "such_that": RISES, "workers": 0} | options
    with pytest.raises(pc.PolycontactError, match=told):
        pc.find(drop(), **asked)  # type: ignore[arg-type]


def test_a_search_goes_on_from_its_record(tmp_path: Path) -> None:
    record = tmp_path / "a.runs"
    first = pc.find(drop(), SPEED, RISES, workers=0, record=record)
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:6]))
    again = pc.find(drop(), SPEED, RISES, workers=0, record=record)
    assert (again.recorded, again.bracket, again.tried) == (5, first.bracket, first.tried)


@pytest.mark.slow
def test_the_command_on_two_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("drop.toml").write_text(TEXT)
    command = ["find", "drop.toml", "--vary", f"{UP}=-2 m/s..3 m/s", "--such-that", RISES]
    assert main([*command, "--workers", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bracket"] == list(pc.find(drop(), SPEED, RISES, workers=0).bracket)
    assert main([*command, "--workers", "0", "-o", "there.toml"]) == 0
    assert "smallest bodies.ball.velocity[2] with final position of ball.z > 1 m" in capsys.readouterr().out
    assert pc.load_scenario("there.toml").model.bodies[0].velocity[2] == found["value"]


def test_mistakes_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", "bubbles", "--vary", "gravity[2]=1", "--such-that", "steps < 3"]) == 2
    assert "write KEY=LOW..HIGH" in capsys.readouterr().err
