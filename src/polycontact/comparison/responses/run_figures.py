"""Figures of a run with some response: what contacts carried, where energy went, what it cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.simulation.recording.trajectory import Trajectory

Array = NDArray[np.float64]

REST_AVERAGING_SHARE = 0.02
"""The end of a run, as a part of it, over which forces at rest are averaged."""

MOST_BODIES = 6
"""Bodies whose end velocities are shown."""


@dataclass(frozen=True)
class Cost:
    """What a run cost and how well it was solved; of rigid contact the solver's counters, see `ResponseStatistics`.

    ``cpu_seconds`` and ``real_time_factor`` without recording; ``mean_step`` s; ``energy_added`` J by impacts;
    ``contact_loss`` and ``friction_loss`` J: what contacts took; ``balance_error`` J: greatest error of the balance.
    """

    steps: int
    mean_step: float
    evaluations: int
    cpu_seconds: float
    real_time_factor: float
    problems: int | None
    most_sweeps: int | None
    mean_sweeps: float | None
    unsolved: int | None
    worst_residual: float | None
    impacts: int | None
    held_time: float | None
    energy_added: float | None
    contact_loss: float
    friction_loss: float
    balance_error: float


@dataclass(frozen=True)
class Load:
    """What a contact carried, N: ``peak``, ``mean`` of the run, ``median`` while it pushes, at the ``end`` of the run.

    ``touching``: part of the time during which it pushes. Along the normal where it is known, else the whole force.
    """

    contact: str
    peak: float
    mean: float
    median: float
    end: float
    touching: float


def cost_of(made: ResponseRun) -> Cost | None:
    """The cost of a run; None where there is none."""
    if made.run is None:
        return None
    run, s = made.run, made.run.statistics
    recording = (s.profile or {}).get("recording", 0.0)
    cpu = max(s.cpu_seconds - recording, 0.0)
    told = s.response or {}
    problems = told.get("problems")
    ledger = run.ledger.summary()
    return Cost(
        steps=s.steps,
        mean_step=s.mean_step,
        evaluations=s.evaluations,
        cpu_seconds=cpu,
        real_time_factor=cpu / s.simulated_time if s.simulated_time > 0.0 else 0.0,
        problems=problems,
        most_sweeps=told.get("most_sweeps"),
        mean_sweeps=told["sweeps"] / problems if problems else None,
        unsolved=told.get("unsolved"),
        worst_residual=told.get("worst_residual"),
        impacts=told.get("impacts") if told else None,
        held_time=told.get("held_time"),
        energy_added=told.get("energy_added"),
        contact_loss=ledger["contact_damping"] + ledger["residual"],
        friction_loss=ledger["friction"],
        balance_error=ledger["worst_balance"],
    )


def normal_force(trajectory: Trajectory, contact: str, normal: Array | None) -> Array:
    """Force (n,) N of a contact along a normal, on whichever body it pushes; the amount of the force without one."""
    force = trajectory.pairing(contact).force
    return np.asarray(np.linalg.norm(force, axis=1) if normal is None else np.abs(force @ normal))


def tangential_force(trajectory: Trajectory, contact: str, normal: Array) -> Array:
    """Amount (n,) N of the force across a normal."""
    force = trajectory.pairing(contact).force
    return np.asarray(np.linalg.norm(force - np.outer(force @ normal, normal), axis=1))


def load_of(trajectory: Trajectory, contact: str, normal: Array | None) -> Load:
    """Greatest, mean, median and last normal force (N) of a contact, and the share of samples at which it pushed."""
    force, time = normal_force(trajectory, contact, normal), trajectory.time
    pushes = force > 0.0
    span = float(time[-1] - time[0])
    last = time >= time[-1] - REST_AVERAGING_SHARE * span
    return Load(
        contact,
        float(force.max()),
        float(np.trapezoid(force, time)) / span if span > 0.0 else float(force[-1]),
        float(np.median(force[pushes])) if pushes.any() else 0.0,
        float(force[last].mean()),
        float(pushes.mean()),
    )


def loaded_contacts(runs: list[ResponseRun]) -> tuple[str, ...]:
    """Contacts that pushed in any run, in the order of the scenario."""
    recorded = _recorded(runs)
    pushed = set()
    for trajectory in recorded:
        contacts = trajectory.contacts
        pushing = np.unique(contacts.rows["pairing"][contacts.forces != 0.0])
        pushed |= {trajectory.pairings[i] for i in pushing.tolist()}
    return tuple(dict.fromkeys(name for each in recorded for name in each.pairings if name in pushed))


def moving_bodies(runs: list[ResponseRun]) -> tuple[str, ...]:
    """A few bodies whose motion tells runs apart: free ones, or, where there are none, those that touch others."""
    recorded = _recorded(runs)
    if not recorded:
        return ()
    about = recorded[0].description
    free = [joint.child for joint in about.joints if joint.kind == "free"]
    touching = [name for pairing in about.pairings for name in (pairing.e, pairing.f)]
    named = free or list(dict.fromkeys(touching))
    return tuple(name for name in named if any(_moved(each, name) for each in recorded))[:MOST_BODIES]


def _moved(trajectory: Trajectory, body: str) -> bool:
    return bool(np.ptp(trajectory.body(body).position, axis=0).any())


def _recorded(runs: list[ResponseRun]) -> list[Trajectory]:
    return [each.trajectory for each in runs if each.trajectory is not None]
