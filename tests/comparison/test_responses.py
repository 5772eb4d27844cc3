"""The same scenario with every contact response: runs, figures, findings, pages, and what goes wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli import main
from polycontact.comparison.responses import response_runs
from polycontact.comparison.responses.figure_sheet import FigureSheet
from polycontact.comparison.responses.response_page import response_page
from polycontact.comparison.responses.run_figures import load_of
from polycontact.comparison.responses.source_studies import STUDIES
from polycontact.scenario.parsing import parse_scenario
from proof.commands import main as repository_main
from proof.figures import mujoco_models
from proof.figures.billiard_balls_figure import shares
from proof.figures.hexapod_figure import at_rest, standing, weight_of
from proof.figures.manipulator_figure import press_of
from proof.figures.source_figures import FIGURES, repeat_figure

BALL_ON_PLATE = """
[scenario]
name = "ball <on> plate"
description = "A ball that lies on a plate."

[simulation]
end_time = 0.2
output_step = 0.01

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.1, geometry = "convex" }
mass = 2.0
position = [0.0, 0.0, 0.15]

[[bodies]]
name = "plate"
shape = { kind = "box", size = [0.5, 0.5, 0.1], geometry = "convex" }
fixed = true

[contact]
law = { kind = "spring_damper", stiffness = 1e4, damping = 600.0 }
pairs = [{ bodies = ["ball", "plate"], name = "seat" }]
"""
WEIGHT = 2.0 * 9.81


@pytest.fixture(scope="module")
def balls() -> pc.comparison.ResponseComparison:
    return repeat_figure("billiard_balls")


@pytest.fixture(scope="module")
def seat() -> pc.comparison.ResponseComparison:
    return pc.compare_responses(parse_scenario(BALL_ON_PLATE), stiffness=[1e4, 1e5], output_step=0.001)


@pytest.mark.slow
def test_balls_by_every_response(balls: pc.comparison.ResponseComparison) -> None:
    assert [each.label for each in balls.runs] == [
        "compliant",
        "impulses, propagation",
        "impulses, simultaneous",
        "multipliers",
    ]
    assert balls.ok
    # Closed forms of three equal balls; the solver of impacts stops at 1e-10 m/s.
    np.testing.assert_allclose(shares(balls.run("impulses, propagation")), [0.0, 0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(shares(balls.run("impulses, simultaneous")), [-1 / 3, 2 / 3, 2 / 3], atol=1e-9)
    for each in balls.runs:  # momentum; the tolerance of the integrator is 1e-8
        assert shares(each).sum() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.slow
def test_compliant_balls_obey_their_own_equations(balls: pc.comparison.ResponseComparison) -> None:
    from scipy.integrate import solve_ivp

    mass = 1700.0 * 4.0 / 3.0 * np.pi * 0.03**3

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        f, g = 1e6 * max(y[0] - y[1], 0.0), 1e6 * max(y[1] - y[2], 0.0)
        return np.array([*y[3:], -f / mass, (f - g) / mass, g / mass])

    end = solve_ivp(rates, (0.0, 0.01), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], rtol=1e-10, atol=1e-13, max_step=1e-5).y[3:, -1]
    np.testing.assert_allclose(shares(balls.run("compliant")), end, atol=1e-5)  # rtol 1e-8, a thousand steps


@pytest.mark.slow
def test_the_package_alone_says_where_the_figure_is(balls: pc.comparison.ResponseComparison) -> None:
    assert balls.study is not None
    alone = replace(balls, study=STUDIES["billiard_balls"])
    assert alone.findings == ()
    assert "python3 dev.py figures billiard_balls" in str(alone)
    assert "agrees with the source" not in response_page(alone)
    np.testing.assert_array_equal(STUDIES["billiard_balls"].normal, balls.study.normal)


def test_every_study_has_its_figure_and_no_other_scenario_has_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(FIGURES) == set(STUDIES)
    assert set(STUDIES) <= {name for name, _ in pc.list_scenarios()}
    assert repository_main(["figures", "bubbles"]) == 2
    assert "bubbles: no figure of the source has this scenario; choose billiard_balls" in capsys.readouterr().err


@pytest.mark.slow
def test_findings_on_balls_quote_the_runs(balls: pc.comparison.ResponseComparison) -> None:
    texts = [f"{each.verdict}: {each.text}" for each in balls.findings]
    assert any(text.startswith("agrees: Propagation and simultaneous update differ") for text in texts)
    assert any("−0.3333, 0.6667, 0.6667" in text for text in texts)
    assert any("Compliant: −0.1303, 0.1502, 0.98; neither of both" in text for text in texts)
    assert any(text.startswith("agrees: Kinetic energy is kept") for text in texts)
    assert sum(text.startswith("cannot be told") for text in texts) == 1


def test_a_ball_at_rest_weighs_the_same_whatever_the_response(seat: pc.comparison.ResponseComparison) -> None:
    labels = [each.label for each in seat.runs]
    assert labels[:2] == ["compliant, 10000 N/m", "compliant, 100000 N/m"]  # rigid ones once, not for each stiffness
    assert labels[2:5] == ["impulses, propagation", "impulses, simultaneous", "multipliers"]
    assert labels[5:] == ["multipliers, yielding, 10000 N/m", "multipliers, yielding, 100000 N/m"]
    for each in seat.runs[1:]:  # the softer one still sinks at the end
        assert load_of(each.recorded, "seat", None).end == pytest.approx(WEIGHT, rel=5e-3), each.label
    assert seat.findings == ()


def test_figures_are_plain_data(seat: pc.comparison.ResponseComparison) -> None:
    record = json.loads(json.dumps(seat.to_dict(), allow_nan=False))
    assert record["scenario"] == "ball <on> plate"
    assert record["ok"]
    assert record["study"] is None
    compliant, multipliers = record["runs"][0], record["runs"][4]
    assert compliant["stiffness"] == 1e4
    assert compliant["cost"]["problems"] is None
    assert multipliers["response"]["kind"] == "multipliers"
    assert multipliers["cost"]["steps"] == 200  # 0.2 s in steps of 1 ms
    assert multipliers["cost"]["problems"] >= 199  # the ball begins where it just touches
    assert multipliers["cost"]["unsolved"] == 0
    assert multipliers["contacts"][0]["contact"] == "seat"
    assert list(multipliers["end_velocities"]) == ["ball"]


def test_the_table_names_every_run_and_fits_a_terminal(seat: pc.comparison.ResponseComparison) -> None:
    text = str(seat)
    for each in seat.runs:
        assert each.label in text
    for word in ("real-time", "unsolved", "balance, J", "seat"):
        assert word in text


@pytest.mark.parametrize(
    ("fixture", "charts"),
    [
        pytest.param("balls", ["balls", "forces", "speeds"], marks=pytest.mark.slow),
        ("seat", ["forces", "speeds"]),
    ],
)
def test_the_page_is_one_document_with_every_chart(
    fixture: str, charts: list[str], request: pytest.FixtureRequest
) -> None:
    found: pc.comparison.ResponseComparison = request.getfixturevalue(fixture)
    page = response_page(found)
    data = json.loads(page.split('id="report-data">')[1].split("</script>")[0])
    assert [panel["key"] for panel in data["panels"]] == charts
    assert [run["label"] for run in data["runs"]] == [each.label for each in found.runs]
    for key in charts:
        assert f'data-panel="{key}"' in page
    assert "<on>" not in page.split("<script")[0]
    if fixture == "balls":
        assert "agrees with the source" in page
    else:
        assert "the source" not in page.split("<script")[0]


def test_a_response_that_cannot_be_is_listed_and_the_others_are_shown(tmp_path: Path) -> None:
    text = BALL_ON_PLATE.replace(
        'kind = "spring_damper", stiffness = 1e4, damping = 600.0',
        'kind = "restitution", stiffness = 1e4, restitution = 0.5',
    ).replace(
        "output_step = 0.01",
        'output_step = 0.01\nstop_when = [{ kind = "below_height", body = "ball", height = 0.149 }]',
    )
    found = pc.compare_responses(parse_scenario(text), responses=["compliant", "multipliers"], output_step=0.001)
    ended, whole = found.runs
    assert "ball" in ended.reason  # compliant, it sinks below the height
    assert ended.trajectory is not None
    assert whole.reason == ""
    assert not found.ok
    found.save_page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'class="remarks"' in page
    assert escape(ended.reason) in page


def test_a_failure_and_an_interruption_leave_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    real = response_runs.simulate

    def simulate(*arguments: object, **options: object) -> object:
        if isinstance(options["response"], pc.ImpulseResponse):
            if options["response"].update == "propagation":
                raise pc.SimulationError("no way")
            raise KeyboardInterrupt
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(response_runs, "simulate", simulate)
    found = pc.compare_responses(parse_scenario(BALL_ON_PLATE), end_time=0.01)
    reasons = {each.label: each.reason for each in found.runs}
    assert reasons["compliant"] == ""
    assert reasons["impulses, propagation"] == "no way"
    assert reasons["impulses, simultaneous"].startswith("stopped by the user")
    assert reasons["multipliers"] == response_runs.NOT_BEGUN
    assert "no way" in str(found)
    assert found.to_dict()["runs"][1]["cost"] is None
    assert "no way" in response_page(found)


@pytest.mark.slow
def test_multipliers_that_yield_press_as_the_law_does() -> None:
    found = repeat_figure("manipulator_normal", responses=["compliant", "yielding"], stiffness=[1e4, 1e3])
    held = {each.label: press_of(each).held for each in found.runs}
    for stiffness in ("10000", "1000"):  # steps of first order, and the tip sticks a little otherwise: 2 % at most
        law, multipliers = held[f"compliant, {stiffness} N/m"], held[f"multipliers, yielding, {stiffness} N/m"]
        assert multipliers == pytest.approx(law, rel=0.02)
    assert any(each.text.startswith("Different assumptions") for each in found.findings)


def test_without_mujoco_figures_have_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mujoco_models, "is_installed", lambda: False)
    found = repeat_figure("manipulator_normal", responses=["compliant"], stiffness=[1e3])
    assert found.study is not None
    assert found.study.figure is not None
    shown = found.study.figure.draw(FigureSheet(found.runs)) + " ".join(each.text for each in found.findings)
    assert "MuJoCo" not in shown


def test_bad_choices_are_told() -> None:
    scenario = parse_scenario(BALL_ON_PLATE)
    with pytest.raises(pc.SimulationError, match="'springs'; there are compliant, propagation, simultaneous"):
        pc.compare_responses(scenario, responses=["springs"])
    with pytest.raises(pc.SimulationError, match="give a list"):
        pc.compare_responses(scenario, responses=[])
    with pytest.raises(pc.SimulationError, match="stiffness is -1"):
        pc.compare_responses(scenario, stiffness=[1e4, -1])
    with pytest.raises(pc.SimulationError, match="end_time is nan"):
        pc.compare_responses(scenario, end_time=float("nan"))
    bare = BALL_ON_PLATE.split("[contact]")[0]
    with pytest.raises(pc.SimulationError, match="no contacts"):
        pc.compare_responses(parse_scenario(bare))
    with pytest.raises(pc.SimulationError, match="no response 'impulse' was run"):
        pc.compare_responses(scenario, responses=["multipliers"], end_time=0.005).run("impulse")


@pytest.mark.slow
def test_responses_of_one_kind_have_labels_of_their_own() -> None:
    chosen = [pc.MultiplierResponse(), pc.MultiplierResponse(sweeps=5), pc.MultiplierResponse(step=5e-4), "multipliers"]
    found = pc.compare_responses(parse_scenario(BALL_ON_PLATE), responses=chosen, end_time=0.005)
    assert [each.label for each in found.runs] == ["multipliers", "multipliers (2)", "multipliers, steps of 0.5 ms"]


@pytest.mark.slow
def test_an_arm_presses_as_two_springs_in_series() -> None:
    found = repeat_figure("manipulator_normal", responses=["compliant", "multipliers"])
    press = {each.label: press_of(each) for each in found.runs}
    forces = [each.held for each in list(press.values())[:4]]
    assert forces == sorted(forces, reverse=True)  # stiffest first
    # Two stiffnesses tell arm and way; the third follows to a per cent, as motors are linear and the arm hardly moves.
    (S1, F1), (S2, F2), (S3, F3) = zip((1e5, 1e4, 1e3), forces[:3], strict=True)
    slope = (1.0 / F2 - 1.0 / F1) / (1.0 / S2 - 1.0 / S1)
    assert F3 * (1.0 / F1 + slope * (1.0 / S3 - 1.0 / S1)) == pytest.approx(1.0, rel=0.01)
    rigid = press["multipliers"]
    assert rigid.held > forces[0]
    assert rigid.held_height == pytest.approx(0.0, abs=1e-5)  # the slop, 1e-4 of the tip's thickness
    assert "springs in series" in " ".join(each.text for each in found.findings)
    page = response_page(found)
    assert page.count('class="pair"') == 4
    assert 'data-panel="press31"' in page


@pytest.mark.slow
def test_six_feet_bear_the_weight() -> None:
    found = repeat_figure("hexapod", responses=["compliant", "multipliers"])
    for each in found.runs:
        assert sum(standing(each).values()) == pytest.approx(weight_of(each), rel=1e-3)  # it has settled to that
        assert sum(at_rest(each).values()) == pytest.approx(weight_of(each), rel=5e-3)
    assert "is not seen here" in " ".join(each.text for each in found.findings)
    assert 'data-panel="feet1"' in response_page(found)


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = tmp_path / "seat.toml", tmp_path / "seat.html"
    file.write_text(BALL_ON_PLATE, encoding="utf-8")
    arguments = ["responses", str(file), "--responses", "compliant", "multipliers", "--end-time", "0.02"]
    assert main([*arguments, "--stiffness", "1e4", "2e4", "-o", str(page), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [each["stiffness"] for each in record["runs"]] == [1e4, 2e4, None]
    assert page.stat().st_size > 1e6  # with the drawing library
    assert main(arguments) == 0
    assert "multipliers" in capsys.readouterr().out
    assert main(["responses", str(file), "--responses", "springs"]) == 2
    assert "there are compliant" in capsys.readouterr().err
    assert main(["responses", str(file), "-o", str(tmp_path / "page.png")]) == 2
    assert main(["responses", "nothing"]) == 2
