"""The file of an identification and its command: mistakes told before the first run, and one that is carried out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli import main
from polycontact.errors import IdentificationError, ScenarioError
from polycontact.identification import scenario_trials
from polycontact.identification.identify_file import load_identify_file

PENDULUM = """
gravity = [0.0, 0.0, -9.81]

[scenario]
name = "pendulum"

[simulation]
end_time = 1.0

[[bodies]]
name = "bob"
mass = 1.0
inertia = [1e-6, 1e-6, 1e-6]
centre = [0.0, 0.0, -0.5]

[[joints]]
name = "pivot"
kind = "revolute"
child = "bob"
axis = [0, 1, 0]
coordinates = [0.1]
"""

IDENTIFY = """
scenario = "pendulum.toml"

[[parameters]]
key = "bodies.bob.centre[2]"
lower = "-1 m"
upper = "-100 mm"

[[curves]]
file = "swing.csv"
column = "angle"
quantity = "pivot angle"
standard_deviation = "0.05 deg"

[search]
starts = 4
refined = 1
"""


def prepared(folder: Path, identify: str = IDENTIFY, n: int = 20) -> Path:
    """The files of a small swing: φ = 0.1 cos √(g/l) t with l = 0.4 m, in degrees."""
    (folder / "pendulum.toml").write_text(PENDULUM, encoding="utf-8")
    times = np.linspace(0.05, 1.0, n)
    angles = np.degrees(0.1 * np.cos(np.sqrt(9.81 / 0.4) * times))
    rows = "".join(f"{1e3 * t:.4f};{a:.6f}\n" for t, a in zip(times, angles, strict=True)).replace(".", ",")
    (folder / "swing.csv").write_text("time [ms];angle [deg]\n" + rows, encoding="utf-8")
    path = folder / "identify.toml"
    path.write_text(identify, encoding="utf-8")
    return path


def test_length_of_a_pendulum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the command, with a page, a scenario and JSON; the length follows from the period."""
    path = prepared(tmp_path)
    page, scenario = tmp_path / "fit.html", tmp_path / "fitted.toml"
    arguments = ["identify", str(path), "--workers", "1", "-o", str(page), "--scenario", str(scenario), "--json"]
    assert main(arguments) == 0
    record = json.loads(capsys.readouterr().out)
    (found,) = record["estimates"]
    # the period of a swing to 0.1 rad is longer by 0.1²/16 than of a small one, and the length shorter by twice that
    assert found["value"] == pytest.approx(-0.4, rel=2e-3)
    assert found["unit"] == "m"
    assert found["low"] < found["value"] < found["high"]
    assert record["curves"][0]["standard_deviation"] == pytest.approx(0.05)
    assert "pivot angle" in page.read_text(encoding="utf-8")
    assert pc.load_scenario(scenario).model.bodies[0].name == "bob"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('lower = "-1 m"', "", "lower: is missing"),
        ('scenario = "pendulum.toml"', 'scenario = "rod.toml"', "no such file"),
        ("bodies.bob.centre[2]", "bodies.rod.mass", 'there is no "rod"'),
        ("bodies.bob.centre[2]", "bodies.bob.weight", "weight"),
        ("bodies.bob.centre[2]", "bodies.bob.mas", 'unknown key; did you mean "mass"'),
        ('lower = "-1 m"', 'lower = "-1 kg"', "is a mass; expected is a length"),
        ('key = "bodies.bob.centre[2]"\nlower = "-1 m"\nupper = "-100 mm"',
         'key = "bodies.bob.mass"\nlower = -1.0\nupper = 1.0', "the range reaches -1, which is not allowed"),
        ("pivot angle", "pivot angel", "no column 'pivot angel'; did you mean"),
        ("pivot angle", "pivot", "may be any of"),
        ("pivot angle", "bob position x", "measured in deg, but 'bob position x' is in m"),
        ('file = "swing.csv"', 'file = "none.csv"', "no such file"),
        ("starts = 4", 'starts = "many"', "starts"),
        ("starts = 4", "stars = 4", "unknown key; did you mean \"starts\""),
        ('quantity = "pivot angle"', 'quantity = "pivot angle"\ntime_shift = 0.5', "ends at 1 s"),
        ("[[curves]]", "[[curve]]", "curves: is missing"),
    ],
)  # fmt: skip
def test_mistakes_are_told_before_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, words: str
) -> None:
    assert old in IDENTIFY
    path = prepared(tmp_path, IDENTIFY.replace(old, new))
    simulate = scenario_trials.simulate

    def refuse_long(system: object, **options: object) -> object:
        assert float(options["end_time"]) < 1e-6, "a run was begun"  # type: ignore[arg-type]
        return simulate(system, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(scenario_trials, "simulate", refuse_long)
    with pytest.raises((IdentificationError, ScenarioError)) as caught:
        load_identify_file(path).run()
    assert words in str(caught.value)


def test_a_scenario_is_no_file_of_an_identification(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prepared(tmp_path)
    assert main(["identify", str(tmp_path / "pendulum.toml")]) == 2
    assert "this is a scenario" in capsys.readouterr().err
    assert main(["identify", str(tmp_path / "identify.toml"), "-o", str(tmp_path / "fit.pdf")]) == 2


def test_a_unit_that_is_a_thousand_off_is_told(tmp_path: Path) -> None:
    prepared(tmp_path)
    times = np.linspace(0.05, 1.0, 20)
    angles = 0.1 * np.cos(np.sqrt(9.81 / 0.5) * times)
    curve = pc.identification.MeasuredCurve(times, angles, "pivot angle", "mrad")
    sought = [pc.identification.FitParameter("bodies.bob.centre[2]", -1.0, -0.1)]
    with pytest.warns(pc.errors.IdentificationWarning, match="is its unit 'mrad' right"):
        pc.identify(tmp_path / "pendulum.toml", sought, curve, starts=0, max_runs=3)


def test_quantities_with_several_meanings(tmp_path: Path) -> None:
    prepared(tmp_path)
    curve = pc.identification.MeasuredCurve([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], "bob position", "m")
    with pytest.raises(IdentificationError, match="'bob position x', 'bob position y', 'bob position z'; give one"):
        pc.identify(tmp_path / "pendulum.toml", [pc.identification.FitParameter("bodies.bob.mass", 0.1, 1.0)], curve)
