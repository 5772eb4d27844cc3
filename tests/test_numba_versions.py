"""The tool that tries versions of Numba reads lock files and tells what it found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import numba_versions
from tools.numba_versions import CHECKS, Outcome

LOCK = """# made by a tool
annotated-types==0.8.0
    # via pydantic
llvmlite==0.50.0
numba==0.68.1
numpy==2.4.6
scipy==1.17.1
"""


def test_pins_that_follow_numba_are_left_out() -> None:
    assert numba_versions.constraints(LOCK, LOCK) == "annotated-types==0.8.0\nscipy==1.17.1\n"


def test_the_pinned_version_is_read() -> None:
    assert numba_versions.pinned_version(LOCK) == "0.68.1"
    assert numba_versions.pinned_version().startswith("0.")
    with pytest.raises(SystemExit, match="no numba"):
        numba_versions.pinned_version("numpy==2.4.6\n")


def test_the_table_tells_failures_and_other_bits() -> None:
    passed = dict.fromkeys([*CHECKS, "alone"], True)
    outcomes = [
        Outcome("0.61.0", "2.1.3, 0.44.0", passed, 150.0, "aaaa"),
        Outcome("0.68.1", "2.4.6, 0.50.0", passed, 150.0, "bbbb"),
        Outcome("0.69.0", "2.4.6, 0.51.0", {**passed, "golden": False}, 150.0, "bbbb"),
        Outcome("9.9"),
    ]
    rows = [line.split() for line in numba_versions.table(outcomes, "0.68.1").splitlines()]
    assert [row[-1] for row in rows] == ["bits", "others", "same", "same", "-"]
    assert [row.count("FAILED") for row in rows] == [0, 0, 0, 1, len(CHECKS) + 1]
    assert len({len(line) for line in numba_versions.table(outcomes, "0.68.1").splitlines()}) == 1


def test_a_command_that_fails_is_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = "import os, sys; print(os.environ['POLYCONTACT_LINKS']); sys.exit(3)"
    assert numba_versions.run([sys.executable, "-c", program], {"POLYCONTACT_LINKS": "no"}, log) == (3, "no\n")
    assert "exit status 3" in log.read_text(encoding="utf-8")


def test_every_file_that_a_check_names_exists() -> None:
    files = [word for words in CHECKS.values() for word in words if word.startswith("tests/")]
    assert len(files) > 5
    assert all((numba_versions.ROOT / file).is_file() for file in files)
