"""The contact of one pairing of a recorded run, evaluated anew: elements, patches and their resultants."""

from __future__ import annotations

from dataclasses import replace

from polycontact.contact.result import ContactResult
from polycontact.errors import SimulationError
from polycontact.report.patches.moments import moment_at
from polycontact.report.view.run_pairings import evaluate_again, remake_pairings
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.run_result import Run


def contact_at(run: Run | Trajectory, pairing: str | int, time: float) -> ContactResult:
    """The contact of a pairing at a time (s) of a run or its trajectory, in the frame of E, with elements and patches.

    At the time of a sample it is the contact of the run, but without the memory of contact laws; between two samples
    the poses of the bodies are interpolated.
    """
    trajectory = run.trajectory if isinstance(run, Run) else run
    record = trajectory.pairing(pairing).record
    made, notes = remake_pairings(replace(trajectory.description, pairings=(record,)))
    moment = moment_at(trajectory, time)
    result = evaluate_again(made[0], moment.motion) if made else None
    if result is None:
        why = "; ".join(notes) or f"{pairing}: it cannot be evaluated at t = {time:.6g} s"
        raise SimulationError(f"{why}; simulate again with elements=True and read trajectory.elements")
    return result
