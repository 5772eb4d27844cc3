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


def stages(fault: Fault, tests: Suite) -> Iterator[tuple[str, bool, dict[str, float], int]]:
    """Name, JIT on, tests with their times, and how many are left out, of each stage of a fault."""
    jit = tests.jit[fault]
    quick = [each for each in jit if tests.slow.get(each.test) is False]
    slow = [each for each in jit if tests.slow.get(each.test)]
    if quick:
        yield ("quick", True, *_fitting(quick, LIMITS["quick"], fault))
    if is_kernel(fault):
        plain = [each for each in tests.plain[fault] if tests.slow.get(each.test) is False]
        if plain:
            yield ("plain", False, *_fitting(plain, LIMITS["plain"], fault))
        everywhere = [Reach(name, s) for name, s in tests.seconds.items() if _is_check(name, fault)]
        yield (
            "compiled",
            True,
            *_fitting([x for x in everywhere if not tests.slow.get(x.test, True)], LIMITS["compiled"], fault),
        )
        slow += [each for each in everywhere if tests.slow.get(each.test)]
    if slow:
        yield ("slow", True, *_fitting(slow, LIMITS["slow"], fault))


def _is_check(test: str, fault: Fault) -> bool:
    folder = fault.file.split("/")[1]
    near = {"dynamics": "multibody", "response": "simulation/responses"}.get(folder, "contact")
    return test.startswith((*COMPILED_CHECKS, f"tests/{near}/"))


def _fitting(found: list[Reach], limit: float, fault: Fault) -> tuple[dict[str, float], int]:
    """The tests that fit a limit of time: those of the same folder first, then the cheapest."""
    own = f"tests/{part_of(fault).partition('/')[0]}/"
    chosen: dict[str, float] = {}
    for each in sorted(found, key=lambda each: (not each.test.startswith(own), each.seconds, each.test)):
        if sum(chosen.values()) + each.seconds <= limit or not chosen:
            chosen[each.test] = each.seconds
    return chosen, len({each.test for each in found}) - len(chosen)


class Trial:
    """A fault on its way through the stages, in one workspace."""

    def __init__(self, fault: Fault, tests: Suite, workspace: Workspace) -> None:
        self.finding = Finding(fault)
        self.workspace = workspace
        self._stages = stages(fault, tests)
        self._name = ""
        workspace.plant(fault)

    def next_stage(self) -> bool:
        """Start the next stage; false where there is none."""
        for name, jit, chosen, left_out in self._stages:
            self._name = name
            self.finding.left_out += left_out
            self.workspace.start(chosen, jit=jit)
            return True
        return False

    def is_decided(self) -> bool:
        """Take over what the stage that has ended says."""
        verdict: Verdict = self.workspace.verdict()
        self.finding.ran[self._name] = verdict.ran
        if verdict.found_by is None:
            return False
        self.finding.tier = "slow" if self._name == "slow" else "quick"
        self.finding.stage, self.finding.by = self._name, verdict.found_by
        return True


def measure(faults: list[Fault], tests: Suite, places: list[Path]) -> Iterator[Finding]:
    """Try faults, as many at a time as there are places; findings in the order in which they are made."""
    waiting = list(reversed(faults))
    free = [Workspace(place) for place in places]
    under_way: list[Trial] = []
    try:
        while waiting or under_way:
            while waiting and free:
                trial = Trial(waiting.pop(), tests, free.pop())
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


def control(findings: list[Finding], places: list[Path]) -> set[str]:
    """Of the tests that found faults, those that fail without any: what they said is void."""
    workspace = Workspace(places[0])
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
