"""A number of a run that is at hand, by the words of studies: from a run, its trajectory or its file."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from polycontact.errors import StudyError
from polycontact.simulation.ledger import EnergyLedger, ledger_columns
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.studies.result_windows import Span, Window
from polycontact.studies.results import parse_result

if TYPE_CHECKING:
    from polycontact.simulation.run_result import Run


def result_of(
    run: Run | Trajectory | str | os.PathLike[str], text: str, *, window: tuple[float, float] | None = None
) -> float:
    """A number of a run in SI units, asked for as in studies: "max force of ball-table after 0.04 s".

    ``run``: a run, its trajectory or its file; ``window``: start and end (s) of the part that counts, instead of one in
    the text. `polycontact study results` lists all words. Not a number where the run has no such number.
    """
    trajectory = _trajectory_of(run)
    if not len(trajectory):
        raise StudyError(f"{trajectory.description.name or 'run'}: the run has no samples ({trajectory.message})")
    result = parse_result(text, text, trajectory.description)
    if window is not None:
        if result.window is not None:
            raise StudyError(f"result {text!r}: a window is given beside the one in the text; leave one out")
        result = replace(result, window=Window(*Span(*map(float, window))))
    whole: Any = run if hasattr(run, "ledger") else _as_run(trajectory)
    return result.value(whole)


def _trajectory_of(run: Any) -> Trajectory:
    found = Trajectory.open(Path(run)) if isinstance(run, str | os.PathLike) else getattr(run, "trajectory", run)
    if not isinstance(found, Trajectory):
        raise StudyError(f"this is a {type(run).__name__}; give a run, its trajectory or the path of its file")
    return found


def _as_run(trajectory: Trajectory) -> Any:
    """What results read of a run: trajectory, ledger, peaks and statistics."""
    rows = ledger_columns(trajectory.energies, len(trajectory))
    return SimpleNamespace(
        trajectory=trajectory,
        ledger=EnergyLedger(trajectory.time, rows),
        peaks=trajectory.peaks,
        statistics=SimpleNamespace(**trajectory.statistics),
    )
