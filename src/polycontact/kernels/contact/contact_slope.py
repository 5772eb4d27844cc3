"""How the wrench of a contact, and what it loses, change with the relative motion: its slope.

In: the method of a pairing by its address, and the motion of F in E. Out: 8 rows of 12 numbers. Rows: force and torque
on E at marker F (N, N m), power lost in damping and in friction (W). Columns: per m of the position, per rad of a
rotation about marker F (axes of E), per m/s, per rad/s.

A method may know its slope (`element_slope`); of the others forward differences are taken, each an evaluation.
"""

from __future__ import annotations

import math

from polycontact.kernels.addresses import call_method, data_address
from polycontact.kernels.contact.contact_report import OVERFLOW, Status, as_report
from polycontact.kernels.geometry.vectors import Vector, cross
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import DIFFERENCE_INCREMENT, LEAST_SPEED_VARIED

N_MOTIONS = 12
"""Position, rotation, velocity and angular velocity."""
N_FOUND = 8
"""Force, torque and two powers."""

NOT_VALID = int(OVERFLOW | Status.BAD_KINEMATICS | Status.SURFACE_NOT_FINITE)
"""Status bits with which nothing that was found is valid."""


@kernel
def evaluate_at(method: int, pairing: int, kinematics: Doubles, found: Doubles) -> int:
    """Wrench and both powers at ``kinematics`` (18) into ``found``; the status of the evaluation."""
    status = call_method(method, pairing, data_address(kinematics), data_address(found))
    report = as_report(pairing)
    found[6] = report.damping_power
    found[7] = report.friction_power
    return int(status)


@kernel
def turn(kinematics: Doubles, axis: int, angle: float, moved: Doubles) -> None:
    """The rotation of ``kinematics``, turned about an axis of E by a small angle (rad)."""
    c = math.cos(angle)
    s = math.sin(angle)
    e: Vector = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
    for j in range(3):
        column: Vector = (kinematics[j], kinematics[3 + j], kinematics[6 + j])
        aside = cross(e, column)
        twice = cross(e, aside)
        for i in range(3):
            moved[3 * i + j] = column[i] + s * aside[i] + (1.0 - c) * twice[i]


@kernel
def vary(kinematics: Doubles, k: int, size: float, moved: Doubles) -> float:
    """``kinematics`` (18) varied in column k of a slope, into ``moved``; by how much, in the unit of that column.

    In the direction of the motion, by a small part of the ``size`` of the bodies (m), of a rad or of the speed.
    """
    speed = LEAST_SPEED_VARIED
    for i in range(3):
        speed = max(speed, max(abs(kinematics[12 + i]), size * abs(kinematics[15 + i])))
    kind = k // 3
    way = DIFFERENCE_INCREMENT * (size if kind == 0 else 1.0 if kind == 1 else speed if kind == 2 else speed / size)
    if kind < 2 and kinematics[12 + k] < 0.0:
        way = -way
    for i in range(18):
        moved[i] = kinematics[i]
    if kind == 1:
        turn(kinematics, k - 3, way, moved)
        return way
    place = 9 + k if kind == 0 else 6 + k
    moved[place] += way
    return float(moved[place] - kinematics[place])


@kernel
def _difference_slope(
    method: int, pairing: int, size: float, kinematics: Doubles, found: Doubles, moved: Doubles, slope: Doubles
) -> int:
    """The slope by forward differences, in the direction of the motion; a status with which it is not valid, or 0."""
    after = moved[18:]
    for k in range(N_MOTIONS):
        way = vary(kinematics, k, size, moved)
        status = evaluate_at(method, pairing, moved[:18], after)
        if status & NOT_VALID:
            return status
        for i in range(N_FOUND):
            slope[N_MOTIONS * i + k] = (after[i] - found[i]) / way
    return 0


@kernel
def find_slope(
    method: int, pairing: int, size: float, kinematics: Doubles, found: Doubles, work: Doubles, slope: Doubles
) -> int:
    """What is ``found`` (8) at ``kinematics`` (18), and its ``slope`` (96), row by row; the status of the evaluation.

    ``size`` of the bodies (m); ``work``: 26 numbers. With a status of `NOT_VALID` neither holds.
    """
    report = as_report(pairing)
    report.slope_state = 1
    report.slope_size = size
    status = evaluate_at(method, pairing, kinematics, found)
    state = report.slope_state
    report.slope_state = 0
    if status & NOT_VALID:
        return status
    if report.n_elements == 0:
        slope[:] = 0.0
    elif state == 2:
        slope[:] = report.slope
    else:
        lost = _difference_slope(method, pairing, size, kinematics, found, work, slope)
        if lost != 0:
            return lost
    return status
