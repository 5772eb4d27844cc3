"""Kinematics of one joint: where its coordinates put the marker on the body, and how its speeds move it.

All in the frame of the marker on the parent, P: the marker on the body, C, has the rotation R(q) and the position
l(q); its angular velocity and velocity in P are Σ S_k v_k. The columns S_k depend on q for the universal joint
only; ``turning`` is what their change adds to the angular acceleration.
"""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.dynamics_codes import JointCode
from polycontact.kernels.dynamics.matrices import Array, about_x, about_y, about_z, from_quaternion
from polycontact.kernels.geometry.frames import Matrix
from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel, kernel


@inline_kernel
def has_quaternion(kind: int) -> bool:
    """Whether the last four coordinates of a joint are a quaternion."""
    return kind == JointCode.FREE or kind == JointCode.SPHERICAL


@kernel
def joint_rotation(kind: int, q: Array) -> Matrix:
    """R(q) of C in P for the joint's coordinates ``q``."""
    if kind == JointCode.FREE:
        return from_quaternion(q[3], q[4], q[5], q[6])
    if kind == JointCode.SPHERICAL:
        return from_quaternion(q[0], q[1], q[2], q[3])
    if kind == JointCode.REVOLUTE or kind == JointCode.CYLINDRICAL:
        return about_z(q[0])
    if kind == JointCode.UNIVERSAL:
        x = about_x(q[0])
        y = about_y(q[1])
        return (
            (y[0][0], 0.0, y[0][2]),
            (x[1][2] * y[2][0], x[1][1], x[1][2] * y[2][2]),
            (x[2][2] * y[2][0], x[2][1], x[2][2] * y[2][2]),
        )
    if kind == JointCode.PLANAR:
        return about_z(q[2])
    return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def joint_position(kind: int, q: Array) -> Vector:
    """Position l(q) of the child's joint frame in that of the parent, m; 0 where the joint only turns."""
    if kind == JointCode.FREE:
        return (q[0], q[1], q[2])
    if kind == JointCode.PRISMATIC:
        return (0.0, 0.0, q[0])
    if kind == JointCode.CYLINDRICAL:
        return (0.0, 0.0, q[1])
    if kind == JointCode.PLANAR:
        return (q[0], q[1], 0.0)
    return (0.0, 0.0, 0.0)


@kernel
def column_rotation(kind: int, k: int, R: Matrix) -> Vector:
    """Angular part of column S_k in P."""
    if kind == JointCode.FREE:
        return _unit(k - 3)
    if kind == JointCode.SPHERICAL:
        return _unit(k)
    if (
        kind == JointCode.REVOLUTE
        or (kind == JointCode.CYLINDRICAL and k == 0)
        or (kind == JointCode.PLANAR and k == 2)
    ):
        return (0.0, 0.0, 1.0)
    if kind == JointCode.UNIVERSAL:
        if k == 0:
            return (1.0, 0.0, 0.0)
        return (R[0][1], R[1][1], R[2][1])
    return (0.0, 0.0, 0.0)


@kernel
def column_translation(kind: int, k: int) -> Vector:
    """Translational part of column S_k in P."""
    if kind == JointCode.FREE:
        return _unit(k)
    if kind == JointCode.PRISMATIC or (kind == JointCode.CYLINDRICAL and k == 1):
        return (0.0, 0.0, 1.0)
    if kind == JointCode.PLANAR and k < 2:
        return _unit(k)
    return (0.0, 0.0, 0.0)


@kernel
def _unit(k: int) -> Vector:
    """Unit vector along axis k; zero for another k."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@kernel
def turning(kind: int, R: Matrix, v: Array) -> Vector:
    """Angular acceleration in P at constant speeds ``v``, rad/s²: x × (R y) v₀v₁ of the universal joint."""
    if kind == JointCode.UNIVERSAL:
        s = v[0] * v[1]
        return (0.0, -s * R[2][1], s * R[1][1])
    return (0.0, 0.0, 0.0)


@kernel
def coordinate_rates(kind: int, q: Array, v: Array, out: Array) -> None:
    """dq/dt of a joint: its speeds, or ½ ω ∘ q for the quaternion (ω in P)."""
    first = 0
    if kind == JointCode.FREE:
        for i in range(3):
            out[i] = v[i]
        first = 3
    if has_quaternion(kind):
        w, x, y, z = q[first], q[first + 1], q[first + 2], q[first + 3]
        a, b, c = v[first], v[first + 1], v[first + 2]
        out[first] = -0.5 * (a * x + b * y + c * z)
        out[first + 1] = 0.5 * (a * w + b * z - c * y)
        out[first + 2] = 0.5 * (b * w + c * x - a * z)
        out[first + 3] = 0.5 * (c * w + a * y - b * x)
        return
    for i in range(len(v)):
        out[i] = v[i]


@kernel
def pull_to_unit_length(kind: int, q: Array, v: Array, out: Array) -> None:
    """Add to dq/dt what brings a quaternion back to unit length, at a rate of half the angular speed.

    Its rotation does not depend on its length; but the integrator's tolerances do, and errors change it with each turn.
    """
    if not has_quaternion(kind):
        return
    first = len(q) - 4
    spin = math.sqrt(v[first] * v[first] + v[first + 1] * v[first + 1] + v[first + 2] * v[first + 2])
    excess = -1.0
    for i in range(4):
        excess += q[first + i] * q[first + i]
    for i in range(4):
        out[first + i] -= 0.25 * spin * excess * q[first + i]
