"""The signed distance of two convex shapes: the algorithm on a page (S4.29, S4.31, S4.32).

In: two shapes and the pose of F in E. Out, in the pair: signed distance (m), the direction from E to F, the nearest or
deepest points, a verdict.

    cores apart    `gjk.find_distance`                 the distance, or by Newton's method
    cores overlap  `expanding_polytope.find_depth`     the shortest way out

Spheres that are swept over the cores, and so rounded edges (S4.16), are added at the end: most contacts of rounded
shapes are cores that do not overlap. So the dear second case is rare.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.geometry.convex_pair import ConvexPair, Meeting, Verdict, as_convex_pair
from polycontact.kernels.geometry.expanding_polytope import find_depth
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.gjk import find_distance, write_answer
from polycontact.kernels.geometry.vectors import norm
from polycontact.kernels.jit import entry_kernel, kernel


@kernel
def _answer_meeting(pair: ConvexPair, meeting: Meeting) -> None:
    """The answer where the cores meet."""
    write_answer(pair, meeting.height, as_vector(meeting.normal), as_vector(meeting.on_e), as_vector(meeting.on_f))


@kernel
def measure(pair: ConvexPair, farthest: float) -> None:
    """Signed distance of a pair at its pose; beyond ``farthest`` (m) only that it is so, with the verdict BEYOND."""
    e, f = pair.e, pair.f
    pair.scale = e.reach + f.reach + norm(as_vector(pair.position))
    pair.verdict = Verdict.EXACT
    pair.supports = 0
    found = find_distance(pair, farthest + e.radius + f.radius)
    if found == 2:  # settled by Newton's method
        _answer_meeting(pair, pair.trial)
    if found != 1:
        return
    # The cores overlap.
    find_depth(pair)
    if pair.meeting.is_settled == 1:
        _answer_meeting(pair, pair.meeting)


@entry_kernel((types.int64,))
def measure_at(row: int) -> int:
    """`measure` by address, however far; returns the verdict."""
    pair = as_convex_pair(row)
    measure(pair, math.inf)
    return int(pair.verdict)
