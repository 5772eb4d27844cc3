"""One evaluation of a contact pairing: the paper's three steps in order (section 3, S0.24)."""

from __future__ import annotations

import math
from typing import Any

from numba.core import types

from polycontact.kernels.active import find_active_area, order_segments
from polycontact.kernels.coherence import update_candidates
from polycontact.kernels.containment import find_contained
from polycontact.kernels.detection import detect_collision, roots_overlap
from polycontact.kernels.elements import generate_elements
from polycontact.kernels.jit import address_of, entry_kernel, kernel
from polycontact.kernels.law import element_forces
from polycontact.kernels.lines import generate_from_lines
from polycontact.kernels.memory import (
    BAD_KINEMATICS,
    BASE,
    BV_CHECKS,
    DRIFT,
    EVALUATIONS,
    GENERATOR,
    LINE_CHECKS,
    MAX_PENETRATION,
    N_CANDIDATES,
    N_CUT,
    N_ELEMENTS,
    N_INNER,
    N_PARAMETERS,
    N_SEGMENTS,
    N_SLOTS,
    N_SUMMARY,
    OVERFLOW,
    PAD,
    PARAMETERS,
    POSE,
    POSE_LENGTH,
    REACH,
    REBUILDS,
    STAMP,
    STATUS,
    SUMMARY,
    TRIANGLE_CHECKS,
    E,
    F,
    call_address,
    doubles,
    doubles_at,
    row_at,
)
from polycontact.kernels.vectors import cross
from polycontact.tolerances import CULLING_MARGIN, ROTATION_TOLERANCE

# Types of the entries: kinematics may be read-only.
_ROW = types.Array(types.int64, 1, "C")
_ADDRESSES = types.Array(types.int64, 1, "C")
_VECTOR = types.Array(types.float64, 1, "C", readonly=True)
_MATRIX = types.Array(types.float64, 2, "C", readonly=True)
_OUT = types.Array(types.float64, 1, "C")
_OUTS = types.Array(types.float64, 2, "C")

_TOO_FAR = 1e150  # squares of larger numbers overflow


@kernel
def _drift(R: Any, r: Any, v: Any, w: Any) -> float:
    """How far R is from a proper rotation (largest component of RᵀR - 1); infinite where something is not finite."""
    largest = 0.0
    for i in range(3):
        if not (abs(r[i]) < _TOO_FAR and abs(v[i]) < _TOO_FAR and abs(w[i]) < _TOO_FAR):
            return math.inf
        for j in range(3):
            product = R[0, i] * R[0, j] + R[1, i] * R[1, j] + R[2, i] * R[2, j]
            deviation = abs(product - (1.0 if i == j else 0.0))
            if not deviation < 1.0:
                return math.inf
            largest = max(largest, deviation)
    n = cross((R[0, 0], R[1, 0], R[2, 0]), (R[0, 1], R[1, 1], R[2, 1]))
    return largest if n[0] * R[0, 2] + n[1] * R[1, 2] + n[2] * R[2, 2] > 0.0 else math.inf


@kernel
def _begin(p: Any, R: Any, r: Any, v: Any, w: Any, out: Any) -> None:
    """Take over the kinematics and reset results and counters."""
    pose = doubles(p, POSE, POSE_LENGTH)
    for i in range(3):
        for j in range(3):
            pose[3 * i + j] = R[i, j]
        pose[9 + i] = r[i]
        pose[12 + i] = v[i]
        pose[15 + i] = w[i]
        out[i] = 0.0
        out[3 + i] = 0.0
    p[STAMP] += 1
    p[EVALUATIONS] += 1
    p[STATUS] = 0
    p[N_SEGMENTS] = 0
    p[N_ELEMENTS] = 0
    p[BV_CHECKS] = 1
    p[TRIANGLE_CHECKS] = 0
    p[LINE_CHECKS] = 0
    p[REBUILDS] = 0
    summary = doubles(p, SUMMARY, N_SUMMARY)
    for i in range(N_SUMMARY):
        summary[i] = 0.0
    p[E + N_CUT] = 0
    p[F + N_CUT] = 0
    p[E + N_INNER] = 0
    p[F + N_INNER] = 0


@kernel
def _generate_from_polygons(p: Any) -> None:
    """Collision detection, active areas, elements (sections 3.1 and 3.2)."""
    update_candidates(p)
    if p[STATUS] & OVERFLOW:
        return
    detect_collision(p)
    if p[STATUS] & OVERFLOW:
        return
    if p[N_SEGMENTS] > 0:
        order_segments(p)
        find_active_area(p, E)
        find_active_area(p, F)
        if p[BASE] != 1:
            generate_elements(p, E)
        if p[BASE] != 0:
            generate_elements(p, F)
    find_contained(p)


@kernel
def _generate_from_lines(p: Any) -> None:
    if p[BASE] != 1:
        generate_from_lines(p, E)
    if p[BASE] != 0:
        generate_from_lines(p, F)


@entry_kernel((_ROW, _MATRIX, _VECTOR, _VECTOR, _VECTOR, _OUT, types.boolean))
def evaluate(p: Any, R: Any, r: Any, v: Any, w: Any, out: Any, keep: bool) -> int:
    """Wrench on E at marker F into ``out`` (force, torque; N, N m) for the pose and velocity of F in E.

    ``p``: the row of slots of a pairing. ``keep``: also keep the forces of the elements. Returns the status bits;
    with an OVERFLOW bit the wrench is not valid and a buffer must be enlarged.
    """
    _begin(p, R, r, v, w, out)
    drift = _drift(R, r, v, w)
    pose = doubles(p, POSE, POSE_LENGTH)
    pose[DRIFT] = drift
    pose[PAD] = (CULLING_MARGIN + 4.0 * drift) * doubles(p, PARAMETERS, N_PARAMETERS)[REACH]
    if not drift < ROTATION_TOLERANCE:
        for i in range(6):
            out[i] = math.nan
        p[STATUS] = BAD_KINEMATICS
        return BAD_KINEMATICS
    margin = 0.0
    if p[GENERATOR] == 1:
        margin = doubles(p, PARAMETERS, N_PARAMETERS)[MAX_PENETRATION]
    if not roots_overlap(p, margin):
        p[N_CANDIDATES] = 0 if p[GENERATOR] == 1 else p[N_CANDIDATES]
        return 0
    if p[GENERATOR] == 0:
        _generate_from_polygons(p)
    else:
        _generate_from_lines(p)
    if p[N_ELEMENTS] > 0 and not p[STATUS] & OVERFLOW:
        element_forces(p, out, keep)
    return int(p[STATUS])


@entry_kernel((types.int64, types.int64, types.int64))
def evaluate_at(row: int, kinematics: int, wrench: int) -> int:
    """`evaluate` by addresses: the row of a pairing, rotation, position, velocity and angular velocity of F in E
    (18 numbers), and six numbers for the wrench.
    """
    p = row_at(row, N_SLOTS)
    pose = doubles_at(kinematics, 18)
    out = doubles_at(wrench, 6)
    R = pose[:9].reshape((3, 3))
    return evaluate(p, R, pose[9:12], pose[12:15], pose[15:18], out, False)


EVALUATE_AT = address_of(evaluate_at)
"""Address of `evaluate_at`, for `call_address`."""


@entry_kernel((types.int64, _ADDRESSES, _OUTS, _OUTS))
def evaluate_many(evaluation: int, rows: Any, kinematics: Any, out: Any) -> None:
    """Wrenches of several pairings in one call: addresses of their rows, kinematics (n, 18), ``out`` (n, 6).

    ``evaluation`` is EVALUATE_AT. The status of each stands in its row.
    """
    for i in range(len(rows)):
        call_address(evaluation, rows[i], kinematics[i].ctypes.data, out[i].ctypes.data)
