"""How the depth of an element changes as the target moves: means of ∇φ over it, of ∇φ·x and of its second moments.

Problem: as the target moves by d(x) = δx + δθ × x, the depth at a point of the base changes by −∇φ·d. φ vanishes on the
border of the contact, so that neither force nor torque of an element feels how its border moves: they change by what
∫ (1, x) φ does, that is by ∫ (1, x, x x) ∇φ. In: samples and facets as they are integrated. Out: by element 18 numbers,
the means of (1, x, y, x², x y, y²) ∇φ; x and y: reference coordinates of its triangle, ∇φ: frame E.

They are found where a slope is asked for (`ContactReport.slope_state`), and cost nothing otherwise.
"""

from __future__ import annotations

from polycontact.kernels.contact.concave_edges import EDGE_RULE, EdgeLine, away_from, centre_of
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.distance_samples import Sample
from polycontact.kernels.contact.evaluation_view import Cells, Side
from polycontact.kernels.contact.plane_moments import Point, Region
from polycontact.kernels.contact.polygons import Polygon, area_within
from polycontact.kernels.contact.sides import from_own_direction
from polycontact.kernels.geometry.vectors import Vector, norm, scale
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import NO_CELL_AREA

N_SUMS = 18
"""Six moments of three components."""


@inline_kernel
def _add_at(sums: Doubles, p: Point, weight: float, gradient: Vector) -> None:
    """Add a point with a weight."""
    x, y = p
    for a in range(3):
        g = weight * gradient[a]
        sums[a] += g
        sums[3 + a] += x * g
        sums[6 + a] += y * g
        sums[9 + a] += x * x * g
        sums[12 + a] += x * y * g
        sums[15 + a] += y * y * g


# Elements and their cells ----------------------------------------------------------------------------------------


@kernel
def put_gradient(cells: Cells, k: int, region: Region, gradient: Vector) -> None:
    """Of the element in row k with one sample: ``gradient`` there (frame E) all over its region."""
    sums = cells.gradients[k]
    sums[:] = 0.0
    _add_at(sums, (region.x, region.y), 1.0, gradient)
    for a in range(3):
        sums[9 + a] += region.xx * gradient[a]
        sums[12 + a] += region.xy * gradient[a]
        sums[15 + a] += region.yy * gradient[a]


@kernel
def put_point_gradient(cells: Cells, k: int, p: Point, gradient: Vector) -> None:
    """Of the element in row k whose depth was found at one point (reference coordinates)."""
    cells.gradients[k][:] = 0.0
    _add_at(cells.gradients[k], p, 1.0, gradient)


@kernel
def add_samples(cells: Cells, p: tuple[Point, Point, Point], s: tuple[Sample, Sample, Sample], share: float) -> None:
    """Add a share of three samples at the points p to those of the part at hand, ∇φ in frame E; samples outside count
    nothing."""
    for i in range(3):
        if s[i].depth > 0.0:
            _add_at(cells.found, p[i], share / 3.0, s[i].gradient)


@kernel
def blend_gradients(cells: Cells, k: int, own: float, share: float) -> None:
    """Row k becomes ``own`` times itself and ``share`` times the part at hand."""
    row, found = cells.gradients[k], cells.found
    for i in range(N_SUMS):
        row[i] = own * row[i] + share * found[i]


@kernel
def copy_gradients(cells: Cells, k: int, to: int) -> None:
    """Copy row k to another."""
    for i in range(N_SUMS):
        cells.gradients[to, i] = cells.gradients[k, i]


# Cells along facets ----------------------------------------------------------------------------------------------


@apart_kernel
def add_moments(at: Doubles, polygon: Polygon, moments: Doubles) -> None:
    """Add area, first and second moments of a polygon, in reference coordinates."""
    for k in range(polygon.first + 1, polygon.first + polygon.n - 1):
        ox, oy = at[polygon.first, 0], at[polygon.first, 1]
        ax, ay = at[k, 0], at[k, 1]
        bx, by = at[k + 1, 0], at[k + 1, 1]
        w = 0.5 * ((ax - ox) * (by - oy) - (ay - oy) * (bx - ox))
        sx, sy = ox + ax + bx, oy + ay + by
        moments[0] += w
        moments[1] += w * sx / 3.0
        moments[2] += w * sy / 3.0
        moments[3] += w * (sx * sx + ox * ox + ax * ax + bx * bx) / 12.0
        moments[4] += w * (sx * sy + ox * oy + ax * ay + bx * by) / 12.0
        moments[5] += w * (sy * sy + oy * oy + ay * ay + by * by) / 12.0


@kernel
def add_facet(cells: Cells, moments: Doubles, gradient: Vector) -> None:
    """Add cells with these moments under one facet, where ∇φ is ``gradient`` (frame E), to the part at hand; their
    moments are forgotten."""
    for i in range(6):
        for a in range(3):
            cells.found[3 * i + a] += moments[i] * gradient[a]
        moments[i] = 0.0


@apart_kernel
def add_edge_gradients(at: Doubles, polygon: Polygon, line: EdgeLine, sums: Doubles) -> None:
    """Add ∇φ (target's frame) over a polygon under a sharp concave edge, from the points that integrate φ there."""
    whole = area_within(at, polygon)
    if polygon.n < 3 or not abs(whole) > NO_CELL_AREA:
        return
    ox, oy = centre_of(at, polygon, whole)
    last = polygon.first + polygon.n - 1
    for k in range(polygon.first, polygon.first + polygon.n):
        ax, ay = at[last, 0] - ox, at[last, 1] - oy
        bx, by = at[k, 0] - ox, at[k, 1] - oy
        last = k
        w = 0.5 * (ax * by - ay * bx)
        for r in range(7):
            x = ox + EDGE_RULE[r][0] * ax + EDGE_RULE[r][1] * bx
            y = oy + EDGE_RULE[r][0] * ay + EDGE_RULE[r][1] * by
            away = away_from(line, x, y)
            h = norm(away)
            if h > 0.0:
                _add_at(sums, (x, y), w * EDGE_RULE[r][2], scale(1.0 / h, away))


@kernel
def add_turned(cells: Cells, target: Side, pose: Pose) -> None:
    """Add the target's sums, in its own frame, to those of the part at hand, turned into frame E, and forget them."""
    sums = target.cells.sums
    for i in range(6):
        g = from_own_direction(target, pose, (sums[3 * i], sums[3 * i + 1], sums[3 * i + 2]))
        for a in range(3):
            cells.found[3 * i + a] += g[a]
            sums[3 * i + a] = 0.0


@inline_kernel
def scale_gradients(cells: Cells, factor: float) -> None:
    """Multiply those of the part at hand."""
    for i in range(N_SUMS):
        cells.found[i] *= factor


@kernel
def divide_by_area(cells: Cells, area: float) -> None:
    """Sums over a part become means."""
    scale_gradients(cells, 1.0 / area if area > 0.0 else 0.0)
