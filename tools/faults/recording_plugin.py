"""A plugin of pytest that notes which lines of the package each test runs, and how long it takes.

Every test file gives one record, in the folder that ``FAULTS_RECORDS`` names (`line_map` reads them). What a fixture
shared by several tests runs is noted apart, for all tests that use it. Processes that tests start are followed by
coverage itself. With ``FAULTS_LIMIT``, a test that takes more CPU seconds is noted as too long, and the process ends
with status 75: an exception in its midst could leave a lock held. The next process goes on behind it.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import coverage
import pytest

from tools.faults.functions import Function, function_at, functions_of
from tools.faults.records import digest_of_test, known_tests, write_record

PACKAGE = Path(os.environ["FAULTS_PACKAGE"])
RECORDS = Path(os.environ["FAULTS_RECORDS"])
TOO_LONG = RECORDS / "too_long.txt"
LIMIT = float(os.environ.get("FAULTS_LIMIT", "0"))
MOST_TOO_LONG = 3
"""Tests of a file that may be too long before the rest of it is left out."""
GO_ON = 75
"""Exit status of a process that wants another one to go on."""

Lines = dict[str, dict[str, dict[str, list[int]]]]
"""Lines run: by context, file and function, counted from the function's first line."""


class Recorder:
    """What was run of the package, by the context of the moment: a test, or a shared fixture."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="faults-"))
        settings = self.folder / "coveragerc"
        settings.write_text(
            f"[run]\nsource = {PACKAGE}\ncontext = ${{FAULTS_CONTEXT}}\n"
            f"data_file = {self.folder / 'processes'}\nparallel = true\ndisable_warnings = no-data-collected\n"
        )
        os.environ["COVERAGE_PROCESS_START"] = str(settings)  # followed by what tests start
        self.coverage = coverage.Coverage(data_file=None, source=[str(PACKAGE)], config_file=False, context="")
        self.functions: dict[str, list[Function]] = {}
        self.contexts = [""]

    def enter(self, context: str) -> None:
        """What runs from here on belongs to a test or a fixture."""
        self.contexts.append(context)
        self._switch()

    def leave(self) -> None:
        """What runs from here on belongs to what was before."""
        self.contexts.pop()
        self._switch()

    def _switch(self) -> None:
        os.environ["FAULTS_CONTEXT"] = self.contexts[-1]
        self.coverage.switch_context(self.contexts[-1])

    def start(self) -> None:
        """Begin to note."""
        self.coverage.start()
        self._switch()

    def taken(self) -> Lines:
        """What was run since the last call."""
        self.coverage.stop()
        lines: Lines = {}
        self._add(self.coverage.get_data(), lines)
        self.coverage.erase()
        for file in self.folder.glob("processes.*"):
            data = coverage.CoverageData(str(file))
            try:
                data.read()
                self._add(data, lines)
            except coverage.CoverageException:
                pass  # a process that was killed while it wrote
            file.unlink()
        self.start()
        return lines

    def _add(self, data: coverage.CoverageData, lines: Lines) -> None:
        for path in data.measured_files():
            name = Path(path).relative_to(PACKAGE).as_posix()
            if name not in self.functions:
                self.functions[name] = functions_of(Path(path).read_text(encoding="utf-8"))
            for line, contexts in data.contexts_by_lineno(path).items():
                function = function_at(self.functions[name], line)
                if function is None or line < function.body_line:
                    continue  # run by the import of the module
                for context in contexts:
                    of_file = lines.setdefault(context, {}).setdefault(name, {})
                    of_file.setdefault(function.name, []).append(line - function.first_line)

    def digests(self, lines: Lines) -> dict[str, dict[str, str]]:
        """The digest of each function that was run, by file."""
        run = {(name, function) for of in lines.values() for name, functions in of.items() for function in functions}
        digests: dict[str, dict[str, str]] = {}
        for name, function in sorted(run):
            known = {each.name: each.digest for each in self.functions[name]}
            digests.setdefault(name, {})[function] = known[function]
        return digests


recorder = Recorder()
tests: dict[str, dict[str, Any]] = {}


def pytest_sessionstart() -> None:
    """Start before test files are imported: some run the package while they are."""
    recorder.start()


def pytest_sessionfinish() -> None:
    """Leave nothing behind but records."""
    recorder.coverage.stop()
    shutil.rmtree(recorder.folder, ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out tests that are in the records as they are now."""
    known = known_tests(RECORDS)
    too_long = too_long_tests()
    files = Counter(name.partition("::")[0] for name in too_long)
    new = [
        item
        for item in items
        if known.get(item.nodeid) != _digest(item)
        and item.nodeid not in too_long
        and files[item.nodeid.partition("::")[0]] < MOST_TOO_LONG
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(new)])
    items[:] = new


def too_long_tests() -> list[str]:
    """Tests that took too long, in this process or one before."""
    return TOO_LONG.read_text(encoding="utf-8").splitlines() if TOO_LONG.exists() else []


def _digest(item: pytest.Item) -> str:
    return digest_of_test(getattr(item, "function", None))


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Iterator[None]:
    """What a shared fixture runs is its own, not that of the test that happened to come first."""
    shared = fixturedef.scope != "function"
    if shared:
        recorder.enter(_key(fixturedef))
    yield
    if shared:
        recorder.leave()


def _key(fixturedef: Any) -> str:
    return f"fixture {fixturedef.baseid} {fixturedef.argname}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Note what the test runs; write the record after the last test of a file, or each where the process may end."""
    info = getattr(item, "_fixtureinfo", None)
    definitions = [each for found in info.name2fixturedefs.values() for each in found[-1:]] if info else []
    tests[item.nodeid] = {
        "digest": _digest(item),
        "fixtures": sorted(_key(each) for each in definitions if each.scope != "function"),
        "passed": False,
    }
    before = os.times()
    recorder.enter(item.nodeid)
    yield
    recorder.leave()
    after = os.times()
    tests[item.nodeid]["seconds"] = round(sum(after[:4]) - sum(before[:4]), 3)
    if LIMIT or nextitem is None or nextitem.path != item.path:
        _write(item.path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Give a test its time."""

    def give_up(number: int, frame: FrameType | None) -> None:
        with TOO_LONG.open("a", encoding="utf-8") as stream:
            stream.write(item.nodeid + "\n")
        shutil.rmtree(recorder.folder, ignore_errors=True)
        os._exit(GO_ON)

    if LIMIT:
        signal.signal(signal.SIGVTALRM, give_up)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Only what passes counts."""
    if report.when == "call":
        tests[report.nodeid]["passed"] = report.passed
    elif report.failed:
        tests[report.nodeid]["passed"] = False


def _write(path: Path) -> None:
    lines = recorder.taken()
    here = {name: test for name, test in tests.items() if "seconds" in test}  # those that have ended
    tests.clear()
    record = {
        "tests": here,
        "lines": {name: of for name, of in lines.items() if name in here or name.startswith("fixture ")},
        "functions": recorder.digests(lines),
    }
    write_record(RECORDS, path, record)
