"""Cells of a base triangle, over which the depth is integrated: the triangle itself, or halves of halves of it.

A cell is bisected at the side between its first two corners (newest-vertex bisection, the longest side of the triangle
first): which cells there can be depends on the mesh alone, never on the pose. What of a cell lies inside the target is
a plane region, in coordinates of the reference triangle.
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.clipping import end_point, side_of_end
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.evaluation_view import Cells, Segments, Side
from polycontact.kernels.contact.plane_moments import REFERENCE, ROOT3, Point, put_edge
from polycontact.kernels.contact.sides import corners_of
from polycontact.kernels.geometry.vectors import Vector, add, dot, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import EQUAL_LENGTHS, SMALLEST_DIVISOR

Corners = tuple[Point, Point, Point]


class Plane(NamedTuple):
    """The plane of a base triangle in frame E: where reference coordinates are, and back."""

    origin: Vector
    along_x: Vector
    along_y: Vector
    dual_x: Vector
    dual_y: Vector


@inline_kernel
def plane_of(base: Side, pose: Pose, t: int) -> Plane:
    """The plane of triangle t; its corners are those of the reference triangle."""
    x = corners_of(base, pose, t)
    along_x = sub(x[1], x[0])
    along_y = scale(2.0 / ROOT3, sub(sub(x[2], x[0]), scale(0.5, along_x)))
    a = dot(along_x, along_x)
    b = dot(along_x, along_y)
    c = dot(along_y, along_y)
    inverse = 1.0 / max(a * c - b * b, SMALLEST_DIVISOR)
    dual_x = scale(inverse, sub(scale(c, along_x), scale(b, along_y)))
    dual_y = scale(inverse, sub(scale(a, along_y), scale(b, along_x)))
    return Plane(x[0], along_x, along_y, dual_x, dual_y)


@inline_kernel
def into_plane(plane: Plane, p: Vector) -> Point:
    """Reference coordinates of a point of frame E."""
    away = sub(p, plane.origin)
    return (dot(away, plane.dual_x), dot(away, plane.dual_y))


@inline_kernel
def from_plane(plane: Plane, p: Point) -> Vector:
    """Point of frame E with given reference coordinates."""
    return add(plane.origin, add(scale(p[0], plane.along_x), scale(p[1], plane.along_y)))


@kernel
def list_border(base: Side, segments: Segments, plane: Plane, t: int, state: int, first: int, cells: Cells) -> int:
    """The border of the inside part of cut triangle t in ``cells.edges`` from row ``first``: how many edges.

    Segments, and the inside stretches of the sides: from each crossing to the end of the side, back where it leaves,
    and the whole side where it starts inside, which together with one way back is the way to where it leaves; see
    `clipping`. 0 where there is no room for them.
    """
    edges = cells.edges
    ends = segments.ends
    kinds = segments.kinds
    following = segments.following
    is_f = base.is_f
    # exits: row of the way back to where the border leaves each side.
    n = first
    exits = (-1, -1, -1)
    segment = base.head[t]
    while segment >= 0:
        if n + 6 > cells.room:
            return 0
        a = into_plane(plane, end_point(ends, segment, is_f, True))
        b = into_plane(plane, end_point(ends, segment, is_f, False))
        n = put_edge(edges, n, a, b, 1.0 + segments.triangles[segment, 1 - is_f])
        i = side_of_end(kinds, segment, is_f, True)
        if i >= 0:
            exits = (n if i == 0 else exits[0], n if i == 1 else exits[1], n if i == 2 else exits[2])
            n = put_edge(edges, n, REFERENCE[(i + 1) % 3], a, 0.0)
        i = side_of_end(kinds, segment, is_f, False)
        if i >= 0:
            n = put_edge(edges, n, b, REFERENCE[(i + 1) % 3], 0.0)
        segment = following[is_f, segment]
    for i in range(3):
        if state & (1 << i):
            if exits[i] >= 0:
                edges[exits[i], 0] = REFERENCE[i][0]
                edges[exits[i], 1] = REFERENCE[i][1]
            else:
                n = put_edge(edges, n, REFERENCE[i], REFERENCE[(i + 1) % 3], 0.0)
    return n - first


@inline_kernel
def put_cell(
    cells: Cells, k: int, corners: Corners, depths: Vector, share: float, cell: int, first: int, n_edges: int
) -> None:
    """Write a cell to place k of the stack of those still to be looked at; ``n_edges`` -1: it lies wholly inside."""
    at = cells.corners
    for i in range(3):
        at[k, 2 * i] = corners[i][0]
        at[k, 2 * i + 1] = corners[i][1]
        cells.at_corners[k, i] = depths[i]
    cells.share[k] = share
    cells.cell[k] = cell
    cells.first_edge[k] = first
    cells.n_edges[k] = n_edges


@inline_kernel
def corners_of_cell(cells: Cells, k: int) -> Corners:
    """Corners of the cell at place k of the stack, in reference coordinates."""
    at = cells.corners
    return ((at[k, 0], at[k, 1]), (at[k, 2], at[k, 3]), (at[k, 4], at[k, 5]))


@kernel
def first_corner(base: Side, t: int) -> int:
    """Where the longest side of triangle t begins, in its own frame: the same in every pose."""
    corners = base.mesh.triangles
    vertices = base.mesh.vertices
    best = 0
    longest = -1.0
    for i in range(3):
        side = sub(row(vertices, corners[t, (i + 1) % 3]), row(vertices, corners[t, i]))
        length = dot(side, side)
        if length > (1.0 + EQUAL_LENGTHS) * longest:
            longest = length
            best = i
    return best
