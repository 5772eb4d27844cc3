"""Cases that others published: numbers within their bounds, the command, the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proof.commands import main
from proof.validation.all_validations import CASES
from proof.validation.finding import Finding, Validation

STORED = Path(__file__).resolve().parents[2] / "docs" / "validation.json"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_numbers_are_within_bounds(name: str) -> None:
    case = CASES[name]()
    assert case.name == name
    assert [each.quantity for each in case.findings if not each.ok] == []


def test_a_number_beyond_its_bound_fails() -> None:
    right = Finding("force", 2.0, 2.01, "N", 0.01, "a reason")
    wrong = Finding("force", 2.0, 2.05, "N", 0.01, "a reason")
    nothing = Finding("force", 2.0, float("nan"), "N", 0.01, "a reason")
    assert (right.ok, wrong.ok, nothing.ok) == (True, False, False)
    assert not Validation("a", "A", "source", "story", (right, wrong)).ok
    assert not Validation("a", "A", "source", "story", ()).ok


def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = Validation("screw", "A screw", "a source", "a story", (Finding("force", 2.0, 2.5, "N", 0.01, "a reason"),))
    monkeypatch.setitem(CASES, "screw", lambda: wrong)
    assert main(["validation", "screw", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    assert told["cases"][0]["findings"][0]["ours"] == 2.5
    assert main(["validation", "screw"]) == 1
    assert "FAIL" in capsys.readouterr().out
    assert main(["validation", "srew"]) == 2
    assert "there are screw, cam" in " ".join(capsys.readouterr().err.split())


def test_stored_figures_are_of_these_cases() -> None:
    """After a change of cases: python3 dev.py validation --json > docs/validation.json."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert stored["ok"]
    assert [case["name"] for case in stored["cases"]] == list(CASES)
