"""How the depth of an element is found: by a walk over neighbours where that is proved to suffice, else by the tree
(decision 0007).

Problem: where does the line of an element leave the target? In: the line, and a triangle of the target that may be
near. Out: the triangle that it meets, the depth u (m) and the place. The result must not depend on the guess.

    (1) lines can meet the active target only once -> a walk finds the hit, whatever its start (`penetration`)
        (a) from the hit of the last evaluation; it counts only well inside a triangle, as near a side rounding could
            end the walk in either of two
        (b) from the hit of the neighbour
    (2) they may meet it more than once, or the walk has not arrived -> the first hit, by the tree
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.base_lines import Line
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.evaluation_view import Side, Work
from polycontact.kernels.contact.penetration import Hit, first_hit, walk_to_hit
from polycontact.kernels.contact.sides import from_own_direction, to_own_direction
from polycontact.kernels.geometry.vectors import Vector, add, dot, norm, row, scale
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import ENDLESS, WELL_INSIDE, WITHIN_45_DEGREES


@inline_kernel
def _least_cosine(side: Side, axis: Vector) -> float:
    """Smallest cosine between ``axis`` (own frame) and the outward normals of the active triangles of a surface."""
    normals = side.mesh.normals
    cut = side.cut
    inner = side.inner
    least = 1.0
    for k in range(side.n_cut):
        least = min(least, dot(axis, row(normals, cut[k])))
    for k in range(side.n_inner):
        least = min(least, dot(axis, row(normals, inner[k])))
    return least


@kernel
def lines_meet_once(base: Side, target: Side, pose: Pose) -> bool:
    """Whether the barycentre normal of any active base triangle can meet the active target only once.

    So it is where base normals lie within 45° of their mean and no base normal is perpendicular to a target normal:
    between two crossings the line would have to enter the target, or leave the base, through an active triangle of the
    opposite orientation. With α the largest angle of a base normal to their mean axis, and β that of a target normal to
    the opposite axis, the second condition is α + β < 90°. False where the mean has no direction. Costs one pass over
    the active triangles of both.
    """
    normals = base.mesh.normals
    areas = base.mesh.areas
    cut = base.cut
    inner = base.inner
    total = (0.0, 0.0, 0.0)
    for k in range(base.n_cut):
        total = add(total, scale(areas[cut[k]], row(normals, cut[k])))
    for k in range(base.n_inner):
        total = add(total, scale(areas[inner[k]], row(normals, inner[k])))
    length = norm(total)
    if length == 0.0:
        return False
    axis = scale(1.0 / length, total)
    cosine_base = _least_cosine(base, axis)
    if cosine_base <= WITHIN_45_DEGREES:
        return False
    opposite = to_own_direction(target, pose, from_own_direction(base, pose, scale(-1.0, axis)))
    cosine_target = _least_cosine(target, opposite)
    # cos(α + β) > 0, by the cosines of both
    sine_base = math.sqrt(max(0.0, 1.0 - cosine_base * cosine_base))
    sine_target = math.sqrt(max(0.0, 1.0 - cosine_target * cosine_target))
    return cosine_target > 0.0 and cosine_base * cosine_target > sine_base * sine_target


@inline_kernel
def _well_inside(hit: Hit) -> bool:
    """Whether a walk has ended so far inside a triangle that it would have ended there from any start."""
    return hit.triangle >= 0 and min(min(hit.b0, hit.b1), 1.0 - hit.b0 - hit.b1) > WELL_INSIDE


@inline_kernel
def find_hit(target: Side, guess: int, start: int, line: Line, pad: float, work: Work, report: ContactReport) -> Hit:
    """Where a base line leaves the target; triangle -1 where it does not. ``pad`` (m): boxes grow by it.

    Walks begin at the active triangle ``guess``, else at ``start``. What comes out does not depend on the guess.
    """
    if target.meets_once:  # (1)
        corners = target.mesh.corners
        neighbours = target.mesh.neighbours
        mark = target.mark
        floor = 4 * target.stamp
        hit = walk_to_hit(corners, neighbours, mark, floor, guess, line.own_point, line.own_normal)
        if guess != start and not _well_inside(hit):
            hit = walk_to_hit(corners, neighbours, mark, floor, start, line.own_point, line.own_normal)
        if hit.triangle >= 0:
            return hit
    return search_hit(target, line, pad, work, report)


@inline_kernel
def search_hit(target: Side, line: Line, pad: float, work: Work, report: ContactReport) -> Hit:
    """Where a base line leaves the target, by the tree; among active triangles where the active area is known."""
    return first_hit(
        target, line.own_point, line.own_normal, ENDLESS, 4.0 * pad, not target.is_open, work.stack, report
    )
