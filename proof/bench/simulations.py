"""Real-time factors of the built-in simulations: medians of CPU time, with counters and where the time goes."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.simulation.run_result import Run
from polycontact.simulation.simulate import simulate
from proof.bench.mujoco_peer import MujocoBubbles

FRICTION_VELOCITIES = (0.1, 0.01, 0.001)
"""v_ε of the pedestrian's runs, m/s."""

REST_VARIANTS = (("cvode-bdf", 0.1), ("cvode-bdf", 0.01), ("cvode-bdf", 0.001), ("dopri5", 0.01))
"""Integrator and v_ε (m/s) of the runs to rest: implicit ones, and an explicit one to compare."""

DEPTHS = ("distance", "base_normal")
"""Depths of the runs of the nut on its bolt."""

N_SPANS = 8
"""Spans of time into which the way to rest is divided."""


@dataclass(frozen=True)
class SimulationCost:
    """A scenario's cost: medians over the runs. ``split``: µs an evaluation in contacts, dynamics and the rest.

    ``peer``: median real-time factor of MuJoCo's run of the same scene between ours, None where there is none.
    """

    name: str
    runs: int
    real_time_factor: float
    spread: tuple[float, float]
    evaluations: int
    steps: int
    jacobians: int
    time_per_evaluation: float
    split: dict[str, float]
    worst_balance: float
    worst_residual: float
    turnover: float
    peer: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The measured costs as plain values for JSON."""
        return asdict(self)


def measure_simulations(n_runs: int, shortened: float | None, progress: Callable[[str], None]) -> list[SimulationCost]:
    """Bubbles beside MuJoCo, the pedestrian at each v_ε, the nut with both depths.

    ``shortened``: end time of a quick look, s.
    """
    progress("simulation: bubbles")
    peer = MujocoBubbles.make()
    costs = [_measure("bubbles", load_scenario("bubbles"), n_runs, shortened, peer)]
    for velocity in FRICTION_VELOCITIES:
        progress(f"simulation: pedestrian, v_ε = {velocity} m/s")
        name = f"pedestrian, v_ε = {velocity} m/s"
        costs.append(_measure(name, pedestrian(velocity), n_runs, shortened, None))
    for depth in DEPTHS:
        progress(f"simulation: nut on bolt, {depth}")
        costs.append(_measure(f"nut on bolt, {depth}", nut_on_bolt(depth), n_runs, shortened, None))
    return costs


@dataclass(frozen=True)
class RestPhase:
    """Evaluations per simulated second while the man comes to rest: ``rates`` at the ends of spans ``times`` (s)."""

    integrator: str
    friction_velocity: float
    times: tuple[float, ...]
    rates: tuple[int, ...]


def measure_rest(end_time: float, progress: Callable[[str], None]) -> list[RestPhase]:
    """The pedestrian until ``end_time`` (s): does the integration slow down at rest (S0.80)?"""
    phases = []
    for integrator, velocity in REST_VARIANTS:
        progress(f"simulation: rest of the pedestrian, {integrator}, v_ε = {velocity} m/s")
        scenario = pedestrian(velocity)
        settings = scenario.settings | {"end_time": end_time, "output_step": None, "integrator": integrator}
        run = simulate(scenario.build(), **settings)
        edges = np.linspace(0.0, end_time, N_SPANS + 1)
        counted = np.interp(edges, run.trajectory.time, run.trajectory.array("evaluations"))
        rates = tuple(int(rate) for rate in np.diff(counted) / np.diff(edges))
        phases.append(RestPhase(integrator, velocity, tuple(edges[1:].tolist()), rates))
    return phases


def pedestrian(friction_velocity: float) -> Scenario:
    """The built-in pedestrian with another v_ε (m/s)."""
    scenario = load_scenario("pedestrian")
    contact = scenario.model.contact
    assert contact is not None
    assert contact.friction is not None
    friction = contact.friction.model_copy(update={"velocity": friction_velocity})
    changed = contact.model_copy(update={"friction": friction})
    return replace(scenario, model=scenario.model.model_copy(update={"contact": changed}))


def nut_on_bolt(depth: str) -> Scenario:
    """The built-in nut on its bolt with another depth."""
    scenario = load_scenario("nut_on_bolt")
    contact = scenario.model.contact
    assert contact is not None
    changed = contact.model_copy(update={"depth": depth})
    return replace(scenario, model=scenario.model.model_copy(update={"contact": changed}))


def _measure(
    name: str,
    scenario: Scenario,
    n_runs: int,
    shortened: float | None,
    peer: MujocoBubbles | None,
) -> SimulationCost:
    """Recorded runs in turns with the peer's, and one more with a clock between its parts."""
    settings = dict(scenario.settings)
    if shortened is not None:
        settings["end_time"] = shortened
    system = scenario.build()
    simulate(system, **(settings | {"end_time": 0.01, "output_step": None}))
    runs: list[Run] = []
    theirs: list[float] = []
    with TemporaryDirectory() as folder:
        for i in range(n_runs):
            runs.append(simulate(system, record=Path(folder) / f"{i}.h5", **settings))
            if peer is not None:
                theirs.append(peer.real_time_factor(settings["end_time"]))
    profile = simulate(system, profile=True, **settings).statistics
    assert profile.profile is not None
    factors = [run.statistics.real_time_factor for run in runs]
    last = runs[-1]
    return SimulationCost(
        name=name,
        runs=n_runs,
        real_time_factor=statistics.median(factors),
        spread=(min(factors), max(factors)),
        evaluations=last.statistics.evaluations,
        steps=last.statistics.steps,
        jacobians=last.statistics.jacobians,
        time_per_evaluation=1e6 * statistics.median(run.statistics.time_per_evaluation for run in runs),
        split={part: 1e6 * seconds / profile.evaluations for part, seconds in profile.profile.items()},
        worst_balance=last.ledger.worst_balance,
        worst_residual=last.ledger.worst_residual,
        turnover=last.ledger.turnover,
        peer=statistics.median(theirs) if theirs else None,
    )
