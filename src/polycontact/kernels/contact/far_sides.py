"""Is a body really pressed deeper than it is thick? Faces that look out of the target may also belong to an edge.

Problem: where a sheet is pressed deeper than it is thick, both its faces are inside and the force no longer grows with
the depth; where a face has passed the middle of a thin target, it falls. That is told. Elements that face away from
their nearest surface are suspected (`distance_elements`). But where edges of thick bodies meet, elements face away from
a side of the target that happens to be nearest, and all is well.
In: elements of a contact under suspicion. Out: PRESSED_THROUGH stays only where it is true, with the worst element.

                (1) a thin body                          (2) a thin target
         ______________________ target               |     |
           ________________  k, faces up             |base |      k, faces down, is nearer to the far face
           |  t < depth u  |                      ___|_____|___
           |_______________|                         |__k__|      target, T thick: T < 2 u
                                                  _____________

An element counts if a line from it into its own body leaves that body through a nearly parallel face after a way t that
is less than the greatest depth u of the contact (1), or if such a line, together with the depth, passes through the
target between nearly parallel faces that are no farther apart than 2 u (2): at the middle the depth was T/2.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import Side, Work
from polycontact.kernels.contact.penetration import first_hit
from polycontact.kernels.contact.sides import to_own_direction, to_own_frame
from polycontact.kernels.geometry.vectors import add, as_index, dot, row, scale
from polycontact.kernels.jit import apart_kernel, kernel
from polycontact.tolerances import FACES_AWAY, FAR_SIDE_LOAD, FAR_SIDE_PARALLEL, FAR_SIDE_REACH


@kernel
def _way_out(
    side: Side, pose: Pose, elements: ElementTable, k: int, reach: float, work: Work, report: ContactReport
) -> float:
    """How far element k is from the face of a surface that lies opposite, along its normal, m; infinite if none is.

    Only a face counts that is nearly parallel to the element and at most ``reach`` away.
    """
    n_k = row(elements.normal, k)
    way = to_own_direction(side, pose, n_k)
    start = add(row(elements.base_point, k), scale(4.0 * pose.pad, n_k))
    hit = first_hit(side, to_own_frame(side, pose, start), way, reach, 4.0 * pose.pad, False, work.stack, report)
    if hit.triangle < 0 or dot(row(side.mesh.normals, as_index(hit.triangle)), way) < FAR_SIDE_PARALLEL:
        return math.inf
    return hit.depth


@apart_kernel
def confirm_far_sides(e: Side, f: Side, pose: Pose, elements: ElementTable, work: Work, report: ContactReport) -> None:
    """Clear PRESSED_THROUGH where it is not true; else note the element in question, the thickness and the depth."""
    deepest = 0.0
    load = 0.0
    for k in range(elements.n):
        deepest = max(deepest, max(elements.peak[k], 1.0) * elements.depth[k])
        load += elements.area[k] * elements.depth[k]
    confirmed = 0.0
    most = 0.0
    for k in range(elements.n):
        if not elements.energy_rise[k] < -1.0 - FACES_AWAY:
            continue
        base, target = (e, f) if elements.side[k] == 0 else (f, e)
        thickness = _way_out(base, pose, elements, k, FAR_SIDE_REACH * deepest, work, report)
        of_target = 0
        if not thickness < FAR_SIDE_REACH * deepest:  # (1), else (2)
            of_target = 1
            near = row(target.mesh.normals, as_index(elements.target_triangle[k]))
            if dot(near, to_own_direction(target, pose, row(elements.normal, k))) > -FAR_SIDE_PARALLEL:
                continue
            way = _way_out(target, pose, elements, k, 2.0 * FAR_SIDE_REACH * deepest, work, report)
            thickness = elements.depth[k] + way
            if not thickness < 2.0 * FAR_SIDE_REACH * deepest:
                continue
        carried = elements.area[k] * elements.depth[k]
        confirmed += carried
        if carried > most:
            most = carried
            report.far_triangle = elements.base_triangle[k]
            report.far_side = elements.side[k]
            report.far_of_target = of_target
            report.far_thickness = thickness
            report.far_depth = deepest
    if not confirmed > FAR_SIDE_LOAD * load:
        report.status &= ~Status.PRESSED_THROUGH
