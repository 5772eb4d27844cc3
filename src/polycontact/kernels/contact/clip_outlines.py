"""Outlines of clipped elements, on request: the border of each connected part of a cut triangle inside the target.

The segments of the triangle and the stretches of its sides, in order, counter-clockwise seen from outside the base
body; the border of a hole runs clockwise.
"""

from __future__ import annotations

from polycontact.kernels.contact.clipping import end_point, side_of_end
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.evaluation_view import Parts, Segments, Side
from polycontact.kernels.contact.sides import corners_of
from polycontact.kernels.contact.triangle_parts import split_loops
from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, View, count, doubles, ints


class Outlines(View):
    """Loops of points, one after the other."""

    room = count("points that fit")
    n_points = count("points")
    n_loops = count("loops")
    points = doubles("room", 3, unit="m", doc="corners of all loops in frame E")
    loops = ints("room", 3, doc="first point of a loop, triangle of the base (leaf order), connected part of it")


@inline_kernel
def _add_point(outlines: Outlines, point: Vector) -> None:
    """Append a point; where there is no room it is only counted."""
    at = outlines.n_points
    if at < outlines.room:
        for a in range(3):
            outlines.points[at, a] = point[a]
    outlines.n_points = at + 1


@inline_kernel
def _begin_loop(outlines: Outlines, t: int, part: int) -> None:
    """A new loop of connected part ``part`` of base triangle t; where there is no room it is only counted."""
    k = outlines.n_loops
    if k < outlines.room:
        outlines.loops[k, 0] = outlines.n_points
        outlines.loops[k, 1] = t
        outlines.loops[k, 2] = part
    outlines.n_loops = k + 1


@kernel
def _part_of(parts: Parts, k: int) -> int:
    """Connected part that member k of a triangle's border belongs to."""
    while parts.parent[k] != k:
        k = parts.parent[k]
    return int(parts.part_number[parts.owner[k]])


@kernel
def outline_triangle(
    side: Side,
    their_edges: Ints,
    pose: Pose,
    segments: Segments,
    t: int,
    state: int,
    parts: Parts,
    outlines: Outlines,
) -> None:
    """Add the loops around the inside parts of cut triangle t; none where rounding has spoilt their order."""
    if split_loops(side, their_edges, pose, segments, t, state, parts) == 0:
        return
    is_f = side.is_f
    ends: Doubles = segments.ends
    x = corners_of(side, pose, t)
    n = 0
    segment = side.head[t]
    while segment >= 0:
        n += 1
        segment = segments.following[is_f, segment]
    for first in range(n):
        k = first
        if parts.following[k] < 0 or _part_of(parts, k) < 0:
            continue  # drawn already, or not closed
        # From segment to segment: its start, and where it leaves through a side its end and the corners up to the next.
        _begin_loop(outlines, t, _part_of(parts, k))
        while parts.following[k] >= 0:
            segment = parts.segment[k]
            _add_point(outlines, end_point(ends, segment, is_f, True))
            i = side_of_end(segments.kinds, segment, is_f, False)
            if i >= 0:
                _add_point(outlines, end_point(ends, segment, is_f, False))
                for corner in range(parts.corners_passed[k]):
                    _add_point(outlines, x[(i + 1 + corner) % 3])
            after = parts.following[k]
            parts.following[k] = -1
            k = after
    if state & 7 == 7 and parts.part_number[n] >= 0:
        _begin_loop(outlines, t, int(parts.part_number[n]))
        for i in range(3):
            _add_point(outlines, x[i])


@kernel
def outline_cut_triangles(
    side: Side, their_edges: Ints, pose: Pose, segments: Segments, parts: Parts, outlines: Outlines
) -> None:
    """Outlines of all cut triangles of a surface; where there is too little room, counts tell how much is needed."""
    outlines.n_points = 0
    outlines.n_loops = 0
    for k in range(side.n_cut):
        outline_triangle(side, their_edges, pose, segments, side.cut[k], side.cut_state[k], parts, outlines)
