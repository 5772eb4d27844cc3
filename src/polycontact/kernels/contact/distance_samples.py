"""How deep points of the base lie in the target: the distance φ to its surface, remembered from pose to pose.

A point is asked for again and again while the bodies move. What was nearest stays so while the point has moved by less
than half the gap to what comes behind; a few triangles are remembered, so that this gap is wide. What is remembered
changes how much work is done, never an answer.
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.evaluation_view import NEAR, Samples, Side, Work
from polycontact.kernels.contact.penetration import as_index
from polycontact.kernels.contact.sides import to_own_frame, vertex_in_e
from polycontact.kernels.geometry.nearest import foot_on, gather_nearest, plane_square, search_nearest, signed_offset
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, dot, sub, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import BOX_ROUNDING, MARGIN_ROUNDING

_SLACK_IN_EDGES = 0.2
"""How far beyond the nearest triangle others are remembered, in mean edges of the target: a longer way makes searches
dearer, a shorter one makes more of them necessary."""


class Sample(NamedTuple):
    """A point of the base (frame E); depth φ, m, negative outside; its gradient (target's frame); nearest triangle."""

    point: Vector
    depth: float
    gradient: Vector
    triangle: int


@inline_kernel
def _sample_at(mesh: SurfaceMesh, point: Vector, own: Vector, t: int) -> Sample:
    foot = foot_on(triangle(mesh.corners, t), own)
    offset = signed_offset(mesh, own, t, foot)
    return Sample(point, offset.depth, offset.gradient, as_index(t))


@kernel
def _search_again(
    mesh: SurfaceMesh, own: Vector, samples: Samples, k: int, guess: int, pad: float, work: Work, report: ContactReport
) -> int:
    """Find the triangle nearest to sample k.

    Where the sample has moved little since the last search, it will again: then its surroundings are remembered.
    """
    place = samples.place
    near = samples.near
    report.line_checks += 1
    slack = _SLACK_IN_EDGES * mesh.mean_edge
    moved = sub(own, (place[k, 0], place[k, 1], place[k, 2]))
    known = place[k, 3] >= 0.0
    place[k, 0] = own[0]
    place[k, 1] = own[1]
    place[k, 2] = own[2]
    if known and dot(moved, moved) < slack * slack:
        radius = gather_nearest(mesh, own, as_index(near[k, 0]), slack, k, near, work.squares, work.stack)
        place[k, 3] = max(radius * (1.0 - MARGIN_ROUNDING) - 4.0 * pad, 0.0)
        return _least_of(mesh, own, samples, k)
    found = search_nearest(mesh, own, guess, work.stack)
    near[k, 0] = found
    for i in range(1, NEAR):
        near[k, i] = -1
    place[k, 3] = 0.0
    return int(found)


@inline_kernel
def _least_of(mesh: SurfaceMesh, own: Vector, samples: Samples, k: int) -> int:
    """The nearest of the triangles that are remembered for sample k, the lowest of equals."""
    near = samples.near
    best = as_index(near[k, 0])
    if near[k, 1] < 0:
        return best
    least = foot_on(triangle(mesh.corners, best), own).square
    for i in range(1, NEAR):
        t = as_index(near[k, i])
        if t < 0:
            break
        if plane_square(mesh, t, own) > least * (1.0 + BOX_ROUNDING):
            continue
        square = foot_on(triangle(mesh.corners, t), own).square
        if square < least or (square == least and t < best):
            least = square
            best = t
    return best


@inline_kernel
def ask_sample(
    target: Side, pose: Pose, point: Vector, samples: Samples, k: int, guess: int, work: Work, report: ContactReport
) -> Sample:
    """Depth of a point of the base (frame E), the k-th of those that are remembered; ``guess``: a triangle near it."""
    mesh = target.mesh
    own = to_own_frame(target, pose, point)
    place = samples.place
    moved = sub(own, (place[k, 0], place[k, 1], place[k, 2]))
    radius = place[k, 3]
    if dot(moved, moved) < radius * radius and radius > 0.0:
        t = _least_of(mesh, own, samples, k)
    else:
        t = _search_again(mesh, own, samples, as_index(k), as_index(guess), pose.pad, work, report)
    return _sample_at(mesh, point, own, t)


@kernel
def _ask_new_vertex(
    base: Side, target: Side, pose: Pose, v: int, guess: int, work: Work, report: ContactReport
) -> None:
    """Find the depth of vertex v of the base."""
    samples = base.samples
    samples.vertex_stamp[v] = base.stamp
    k = 3 * base.n_triangles + v
    samples.vertex_depth[v] = ask_sample(
        target, pose, vertex_in_e(base, pose, v), samples, k, guess, work, report
    ).depth


@inline_kernel
def ask_vertex(base: Side, target: Side, pose: Pose, v: int, guess: int, work: Work, report: ContactReport) -> float:
    """Depth of vertex v of the base, found once in an evaluation."""
    samples = base.samples
    if samples.vertex_stamp[v] != base.stamp:
        _ask_new_vertex(base, target, pose, v, guess, work, report)
    return float(samples.vertex_depth[v])


@kernel
def ask_once(target: Side, pose: Pose, point: Vector, guess: int, work: Work, report: ContactReport) -> Sample:
    """Depth of a point of the base (frame E) that is not remembered."""
    own = to_own_frame(target, pose, point)
    report.line_checks += 1
    return _sample_at(target.mesh, point, own, search_nearest(target.mesh, own, guess, work.stack))
