"""The surfaces E and F in one frame: vertices, corners and directions of either, in frame E and in its own."""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.evaluation_view import Side
from polycontact.kernels.geometry.frames import apply, apply_transposed, as_matrix, as_vector, without_dust
from polycontact.kernels.geometry.vectors import Vector, row, sub
from polycontact.kernels.jit import inline_kernel


@inline_kernel
def vertex_in_e(side: Side, pose: Pose, v: int) -> Vector:
    """Vertex v of a surface in frame E, computed once per evaluation."""
    x = side.x
    if side.is_f:
        fresh = side.vertex_stamp
        if fresh[v] != side.stamp:
            fresh[v] = side.stamp
            r = as_vector(pose.position)
            moved = apply(as_matrix(pose.rotation), row(side.mesh.vertices, v))
            x[v, 0] = without_dust(moved[0] + r[0])
            x[v, 1] = without_dust(moved[1] + r[1])
            x[v, 2] = without_dust(moved[2] + r[2])
    return row(x, v)


@inline_kernel
def corners_of(side: Side, pose: Pose, t: int) -> tuple[Vector, Vector, Vector]:
    """Corners of triangle t in frame E."""
    triangles = side.mesh.triangles
    return (
        vertex_in_e(side, pose, triangles[t, 0]),
        vertex_in_e(side, pose, triangles[t, 1]),
        vertex_in_e(side, pose, triangles[t, 2]),
    )


@inline_kernel
def normal_of(side: Side, pose: Pose, t: int) -> Vector:
    """Outward unit normal of triangle t in frame E."""
    return from_own_direction(side, pose, row(side.mesh.normals, t))


@inline_kernel
def to_own_frame(side: Side, pose: Pose, point: Vector) -> Vector:
    """A point of frame E in the frame of a surface."""
    if side.is_f:
        return apply_transposed(as_matrix(pose.rotation), sub(point, as_vector(pose.position)))
    return point


@inline_kernel
def to_own_direction(side: Side, pose: Pose, direction: Vector) -> Vector:
    """A direction of frame E in the frame of a surface."""
    if side.is_f:
        return apply_transposed(as_matrix(pose.rotation), direction)
    return direction


@inline_kernel
def from_own_direction(side: Side, pose: Pose, direction: Vector) -> Vector:
    """A direction of the frame of a surface in frame E."""
    if side.is_f:
        return apply(as_matrix(pose.rotation), direction)
    return direction
