"""Which tests run: the quick tier by default, all of them, or the slow ones whose turn it is.

A test that needs more than a second of CPU time is marked ``slow``. ``--tier quick`` (the default) leaves those out,
``--tier all`` takes every test, and ``--tier turn`` takes slow tests only: those of files that have changed or import
what has changed, then others in an order that the commit chooses, until a budget of CPU time is spent. Times of files
are in ``test_times.json``, which ``--tier all --record-times`` writes anew; they decide what runs first, so that all
workers end at about the same time, and what fits the budget. ``conftest.py`` takes the hooks from here.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TIMES = Path(__file__).with_name("test_times.json")

SLOW = 1.0
"""CPU time above which a test belongs to the slow tier, s."""
LISTED = 1.5
"""CPU time from which a test without the mark is listed, s: times of one test vary by a third."""
TURN = 900.0
"""CPU time of the slow tests that one change is checked with besides the quick tier, s."""
UNKNOWN = 5.0
"""CPU time of the slow tests of a file that no times are known of, s."""
CHANGED_WITHIN = "24 hours"
"""How far back from the last commit files count as changed."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the tiers."""
    parser.addoption("--tier", choices=("quick", "all", "turn"), default="quick", help="which tests to run")
    parser.addoption("--record-times", action="store_true", help=f"write {TIMES.name} anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not of the tier, and begin with the files that take longest."""
    tier = config.getoption("--tier")
    named = [argument for argument in config.args if "::" in argument]  # a test that is named runs, slow or not
    if named or config.getoption("-m"):
        return
    times = known_times()
    turn = slow_files_in_turn(times, set(map(file_of, items))) if tier == "turn" else set()
    chosen = [item for item in items if tier == "all" or is_slow(item) == (tier == "turn")]
    if tier == "turn":
        chosen = [item for item in chosen if file_of(item) in turn]
    left_out = set(items) - set(chosen)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    parts = {"quick": ("quick",), "turn": ("slow",), "all": ("quick", "slow")}[tier]
    weight = {file: sum(times.get(file, {}).get(part, 0.0) for part in parts) for file in map(file_of, chosen)}
    items[:] = sorted(chosen, key=lambda item: (-weight[file_of(item)], file_of(item)))  # stable: order in files stays


def is_slow(item: pytest.Item) -> bool:
    """Whether a test belongs to the slow tier."""
    return item.get_closest_marker("slow") is not None


def file_of(item: pytest.Item) -> str:
    """The file of a test, relative to the repository."""
    return item.nodeid.partition("::")[0]


def known_times() -> dict[str, dict[str, float]]:
    """CPU time of the quick and the slow tests of each file, s, as recorded."""
    return dict(json.loads(TIMES.read_text(encoding="utf-8"))) if TIMES.is_file() else {}


# The slow tests whose turn it is -----------------------------------------------------------------------------


def slow_files_in_turn(times: dict[str, dict[str, float]], files: set[str]) -> set[str]:
    """Files whose slow tests run with this commit."""
    return within_budget(times, files, changed_files(), git("rev-parse", "HEAD").strip())


def within_budget(
    times: dict[str, dict[str, float]], files: set[str], changed: set[str], commit: str, budget: float = TURN
) -> set[str]:
    """Files in the order of their turn, those that a change touches first, until the budget (s) is spent; at least one
    file, so that one that takes longer than the budget is not left out for ever."""

    def place(file: str) -> tuple[bool, str]:
        return not is_touched(file, changed), hashlib.sha256((commit + file).encode()).hexdigest()

    chosen: set[str] = set()
    left = budget
    for file in sorted(files, key=place):
        seconds = times.get(file, {"slow": UNKNOWN}).get("slow", 0.0)
        if seconds <= left or not chosen:
            chosen.add(file)
            left -= seconds
    return chosen


def changed_files() -> set[str]:
    """Files that recent commits changed, relative to the repository."""
    last = git("log", "-1", "--format=%cI").strip()
    return set(git("log", f"--since={last} - {CHANGED_WITHIN}", "--format=", "--name-only").split())


def is_touched(file: str, changed: set[str]) -> bool:
    """Whether a file of tests has changed, or imports a module that has."""
    if file in changed:
        return True
    modules = {path.removeprefix("src/").removesuffix(".py").replace("/", ".") for path in changed}
    return any(name in modules for name in imported(ROOT / file))


def imported(file: Path) -> Iterator[str]:
    """Dotted names that a file imports."""
    if not file.is_file():
        return
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def git(*words: str) -> str:
    """What git says of the repository; nothing where there is none, as in a source archive."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        return ""
    return done.stdout if done.returncode == 0 else ""


# What tests take ---------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure the CPU time of a test with its set-up, and of the processes that it started and waited for."""
    before = cpu_time()
    item.stash[BEFORE] = before
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Hand the time over to the process that reports."""
    report = yield
    if report.when == "teardown":
        report.user_properties.append(("cpu", cpu_time() - item.stash[BEFORE]))
        report.user_properties.append(("slow", is_slow(item)))
    return report


BEFORE = pytest.StashKey[float]()


def cpu_time() -> float:
    """CPU time of this process and of the children that it has waited for, s."""
    return sum(os.times()[:4])


class Times:
    """Collects what tests took."""

    def __init__(self) -> None:
        self.of_test: dict[str, tuple[float, bool]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the time of a test that has ended."""
        told = dict(report.user_properties)
        if "cpu" in told:
            self.of_test[report.nodeid] = (float(str(told["cpu"])), bool(told["slow"]))

    def of_files(self) -> dict[str, dict[str, float]]:
        """CPU time of the quick and the slow tests of each file, s."""
        files: defaultdict[str, dict[str, float]] = defaultdict(lambda: {"quick": 0.0, "slow": 0.0})
        for test, (seconds, slow) in self.of_test.items():
            files[test.partition("::")[0]]["slow" if slow else "quick"] += seconds
        return {file: {part: round(value, 1) for part, value in files[file].items()} for file in sorted(files)}

    def unmarked(self) -> list[str]:
        """Tests that take too long for the quick tier, the longest first."""
        found = [(seconds, test) for test, (seconds, slow) in self.of_test.items() if not slow and seconds > LISTED]
        return [f"{seconds:6.1f} s  {test}" for seconds, test in sorted(found, reverse=True)]


def pytest_configure(config: pytest.Config) -> None:
    """Collect times where results are told: in the one process, or the one that others work for."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Times(), "times of tests")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """List the tests that should be marked; keep the times where asked to."""
    times = config.pluginmanager.get_plugin("times of tests")
    if times is None:
        return
    total = {slow: sum(seconds for seconds, each in times.of_test.values() if each == slow) for slow in (False, True)}
    terminalreporter.write_line(f"CPU time: quick tests {total[False]:.0f} s, slow tests {total[True]:.0f} s")
    unmarked = times.unmarked()
    if unmarked:
        terminalreporter.section(f"not marked slow, but above {SLOW:.0f} s of CPU time")
        for line in unmarked:
            terminalreporter.write_line(line)
    if config.getoption("--record-times"):
        TIMES.write_text(json.dumps(times.of_files(), indent=0) + "\n", encoding="utf-8")
