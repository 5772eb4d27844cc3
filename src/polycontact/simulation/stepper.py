"""What takes a system from one time to the next: an integrator, or a time stepper of a user's own.

The driver of a run talks to this protocol alone. Events, samples, the ledger, recording, progress and the limit of
steps are the driver's and work with every stepper; a stepper knows none of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError, SimulationError
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.integrators import IntegratorSettings, IntegratorStatistics
from polycontact.simulation.integrators.problem import DerivativeFunction

Array = NDArray[np.float64]

OVERSHOT = 1e-9
"""A step may go past its limit by this part of the time, which is rounding."""


@dataclass(frozen=True, eq=False)
class StepperProblem:
    """What a stepper gets: a system, where it starts and how far it goes.

    - ``system``: its state y begins with ``n_coordinates`` coordinates and ``n_speeds`` speeds, then come states of
      force elements and contacts, and from ``ledger`` on the integrals of the energy ledger; ``state_names`` names all.
    - ``rates``: rates(t, y, out) writes dy/dt at t (s) into ``out``, not a number where there is none.
    - ``evaluator``: the same system with all that there is to know, contacts for example; for nobody but the stepper.
    - ``start_time``, ``end_time`` (s), ``state`` at the start; ``settings``: the tolerances and steps asked for.
    """

    system: CompiledSystem
    rates: DerivativeFunction
    evaluator: Evaluator
    start_time: float
    state: Array
    end_time: float
    settings: IntegratorSettings


class LastStep(Protocol):
    """A step that was made: its ends, and the states in between."""

    @property
    def t(self) -> float:
        """Time at the end of the last step, s."""

    @property
    def t_old(self) -> float:
        """Time at the start of the last step, s."""

    @property
    def y(self) -> Array:
        """State reached, in an array that later steps do not write to."""

    def interpolate(self, t: float, /) -> Array:
        """The state at a time t (s) inside the last step, its ends included."""


class Stepper(LastStep, Protocol):
    """Steps of a system, one at a time. ``name`` (optional) stands in statistics and messages.

    ``lost_in_steps(t)`` (optional): energy (J) that the rule of the steps itself has taken from the start to a time t
    (s) inside the last step, which the ledger counts under a name of its own.
    """

    @property
    def statistics(self) -> IntegratorStatistics:
        """Counters since the start, which the stepper keeps: of steps and evaluations at least."""

    def start(self, problem: StepperProblem) -> None:
        """Stand at the start of a problem; nothing else is asked before, and a stepper may be started again."""

    def step(self, limit: float, *, until: float) -> float:
        """Make one step, not longer than ``limit`` and not past ``until`` or the end time (s): the time reached.

        Where it cannot, it raises `IntegrationError`.
        """

    def restart(self, t: float, y: Array) -> None:
        """Go on from t (s) and y, which an event or the closing of loops has changed."""


def name_of(stepper: Stepper) -> str:
    """The stepper's own name, or that of its class."""
    return str(getattr(stepper, "name", type(stepper).__name__))


def lost_in_steps(stepper: Stepper, t: float) -> float:
    """Energy (J) that the steps themselves have lost until a time t (s) inside the last one; 0 where nobody knows."""
    told = getattr(stepper, "lost_in_steps", None)
    return 0.0 if told is None else float(told(t))


def check_stepper(stepper: object) -> Stepper:
    """``stepper``, if it has the methods of `Stepper`; otherwise an error names those that it lacks."""
    wanted = ("start", "step", "interpolate", "restart")
    missing = [name for name in wanted if not callable(getattr(stepper, name, None))]
    if missing or isinstance(stepper, type):
        lacks = f"it has no {', '.join(missing)}" if missing else "give an object, not its class"
        raise SimulationError(f"stepper is {stepper!r}: {lacks}; see polycontact.simulation.Stepper")
    return cast(Stepper, stepper)


def make_step(stepper: Stepper, limit: float, until: float, end_time: float) -> None:
    """One step of any stepper, and a look at whether it kept to what a step is."""
    before = stepper.t
    try:
        reached = stepper.step(limit, until=until)
    except FloatingPointError as error:
        raise IntegrationError(f"{name_of(stepper)}: {error}", time=before, reason="not finite") from error
    latest = min(before + limit, until, end_time)
    if reached != stepper.t or not before < reached <= latest + OVERSHOT * max(abs(latest), latest - before):
        raise SimulationError(
            f"{name_of(stepper)} stepped from {before:.9g} s to {reached:.9g} s (t = {stepper.t:.9g} s); a step goes "
            f"forward, to {latest:.9g} s at most"
        )
    if not math.isfinite(stepper.y.dot(stepper.y)) and not np.isfinite(stepper.y).all():
        raise IntegrationError(
            f"{name_of(stepper)}: the state is not finite at {reached:.9g} s; take shorter steps",
            time=before,
            step=reached - before,
            reason="not finite",
        )
