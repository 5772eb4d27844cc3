"""Contact of two convex shapes (S4.31, S4.32): their signed distance is the depth, if it is negative.

In: the pose. Out: no element, one of area 1 at the deepest point, or some at the corners of what two faces share
(`convex_points`), and the wrench. The distance is found in `geometry.convex_distance`. Shapes count as smaller by a
factor 1 - 1e-9 (S4.12), so that shapes that stand exactly on each other do not touch, whatever is rounded.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import address_of, doubles_at
from polycontact.kernels.contact.beginning import begin, begin_elements
from polycontact.kernels.contact.contact_header import ContactHeader, Pose
from polycontact.kernels.contact.convex_points import CornerWork, put_elements
from polycontact.kernels.contact.element_forces import find_forces
from polycontact.kernels.contact.evaluation_view import BaseKind
from polycontact.kernels.geometry.convex_distance import measure
from polycontact.kernels.geometry.convex_pair import ConvexPair, Verdict, from_f
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.vectors import dot, sub
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.views import View, cast_to, nested, number
from polycontact.tolerances import SHRINKING


class ConvexEvaluation(View):
    """Memory of one evaluation of two convex shapes."""

    header = nested(ContactHeader)
    reach = number("how far coordinates of both shapes reach", "m")
    pair = nested(ConvexPair)
    corners = nested(CornerWork)


as_convex = cast_to(ConvexEvaluation)


@kernel
def take_pose(pair: ConvexPair, pose: Pose) -> None:
    """Hand the pose of this evaluation to the pair of shapes."""
    for i in range(3):
        pair.position[i] = pose.position[i]
        for j in range(3):
            pair.rotation[i, j] = pose.rotation[i, j]


@kernel
def _shrunk_depth(pair: ConvexPair) -> float:
    """Depth of the shapes, each smaller by the factor 1 - 1e-9 about a point inside it (S4.12).

    The direction changes by the same small part, the depth by that of the heights over those points.
    """
    n = as_vector(pair.normal)
    height_e = dot(n, sub(as_vector(pair.point_e), as_vector(pair.e.centre)))
    height_f = -dot(n, sub(as_vector(pair.point_f), from_f(pair, as_vector(pair.f.centre))))
    return -pair.distance - SHRINKING * (height_e + height_f)


@entry_kernel((types.int64, types.int64, types.int64))
def evaluate_convex(row: int, kinematics: int, wrench: int) -> int:
    """Contact of two convex shapes; all arguments are addresses, the result is the status."""
    evaluation = as_convex(row)
    header = evaluation.header
    report, pose, elements = header.report, header.pose, header.elements
    pair = evaluation.pair
    out = doubles_at(wrench, 6)
    begin(evaluation.reach, pose, report, doubles_at(kinematics, 18), out)
    begin_elements(elements, BaseKind.E)
    if report.status != 0:
        return int(report.status)
    take_pose(pair, pose)
    measure(pair, 0.0)
    if pair.verdict == Verdict.BEYOND:
        return 0
    depth = _shrunk_depth(pair)
    if not math.isfinite(depth):  # a support mapping of a user gave no number
        for k in range(6):
            out[k] = math.nan
    elif depth > 0.0:
        put_elements(pair, depth, evaluation.corners, elements, report)
        find_forces(row, header.laws, pose, elements, report, out)
    return int(report.status)


@entry_kernel((types.int64, types.int64, types.int64))
def measure_gap(row: int, kinematics: int, out: int) -> int:
    """Signed distance (m) of the shapes, however far apart, as the first number of ``out``; a status (S4.29, S4.32).

    Negative where, and only where, `evaluate_convex` finds a contact. Arguments are addresses.
    """
    evaluation = as_convex(row)
    header, pair = evaluation.header, evaluation.pair
    report, gap = header.report, doubles_at(out, 6)
    begin(evaluation.reach, header.pose, report, doubles_at(kinematics, 18), gap)
    if report.status == 0:
        take_pose(pair, header.pose)
        measure(pair, math.inf)
        gap[0] = -_shrunk_depth(pair)
    return int(report.status)


MEASURE_GAP = address_of(measure_gap)
EVALUATE_CONVEX = address_of(evaluate_convex)
