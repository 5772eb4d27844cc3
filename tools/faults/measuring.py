"""Plants faults one at a time and finds out which tier of the tests notices each.

The stages of a fault, each of which ends when a test fails:

1. quick tests that run its line, compiled; for a kernel, whose lines are seen with the JIT off only, quick tests with
   the JIT off: nothing has to be compiled;
2. for a kernel, quick tests of all kinds of contact with the fault compiled: what the JIT-off run cannot reach in time;
3. slow tests that run its line; for a kernel, slow tests of the same folder, compiled.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.faults.choice import part_of
from tools.faults.line_map import Reach
from tools.faults.planting import Fault
from tools.faults.workspace import Verdict, Workspace

AT_ONCE = 2
"""Faults that are tried at the same time."""

LIMITS = {"quick": 90.0, "plain": 120.0, "compiled": 120.0, "slow": 240.0}
"""CPU time of the tests of a stage, as recorded, s: the cheapest that fit are run."""

FIRST_FILES = 4
"""Files of the tests that are run first."""

COMPILED_CHECKS = ("tests/golden/", "tests/kernels/", "tests/plain/")
"""Tests that reach nearly all kernels, for faults that have to be compiled."""


@dataclass
class Finding:
    """What is known of a fault."""

    fault: Fault
    tier: str = "none"
    """``quick``, ``slow`` or ``none``: the first tier that finds it."""

    stage: str = ""
    """Stage in which it was found."""

    by: str = ""
    """Test that found it."""

    ran: dict[str, int] = field(default_factory=dict)
    """Tests that ran in each stage."""

    left_out: int = 0
    """Tests that run its line, but did not fit the time of a stage."""


@dataclass(frozen=True)
class Suite:
    """What tests there are, and which of them reach which fault."""

    slow: dict[str, bool]
    jit: dict[Fault, list[Reach]]
    plain: dict[Fault, list[Reach]]
    seconds: dict[str, float]
    """CPU time of all tests with a record, compiled, s."""


def is_kernel(fault: Fault) -> bool:
    """Whether a fault lies in code that is compiled."""
    return fault.file.startswith("kernels/")


@dataclass(frozen=True)
class Stage:
    """Some tests to be run with a fault."""

    name: str
    jit: bool
    seconds: dict[str, float]
    """The tests in their order, with the CPU time each took when it was recorded."""

    left_out: int = 0
    """Tests that run the line, but do not fit the time of the stage."""


def stages(fault: Fault, suite: Suite) -> Iterator[Stage]:
    """The stages of a fault, in their order."""
    reached = suite.jit[fault]
    quick = [each for each in reached if suite.slow.get(each.test) is False]
    slow = [each for each in reached if suite.slow.get(each.test)]
    yield from _fitting("quick", quick, fault)
    if is_kernel(fault):
        plain = [each for each in suite.plain[fault] if suite.slow.get(each.test) is False]
        yield from _fitting("plain", plain, fault, jit=False)
        checks = [Reach(name, seconds) for name, seconds in suite.seconds.items() if _is_check(name, fault)]
        yield from _fitting("compiled", [each for each in checks if suite.slow.get(each.test) is False], fault)
        slow += [each for each in checks if suite.slow.get(each.test)]
    yield from _fitting("slow", slow, fault)


def _is_check(test: str, fault: Fault) -> bool:
    folder = fault.file.split("/")[1]
    near = {"dynamics": "multibody", "response": "simulation/responses"}.get(folder, "contact")
    return test.startswith((*COMPILED_CHECKS, f"tests/{near}/"))


def _fitting(name: str, found: list[Reach], fault: Fault, *, jit: bool = True) -> Iterator[Stage]:
    """The tests that fit the time of a stage: first those of few files, which are soon collected and often enough."""
    own = "tests/golden/" if name == "compiled" else f"tests/{part_of(fault).partition('/')[0]}/"
    seconds: dict[str, float] = {}
    for each in sorted(found, key=lambda each: (not each.test.startswith(own), each.seconds, each.test)):
        if sum(seconds.values()) + each.seconds <= LIMITS[name] or not seconds:
            seconds[each.test] = each.seconds
    files = list(dict.fromkeys(test.partition("::")[0] for test in seconds))
    near = {test: took for test, took in seconds.items() if test.partition("::")[0] in files[:FIRST_FILES]}
    rest = {test: took for test, took in seconds.items() if test not in near}
    if near:
        yield Stage(name, jit, near, 0 if rest else len(found) - len(near))
    if rest:
        yield Stage(name, jit, rest, len(found) - len(seconds))


class Trial:
    """A fault on its way through the stages, in one workspace."""

    def __init__(self, fault: Fault, suite: Suite, workspace: Workspace) -> None:
        self.finding = Finding(fault)
        self.workspace = workspace
        self._stages = stages(fault, suite)
        self._name = ""
        workspace.plant(fault)

    def next_stage(self) -> bool:
        """Start the next stage; false where there is none."""
        stage = next(self._stages, None)
        if stage is None:
            return False
        self._name = stage.name
        self.finding.left_out += stage.left_out
        self.workspace.start(stage.seconds, jit=stage.jit)
        return True

    def is_decided(self) -> bool:
        """Take over what the stage that has ended says."""
        verdict: Verdict = self.workspace.verdict()
        self.finding.ran[self._name] = self.finding.ran.get(self._name, 0) + verdict.ran
        if verdict.found_by is None:
            return False
        self.finding.tier = "slow" if self._name == "slow" else "quick"
        self.finding.stage, self.finding.by = self._name, verdict.found_by
        return True


def measure(faults: list[Fault], suite: Suite, places: list[Path], minutes: float) -> Iterator[Finding]:
    """Try faults, as many at a time as there are places; findings in the order in which they are made. After some
    minutes no new fault is begun with."""
    end = time.monotonic() + 60.0 * minutes
    waiting = list(reversed(faults))
    free = [Workspace(place) for place in places]
    under_way: list[Trial] = []
    try:
        while waiting or under_way:
            if time.monotonic() > end:
                waiting.clear()
            while waiting and free:
                trial = Trial(waiting.pop(), suite, free.pop())
                if trial.next_stage():
                    under_way.append(trial)
                else:
                    trial.workspace.heal()
                    free.append(trial.workspace)
                    yield trial.finding
            for trial in [each for each in under_way if each.workspace.is_over()]:
                if trial.is_decided() or not trial.next_stage():
                    under_way.remove(trial)
                    trial.workspace.heal()
                    free.append(trial.workspace)
                    yield trial.finding
            time.sleep(0.1)
    finally:
        for trial in under_way:
            trial.workspace.stop()


def control(findings: list[Finding], place: Path) -> set[str]:
    """Of the tests that found faults, those that fail without any: what they said is void."""
    workspace = Workspace(place / "control")
    failing: set[str] = set()
    for jit in (True, False):
        named = {each.by for each in findings if each.by and (each.stage != "plain") == jit and " (" not in each.by}
        left = dict.fromkeys(sorted(named), 60.0)
        while left:
            workspace.start(left, jit=jit)
            while not workspace.is_over():
                time.sleep(0.1)
            verdict = workspace.verdict()
            if verdict.found_by is None:
                break
            failing.add(verdict.found_by)
            left.pop(verdict.found_by.partition(" (")[0], None)
            if verdict.found_by == "import":
                break
    return failing
