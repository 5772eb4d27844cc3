"""Steps of CVODE or IDA by the addresses of their C functions: one step, its interpolant, a new start.

A step that would go past its limit gets a stop time before it is tried. So that the step before a target leaves no
sliver, both are then of equal length. To look back into the last step moves nothing.

Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, 2005.
"""

from __future__ import annotations

import math
from enum import IntEnum

from numba import types

from polycontact.kernels.addresses import Interface, data_address
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.system_row import OUT, ROW, STATE, Row
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.stepping.difference_jacobian import Differences
from polycontact.kernels.stepping.equations import Answer, Equations, find_rates
from polycontact.kernels.stepping.stiffness_watch import StiffnessWatch, aim, judge
from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints, longs, nested, number, reference
from polycontact.tolerances import (
    FIRST_STEP_LONGEST_PART,
    FIRST_STEP_SAFETY,
    SAME_TIME,
    SECOND_OF_TWO,
    TRIAL_CHANGE,
)

ONE_STEP = 2
"""Task of CVode and IDASolve: return after a step."""
STOPPED = 1
"""They return that after a step that ends at the stop time."""

CVODE_STEP = Interface("int", ("long", "double", "long", "long", "int"))
"""CVode(memory, direction, reached, time, task)"""
IDA_STEP = Interface("int", ("long", "double", "long", "long", "long", "int"))
"""IDASolve(memory, direction, time, reached, slope, task)"""
GET = Interface("int", ("long", "long"))
"""get(memory, place of the number)"""
SET_TIME = Interface("int", ("long", "double"))
"""set(memory, t)"""
CLEAR = Interface("int", ("long",))
"""clear(memory)"""
LOOK_BACK = Interface("int", ("long", "double", "int", "long"))
"""dky(memory, t, derivative, vector)"""
CVODE_RESTART = Interface("int", ("long", "double", "long"))
"""CVodeReInit(memory, t, state)"""
IDA_RESTART = Interface("int", ("long", "double", "long", "long"))
"""IDAReInit(memory, t, state, slope)"""

_cvode_step, _ida_step, _get, _set_time = CVODE_STEP.caller(), IDA_STEP.caller(), GET.caller(), SET_TIME.caller()
_clear, _look_back, _cvode_restart = CLEAR.caller(), LOOK_BACK.caller(), CVODE_RESTART.caller()
_ida_restart = IDA_RESTART.caller()


class StepEnd(IntEnum):
    """How a step ended, and why the integrator stands where it stood where it was not made."""

    MADE = 0
    FAILED = 1  # the library gave it up: see ``flag``
    NO_TIME = 2  # time does not advance by a step as short as the limit
    RAISED = 3  # Python has raised an error
    STIFF = 4  # stiffness was noticed after the step before: see ``watch``


class SundialsFunctions(View):
    """Addresses of the C functions of CVODE, or those of IDA."""

    step = count("make a step")
    next_step = count("get the length of the next step")
    set_stop = count("set a stop time")
    clear_stop = count("clear it")
    look_back = count("interpolate in the last step")
    restart = count("begin anew")
    set_first_step = count("set the length of the first step")
    error_failures = count("get how often the error test has failed")
    solver_failures = count("get how often the nonlinear solver has failed so that the step was shortened")
    iterations = count("get the iterations of the nonlinear solver")
    order = count("get the order of the last step")
    data_of_vector = count("where the numbers of a vector lie")
    data_of_matrix = count("where the numbers of a dense matrix lie")


class SundialsSolver(View):
    """An integrator of SUNDIALS: where it stands, its last step and its counters."""

    place = count("address of this view")
    functions = nested(SundialsFunctions)
    equations = reference(Equations)
    differences = reference(Differences)
    watch = reference(StiffnessWatch)
    is_explicit = count("1 where stiffness is looked for")
    n = count("states")
    memory = count("address of the memory of CVODE or IDA")
    is_ida = count("1 of IDA")
    is_started = count("1 where the library has begun from the present state")
    is_fresh = count("1 until the first step from there is made")
    jacobian = count("address of the Jacobian, see `JACOBIAN`; 0 for functional iteration")
    jacobian_place = count("address of what it needs")
    blocks = count("address of the `Blocks` that it writes; 0 where it writes a dense matrix")
    flag = count("what the library returned last")
    is_unknown = count("1 after a step of CVODE to a stop time: it does not tell how long the next one will be")
    is_watched = count("1 while a step is tried whose length is not known")
    broken = count("attempts broken off before f was evaluated, as they went too far, since the library's last start")
    n_said = count("characters that fit into a message")
    said = ints("n_said", doc="the library's last message of an error, characters, then a zero")
    n_scratch = count("numbers that C functions write")
    scratch = longs("n_scratch", doc="those")
    steps = count("accepted steps")
    limited_steps = count("steps cut by the limit, or by a time that none goes past")
    restarts = count("new starts, after the first")
    jacobians = count("Jacobians worked out")
    error_failures = count("steps tried again, of earlier starts: the error test failed")
    solver_failures = count("the same: the nonlinear solver did not converge")
    iterations = count("iterations of the nonlinear solver, of earlier starts")
    order = count("order of the last step")
    t = number("time reached", unit="s")
    t_old = number("start of the last step", unit="s")
    end_time = number("no step goes past it", unit="s")
    stop = number("latest end of the step under way", unit="s")
    target = number("time that none goes past, from which it keeps a distance", unit="s")
    wanted = number("length of the attempt that was broken off", unit="s")
    first_step = number("step to try first after each start, 0 where the integrator chooses", unit="s")
    longest_step = number("no step is longer", unit="s")
    growing_part = number("a step cut to less than this part of what was wanted is followed by a new start")
    reached_at = inline(1, doc="time that the library wrote", unit="s")
    next_step = inline(1, doc="length that it has told of the next step", unit="s")
    y = doubles("n", doc="state reached")
    y_old = doubles("n", doc="state at the start of the last step")
    reached = doubles("n", doc="numbers of the vector that a step writes")
    slope = doubles("n", doc="numbers of the vector of rates, of IDA")
    looked = doubles("n", doc="numbers of the vector that looking back writes")
    absolute = doubles("n", doc="absolute tolerances as the library has them")
    relative = number("relative tolerance as the library has it")
    reached_vector = count("address of the vector of ``reached``")
    slope_vector = count("address of the vector of ``slope``")
    looked_vector = count("address of the vector of ``looked``")


solver_at = cast_to(SundialsSolver)
"""``solver_at(row or place)``: the `SundialsSolver` there."""


@inline_kernel
def resolution(solver: SundialsSolver) -> float:
    """Differences of time up to this (s) are rounding."""
    return SAME_TIME * max(abs(solver.t), abs(solver.end_time))


@inline_kernel
def _spread(solver: SundialsSolver, stop: float, next_step: float, target: float) -> float:
    """``stop`` (s), or half the way to the target where ``next_step`` (s) would leave less than itself."""
    length = min(next_step, stop - solver.t)
    remaining = target - solver.t
    if (1.0 + SECOND_OF_TWO) * length < remaining < 2.0 * length:
        return solver.t + 0.5 * remaining
    return stop


@inline_kernel
def _number(solver: SundialsSolver, function: int) -> int:
    """A number that the library counts."""
    solver.scratch[0] = 0
    _get(function, solver.memory, data_address(solver.scratch))
    return int(solver.scratch[0])


@kernel
def _take_counters(solver: SundialsSolver) -> None:
    """Keep what the library has counted since its last start: it forgets that at the next."""
    solver.error_failures += _number(solver, solver.functions.error_failures)
    solver.solver_failures += _number(solver, solver.functions.solver_failures) - solver.broken
    solver.broken = 0
    solver.iterations += _number(solver, solver.functions.iterations)


@inline_kernel
def _size(solver: SundialsSolver, values: Array) -> float:
    """Root of the mean square of numbers over what is allowed of each state."""
    total = 0.0
    for i in range(solver.n):
        weighted = values[i] / (solver.relative * abs(solver.y[i]) + solver.absolute[i])
        total += weighted * weighted
    return math.sqrt(total / solver.n)


@kernel
def find_first_step(solver: SundialsSolver, longest: float) -> float:
    """A step (s) of a method of order one whose error h² |y''| / 2 is below the tolerances; one evaluation.

    The rates at the state are in ``slope``; the step may be ``longest`` (s). The idea is that of CVODE's and of
    Hairer's choice: y'' from a short explicit step.
    """
    slope, trial_state, change = solver.slope, solver.differences.perturbed, solver.differences.changed
    speed = _size(solver, slope)
    trial = FIRST_STEP_LONGEST_PART * longest
    if speed > 0.0:
        trial = min(TRIAL_CHANGE * max(_size(solver, solver.y), 1.0) / speed, trial)
    for i in range(solver.n):
        trial_state[i] = solver.y[i] + trial * slope[i]
    answer = find_rates(solver.equations, solver.t + trial, trial_state, change)
    for i in range(solver.n):
        change[i] -= slope[i]
    curvature = _size(solver, change) / trial
    if answer != Answer.WELL or not math.isfinite(curvature):
        solver.equations.is_not_finite = 0
        return TRIAL_CHANGE * trial
    if curvature * longest * longest <= 2.0:
        return FIRST_STEP_LONGEST_PART * longest
    return min(FIRST_STEP_SAFETY * math.sqrt(2.0 / curvature), FIRST_STEP_LONGEST_PART * longest)


@kernel
def _start(solver: SundialsSolver) -> int:
    """Begin from the present state; an `Answer`."""
    functions = solver.functions
    _take_counters(solver)
    solver.is_started = 0
    solver.reached[:] = solver.y
    if solver.is_ida == 0:
        _cvode_restart(functions.restart, solver.memory, solver.t, solver.reached_vector)
    else:
        # IDA's own first step is very short.
        answer = find_rates(solver.equations, solver.t, solver.y, solver.slope)
        if answer != Answer.WELL:
            return answer
        first = solver.first_step
        longest = min(solver.stop - solver.t, solver.longest_step)
        if first == 0.0:
            first = find_first_step(solver, longest)
        _ida_restart(functions.restart, solver.memory, solver.t, solver.reached_vector, solver.slope_vector)
        _set_time(functions.set_first_step, solver.memory, min(first, longest))
    solver.is_started = 1
    solver.is_fresh = 1
    solver.is_unknown = 0
    return Answer.WELL.value


@inline_kernel
def _accept(solver: SundialsSolver, t: float) -> None:
    """The state in ``reached``, at t (s), ends a step."""
    solver.t_old = solver.t
    solver.y_old[:] = solver.y
    solver.t = t
    solver.y[:] = solver.reached
    solver.steps += 1
    if abs(solver.equations.last_time - t) <= resolution(solver):
        solver.equations.last_time = t  # a step to a stop time comes near it but for rounding
    if t >= solver.stop:
        solver.limited_steps += 1


@inline_kernel
def latest_end(solver: SundialsSolver, wanted: float) -> float:
    """Where a step that would be ``wanted`` (s) long must end at the latest, s; infinite where it may end by itself."""
    latest = _spread(solver, solver.stop, wanted, solver.target)
    # Only with a stop time a step that nearly meets it is made to end there.
    return latest if solver.t + wanted > latest - resolution(solver) else math.inf


@kernel
def goes_too_far(solver: SundialsSolver, t: float) -> bool:
    """Whether an attempt that would end at t (s) is to be broken off, which CVODE did not tell before."""
    if solver.is_watched == 0 or not t > solver.t:
        return False
    solver.is_watched = 0
    if latest_end(solver, t - solver.t) == math.inf:
        return False
    solver.wanted = t - solver.t
    solver.broken += 1
    return True


@kernel
def _set_stop(solver: SundialsSolver, wanted: float) -> float:
    """Give the library a stop time where a step ``wanted`` (s) long, or not known before (nan), must be cut.

    Returns the length (s) of a step that is cut, or 0.
    """
    functions = solver.functions
    latest = solver.stop if math.isnan(wanted) else latest_end(solver, wanted)
    if latest == math.inf:
        _clear(functions.clear_stop, solver.memory)
        return 0.0
    _set_time(functions.set_stop, solver.memory, latest)
    return 0.0 if math.isnan(wanted) else wanted


@kernel
def _try_step(solver: SundialsSolver) -> int:
    """Let the library make a step: what it returns, with the time in ``reached_at``."""
    step, memory, reached_at = solver.functions.step, solver.memory, data_address(solver.reached_at)
    if solver.is_ida == 0:
        return int(_cvode_step(step, memory, solver.stop, solver.reached_vector, reached_at, ONE_STEP))
    return int(_ida_step(step, memory, solver.stop, reached_at, solver.reached_vector, solver.slope_vector, ONE_STEP))


@kernel
def _advance(solver: SundialsSolver) -> float:
    """One step of the library, which ends at ``stop`` or before: the length (s) of a step that was cut, or 0."""
    if solver.is_fresh == 1:
        cut = _set_stop(solver, math.nan)
    elif solver.is_unknown == 0:
        _get(solver.functions.next_step, solver.memory, data_address(solver.next_step))
        cut = _set_stop(solver, solver.next_step[0])
    else:
        broken = solver.broken
        _clear(solver.functions.clear_stop, solver.memory)
        solver.is_watched = 1
        solver.flag = _try_step(solver)
        solver.is_watched = 0
        if solver.broken == broken:
            return 0.0
        cut = _set_stop(solver, solver.wanted)
    solver.flag = _try_step(solver)
    return cut


@kernel
def _look_for_stiffness(solver: SundialsSolver) -> int:
    """Whether the steps before this one were cut short by stability; a `StepEnd`, ``MADE`` for no.

    The rates at the state come last: they and their loads are as after the step itself.
    """
    watch, equations = solver.watch, solver.equations
    aim(watch, solver.y)
    answer = find_rates(equations, solver.t, watch.moved, watch.moved_rates)
    if answer != Answer.RAISED:
        answer = find_rates(equations, solver.t, solver.y, watch.rates)
    if answer == Answer.RAISED:
        return StepEnd.RAISED.value
    middle = 0.5 * (solver.t_old + solver.t)
    _look_back(solver.functions.look_back, solver.memory, middle, 0, solver.looked_vector)
    functions = solver.functions
    failures = solver.solver_failures + _number(solver, functions.solver_failures) - solver.broken
    counters = _number(solver, functions.order), solver.steps, failures, equations.evaluations
    if judge(watch, (solver.t_old, solver.t), counters, solver.y_old, solver.looked, solver.y):
        solver.is_explicit = 0
        return StepEnd.STIFF.value
    return StepEnd.MADE.value


@kernel
def make_step(solver: SundialsSolver, limit: float, until: float) -> int:
    """Make one step, not longer than ``limit`` and not past ``until`` or the end time (s); a `StepEnd`.

    A step that one of them cuts ends exactly there. A step below the resolution of time changes nothing but the time,
    and the history is forgotten. Where stiffness is noticed, no step is made: it is told once.
    """
    if solver.is_explicit == 1 and solver.is_started == 1 and solver.steps >= solver.watch.next_look:
        found = _look_for_stiffness(solver)
        if found != StepEnd.MADE:
            return found
    solver.target = min(until, solver.end_time)
    solver.stop = solver.t + limit
    if solver.stop >= solver.target - resolution(solver):  # leave no rest that is only rounding
        solver.stop = solver.target
    elif not solver.stop > solver.t:
        return StepEnd.NO_TIME.value
    if solver.stop - solver.t <= resolution(solver):
        solver.is_started = 0
        solver.reached[:] = solver.y
        _accept(solver, solver.stop)
        return StepEnd.MADE.value
    solver.equations.is_not_finite = 0
    solver.differences.from_time = solver.t
    solver.flag = 0
    if solver.is_started == 1 or _start(solver) == Answer.WELL:
        cut = _advance(solver)
        if solver.flag >= 0 and solver.reached_at[0] > solver.t:
            solver.is_fresh = 0
            solver.is_unknown = 1 if solver.flag == STOPPED and solver.is_ida == 0 else 0
            _accept(solver, solver.reached_at[0])
            if solver.t - solver.t_old < solver.growing_part * cut:
                solver.is_started = 0
            return StepEnd.MADE.value
    solver.is_started = 0
    solver.t_old = solver.t
    solver.y_old[:] = solver.y
    return StepEnd.RAISED.value if solver.equations.has_raised == 1 else StepEnd.FAILED.value


@kernel
def look_back(solver: SundialsSolver, t: float, out: Array) -> None:
    """The state at t (s) in the last step, its ends included, from the library's own polynomial."""
    out[:] = solver.y
    if t == solver.t_old:
        out[:] = solver.y_old
    elif t != solver.t and solver.t - solver.t_old > resolution(solver):
        _look_back(solver.functions.look_back, solver.memory, t, 0, solver.looked_vector)
        out[:] = solver.looked


@kernel
def begin_anew(solver: SundialsSolver, t: float, y: Array) -> None:
    """Go on from t (s) and y, without history."""
    solver.t = t
    solver.t_old = t
    solver.y[:] = y
    solver.y_old[:] = y
    solver.is_started = 0
    solver.restarts += 1


@entry_kernel((ROW, types.float64, types.float64))
def step_once(row: Row, limit: float, until: float) -> int:
    """`make_step` for Python."""
    return make_step(solver_at(row), limit, until)


@entry_kernel((ROW, types.float64, OUT))
def state_at(row: Row, t: float, out: Array) -> None:
    """`look_back` for Python."""
    look_back(solver_at(row), t, out)


@entry_kernel((ROW, types.float64, STATE))
def go_on_from(row: Row, t: float, y: Array) -> None:
    """`begin_anew` for Python."""
    begin_anew(solver_at(row), t, y)


@entry_kernel((ROW,))
def count_all(row: Row) -> tuple[int, int]:
    """Steps tried again and iterations of the nonlinear solver so far, of all starts."""
    solver = solver_at(row)
    functions = solver.functions
    failures = solver.error_failures + _number(solver, functions.error_failures)
    failures += solver.solver_failures + _number(solver, functions.solver_failures) - solver.broken
    return failures, solver.iterations + _number(solver, functions.iterations)
