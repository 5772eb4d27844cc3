r"""The triangle nearest to a point, mostly without a search of the tree: from a guess to one without a nearer rival
(decision 0020).

Problem: which of up to 100,000 triangles is nearest to a point, asked thousands of times in an evaluation, at points
that move little from one to the next. In: the point in the surface's own frame and a guess. Out: the nearest triangle,
the lowest of equals, to the bit what a search of the tree would tell.

                  p              p lies over triangle t, with its foot q inside of it, at distance d. Another point x of
                 /|\             the surface is nearer only if it lies in the ball around p that touches t at q:
                / | \   ball         |x − q|² < 2 d η(x),
               |  d  |           where η(x) is how far x lies on p's side of the plane of t. The rivals of t up to
        ________\_|_/________    distance r are the triangles with dist(x, t)² < 2 r η(x) somewhere: whatever the
              t   q              pose, nothing else can be nearer than t to a point over it up to there.

They are few, neighbours on the side towards which the surface turns and what lies across a thin wall, and are listed
when they are needed the second time. So a point is settled:

    (1) it lies over the core of t: no rival can be nearer there -> t, with nothing to compare. The core is the part of
        t whose barycentric coordinates exceed a number that is linear in d:
            by plane  a rival is no nearer than its plane, and that is farther than d
            by gap    a rival is farther than 2 d from q, so it lies beyond the ball
    (2) its foot lies inside t and the list reaches d            -> the nearest of t and its rivals
    (3) its foot lies on a side where the surface turns towards p -> the rivals of both triangles: the direction of p is
        a sum of both normals, with coefficients that add up to 1.5 at most
    (4) else: over a corner, too near a side, no list, too many rivals -> a search of the tree, and lists for next time

In (2) and (3), if a rival is nearer, the same is asked of that; distances only fall, so this ends.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.geometry.nearest import (
    Foot,
    Near,
    foot_on,
    foot_point,
    height_over,
    near_at,
    nearer,
    plane_square,
    search_nearest,
    walk_nearer,
)
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.tree import push_children, push_root
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, dot, row, scale, sub, triangle
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, View, count, doubles, ints
from polycontact.tolerances import (
    BOX_ROUNDING,
    EPS,
    GAP_KNOWN,
    LEVELS_PER_OCTAVE,
    LIST_USED_WITHIN,
    LISTED_AHEAD,
    LOWEST_LEVEL,
    NEEDLE,
    NO_CORE,
    OFF_THE_EDGE,
    RIM_OF_CORE,
    SAME_LEVEL,
    SMALLEST_DIVISOR,
    STEEPEST_SIDE,
    SUM_OF_NORMALS,
)

MOST_RIVALS = 20
"""Longest list of rivals for points above: all around a vertex or two are fewer."""
MOST_RIVALS_BELOW = 96
"""Longest list for points below, where cells along facets (`facet_cells`) ask for all of them: as many as small facets
of a flat face may have on the faces around it."""

_MOST_TURNS = 6
"""A triangle is a rival if so many feet by turns do not show that it is none."""
_MOST_SIDES = 3
"""So many triangles are looked at whose core may lie under a point: it has mostly moved on to a neighbour."""
_MOST_MOVES = 8
"""A walk from rival to rival that has not ended after so many goes on with the tree."""


class Rivals(View):
    """Triangles that can be nearer than a given one to a point over it: row 2t for points below t (inside), 2t + 1
    above."""

    n = count("twice the triangles; 0 where no distances are asked for")
    n_triangles = count("triangles, or 0")
    reach = doubles("n", unit="m", doc="distance up to which the list holds; 0: there is none, -1: it was needed once")
    far_core = doubles("n", doc="barycentric coordinates over which, at that distance, no rival is nearer")
    close_core = doubles("n", doc="the same close to the triangle; in between at most what is linear")
    refused = doubles("n", unit="m", doc="distance from which on there are too many; 0: none is known")
    listings = ints("n", doc="how often they have been listed anew")
    length = ints("n", doc="how many")
    below = ints("n_triangles", MOST_RIVALS_BELOW, doc="which, for points below")
    above = ints("n_triangles", MOST_RIVALS, doc="which, for points above")


@inline_kernel
def rival_at(rivals: Rivals, k: int, i: int) -> int:
    """Number of the facet that is rival i of row k (two rows a triangle: for points below it, and above)."""
    t = k >> 1
    return int(rivals.above[t, i]) if k & 1 else int(rivals.below[t, i])


# Listing rivals ----------------------------------------------------------------------------------------------


@inline_kernel
def _size_around(x: Triangle, middle: Vector) -> float:
    """How far the corners of a triangle are from its barycentre at most, m."""
    d0 = sub(x[0], middle)
    d1 = sub(x[1], middle)
    d2 = sub(x[2], middle)
    return math.sqrt(max(dot(d0, d0), max(dot(d1, d1), dot(d2, d2)))) * (1.0 + BOX_ROUNDING)


@inline_kernel
def _share_a_vertex(mesh: SurfaceMesh, t: int, s: int) -> bool:
    """Whether triangles t and s have a corner in common."""
    v = mesh.triangles
    own = (v[t, 0], v[t, 1], v[t, 2])
    return v[s, 0] in own or v[s, 1] in own or v[s, 2] in own


@inline_kernel
def _gap_along(x: Triangle, y: Triangle, w: Vector) -> float:
    """How far triangle y lies behind triangle x along w, in lengths of w."""
    last = max(dot(w, x[0]), max(dot(w, x[1]), dot(w, x[2])))
    return min(dot(w, y[0]), min(dot(w, y[1]), dot(w, y[2]))) - last


@kernel
def _is_near(x: Triangle, y: Triangle, middle: Vector, reach: float) -> bool:
    """Whether triangle y comes nearer to triangle x than ``reach`` (m), or this is not certain; ``middle`` of y.

    Projections by turns, from one triangle to the other, converge to where they are nearest. This ends with a pair of
    points that are nearer, or with a direction that separates the two by so much. Undecided counts as near: a rival too
    many costs time, one too few would cost the answer.
    """
    at = middle
    for _ in range(_MOST_TURNS):
        q = foot_point(x, foot_on(x, at))
        foot = foot_on(y, q)
        if foot.square < reach * reach:
            return True
        at = foot_point(y, foot)
        w = sub(at, q)
        if _gap_along(x, y, w) >= reach * math.sqrt(foot.square) * (1.0 + BOX_ROUNDING):
            return False
    return True


@kernel
def _is_rival(
    mesh: SurfaceMesh, t: int, x: Triangle, n: Vector, centres: Triangle, s: int, reach: float, least_height: float
) -> bool:
    """Whether triangle s may be a rival of t with corners x; points over it lie on the side of -n.

    The balls of radius ``reach`` (m) that touch t have their centres on a triangle (``centres``: t moved by that):
    s is a rival if it comes nearer to that than the reach. ``least_height`` (m): what lies no higher over the plane of
    t on the side of the points is rounding, and no rival.
    """
    y = triangle(mesh.corners, s)
    if max(dot(n, sub(x[0], y[0])), max(dot(n, sub(x[0], y[1])), dot(n, sub(x[0], y[2])))) <= least_height:
        return False
    if _share_a_vertex(mesh, t, s):
        return True  # beside the vertex it is nearer
    return _is_near(centres, y, row(mesh.barycentres, s), reach)


@inline_kernel
def _may_hold_rivals(
    boxes: Doubles, node: int, centre: Vector, on_plane: Vector, n: Vector, reach: float, least: float
) -> bool:
    """Whether a box may hold a rival: comes within ``reach`` of ``centre``, and has points on the side of -n."""
    c = (boxes[node, 0], boxes[node, 1], boxes[node, 2])
    away = sub(centre, c)
    highest = dot(n, sub(on_plane, c))
    square = 0.0
    for i in range(3):
        half = boxes[node, 3 + i]
        axis = (boxes[node, 6 + 3 * i], boxes[node, 7 + 3 * i], boxes[node, 8 + 3 * i])
        highest += half * abs(dot(n, axis))
        outside = max(abs(dot(axis, away)) - half, 0.0)
        square += outside * outside
    return bool(highest > least and square < reach * reach)


@inline_kernel
def extent_of(mesh: SurfaceMesh) -> float:
    """How large coordinates of a surface can be, m: what rounding goes with."""
    root = mesh.boxes[0]
    return float(root[3] + root[4] + root[5] + abs(root[0]) + abs(root[1]) + abs(root[2]))


@kernel
def _gap_between(x: Triangle, y: Triangle, middle: Vector) -> float:
    """How far apart two triangles are at least, m; ``middle`` of y."""
    at = middle
    gap = 0.0
    for _ in range(_MOST_TURNS):
        q = foot_point(x, foot_on(x, at))
        foot = foot_on(y, q)
        at = foot_point(y, foot)
        length = math.sqrt(foot.square)
        if not gap < GAP_KNOWN * length:
            break
        gap = max(gap, min(_gap_along(x, y, sub(at, q)) / length, length))
    return gap


@inline_kernel
def _shrunk(x: Triangle, share: float) -> Triangle:
    """The points of a triangle with barycentric coordinates of ``share`` at least."""
    middle = scale(share, add(x[0], add(x[1], x[2])))
    rest = 1.0 - 3.0 * share
    return (add(scale(rest, x[0]), middle), add(scale(rest, x[1]), middle), add(scale(rest, x[2]), middle))


class Core(NamedTuple):
    """Barycentric coordinates over which a rival is not nearer: close to a triangle, and at a distance; at most what is
    linear in between."""

    close: float
    far: float


@inline_kernel
def _core_by_plane(mesh: SurfaceMesh, s: int, above: int, x: Triangle, n: Vector, reach: float) -> Core:
    """Where the plane of rival s is farther away than triangle x.

    At depth d over a point q, the plane of a rival with normal m is m·(y − q) + d n·m away: farther than d where
    m·(y − q) ≥ d (1 − n·m), which is linear in q. The corner where that is least decides, and the coordinate that it
    asks for is linear in d; with a larger d, so that rounding decides nothing.
    """
    m = row(mesh.normals, s)
    if above:
        m = scale(-1.0, m)
    y = (mesh.corners[s, 0], mesh.corners[s, 1], mesh.corners[s, 2])
    at = (dot(m, sub(y, x[0])), dot(m, sub(y, x[1])), dot(m, sub(y, x[2])))
    needed = reach / LIST_USED_WITHIN * (1.0 - dot(n, m))
    lowest = min(at[0], min(at[1], at[2]))
    if not lowest < needed:
        return Core(OFF_THE_EDGE, OFF_THE_EDGE)
    rise = max(at[0] + at[1] + at[2] - 3.0 * lowest, SMALLEST_DIVISOR)
    return Core(min(-lowest / rise, 1.0), min((needed - lowest) / rise, NO_CORE))


@inline_kernel
def _core_by_gap(mesh: SurfaceMesh, t: int, s: int, inner: Triangle, reach: float) -> Core:
    """Where rival s is farther than 2 d away from points of triangle t, which are d away: it cannot be nearer there.

    ``inner``: the points of t with coordinates of `RIM_OF_CORE` at least. The distance of these from s, as a function
    of that coordinate, is convex, as both are; it rises from zero for triangles that touch, and then by no less than it
    has risen up to there. The planes of neighbours of a saddle cut through each other, so that they tell nothing.
    """
    gap = _gap_between(inner, triangle(mesh.corners, s), row(mesh.barycentres, s)) - 16.0 * EPS * extent_of(mesh)
    needed = 2.0 * reach / LIST_USED_WITHIN
    if gap >= needed:
        return Core(RIM_OF_CORE, RIM_OF_CORE)
    if gap > 0.0 and _share_a_vertex(mesh, t, s):
        return Core(RIM_OF_CORE, min(RIM_OF_CORE * (1.0 + needed / gap), NO_CORE))
    return Core(NO_CORE, NO_CORE)


@kernel
def _measure_core(mesh: SurfaceMesh, rivals: Rivals, t: int, above: int, x: Triangle, n: Vector, reach: float) -> None:
    """Find the least barycentric coordinates of points of triangle x over which no rival is nearer, close to x and at
    distance ``reach``. None for needles, whose coordinates are not known well enough."""
    k = 2 * t + above
    inner = _shrunk(x, RIM_OF_CORE)
    ab = sub(x[1], x[0])
    ac = sub(x[2], x[0])
    square = dot(ab, ab) * dot(ac, ac)
    is_needle = not square - dot(ab, ac) * dot(ab, ac) > NEEDLE * square
    close = NO_CORE if is_needle else OFF_THE_EDGE
    far = close
    for i in range(rivals.length[k]):
        s = rival_at(rivals, k, i)
        core = _core_by_plane(mesh, s, above, x, n, reach)
        if core.close > RIM_OF_CORE or core.far > RIM_OF_CORE:
            by_gap = _core_by_gap(mesh, t, s, inner, reach)
            if by_gap.close + by_gap.far < core.close + core.far:
                core = by_gap
        close = max(close, core.close)
        far = max(far, core.far)
    rivals.close_core[k] = close
    rivals.far_core[k] = far


@apart_kernel
def _list_rivals(mesh: SurfaceMesh, rivals: Rivals, t: int, above: int, reach: float, stack: Ints) -> bool:
    """List the rivals of triangle t up to distance ``reach`` (m) and measure its core; False where there are too many.

    ``above``: 1 for points on the outer side of t, 0 for points below it. Where there are too many, there is no list.
    """
    boxes = mesh.oriented_boxes
    x = triangle(mesh.corners, t)
    n = row(mesh.normals, t)
    if above:
        n = scale(-1.0, n)
    k = 2 * t + above
    most = MOST_RIVALS if above else MOST_RIVALS_BELOW
    rivals.reach[k] = 0.0
    rivals.listings[k] += 1
    least_height = 8.0 * EPS * extent_of(mesh)
    # All balls lie within ``around`` of the middle of their centres: boxes beyond that are left out.
    inward = scale(-reach, n)
    centres = (add(x[0], inward), add(x[1], inward), add(x[2], inward))
    middle = add(row(mesh.barycentres, t), inward)
    around = reach + _size_around(centres, middle)
    found = 0
    depth = push_root(stack, mesh.n_triangles)
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        members = stack[depth, 2]
        if members == 1:
            if leaf != t and _is_rival(mesh, t, x, n, centres, leaf, reach, least_height):
                if found == most:
                    return False
                if above:
                    rivals.above[t, found] = leaf
                else:
                    rivals.below[t, found] = leaf
                found += 1
            continue
        if _may_hold_rivals(boxes, node, middle, x[0], n, around, least_height):
            depth = push_children(stack, depth, node, leaf, members)
    rivals.length[k] = found
    rivals.reach[k] = reach
    _measure_core(mesh, rivals, t, above, x, n, reach)
    return True


@inline_kernel
def _reaches(rivals: Rivals, t: int, above: int, distance: float) -> bool:
    """Whether the rivals of triangle t are listed up to a distance."""
    return bool(distance <= LIST_USED_WITHIN * rivals.reach[2 * t + above])


@inline_kernel
def _level_up(mesh: SurfaceMesh, distance: float) -> int:
    """The lowest level of the ladder whose reach is no less than a distance."""
    edges = max(distance / mesh.mean_edge, LOWEST_LEVEL)
    return math.ceil(LEVELS_PER_OCTAVE * math.log2(edges))


@inline_kernel
def _reach_of(mesh: SurfaceMesh, level: int) -> float:
    """Distance up to which rivals are listed at a level, m."""
    return float(mesh.mean_edge * 2.0 ** (level / LEVELS_PER_OCTAVE))


@apart_kernel
def _extend_list(mesh: SurfaceMesh, rivals: Rivals, t: int, above: int, distance: float, stack: Ints) -> bool:
    """List the rivals of triangle t up to a distance (m) and more; False where there are too many.

    How far ahead is a level of a ladder that depends on the mesh alone, never on the order in which poses came: where a
    list ends matters to `facet_cells`. From which level on there are too many is remembered.
    """
    k = 2 * t + above
    for ahead in LISTED_AHEAD:
        reach = _reach_of(mesh, _level_up(mesh, ahead * distance))
        if rivals.refused[k] > 0.0 and not reach < rivals.refused[k]:
            continue
        if rivals.reach[k] >= reach or _list_rivals(mesh, rivals, t, above, reach, stack):
            return True
        rivals.refused[k] = reach
    return False


@kernel
def _prepare_list(mesh: SurfaceMesh, rivals: Rivals, t: int, above: int, distance: float, stack: Ints) -> None:
    """List the rivals of triangle t up to a distance and more, unless they are, or this is not worth it."""
    k = 2 * t + above
    if _reaches(rivals, t, above, distance):
        return
    if rivals.reach[k] == 0.0:
        rivals.reach[k] = -1.0  # what is needed but once is not worth a list
        return
    _extend_list(mesh, rivals, t, above, distance, stack)


@kernel
def list_below(mesh: SurfaceMesh, rivals: Rivals, t: int, distance: float, stack: Ints) -> float:
    """List the rivals of triangle t for points below it, up to a distance if there are few enough.

    Returns up to which distance they are certain to be all, m: infinite where that is what was asked for. Where it is
    less, it is the same whatever was asked for before.
    """
    k = 2 * t
    if _reaches(rivals, t, 0, distance) or _extend_list(mesh, rivals, t, 0, distance, stack):
        return math.inf
    for level in range(_level_up(mesh, SAME_LEVEL * rivals.refused[k]) - 1, _level_up(mesh, 0.0) - 1, -1):
        reach = _reach_of(mesh, level)
        if rivals.reach[k] >= reach or _list_rivals(mesh, rivals, t, 0, reach, stack):
            return LIST_USED_WITHIN * reach
        rivals.refused[k] = reach
    return 0.0


# Settling what is nearest ------------------------------------------------------------------------------------


@inline_kernel
def is_inside_triangle(foot: Foot) -> bool:
    """Whether a foot lies inside its triangle, clear of its sides."""
    return (
        foot.feature == 0
        and foot.b1 > OFF_THE_EDGE
        and foot.b2 > OFF_THE_EDGE
        and foot.b1 + foot.b2 < 1.0 - OFF_THE_EDGE
    )


@inline_kernel
def _is_inside_side(foot: Foot) -> bool:
    """Whether a foot lies inside a side of its triangle, clear of its ends."""
    if foot.feature < 1 or foot.feature > 3:
        return False
    b = foot.b1 if foot.feature == 1 else foot.b2
    return OFF_THE_EDGE < b < 1.0 - OFF_THE_EDGE


@inline_kernel
def _is_above(mesh: SurfaceMesh, t: int, p: Vector) -> int:
    """1 where p lies on the outer side of the plane of triangle t, 0 on the inner one."""
    return 1 if height_over(mesh, t, p) > 0.0 else 0


@inline_kernel
def _is_within_core(rivals: Rivals, t: int, height: float, least: float, whole: float) -> bool:
    """Whether a point at a height over triangle t lies over its core; ``least`` of its barycentric coordinates, times
    ``whole``."""
    k = 2 * t + (1 if height > 0.0 else 0)
    reach = rivals.reach[k]
    if not abs(height) < LIST_USED_WITHIN * reach:
        return False
    # The core at that height, times the reach: a division would take as long as all the rest.
    core = rivals.close_core[k] * (reach - abs(height)) + rivals.far_core[k] * abs(height)
    return bool(reach * least > core * whole)


@inline_kernel
def _is_over_core(mesh: SurfaceMesh, rivals: Rivals, t: int, foot: Foot, p: Vector) -> bool:
    """Whether t is the nearest to p for certain, as p lies over its core."""
    if foot.feature != 0:
        return False
    least = min(min(foot.b1, foot.b2), 1.0 - foot.b1 - foot.b2)
    return _is_within_core(rivals, t, height_over(mesh, t, p), least, 1.0)


class OverCore(NamedTuple):
    """Whether a point lies over the core of a triangle, how far over its plane, m, and beyond which side of it (-1:
    none)."""

    certain: bool
    height: float
    beyond: int


@inline_kernel
def look_over_core(mesh: SurfaceMesh, rivals: Rivals, t: int, p: Vector) -> OverCore:
    """Whether t is the nearest to p for certain, as p lies over its core: without its foot, which takes longer."""
    x = triangle(mesh.corners, t)
    ab = sub(x[1], x[0])
    ac = sub(x[2], x[0])
    ap = sub(p, x[0])
    height = dot(row(mesh.normals, t), ap)
    a = dot(ab, ab)
    b = dot(ab, ac)
    c = dot(ac, ac)
    d1 = dot(ab, ap)
    d2 = dot(ac, ap)
    whole = max(a * c - b * b, 0.0)  # where rounding leaves nothing of a needle, nothing lies over its core
    b1 = c * d1 - b * d2
    b2 = a * d2 - b * d1
    b0 = whole - b1 - b2
    least = min(min(b1, b2), b0)
    beyond = -1
    if least < 0.0:
        beyond = 0 if b2 == least else 1 if b0 == least else 2
    return OverCore(_is_within_core(rivals, t, height, least, whole), height, beyond)


class Found(NamedTuple):
    """A triangle over whose core a point lies, and how far over its plane, m; -1 where none was found."""

    triangle: int
    height: float


@kernel
def find_core(mesh: SurfaceMesh, rivals: Rivals, t: int, p: Vector) -> Found:
    """The triangle nearest to p, where p lies over its core and this is among the first on the way from t."""
    for _ in range(_MOST_SIDES):
        if t < 0:
            break
        over = look_over_core(mesh, rivals, t, p)
        if over.certain:
            return Found(t, over.height)
        if over.beyond < 0:
            break
        t = int(mesh.neighbours[t, over.beyond])
    return Found(-1, 0.0)


@inline_kernel
def _nearest_rival(mesh: SurfaceMesh, rivals: Rivals, k: int, p: Vector, t: int, best: Near) -> Near:
    """The nearest of ``best`` and the rivals of row k, but for t, the lowest of equals."""
    for i in range(rivals.length[k]):
        s = rival_at(rivals, k, i)
        if s == t or plane_square(mesh, s, p) > best.foot.square * (1.0 + BOX_ROUNDING):
            continue
        best = nearer(near_at(mesh, p, s), best)
    return best


@inline_kernel
def _partner(mesh: SurfaceMesh, t: int, foot: Foot, above: int, p: Vector) -> int:
    """The triangle across the side on which a foot lies, where that and t are all that matters there; else -1."""
    if not _is_inside_side(foot):
        return -1
    other = mesh.neighbours[t, foot.feature - 1]
    if other < 0 or dot(row(mesh.normals, t), row(mesh.normals, other)) < STEEPEST_SIDE:
        return -1
    return int(other) if _is_above(mesh, other, p) == above else -1


@kernel
def _settle(mesh: SurfaceMesh, rivals: Rivals, p: Vector, guess: Near) -> Near:
    """The triangle nearest to p, if a way from ``guess`` to ever nearer ones leads to one whose rivals are listed and
    farther away; with the number -1 - t where it does not, t being near: cases (1) to (3), else (4).
    """
    near = guess
    for _ in range(_MOST_MOVES):
        t = near.triangle
        if _is_over_core(mesh, rivals, t, near.foot, p):  # (1)
            return near
        distance = math.sqrt(near.foot.square)
        above = _is_above(mesh, t, p)
        if not (is_inside_triangle(near.foot) and _reaches(rivals, t, above, distance)):
            # Not (2) as things are: is a neighbour nearer? Else the foot lies at a side, or the list is missing.
            beside = walk_nearer(mesh, p, near)
            if beside.triangle != t:
                near = beside
                continue
            if is_inside_triangle(near.foot):
                break  # (4) no list
            other = _partner(mesh, t, near.foot, above, p)
            farther = SUM_OF_NORMALS * distance
            # (3), or (4) where the surface turns away, beside a corner, or where a list is missing
            if other < 0 or not (_reaches(rivals, t, above, farther) and _reaches(rivals, other, above, farther)):
                break
            near = nearer(near_at(mesh, p, other), near)
            near = _nearest_rival(mesh, rivals, 2 * other + above, p, t, near)
        near = _nearest_rival(mesh, rivals, 2 * t + above, p, t, near)  # (2)
        if near.triangle == t:
            return near
    return Near(-1 - near.triangle, near.foot)


@apart_kernel
def _prepare_lists(mesh: SurfaceMesh, rivals: Rivals, p: Vector, near: Near, stack: Ints) -> None:
    """List what is needed to settle which triangle is nearest to p without a search the next time."""
    t = near.triangle
    distance = math.sqrt(near.foot.square)
    above = _is_above(mesh, t, p)
    if is_inside_triangle(near.foot):
        _prepare_list(mesh, rivals, t, above, distance, stack)
        return
    other = _partner(mesh, t, near.foot, above, p)
    if other >= 0:
        _prepare_list(mesh, rivals, t, above, SUM_OF_NORMALS * distance, stack)
        _prepare_list(mesh, rivals, other, above, SUM_OF_NORMALS * distance, stack)


@kernel
def find_nearest(mesh: SurfaceMesh, rivals: Rivals, p: Vector, guess: Near, stack: Ints) -> Near:
    """The triangle nearest to p (own frame), the lowest of equals: the same whatever ``guess`` and lists of rivals."""
    near = _settle(mesh, rivals, p, guess)
    if near.triangle < 0:  # (4)
        near = search_nearest(mesh, p, Near(-1 - near.triangle, near.foot), stack)
        _prepare_lists(mesh, rivals, p, near, stack)
    return near
