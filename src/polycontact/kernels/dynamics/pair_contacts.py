"""Contacts of the system: kinematics of each near pair, its evaluation, and the wrench on both bodies."""

from __future__ import annotations

from typing import Any

from polycontact.kernels.dynamics.broad_phase import find_near_pairs, place_shapes
from polycontact.kernels.dynamics.matrices import (
    add_vector,
    product,
    store_matrix,
    store_vector,
    transposed,
)
from polycontact.kernels.dynamics.system_slots import (
    APPLIED,
    ASKED,
    E_CONTACT,
    ENERGIES,
    EVALUATE,
    HEED_PAIR,
    N_BODIES,
    N_ENERGIES,
    N_NEAR,
    N_PAIRS,
    N_POWERS,
    N_SHAPES,
    NEAR,
    P_CONTACT,
    P_CONTACT_DAMPING,
    P_FRICTION,
    PAIR_KINEMATICS,
    PAIR_ROWS,
    PAIR_STATUS,
    PAIR_SUMMARY,
    PAIR_WRENCHES,
    PAIRS,
    POSES,
    POWERS,
    PREPARE_PAIR,
    SHAPE_POSES,
    SHAPES,
    WELL,
)
from polycontact.kernels.frames import apply, apply_transposed, load_matrix, load_vector
from polycontact.kernels.jit import kernel
from polycontact.kernels.memory import (
    BAD_KINEMATICS,
    DAMPING_POWER,
    ENERGY,
    FRICTION_POWER,
    N_SLOTS,
    N_SUMMARY,
    OVERFLOW,
    SUMMARY,
    call_address,
    doubles,
    index_table,
    indices,
    row_at,
    stamps,
    table,
)
from polycontact.kernels.vectors import add, cross, dot, scale, sub


@kernel
def prepare_contacts(s: Any) -> int:
    """Find the near pairs and their kinematics; PREPARE_PAIR where one of them has no memory yet."""
    _clear_results(s)
    place_shapes(s)
    find_near_pairs(s)
    rows = stamps(s, PAIR_ROWS, s[N_PAIRS])
    near = indices(s, NEAR, s[N_PAIRS])
    for i in range(s[N_NEAR]):
        if rows[near[i]] == 0:
            s[ASKED] = near[i]
            return PREPARE_PAIR
        _relative_kinematics(s, near[i])
    return WELL


@kernel
def _clear_results(s: Any) -> None:
    """Forget the results of the pairs that were near before; all others are zero already."""
    n = s[N_PAIRS]
    near = indices(s, NEAR, n)
    status = indices(s, PAIR_STATUS, n)
    summary = table(s, PAIR_SUMMARY, n, N_SUMMARY)
    wrenches = table(s, PAIR_WRENCHES, n, 6)
    for i in range(s[N_NEAR]):
        pair = near[i]
        status[pair] = 0
        for k in range(N_SUMMARY):
            summary[pair, k] = 0.0
        for k in range(6):
            wrenches[pair, k] = 0.0


@kernel
def _relative_kinematics(s: Any, pair: int) -> None:
    """Pose and velocity of F in E (S0.21), from those of both in the world."""
    pairs = index_table(s, PAIRS, s[N_PAIRS], 2)
    placed = table(s, SHAPE_POSES, s[N_SHAPES], 18)
    out = table(s, PAIR_KINEMATICS, s[N_PAIRS], 18)[pair]
    e, f = placed[pairs[pair, 0]], placed[pairs[pair, 1]]
    R_E = load_matrix(e, 0)
    d = sub(load_vector(f, 9), load_vector(e, 9))
    w_E = load_vector(e, 15)
    v = sub(sub(load_vector(f, 12), load_vector(e, 12)), cross(w_E, d))
    store_matrix(out, 0, product(transposed(R_E), load_matrix(f, 0)))
    store_vector(out, 9, apply_transposed(R_E, d))
    store_vector(out, 12, apply_transposed(R_E, v))
    store_vector(out, 15, apply_transposed(R_E, sub(load_vector(f, 15), w_E)))


@kernel
def evaluate_pair(s: Any, pair: int) -> None:
    """Wrench and summary of one pair; touches nothing of other pairs."""
    rows = stamps(s, PAIR_ROWS, s[N_PAIRS])
    kinematics = table(s, PAIR_KINEMATICS, s[N_PAIRS], 18)
    wrenches = table(s, PAIR_WRENCHES, s[N_PAIRS], 6)
    status = call_address(s[EVALUATE], rows[pair], kinematics[pair].ctypes.data, wrenches[pair].ctypes.data)
    indices(s, PAIR_STATUS, s[N_PAIRS])[pair] = status
    found = doubles(row_at(rows[pair], N_SLOTS), SUMMARY, N_SUMMARY)
    summary = table(s, PAIR_SUMMARY, s[N_PAIRS], N_SUMMARY)
    for k in range(N_SUMMARY):
        summary[pair, k] = found[k]


@kernel
def evaluate_pairs(s: Any) -> None:
    """All near pairs, one after the other."""
    near = indices(s, NEAR, s[N_PAIRS])
    for i in range(s[N_NEAR]):
        evaluate_pair(s, near[i])


@kernel
def apply_contacts(s: Any) -> int:
    """Add the wrenches to both bodies, in the order of the pairs; HEED_PAIR where an evaluation needs attention."""
    n = s[N_PAIRS]
    near = indices(s, NEAR, n)
    status = indices(s, PAIR_STATUS, n)
    summary = table(s, PAIR_SUMMARY, n, N_SUMMARY)
    energies = doubles(s, ENERGIES, N_ENERGIES)
    powers = doubles(s, POWERS, N_POWERS)
    for i in range(s[N_NEAR]):
        pair = near[i]
        if status[pair] & (OVERFLOW | BAD_KINEMATICS):
            s[ASKED] = pair
            return HEED_PAIR
        powers[P_CONTACT] += _apply_wrench(s, pair)
        powers[P_CONTACT_DAMPING] += summary[pair, DAMPING_POWER]
        powers[P_FRICTION] += summary[pair, FRICTION_POWER]
        energies[E_CONTACT] += summary[pair, ENERGY]
    return WELL


@kernel
def _apply_wrench(s: Any, pair: int) -> float:
    """Put a pair's wrench on both bodies; returns its power on them, W."""
    pairs = index_table(s, PAIRS, s[N_PAIRS], 2)
    bodies = indices(s, SHAPES, s[N_SHAPES])
    placed = table(s, SHAPE_POSES, s[N_SHAPES], 18)
    poses = table(s, POSES, s[N_BODIES], 12)
    applied = table(s, APPLIED, s[N_BODIES], 6)
    wrench = table(s, PAIR_WRENCHES, s[N_PAIRS], 6)[pair]
    kinematics = table(s, PAIR_KINEMATICS, s[N_PAIRS], 18)[pair]
    e, f = pairs[pair, 0], pairs[pair, 1]
    R_E = load_matrix(placed[e], 0)
    at = load_vector(placed[f], 9)
    force = apply(R_E, load_vector(wrench, 0))
    torque = apply(R_E, load_vector(wrench, 3))
    for body, sign in ((bodies[e], 1.0), (bodies[f], -1.0)):
        arm = sub(at, load_vector(poses[body], 9))
        add_vector(applied[body], 0, scale(sign, add(torque, cross(arm, force))))
        add_vector(applied[body], 3, scale(sign, force))
    return -dot(load_vector(wrench, 0), load_vector(kinematics, 12)) - dot(
        load_vector(wrench, 3), load_vector(kinematics, 15)
    )
