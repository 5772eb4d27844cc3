"""One evaluation by penetration lines: near triangles, their lines against the target, forces.

In: the pose. Out: elements and the wrench. Unlike `polygonal_method` it knows no polygons and no active areas:

    (1) pairs whose boxes overlap: of the base around its lines, of the target around its triangles (`detection`)
    (2) an element for each base triangle in them whose line leaves the target (`penetration_lines`)
    (3) the same with the surfaces exchanged, where both are bases
    (4) forces
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of, doubles_at
from polycontact.kernels.contact.beginning import begin, begin_elements, begin_side
from polycontact.kernels.contact.contact_report import OVERFLOW
from polycontact.kernels.contact.detection import find_candidates, roots_overlap
from polycontact.kernels.contact.element_forces import find_forces
from polycontact.kernels.contact.element_slope import Moved, find_forces_and_slope
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.evaluation_view import BaseKind, as_evaluation
from polycontact.kernels.contact.penetration_lines import generate_from_lines
from polycontact.kernels.jit import entry_kernel


@entry_kernel((types.int64, types.int64, types.int64))
def evaluate_lines(row: int, kinematics: int, wrench: int) -> int:
    """As `polygonal_method.evaluate_polygonal`, by penetration lines."""
    evaluation = as_evaluation(row)
    header, setup, work = evaluation.header, evaluation.setup, evaluation.work
    report, pose, elements = header.report, header.pose, header.elements
    e, f, candidates, cells = evaluation.e, evaluation.f, evaluation.candidates, evaluation.cells
    out = doubles_at(wrench, 6)
    begin(setup.reach, pose, report, doubles_at(kinematics, 18), out)
    begin_side(e)
    begin_side(f)
    begin_elements(elements, setup.base)
    if report.status or not roots_overlap(setup.e, setup.f, pose, setup.max_penetration):
        return report.status
    # (1) and (2), with E as the base
    if setup.base != BaseKind.F:
        find_candidates(setup.lines_e.boxes, setup.f.oriented_boxes, pose, 0.0, candidates, work, report)
        if not report.status & OVERFLOW:
            with_e = Encounter(e, f, pose, setup.depth_kind, elements, cells, work, report)
            generate_from_lines(with_e, setup, candidates)
    # (3)
    if setup.base != BaseKind.E:
        find_candidates(setup.e.oriented_boxes, setup.lines_f.boxes, pose, 0.0, candidates, work, report)
        if not report.status & OVERFLOW:
            with_f = Encounter(f, e, pose, setup.depth_kind, elements, cells, work, report)
            generate_from_lines(with_f, setup, candidates)
    if report.slope_state == 1:
        moved = Moved(e, f, pose, elements, cells, True)
        find_forces_and_slope(row, header.laws, moved, doubles_at(kinematics, 18), report, out)
    else:
        find_forces(row, header.laws, pose, elements, report, out)
    return report.status


EVALUATE_LINES = address_of(evaluate_lines)
