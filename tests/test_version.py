"""The version stands in one place, `polycontact/version.py`; what must repeat it agrees."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import polycontact as pc
from polycontact.cli import main

ROOT = Path(__file__).resolve().parents[1]


def only(pattern: str, name: str) -> str:
    """What the one line of a file of the repository that matches has in its group."""
    found = re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) == 1, f"{name} has {len(found)} lines like {pattern}"
    return str(found[0])


def test_the_project_file_takes_it_from_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert "version" in project["project"]["dynamic"]
    home = project["tool"]["hatch"]["version"]["path"]
    assert only(r'^__version__ = "(.+)"$', home) == pc.__version__


def test_the_citation_names_it() -> None:
    assert only(r"^version: (.+)$", "CITATION.cff").strip("\"'") == pc.__version__


def test_the_changelog_begins_with_it() -> None:
    """Changes not yet released stand under the version that they will have."""
    headings = re.findall(r"^## \[([^]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == pc.__version__


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == pc.__version__
