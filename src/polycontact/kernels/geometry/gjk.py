r"""The distance of two convex cores: Gilbert, Johnson and Keerthi 1988 (S4.31), with Newton's method for its end.

Problem: the point of the difference C = {a − b} of two convex cores that is nearest to the origin; only support points
(the farthest point in a direction) can be asked for. In: two shapes and a pose. Out: the distance with its direction
and points, or a simplex of points of C that shows that the cores overlap.

    O - - - - x       x is the nearest point of the simplex, v the way from the origin O to it: |v| is an upper bound of
     origin   |\      the distance. The height of the support point in direction −v gives a lower one: all of C lies
              | \     beyond the plane through it.
              o--o    The simplex has 1 to 4 points of C. Each step adds that support point, and leaves out the corners
                      that the nearest point does not stand on.

How it ends:

    (1) the lower bound exceeds ``farthest``                     -> BEYOND, and nothing more is asked
    (2) both bounds agree, or the newest point is known already  -> settled, by one more Newton trial or by the simplex
    (3) Newton's method settles the direction (`level_pieces`)   -> the trial is the answer. It is tried whenever the
        bounds have come ten times closer: round shapes would need hundreds of points, it needs a few steps
    (4) the simplex holds the origin, or touches it              -> overlap: `expanding_polytope` goes on
    (5) rounding: no nearer any more                             -> as (2); where bounds still differ, as (4)
    (6) iterations run out                                       -> as (2), with the verdict UNSETTLED
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.convex_pair import ConvexPair, Meeting, Points, Verdict, add_support, from_f
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.level_pieces import settle
from polycontact.kernels.geometry.simplex import Nearest, nearest_on_simplex
from polycontact.kernels.geometry.vectors import Vector, add, norm, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import FACE_TOLERANCE, FIRST_TRIAL, NEXT_TRIAL, SETTLED, TOUCHING

_MOST_ITERATIONS = 128
"""Points asked for; polytopes need about ten, smooth shapes are settled by Newton's method before."""


@kernel
def copy_point(points: Points, source: int, target: int) -> None:
    """Write a point over another."""
    for k in range(3):
        points.on_e[target, k] = points.on_e[source, k]
        points.on_f[target, k] = points.on_f[source, k]
        points.difference[target, k] = points.difference[source, k]
    points.piece[target, 0] = points.piece[source, 0]
    points.piece[target, 1] = points.piece[source, 1]


@kernel
def _keep_what_counts(points: Points, weights: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """Leave out the corners of the simplex that the nearest point does not stand on; weights of the others.

    ``weights``: of the nearest point as a mean of the corners; afterwards the first ``points.n`` count.
    """
    kept = 0
    w0, w1, w2, w3 = 0.0, 0.0, 0.0, 0.0
    for k in range(points.n):
        weight = weights[k]
        if weight > 0.0:
            if kept != k:
                copy_point(points, k, kept)
            if kept == 0:
                w0 = weight
            elif kept == 1:
                w1 = weight
            elif kept == 2:
                w2 = weight
            else:
                w3 = weight
            kept += 1
    points.n = kept
    return (w0, w1, w2, w3)


@kernel
def note_piece(meeting: Meeting, piece_e: int, piece_f: int, weight: float) -> None:
    """Add a weight to a piece of a meeting; there is room for three."""
    for k in range(meeting.n):
        if meeting.piece[k, 0] == piece_e and meeting.piece[k, 1] == piece_f:
            meeting.weight[k] += weight
            return
    meeting.piece[meeting.n, 0] = piece_e
    meeting.piece[meeting.n, 1] = piece_f
    meeting.weight[meeting.n] = weight
    meeting.n += 1


@kernel
def write_answer(pair: ConvexPair, height: float, n: Vector, a: Vector, b: Vector) -> None:
    """Distance, direction and points of the shapes from those of their cores: ``height`` h(n) (m), n, and a on the core
    of E, b on that of F (frame E). Spheres that are swept over the cores add their radii."""
    radius_e, radius_f = pair.e.radius, pair.f.radius
    pair.distance = -height - (radius_e + radius_f)
    for k in range(3):
        pair.normal[k] = n[k]
        pair.point_e[k] = a[k] + radius_e * n[k]
        pair.point_f[k] = b[k] - radius_f * n[k]


@kernel
def _try_to_settle(pair: ConvexPair, n: Vector, weights: tuple[float, float, float, float]) -> bool:
    """Newton's method from the simplex at hand, with its pieces and weights; whether it found a distance. (3)."""
    points, trial = pair.points, pair.trial
    if points.n > 3:
        return False  # a tetrahedron: the origin lies inside, or rounding speaks
    trial.n = 0
    trial.is_settled = 0
    for k in range(3):
        trial.normal[k] = n[k]
    for k in range(points.n):
        note_piece(trial, points.piece[k, 0], points.piece[k, 1], weights[k])
    return settle(pair, points.room - 1) and trial.height < 0.0


@inline_kernel
def _weighted(array_row: Vector, weight: float, total: Vector) -> Vector:
    return add(total, scale(weight, array_row))


@kernel
def answer_from_simplex(pair: ConvexPair, height: float, n: Vector, weights: tuple[float, float, float, float]) -> None:
    """The nearest points, as means of the corners of the simplex."""
    points = pair.points
    a: Vector = (0.0, 0.0, 0.0)
    b: Vector = (0.0, 0.0, 0.0)
    for k in range(points.n):
        a = _weighted(row(points.on_e, k), weights[k], a)
        b = _weighted(row(points.on_f, k), weights[k], b)
    write_answer(pair, height, n, a, b)


@kernel
def nearest_point(points: Points, weights: tuple[float, float, float, float]) -> Vector:
    """The point of the simplex that is nearest to the origin."""
    p: Vector = (0.0, 0.0, 0.0)
    for k in range(points.n):
        p = _weighted(row(points.difference, k), weights[k], p)
    return p


@kernel
def _is_known(points: Points, at: int) -> bool:
    """Whether the newest point is a corner of the simplex already."""
    d = points.difference
    is_known = False
    for k in range(at):
        is_known = is_known or (d[k, 0] == d[at, 0] and d[k, 1] == d[at, 1] and d[k, 2] == d[at, 2])
    return is_known


@kernel
def find_distance(pair: ConvexPair, farthest: float) -> int:
    """Search the distance of the cores. Returns

    0: they are apart, the answer is written, or BEYOND ``farthest`` (m);
    1: they overlap, as the simplex shows, or rounding leaves that open;
    2: the trial is settled and the answer is that.
    """
    points = pair.points
    points.n = 0
    v = sub(as_vector(pair.e.centre), from_f(pair, as_vector(pair.f.centre)))
    if not norm(v) > 0.0:
        v = (0.0, 0.0, -1.0)
    weights = (0.0, 0.0, 0.0, 0.0)
    next_trial = FIRST_TRIAL * pair.scale
    height = 0.0
    for _ in range(_MOST_ITERATIONS):
        length = norm(v)
        n = scale(-1.0 / length, v)
        height = add_support(pair, points.n, n)
        if -height > farthest:  # (1)
            pair.verdict = Verdict.BEYOND
            write_answer(pair, height, n, as_vector(pair.e.centre), from_f(pair, as_vector(pair.f.centre)))
            return 0
        if points.n > 0:
            gap = length + height
            if gap <= SETTLED * pair.scale or _is_known(points, points.n):  # (2)
                break
            if gap < next_trial:
                next_trial = NEXT_TRIAL * gap  # (3)
                if _try_to_settle(pair, n, weights):
                    return 2
        points.n += 1
        found: Nearest = nearest_on_simplex(points, points.n, pair.scale)
        if found.square < 0.0 or math.sqrt(found.square) <= TOUCHING * pair.scale:  # (4)
            weights = _keep_what_counts(points, found.weights)
            return 1
        if points.n > 1 and found.square >= length * length:  # (5)
            points.n -= 1
            break
        weights = _keep_what_counts(points, found.weights)
        v = nearest_point(points, weights)
    else:
        pair.verdict = Verdict.UNSETTLED  # (6)
    n = scale(-1.0 / norm(v), v)
    if _try_to_settle(pair, n, weights):
        return 2
    if norm(v) + height > FACE_TOLERANCE * pair.scale:  # rounding has stopped it: shapes that all but touch
        pair.verdict = Verdict.EXACT
        return 1
    answer_from_simplex(pair, -norm(v), n, weights)
    return 0
