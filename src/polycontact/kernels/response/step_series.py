"""Step after step with rigid contact in one compiled call, from one sample to the next."""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.dynamics.contact_response import free_motion
from polycontact.kernels.dynamics.evaluation_views import Status
from polycontact.kernels.dynamics.right_hand_side import end, move
from polycontact.kernels.dynamics.step_length import longest_step
from polycontact.kernels.dynamics.stop_limits import is_beyond
from polycontact.kernels.dynamics.system_row import ROW, Row, system_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.response.codes import StepsEnd, StepStatus
from polycontact.kernels.response.following_steps import StepLength
from polycontact.kernels.response.moreau_step import find_points, find_velocities, moreau_step
from polycontact.kernels.response.step_views import RigidPoints, RigidRules, StepSeries, StepWork, step_at
from polycontact.kernels.views import Doubles
from polycontact.tolerances import LONG_STEP, SHORTEST_LIMIT, THICKNESS_SHARE


@kernel
def _accept(series: StepSeries, work: StepWork, unsolved: float, limit: float) -> None:
    """Count the step just made; ``limit`` (s) is what limited it."""
    whole = series.until - series.t
    series.t_old, series.lost_old = series.t, series.lost
    series.t = series.until if work.h == whole else series.t + work.h
    series.lost += work.lost
    series.made += 1
    series.limited += 1 if limit < series.step else 0
    series.solved = 0 if unsolved > 0.0 else series.solved + 1


@kernel
def _is_finite(work: StepWork) -> bool:
    """Whether all numbers of the state reached are finite."""
    total = 0.0
    for k in range(work.n_states):
        total += abs(work.reached[k])
    return math.isfinite(total)


@entry_kernel((ROW, ROW, types.float64, types.float64))
def limit_next_step(row: Row, step_row: Row, t: float, step: float) -> int:
    """How long the next step may be from the state reached at t (s) by a step (s); a `Status`.

    So long that no pair of bodies closes its gap and then moves a good part of the thinner one's thickness, by the
    accelerations without contacts.
    """
    s, series, work = system_at(row), step_at(step_row).series, step_at(step_row).work
    status = move(row, t, work.reached)
    if status != Status.WELL and status != Status.PREPARE_PAIR:  # where shapes lie is known without memory of pairs
        return status
    series.limit_before = series.limit
    series.limit = longest_step(row, s.bodies.acceleration, THICKNESS_SHARE)
    if step > LONG_STEP * min(series.limit_before, series.limit):
        series.ended |= StepsEnd.MEETING.value
    return end(s.ending, Status.WELL, 0)


@kernel
def _collides(rules: RigidRules, length: StepLength, points: RigidPoints, velocities: Doubles) -> bool:
    """Whether points approach faster than the rest speed; of contacts that are held, than twice that.

    These may close a gap while their motion bends.
    """
    for i in range(points.n):
        allowed = 2.0 * rules.rest_speed if length.held[points.pair[i]] == 1 else rules.rest_speed
        if velocities[3 * i] < -allowed:
            return True
    return False


@kernel
def _is_pressed(rules: RigidRules, points: RigidPoints, velocities: Doubles) -> bool:
    """Whether points approach, by the velocities (m/s) that they would have without contact forces."""
    fastest = 0.0
    for i in range(points.n):
        fastest = max(fastest, -velocities[3 * i])
    return fastest > rules.unpressed_speed


@entry_kernel((ROW, ROW, types.float64))
def look_whether_held(row: Row, step_row: Row, t: float) -> int:
    """Whether contacts hold bodies together at the state reached at t (s), into ``series.stays``; a status.

    They do where no bodies collide, and points would approach in the longest step, were there no contact forces.
    """
    s, step = system_at(row), step_at(step_row)
    work, points, rules, length = step.work, step.points, step.rules, step.length
    status = find_points(row, step_row, t, work.reached)
    if status != Status.WELL:
        return status
    step.series.stays = 0
    find_velocities(row, step_row, s.joints.v, work.before)
    if not _collides(rules, length, points, work.before):
        status = free_motion(row, t, 0.0, work.rates)
        if status != Status.WELL:
            return status
        for k in range(work.n_speeds):
            work.change[k] = s.joints.v[k] + length.longest * s.joints.rates[k]
        find_velocities(row, step_row, work.change, work.free)
        step.series.stays = 1 if _is_pressed(rules, points, work.free) else 0
    return end(s.ending, Status.WELL, 0)


@entry_kernel((ROW, ROW, types.int64))
def make_steps(row: Row, step_row: Row, resume: int) -> int:
    """Steps from the state in ``work.reached`` until Python must do something; a `Status` or `StepStatus`.

    Where it is WELL, ``series.ended`` tells what. Otherwise the call is repeated to ``resume`` the step at hand.
    """
    s, step = system_at(row), step_at(step_row)
    series, work = step.series, step.work
    while True:
        if resume == 0:
            if not series.t < min(series.stop_at, series.until):
                series.ended |= StepsEnd.REACHED.value
            elif series.made >= series.most:
                series.ended |= StepsEnd.PAUSED.value
            if series.ended != 0:
                return end(s.ending, Status.WELL, 0)
            work.t = series.t
            work.start[:] = work.reached
            series.is_made = 0
        # The step itself; a call that is repeated goes on in it where Python was asked.
        if series.is_made == 0:
            limit = max(series.limit, SHORTEST_LIMIT) if series.is_limited == 1 else math.inf
            status = moreau_step(row, step_row, series.until - series.t, min(series.step, limit), resume)
            if status != Status.WELL:
                return status
            if not _is_finite(work):
                return end(s.ending, StepStatus.BAD_STATE, 0)
            _accept(series, work, step.solves.left, limit)
            status = limit_next_step(row, step_row, series.t, work.h)
            if status != Status.WELL:
                return status
            series.is_made = 1
            series.seen |= s.contacts.seen
            if is_beyond(series.stops, s.bodies):
                series.ended |= StepsEnd.STOPS.value
            work.touched, step.gaps.known = 0, 0
        resume = 0
        if work.rebounds == 0:
            status = look_whether_held(row, step_row, series.t)
            if status != Status.WELL:
                return status
            if series.stays == 0:
                series.ended |= StepsEnd.LETS_GO.value
        if step.solves.left > 0.0:
            series.ended |= StepsEnd.UNSOLVED.value
