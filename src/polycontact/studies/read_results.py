"""How the number that a `Result` names is read off a run."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import StudyError
from polycontact.simulation.recording.run_peaks import Peak
from polycontact.studies.result_windows import cut, percentile
from polycontact.studies.result_words import PERCENTILE

if TYPE_CHECKING:
    from polycontact.simulation.recording.trajectory import Trajectory
    from polycontact.simulation.run_result import Run
    from polycontact.studies.results import Result

Array = NDArray[np.float64]


def read_number(result: Result, run: Run) -> float:
    """The number of a run that ``result`` asks for."""
    if result.kind == "run":
        return _of_run(result.quantity, run)
    if result.kind == "contact time":
        return _contact_time(result, run)
    if result.window is None and (peak := _searched_peak(result, run)) is not None:
        return peak.time if result.gives_time else peak.value
    if not len(run.trajectory):
        return math.nan
    time, values = run.trajectory.time, _history(result, run)
    if result.window is not None:
        time, values = cut(time, values, result.window.span(run.trajectory), f"result {result.name!r}")
    if result.at is not None:
        return _at(result, time, values)
    return _reduced(result.how, time, values, gives_time=result.gives_time)


def _of_run(name: str, run: Run) -> float:
    if name == "end_time":
        return float(run.trajectory.time[-1]) if len(run.trajectory) else math.nan
    if name in ("worst_balance", "worst_residual", "turnover"):
        return float(getattr(run.ledger, name))
    return float(getattr(run.statistics, name))


def _contact_time(result: Result, run: Run) -> float:
    """When a contact was first or last there, or for how long: by the ends of accepted steps."""
    times = run.trajectory.contact_times(result.thing)
    return {"contact_time": times.total, "first_contact": times.first, "last_contact": times.last}[result.quantity]


def _searched_peak(result: Result, run: Run) -> Peak | None:
    """The greatest load of every step, where the simulation searches for it; None where samples must do."""
    if result.how != "peak" or result.component is not None:
        return None
    nothing = Peak(0.0, math.nan)
    if result.kind == "all contacts":
        return max((getattr(each, result.quantity) for each in run.peaks.contacts.values()), default=nothing)
    if result.kind == "contact" and result.quantity in ("force", "pressure", "depth"):
        found: Any = run.peaks.contacts.get(result.thing)
        return nothing if found is None else getattr(found, result.quantity)
    if result.kind == "reaction" and result.thing in run.peaks.joints:
        peak: Peak = getattr(run.peaks.joints[result.thing], result.quantity)
        return peak
    if result.kind == "element" or result.quantity == "drive":
        parts = run.peaks.forces if result.kind == "element" else run.peaks.drives
        loads = list(parts.get(result.thing, {}).values())
        return loads[0] if len(loads) == 1 else None
    return None


def _history(result: Result, run: Run) -> Array:
    """The samples of a quantity, (n,): a component, or the length of a vector of several."""
    trajectory = run.trajectory
    if result.kind == "energy":
        return run.ledger[result.quantity]
    if result.kind == "all contacts":
        return _greatest_of_contacts(result.quantity, trajectory)
    if result.kind == "element":
        values = trajectory.force(result.thing)
    else:
        histories: dict[str, Callable[[str], Any]] = {
            "body": trajectory.body,
            "contact": trajectory.pairing,
            "joint": trajectory.joint,
            "reaction": trajectory.reaction,
        }
        thing = histories[result.kind](result.thing)
        values = np.asarray(getattr(thing, result.quantity), float)
    if values.ndim == 1:
        return values
    if result.component is not None:
        column: Array = values[:, result.component]
        return column
    single: Array = values[:, 0] if values.shape[1] == 1 else np.linalg.norm(values, axis=1)
    return single


def _greatest_of_contacts(quantity: str, trajectory: Trajectory) -> Array:
    """The greatest force, pressure or depth of all contacts at each sample."""
    contacts = trajectory.contacts
    loads = np.linalg.norm(contacts.forces, axis=1) if quantity == "force" else contacts.column(quantity)
    values = np.zeros(len(trajectory))
    np.maximum.at(values, contacts.sample, loads)
    return values


def _at(result: Result, time: Array, values: Array) -> float:
    assert result.at is not None
    if not time[0] <= result.at <= time[-1]:
        raise StudyError(
            f"result {result.name!r}: {result.at:g} s is not within the run, {time[0]:g} to {time[-1]:g} s"
        )
    return float(np.interp(result.at, time, values))


def _reduced(how: str, time: Array, values: Array, *, gives_time: bool) -> float:
    magnitudes = np.abs(values)
    places = {
        "final": len(values) - 1,
        "initial": 0,
        "max": int(np.argmax(values)),
        "min": int(np.argmin(values)),
        "peak": int(np.argmax(magnitudes)),
    }
    if how == "median" or re.fullmatch(PERCENTILE, how):
        return percentile(time, values, 50.0 if how == "median" else float(how[1:]))
    if how in places:
        place = places[how]
        return float(time[place]) if gives_time else float((magnitudes if how == "peak" else values)[place])
    if how == "range":
        return float(values.max() - values.min())
    span = float(time[-1] - time[0])
    if span <= 0:
        return float(magnitudes[0] if how == "rms" else values[0])
    if how == "rms":
        return math.sqrt(float(np.trapezoid(values**2, time)) / span)
    return float(np.trapezoid(values, time)) / span
