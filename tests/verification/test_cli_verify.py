"""The commands `verify` and `demo`: what they print where, and their exit status."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

import pytest

from polycontact.cli import main
from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base
from polycontact.verification import flat_faces
from polycontact.verification.case import Outcome, VerificationCase

FEW = "polycontact.verification.all_cases.all_cases"


def few_cases() -> tuple[VerificationCase, ...]:
    boxes = [dataclasses.replace(case, group="boxes") for case in flat_faces.eccentric_box(Base.E, "body")]
    return (*boxes, dataclasses.replace(flat_faces.spinning_disc(Base.E, "body"), group="discs"))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[VerificationCase, ...]]:
    monkeypatch.setattr(FEW, few_cases)
    monkeypatch.setenv("COLUMNS", "160")
    return few_cases


@pytest.mark.usefixtures("few")
def test_a_line_a_group_when_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[0].split() == ["Closed", "forms", "cases", "worst", "error", "/", "limit"]
    assert lines[1].split()[:2] == ["boxes", "3"]
    assert lines[2].split()[:2] == ["discs", "1"]
    for line in lines[1:3]:
        *_, share, verdict = line.split()
        assert float(share) < 1.0
        assert verdict == "ok"
    assert lines[3] == "All 4 closed forms are met."


@pytest.mark.usefixtures("few")
def test_details_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--details"]) == 0
    out = capsys.readouterr().out
    assert "eccentric box on plane" in out
    assert "  torque about x, base body" in out
    assert "spinning disc" in out
    assert "≥1.8" in out
    assert "All 4 closed forms are met." in out
    assert "FAIL" not in out


@pytest.mark.usefixtures("few")
def test_cases_that_are_off_stand_there_in_full(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = dataclasses.replace(few_cases()[0], expected=1.0)
    monkeypatch.setattr(FEW, lambda: (case, few_cases()[3]))
    assert main(["verify"]) == 1
    out = capsys.readouterr().out
    assert [line.split()[-1] for line in out.splitlines()[1:3]] == ["FAIL", "ok"]
    assert "force, base body" in out
    assert "spinning disc" not in out
    assert "1 of 2 closed forms are NOT met." in out


@pytest.mark.usefixtures("few")
def test_json_is_all_there_is_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["ok"] is True
    assert (record["n_cases"], record["n_off"]) == (4, 0)
    case = record["cases"][3]
    assert set(case) == {field.name for field in dataclasses.fields(Outcome)}
    assert case["got"] == pytest.approx(case["expected"], rel=case["limit"])
    assert case["rate"] >= case["rate_limit"]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("command", ["verify", "demo"])
def test_wrong_stiffness_fails(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(flat_faces, "LAW", LayerLaw(stiffness=1.02 * flat_faces.STIFFNESS))
    assert main([command]) == 1
    out = capsys.readouterr().out
    assert "FAIL" in out
    assert "4 of 4 closed forms are NOT met." in out


@pytest.mark.usefixtures("few")
def test_wrong_stiffness_fails_in_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(flat_faces, "LAW", LayerLaw(stiffness=1.02 * flat_faces.STIFFNESS))
    assert main(["verify", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["ok"] is False
    assert record["n_off"] == 4


@pytest.mark.usefixtures("few")
def test_demo_shows_the_bubbles_and_the_closed_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    for text in ("bubbles, 3 s simulated", "paper: LSODE", "6046", "energy ledger", "closed forms are met"):
        assert text in out


def test_verify_refuses_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "everything"]) == 2
    assert "polycontact:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "job"),
    [
        (["bench", "--quick", "--part", "contact"], "bench --quick --part contact"),
        (["bench"], "bench"),
        (["verify", "--book", "OUT", "--quick", "--page", "ball"], "book OUT --quick --page ball"),
    ],
)
def test_jobs_of_the_repository_say_where_they_are(
    words: list[str], job: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.endswith(f"in polycontact's repository; there, run python3 dev.py {job}\n")
    assert main([*words, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["ok"] is False
