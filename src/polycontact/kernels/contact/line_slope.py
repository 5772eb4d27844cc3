"""How a depth along a line changes as the target moves: the gradient that `gradient_sums` wants, and an arm.

Problem: the line r = C_e + u n_k meets the plane of a facet with the normal n_f, u = n_f·(x_f − C_e) / (n_f·n_k). In:
line and facet. Out: ∇u at C_e, and what a rotation adds because the facet moves where the line meets it, not at C_e.

    by the base normal      ∇u = −n_f / (n_f·n_k);  arm  u n_k × ∇u, also where the line turns with the base
    by the target normal    u C, C = n_f·n_k: the distance to the plane; ∇(u C) = −n_f, and turning adds nothing

The weight of flanks is taken to stay as it is.
"""

from __future__ import annotations

from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.evaluation_view import DepthKind
from polycontact.kernels.contact.gradient_sums import put_point_gradient
from polycontact.kernels.contact.plane_moments import ROOT3, Point
from polycontact.kernels.contact.sides import corners_of, from_own_direction
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, as_index, cross, dot, row, scale, sub
from polycontact.kernels.jit import apart_kernel, inline_kernel
from polycontact.tolerances import FLANK_NONE


@inline_kernel
def _reference_point(corners: Triangle, point: Vector) -> Point:
    """Reference coordinates of a point of a triangle."""
    p = sub(corners[1], corners[0])
    q = sub(corners[2], corners[0])
    way = sub(point, corners[0])
    pp, pq, qq = dot(p, p), dot(p, q), dot(q, q)
    by_p, by_q = dot(way, p), dot(way, q)
    inverse = 1.0 / (pp * qq - pq * pq)
    s = inverse * (qq * by_p - pq * by_q)
    t = inverse * (pp * by_q - pq * by_p)
    return (s + 0.5 * t, 0.5 * ROOT3 * t)


@apart_kernel
def put_line_slope(meeting: Encounter) -> None:
    """Gradient and arm of the element appended last, if there was room for it."""
    target, pose, elements, cells = meeting.target, meeting.pose, meeting.elements, meeting.cells
    k = as_index(elements.n - 1)
    if k >= elements.room:
        return
    normal = row(elements.normal, k)
    facet = from_own_direction(target, pose, row(target.mesh.normals, as_index(elements.target_triangle[k])))
    gradient = scale(-1.0, facet)
    corners = corners_of(meeting.base, pose, as_index(elements.base_triangle[k]))
    x, y = _reference_point(corners, row(elements.base_point, k))
    arms = cells.arms
    arms[k, 0] = arms[k, 1] = arms[k, 2] = 0.0
    arms[k, 3] = x
    arms[k, 4] = y
    if meeting.depth_kind == DepthKind.BASE_NORMAL:
        # Elements whose line runs along the facet have lost their weight.
        gradient = scale(1.0 / max(dot(facet, normal), FLANK_NONE), gradient)
        arm = cross(scale(elements.depth[k], normal), gradient)
        for a in range(3):
            arms[k, a] = arm[a]
    put_point_gradient(cells, k, (x, y), gradient)
