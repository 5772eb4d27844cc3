"""Barycentre normals of base triangles, eq. (8): where elements sit and along which line their depth is measured.

In: a base triangle, or the barycentre of a part of one, and the pose. Out: a `Line` in frame E and in the target's own
frame. n_k = −n points into the base body, as the depth is measured from the base, which lies inside the target, towards
the target's surface.
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.evaluation_view import Side
from polycontact.kernels.geometry.frames import apply, apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.vectors import Vector, add, row, scale, sub
from polycontact.kernels.jit import inline_kernel


class Line(NamedTuple):
    """A point of the base and the direction n_k there, in frame E, and both in the target's own frame."""

    point: Vector
    normal: Vector
    own_point: Vector
    own_normal: Vector


@inline_kernel
def line_in_both_frames(base: Side, pose: Pose, c: Vector, n: Vector) -> Line:
    """A line given in frame E, in the frame of the target too."""
    if base.is_f:
        return Line(c, n, c, n)
    R = as_matrix(pose.rotation)
    return Line(c, n, apply_transposed(R, sub(c, as_vector(pose.position))), apply_transposed(R, n))


@inline_kernel
def base_direction(base: Side, pose: Pose, t: int) -> Vector:
    """n_k of base triangle t in frame E: into the base body."""
    n = scale(-1.0, row(base.mesh.normals, t))
    return apply(as_matrix(pose.rotation), n) if base.is_f else n


@inline_kernel
def base_line(base: Side, pose: Pose, t: int) -> Line:
    """Barycentre normal of base triangle t, eq. (8)."""
    c = row(base.mesh.barycentres, t)
    n = base_direction(base, pose, t)
    if base.is_f:
        c = add(apply(as_matrix(pose.rotation), c), as_vector(pose.position))
    return line_in_both_frames(base, pose, c, n)
