"""Whether a point lies inside a closed surface: the exact crossings of one line with it.

Problem: a winding number that is right also where the line passes through an edge or a vertex. In: a point of the other
surface, in frame E. Out: how often the surface winds around it, 0 outside.

        +---------+        The line runs from the point to a place outside the surface's box. Where it leaves through
        |   p ----|--->    a face +1, where it enters −1. Each crossing is decided by the same exact predicates as the
        +---------+        intersection of triangles (decision 0004): of the triangles around an edge or a vertex that
                           is met exactly one is crossed, so nothing counts twice or never.

The tree leaves out triangles whose boxes the line misses; its slab test is padded, so it decides nothing.
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.evaluation_view import Side, Work
from polycontact.kernels.contact.sides import from_own_direction, to_own_direction, to_own_frame, vertex_in_e
from polycontact.kernels.geometry.tree import push_children, push_root
from polycontact.kernels.geometry.triangles import edge_sign, side_sign, side_values
from polycontact.kernels.geometry.vectors import Vector, row, sub
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import MARGIN_ROUNDING, NO_DIRECTION

_SKEW_DIRECTION = (0.5773, 0.5937, 0.5605)
"""Direction of the line, about a unit vector, that no mesh is likely to be aligned with; exactness does not depend on
it."""


@inline_kernel
def line_meets_box(boxes: Doubles, node: int, start: Vector, inverse: Vector, reach: float, pad: float) -> bool:
    """Whether ``start + u·direction``, 0 ≤ u ≤ reach, meets a box grown by ``pad`` (m; slabs, own frame).

    ``inverse``: from `inverse_direction`. A line that runs along a face of the box counts as meeting it.
    """
    enter = 0.0
    leave = reach
    for a in range(3):
        middle = (boxes[node, a] - start[a]) * inverse[a]
        half = (boxes[node, 3 + a] + pad) * abs(inverse[a])
        enter = max(enter, middle - half)
        leave = min(leave, middle + half)
    return enter <= leave


@inline_kernel
def inverse_direction(d: Vector) -> Vector:
    """1/d by component; a very large number where d vanishes, so that the slab test stays finite."""
    return (
        1.0 / d[0] if abs(d[0]) > NO_DIRECTION else 1.0 / NO_DIRECTION,
        1.0 / d[1] if abs(d[1]) > NO_DIRECTION else 1.0 / NO_DIRECTION,
        1.0 / d[2] if abs(d[2]) > NO_DIRECTION else 1.0 / NO_DIRECTION,
    )


@kernel
def _crossing(a: Vector, b: Vector, line_is_e: bool, work: Work) -> int:
    """+1 where a→b leaves through the face in ``work``, -1 where it enters, 0 where it misses.

    ``line_is_e``: the line belongs to E and the face to F, which says whose coordinates are perturbed in a tie.
    """
    face = work.face
    expansion = work.expansion
    f0 = row(face, 0)
    f1 = row(face, 1)
    f2 = row(face, 2)
    d, bound = side_values(f0, f1, f2, a, b, a)
    s_a = 0
    s_b = 0
    for k in range(work.three - 1):  # twice; bounded at run time, so that the compiler keeps one copy
        s_b = s_a
        s_a = side_sign(d[1 - k], bound, f0, f1, f2, b if k == 0 else a, line_is_e, expansion)
    if s_a == s_b:
        return 0  # both ends on one side of the plane
    # The line must pass all three sides of the face on the same hand.
    hand = 0
    for k in range(work.three):
        c = row(face, k)
        e = row(face, (k + 1) % 3)
        g = edge_sign(a, b, c, e, expansion) if line_is_e else edge_sign(c, e, a, b, expansion)
        if g + hand == 0:
            return 0
        hand = g
    return 1 if s_a < 0 else -1


@apart_kernel
def winding_number(side: Side, pose: Pose, point: Vector, work: Work, report: ContactReport) -> int:
    """How often the closed surface ``side`` winds around a point of frame E that belongs to the other surface.

    0 at once where the point lies outside the surface's box. On an open surface the number means nothing.
    """
    mesh = side.mesh
    boxes = mesh.boxes
    pad = pose.pad
    local = to_own_frame(side, pose, point)
    for a in range(3):
        if abs(local[a] - boxes[0, a]) > boxes[0, 3 + a] + pad:
            return 0
    # Far enough to lie outside the box from anywhere in it.
    length = 2.0 * (boxes[0, 3] + boxes[0, 4] + boxes[0, 5]) + pad
    direction = (_SKEW_DIRECTION[0] * length, _SKEW_DIRECTION[1] * length, _SKEW_DIRECTION[2] * length)
    turned = from_own_direction(side, pose, direction)
    far = (point[0] + turned[0], point[1] + turned[1], point[2] + turned[2])
    span = to_own_direction(side, pose, sub(far, point))
    inverse = inverse_direction(span)
    triangles = mesh.triangles
    face = work.face
    stack = work.stack
    winding = 0
    depth = push_root(stack, mesh.n_triangles)
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        count = stack[depth, 2]
        if not line_meets_box(boxes, node, local, inverse, 1.0 + MARGIN_ROUNDING, 4.0 * pad):
            continue
        if count == 1:
            for i in range(3):
                at = vertex_in_e(side, pose, triangles[leaf, i])
                face[i, 0] = at[0]
                face[i, 1] = at[1]
                face[i, 2] = at[2]
            report.line_checks += 1
            winding += _crossing(point, far, side.is_f == 1, work)
            continue
        depth = push_children(stack, depth, node, leaf, count)
    return winding
