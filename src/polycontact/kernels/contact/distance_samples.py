"""How deep points of the base lie in the target: the distance φ to its surface, remembered from pose to pose.

A point is asked for again and again while the bodies move, and mostly lies over the triangle of the last time, which is
then the nearest without any search (`geometry.rivals`). What is remembered changes how much work is done, never an
answer.
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.evaluation_view import Samples, Side, Work
from polycontact.kernels.contact.sides import to_own_frame, vertex_in_e
from polycontact.kernels.geometry.nearest import Near, near_at, signed_offset
from polycontact.kernels.geometry.rivals import find_core, find_nearest, look_over_core
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, as_index, row, scale
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel


class Sample(NamedTuple):
    """A point of the base (frame E); depth φ, m, negative outside; its gradient (target's frame); nearest triangle."""

    point: Vector
    depth: float
    gradient: Vector
    triangle: int


@inline_kernel
def _sample_at(mesh: SurfaceMesh, point: Vector, own: Vector, near: Near) -> Sample:
    """A point (frame E; ``own``: in the target's frame) whose nearest triangle is known."""
    offset = signed_offset(mesh, own, near)
    return Sample(point, offset.depth, offset.gradient, as_index(near.triangle))


@inline_kernel
def _sample_over(mesh: SurfaceMesh, point: Vector, t: int, height: float) -> Sample:
    """A point (frame E) at a height (m) over the core of triangle t, which is the nearest: φ is minus that height."""
    return Sample(point, -height, scale(-1.0, row(mesh.normals, t)), as_index(t))


@apart_kernel
def _find_again(
    target: Side,
    point: Vector,
    own: Vector,
    samples: Samples,
    k: int,
    still_over: bool,
    guess: int,
    work: Work,
    report: ContactReport,
) -> Sample:
    """Find the triangle nearest to sample k, from that of the last time or a nearer guess.

    ``still_over``: it lies over that of the last time, but not over its core, so that there is no other core to find.
    """
    mesh = target.mesh
    if not still_over:
        core = find_core(mesh, target.rivals, guess, own)
        if core.triangle >= 0:
            samples.near[k] = core.triangle
            return _sample_over(mesh, point, core.triangle, core.height)
    report.line_checks += 1
    last = near_at(mesh, own, as_index(samples.near[k]))
    start = near_at(mesh, own, guess)
    found = find_nearest(mesh, target.rivals, own, start if start.foot.square < last.foot.square else last, work.stack)
    samples.near[k] = found.triangle
    return _sample_at(mesh, point, own, found)


@inline_kernel
def ask_sample(
    target: Side, pose: Pose, point: Vector, samples: Samples, k: int, guess: int, work: Work, report: ContactReport
) -> Sample:
    """Depth of a point of the base (frame E), the k-th of those that are remembered; ``guess``: a triangle near it."""
    own = to_own_frame(target, pose, point)
    t = as_index(samples.near[k])
    over = look_over_core(target.mesh, target.rivals, t, own)
    if over.certain:
        return _sample_over(target.mesh, point, t, over.height)
    return _find_again(target, point, own, samples, as_index(k), over.beyond < 0, as_index(guess), work, report)


@apart_kernel
def _ask_new_vertex(
    base: Side, target: Side, pose: Pose, v: int, guess: int, work: Work, report: ContactReport
) -> None:
    """Find the depth of vertex v of the base."""
    samples = base.samples
    samples.vertex_stamp[v] = base.stamp
    k = base.n_triangles + v
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
    mesh = target.mesh
    own = to_own_frame(target, pose, point)
    core = find_core(mesh, target.rivals, guess, own)
    if core.triangle >= 0:
        return _sample_over(mesh, point, core.triangle, core.height)
    report.line_checks += 1
    return _sample_at(mesh, point, own, find_nearest(mesh, target.rivals, own, near_at(mesh, own, guess), work.stack))
