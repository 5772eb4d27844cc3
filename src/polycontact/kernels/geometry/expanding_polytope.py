r"""The depth of two convex cores that overlap: a polytope inside their difference expands to where it is nearest to
the origin (van den Bergen 2001, the algorithm of SOLID that S4 uses), and Newton's method settles the depth there.

Problem: the least height h(n) of the difference C over the origin, which lies inside C: the shortest way out. In: the
simplex that GJK ended with. Out: depth (as a negative distance), direction and points.

       ____ n ____         The nearest face of the polytope (inside C) gives a direction n. Its height is a lower bound
      /     p     \        of the depth, as C holds the polytope; the height of the support point p in that direction is
     |  .-------.  |       an upper one, as no point of C lies higher. The faces that p sees are replaced by those
     | /    o    \ |  C    between p and their horizon, and so on.
      \'---------'/
       -----------         o: the origin. h(n) has several local minima; the least of them all is the depth.

    (1) the difference is flat (crossing segments, a point on a face) -> the way out is across it
    (2) bounds agree on the nearest face                              -> that face is the answer
    (3) Newton's method settles a local minimum that is no worse      -> it is the answer once no face lies lower by
                                                                         more than BASIN_TOLERANCE
    (4) a support point lies lower than all before, not settled       -> the answer so far
    (5) no room, or rounding has spoilt the polytope                  -> the answer so far; UNSETTLED if bounds differ
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.convex_pair import ConvexPair, Meeting, Verdict, add_support
from polycontact.kernels.geometry.gjk import note_piece, write_answer
from polycontact.kernels.geometry.level_pieces import across, settle
from polycontact.kernels.geometry.nearest import foot_on, foot_point
from polycontact.kernels.geometry.polytope_faces import expand, make_tetrahedron, nearest_face
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import kernel
from polycontact.tolerances import (
    BASIN_TOLERANCE,
    FACE_TOLERANCE,
    FIRST_TRIAL,
    FLAT_COSINE,
    NEXT_TRIAL,
    NO_EXTENT,
    PROMISED,
    SETTLED,
)


@kernel
def _farther(pair: ConvexPair, n: Vector, least: float) -> bool:
    """Add the support point in direction n or -n, if it lies farther than ``least`` from the first point along n."""
    points = pair.points
    for sign in (1.0, -1.0):
        add_support(pair, points.n, scale(sign, n))
        if abs(dot(n, sub(row(points.difference, points.n), row(points.difference, 0)))) > least:
            points.n += 1
            return True
    return False


@kernel
def _extend_point(pair: ConvexPair, least: float) -> bool:
    """A second point, away from the first along one of the axes; False where C is a point."""
    return (
        _farther(pair, (1.0, 0.0, 0.0), least)
        or _farther(pair, (0.0, 1.0, 0.0), least)
        or _farther(pair, (0.0, 0.0, 1.0), least)
    )


@kernel
def _complete(pair: ConvexPair) -> Vector:
    """Add points until there are four that span a volume; else the normal of the flat difference.

    Returns a unit normal, or zeros where the four are there. GJK may end with fewer points, or with points that span
    less than they should: those that do not count are dropped first, then a second, third and fourth one are looked for
    across what is there.
    """
    points = pair.points
    d = points.difference
    least = NO_EXTENT * pair.scale
    # What of the simplex spans anything?
    if points.n == 4:
        n = cross(sub(row(d, 1), row(d, 0)), sub(row(d, 2), row(d, 0)))
        if abs(dot(n, sub(row(d, 3), row(d, 0)))) > least * norm(n):
            return (0.0, 0.0, 0.0)
        points.n = 3
    if points.n == 3:
        u, v = sub(row(d, 1), row(d, 0)), sub(row(d, 2), row(d, 0))
        if not norm(cross(u, v)) > NO_EXTENT * max(dot(u, u), dot(v, v)):
            points.n = 2
    # A second, a third and a fourth point; where there is none, C is flat across the direction that was tried.
    if points.n == 1 and not _extend_point(pair, least):
        return (0.0, 0.0, 1.0)
    if points.n == 2:
        along = sub(row(d, 1), row(d, 0))
        length = norm(along)
        if not length > 0.0:
            return (0.0, 0.0, 1.0)
        u, v = across(scale(1.0 / length, along))
        if not (_farther(pair, u, least) or _farther(pair, v, least)):
            return u
    n = cross(sub(row(d, 1), row(d, 0)), sub(row(d, 2), row(d, 0)))
    n = scale(1.0 / norm(n), n)
    return (0.0, 0.0, 0.0) if _farther(pair, n, least) else n


@kernel
def _answer_flat(pair: ConvexPair, n: Vector) -> None:
    """Case (1): the way out is across the flat difference, as short as the spheres around the cores. n: unit normal."""
    points = pair.points
    d = points.difference
    if points.n >= 3:
        foot = foot_on((row(d, 0), row(d, 1), row(d, 2)), (0.0, 0.0, 0.0))
        w1, w2 = foot.b1, foot.b2
    elif points.n == 2:
        u = sub(row(d, 1), row(d, 0))
        w1, w2 = min(max(-dot(row(d, 0), u) / dot(u, u), 0.0), 1.0), 0.0
    else:
        w1, w2 = 0.0, 0.0
    a, b = scale(1.0 - w1 - w2, row(points.on_e, 0)), scale(1.0 - w1 - w2, row(points.on_f, 0))
    if points.n >= 2:
        a, b = add(a, scale(w1, row(points.on_e, 1))), add(b, scale(w1, row(points.on_f, 1)))
    if points.n >= 3:
        a, b = add(a, scale(w2, row(points.on_e, 2))), add(b, scale(w2, row(points.on_f, 2)))
    write_answer(pair, dot(n, sub(a, b)), n, a, b)


@kernel
def _copy_meeting(source: Meeting, target: Meeting) -> None:
    """Keep a settled trial as the meeting."""
    target.height = source.height
    target.is_settled = source.is_settled
    for k in range(3):
        target.normal[k] = source.normal[k]
        target.on_e[k] = source.on_e[k]
        target.on_f[k] = source.on_f[k]


@kernel
def _trial_at_face(pair: ConvexPair, face: int) -> None:
    """The trial begins at a face: its normal, and the pieces and weights of its point nearest to the origin."""
    points, faces, trial = pair.points, pair.faces, pair.trial
    i, j, k = faces.corner[face, 0], faces.corner[face, 1], faces.corner[face, 2]
    d = points.difference
    foot = foot_on((row(d, i), row(d, j), row(d, k)), (0.0, 0.0, 0.0))
    trial.n = 0
    trial.is_settled = 0
    for a in range(3):
        trial.normal[a] = faces.normal[face, a]
    note_piece(trial, points.piece[i, 0], points.piece[i, 1], 1.0 - foot.b1 - foot.b2)
    note_piece(trial, points.piece[j, 0], points.piece[j, 1], foot.b1)
    note_piece(trial, points.piece[k, 0], points.piece[k, 1], foot.b2)


@kernel
def _under_origin(pair: ConvexPair, face: int) -> int:
    """Of all faces in the plane of one (a box shows two), that which is nearest to the origin."""
    points, faces = pair.points, pair.faces
    d = points.difference
    n = row(faces.normal, face)
    highest = faces.height[face] + FACE_TOLERANCE * pair.scale
    best, least = face, math.inf
    for other in range(faces.n):
        if faces.height[other] > highest or not dot(row(faces.normal, other), n) > FLAT_COSINE:
            continue
        i, j, k = faces.corner[other, 0], faces.corner[other, 1], faces.corner[other, 2]
        square = foot_on((row(d, i), row(d, j), row(d, k)), (0.0, 0.0, 0.0)).square
        if square < least:
            best, least = other, square
    return best


@kernel
def _answer_face(pair: ConvexPair, face: int, height: float) -> None:
    """The answer at a face, or at that of its neighbours in the same plane in which the origin has its foot."""
    points, faces = pair.points, pair.faces
    face = _under_origin(pair, face)
    i, j, k = faces.corner[face, 0], faces.corner[face, 1], faces.corner[face, 2]
    d = points.difference
    foot = foot_on((row(d, i), row(d, j), row(d, k)), (0.0, 0.0, 0.0))
    a = foot_point((row(points.on_e, i), row(points.on_e, j), row(points.on_e, k)), foot)
    b = foot_point((row(points.on_f, i), row(points.on_f, j), row(points.on_f, k)), foot)
    write_answer(pair, height, row(faces.normal, face), a, b)


@kernel
def find_depth(pair: ConvexPair) -> None:
    """The shortest way out of overlapping cores, from the simplex that shows the overlap; the answer is written."""
    points, faces, meeting = pair.points, pair.faces, pair.meeting
    flat = _complete(pair)  # (1)
    if flat[0] != 0.0 or flat[1] != 0.0 or flat[2] != 0.0:
        _answer_flat(pair, flat)
        return
    make_tetrahedron(points, faces)
    meeting.height = math.inf
    meeting.is_settled = 0
    next_trial = FIRST_TRIAL * pair.scale
    lower = -math.inf
    for _ in range(points.room - 6):
        face = nearest_face(faces)
        if face < 0:
            break
        lower = faces.height[face]
        n = row(faces.normal, face)
        height = add_support(pair, points.n, n)
        gap = height - faces.height[face]  # upper less lower bound, at this face
        is_less = height < meeting.height - SETTLED * pair.scale
        if is_less and meeting.is_settled == 0:  # (4)
            _answer_face(pair, face, height)
            meeting.height = height
        if gap < next_trial and (is_less or meeting.is_settled == 0):
            next_trial = NEXT_TRIAL * gap
            _trial_at_face(pair, face)
            least = min(height, meeting.height) + SETTLED * pair.scale
            if settle(pair, points.room - 1) and pair.trial.height <= least:  # (3)
                _copy_meeting(pair.trial, meeting)
                next_trial = FIRST_TRIAL * pair.scale
            # This face is better than what was settled, and Newton's method does not come to it.
            elif is_less and meeting.is_settled == 1 and gap < FACE_TOLERANCE * pair.scale:
                _answer_face(pair, face, height)
                meeting.height, meeting.is_settled = height, 0
        tolerance = BASIN_TOLERANCE if meeting.is_settled == 1 else FACE_TOLERANCE
        # (2), (3)
        if meeting.height - faces.height[face] <= tolerance * pair.scale or gap <= SETTLED * pair.scale:
            if meeting.is_settled == 0 and height <= meeting.height + SETTLED * pair.scale:
                _answer_face(pair, face, height)  # the last face is the best placed
            return
        if not expand(pair, face, points.n):
            break  # (5)
        points.n += 1
    if meeting.height - lower > PROMISED * pair.scale:
        pair.verdict = Verdict.UNSETTLED
