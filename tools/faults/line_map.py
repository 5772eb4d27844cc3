"""Which tests run a line: the records of what tests ran, asked for the lines of some faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.faults.functions import Function, functions_of
from tools.faults.planting import Fault
from tools.faults.records import read_records


@dataclass(frozen=True)
class Reach:
    """A test that runs the line of a fault."""

    test: str
    seconds: float
    """CPU time it took when it was recorded."""


def tests_that_reach(faults: list[Fault], package: Path, records: Path) -> dict[Fault, list[Reach]]:
    """For each fault the tests that run its line and pass without it, the cheapest first.

    Where a function has changed since a test was recorded, every test that ran any line of it counts.
    """
    functions = {file: functions_of((package / file).read_text(encoding="utf-8")) for file in {f.file for f in faults}}
    around = {fault: next(f for f in reversed(functions[fault.file]) if f.name == fault.function) for fault in faults}
    reached: dict[Fault, dict[str, float]] = {fault: {} for fault in faults}
    shared: dict[Fault, set[str]] = {fault: set() for fault in faults}  # fixtures that run the line
    users: dict[str, list[tuple[str, float]]] = {}
    for record in read_records(records):
        passed = {name: test for name, test in record["tests"].items() if test["passed"]}
        for name, test in passed.items():
            for fixture in test["fixtures"]:
                users.setdefault(fixture, []).append((name, test["seconds"]))
        for fault in faults:
            for context in _contexts(record, fault, around[fault]):
                if context in passed:
                    reached[fault][context] = passed[context]["seconds"]
                elif context.startswith("fixture "):
                    shared[fault].add(context)
    for fault in faults:
        for fixture in shared[fault]:
            reached[fault].update(users.get(fixture, []))
    return {
        fault: sorted((Reach(*each) for each in found.items()), key=lambda each: (each.seconds, each.test))
        for fault, found in reached.items()
    }


def _contexts(record: dict[str, Any], fault: Fault, function: Function) -> Iterator[str]:
    """Tests and fixtures of a record that ran the line of a fault."""
    wanted = range(fault.line - function.first_line, fault.last_line - function.first_line + 1)
    for file, known in record["functions"].items():
        same = known.get(function.name) == function.digest  # also where the file has another name by now
        if not same and (file != fault.file or function.name not in known):
            continue
        for context, of_files in record["lines"].items():
            run = of_files.get(file, {}).get(function.name, ())
            if (any(line in wanted for line in run)) if same else run:
                yield context
