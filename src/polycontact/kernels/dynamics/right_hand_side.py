"""The right-hand side dy/dt = f(t, y) of a multibody system in one call: kinematics, contacts, dynamics (S1.11).

y holds the coordinates and the speeds of all joints whose motion is not prescribed, the states of force elements, and
the integrals of the energy ledger.
"""

from __future__ import annotations

from typing import Any

from numba import prange
from numba.core import types

from polycontact.kernels.dynamics.articulated import factorise, power_of_motions, solve
from polycontact.kernels.dynamics.body_kinematics import place_bodies, take_state
from polycontact.kernels.dynamics.force_elements import apply_forces
from polycontact.kernels.dynamics.joint_kinematics import coordinate_rates, pull_to_unit_length
from polycontact.kernels.dynamics.loop_closure import (
    close_loops,
)
from polycontact.kernels.dynamics.pair_contacts import (
    apply_contacts,
    evaluate_pair,
    evaluate_pairs,
    prepare_contacts,
)
from polycontact.kernels.dynamics.system_slots import (
    APPLIED,
    ASKED,
    BODY,
    BODY_COLUMNS,
    COUNT_Q,
    COUNT_V,
    EFFORTS,
    FIRST_Q,
    FIRST_V,
    KIND,
    LEDGER,
    MOTION,
    N_BODIES,
    N_CONSTRAINTS,
    N_COORDINATES,
    N_NEAR,
    N_PAIRS,
    N_POWERS,
    N_SPEEDS,
    NEAR,
    NOT_FINITE,
    P_INPUT,
    POWERS,
    RATES,
    STATE_Q,
    STATE_V,
    WELL,
    Q,
    V,
)
from polycontact.kernels.jit import entry_kernel, kernel, parallel_kernel
from polycontact.kernels.memory import doubles, index_table, indices, table

_ROW = types.Array(types.int64, 1, "C")
_STATE = types.Array(types.float64, 1, "C", readonly=True)
_OUT = types.Array(types.float64, 1, "C")


@kernel
def _is_finite(s: Any) -> bool:
    """Whether coordinates and speeds are numbers; ASKED: the body whose are not."""
    q = doubles(s, Q, s[N_COORDINATES])
    v = doubles(s, V, s[N_SPEEDS])
    body = index_table(s, BODY, s[N_BODIES], BODY_COLUMNS)
    for b in range(1, s[N_BODIES]):
        total = 0.0
        for k in range(body[b, COUNT_Q]):
            total += abs(q[body[b, FIRST_Q] + k])
        for k in range(body[b, COUNT_V]):
            total += abs(v[body[b, FIRST_V] + k])
        if not total < 1e150:
            s[ASKED] = b
            return False
    return True


@entry_kernel((_ROW, types.float64, _STATE))
def move(s: Any, t: float, y: Any) -> int:
    """Poses and velocities of bodies and shapes, near pairs and their kinematics; a status."""
    take_state(s, t, y)
    if not _is_finite(s):
        return NOT_FINITE
    place_bodies(s)
    return prepare_contacts(s)


@entry_kernel((_ROW,))
def touch(s: Any) -> int:
    """Evaluate the near pairs, one after the other."""
    evaluate_pairs(s)
    return WELL


@parallel_kernel((_ROW,))
def touch_parallel(s: Any) -> int:
    """Evaluate the near pairs in several threads: each writes its own results only, so the bits are the same."""
    near = indices(s, NEAR, s[N_PAIRS])
    for i in prange(s[N_NEAR]):
        evaluate_pair(s, near[i])
    return WELL


@kernel
def _write_rates(s: Any, rates: Any, out: Any) -> None:
    body = index_table(s, BODY, s[N_BODIES], BODY_COLUMNS)
    q = doubles(s, Q, s[N_COORDINATES])
    v = doubles(s, V, s[N_SPEEDS])
    for b in range(1, s[N_BODIES]):
        if body[b, MOTION] >= 0:
            continue
        nq, nv, first_v = body[b, COUNT_Q], body[b, COUNT_V], body[b, FIRST_V]
        at_q, at_v = body[b, STATE_Q], body[b, STATE_V]
        own_q = q[body[b, FIRST_Q] : body[b, FIRST_Q] + nq]
        own_v = v[first_v : first_v + nv]
        coordinate_rates(body[b, KIND], own_q, own_v, out[at_q : at_q + nq])
        pull_to_unit_length(body[b, KIND], own_q, own_v, out[at_q : at_q + nq])
        for k in range(nv):
            out[at_v + k] = rates[first_v + k]
    powers = doubles(s, POWERS, N_POWERS)
    for k in range(N_POWERS):
        out[s[LEDGER] + k] = powers[k]


@entry_kernel((_ROW, types.float64, _OUT))
def accelerate(s: Any, t: float, out: Any) -> int:
    """Sum up the forces, find the accelerations and write dy/dt of joints and ledger; a status."""
    apply_forces(s, t)
    status = apply_contacts(s)
    if status != WELL:
        return status
    status = factorise(s)
    if status != WELL:
        return status
    rates = doubles(s, RATES, s[N_SPEEDS])
    solve(s, table(s, APPLIED, s[N_BODIES], 6), doubles(s, EFFORTS, s[N_SPEEDS]), 1.0, rates)
    if s[N_CONSTRAINTS] > 0:
        close_loops(s)
    powers = doubles(s, POWERS, N_POWERS)
    powers[P_INPUT] += power_of_motions(s)
    _write_rates(s, rates, out)
    return WELL


@entry_kernel((_ROW, types.float64, _STATE, _OUT))
def right_hand_side(s: Any, t: float, y: Any, out: Any) -> int:
    """dy/dt into ``out``; a status: 0, or what Python must do before the call is repeated (see memory)."""
    status = move(s, t, y)
    if status != WELL:
        return status
    evaluate_pairs(s)
    return accelerate(s, t, out)


@entry_kernel((_ROW, types.float64, _STATE, _OUT))
def right_hand_side_parallel(s: Any, t: float, y: Any, out: Any) -> int:
    """`right_hand_side` with contacts evaluated in several threads."""
    status = move(s, t, y)
    if status != WELL:
        return status
    touch_parallel(s)
    return accelerate(s, t, out)
