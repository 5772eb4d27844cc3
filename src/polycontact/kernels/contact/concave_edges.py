r"""Cells of sharp concave edges, where such an edge of the target is nearest and the depth is the distance to its line.

Problem: beside a concave edge of the target, points are nearest to the edge itself. Up to 30° they count as nearest to
a facet beside it (`geometry.facet_walls`); at sharper edges the depth is not the height over a facet, and not linear.
In: a part of a base triangle and an edge. Out: integrals of the depth over the part's cell under the edge.

      outside   |  t         The cell lies beyond the upright walls of both facets t and s, between the planes across
      ----------+            the ends of the edge, and where no facet is nearer. The distance from a line is smooth
       s        |\  wall     there: each triangle between the middle and a side of the cell gets the seven points of
             ___| \ of s     Radon's rule of degree 5. Where a facet elsewhere is as near as the edge, the cell ends
             wall  \         at a curve, which polygons follow by chords between their corners.
             of t
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.plane_moments import Linear
from polycontact.kernels.contact.polygons import Polygon, area_within
from polycontact.kernels.geometry.facet_walls import put_plane
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import NO_CELL_AREA, SHARPEST_EDGE

_ROOT15 = math.sqrt(15.0)
_INNER = (6.0 + _ROOT15) / 21.0
_OUTER = (6.0 - _ROOT15) / 21.0
EDGE_RULE: tuple[tuple[float, float, float], ...] = (
    (1.0 / 3.0, 1.0 / 3.0, 9.0 / 40.0),
    (_INNER, _INNER, (155.0 + _ROOT15) / 1200.0),
    (_INNER, 1.0 - 2.0 * _INNER, (155.0 + _ROOT15) / 1200.0),
    (1.0 - 2.0 * _INNER, _INNER, (155.0 + _ROOT15) / 1200.0),
    (_OUTER, _OUTER, (155.0 - _ROOT15) / 1200.0),
    (_OUTER, 1.0 - 2.0 * _OUTER, (155.0 - _ROOT15) / 1200.0),
    (1.0 - 2.0 * _OUTER, _OUTER, (155.0 - _ROOT15) / 1200.0),
)
"""Radon's rule: barycentric coordinates of corners 1 and 2, and weights."""


class EdgeLine(NamedTuple):
    """The line of an edge as seen from the plane of an element (target's frame): from a point of it to the origin of
    the plane, and the axes of the plane, all without their parts along the line."""

    origin: Vector
    along_x: Vector
    along_y: Vector


@inline_kernel
def _across(v: Vector, along: Vector) -> Vector:
    """A vector without its part along a unit vector."""
    return sub(v, scale(dot(v, along), along))


@inline_kernel
def away_from(line: EdgeLine, x: float, y: float) -> Vector:
    """From the line to a point of the element, across it."""
    return add(line.origin, add(scale(x, line.along_x), scale(y, line.along_y)))


@kernel
def line_of(mesh: SurfaceMesh, t: int, i: int, origin: Vector, along_x: Vector, along_y: Vector) -> EdgeLine:
    """The line of side i of facet t, seen from the plane of an element."""
    x = triangle(mesh.corners, t)
    side = sub(x[(i + 1) % 3], x[i])
    along = scale(1.0 / norm(side), side)
    return EdgeLine(_across(sub(origin, x[i]), along), _across(along_x, along), _across(along_y, along))


@kernel
def put_walls(mesh: SurfaceMesh, t: int, i: int, planes: Doubles) -> float:
    """Write the four planes around the cell of side i of facet t to row 0 of ``planes``; up to how many times the depth
    rivals of both its facets must be listed; 0 where the edge is too sharp for that."""
    s = mesh.neighbours[t, i]
    n, m = row(mesh.normals, t), row(mesh.normals, s)
    cosine = dot(n, m)
    if cosine < SHARPEST_EDGE:
        return 0.0
    x = triangle(mesh.corners, t)
    a, b = x[i], x[(i + 1) % 3]
    along = scale(1.0 / norm(sub(b, a)), sub(b, a))
    put_plane(planes, 0, 0, cross(along, n), a)
    put_plane(planes, 0, 1, cross(m, along), a)
    put_plane(planes, 0, 2, along, a)
    put_plane(planes, 0, 3, scale(-1.0, along), b)
    return math.sqrt(2.0 / (1.0 + cosine))


class Nearer(NamedTuple):
    """How much nearer a rival is than what a cell belongs to: a linear function and ``sign`` times the distance from a
    line; negative where it is nearer."""

    linear: Linear
    sign: float
    line: EdgeLine


@inline_kernel
def beside_no_line(linear: Linear) -> Nearer:
    """Of two facets: the difference of their heights alone."""
    nothing = (0.0, 0.0, 0.0)
    return Nearer(linear, 0.0, EdgeLine(nothing, nothing, nothing))


@inline_kernel
def nearer_at(nearer: Nearer, x: float, y: float) -> float:
    """Its value at a point of the element, m."""
    value = nearer.linear.origin + nearer.linear.x * x + nearer.linear.y * y
    if nearer.sign != 0.0:
        value += nearer.sign * norm(away_from(nearer.line, x, y))
    return value


class EdgeSums(NamedTuple):
    """Integrals over cells of edges: twice the area; ∫ h, ∫ h x, ∫ h y, ∫ h² ∇φ·n and ∫ sin² times 2, h the depth; and
    its greatest value."""

    area: float
    load: float
    load_x: float
    load_y: float
    energy: float
    slope: float
    deepest: float


@inline_kernel
def centre_of(at: Doubles, polygon: Polygon, area: float) -> tuple[float, float]:
    """Mean of a polygon of a given area: it does not jump where corners come and go, as their own mean would."""
    ox, oy = at[polygon.first, 0], at[polygon.first, 1]
    x = 0.0
    y = 0.0
    for k in range(polygon.first + 1, polygon.first + polygon.n - 1):
        ax, ay = at[k, 0] - ox, at[k, 1] - oy
        bx, by = at[k + 1, 0] - ox, at[k + 1, 1] - oy
        w = ax * by - ay * bx
        x += w * (ax + bx)
        y += w * (ay + by)
    return ox + x / (6.0 * area), oy + y / (6.0 * area)


@kernel
def sum_over_edge_cell(at: Doubles, polygon: Polygon, line: EdgeLine, own_normal: Vector, sums: EdgeSums) -> EdgeSums:
    """Add the integrals over a polygon under an edge; ``own_normal`` of the element, into the base."""
    whole = area_within(at, polygon)
    if polygon.n < 3 or not abs(whole) > NO_CELL_AREA:
        return sums
    area, load, load_x, load_y, energy, slope, deepest = sums
    ox, oy = centre_of(at, polygon, whole)
    last = polygon.first + polygon.n - 1
    for k in range(polygon.first, polygon.first + polygon.n):
        ax, ay = at[last, 0] - ox, at[last, 1] - oy
        bx, by = at[k, 0] - ox, at[k, 1] - oy
        last = k
        w = ax * by - ay * bx
        area += w
        deepest = max(deepest, norm(away_from(line, at[k, 0], at[k, 1])))
        for r in range(7):
            x = ox + EDGE_RULE[r][0] * ax + EDGE_RULE[r][1] * bx
            y = oy + EDGE_RULE[r][0] * ay + EDGE_RULE[r][1] * by
            away = away_from(line, x, y)
            h = norm(away)
            own = w * EDGE_RULE[r][2] * h
            # ∇φ is along ``away``, and h times it is ``away`` itself.
            cosine = dot(own_normal, away)
            load += own
            load_x += own * x
            load_y += own * y
            energy -= own * cosine
            slope += w * EDGE_RULE[r][2] * max(1.0 - cosine * cosine / (h * h), 0.0) if h > 0.0 else 0.0
    return EdgeSums(area, load, load_x, load_y, energy, slope, deepest)
