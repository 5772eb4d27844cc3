"""One contact with Coulomb friction, exactly: the problem that sweeps solve for one contact after the other.

With u = W p + c of one contact, find p with u_n ≥ 0 ⟂ p_n ≥ 0, |p_t| ≤ μ p_n, and p_t = -μ p_n u_t/|u_t| where it
slips. Where it touches, u_n = 0 gives p_n = -(c_n + wᵀp_t)/W_nn, and what remains is a problem in the contact plane,
Â p_t + ĉ = -λ p_t, with Â = W_tt - w wᵀ/W_nn and ĉ = c_t - w c_n/W_nn: λ = 0 sticks, λ > 0 slips with |p_t| = μ p_n. It
has a solution wherever Â is regular: `slip_impulse` has it between two bounds. (Bonnefon and Daviet, Quartic
formulation of Coulomb 3D frictional contact, 2011, eliminate in the same way.)

    (1) c_n ≥ 0                                    -> open: p = 0
    (2) it touches, and λ = 0 keeps |p_t| ≤ μ p_n  -> it sticks
    (3) it touches, and λ = 0 does not             -> it slips
    (4) friction would raise p_n beyond all bounds -> jammed: the impulse without friction
    (5) a floor holds p_n up                       -> friction under that normal impulse, sticking or slipping
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.frames import Matrix
from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import kernel
from polycontact.kernels.response.plane_friction import (
    from_axes,
    principal_axes,
    slip_impulse,
    stick_impulse,
    to_axes,
)
from polycontact.tolerances import JAMMED


@kernel
def solve_contact(W: Matrix, c: Vector, mu: float, floor: float) -> Vector:
    """Impulse (N s) of one contact whose velocity is W p + c (m/s), its normal part no less than ``floor``.

    With a floor (N s), u_n ≥ 0 ⟂ p_n - floor ≥ 0. W_nn must be positive.
    """
    if floor > 0.0:  # (5), if the contact does not approach with it
        held = _held_impulse(W, c, mu, floor)
        if W[0][0] * held[0] + W[0][1] * held[1] + W[0][2] * held[2] + c[0] >= 0.0:
            return held
    elif not c[0] < 0.0:
        return (0.0, 0.0, 0.0)  # (1)
    touching = _touching_impulse(W, c, mu) if c[0] < 0.0 else (0.0, 0.0, 0.0)
    if touching[0] >= floor:
        return touching
    return _held_impulse(W, c, mu, floor)


@kernel
def _touching_impulse(W: Matrix, c: Vector, mu: float) -> Vector:
    """The impulse with u_n = 0, for c_n < 0; without friction where this jams the contact.

    A mechanism with one freedom moves its points along a line: friction may hold it against whatever would separate
    them, and only impulses without bound would, in directions that W does not see.
    """
    frictionless = (-c[0] / W[0][0], 0.0, 0.0)
    if not mu > 0.0:
        return frictionless
    impulse = _rubbing_impulse(W, c, mu, frictionless[0])
    # Else (4).
    return impulse if impulse[0] * JAMMED <= frictionless[0] else frictionless


@kernel
def _rubbing_impulse(W: Matrix, c: Vector, mu: float, without_friction: float) -> Vector:
    """The impulse with u_n = 0 and friction; ``without_friction`` (N s) is the normal impulse that alone gives it."""
    w_nn, w1, w2 = W[0][0], W[0][1], W[0][2]
    axes = principal_axes(W[1][1] - w1 * w1 / w_nn, W[1][2] - w1 * w2 / w_nn, W[2][2] - w2 * w2 / w_nn)
    g = to_axes(axes, -c[1] - w1 * without_friction, -c[2] - w2 * without_friction)
    speed = math.hypot(c[1], c[2]) + math.hypot(w1, w2) * without_friction
    x, y = stick_impulse(axes, g, W[1][1] + W[2][2], speed)  # (2)
    slope = to_axes(axes, -mu * w1 / w_nn, -mu * w2 / w_nn)
    limit = mu * without_friction
    if math.hypot(x, y) > limit + slope[0] * x + slope[1] * y:  # (3)
        x, y, _ = slip_impulse(axes, g, limit, slope)
        length = math.hypot(x, y)
        if not length > 0.0:
            return (without_friction, 0.0, 0.0)
        d1, d2 = from_axes(axes, (mu * x / length, mu * y / length))
        yielding = w_nn + w1 * d1 + w2 * d2
        if not yielding > 0.0:
            return (length / mu, d1 * (length / mu), d2 * (length / mu))
        normal = -c[0] / yielding
        return (normal, normal * d1, normal * d2)
    p1, p2 = from_axes(axes, (x, y))
    return (-(c[0] + w1 * p1 + w2 * p2) / w_nn, p1, p2)


@kernel
def _held_impulse(W: Matrix, c: Vector, mu: float, normal: float) -> Vector:
    """Friction under a given normal impulse."""
    limit = mu * normal
    if not limit > 0.0:
        return (normal, 0.0, 0.0)
    axes = principal_axes(W[1][1], W[1][2], W[2][2])
    c1, c2 = c[1] + W[0][1] * normal, c[2] + W[0][2] * normal
    g = to_axes(axes, -c1, -c2)
    x, y = stick_impulse(axes, g, W[1][1] + W[2][2], math.hypot(c[1], c[2]) + math.hypot(W[0][1], W[0][2]) * normal)
    if math.hypot(x, y) > limit:
        x, y, _ = slip_impulse(axes, g, limit, (0.0, 0.0))
    p1, p2 = from_axes(axes, (x, y))
    return (normal, p1, p2)
