"""Two elastic half-spaces pressed together: normal forces of the elements from E* alone (S0.17, S0.89).

Problem: pressures p ≥ 0 on the patch that move its surface out of the way of the other body, and push nowhere else.
In: the table of elements; the geometric overlap contains all that can touch, as pressures move the surface only away.
Out: normal force, its elastic part and the elastic energy; elements that carry nothing are taken out of the table.

    (1) elements of each base as triangles                                                `half_space_flexibility`
    (2) forces and gaps at E* = 1 Pa                                                      `half_space_pressures`
    (3) F = E* f max(1 + a v_n, 0), energy ½ E* f u: the work on the way to u is that of a potential
    (4) elements that carry nothing are left out, but where a slope is asked for: these may carry in the next pose

With both surfaces as bases each has its own solution and half of the force.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import Pose, as_law
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.element_table import ElementTable, copy_row
from polycontact.kernels.contact.evaluation_view import Side, as_evaluation
from polycontact.kernels.contact.half_space_flexibility import collect_elements, fill_matrix, key_of
from polycontact.kernels.contact.half_space_pressures import find_bearing
from polycontact.kernels.contact.half_space_work import (
    HalfSpaceParameters,
    HalfSpaceWork,
    as_half_space_parameters,
    as_half_space_work,
)
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.tolerances import MAY_CARRY


@kernel
def _solve_for(
    elements: ElementTable, base: Side, pose: Pose, work: HalfSpaceWork, report: ContactReport, least: float
) -> float:
    """Forces of the elements on one base, of which those deeper than ``least`` times the deepest may carry: (1), (2).

    Negative where they are not the solution, see `find_bearing`. A status where the matrix does not fit.
    """
    collect_elements(elements, base, pose, work, least)
    n = work.n_front
    if n == 0:
        return 0.0
    before = work.second if work.latest == 1 else work.first
    now = work.first if work.latest == 1 else work.second
    if n * n > now.room_of_entries:
        report.status |= Status.OVERFLOW_LAW
        report.needed = n * n
        return 0.0
    now.n = n
    for i in range(n):
        now.key[i] = key_of(elements, base, work, i)
    if fill_matrix(work, before, now):
        work.latest = 1 - work.latest
        before = now
    return find_bearing(work, before)


@kernel
def press_half_space(
    elements: ElementTable,
    base: Side,
    pose: Pose,
    parameters: HalfSpaceParameters,
    work: HalfSpaceWork,
    report: ContactReport,
) -> None:
    """Forces and energy of the elements on one base: (1) to (3); a status where the matrix does not fit."""
    missed = _solve_for(elements, base, pose, work, report, MAY_CARRY)
    if missed < 0.0:  # shallow elements may touch, too, or are not known well enough
        missed = _solve_for(elements, base, pose, work, report, 0.0)
    if work.n == 0 or report.status & Status.OVERFLOW_LAW:
        return
    report.law_residual = max(report.law_residual, -missed)
    if missed < 0.0:
        report.status |= Status.LAW_NOT_SOLVED
    modulus = elements.share * parameters.modulus
    for i in range(work.n):  # (3)
        k = work.element[i]
        elastic = modulus * work.force[i]
        elements.elastic_force[k] = elastic
        elements.normal_force[k] = elastic * max(1.0 + parameters.damping * elements.approach[k], 0.0)
        elements.energy[k] = 0.5 * elastic * elements.depth[k]


@kernel
def leave_out_idle(elements: ElementTable) -> None:
    """Take elements that carry nothing out of the table: (4)."""
    kept = 0
    for k in range(elements.n):
        if not elements.elastic_force[k] > 0.0:
            continue
        if kept != k:
            copy_row(elements, k, kept)
            # What `find_motion` and this law have written moves along.
            elements.approach[kept] = elements.approach[k]
            elements.normal_force[kept] = elements.normal_force[k]
            elements.elastic_force[kept] = elements.elastic_force[k]
            elements.energy[kept] = elements.energy[k]
            for a in range(3):
                elements.position[kept, a] = elements.position[k, a]
                elements.slip[kept, a] = elements.slip[k, a]
                elements.common_normal[kept, a] = elements.common_normal[k, a]
        kept += 1
    elements.n = kept


@entry_kernel((types.int64, types.int64))
def press_half_space_at(row: int, law: int) -> int:
    """The law, called with the addresses of an evaluation of two meshes and of a law's part."""
    evaluation, own = as_evaluation(row), as_law(law)
    header = evaluation.header
    elements, report = header.elements, header.report
    parameters = as_half_space_parameters(own.parameters)
    work = as_half_space_work(own.work)
    elements.is_even = 1
    press_half_space(elements, evaluation.e, header.pose, parameters, work, report)
    press_half_space(elements, evaluation.f, header.pose, parameters, work, report)
    if report.slope_state != 1 and not report.status & Status.OVERFLOW_LAW:
        leave_out_idle(elements)
        report.n_elements = elements.n
    return 0


PRESS_HALF_SPACE_AT = address_of(press_half_space_at)
