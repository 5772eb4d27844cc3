"""`dev.py`, the checks before a change is accepted, and the README name the same commands."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands(name: str) -> set[str]:
    """Words that follow dev.py in a file of the repository."""
    return set(re.findall(r"python3 dev\.py (\w+)", (ROOT / name).read_text(encoding="utf-8")))


def test_readme_names_every_command(dev: ModuleType) -> None:
    assert commands("README.md") == set(dev.COMMANDS)


@pytest.mark.parametrize("name", [".ci/run", ".pre-commit-config.yaml", "docs/releasing.md"])
def test_commands_are_those_of_the_readme(name: str) -> None:
    assert commands(name)
    assert commands(name) <= commands("README.md")


def test_coverage_is_told_for_each_package(dev: ModuleType) -> None:
    files = {
        f"src/polycontact/{path}": {"summary": {"num_statements": statements, "covered_lines": covered}}
        for path, statements, covered in (
            ("__init__.py", 10, 10),
            ("contact/laws.py", 1000, 600),
            ("contact/deep/more.py", 1000, 300),
            ("empty/__init__.py", 0, 0),
        )
    }
    rows = [line.split() for line in dev.coverage_table(files).splitlines()]
    assert rows[:-1] == [
        ["package", "statements", "run"],
        ["polycontact", "10", "100%"],
        ["polycontact.contact", "2,000", "45%"],
        ["polycontact.empty", "0", "0%"],
        ["all", "2,010", "45%"],
    ]


def test_coverage_of_one_package(dev: ModuleType) -> None:
    files = {
        f"src/polycontact/{path}": {"summary": {"num_statements": 10, "covered_lines": covered}}
        for path, covered in (("contact/laws.py", 1), ("kernels/jit.py", 2), ("kernels/contact/elements.py", 5))
    }
    rows = [line.split() for line in dev.coverage_table(files, "polycontact/kernels").splitlines()]
    assert [row[0] for row in rows[1:-1]] == ["polycontact.kernels", "polycontact.kernels.contact", "all"]
    assert rows[-2] == ["all", "20", "35%"]
