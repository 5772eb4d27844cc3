"""Units in which plots, tables and reports show numbers."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from polycontact.cli import main
from polycontact.errors import UnitError
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.unit_choice import SI, Units, choose_units


@pytest.mark.parametrize(
    ("units", "unit", "shown"),
    [
        ("mm deg", "m", ("mm", 1000.0)),
        ("mm,deg", "m/s²", ("mm/s²", 1000.0)),
        ("mm, deg", "rad/s", ("deg/s", 180 / math.pi)),
        ("mm", "m²", ("mm²", 1e6)),
        ("mm", "cm²", ("mm²", 100.0)),
        ("mm deg", "N m", ("N m", 1.0)),
        ("mm deg", "Pa", ("Pa", 1.0)),
        ("mm deg", "s", ("s", 1.0)),
        ("Nmm", "N m", ("Nmm", 1000.0)),
        ("Nmm", "J", ("J", 1.0)),
        (["N mm", "kJ"], "J", ("kJ", 1e-3)),
        ("rpm", "rad/s", ("rpm", 30 / math.pi)),
        ("km/h", "m/s", ("km/h", 3.6)),
        ({"length": "cm", "angular velocity": "rpm"}, "m", ("cm", 100.0)),
        ({"energy": "Nmm"}, "J", ("Nmm", 1000.0)),
        ("mm deg", "1", ("1", 1.0)),
        ("mm deg", "SI", ("SI", 1.0)),
        (None, "m", ("m", 1.0)),
    ],
)
def test_units_are_shown_as_chosen(units: Units, unit: str, shown: tuple[str, float]) -> None:
    name, factor = choose_units(units).shown(unit)
    assert name == shown[0]
    assert factor == pytest.approx(shown[1], rel=1e-15)  # a ratio of integers, and π rounded once


@pytest.mark.parametrize(
    ("units", "words"),
    [
        ("furlong", "furlong.* known are m, nm"),
        ("mmm", "did you mean 'mm'.* There are m, nm"),
        ("mm cm", "units of the same quantity"),
        ({"size": "mm"}, "no quantity 'size'; there are length"),
        ({"length": "s"}, "no unit of length"),
        (["mm", 3], "3"),
        (["kg m²"], "nothing that is shown"),
        ("m/", "incomplete"),
    ],
)
def test_bad_units_are_refused(units: Units, words: str) -> None:
    with pytest.raises(UnitError, match=words):
        choose_units(units)


def test_titles_name_the_unit() -> None:
    choice = choose_units("mm deg")
    assert choice.title("ball position x [m]") == ("ball position x [mm]", 1000.0)
    assert choice.title("greatest depth, m") == ("greatest depth, mm", 1000.0)
    assert choice.title("steps [1]") == ("steps [1]", 1.0)
    assert choice.title("q w") == ("q w", 1.0)
    assert SI.title("x [m]") == ("x [m]", 1.0)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("units") / "crank.h5"
    assert main(["run", "slider_crank", "-o", str(path), "--end-time", "0.05"]) == 0
    return path


def test_tables_and_plots_of_a_run_in_other_units(run: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("plotly")
    trajectory = Trajectory.open(run)
    body, joint = trajectory.bodies[0], trajectory.joints[0]
    plain, other = trajectory.to_pandas(), trajectory.to_pandas(units="mm deg ms kN")
    assert plain.index.name == "time [s]"
    assert other.index.name == "time [ms]"
    assert len(plain.columns) == len(other.columns)
    np.testing.assert_allclose(other[f"{body} position x [mm]"], 1000.0 * plain[f"{body} position x [m]"])
    angular = f"{body} angular velocity z"
    np.testing.assert_allclose(other[f"{angular} [deg/s]"], np.degrees(plain[f"{angular} [rad/s]"]))
    figure = trajectory.plot(body, "position", units={"length": "mm", "time": "ms"})
    assert figure.layout.yaxis.title.text == f"{body}: position, mm"
    assert figure.layout.xaxis.title.text == "time, ms"
    np.testing.assert_allclose(figure.data[0].y, 1000.0 * trajectory.body(body).position[:, 0])
    turned = trajectory.plot(joint, units="deg")
    assert turned.layout.yaxis.title.text == f"{joint}: coordinates, deg"
    np.testing.assert_allclose(turned.data[0].y, np.degrees(trajectory.joint(joint).coordinates[:, 0]))


def test_commands_take_units(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(run), "-o", str(tmp_path / "si"), "--csv"]) == 0
    assert main(["export", str(run), "-o", str(tmp_path / "mm"), "--csv", "--units", "mm,deg,ms"]) == 0
    tables = {}
    for name in ("si", "mm"):
        with (tmp_path / name / "samples.csv").open(encoding="utf-8", newline="") as stream:
            tables[name] = list(csv.DictReader(stream))
    assert float(tables["mm"][-1]["time [ms]"]) == pytest.approx(1e3 * float(tables["si"][-1]["time [s]"]))
    assert any(title.endswith("[deg/s]") for title in tables["mm"][0])
    assert main(["export", str(run), "-o", str(tmp_path / "bad"), "--units", "parsec"]) == 2
    assert "no unit 'parsec'" in capsys.readouterr().err


def test_reports_take_units(run: Path, tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    page = tmp_path / "report.html"
    words = ["report", str(run), "-o", str(page), "--no-playback", "--no-pictures", "--no-open"]
    assert main([*words, "--units", "mm,deg"]) == 0
    text = page.read_text(encoding="utf-8")
    assert '"x, mm"' in text
    assert "deg/s" in text
    assert main(words) == 0
    assert '"x, mm"' not in page.read_text(encoding="utf-8")
