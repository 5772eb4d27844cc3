"""Is a step short because the motion asks for it, or because an explicit method would be unstable with a longer one?

The problem: at rest in contact nothing moves, but the contact is stiff and damped: the rates have a fast mode that has
long died out. An explicit method that made longer steps than about one over its rate would wake it up again.

In: the ends and the middle of a step, the order of the method, how often its iteration has not converged. Out: whether
the step was cut short by stability. All this is looked at once in some steps, and believed after several looks:

    the state ──> moved along a direction ──> change of the rates: the next direction (a power iteration)
                                              its growth in two looks: the fastest rate, 1/s

1. The iteration has failed so often that it must be what limits the steps: a method of Adams with functional iteration
   converges for h·λ below about 1 only.
2. The step times the fastest rate is at the limit of stability of the method, and the step is so straight that even a
   method of order one would make a longer one.
3. Otherwise accuracy limits the steps, or something else, and an implicit method would make about the same.

Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, section IV.2, look at the same product for DOPRI5;
their estimate of the rate comes from its stages, which are no help for methods of Adams.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.system_row import ROW, STATE, Row
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, count, doubles, number
from polycontact.tolerances import (
    FAILED_SHARE,
    FRESH_DIRECTION,
    LOOK_STEPS,
    PROBE,
    PROBE_SIZE,
    STRAIGHT_ADAMS,
    STRAIGHT_RUNGE_KUTTA,
    UNSTABLE_ADAMS,
    UNSTABLE_RUNGE_KUTTA,
)


class StiffnessWatch(View):
    """What is known of the stiffness of a problem that an explicit method integrates."""

    n = count("states")
    n_influencing = count("first states, on which alone the rates depend")
    is_runge_kutta = count("1 of DOPRI5, 0 of a method of Adams")
    most = count("looks that must find stiffness, more than find none, before it is told; 0: none are made")
    next_look = count("number of steps after which the next look is")
    steps_before = count("number of steps at the last one")
    failures_before = count("failures of the iteration until then")
    evaluations_before = count("evaluations until then")
    streak = count("looks that have found stiffness, less those since the first that have found none")
    evaluations_since = count("evaluations until the first of them")
    since = number("time of the first of them", unit="s")
    before = number("time of the last look", unit="s")
    growth = number("by how much the change of rates was longer than the direction in the last look", unit="1/s")
    rate = number("the fastest rate, as two looks have found it", unit="1/s")
    relative = number("relative tolerance")
    absolute = doubles("n", doc="absolute tolerances")
    direction = doubles("n", doc="where the state is moved, in parts of its size")
    moved = doubles("n", doc="the state, moved")
    moved_rates = doubles("n", doc="rates there")
    rates = doubles("n", doc="rates at the state")


watch_at = cast_to(StiffnessWatch)
"""``watch_at(row)``: the `StiffnessWatch` there."""


@inline_kernel
def _size_of(watch: StiffnessWatch, y: Array, i: int) -> float:
    """How large a state counts: no smaller than where its absolute tolerance takes over, at most 1 there."""
    return float(abs(y[i]) + min(watch.absolute[i] / watch.relative, PROBE_SIZE))


@kernel
def begin_watch(watch: StiffnessWatch, t: float, evaluations: int) -> None:
    """Nothing is known yet at t (s)."""
    watch.next_look = LOOK_STEPS
    watch.before = t
    watch.evaluations_before = evaluations
    watch.growth = 0.0
    watch.streak = 0
    for i in range(watch.n_influencing):
        watch.direction[i] = math.cos(i + 1.0)


@kernel
def aim(watch: StiffnessWatch, y: Array) -> None:
    """Move the state: its rates are wanted next, then those of y itself."""
    for i in range(watch.n):
        watch.moved[i] = y[i]
    for i in range(watch.n_influencing):
        watch.moved[i] += PROBE * _size_of(watch, y, i) * watch.direction[i]


@kernel
def _find_rate(watch: StiffnessWatch, y: Array) -> None:
    """A step of the power iteration, from rates at y and at the moved state.

    A coordinate changes the rate of its speed, a speed that of its coordinate: only two steps together tell a rate.
    """
    direction, total = watch.direction, 0.0
    for i in range(watch.n_influencing):
        direction[i] = (watch.moved_rates[i] - watch.rates[i]) / (PROBE * _size_of(watch, y, i))
        total += direction[i] * direction[i]
    growth = math.sqrt(total / max(watch.n_influencing, 1))
    watch.rate = math.sqrt(watch.growth * growth)
    watch.growth = growth
    total = 0.0
    for i in range(watch.n_influencing):
        # What became stiff a moment ago is hardly in the direction yet.
        direction[i] = (direction[i] / growth if growth > 0.0 else 0.0) + FRESH_DIRECTION * math.cos(i + 1.0)
        total += direction[i] * direction[i]
    length = math.sqrt(total / max(watch.n_influencing, 1))
    for i in range(watch.n_influencing):
        direction[i] /= length


@inline_kernel
def _bend(watch: StiffnessWatch, y_old: Array, middle: Array, y: Array) -> float:
    """Error of the implicit method of Euler in a step, h² |y''| / 2, in tolerances: how straight the step is."""
    total = 0.0
    for i in range(watch.n):
        weighted = (y_old[i] - 2.0 * middle[i] + y[i]) / (watch.relative * abs(y[i]) + watch.absolute[i])
        total += weighted * weighted
    return 2.0 * math.sqrt(total / watch.n)


@inline_kernel
def _is_cut_short(watch: StiffnessWatch, product: float, bend: float, order: int) -> bool:
    """Case 2: a step times the fastest rate and its bend, for the order of its method."""
    if watch.is_runge_kutta == 1:
        return product >= UNSTABLE_RUNGE_KUTTA and bend <= STRAIGHT_RUNGE_KUTTA
    limit = UNSTABLE_ADAMS[min(max(order, 1), len(UNSTABLE_ADAMS)) - 1]
    return product >= limit and bend <= STRAIGHT_ADAMS


@kernel
def judge(
    watch: StiffnessWatch,
    interval: tuple[float, float],
    counters: tuple[int, int, int, int],
    y_old: Array,
    middle: Array,
    y: Array,
) -> bool:
    """Whether stiffness is to be told after the step over an interval (s), with the rates that `aim` asked for.

    ``counters``: order of the step; steps, failures of the iteration and evaluations so far. Rates that are not finite
    tell nothing.
    """
    t_old, t = interval
    order, steps, failures, evaluations = counters
    _find_rate(watch, y)
    if not math.isfinite(watch.growth):
        begin_watch(watch, t, evaluations)
    fails = failures - watch.failures_before >= FAILED_SHARE * (steps - watch.steps_before)
    is_short = _is_cut_short(watch, (t - t_old) * watch.rate, _bend(watch, y_old, middle, y), order)
    if fails or is_short:
        if watch.streak == 0:
            watch.since, watch.evaluations_since = watch.before, watch.evaluations_before
        watch.streak += 1
    elif watch.streak > 0:
        watch.streak -= 1
    watch.before, watch.steps_before, watch.failures_before = t, steps, failures
    watch.evaluations_before = evaluations
    watch.next_look = steps + LOOK_STEPS
    return watch.streak >= watch.most


# For integrators in Python


@entry_kernel((ROW, types.float64, types.int64))
def begin_watch_at(row: Row, t: float, evaluations: int) -> None:
    """`begin_watch` for Python: nothing is known yet at t (s)."""
    begin_watch(watch_at(row), t, evaluations)


@entry_kernel((ROW, STATE))
def aim_at(row: Row, y: Array) -> None:
    """`aim` for Python: the state to evaluate stands in ``moved``."""
    aim(watch_at(row), y)


@entry_kernel((ROW, types.UniTuple(types.float64, 2), types.UniTuple(types.int64, 4), STATE, STATE, STATE))
def judge_at(
    row: Row,
    interval: tuple[float, float],
    counters: tuple[int, int, int, int],
    y_old: Array,
    middle: Array,
    y: Array,
) -> bool:
    """`judge` for Python: whether stiffness is to be told after the step over an interval (s)."""
    return judge(watch_at(row), interval, counters, y_old, middle, y)
