"""Notes which tests run which lines, for tests that are not in the records yet: a process of pytest for each folder."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tools.faults.workspace import PACKAGE

LEFT_OUT = (
    "benchmark",
    "comparison",
    "verification",
    "test_dev.py",
    "test_docs.py",
    "test_docs_site.py",
    "test_wheel.py",
)
"""Tests of what is planted nowhere: the verification itself, benchmarks, documents and the packing of the product."""

PLAIN = ("plain", "kernels", "contact", "multibody", "simulation/responses", "surfaces")
"""Folders of tests that run kernels, also with the JIT off."""

PLAIN_LIMIT = 2.0
"""CPU time for a test with the JIT off, s; `tests/plain`, which is made for that, has more."""
IN_TESTS_PLAIN = 90.0
GO_ON = 75
"""Exit status with which `recording_plugin` asks for another process to go on."""
LONGEST_FOLDER = 3600.0
"""Wall-clock time after which the rest of a folder is left out, s; another run goes on there."""


@dataclass(frozen=True)
class Recording:
    """A run of pytest that notes what tests run."""

    tests: tuple[str, ...]
    tier: str
    """``quick`` or ``slow``."""

    jit: bool = True
    limit: float = 0.0
    """CPU time after which a test is left out, s; 0: none."""


def recordings(tree: Path, tiers: tuple[str, ...]) -> list[Recording]:
    """What has to be recorded for some tiers; kernels, with the JIT off, by the quick tier alone."""
    tests = tree / "tests"
    folders = sorted(each for each in tests.iterdir() if any(each.rglob("test_*.py")) and each.name not in LEFT_OUT)
    files = sorted(each for each in tests.glob("test_*.py") if each.name not in LEFT_OUT)
    groups = [(f"tests/{each.name}",) for each in folders] + [tuple(f"tests/{each.name}" for each in files)]
    found = [Recording(group, tier) for tier in tiers for group in groups]
    for name in PLAIN:
        limit = IN_TESTS_PLAIN if name == "plain" else PLAIN_LIMIT
        found.append(Recording((f"tests/{name}",), "quick", jit=False, limit=limit))
    return found


def record(each: Recording, tree: Path, records: Path, log: Path) -> None:
    """Run the tests of a recording that are not in the records."""
    records.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree)]),
        "FAULTS_PACKAGE": str(tree / PACKAGE),
        "FAULTS_RECORDS": str(records),
        "FAULTS_LIMIT": str(each.limit),
        "NUMBA_DISABLE_JIT": "0" if each.jit else "1",
    }
    words = [sys.executable, "-m", "pytest", "-p", "tools.faults.recording_plugin", "-p", "no:cacheprovider", "-q"]
    words += ["--tb=line", "-m", "slow" if each.tier == "slow" else "not slow", *each.tests]
    with log.open("ab") as stream:
        while run_group(words, tree, environment, stream) == GO_ON:
            pass


def run_group(words: list[str], tree: Path, environment: dict[str, str], output: BinaryIO) -> int:
    """Run a program and all that it starts, and end all of it when its time is over; its exit status."""
    run = subprocess.Popen(words, cwd=tree, env=environment, stdout=output, stderr=output, start_new_session=True)
    try:
        return run.wait(LONGEST_FOLDER)
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()


def tiers_of_tests(tree: Path, build: Path) -> dict[str, bool]:
    """All tests of a tree; whether each belongs to the slow tier. Kept until a file of tests changes."""
    files = sorted((tree / "tests").rglob("*.py"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
    file = build / f"tiers-{digest}.json"
    if not file.exists():
        build.mkdir(parents=True, exist_ok=True)
        paths = os.pathsep.join([str(tree / "src"), str(tree)])
        environment = {**os.environ, "PYTHONPATH": paths, "FAULTS_TIERS": str(file)}
        words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--tier=all", "-p", "no:cacheprovider"]
        words += ["-p", "tools.faults.tiers_plugin"]
        done = subprocess.run(words, cwd=tree, env=environment, capture_output=True, encoding="utf-8", check=False)
        if not file.exists():
            sys.exit(f"the tests cannot be collected:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return dict(json.loads(file.read_text(encoding="utf-8")))
