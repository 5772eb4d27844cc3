"""Sensitivities of a study's table: its runs are those of the design, in its order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_study import END, RESULTS, G, drop, height, speeds, start_speed

import polycontact as pc
from polycontact.studies.study_sensitivities import plain_sensitivities, tornado_ends


def test_indices_of_a_study(tmp_path: Path) -> None:
    ranges = {"bodies.ball.position[2]": (0.9, 1.1), "bodies.ball.velocity[2]": (-2.0, 2.0)}
    design = pc.studies.sensitivity_design(ranges, 8)
    table = pc.study(
        drop(),
        pc.studies.StudyDesign.points(design.rows),
        RESULTS,
        output=tmp_path / "drop.h5",
        workers=0,
        progress=None,
    )
    exact = design.values[:, 0] + design.values[:, 1] * END - 0.5 * G * END**2
    assert table["height"] == pytest.approx(exact, abs=1e-7)  # tolerances of the runs
    found, known = pc.studies.sobol_indices(design, table["height"]), pc.studies.sobol_indices(design, exact)
    assert found.total == pytest.approx(known.total, abs=1e-4)
    assert np.array_equal(np.argsort(found.total), [0, 1])


HEIGHT = pc.StudyParameter("bodies.ball.position[2]", range=(0.9, 1.1), name="start")
SPEED = pc.StudyParameter("bodies.ball.velocity[2]", range=(-2.0, 2.0), name="speed")
SIZE = pc.StudyParameter("bodies.ball.density", values=(500.0, 1000.0, 4000.0), name="density")


def test_the_design_of_a_study_is_that_of_the_function() -> None:
    design = pc.studies.sensitivity_design({"a": (1.0, 3.0), "b": (1.0, 100.0, "log")}, 10, seed=4)
    a, b = pc.StudyParameter("a", range=(1.0, 3.0)), pc.StudyParameter("b", range=(1.0, 100.0), scale="log")
    levels = pc.studies.StudyDesign((a, b), "sensitivity", 10, seed=4).levels()
    assert levels.shape == (16 * 4, 2)
    assert levels == pytest.approx(design.values, rel=1e-14)  # rounding of logarithms
    single = pc.studies.StudyDesign((a, b, SIZE), "tornado").levels()
    assert single[:, :2] == pytest.approx(np.array([[2, 10], [1, 10], [3, 10], [2, 1], [2, 100], [2, 10], [2, 10]]))
    assert single[:, 2].tolist() == [1, 1, 1, 1, 1, 0, 2]


@pytest.mark.slow
def test_indices_from_a_design_of_a_study(tmp_path: Path) -> None:
    design = pc.studies.StudyDesign((HEIGHT, SPEED, SIZE), "sensitivity", 64, seed=2)
    table = pc.study(drop(), design, RESULTS, output=tmp_path / "drop.h5", workers=0)
    assert len(table) == 64 * 5
    found = pc.studies.StudyTable(table.path).sensitivity("height")
    variances = np.array([0.2**2, (4 * END) ** 2, 0.0]) / 12  # of z + v t; the density does not matter
    exact = variances / variances.sum()
    assert isinstance(found, pc.studies.SobolIndices)
    assert found.keys == ("start", "speed", "density")
    assert found.total == pytest.approx(exact, abs=0.05)  # sampling error of 64 rows, see its interval
    assert found.first[2] == pytest.approx(0.0, abs=1e-6)
    assert found.n_dropped == 0


def test_runs_that_failed_leave_their_rows_out(tmp_path: Path) -> None:
    def fails_at_the_top(run: pc.Run) -> float:
        z, v = run.trajectory.body("ball").position[0, 2], start_speed(run)
        if z > 1.08:  # one or two of the 16 rows of each sample
            raise RuntimeError("too high")
        return float(z + v)

    design = pc.studies.StudyDesign((HEIGHT, SPEED), "sensitivity", 16)
    table = pc.study(drop(), design, {"own": fails_at_the_top}, output=tmp_path / "drop.h5", workers=0)
    failed = np.array([each.number for each in table.failures])
    found = table.sensitivity("own")
    assert isinstance(found, pc.studies.SobolIndices)
    assert found.n_dropped == len(np.unique(failed % 16)) > 0


def test_tornado_of_a_study(tmp_path: Path) -> None:
    design = pc.studies.StudyDesign((HEIGHT, SPEED, SIZE), "tornado")
    table = pc.study(drop(), design, RESULTS, output=tmp_path / "drop.h5", workers=0)
    found = table.sensitivity("height")
    assert isinstance(found, pc.studies.Tornado)
    assert found.keys == ("speed", "start", "density")
    assert found.at_lower == pytest.approx(np.array([height(-2), height(0) - 0.1, height(0)]), abs=1e-7)  # of the runs
    assert found.swing == pytest.approx(np.array([0.4, 0.2, 0.0]), abs=1e-7)
    told = {row["key"]: row for row in plain_sensitivities(table)["energy"]["parameters"]}
    assert (told["density"]["lower"], told["density"]["upper"]) == (500.0, 4000.0)
    assert told["density"]["at_upper"] == pytest.approx(8 * told["density"]["at_lower"], rel=1e-12)  # m v²/2, same v
    assert tornado_ends(table) == {"start": (0.9, 1.1), "speed": (-2.0, 2.0), "density": (500.0, 4000.0)}


def test_what_has_no_sensitivities(tmp_path: Path) -> None:
    table = pc.study(drop(), speeds(), RESULTS, output=tmp_path / "drop.h5", workers=0)
    with pytest.raises(pc.errors.StudyError, match="its design is latin_hypercube, from which no sensitivities follow"):
        table.sensitivity("height")
    tornado = pc.study(
        drop(), pc.studies.StudyDesign((SPEED,), "tornado"), RESULTS, output=tmp_path / "t.h5", workers=0
    )
    with pytest.raises(pc.errors.StudyError, match='there is no result "heigt"'):
        tornado.sensitivity("heigt")
    with pytest.raises(pc.errors.StudyError, match="design: number = 7; allowed is an integer of at least 8"):
        pc.studies.StudyDesign((SPEED,), "sensitivity", 7)
    with pytest.raises(pc.errors.StudyError, match="need 12582912 runs; allowed are 10000000"):
        pc.studies.StudyDesign((SPEED,), "sensitivity", 4_000_000)
    with pytest.raises(pc.errors.StudyError, match="kind tornado has no number"):
        pc.studies.StudyDesign((SPEED,), "tornado", 3)
