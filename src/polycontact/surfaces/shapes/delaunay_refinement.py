"""Well-shaped triangles inside a plane polygon with holes: Delaunay refinement after Ruppert (1995).

In: closed outlines. Out: points, counter-clockwise triangles, and the outlines with the points added to
them. Each round triangulates all points. It splits edges of the outline that are missing, or encroached upon
by a point within their diametral circle; where there are none, it puts points at the centres of the
circumcircles of triangles that are thin or too large. At corners sharper than 60° edges are split on circles
about the corner whose radii are powers of two, so that they stop encroaching upon each other, and thin
triangles that such a corner forces are left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.grids import ROUNDING
from polycontact.surfaces.shapes.outlines import loop_edges, signed_area

SMALLEST_ANGLE: Final = math.radians(25.0)
"""Triangles with a smaller angle are refined. Ruppert proves that this ends for 20.7°; up to 30° it does in
practice, with ever more triangles."""

SHARP_CORNER: Final = math.radians(60.0)
"""Corners of the outline below this need the splits on circles."""

LARGEST_CIRCUMRADIUS: Final = 0.8
"""Triangles with a larger circumradius, in parts of the longest edge asked for, are too large: 0.58 is
equilateral, 0.71 is half a square."""

CLEARANCE: Final = 0.72
"""Distance of the first inner points from the outline, in longest edges: from 1/sqrt(2) on they cannot lie in
the diametral circle of any edge."""

FAR_AWAY: Final = 8.0
"""Distance of four extra points, in sizes of the polygon: they keep its outline off the convex hull, where
nearly collinear points would make triangles without area."""

MAX_ROUNDS: Final = 400
"""Rounds of refinement before the outline is given up, half of them for the shape of triangles; usual
outlines take 5 to 40."""

AREA_TOLERANCE: Final = 1e-9
"""Relative difference between the area of the outline and that of its triangles that rounding may cause."""

SAME_CENTRE: Final = 1e-9
"""Circumcentres closer than this, in sizes of the polygon, are one."""

_NEIGHBOURS: Final = 12
"""Circumcentres that are compared with each other before they are inserted in one round."""


class PlanarMesh(NamedTuple):
    """``points`` (n, 2) in m, counter-clockwise ``triangles`` (m, 3), ``outlines`` as indices of points."""

    points: NDArray[np.float64]
    triangles: NDArray[np.int64]
    outlines: list[NDArray[np.int64]]


class _Outline(NamedTuple):
    """All loops while they are split, with the inside to the left of each edge.

    ``edges`` (n, 2): points at the ends. ``sides`` (n,): side of the given polygon that each edge is a part
    of. ``corners`` (n_sides, 2): given points at the ends of each side. ``sharp`` (n_given,): corners below
    60°, be it inside or outside of the polygon; ``narrow`` (n_given,): those below 60° inside.
    """

    edges: NDArray[np.int64]
    sides: NDArray[np.int64]
    corners: NDArray[np.int64]
    sharp: NDArray[np.bool_]
    narrow: NDArray[np.bool_]


class _Round(NamedTuple):
    """What one triangulation finds: inner triangles (m, 3) or None, and edges of the outline to split."""

    inner: NDArray[np.int64] | None
    to_split: NDArray[np.bool_]


def triangulate(shape: str, loops: Sequence[NDArray[np.float64]], max_edge: float | None) -> PlanarMesh:
    """Triangles inside ``loops``, simple and disjoint: the first counter-clockwise, then clockwise holes.

    Edges are at most about ``max_edge`` m long; None leaves them as long as angles allow.
    """
    low, high = loops[0].min(axis=0), loops[0].max(axis=0)
    centre, size = 0.5 * (low + high), float((high - low).max())
    given = np.concatenate(loops)
    limit = math.inf if max_edge is None else max_edge / size
    points, outline = (given - centre) / size, _given_outline(loops)
    _refuse_too_fine(shape, points, outline, limit)
    points, outline = _split_long_edges(points, outline, limit)
    points = np.concatenate((points, _lattice(points, limit)))
    points, outline, inner = _refine(shape, points, outline, limit)

    used, compact = np.unique(inner, return_inverse=True)
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    placed = points * size + centre
    placed[: len(given)] = given
    outlines = [number[each] for each in _followed(outline, [len(loop) for loop in loops])]
    mesh = PlanarMesh(placed[used], compact.reshape(-1, 3), outlines)
    _check_area(shape, mesh, loops)
    return mesh


def _given_outline(loops: Sequence[NDArray[np.float64]]) -> _Outline:
    starts = np.cumsum([0] + [len(loop) for loop in loops[:-1]])
    corners = np.concatenate([loop_edges(len(loop), start=s) for loop, s in zip(loops, starts, strict=True)])
    angles = np.concatenate([_inner_angles(loop) for loop in loops])
    sharp = np.minimum(angles, 2.0 * math.pi - angles) < SHARP_CORNER
    return _Outline(corners, np.arange(len(corners)), corners, sharp, angles < SHARP_CORNER)


def _inner_angles(loop: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angle at each corner of a loop on its left side, 0 to 2 pi."""
    back, ahead = np.roll(loop, 1, axis=0) - loop, np.roll(loop, -1, axis=0) - loop
    sine = ahead[:, 0] * back[:, 1] - ahead[:, 1] * back[:, 0]
    return np.asarray(np.arctan2(sine, np.einsum("ij,ij->i", back, ahead)) % (2.0 * math.pi))


def _refuse_too_fine(shape: str, points: NDArray[np.float64], outline: _Outline, limit: float) -> None:
    # Two equilateral triangles for each point of the lattice over the unit box, two for each part of a side.
    vectors = points[outline.edges[:, 1]] - points[outline.edges[:, 0]]
    around = float(np.hypot(*vectors.T).sum()) / limit
    check.refuse_too_many(shape, 4.0 / (math.sqrt(3.0) * limit**2) + 2.0 * around, "raise the spacing")


def _split_long_edges(
    points: NDArray[np.float64], outline: _Outline, limit: float
) -> tuple[NDArray[np.float64], _Outline]:
    """Sides split into equal parts of at most ``limit``."""
    start, stop = points[outline.edges[:, 0]], points[outline.edges[:, 1]]
    parts = np.maximum(1, np.ceil(np.hypot(*(stop - start).T) / limit * (1.0 - ROUNDING))).astype(np.int64)
    side = np.repeat(np.arange(len(parts)), parts)
    step = np.arange(len(side)) - np.repeat(np.cumsum(parts) - parts, parts)
    is_new = step > 0
    origin = outline.edges[side, 0]
    origin[is_new] = len(points) + np.arange(is_new.sum())
    is_last = step == parts[side] - 1
    target = np.where(is_last, outline.edges[side, 1], np.roll(origin, -1))
    fraction = (step / parts[side])[is_new, None]
    added = start[side[is_new]] * (1.0 - fraction) + stop[side[is_new]] * fraction
    edges = np.stack((origin, target), axis=1)
    return np.concatenate((points, added)), outline._replace(edges=edges, sides=side)


def _lattice(outline_points: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    """Points of an equilateral lattice over the box of the polygon, clear of its outline."""
    from scipy.spatial import cKDTree

    if not math.isfinite(limit):
        return np.empty((0, 2))
    low, high = outline_points.min(axis=0), outline_points.max(axis=0)
    row_height = limit * math.sqrt(3.0) / 2.0
    rows = np.arange(math.ceil((high[1] - low[1]) / row_height) + 1)
    columns = np.arange(math.ceil((high[0] - low[0]) / limit) + 1)
    x = low[0] + (columns[None, :] + 0.5 * (rows % 2)[:, None]) * limit
    y = low[1] + np.broadcast_to(rows[:, None] * row_height, x.shape)
    lattice = np.stack((x.ravel(), y.ravel()), axis=1)
    distance, _ = cKDTree(outline_points).query(lattice)
    return np.asarray(lattice[distance > CLEARANCE * limit])


def _refine(
    shape: str, points: NDArray[np.float64], outline: _Outline, limit: float
) -> tuple[NDArray[np.float64], _Outline, NDArray[np.int64]]:
    """Points, outline and inner triangles once no edge is missing and, if possible, no triangle is thin."""
    for turn in range(MAX_ROUNDS):
        check.refuse_too_many(shape, 2.0 * len(points), "raise the spacing or widen narrow gaps of the outline")
        inner, to_split = _triangulation(points, outline)
        added = np.empty((0, 2))
        if inner is not None and not to_split.any():
            if turn < MAX_ROUNDS // 2:
                added, to_split = _circumcentres(points, outline, inner, limit)
            if len(added) == 0 and not to_split.any():
                return points, outline, inner
        points, outline = _split(points, outline, to_split)
        points = np.concatenate((points, added))
    raise SurfaceError(
        f"{shape}: the outline could not be filled with triangles in {MAX_ROUNDS} rounds; "
        f"remove very sharp corners and very narrow gaps, or raise the spacing"
    )


def _triangulation(points: NDArray[np.float64], outline: _Outline) -> _Round:
    """The inner Delaunay triangles, once all edges of the outline are there, and the edges to split."""
    from scipy.spatial import Delaunay

    far = FAR_AWAY * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    everything = np.concatenate((points, far))
    triangles = _counter_clockwise(everything, Delaunay(everything).simplices.astype(np.int64))
    n = len(everything)
    half_edges = _HalfEdgeKeys(triangles, n)
    left = half_edges.find(outline.edges[:, 0] * n + outline.edges[:, 1])
    if (left < 0).any():
        return _Round(None, left < 0)
    # Half-edge 3 t + i of triangle t lies opposite to its corner i + 2.
    opposite = everything[triangles[left // 3, (left + 2) % 3]]
    to_start, to_stop = points[outline.edges[:, 0]] - opposite, points[outline.edges[:, 1]] - opposite
    encroached = np.einsum("ij,ij->i", to_start, to_stop) < 0.0
    return _Round(_flooded(triangles, half_edges, left), encroached)


class _HalfEdgeKeys:
    """Look-up of the half-edges ``3 t + i`` of triangles by ``origin * n + target``."""

    def __init__(self, triangles: NDArray[np.int64], n: int) -> None:
        self.n = n
        self.keys = (triangles * n + np.roll(triangles, -1, axis=1)).ravel()
        self._order = np.argsort(self.keys)

    def find(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Half-edge of each key, -1 where there is none."""
        place = np.minimum(np.searchsorted(self.keys, keys, sorter=self._order), len(self.keys) - 1)
        found = self._order[place]
        return np.where(self.keys[found] == keys, found, -1)

    def opposite(self) -> NDArray[np.int64]:
        """The half-edge that runs the other way along the same edge, -1 where there is none."""
        return self.find((self.keys % self.n) * self.n + self.keys // self.n)


def _counter_clockwise(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    clockwise = _double_areas(points, triangles) < 0
    return np.where(clockwise[:, None], triangles[:, ::-1], triangles)


def _double_areas(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    u, v = b - a, c - a
    return np.asarray(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])


def _flooded(triangles: NDArray[np.int64], half_edges: _HalfEdgeKeys, left: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles that are reached from those at half-edges ``left`` without crossing these."""
    across = half_edges.opposite()
    blocked = np.zeros(len(across), dtype=bool)
    blocked[left] = True
    blocked[across[left]] = True
    passable = np.flatnonzero(~blocked & (across >= 0))
    component = connected_labels(len(triangles), passable // 3, across[passable] // 3)
    return triangles[np.isin(component, component[left // 3])]


def _circumcentres(
    points: NDArray[np.float64], outline: _Outline, inner: NDArray[np.int64], limit: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Points to add for triangles that are thin or too large, and edges to split instead of some of them."""
    sides = points[np.roll(inner, -1, axis=1)] - points[inner]
    length = np.hypot(sides[..., 0], sides[..., 1])
    double_area = _double_areas(points, inner)
    radius = length.prod(axis=1) / (2.0 * double_area)
    thin = length.min(axis=1) < 2.0 * math.sin(SMALLEST_ANGLE) * radius
    thin &= ~_forced_by_corner(points, outline, inner, length.argmin(axis=1))
    bad = np.flatnonzero(thin | (radius > LARGEST_CIRCUMRADIUS * limit))
    # Centre relative to corner a, u = b - a, v = c - a: ((u·u) v - (v·v) u) turned by -90° / (2 u × v).
    u, v = sides[bad, 0], -sides[bad, 2]
    along = np.einsum("ij,ij->i", u, u)[:, None] * v - np.einsum("ij,ij->i", v, v)[:, None] * u
    offset = np.stack((along[:, 1], -along[:, 0]), axis=1) / (2.0 * double_area[bad, None])
    centres = _spread(points[inner[bad, 0]] + offset, radius[bad])
    return _without_encroaching(points, outline, centres)


def _forced_by_corner(
    points: NDArray[np.float64], outline: _Outline, inner: NDArray[np.int64], shortest: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Triangles whose shortest edge faces a sharp corner, or spans the sides that meet in one."""
    rows = np.arange(len(inner))
    narrow = _padded(outline.narrow, len(points))
    at_corner = narrow[inner[rows, (shortest + 2) % 3]]
    # Ends of the side that a point was added to, -1 for given points and inner ones.
    ends = np.full((len(points), 2), -1)
    ends[outline.edges[:, 0]] = outline.corners[outline.sides]
    ends[: len(outline.narrow)] = -1
    first, second = ends[inner[rows, shortest]], ends[inner[rows, (shortest + 1) % 3]]
    spans = np.zeros(len(inner), dtype=bool)
    for i in range(2):
        shared = (first[:, i] == second[:, 1 - i]) & (first[:, i] >= 0)
        spans |= shared & narrow[first[:, i]]
    return at_corner | spans


def _spread(centres: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.float64]:
    """Those of ``centres`` that are not close to one of a larger circle; the others wait for a round."""
    from scipy.spatial import cKDTree

    if len(centres) == 0:
        return centres
    order = np.argsort(-radius, kind="stable")
    centres, radius = centres[order], radius[order]
    # Corners of regular polygons share one circumcentre: only one of equal centres may stay.
    _, unique = np.unique(np.rint(centres / SAME_CENTRE), axis=0, return_index=True)
    unique.sort()
    centres, radius = centres[unique], radius[unique]
    distance, other = cKDTree(centres).query(centres, k=min(_NEIGHBOURS, len(centres)))
    distance, other = (np.reshape(each, (len(centres), -1)) for each in (distance, other))
    yields = (other < np.arange(len(centres))[:, None]) & (distance < 0.5 * radius[other])
    return np.asarray(centres[~yields.any(axis=1)])


def _without_encroaching(
    points: NDArray[np.float64], outline: _Outline, centres: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """``centres`` outside of all diametral circles of the outline, and edges whose circles hold others."""
    from scipy.spatial import cKDTree

    to_split = np.zeros(len(outline.edges), dtype=bool)
    if len(centres) == 0:
        return centres, to_split
    start, stop = points[outline.edges[:, 0]], points[outline.edges[:, 1]]
    half = 0.5 * np.hypot(*(stop - start).T)
    inside_circles = cKDTree(centres).query_ball_point(0.5 * (start + stop), half)
    kept = np.ones(len(centres), dtype=bool)
    for edge, found in enumerate(inside_circles):
        if found:
            to_split[edge] = True
            kept[found] = False
    return centres[kept], to_split


def _split(
    points: NDArray[np.float64], outline: _Outline, to_split: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], _Outline]:
    """Edges split in the middle or, next to a sharp corner, at a power of two from it."""
    start, stop = outline.edges[to_split].T
    vector = points[stop] - points[start]
    length = np.hypot(*vector.T)
    sharp = _padded(outline.sharp, len(points))
    from_corner = np.exp2(np.rint(np.log2(0.5 * length))) / length
    fraction = np.full(len(length), 0.5)
    fraction = np.where(sharp[start] & ~sharp[stop], from_corner, fraction)
    fraction = np.where(sharp[stop] & ~sharp[start], 1.0 - from_corner, fraction)
    middle = len(points) + np.arange(len(length))
    halves = np.stack((start, middle, middle, stop), axis=1).reshape(-1, 2)
    edges = np.concatenate((outline.edges[~to_split], halves))
    sides = np.concatenate((outline.sides[~to_split], np.repeat(outline.sides[to_split], 2)))
    added = points[start] + fraction[:, None] * vector
    return np.concatenate((points, added)), outline._replace(edges=edges, sides=sides)


def _padded(flags: NDArray[np.bool_], n: int) -> NDArray[np.bool_]:
    """``flags`` of the given points, continued with False for all others."""
    return np.concatenate((flags, np.zeros(n - len(flags), dtype=bool)))


def _followed(outline: _Outline, sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    """Points of each loop in order, from its first given one."""
    following = dict(outline.edges.tolist())
    loops = []
    for start in np.cumsum([0, *sizes[:-1]]).tolist():
        loop = [start]
        while (ahead := following[loop[-1]]) != start:
            loop.append(ahead)
        loops.append(np.array(loop))
    return loops


def _check_area(shape: str, mesh: PlanarMesh, loops: Sequence[NDArray[np.float64]]) -> None:
    areas = 0.5 * _double_areas(mesh.points, mesh.triangles)
    wanted = sum(signed_area(loop) for loop in loops)
    if not (abs(areas.sum() - wanted) <= AREA_TOLERANCE * wanted and (areas > 0).all()):
        raise SurfaceError(
            f"{shape}: the triangles cover {areas.sum():.9g} of {wanted:.9g} m²: the outline is too "
            f"intricate for double precision; remove very sharp corners and very narrow gaps"
        )
