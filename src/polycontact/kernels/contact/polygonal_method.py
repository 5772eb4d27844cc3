"""One evaluation by intersection polygons: the paper's three steps in order (section 3, S0.24).

In: the pose and velocity of F in E. Out: the wrench on E, elements and report.

    (1) boxes around the whole surfaces that do not overlap -> no contact, at the cost of a few dozen operations
    (2) collision detection (section 3.1): candidates, intersection segments
    (3) active areas (section 3.2, steps 1 and 2), and bodies wholly inside
    (4) contact elements (step 3), from one surface as the base or from both
    (5) forces (section 3.3)

A buffer that is too small ends the evaluation with an OVERFLOW bit: Python enlarges it and asks again.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of, doubles_at
from polycontact.kernels.contact.active_area import collect_cut_triangles, find_active_area, order_segments
from polycontact.kernels.contact.beginning import begin, begin_elements, begin_side
from polycontact.kernels.contact.coherence import update_candidates
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import OVERFLOW, ContactReport, Status
from polycontact.kernels.contact.containment import find_contained
from polycontact.kernels.contact.detection import detect_collision, roots_overlap
from polycontact.kernels.contact.distance_contained import push_contained
from polycontact.kernels.contact.distance_elements import generate_distance_elements
from polycontact.kernels.contact.element_forces import find_forces
from polycontact.kernels.contact.element_slope import Moved, find_forces_and_slope
from polycontact.kernels.contact.elements import generate_elements
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.evaluation_view import (
    BaseKind,
    Candidates,
    ContactSetup,
    DepthKind,
    Parts,
    Segments,
    Side,
    Work,
    as_evaluation,
)
from polycontact.kernels.contact.far_sides import confirm_far_sides
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel


@kernel
def detect(
    setup: ContactSetup, pose: Pose, candidates: Candidates, segments: Segments, work: Work, report: ContactReport
) -> bool:
    """Collision detection (section 3.1): candidates and segments; whether their buffers were large enough."""
    update_candidates(setup.e, setup.f, pose, setup.max_margin, candidates, work, report)
    if report.status & OVERFLOW:
        return False
    detect_collision(setup.e, setup.f, pose, candidates, segments, work, report)
    report.n_segments = segments.n
    return not report.status & OVERFLOW


@inline_kernel
def _find_area_of(
    side: Side, other: Side, pose: Pose, segments: Segments, work: Work, report: ContactReport, is_asked_for: bool
) -> None:
    """The active area of a surface, or no more than its cut triangles where that is not asked for.

    Polygons of closed surfaces close, so that it need not be looked for where they do not.
    """
    closes = side.mesh.closed and other.mesh.closed and not report.status & Status.INCONSISTENT
    if is_asked_for or not closes:
        find_active_area(side, other, pose, segments, work, report)
    else:
        collect_cut_triangles(side, segments)
        side.is_open = 0


@kernel
def find_active_areas(
    setup: ContactSetup, e: Side, f: Side, pose: Pose, segments: Segments, work: Work, report: ContactReport
) -> None:
    """The part of each surface inside the other (section 3.2, steps 1 and 2), and bodies wholly inside.

    A distance is asked of the whole target: which of its triangles lie inside the base then matters to nothing but
    results that show it.
    """
    both = setup.depth_kind != DepthKind.DISTANCE or report.in_full == 1
    if segments.n > 0:
        order_segments(f.n_triangles, segments, work)
        _find_area_of(e, f, pose, segments, work, report, both or setup.base != BaseKind.F)
        _find_area_of(f, e, pose, segments, work, report, both or setup.base != BaseKind.E)
    find_contained(e, f, pose, Status.E_INSIDE_F, work, report)
    find_contained(f, e, pose, Status.F_INSIDE_E, work, report)


@kernel
def _generate(meeting: Encounter, setup: ContactSetup, segments: Segments, parts: Parts) -> None:
    """Contact elements (section 3.2, step 3), with the depth that was asked for."""
    if meeting.depth_kind == DepthKind.DISTANCE:
        generate_distance_elements(meeting, setup, segments)
    else:
        generate_elements(meeting, setup.element_kind, segments, parts)


@entry_kernel((types.int64, types.int64, types.int64))
def evaluate_polygonal(row: int, kinematics: int, wrench: int) -> int:
    """Wrench on E at marker F (six numbers at ``wrench``: force, torque; N, N m); returns the status bits.

    By addresses: the row of an evaluation; rotation, position, velocity and angular velocity of F in E (18 numbers).
    With an OVERFLOW bit the wrench is not valid and a buffer must be enlarged.
    """
    evaluation = as_evaluation(row)
    header, setup, work = evaluation.header, evaluation.setup, evaluation.work
    report, pose, elements = header.report, header.pose, header.elements
    e, f, segments = evaluation.e, evaluation.f, evaluation.segments
    parts, cells = evaluation.parts, evaluation.cells
    out = doubles_at(wrench, 6)
    begin(setup.reach, pose, report, doubles_at(kinematics, 18), out)
    begin_side(e)
    begin_side(f)
    segments.n = 0
    begin_elements(elements, setup.base)
    if report.status or not roots_overlap(setup.e, setup.f, pose, 0.0):  # (1)
        return report.status
    if detect(setup, pose, evaluation.candidates, segments, work, report):  # (2)
        find_active_areas(setup, e, f, pose, segments, work, report)  # (3)
        # (4)
        with_e = Encounter(e, f, pose, setup.depth_kind, elements, cells, work, report)
        with_f = Encounter(f, e, pose, setup.depth_kind, elements, cells, work, report)
        if setup.base != BaseKind.F:
            _generate(with_e, setup, segments, parts)
        if setup.base != BaseKind.E:
            _generate(with_f, setup, segments, parts)
        if report.status & Status.PRESSED_THROUGH and not report.status & OVERFLOW:
            confirm_far_sides(e, f, pose, elements, work, report)
        # A body wholly inside the base is not reached by the base's own surface: it pushes with its own.
        if setup.depth_kind == DepthKind.DISTANCE and report.status & (Status.E_INSIDE_F | Status.F_INSIDE_E):
            if setup.base == BaseKind.F:
                push_contained(with_e, setup.tolerance)
            if setup.base == BaseKind.E:
                push_contained(with_f, setup.tolerance)
        report.n_cut_e, report.n_inner_e = e.n_cut, e.n_inner
        report.n_cut_f, report.n_inner_f = f.n_cut, f.n_inner
        if report.slope_state == 1:
            moved = Moved(e, f, pose, elements, cells, setup.depth_kind != DepthKind.DISTANCE)
            find_forces_and_slope(row, header.laws, moved, doubles_at(kinematics, 18), report, out)
        else:
            find_forces(row, header.laws, pose, elements, report, out)  # (5)
    return report.status


EVALUATE_POLYGONAL = address_of(evaluate_polygonal)
