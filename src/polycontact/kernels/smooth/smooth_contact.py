"""The contact of two surfaces given by formulas: common normals from all starts, and the one that counts.

Problem: of all common normals of two surfaces, which is the contact? In: both surfaces and the pose. Out: common
normals with their lengths (m, negative where the bodies overlap along them) and which is chosen (S4.22, S4.23).

    starts   (1) the closest pair of samples, (2) then the best pairs as samples of E and of F see them, by turns. After
             a few it is looked whether the choice is beyond doubt; then the search ends. (3) Where nothing certain was
             found, it may be that a tip or an edge touches, which has no normal (`corner_contact`).
    choice   (a) normals along which the bodies overlap, and nothing else is nearer to their ends: the deepest
             (b) none of these, but an end lies inside the other body: it is very deep; the shortest, doubtful
             (c) none of these: the bodies are apart; the shortest positive one, doubtful where samples are closer
             (d) nor that: they have gone right through each other; the shortest
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.geometry.frames import apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.vectors import Vector, dot, row, sub
from polycontact.kernels.jit import kernel
from polycontact.kernels.smooth.common_normal import NormalEquations, find_common_normal
from polycontact.kernels.smooth.corner_contact import find_corner
from polycontact.kernels.smooth.corner_planes import TangentPlanes
from polycontact.kernels.smooth.smooth_evaluation import FIRST_STARTS, MOST_STARTS, CommonNormals, StartSearch
from polycontact.kernels.smooth.start_points import next_start, pair_samples
from polycontact.kernels.smooth.surface_frame import locate
from polycontact.kernels.smooth.surface_views import Located, SmoothSide, SmoothSurface
from polycontact.kernels.views import Doubles
from polycontact.tolerances import NEARER_BY

_APART, _OVERLAP, _WAY_OUT = 0, 1, 2
"""Of a common normal of negative length: neither end lies inside the other body; one does; it is the way out."""


@kernel
def find_contact(
    e: SmoothSide,
    f: SmoothSide,
    pose: Pose,
    s: float,
    everywhere: bool,
    search: StartSearch,
    equations: NormalEquations,
    planes: TangentPlanes,
    found: CommonNormals,
) -> None:
    """All common normals that the starts lead to, and which of them is the contact.

    ``s`` (m): size of the smaller body. ``everywhere``: also where bodies are far apart. Where no search succeeds,
    ``found.trouble`` tells why.
    """
    pair_samples(e.surface, f.surface, pose, everywhere, search)
    found.n = 0
    found.trouble = Located.REGULAR
    found.chosen = -1
    for k in range(MOST_STARTS):
        if k == 0 and search.closest_e >= 0:  # (1), else (2)
            _place_at_sample(e, search.closest_e)
            _place_at_sample(f, search.closest_f)
        elif not _take_start(e, f, search, k % 2 == 0) and not _take_start(e, f, search, k % 2 == 1):
            break
        search.n += 1
        outcome = locate(e, e.current, pose, s)
        if outcome == Located.REGULAR:
            outcome = locate(f, f.current, pose, s)
        if outcome == Located.REGULAR:
            outcome = find_common_normal(e, f, pose, s, equations)
        if outcome == Located.REGULAR:
            _note(e, f, found)
        elif found.trouble == Located.REGULAR or found.trouble == Located.OFF:
            found.trouble = outcome
        # Beyond doubt already?
        if (k + 1) % FIRST_STARTS == 0:
            _choose(e.surface, f.surface, pose, search.closest, found)
            if found.chosen >= 0 and found.is_doubtful == 0:
                return
    _choose(e.surface, f.surface, pose, search.closest, found)
    if found.chosen < 0 or (found.is_doubtful == 1 and found.is_overlap == 0):  # (3)
        on_e = find_corner(e, f, pose, s, 0, planes, found)
        on_f = find_corner(e, f, pose, s, 1, planes, found)
        search.height = min(on_e, on_f)
        _choose(e.surface, f.surface, pose, search.closest, found)


@kernel
def _take_start(e: SmoothSide, f: SmoothSide, search: StartSearch, from_e: bool) -> bool:
    """Put both sides at the best pair that is left, as samples of E see it or those of F; False: none is left."""
    if from_e:
        i = next_start(e.surface, search.of_e)
        j = search.of_e.partner[max(i, 0)]
        found = i >= 0
    else:
        k = next_start(f.surface, search.of_f)
        i = search.of_f.partner[max(k, 0)]
        j = k
        found = k >= 0
    if found:
        _place_at_sample(e, i)
        _place_at_sample(f, j)
    return found


@kernel
def _place_at_sample(side: SmoothSide, i: int) -> None:
    """The current place of a side is one of its samples."""
    side.current.chart = side.surface.charts[i]
    for a in range(3):
        side.current.place[a] = side.surface.places[i, a]


@kernel
def _note(e: SmoothSide, f: SmoothSide, found: CommonNormals) -> None:
    """Keep the common normal of the current places."""
    k = found.n
    distance = 0.0
    for a in range(3):
        found.point_e[k, a] = e.current.point[a]
        found.point_f[k, a] = f.current.point[a]
        found.normal[k, a] = e.current.normal[a]
        distance += e.current.normal[a] * (f.current.point[a] - e.current.point[a])
    found.distance[k] = distance
    found.n = k + 1


@kernel
def _choose(e: SmoothSurface, f: SmoothSurface, pose: Pose, closest: float, found: CommonNormals) -> None:
    """The contact among the common normals (S4.22, feasibility; S4.23).

    Where bodies overlap along a common normal, and no other part of either surface is nearer to its ends, they are
    pressed into each other there: of several such places the deepest counts. Where an end lies inside the other body
    all the same, one is so deep in the other that the way out is unclear, and the shortest one counts. Without any of
    these the bodies are apart, and the shortest normal counts; if there is none, they have gone right through each
    other. ``closest`` (m²): square of the distance of two samples, than which bodies are not farther apart.
    """
    deepest = -1
    shortest = -1
    nearest = -1
    overlap = False
    for k in range(found.n):
        d = found.distance[k]
        if d >= 0.0:
            if nearest < 0 or d < found.distance[nearest]:
                nearest = k
        else:
            depth = _depth_kind(e, f, pose, found, k)
            overlap = overlap or depth != _APART
            if depth == _WAY_OUT and (deepest < 0 or d < found.distance[deepest]):
                deepest = k
            if shortest < 0 or d > found.distance[shortest]:
                shortest = k
    found.is_doubtful = 1 if deepest < 0 and (overlap or nearest < 0) else 0
    found.is_overlap = 1 if overlap else 0
    if deepest >= 0:
        found.chosen = deepest
    else:
        found.chosen = shortest if overlap or nearest < 0 else nearest
    if found.chosen == nearest and nearest >= 0 and found.distance[nearest] ** 2 > closest:
        found.is_doubtful = 1


@kernel
def _depth_kind(e: SmoothSurface, f: SmoothSurface, pose: Pose, found: CommonNormals, k: int) -> int:
    """What a common normal along which the bodies overlap tells of them, as far as samples and other normals know."""
    p_e = row(found.point_e, k)
    p_f = row(found.point_f, k)
    seen_from_f = apply_transposed(as_matrix(pose.rotation), sub(p_e, as_vector(pose.position)))
    at_e = _nearest(p_f, e.points, e.n)
    at_f = _nearest(seen_from_f, f.points, f.n)
    apart_e = sub(p_f, row(e.points, at_e))
    apart_f = sub(seen_from_f, row(f.points, at_f))
    least = min(dot(apart_e, apart_e), dot(apart_f, apart_f))
    other_e = sub(p_f, row(found.point_e, _nearest(p_f, found.point_e, found.n)))
    other_f = sub(p_e, row(found.point_f, _nearest(p_e, found.point_f, found.n)))
    least = min(least, min(dot(other_e, other_e), dot(other_f, other_f)))
    if least >= found.distance[k] * found.distance[k] * (1.0 - NEARER_BY):
        return _WAY_OUT
    is_inside = dot(apart_e, row(e.normals, at_e)) < 0.0 or dot(apart_f, row(f.normals, at_f)) < 0.0
    return _OVERLAP if is_inside else _APART


@kernel
def _nearest(point: Vector, others: Doubles, n: int) -> int:
    """Which of n other points is nearest to a point."""
    best = 0
    nearest = math.inf
    for i in range(n):
        apart = sub(row(others, i), point)
        square = dot(apart, apart)
        if square < nearest:
            nearest = square
            best = i
    return best


@kernel
def boxes_touch(e: SmoothSurface, f: SmoothSurface, pose: Pose) -> bool:
    """Whether the boxes of both can touch, seen along the axes of either."""
    R = pose.rotation
    r = pose.position
    for a in range(3):
        middle = r[a] - 0.5 * (e.box[0, a] + e.box[1, a])
        reach = 0.5 * (e.box[1, a] - e.box[0, a]) + pose.pad
        other = -0.5 * (f.box[0, a] + f.box[1, a])
        reach_other = 0.5 * (f.box[1, a] - f.box[0, a]) + pose.pad
        for b in range(3):
            middle += R[a, b] * 0.5 * (f.box[0, b] + f.box[1, b])
            reach += abs(R[a, b]) * 0.5 * (f.box[1, b] - f.box[0, b])
            other += R[b, a] * (0.5 * (e.box[0, b] + e.box[1, b]) - r[b])
            reach_other += abs(R[b, a]) * 0.5 * (e.box[1, b] - e.box[0, b])
        if not (abs(middle) <= reach and abs(other) <= reach_other):
            return False
    return True
