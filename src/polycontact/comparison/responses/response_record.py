"""A comparison of responses as JSON can hold it."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from polycontact.comparison.responses.run_figures import cost_of, load_of, loaded_contacts, moving_bodies
from polycontact.contact.kinds import to_plain

if TYPE_CHECKING:
    from polycontact.comparison.responses.response_comparison import ResponseComparison
    from polycontact.comparison.responses.response_runs import ResponseRun


def response_record(comparison: ResponseComparison) -> dict[str, Any]:
    """All figures of all runs, and the findings."""
    return {
        "scenario": comparison.name,
        "ok": comparison.ok,
        "study": None if comparison.study is None else comparison.study.title,
        "runs": [_run(comparison, each) for each in comparison.runs],
        "findings": [asdict(each) for each in comparison.findings],
    }


def _run(comparison: ResponseComparison, made: ResponseRun) -> dict[str, Any]:
    cost, run = cost_of(made), made.trajectory
    runs, normal = list(comparison.runs), None if comparison.study is None else comparison.study.normal
    record: dict[str, Any] = {
        "label": made.label,
        "response": to_plain(made.response),
        "stiffness": made.stiffness,
        "status": None if made.run is None else made.run.status,
        "reason": made.reason,
        "energy_warning": "" if made.run is None else made.run.energy_warning,
        "cost": None if cost is None else asdict(cost),
        "end_velocities": {},
        "contacts": [],
    }
    if run is not None:
        record["end_velocities"] = {name: run.body(name).velocity[-1].tolist() for name in moving_bodies(runs)}
        record["contacts"] = [asdict(load_of(run, name, normal)) for name in loaded_contacts(runs)]
    return dict(_finite(record))


def _finite(value: Any) -> Any:
    """Numbers that are none become null."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
