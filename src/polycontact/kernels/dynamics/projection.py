"""Projection of a state onto what holds exactly: closed loops and unit quaternions."""

from __future__ import annotations

import math
from typing import Any

from numba.core import types

from polycontact.kernels.dynamics.articulated import factorise
from polycontact.kernels.dynamics.body_kinematics import place_bodies, take_state
from polycontact.kernels.dynamics.joint_kinematics import coordinate_rates
from polycontact.kernels.dynamics.loop_closure import (
    add_responses,
    describe_constraints,
    factorise_loops,
    solve_multipliers,
)
from polycontact.kernels.dynamics.system_slots import (
    ASKED,
    BODY,
    BODY_COLUMNS,
    COUNT_Q,
    COUNT_V,
    DRIFT,
    FIRST_Q,
    FIRST_V,
    FREE,
    KIND,
    MOTION,
    N_BODIES,
    N_CONSTRAINTS,
    N_COORDINATES,
    N_SPEEDS,
    RATES,
    RIGHT_SIDE,
    SPHERICAL,
    STATE_Q,
    STATE_V,
    VIOLATION,
    WELL,
    Q,
)
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.memory import doubles, index_table

_ROW = types.Array(types.int64, 1, "C")
_STATE = types.Array(types.float64, 1, "C", readonly=True)
_OUT = types.Array(types.float64, 1, "C")


@kernel
def _normalise(kind: int, q: Any) -> None:
    """Unit length for the quaternion of a joint that has one."""
    if kind in (FREE, SPHERICAL):
        first = len(q) - 4
        total = 0.0
        for k in range(4):
            total += q[first + k] * q[first + k]
        for k in range(4):
            q[first + k] /= math.sqrt(total)


@kernel
def _shift_speeds(s: Any, change: Any, y: Any) -> None:
    body = index_table(s, BODY, s[N_BODIES], BODY_COLUMNS)
    for b in range(1, s[N_BODIES]):
        if body[b, MOTION] < 0:
            for k in range(body[b, COUNT_V]):
                y[body[b, STATE_V] + k] += change[body[b, FIRST_V] + k]


@kernel
def _shift_coordinates(s: Any, change: Any, y: Any) -> None:
    """Move along the joints as their speeds would in unit time; quaternions get unit length."""
    body = index_table(s, BODY, s[N_BODIES], BODY_COLUMNS)
    q = doubles(s, Q, s[N_COORDINATES])
    for b in range(1, s[N_BODIES]):
        if body[b, MOTION] >= 0:
            continue
        nq, nv, first_v = body[b, COUNT_Q], body[b, COUNT_V], body[b, FIRST_V]
        own = q[body[b, FIRST_Q] : body[b, FIRST_Q] + nq]
        at = body[b, STATE_Q]
        moved = y[at : at + nq]
        coordinate_rates(body[b, KIND], own, change[first_v : first_v + nv], moved)
        for k in range(nq):
            moved[k] += own[k]
        _normalise(body[b, KIND], moved)


@entry_kernel((_ROW, types.float64, _OUT))
def project_once(s: Any, t: float, y: Any) -> float:
    """One Newton step of coordinates and speeds in y onto the closed loops, least in the measure of kinetic energy.

    Returns the greatest violation (m, or the cosine of an angle) before the step.
    """
    take_state(s, t, y)
    place_bodies(s)
    describe_constraints(s)
    if factorise(s) != WELL:
        return math.inf
    m = s[N_CONSTRAINTS]
    violation, drift = doubles(s, VIOLATION, m), doubles(s, DRIFT, m)
    factorise_loops(s)
    change = doubles(s, RATES, s[N_SPEEDS])
    worst = 0.0
    for i in range(m):
        worst = max(worst, abs(violation[i]))
        doubles(s, RIGHT_SIDE, m)[i] = -drift[i]
    change[:] = 0.0
    solve_multipliers(s)
    add_responses(s, change)
    _shift_speeds(s, change, y)
    for i in range(m):
        doubles(s, RIGHT_SIDE, m)[i] = -violation[i]
    change[:] = 0.0
    solve_multipliers(s)
    add_responses(s, change)
    _shift_coordinates(s, change, y)
    return worst


@entry_kernel((_ROW, _OUT))
def normalise_quaternions(s: Any, y: Any) -> None:
    """Unit length for all quaternions in y: what they drift by changes no rotation."""
    body = index_table(s, BODY, s[N_BODIES], BODY_COLUMNS)
    for b in range(1, s[N_BODIES]):
        if body[b, MOTION] < 0:
            _normalise(body[b, KIND], y[body[b, STATE_Q] : body[b, STATE_Q] + body[b, COUNT_Q]])


@entry_kernel((_ROW, types.float64, _STATE))
def worst_violation(s: Any, t: float, y: Any) -> float:
    """Greatest violation of a loop (m, or the cosine of an angle) at a state; ASKED: the constraint."""
    take_state(s, t, y)
    place_bodies(s)
    describe_constraints(s)
    violation = doubles(s, VIOLATION, s[N_CONSTRAINTS])
    worst = 0.0
    s[ASKED] = 0
    for i in range(s[N_CONSTRAINTS]):
        if not abs(violation[i]) <= worst:
            worst = abs(violation[i])
            s[ASKED] = i
    return worst
