"""The commands on studies: a file, going on, opening a run, the table, the page, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_study import TEXT

import polycontact as pc
from polycontact.cli import main
from polycontact.studies.study_file import built_in_studies, load_study, parse_study
from polycontact.studies.study_plan import plan_study

STUDY = """
scenario = "drop.toml"
results = { height = "final position of ball.z" }

[values]
"simulation.output_step" = 0.02

[[parameters]]
key = "bodies.ball.velocity[2]"
name = "speed"
range = ["-1 m/s", "1 m/s"]

[design]
kind = "sobol"
number = 4
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "drop.toml").write_text(TEXT)
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "study.toml"


@pytest.mark.parametrize(("kind", "n"), [("sensitivity", 8 * 3), ("tornado", 3)])
def test_sensitivities_of_a_study(file: Path, capsys: Captured, kind: str, n: int) -> None:
    number = "number = 8\n" if kind == "sensitivity" else ""
    file.write_text(STUDY.partition("[design]")[0] + f'[design]\nkind = "{kind}"\n{number}')
    assert main(["study", "study.toml", "--workers", "0"]) == 0
    told = capsys.readouterr().out
    assert ("first order" if kind == "sensitivity" else "at upper end") in told
    assert main(["study", "sensitivity", "study.h5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["design"], found["runs"]) == (kind, {"finished": n})
    table = pc.studies.StudyTable("study.h5")
    assert found["sensitivities"]["height"] == table.sensitivity("height").to_dict()
    assert main(["study", "sensitivity", "study.h5"]) == 0
    assert capsys.readouterr().out in told


def test_other_designs_have_no_sensitivities(file: Path, capsys: Captured) -> None:
    assert main(["study", "study.toml", "--workers", "0", "--json"]) == 0
    assert "sensitivities" not in json.loads(capsys.readouterr().out)
    assert main(["study", "sensitivity", "study.h5"]) == 2
    assert "its design is sobol, from which no sensitivities follow" in capsys.readouterr().err


def test_a_study_from_its_file_to_its_runs(file: Path, capsys: Captured) -> None:
    assert main(["study", "study.toml", "--workers", "0", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["runs"] == {"finished": 4}
    table = pc.studies.StudyTable("study.h5")
    assert told["results"]["height"]["max"] == table["height"].max()

    before = Path("study.h5").read_bytes()
    assert main(["study", "study.toml", "--workers", "0", "--resume"]) == 0  # nothing is left to do
    assert Path("study.h5").read_bytes() == before
    assert "4 finished" in capsys.readouterr().out

    assert main(["study", "open", "study.h5", "2", "-o", "run.h5"]) == 0
    run = pc.Trajectory.open("run.h5")
    assert run.body("ball").position[-1, 2] == table["height"][2]
    assert len(run) == 6  # the value that all runs share counts too
    assert main(["run", "study.h5:2", "--json"]) == 0
    assert main(["study", "table", "study.h5", "-o", "study.csv"]) == 0
    assert len(Path("study.csv").read_text().splitlines()) == 5
    assert main(["report", "study.h5", "-o", "study.html"]) == 0
    assert main(["report", "study.h5", "run.h5", "-o", "study.html"]) == 2


def test_another_study_is_refused_or_replaces(file: Path, capsys: Captured) -> None:
    assert main(["study", "study.toml", "--workers", "0"]) == 0
    assert main(["study", "study.toml", "--workers", "0", "--number", "5"]) == 2
    assert "another design" in capsys.readouterr().err
    assert main(["study", "study.toml", "--workers", "0", "--set", "simulation.rtol=1e-6"]) == 2
    assert "another scenario" in capsys.readouterr().err
    assert main(["study", "study.toml", "--workers", "0", "--number", "5", "--replace"]) == 0
    assert len(pc.studies.StudyTable("study.h5")) == 5


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('kind = "sobol"', 'kind = "sobel"', 'did you mean "sobol"'),
        ("number = 4", "number = 0", "number"),
        ("number = 4", "numbr = 4", 'did you mean "number"'),
        ("number = 4", "", "number of points"),
        ("final position", "final positon", 'did you mean "position"'),
        ("velocity[2]", "velocty[2]", 'did you mean "velocity"'),
        ('"drop.toml"', '"drip.toml"', "no such file"),
        ('name = "speed"', 'name = "speed"\nscale = "log"', "must lie above 0"),
        ('results = { height = "final position of ball.z" }', "results = 3", "give texts"),
        ("[design]", "[desing]", 'did you mean "design"'),
        ('range = ["-1 m/s", "1 m/s"]', 'range = ["-1 m", "1 m/s"]', "-1 m"),
        ("[values]", 'time_limit = "3 m"\n[values]', "3 m"),
        ("[values]", 'keep_runs = "some"\n[values]', "keep_runs"),
    ],
)
def test_mistakes_in_the_file_are_told_before_the_first_run(
    file: Path, capsys: Captured, old: str, new: str, told: str
) -> None:
    assert old in STUDY
    file.write_text(STUDY.replace(old, new))
    assert main(["study", "study.toml", "--workers", "0"]) == 2
    assert told in capsys.readouterr().err
    assert not Path("study.h5").exists()


def test_bad_use_of_commands(file: Path, capsys: Captured) -> None:
    for words, told in (
        (["study", "nothing"], "no built-in study"),
        (["study", "study.toml", "--resume"], "no study to go on with"),
        (["study", "study.toml", "-o", "a.csv"], "HDF5"),
        (["study", "study.toml", "--workers", "-1"], "workers"),
        (["study", "study.toml", "--cluster", "tls://a:1"], "certificates"),
        (["study", "open", "drop.toml", "1"], "cannot be read as the file of a study"),
        (["study", "table", "no.h5", "-o", "a.csv"], "no such file"),
    ):
        assert main(words) == 2, words
        assert told in capsys.readouterr().err


def test_the_words_are_listed(capsys: Captured) -> None:
    assert main(["study", "results", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "final" in told["how"]
    assert main(["study", "results"]) == 0
    assert "peak force" in capsys.readouterr().out


@pytest.mark.parametrize("name", built_in_studies())
def test_built_in_studies_are_possible(name: str) -> None:
    found = load_study(name)
    values = found.options["values"]
    scenario = found.scenario.with_values(values) if values else found.scenario
    plan = plan_study(scenario, found.design, found.results)
    assert len(plan.points) >= 200


def test_points_from_a_file_beside(tmp_path: Path) -> None:
    (tmp_path / "drop.toml").write_text(TEXT)
    (tmp_path / "points.csv").write_text("bodies.ball.velocity[2]\n1\n2\n")
    text = 'scenario = "drop.toml"\nresults = ["steps"]\n[design]\nkind = "points"\nfile = "points.csv"\n'
    found = parse_study(text, tmp_path)
    levels = plan_study(found.scenario, found.design, found.results)
    assert [levels.task(i).values["bodies.ball.velocity[2]"] for i in range(2)] == [1, 2]
    assert np.array_equal(levels.points, [[0.0], [1.0]])
