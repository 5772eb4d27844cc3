"""How deep points of the base lie in the target: the distance φ to its surface, remembered from pose to pose.

A point is asked for again and again while the bodies move, and mostly lies over the triangle of the last time, which is
then the nearest without any search (`geometry.rivals`). What is remembered changes how much work is done, never an
answer.
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.encounter import Encounter
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
def _find_again(meeting: Encounter, point: Vector, own: Vector, k: int, still_over: bool, guess: int) -> Sample:
    """Find the triangle nearest to sample k, from that of the last time or a nearer guess.

    ``still_over``: it lies over that of the last time, but not over its core, so that there is no other core to find.
    """
    target = meeting.target
    samples = meeting.base.samples
    mesh = target.mesh
    if not still_over:
        core = find_core(mesh, target.rivals, guess, own)
        if core.triangle >= 0:
            samples.near[k] = core.triangle
            return _sample_over(mesh, point, core.triangle, core.height)
    meeting.report.line_checks += 1
    last = near_at(mesh, own, as_index(samples.near[k]))
    start = near_at(mesh, own, guess)
    stack = meeting.work.stack
    found = find_nearest(mesh, target.rivals, own, start if start.foot.square < last.foot.square else last, stack)
    samples.near[k] = found.triangle
    return _sample_at(mesh, point, own, found)


@inline_kernel
def ask_sample(meeting: Encounter, point: Vector, k: int, guess: int) -> Sample:
    """Depth of a point of the base (frame E), the k-th of those that are remembered; ``guess``: a triangle near it."""
    target = meeting.target
    own = to_own_frame(target, meeting.pose, point)
    t = as_index(meeting.base.samples.near[k])
    over = look_over_core(target.mesh, target.rivals, t, own)
    if over.certain:
        return _sample_over(target.mesh, point, t, over.height)
    return _find_again(meeting, point, own, as_index(k), over.beyond < 0, as_index(guess))


@apart_kernel
def _ask_new_vertex(meeting: Encounter, v: int, guess: int) -> None:
    """Find the depth of vertex v of the base."""
    base = meeting.base
    samples = base.samples
    samples.vertex_stamp[v] = base.stamp
    k = base.n_triangles + v
    samples.vertex_depth[v] = ask_sample(meeting, vertex_in_e(base, meeting.pose, v), k, guess).depth


@inline_kernel
def ask_vertex(meeting: Encounter, v: int, guess: int) -> float:
    """Depth of vertex v of the base, found once in an evaluation."""
    samples = meeting.base.samples
    if samples.vertex_stamp[v] != meeting.base.stamp:
        _ask_new_vertex(meeting, v, guess)
    return float(samples.vertex_depth[v])


@kernel
def ask_once(meeting: Encounter, point: Vector, guess: int) -> Sample:
    """Depth of a point of the base (frame E) that is not remembered."""
    target = meeting.target
    mesh = target.mesh
    own = to_own_frame(target, meeting.pose, point)
    core = find_core(mesh, target.rivals, guess, own)
    if core.triangle >= 0:
        return _sample_over(mesh, point, core.triangle, core.height)
    meeting.report.line_checks += 1
    near = find_nearest(mesh, target.rivals, own, near_at(mesh, own, guess), meeting.work.stack)
    return _sample_at(mesh, point, own, near)
