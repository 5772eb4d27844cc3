"""`equilibrium_path`: rest after rest, while prescribed motions and loads go on slowly with the time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import EquilibriumError, MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.statics.held_system import FrictionAtRest
from polycontact.statics.resting import MOST_STEPS, Equilibrium, find_equilibrium
from polycontact.tolerances import REST_RESIDUAL

Array = NDArray[np.float64]

MOST_DIVISIONS = 5
"""How often the way from one time to the next is halved before the path ends."""


@dataclass(frozen=True, eq=False)
class EquilibriumPath:
    """Equilibria of a system at increasing ``times`` (n,), s; each was sought from the one before."""

    times: Array
    equilibria: tuple[Equilibrium, ...]

    def __repr__(self) -> str:
        return f"EquilibriumPath({len(self.times)} equilibria from {self.times[0]:g} s to {self.times[-1]:g} s)"

    def positions(self, body: str) -> Array:
        """Positions (n, 3) of a body's or marker's origin in the world, m."""
        return np.array([each.position(body) for each in self.equilibria])

    def coordinates(self, joint: str) -> Array:
        """Coordinates (n, m) of a joint, m and rad."""
        return np.array([each.evaluation.bodies.joint_values(joint)[0] for each in self.equilibria])

    def drives(self, joint: str) -> Array:
        """Efforts (n, m) of prescribed motions and motors along the speeds of a joint, N and N m."""
        return np.array([each.evaluation.reactions.drive(joint) for each in self.equilibria])

    def contact_forces(self, name: str) -> Array:
        """Forces (n, 3) of a contact on its first body, N, world axes; zeros where it does not touch."""
        found = (each.contact(name) for each in self.equilibria)
        return np.array([np.zeros(3) if each is None else each.force for each in found])

    def to_dict(self) -> dict[str, Any]:
        """Plain data of all equilibria, SI units."""
        return {"times": self.times.tolist(), "equilibria": [each.to_dict() for each in self.equilibria]}


def equilibrium_path(
    system: MultibodySystem,
    *,
    times: ArrayLike | Sequence[float],
    friction: FrictionAtRest = "as_described",
    tolerance: float = REST_RESIDUAL,
    max_steps: int = MOST_STEPS,
    progress: Callable[[int, int], object] | None = None,
) -> EquilibriumPath:
    """Find the rest at each of several increasing ``times`` (s), each from the one before: load steps.

    What changes slowly is written as a function of time: a prescribed motion drives a part along its way, an applied
    force grows. Friction that sticks remembers the way. Where the rest at a time is not found from the one before, the
    way between is halved up to five times. Other arguments as for `equilibrium`; ``progress``: called with the number
    of times done and of all.
    """
    steps = np.atleast_1d(checks.floats("equilibrium_path", "times", times, "s"))
    if steps.ndim != 1 or not len(steps) or not np.isfinite(steps).all() or not (np.diff(steps) > 0.0).all():
        raise MultibodyError(f"equilibrium_path: times are {times!r}; give increasing, finite numbers in s")
    found: list[Equilibrium] = []
    before: Equilibrium | None = None
    for i, time in enumerate(steps.tolist()):
        before = _next(system, before, time, (friction, tolerance, max_steps), MOST_DIVISIONS)
        found.append(before)
        if progress is not None:
            progress(i + 1, len(steps))
    return EquilibriumPath(steps, tuple(found))


def _next(
    system: MultibodySystem,
    before: Equilibrium | None,
    time: float,
    how: tuple[FrictionAtRest, float, int],
    divisions: int,
) -> Equilibrium:
    """The rest at a time, from that before; by way of a rest between where it is not found."""
    friction, tolerance, max_steps = how
    options: dict[str, Any] = {"friction": friction, "tolerance": tolerance, "max_steps": max_steps}
    try:
        return find_equilibrium(system, time=time, before=before, **options)
    except EquilibriumError as error:
        if before is None or divisions == 0:
            raise EquilibriumError(f"at t = {time:g} s: {error}", state=error.state) from error
    middle = _next(system, before, math.fsum((before.time, time)) / 2.0, how, divisions - 1)
    return _next(system, middle, time, how, divisions - 1)
