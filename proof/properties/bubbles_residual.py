"""What of the work of the contacts does not come back in the bubbles, by depth and by tolerance of the integrator."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from polycontact.errors import SimulationWarning
from polycontact.scenario.builtin import scenario_text
from polycontact.scenario.parsing import parse_scenario
from polycontact.simulation.simulate import simulate

END_TIME = 5.0
"""s; by then the bubbles lie still."""

APART = 1e-3
"""Of the turnover: contacts that store less than this owe no more than this."""

NEXT_PATH = 1e-2
"""By how much the relative tolerance of one run differs from the next: enough for another path of a chaotic motion."""


@dataclass(frozen=True)
class Bounces:
    """One run: worst ``residual`` while the contacts store next to nothing, and worst ``balance``, of the turnover."""

    residual: float
    balance: float
    evaluations: int


def let_bounce(depth: str, *, rtol: float, atol: float = 2e-4, path: int = 0) -> Bounces:
    """The built-in bubbles with a depth of choice; ``path``: one of many alike, as the motion is chaotic."""
    paper = 'depth = "base_normal"'
    text = scenario_text("bubbles")
    if text.count(paper) != 1:
        raise ValueError(f"the scenario bubbles does not say {paper} just once")
    scenario = parse_scenario(text.replace(paper, f'depth = "{depth}"'))
    tolerances = {"rtol": rtol * (1.0 + NEXT_PATH * path), "atol": atol}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        run = simulate(scenario.build(), **{**scenario.settings, "end_time": END_TIME, **tolerances})
    ledger = run.ledger
    apart = ledger["elastic"] < APART * ledger.turnover
    return Bounces(
        residual=float(np.abs(ledger["residual"][apart]).max()) / ledger.turnover,
        balance=ledger.worst_balance / ledger.turnover,
        evaluations=run.statistics.evaluations,
    )
