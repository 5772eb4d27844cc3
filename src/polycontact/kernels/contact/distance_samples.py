"""How deep points of the base lie in the target: the distance φ to its surface, remembered from pose to pose.

A point is asked for again and again while the bodies move. The triangle that was nearest stays the nearest while the
point has moved by less than half the gap to the second nearest, so that most answers need no search. What is remembered
changes how much work is done, never an answer.
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.evaluation_view import Samples, Side, Work
from polycontact.kernels.contact.penetration import as_index
from polycontact.kernels.contact.sides import to_own_frame, vertex_in_e
from polycontact.kernels.geometry.nearest import foot_on, search_nearest, signed_offset
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, sub, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import MARGIN_ROUNDING

_SLACK_IN_EDGES = 0.25
"""How far beyond the nearest triangle others are looked at, in mean edges of the target: a longer way makes searches
dearer, a shorter one makes more of them necessary."""


class Sample(NamedTuple):
    """A point of the base: in frame E and in the target's own; depth φ, m, negative outside; its gradient (own frame);
    nearest triangle of the target and the barycentric coordinates of its corners 0 and 1."""

    point: Vector
    own: Vector
    depth: float
    gradient: Vector
    triangle: int
    b0: float
    b1: float


@kernel
def _search_again(
    mesh: SurfaceMesh, own: Vector, samples: Samples, k: int, guess: int, pad: float, work: Work, report: ContactReport
) -> None:
    """Find the triangle nearest to sample k, and how far it may move before there can be another."""
    start = as_index(samples.triangle[k]) if samples.stamp[k] > 0 else guess
    found = search_nearest(mesh, own, start, _SLACK_IN_EDGES * mesh.mean_edge, work.stack)
    report.line_checks += 1
    samples.triangle[k] = found.triangle
    place = samples.place
    place[k, 0] = own[0]
    place[k, 1] = own[1]
    place[k, 2] = own[2]
    place[k, 3] = max(0.5 * found.gap * (1.0 - MARGIN_ROUNDING) - 4.0 * pad, 0.0)


@inline_kernel
def _sample_of(mesh: SurfaceMesh, point: Vector, own: Vector, t: int) -> Sample:
    foot = foot_on(triangle(mesh.corners, t), own)
    offset = signed_offset(mesh, own, t, foot)
    return Sample(point, own, offset.depth, offset.gradient, as_index(t), 1.0 - foot.b1 - foot.b2, foot.b1)


@inline_kernel
def ask_sample(
    target: Side,
    pose: Pose,
    point: Vector,
    samples: Samples,
    k: int,
    guess: int,
    stamp: int,
    work: Work,
    report: ContactReport,
) -> Sample:
    """Depth of a point of the base (frame E), the k-th of those that are remembered; ``guess``: a triangle near it."""
    mesh = target.mesh
    own = to_own_frame(target, pose, point)
    place = samples.place
    moved = sub(own, (place[k, 0], place[k, 1], place[k, 2]))
    radius = place[k, 3]
    if not moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2] < radius * radius:
        _search_again(mesh, own, samples, as_index(k), as_index(guess), pose.pad, work, report)
    samples.stamp[k] = stamp
    return _sample_of(mesh, point, own, samples.triangle[k])


@kernel
def ask_vertex(base: Side, target: Side, pose: Pose, v: int, guess: int, work: Work, report: ContactReport) -> float:
    """Depth of vertex v of the base, asked for once in an evaluation."""
    samples = base.samples
    k = 3 * base.n_triangles + v
    if samples.stamp[k] != base.stamp:
        point = vertex_in_e(base, pose, v)
        samples.depth[k] = ask_sample(target, pose, point, samples, k, guess, base.stamp, work, report).depth
    return float(samples.depth[k])


@kernel
def ask_once(target: Side, pose: Pose, point: Vector, guess: int, work: Work, report: ContactReport) -> Sample:
    """Depth of a point of the base (frame E) that is not remembered."""
    own = to_own_frame(target, pose, point)
    found = search_nearest(target.mesh, own, guess, 4.0 * pose.pad, work.stack)
    report.line_checks += 1
    return _sample_of(target.mesh, point, own, found.triangle)
