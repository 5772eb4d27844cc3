"""Elements divided along the target's facets: where one facet is the nearest, the depth is its height, which is linear.

The points below facet t that are nearest to it lie between its walls (`geometry.facet_walls`), and nearer to its plane
than to those of its rivals (`geometry.rivals`): half-planes of the plane of the element, so that its cell
under t is what they leave of it, and the integrals over that are those of a linear function. From cell to cell all of
them are found that an element has. Where cells are missing, beside sharp concave edges or where a facet has too many
rivals, their areas do not add up to that of the element, and samples take over (`distance_elements`). A facet comes and
goes with a cell of no area, so nothing jumps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.base_cells import Plane
from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.distance_rows import NEVER, Part, append_row
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import LEVELS, Cells, Segments, Side, Work
from polycontact.kernels.contact.plane_moments import REFERENCE_AREA, Linear, keep_above, moments_within, value_at
from polycontact.kernels.contact.sides import to_own_direction, to_own_frame
from polycontact.kernels.geometry.facet_walls import GENTLE, Walls, is_walled
from polycontact.kernels.geometry.rivals import extent_of, list_below
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, add, as_index, dot, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.local_arrays import local_doubles
from polycontact.kernels.views import Doubles
from polycontact.tolerances import EPS

MOST_FACETS = 128
"""Facets that are looked at for an element. It is left to samples long before its cells are as many."""
_MOST_PIECES = 64
"""Pieces that a cell may have."""
_NO_AREA = 1e-12
"""Area that is not worth a piece; that of the reference triangle is 0.43."""

_KEPT = 12
"""Parts of a region that are kept at most while it is cut, and edges that this adds to one."""

_BY_FACETS = 1 << LEVELS + 1
"""Numbers of cells along facets begin here, above those of halves of halves."""

_seen_facets = local_doubles(MOST_FACETS, 1)
_new_pieces = local_doubles(_MOST_PIECES, 2)


class Border(NamedTuple):
    """Rows of `Cells.edges` with the border of a region: the first and how many."""

    first: int
    n: int


class Flat(NamedTuple):
    """The plane of an element in the target's frame: where its reference coordinates are."""

    origin: Vector
    along_x: Vector
    along_y: Vector


class FacetCells(NamedTuple):
    """The cells of an element: sum of their areas and of its squares, in squares of the reference coordinates."""

    area: float
    squares: float


@inline_kernel
def _height_below(mesh: SurfaceMesh, t: int, flat: Flat) -> Linear:
    """How far points of an element lie below the plane of facet t, m."""
    c = mesh.corners
    n = row(mesh.normals, t)
    return Linear(dot(n, sub((c[t, 0], c[t, 1], c[t, 2]), flat.origin)), -dot(n, flat.along_x), -dot(n, flat.along_y))


@inline_kernel
def _within_wall(walls: Walls, t: int, i: int, flat: Flat) -> Linear:
    """How far points of an element lie within the wall at side i of facet t, m."""
    p = walls.planes
    w = (p[t, 4 * i], p[t, 4 * i + 1], p[t, 4 * i + 2])
    return Linear(dot(w, flat.origin) - p[t, 4 * i + 3], dot(w, flat.along_x), dot(w, flat.along_y))


@inline_kernel
def _range_of(edges: Doubles, border: Border, linear: Linear) -> tuple[float, float]:
    """Least and greatest value of a linear function over a region, at the starts of its edges."""
    lowest = math.inf
    highest = -math.inf
    for k in range(border.first, border.first + border.n):
        value = value_at(linear, (edges[k, 0], edges[k, 1]))
        lowest = min(lowest, value)
        highest = max(highest, value)
    return lowest, highest


@inline_kernel
def _falls_below(edges: Doubles, border: Border, linear: Linear, least: float) -> bool:
    """Whether a linear function is less than ``least`` somewhere in a region."""
    for k in range(border.first, border.first + border.n):
        if linear.x * edges[k, 0] + linear.y * edges[k, 1] < least - linear.origin:
            return True
    return False


@inline_kernel
def _area_within(edges: Doubles, border: Border) -> float:
    """Area of a region, in squares of the reference coordinates."""
    double = 0.0
    for k in range(border.first, border.first + border.n):
        double += edges[k, 0] * edges[k, 3] - edges[k, 1] * edges[k, 2]
    return 0.5 * double


@inline_kernel
def _keep(edges: Doubles, border: Border, linear: Linear, top: int) -> Border:
    """The part of a region where a linear function is not negative, in rows from ``top`` on."""
    return Border(top, keep_above(edges, border.first, border.n, linear, top))


@inline_kernel
def _minus(linear: Linear) -> Linear:
    return Linear(-linear.origin, -linear.x, -linear.y)


@inline_kernel
def _is_zero(edges: Doubles, border: Border, linear: Linear, little: float) -> bool:
    """Whether a linear function that nowhere is much less than zero is nowhere much more either."""
    start = (edges[border.first, 0], edges[border.first, 1])
    return bool(value_at(linear, start) < little and _range_of(edges, border, linear)[1] < little)


@inline_kernel
def _is_between(mesh: SurfaceMesh, t: int, s: int) -> bool:
    """Whether an element in the plane that halves the angle between facets t and s counts with s: once, not twice."""
    return bool(s < t and dot(row(mesh.normals, t), row(mesh.normals, s)) < GENTLE)


@inline_kernel
def _note(seen: Doubles, n: int, t: int) -> int:
    """Note a facet to be looked at, once; how many are noted."""
    if t < 0 or n == MOST_FACETS:
        return n
    for i in range(n):
        if seen[i, 0] == t:
            return n
    seen[n, 0] = t
    return n + 1


@kernel
def _leave_out(
    target: Side, s: int, flat: Flat, linear: Linear, little: float, pieces: Doubles, n: int, top: int, cells: Cells
) -> tuple[int, int]:
    """Take out of the pieces of a cell what lies under facet s, within its walls, where a linear function is negative.

    Beyond its walls the plane of a facet may run on below others, nearer than they are, and means nothing; not so where
    the target is convex. Returns how many pieces there are, and from which row of `Cells.edges` on there is room; no
    piece where there is none.
    """
    edges = cells.edges
    is_walled(target.mesh, target.walls, s)
    for j in range(n):
        piece = Border(as_index(int(pieces[j, 0])), as_index(int(pieces[j, 1])))
        if not _falls_below(edges, piece, linear, -little):
            continue
        if top + _KEPT * (2 * piece.n + _KEPT) > cells.room or n + 4 > _MOST_PIECES:
            return 0, top
        if target.mesh.convex:
            piece = _keep(edges, piece, linear, top)
            pieces[j, 0] = piece.first
            pieces[j, 1] = piece.n
            top += piece.n
            continue
        under = _keep(edges, piece, _minus(linear), top)
        row_after = top + under.n
        n_after = n
        for i in range(4):
            bound = _within_wall(target.walls, s, i, flat) if i < 3 else _height_below(target.mesh, s, flat)
            if _falls_below(edges, under, bound, -little):
                beside = _keep(edges, under, _minus(bound), row_after)
                row_after += beside.n
                if _area_within(edges, beside) > _NO_AREA:
                    pieces[n_after, 0] = beside.first
                    pieces[n_after, 1] = beside.n
                    n_after += 1
                under = _keep(edges, under, bound, row_after)
                row_after += under.n
        if _area_within(edges, under) > _NO_AREA:
            piece = _keep(edges, piece, linear, row_after)
            pieces[j, 0] = piece.first
            pieces[j, 1] = piece.n
            top = row_after + piece.n
            n = n_after
    return n, top


@kernel
def _cell_under(
    target: Side,
    t: int,
    flat: Flat,
    border: Border,
    top: int,
    seen: Doubles,
    n_seen: int,
    pieces: Doubles,
    cells: Cells,
    work: Work,
) -> tuple[int, int]:
    """The cell of an element under facet t in pieces, in rows of `Cells.edges` from ``top`` on: how many pieces.

    And how many facets are noted: those that cut it are added.
    """
    mesh = target.mesh
    rivals = target.rivals
    edges = cells.edges
    little = 16.0 * EPS * extent_of(mesh)
    beside = (as_index(mesh.neighbours[t, 0]), as_index(mesh.neighbours[t, 1]), as_index(mesh.neighbours[t, 2]))
    is_walled(mesh, target.walls, t)
    for i in range(3):
        s = beside[i]
        linear = _within_wall(target.walls, t, i, flat)
        if _falls_below(edges, border, linear, -little):
            n_seen = _note(seen, n_seen, s)
            border = _keep(edges, border, linear, top)
            top += border.n
        elif s >= 0 and _is_between(mesh, t, s) and _is_zero(edges, border, linear, little):
            return 0, _note(seen, n_seen, s)
        if border.n == 0:
            return 0, n_seen
    own = _height_below(mesh, t, flat)
    highest, deepest = _range_of(edges, border, own)
    if highest < -little:
        border = _keep(edges, border, own, top)
        top += border.n
    certain = list_below(mesh, rivals, t, deepest, work.stack)
    if deepest > certain:
        border = _keep(edges, border, Linear(certain - own.origin, -own.x, -own.y), top)
        top += border.n
    n = 1
    pieces[0, 0] = border.first
    pieces[0, 1] = border.n
    for i in range(rivals.length[2 * t]):
        s = as_index(rivals.listed[2 * t, i])
        if s == beside[0] or s == beside[1] or s == beside[2]:
            continue
        other = _height_below(mesh, s, flat)
        linear = Linear(other.origin - own.origin, other.x - own.x, other.y - own.y)
        if _falls_below(edges, border, linear, -little):
            n_seen = _note(seen, n_seen, s)
            n, top = _leave_out(target, s, flat, linear, little, pieces, n, top, cells)
        elif _is_between(mesh, t, s) and _is_zero(edges, border, linear, little):
            return 0, _note(seen, n_seen, s)
    return n, n_seen


@kernel
def _part_under(
    mesh: SurfaceMesh, t: int, plane: Plane, flat: Flat, own_normal: Vector, pieces: Doubles, n: int, edges: Doubles
) -> tuple[float, Part]:
    """Area of the cell under facet t, in squares of the reference coordinates, and φ over it."""
    own = _height_below(mesh, t, flat)
    area = 0.0
    load = 0.0
    load_x = 0.0
    load_y = 0.0
    squares = 0.0
    deepest = 0.0
    for j in range(n):
        piece = Border(as_index(int(pieces[j, 0])), as_index(int(pieces[j, 1])))
        region = moments_within(edges, piece.first, piece.n)
        if not region.area > 0.0:
            continue
        depth = max(value_at(own, (region.x, region.y)), 0.0)
        along_x = region.xx * own.x + region.xy * own.y
        along_y = region.xy * own.x + region.yy * own.y
        area += region.area
        load += region.area * depth
        load_x += region.area * (depth * region.x + along_x)
        load_y += region.area * (depth * region.y + along_y)
        squares += region.area * (depth * depth + own.x * along_x + own.y * along_y)
        deepest = max(deepest, _range_of(edges, piece, own)[1])
    inverse = 1.0 / area if area > 0.0 else 0.0
    along = add(scale(inverse * load_x, plane.along_x), scale(inverse * load_y, plane.along_y))
    moment = add(scale(inverse * load, plane.origin), along)
    cosine = dot(own_normal, row(mesh.normals, t))
    slope = max(1.0 - cosine * cosine, 0.0)
    return area, Part(inverse * load, moment, inverse * squares * cosine, deepest, slope, as_index(t))


@kernel
def add_facet_cells(
    base: Side,
    target: Side,
    pose: Pose,
    triangle: int,
    plane: Plane,
    border: Border,
    start: int,
    segments: Segments,
    segment: int,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> FacetCells:
    """Append the cells of an element of a base triangle, from those under facet ``start``, and where it is cut, on.

    ``segment``: the first of a cut triangle, or -1.
    """
    mesh = target.mesh
    normal = base_direction(base, pose, triangle)
    own_normal = to_own_direction(target, pose, normal)
    flat = Flat(
        to_own_frame(target, pose, plane.origin),
        to_own_direction(target, pose, plane.along_x),
        to_own_direction(target, pose, plane.along_y),
    )
    area_of = base.mesh.areas[triangle] / REFERENCE_AREA
    total = 0.0
    squares = 0.0
    pieces = _new_pieces()
    seen = _seen_facets()
    seen[0, 0] = start
    top = max(cells.n_border, border.first + border.n)
    n_seen = 1 if top + _KEPT * (2 * border.n + _KEPT) <= cells.room else 0
    while segment >= 0 and n_seen > 0:
        n_seen = _note(seen, n_seen, as_index(segments.triangles[segment, target.is_f]))
        segment = as_index(segments.following[1 - target.is_f, segment])
    k = 0
    while k < n_seen:
        t = as_index(int(seen[k, 0]))
        k += 1
        n, n_seen = _cell_under(target, t, flat, border, top, seen, n_seen, pieces, cells, work)
        if n == 0 or not is_walled(mesh, target.walls, t):
            continue
        area, part = _part_under(mesh, t, plane, flat, own_normal, pieces, n, cells.edges)
        if area > 0.0:
            total += area
            squares += area * area
            number = _BY_FACETS + t % _BY_FACETS
            append_row(base, triangle, number, area_of * area, normal, part, 0.0, NEVER, elements, cells, report)
            report.subdivisions += 1
    return FacetCells(total, squares)
