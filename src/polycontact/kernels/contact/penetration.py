r"""Penetration depth: where the barycentre normal of a base element meets the target (eqs 8–11).

Problem: the line r = C_e + u·n_k, n_k = -n_e, starts on the base inside the target; at which depth u does it leave?
In: the line in the target's own frame. Out: a `Hit`: triangle, u in m, barycentric coordinates.

                 n_k                   On which hand the line passes each side of a triangle, three triple products g_i,
          \       ^        /            tells all:
           \  t1  |  t2   /                 all g ≥ 0: it leaves through the triangle (outward)
            \____ |______/  target          all g ≤ 0: it enters
                  | u                       else:      it passes beside; the side with the least g lies towards it
     -------------C_e---------- base
                                       Both triangles at a side compute the same bits for it, so no line slips through.

With outward normals eqs (10) and (11) as printed reject or negate this; the depth here is positive when the target's
surface lies behind the base triangle (S0.55).
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.evaluation_view import Side
from polycontact.kernels.contact.inside import inverse_direction, line_meets_box
from polycontact.kernels.geometry.tree import push_children, push_root
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, as_index, cross, dot, sub, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, Longs


class Hit(NamedTuple):
    """Where a line leaves the target: triangle (-1: none), depth u in m, barycentric coordinates of corners 0, 1."""

    triangle: int
    depth: float
    b0: float
    b1: float


MAX_STEPS = 64
"""A walk that has not arrived after so many triangles gives up to the tree search."""


@inline_kernel
def line_through(x: Triangle, c: Vector, n: Vector) -> tuple[float, float, float]:
    """On which hand the line (c, n) passes the three sides of triangle x: triple products, positive to the left (m²).

    The same bits, with the other sign, from both triangles at an edge. All of one sign: the line meets the triangle.
    """
    a0 = sub(x[0], c)
    a1 = sub(x[1], c)
    a2 = sub(x[2], c)
    return (dot(n, cross(a0, a1)), dot(n, cross(a1, a2)), dot(n, cross(a2, a0)))


@inline_kernel
def depth_along(x: Triangle, c: Vector, n: Vector, g: Vector) -> tuple[float, float, float]:
    """Depth u of eq. (11) and barycentric coordinates of corners 0, 1 of the point where the line meets x."""
    inverse = 1.0 / (g[0] + g[1] + g[2])
    b0 = g[1] * inverse
    b1 = g[2] * inverse
    b2 = g[0] * inverse
    # The point itself, projected on the line: no digits are lost for large or slanted triangles.
    q = (
        b0 * (x[0][0] - c[0]) + b1 * (x[1][0] - c[0]) + b2 * (x[2][0] - c[0]),
        b0 * (x[0][1] - c[1]) + b1 * (x[1][1] - c[1]) + b2 * (x[2][1] - c[1]),
        b0 * (x[0][2] - c[2]) + b1 * (x[1][2] - c[2]) + b2 * (x[2][2] - c[2]),
    )
    return dot(n, q), b0, b1


@inline_kernel
def walk_to_hit(corners: Doubles, neighbours: Ints, mark: Longs, floor: int, start: int, c: Vector, n: Vector) -> Hit:
    """Walk over the active triangles of the target towards the line (c, n), all in the target's own frame.

    From a triangle that the line does not meet to its neighbour across the side that the line passes farthest outside.
    ``mark``, ``floor``: triangles with a mark below the floor are not active. Triangle -1 if the walk ends at a border,
    leaves the active area, meets a triangle that faces away or takes too long: the caller then asks the tree.
    """
    t = start
    for _ in range(MAX_STEPS):
        x = triangle(corners, t)
        g = line_through(x, c, n)
        if g[0] + g[1] + g[2] <= 0.0:
            return Hit(-1, 0.0, 0.0, 0.0)
        least = min(g[0], min(g[1], g[2]))
        if least >= 0.0:
            u, b0, b1 = depth_along(x, c, n, g)
            return Hit(as_index(t), u, b0, b1)
        worst = 0 if g[0] == least else (1 if g[1] == least else 2)
        t = neighbours[t, worst]
        if t < 0 or mark[t] < floor:
            return Hit(-1, 0.0, 0.0, 0.0)
    return Hit(-1, 0.0, 0.0, 0.0)


@kernel
def first_hit(
    target: Side, c: Vector, n: Vector, reach: float, pad: float, active_only: bool, stack: Ints, report: ContactReport
) -> Hit:
    """First crossing of the line c + u·n, 0 < u ≤ reach (m; the target's own frame), with the target.

        (1) no crossing                       -> triangle -1
        (2) the first one enters the target   -> triangle -1: the line started outside
        (3) the first one leaves it           -> that
        (4) two triangles at one depth (a side between them) -> the lower number, so that the order does not matter

    With ``active_only`` other triangles do not count (S0.59). ``pad``: boxes grow by it (m). Triangles that are seen
    edge-on (total 0) do not count; their neighbours do.
    """
    mesh = target.mesh
    boxes = mesh.boxes
    corners = mesh.corners
    mark = target.mark
    floor = 4 * target.stamp
    inverse = inverse_direction(n)
    best = Hit(-1, reach, 0.0, 0.0)
    leaves = False
    depth = push_root(stack, mesh.n_triangles)
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        count = stack[depth, 2]
        # What lies beyond the best hit so far is left out.
        if not line_meets_box(boxes, node, c, inverse, best.depth + pad, pad):
            continue
        if count > 1:
            depth = push_children(stack, depth, node, leaf, count)
            continue
        if active_only and mark[leaf] < floor:
            continue
        report.line_checks += 1
        x = triangle(corners, leaf)
        g = line_through(x, c, n)
        total = g[0] + g[1] + g[2]
        outward = g[0] >= 0.0 and g[1] >= 0.0 and g[2] >= 0.0
        inward = g[0] <= 0.0 and g[1] <= 0.0 and g[2] <= 0.0
        if total == 0.0 or not (outward or inward):
            continue
        u, b0, b1 = depth_along(x, c, n, g)
        # (4)
        nearer = u < best.depth or (u == best.depth and (best.triangle < 0 or leaf < best.triangle))
        if u > 0.0 and nearer:
            best = Hit(as_index(leaf), u, b0, b1)
            leaves = total > 0.0
    if not leaves:  # (1), (2)
        return Hit(-1, 0.0, 0.0, 0.0)
    return best
