"""A plugin of pytest that runs the tests it is given, in their order, and notes how far it came.

Each test may use so much CPU time and no more: one that hangs because of a fault ends the process, whatever it is in.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LEAST_TIME = 30
"""CPU time that any test may take, s."""
PATIENCE = 10.0
"""A test may take that many times what it took when it was recorded: a machine may be busy, or compile."""


class Selection:
    """The tests of one run; what is noted stands in ``file``, also after the process has been ended."""

    def __init__(self, seconds: dict[str, float], file: Path) -> None:
        self.seconds = seconds
        self.file = file
        self.ran = 0
        self.current = "collection"
        self.failed: str | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Only what was asked for, in that order."""
        places = {name: place for place, name in enumerate(self.seconds)}
        items[:] = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test runs, and give it its time."""
        import resource  # not on Windows, where the words of this tool are tested all the same

        self.current = nodeid
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = used.ru_utime + used.ru_stime + max(LEAST_TIME, PATIENCE * self.seconds[nodeid])
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        self.note()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what fails."""
        self.ran += report.when == "call"
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be imported fails too."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def pytest_sessionfinish(self) -> None:
        """Note that all went to the end."""
        self.current = ""
        self.note()

    def note(self) -> None:
        """Keep what is known so far."""
        state = {"ran": self.ran, "current": self.current, "failed": self.failed}
        self.file.write_text(json.dumps(state), encoding="utf-8")
