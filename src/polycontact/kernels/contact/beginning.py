"""How every evaluation begins: kinematics taken over and checked, results and counters reset.

In: 18 numbers: rotation of F in E (by rows), position (m), velocity (m/s), angular velocity (rad/s). Refused, with the
status BAD_KINEMATICS and a wrench that is no number: what is not finite or too large, and matrices that are no rotation
to within `ROTATION_TOLERANCE`. A rotation that has drifted by less is used as it is, and boxes grow by the drift.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import BaseKind, Side
from polycontact.kernels.geometry.vectors import cross
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import CULLING_MARGIN, ROTATION_TOLERANCE, TOO_FAR


@kernel
def _take_kinematics(pose: Pose, kinematics: Doubles) -> None:
    """Rotation, position, velocity and angular velocity of F in E from 18 numbers."""
    rotation = pose.rotation
    position = pose.position
    velocity = pose.velocity
    angular_velocity = pose.angular_velocity
    for i in range(3):
        for j in range(3):
            rotation[i, j] = kinematics[3 * i + j]
        position[i] = kinematics[9 + i]
        velocity[i] = kinematics[12 + i]
        angular_velocity[i] = kinematics[15 + i]


@kernel
def _drift(pose: Pose) -> float:
    """How far R is from a proper rotation (largest component of RᵀR - 1); infinite where something is not finite."""
    R = pose.rotation
    r = pose.position
    v = pose.velocity
    w = pose.angular_velocity
    largest = 0.0
    for i in range(3):
        if not (abs(r[i]) < TOO_FAR and abs(v[i]) < TOO_FAR and abs(w[i]) < TOO_FAR):
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
def _clear_report(report: ContactReport) -> None:
    """Reset results and counters: no contact yet. The rates of states are zero unless somebody writes them."""
    report.evaluations += 1  # of the memory, never reset
    report.status = 0
    report.n_elements = 0
    report.n_segments = 0
    report.n_cut_e = 0
    report.n_cut_f = 0
    report.n_inner_e = 0
    report.n_inner_f = 0
    report.bv_checks = 1
    report.triangle_checks = 0
    report.line_checks = 0
    report.subdivisions = 0
    report.tree_searches = 0
    # what the elements add up to
    report.load = 0.0
    report.missed = 0.0
    report.area = 0.0
    report.depth = 0.0
    report.pressure = 0.0
    report.energy = 0.0
    report.damping_power = 0.0
    report.friction_power = 0.0
    report.layer_power = 0.0
    report.law_residual = 0.0
    rates = report.states.rates
    for i in range(report.states.n):
        rates[i] = 0.0


@kernel
def begin(reach: float, pose: Pose, report: ContactReport, kinematics: Doubles, wrench: Doubles) -> None:
    """Take over the kinematics and reset the results; status BAD_KINEMATICS where they cannot be used.

    ``reach`` (m): how far coordinates of both bodies reach. Boxes grow so that neither drift of the rotation nor
    rounding hides an intersection.
    """
    _take_kinematics(pose, kinematics)
    _clear_report(report)
    drift = _drift(pose)
    pose.drift = drift
    pose.pad = (CULLING_MARGIN + 4.0 * drift) * reach
    usable = drift < ROTATION_TOLERANCE
    for i in range(6):
        wrench[i] = 0.0 if usable else math.nan
    if not usable:
        report.status = Status.BAD_KINEMATICS


@kernel
def begin_side(side: Side) -> None:
    """A new stamp makes all marks of earlier evaluations void."""
    side.stamp += 1
    side.n_cut = 0
    side.n_inner = 0


@kernel
def begin_elements(elements: ElementTable, base: int) -> None:
    """An empty table; each element counts half where both surfaces are bases."""
    elements.n = 0
    elements.share = 0.5 if base == BaseKind.BOTH else 1.0
