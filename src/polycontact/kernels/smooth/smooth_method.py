"""One evaluation of two surfaces given by formulas: common normals, which one is the contact, force (S4.22, S4.25)."""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import address_of, doubles_at
from polycontact.kernels.contact.beginning import begin, begin_elements
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.element_forces import find_forces
from polycontact.kernels.contact.element_table import Element, ElementTable, append_element
from polycontact.kernels.contact.evaluation_view import BaseKind
from polycontact.kernels.geometry.vectors import row, scale
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.smooth.smooth_contact import boxes_touch, find_contact
from polycontact.kernels.smooth.smooth_evaluation import CommonNormals, StartSearch, as_smooth
from polycontact.kernels.smooth.surface_views import Located, SmoothSurface


@kernel
def _say_what_is_missing(
    e: SmoothSurface, f: SmoothSurface, found: CommonNormals, search: StartSearch, report: ContactReport
) -> None:
    """Status where no common normal was found, or none that can be vouched for because a singular place is near.

    Where samples show that the bodies are apart, nothing is missing: no sample of either is as near to the other as
    samples of both leave unsure.
    """
    if found.chosen >= 0:
        if found.is_doubtful == 1 and found.trouble == Located.SINGULAR:
            report.status = Status.SINGULAR_SURFACE
    elif search.n > 0 or search.height <= e.cover + f.cover:
        if found.trouble == Located.NOT_FINITE:
            report.status = Status.SURFACE_NOT_FINITE
        elif found.trouble == Located.SINGULAR:
            report.status = Status.SINGULAR_SURFACE
        else:
            report.status = Status.NO_COMMON_NORMAL


@kernel
def _write_element(found: CommonNormals, elements: ElementTable, report: ContactReport) -> None:
    """The contact as an element of one point on E, of area 1: always the same one to laws that remember."""
    k = found.chosen
    depth = -found.distance[k]
    into_e = scale(-1.0, row(found.normal, k))
    place = (0.0, 0.0)
    append_element(elements, Element(0, 0, 0, 0, 1.0, depth, 1.0, 1.0, row(found.point_e, k), into_e, place), report)


@entry_kernel((types.int64, types.int64, types.int64))
def evaluate_smooth(row: int, kinematics: int, wrench: int) -> int:
    """Force and torque on E, at most one point of contact; all arguments are addresses, the result is the status."""
    evaluation = as_smooth(row)
    header = evaluation.header
    report, pose, elements = header.report, header.pose, header.elements
    e, f = evaluation.e, evaluation.f
    out = doubles_at(wrench, 6)
    begin(evaluation.reach, pose, report, doubles_at(kinematics, 18), out)
    begin_elements(elements, BaseKind.E)
    if report.status or not boxes_touch(e.surface, f.surface, pose):
        return report.status
    search, found = evaluation.search, evaluation.found
    find_contact(e, f, pose, evaluation.scale, False, search, evaluation.equations, evaluation.planes, found)
    if found.chosen < 0 and search.n == 0 and search.height <= e.surface.cover + f.surface.cover:
        # Nothing faces each other where the bodies may overlap: what is nearest elsewhere tells whether they do.
        find_contact(e, f, pose, evaluation.scale, True, search, evaluation.equations, evaluation.planes, found)
    if found.chosen >= 0 and found.distance[found.chosen] < 0.0 and found.is_overlap == 0:
        found.chosen = -1  # nothing shows that the bodies overlap: no force without a proof
    _say_what_is_missing(e.surface, f.surface, found, search, report)
    if found.chosen >= 0 and found.distance[found.chosen] < 0.0:
        _write_element(found, elements, report)
    find_forces(row, header.laws, pose, elements, report, out)
    return report.status


@entry_kernel((types.int64, types.int64, types.int64))
def measure_smooth(row: int, kinematics: int, out: int) -> int:
    """As `evaluate_smooth`, without forces and wherever the bodies are: what was found is left in the evaluation.

    The first number of ``out`` is the signed distance, m; nan where none was found.
    """
    evaluation = as_smooth(row)
    header = evaluation.header
    report, pose = header.report, header.pose
    gap = doubles_at(out, 6)
    begin(evaluation.reach, pose, report, doubles_at(kinematics, 18), gap)
    evaluation.found.chosen = -1
    gap[0] = math.nan
    if report.status == 0:
        search, found = evaluation.search, evaluation.found
        e, f, equations, planes = evaluation.e, evaluation.f, evaluation.equations, evaluation.planes
        find_contact(e, f, pose, evaluation.scale, True, search, equations, planes, found)
        _say_what_is_missing(e.surface, f.surface, found, search, report)
        if found.chosen >= 0:
            gap[0] = found.distance[found.chosen]
        elif report.status == 0:
            report.status = Status.NO_COMMON_NORMAL
    return report.status


EVALUATE_SMOOTH = address_of(evaluate_smooth)
MEASURE_SMOOTH = address_of(measure_smooth)
