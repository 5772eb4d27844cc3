"""The command doctor: what it tells of an installation, and that it notices one that does not work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import polycontact as pc
from polycontact.cli import main
from polycontact.cli.self_test import self_test


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    main(["doctor", "--json", *words])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_it_tells_versions_processor_and_kernels(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = told(capsys, "--no-test")
    assert found["ok"] is True
    assert found["self_test"] == []
    assert found["polycontact"]["version"] == pc.__version__
    assert found["packages"]["numpy"].count(".") >= 1
    assert {"numba", "llvmlite", "scikit-sundae", "h5py"} <= found["packages"].keys()
    assert "plotly" not in found["packages"]
    assert "report: plotly" in found["optional_packages"]
    assert found["processor"]["cores for this process"] >= 1
    assert "MB of at most 250 MB" in found["kernels"]["kept"]
    assert found["what_to_send"].startswith("For a bug report")


def test_it_tells_no_other_variables(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hidden")
    monkeypatch.setenv("POLYCONTACT_COMPILES", "alone")
    found = told(capsys, "--no-test")
    assert found["environment"]["POLYCONTACT_COMPILES"] == "alone"
    assert "hidden" not in json.dumps(found)


def test_a_list_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--no-test"]) == 0
    shown = capsys.readouterr().out
    assert f"version: {pc.__version__}" in shown
    assert "optional packages" in shown
    assert "self-test" not in shown


def test_what_fails_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that cannot be loaded, as an example of an installation that is broken."""

    def broken(*_: object, **__: object) -> None:
        raise ImportError("libsundials_cvode.so: cannot open shared object file")

    monkeypatch.setattr(pc, "simulate", broken)
    monkeypatch.setattr(pc, "ContactPairing", broken)
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "self-test, a run and its file: fails" in shown
    assert "ImportError: libsundials_cvode.so" in shown


@pytest.mark.slow
def test_this_installation_works() -> None:
    assert [(trial["name"], trial["ok"]) for trial in self_test()] == [
        ("a contact", True),
        ("a run and its file", True),
    ]
