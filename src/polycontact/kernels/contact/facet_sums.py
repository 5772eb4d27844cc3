"""Sums over the cells of an element along facets, facet by facet, in the order of the facets' numbers.

Problem: on which way one goes from facet to facet depends on how far rivals are listed, and that on what was evaluated
before; sums in that order would differ in their last bits. In: what lies under each facet, as it is found. Out: sums
over all of them in an order of their own.
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.base_cells import Plane
from polycontact.kernels.contact.concave_edges import EdgeSums
from polycontact.kernels.contact.distance_rows import Part
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.evaluation_view import Side
from polycontact.kernels.contact.gradient_sums import N_SUMS, add_facet, add_turned, divide_by_area
from polycontact.kernels.contact.polygons import Sums
from polycontact.kernels.contact.sides import from_own_direction
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, add, as_index, dot, row, scale
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import NO_CELL_AREA

_N_SUMS, _N_EDGE_SUMS, _N_MOMENTS = 6, 7, 6
N_FOUND = _N_SUMS + _N_EDGE_SUMS + _N_MOMENTS + N_SUMS
"""What is found under a facet: `Sums` of its cells, `EdgeSums` of those under its edges, and of ∇φ the moments of its
cells and sums under its edges."""


class CellSums(NamedTuple):
    """Sums over the cells of an element: as in `Sums`; of ∫ h² ∇φ·n; of the squared slopes of φ, by area; and which
    facet carries most."""

    area: float
    load: float
    load_x: float
    load_y: float
    energy: float
    slope: float
    deepest: float
    most: float
    opposite: int


class FacetCells(NamedTuple):
    """The cells of an element: their area, in squares of the reference coordinates, and φ over them."""

    area: float
    part: Part


@inline_kernel
def _deeper(whole: CellSums, area: float, deepest: float) -> float:
    """Greatest depth with that of a cell: one that is a line but for rounding may reach far, and has none."""
    return max(whole.deepest, deepest) if area > NO_CELL_AREA else whole.deepest


@inline_kernel
def _add_cell(mesh: SurfaceMesh, t: int, own_normal: Vector, cell: Sums, whole: CellSums) -> CellSums:
    """Add the cell under facet t to those of an element."""
    cosine = dot(own_normal, row(mesh.normals, t))
    is_most = cell.load > whole.most
    return CellSums(
        whole.area + cell.area,
        whole.load + cell.load,
        whole.load_x + cell.load_x,
        whole.load_y + cell.load_y,
        whole.energy + cosine * cell.squares,
        whole.slope + cell.area * max(1.0 - cosine * cosine, 0.0),
        _deeper(whole, cell.area, cell.deepest),
        cell.load if is_most else whole.most,
        t if is_most else whole.opposite,
    )


@inline_kernel
def _add_edge_cells(t: int, cell: EdgeSums, whole: CellSums) -> CellSums:
    """Add the cells under concave edges of facet t to those of an element, in the units of `Sums`."""
    is_most = 3.0 * cell.load > whole.most
    # `Sums` has three times the load and twelve times its moments, which saves divisions.
    return CellSums(
        whole.area + cell.area,
        whole.load + 3.0 * cell.load,
        whole.load_x + 12.0 * cell.load_x,
        whole.load_y + 12.0 * cell.load_y,
        whole.energy + 12.0 * cell.energy,
        whole.slope + cell.slope,
        _deeper(whole, cell.area, cell.deepest),
        3.0 * cell.load if is_most else whole.most,
        t if is_most else whole.opposite,
    )


@inline_kernel
def part_of_cells(plane: Plane, sums: CellSums) -> Part:
    """φ over the cells of an element."""
    inverse = 1.0 / sums.area if sums.area > 0.0 else 0.0
    load = max(inverse * sums.load / 3.0, 0.0)
    along_x = scale(inverse * sums.load_x / 12.0, plane.along_x)
    along_y = scale(inverse * sums.load_y / 12.0, plane.along_y)
    moment = add(scale(load, plane.origin), add(along_x, along_y))
    energy = inverse * sums.energy / 12.0
    return Part(load, moment, energy, sums.deepest, inverse * sums.slope, sums.opposite)


@kernel
def _finish_gradients(meeting: Encounter, area: float) -> None:
    """∇φ under sharp concave edges is added in frame E, and sums over cells become means over their area."""
    add_turned(meeting.cells, meeting.target, meeting.pose)
    divide_by_area(meeting.cells, area)


@inline_kernel
def keep_found(found: Doubles, k: int, sums: Sums, under: EdgeSums) -> None:
    """Write what lies under a facet to row k."""
    for i in range(_N_SUMS):
        found[k, i] = sums[i]
    for i in range(_N_EDGE_SUMS):
        found[k, _N_SUMS + i] = under[i]


@apart_kernel
def keep_gradients(found: Doubles, k: int, target: Side) -> None:
    """Write sums of ∇φ under a facet to row k, and forget them."""
    first = _N_SUMS + _N_EDGE_SUMS
    for i in range(_N_MOMENTS):
        found[k, first + i] = target.cells.moments[i]
        target.cells.moments[i] = 0.0
    for i in range(N_SUMS):
        found[k, first + _N_MOMENTS + i] = target.cells.sums[i]
        target.cells.sums[i] = 0.0


@apart_kernel
def _add_gradients(meeting: Encounter, t: int, found: Doubles, k: int) -> None:
    """Add sums of ∇φ from row k, which are those under facet t."""
    target, cells = meeting.target, meeting.cells
    first = _N_SUMS + _N_EDGE_SUMS
    for i in range(_N_MOMENTS):
        target.cells.moments[i] = found[k, first + i]
    gradient = from_own_direction(target, meeting.pose, scale(-1.0, row(target.mesh.normals, t)))
    add_facet(cells, target.cells.moments, gradient)
    for i in range(N_SUMS):
        target.cells.sums[i] += found[k, first + _N_MOMENTS + i]


@inline_kernel
def put_in_order(order: Doubles, n: int, t: int) -> None:
    """Insert facet t, found as the n-th, into n rows (facet, which one found) in the order of the facets' numbers."""
    j = n
    while j > 0 and order[j - 1, 0] > t:
        order[j, 0] = order[j - 1, 0]
        order[j, 1] = order[j - 1, 1]
        j -= 1
    order[j, 0] = t
    order[j, 1] = n


@kernel
def sum_in_order(
    meeting: Encounter, own_normal: Vector, found: Doubles, order: Doubles, n: int, start: int
) -> CellSums:
    """What was found under n facets, summed up in the order of their numbers; ``start``: the first one looked at."""
    cells, target = meeting.cells, meeting.target
    whole = CellSums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, start)
    if target.cells.wanted == 1:
        cells.found[:] = 0.0
    for i in range(n):
        t = as_index(int(order[i, 0]))
        k = as_index(int(order[i, 1]))
        f = found[k]
        if f[0] > 0.0:
            whole = _add_cell(target.mesh, t, own_normal, Sums(f[0], f[1], f[2], f[3], f[4], f[5]), whole)
        if f[_N_SUMS] > 0.0:
            e = f[_N_SUMS:]
            under = EdgeSums(e[0], e[1], e[2], e[3], e[4], e[5], e[6])
            whole = _add_edge_cells(t, under, whole)
        if target.cells.wanted == 1:
            _add_gradients(meeting, t, found, k)
    if target.cells.wanted == 1:
        _finish_gradients(meeting, 0.5 * whole.area)
    return whole
