"""Elements divided along the target's facets: where one facet is the nearest, the depth is its height, which is linear
(decision 0026).

Problem: integrate φ exactly over an element where the facets of the target are as large as the element.
In: the border of an element, the facet below its mean. Out: integrals of φ over its cells, and their area.

      element, seen along its normal     Its cell under facet t is what half-planes leave of it:
      +-----------------+                  (1) the three walls of t (`geometry.facet_walls`): beyond, a neighbour is
      |  t1   /   t2    |                      nearer. Where a wall cuts, the neighbour is noted, to be looked at next
      |______/__________|                  (2) the plane of t: below it only
      |  t3  |    t4    |                  (3) how far the rivals of t are known (`geometry.rivals`)
      +------+----------+                  (4) rivals at convex corners of t: their planes, unless the guard of the
                                               corner (`geometry.corner_guards`) tells that none matters
                                           (5) rivals elsewhere: what lies under them, within their walls, is taken
                                               out; the rest is kept in pieces
                                           (6) the element lies in the plane that halves the angle to a facet with a
                                               lower number, or in the wall at a flat edge: it counts there, once

Then one goes from noted facet to noted facet until none is left. The integrals over each cell are those of a linear
function over a polygon. Where cells are missing, beside sharp concave edges or where a facet has too many rivals, their
areas do not add up to that of the element, and samples take over (`distance_elements`). A facet comes and goes with a
cell of no area, so nothing jumps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.base_cells import plane_of
from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.concave_edges import (
    EdgeSums,
    Nearer,
    away_from,
    beside_no_line,
    line_of,
    nearer_at,
    put_walls,
    sum_over_edge_cell,
)
from polycontact.kernels.contact.corner_rows import (
    FIRST_VALUE,
    GREATEST,
    LEAST,
    N_COLUMNS,
    N_FUNCTION_ROWS,
    functions_over,
)
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.error_budget import smooth_step
from polycontact.kernels.contact.evaluation_view import Side, Work
from polycontact.kernels.contact.facet_sums import (
    N_FOUND,
    FacetCells,
    keep_found,
    keep_gradients,
    part_of_cells,
    put_in_order,
    sum_in_order,
)
from polycontact.kernels.contact.gradient_sums import (
    add_edge_gradients,
    add_moments,
)
from polycontact.kernels.contact.plane_moments import Linear
from polycontact.kernels.contact.polygons import (
    SCRATCH,
    Polygon,
    Sums,
    area_within,
    clip,
    fill,
    fill_four,
    find_least,
    function_of,
    highest_depth,
    link_border,
    negate,
    sum_over,
)
from polycontact.kernels.contact.sides import to_own_direction, to_own_frame
from polycontact.kernels.geometry.corner_guards import prepare_guards
from polycontact.kernels.geometry.facet_walls import (
    GENTLE,
    OWN,
    Walled,
    Walls,
    is_halving,
    is_sharp,
    is_walled,
    plane_normal,
)
from polycontact.kernels.geometry.rivals import extent_of, list_below
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, as_index, dot, norm, row
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.local_arrays import local_doubles
from polycontact.kernels.views import Doubles
from polycontact.tolerances import EPS, NO_CELL_AREA, UNCOVERED

MOST_FACETS = 1024
"""Facets that are looked at for an element; most of them have no cell."""
_MOST_FOUND = 256
"""Facets that may have cells. An element with more is left to samples: those found first would hang on the way."""
_MOST_PIECES = 64
"""Pieces that a cell may have."""
_ROOM = 1024
"""Corners of polygons that fit: those of an element, and of its cell under one facet while it is cut."""
_MOST_LOOPS = 8
"""Loops that the border of an element may have."""

_corners = local_doubles(_ROOM, N_COLUMNS)
_functions = local_doubles(N_FUNCTION_ROWS, 4)
_loops = local_doubles(_MOST_LOOPS, 2)
_seen_facets = local_doubles(MOST_FACETS, 1)
_found = local_doubles(_MOST_FOUND, N_FOUND)
_in_order = local_doubles(_MOST_FOUND, 2)
_new_pieces = local_doubles(_MOST_PIECES, 2)
_edge_planes = local_doubles(1, 16)


class Border(NamedTuple):
    """Rows of `Cells.edges` with the border of a region: the first and how many."""

    first: int
    n: int


class Flat(NamedTuple):
    """The plane of an element in the target's frame, where its reference coordinates are.

    ``little``: a distance that is nothing but rounding, m.
    """

    origin: Vector
    along_x: Vector
    along_y: Vector
    little: float


@inline_kernel
def _over_plane(planes: Doubles, t: int, i: int, flat: Flat) -> Linear:
    """How far points of an element lie over one of the four planes of facet t, m."""
    n = plane_normal(planes, t, i)
    return Linear(dot(n, flat.origin) + planes[t, 12 + i], dot(n, flat.along_x), dot(n, flat.along_y))


@inline_kernel
def _minus(a: Linear, b: Linear) -> Linear:
    return Linear(a.origin - b.origin, a.x - b.x, a.y - b.y)


@inline_kernel
def _is_between(mesh: SurfaceMesh, t: int, s: int) -> bool:
    """Whether an element in the plane that halves the angle between facets t and s counts with s: once, not twice."""
    return bool(s < t and dot(row(mesh.normals, t), row(mesh.normals, s)) < GENTLE)


@inline_kernel
def _note(walls: Walls, seen: Doubles, n: int, t: int) -> int:
    """Note a facet to be looked at, once; how many are noted."""
    if t < 0 or n == MOST_FACETS or walls.noted[t] == walls.element:
        return n
    walls.noted[t] = walls.element
    seen[n, 0] = t
    return n + 1


@inline_kernel
def _piece(pieces: Doubles, j: int) -> Polygon:
    return Polygon(as_index(int(pieces[j, 0])), as_index(int(pieces[j, 1])))


@inline_kernel
def _put_piece(pieces: Doubles, j: int, polygon: Polygon) -> None:
    """Note a polygon as piece j of a cell."""
    pieces[j, 0] = polygon.first
    pieces[j, 1] = polygon.n


@inline_kernel
def _fill_nearer(at: Doubles, polygon: Polygon, nearer: Nearer) -> float:
    """Write how much nearer a rival is to the last column of a polygon; the least of it."""
    low = math.inf
    for k in range(polygon.first, polygon.first + polygon.n):
        value = nearer_at(nearer, at[k, 0], at[k, 1])
        at[k, SCRATCH] = value
        low = min(low, value)
    return low


@kernel
def _leave_out(
    planes: Doubles, s: int, flat: Flat, nearer: Nearer, pieces: Doubles, n: int, top: int, at: Doubles
) -> tuple[int, int]:
    """Take out of the pieces of a cell what lies within the four planes of row s, where ``nearer`` is negative.

    They enclose what a facet, or a concave edge, can be the nearest to: beyond its walls the plane of a facet may run
    on below others, nearer than they are, and means nothing. Returns how many pieces there are, and from which row of
    corners on there is room; no piece where there is none.

    Each piece is divided: kept, where the rival is not nearer; and of the rest, what lies beside each of its walls in
    turn. Only what lies within all walls is taken out.
    """
    for j in range(n):
        piece = _piece(pieces, j)
        if not _fill_nearer(at, piece, nearer) < -flat.little:
            continue
        if top + 12 * (piece.n + 6) > _ROOM or n + 4 > _MOST_PIECES:
            return 0, top
        # What the rival is not nearer to, and the rest.
        kept = clip(at, piece, SCRATCH, top)
        negate(at, piece)
        under = clip(at, piece, SCRATCH, top + kept.n)
        row_after = top + kept.n + under.n
        n_after = n
        for i in range(4):
            if fill(at, under, _over_plane(planes, s, i, flat))[0] < -flat.little:
                within = clip(at, under, SCRATCH, row_after)
                negate(at, under)
                beside = clip(at, under, SCRATCH, row_after + within.n)
                row_after += within.n + beside.n
                if area_within(at, beside) > NO_CELL_AREA:
                    _put_piece(pieces, n_after, beside)
                    n_after += 1
                under = within
        # Nothing was taken out: the piece stays as it was, and what was cut of it is dropped.
        if area_within(at, under) > NO_CELL_AREA:
            _put_piece(pieces, j, kept)
            top = row_after
            n = n_after
    return n, top


@apart_kernel
def _leave_out_edges(
    target: Side, t: int, flat: Flat, own: Linear, pieces: Doubles, n: int, top: int, at: Doubles
) -> tuple[int, int]:
    """Take out of the pieces of a cell under facet t what sharp concave edges of its rivals are nearer to."""
    mesh = target.mesh
    planes = _edge_planes()
    above = Linear(-own.origin, -own.x, -own.y)
    for k in range(target.rivals.length[2 * t]):
        s = as_index(target.rivals.below[t, k])
        if target.walls.kind[s] != Walled.BESIDE_SHARP_EDGE:
            continue
        for i in range(3):
            if is_sharp(mesh, s, i) and mesh.neighbours[s, i] != t and put_walls(mesh, s, i, planes) > 0.0:
                line = line_of(mesh, s, i, flat.origin, flat.along_x, flat.along_y)
                n, top = _leave_out(planes, 0, flat, Nearer(above, 1.0, line), pieces, n, top, at)
    return n, top


@apart_kernel
def _add_edge_cell(
    target: Side,
    t: int,
    i: int,
    flat: Flat,
    loop: Polygon,
    top: int,
    at: Doubles,
    own_normal: Vector,
    sums: EdgeSums,
    work: Work,
) -> EdgeSums:
    """Add the cell under side i of facet t, a sharp concave edge, of a loop of corners to ``sums``.

    Left out, so that samples take over, where the rivals of its two facets are too many to be listed.
    """
    # What of the loop lies beyond both facets' walls, and between the planes across the ends of the edge.
    mesh, walls, rivals = target.mesh, target.walls, target.rivals
    planes = _edge_planes()
    reach = put_walls(mesh, t, i, planes)
    cell = loop
    for j in range(4):
        low, high = fill(at, cell, _over_plane(planes, 0, j, flat))
        if not high > flat.little:
            return sums  # in the plane of a wall it counts with the facet
        if low < 0.0:
            cell = clip(at, cell, SCRATCH, top)
            top += cell.n
    line = line_of(mesh, t, i, flat.origin, flat.along_x, flat.along_y)
    deepest = 0.0
    for k in range(cell.first, cell.first + cell.n):
        deepest = max(deepest, norm(away_from(line, at[k, 0], at[k, 1])))
    if not reach * deepest > 0.0:
        return sums
    # What facets elsewhere, rivals of either facet, are nearer to is taken out.
    pieces = _new_pieces()
    _put_piece(pieces, 0, cell)
    n = 1
    other = as_index(mesh.neighbours[t, i])
    for side in range(2):
        facet = as_index(t) if side == 0 else other
        if list_below(mesh, rivals, facet, reach * deepest, work.stack) < math.inf:
            return sums
        prepare_guards(mesh, walls, rivals, facet)
        for k in range(rivals.length[2 * facet]):
            s = as_index(rivals.below[facet, k])
            if s != t and s != other:
                nearer = Nearer(_over_plane(walls.planes, s, OWN, flat), -1.0, line)
                n, top = _leave_out(walls.planes, s, flat, nearer, pieces, n, top, at)
    for j in range(n):
        sums = sum_over_edge_cell(at, _piece(pieces, j), line, own_normal, sums)
        if target.cells.wanted == 1:
            add_edge_gradients(at, _piece(pieces, j), line, target.cells.sums)
    return sums


@apart_kernel
def _add_in_pieces(
    target: Side,
    t: int,
    flat: Flat,
    cell: Polygon,
    top: int,
    at: Doubles,
    seen: Doubles,
    n_seen: int,
    sums: Sums,
) -> tuple[Sums, int]:
    """Add what rivals elsewhere than at convex corners leave of a cell under facet t; how many facets are noted."""
    mesh = target.mesh
    walls = target.walls
    own = _over_plane(walls.planes, t, OWN, flat)
    pieces = _new_pieces()
    _put_piece(pieces, 0, cell)
    n = 1
    for i in range(walls.ends[t, 2], walls.ends[t, 3]):
        s = as_index(target.rivals.below[t, i])
        nearer = _minus(_over_plane(walls.planes, s, OWN, flat), own)
        low, high = fill(at, cell, nearer)
        if low < -flat.little:
            n_seen = _note(walls, seen, n_seen, s)
            n, top = _leave_out(walls.planes, s, flat, beside_no_line(nearer), pieces, n, top, at)
        elif high < flat.little and _is_between(mesh, t, s):
            return sums, _note(walls, seen, n_seen, s)
    if walls.near_sharp[t] == 1:
        n, top = _leave_out_edges(target, t, flat, own, pieces, n, top, at)
    for j in range(n):
        sums = sum_over(at, _piece(pieces, j), sums)
        if target.cells.wanted == 1:
            add_moments(at, _piece(pieces, j), target.cells.moments)
    return sums, n_seen


@kernel
def _add_cell_under(
    target: Side,
    t: int,
    flat: Flat,
    loop: Polygon,
    top: int,
    at: Doubles,
    seen: Doubles,
    n_seen: int,
    sums: Sums,
    work: Work,
) -> tuple[Sums, int]:
    """Add the cell under facet t of a loop of corners to ``sums``; rows of corners from ``top`` on are free.

    And how many facets are noted: those that cut it are added.
    """
    mesh = target.mesh
    walls = target.walls
    functions = _functions()
    functions_over(walls.planes, t, flat.origin, flat.along_x, flat.along_y, functions)
    own = function_of(functions, OWN)
    fill_four(at, loop, top, functions)
    lows = functions[LEAST]
    highs = functions[GREATEST]
    beyond = False
    for i in range(3):  # (1)
        if lows[i] < -flat.little:
            n_seen = _note(walls, seen, n_seen, as_index(mesh.neighbours[t, i]))
            if not highs[i] > 0.0:
                beyond = True
        elif highs[i] < flat.little:  # (6)
            s = as_index(mesh.neighbours[t, i])
            if s >= 0 and s < t and is_halving(mesh, t, i):
                return sums, _note(walls, seen, n_seen, s)
    if beyond or not highs[3] > 0.0:
        return sums, n_seen
    cell = Polygon(as_index(top), loop.n)
    top += loop.n
    for i in range(4):  # (1), (2)
        if lows[i] < -flat.little:
            cell = clip(at, cell, FIRST_VALUE + i, top)
            top += cell.n
    deepest = highest_depth(at, cell)
    if not deepest > 0.0:
        return sums, n_seen
    rivals = target.rivals
    certain = list_below(mesh, rivals, t, deepest, work.stack)
    if deepest > certain:  # (3)
        fill(at, cell, Linear(certain - own.origin, -own.x, -own.y))
        cell = clip(at, cell, SCRATCH, top)
        top += cell.n
    prepare_guards(mesh, walls, rivals, t)
    functions_over(walls.guards, t, flat.origin, flat.along_x, flat.along_y, functions)
    find_least(at, cell, functions)
    start = as_index(0)
    for corner in range(3):
        end = as_index(walls.ends[t, corner])
        if functions[LEAST, corner] < flat.little:  # (4)
            for i in range(start, end):
                s = as_index(rivals.below[t, i])
                low, high = fill(at, cell, _minus(_over_plane(walls.planes, s, OWN, flat), own))
                if low < -flat.little:
                    n_seen = _note(walls, seen, n_seen, s)
                    cell = clip(at, cell, SCRATCH, top)
                    top += cell.n
                elif high < flat.little and _is_between(mesh, t, s):
                    return sums, _note(walls, seen, n_seen, s)
        start = end
    if start < walls.ends[t, 3] or walls.near_sharp[t] == 1:  # (5)
        return _add_in_pieces(target, t, flat, cell, top, at, seen, n_seen, sums)
    if target.cells.wanted == 1:
        add_moments(at, cell, target.cells.moments)
    return sum_over(at, cell, sums), n_seen


@inline_kernel
def share_covered(found: FacetCells, area: float) -> float:
    """How far the cells of an element can stand for it: as their areas add up to its own, ``area``."""
    return 1.0 - smooth_step((abs(found.area / area - 1.0) - UNCOVERED[0]) / (UNCOVERED[1] - UNCOVERED[0]))


@kernel
def integrate_along_facets(meeting: Encounter, triangle: int, border: Border, start: int) -> FacetCells:
    """φ over a part of a base triangle from its cells: those under facet ``start`` and under the facets on its border,
    and where these are cut, on.

    How far rivals are listed, which depends on what was evaluated before, matters to the way from facet to facet: cells
    are summed up in the order of the facets' numbers.
    """
    base, target, pose, cells = meeting.base, meeting.target, meeting.pose, meeting.cells
    mesh = target.mesh
    plane = plane_of(base, pose, triangle)
    own_normal = to_own_direction(target, pose, base_direction(base, pose, triangle))
    flat = Flat(
        to_own_frame(target, pose, plane.origin),
        to_own_direction(target, pose, plane.along_x),
        to_own_direction(target, pose, plane.along_y),
        16.0 * EPS * extent_of(mesh),
    )
    at = _corners()
    loops = _loops()
    n_loops = link_border(cells.edges, border.first, border.n, at, loops, _MOST_LOOPS)
    seen = _seen_facets()
    target.walls.element += 1
    n_seen = as_index(0)
    if n_loops > 0:
        n_seen = _note(target.walls, seen, n_seen, start)
        for k in range(border.first, border.first + border.n):
            if cells.edges[k, 4] > 0.0:
                n_seen = _note(target.walls, seen, n_seen, as_index(int(cells.edges[k, 4]) - 1))
    # From facet to facet: what lies under each
    found, order = _found(), _in_order()
    n_found = as_index(0)
    k = 0
    while k < n_seen and n_found < _MOST_FOUND:
        t = as_index(int(seen[k, 0]))
        k += 1
        walled = is_walled(mesh, target.walls, t)
        under = EdgeSums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        sums = Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for j in range(n_loops):
            loop = Polygon(as_index(int(loops[j, 0])), as_index(int(loops[j, 1])))
            sums, n_seen = _add_cell_under(target, t, flat, loop, border.n, at, seen, n_seen, sums, meeting.work)
            if not walled:
                for i in range(3):
                    if t < mesh.neighbours[t, i] and is_sharp(mesh, t, i):  # each edge once
                        room = as_index(border.n)
                        under = _add_edge_cell(target, t, i, flat, loop, room, at, own_normal, under, meeting.work)
        if target.cells.wanted == 1:
            keep_gradients(found, n_found, target)
        if sums.area > 0.0 or under.area > 0.0:
            keep_found(found, n_found, sums, under)
            put_in_order(order, n_found, t)
            n_found += 1
    if n_found == _MOST_FOUND or n_seen == MOST_FACETS:
        n_found = as_index(0)
    whole = sum_in_order(meeting, own_normal, found, order, n_found, start)
    meeting.report.subdivisions += n_found
    return FacetCells(0.5 * whole.area, part_of_cells(plane, whole))
