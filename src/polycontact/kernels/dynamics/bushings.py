"""Bushings: six springs and dampers between two frames, coupled by 6×6 matrices.

With x = (r, θ), displacement and rotation vector of frame B in frame A, they exert F = F₀ - K x - D ẋ along x. The
wrench is what has the power F·ẋ, so that the elastic part is the gradient of ½ xᵀKx - F₀·x for rotations of any size
up to half a turn, and ẋᵀDẋ is lost.
"""

from __future__ import annotations

from polycontact.kernels.dynamics.evaluation_views import AppliedForces, BodyState, Ledger
from polycontact.kernels.dynamics.matrices import Array, add_vector, load_vector, product, rotation_of
from polycontact.kernels.dynamics.rotation_vectors import rate_of_vector, rotation_vector, torque_of_vector
from polycontact.kernels.dynamics.setup_views import Bushings
from polycontact.kernels.geometry.frames import apply, apply_transposed, transposed
from polycontact.kernels.geometry.vectors import Vector, add, cross, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel

Six = tuple[float, float, float, float, float, float]


@kernel
def apply_bushings(bushings: Bushings, bodies: BodyState, forces: AppliedForces, ledger: Ledger) -> None:
    """Forces of all bushings, with energy and loss."""
    for k in range(bushings.n):
        apply_bushing(bushings, bodies, forces.applied, ledger, k)


@kernel
def apply_bushing(
    bushings: Bushings, bodies: BodyState, applied: Array, ledger: Ledger, k: int
) -> tuple[Vector, Vector]:
    """One bushing; returns force (N) and torque (N m) on body b at the origin of its frame, in the axes of frame A."""
    a, b = bushings.body_a[k], bushings.body_b[k]
    R_a, R_b = rotation_of(bodies.rotation, a), rotation_of(bodies.rotation, b)
    A, B = product(R_a, rotation_of(bushings.frame_a, k)), product(R_b, rotation_of(bushings.frame_b, k))
    arm_a, arm_b = apply(R_a, row(bushings.point_a, k)), apply(R_b, row(bushings.point_b, k))
    d = sub(add(row(bodies.position, b), arm_b), add(row(bodies.position, a), arm_a))
    w_a, w_b = load_vector(bodies.velocity[a], 0), load_vector(bodies.velocity[b], 0)
    to_b = add(arm_a, d)  # the point of A that lies at the origin of frame B
    v_a = add(load_vector(bodies.velocity[a], 3), cross(w_a, to_b))
    v_b = add(load_vector(bodies.velocity[b], 3), cross(w_b, arm_b))
    r, rate = apply_transposed(A, d), apply_transposed(A, sub(v_b, v_a))
    theta = rotation_vector(product(transposed(A), B))
    turn = rate_of_vector(theta, apply_transposed(A, sub(w_b, w_a)))
    f, m = _act(bushings, ledger, k, _six(r, theta), _six(rate, turn))
    torque = torque_of_vector(theta, m)
    force_W, torque_W = apply(A, f), apply(A, torque)
    add_vector(applied[b], 0, add(torque_W, cross(arm_b, force_W)))
    add_vector(applied[b], 3, force_W)
    add_vector(applied[a], 0, scale(-1.0, add(torque_W, cross(to_b, force_W))))
    add_vector(applied[a], 3, scale(-1.0, force_W))
    return f, torque


@inline_kernel
def _six(a: Vector, b: Vector) -> Six:
    """Two vectors as one of six numbers."""
    return (a[0], a[1], a[2], b[0], b[1], b[2])


@kernel
def _act(bushings: Bushings, ledger: Ledger, k: int, x: Six, rate: Six) -> tuple[Vector, Vector]:
    """Forces along x, translations and rotations; energy and loss into the ledger."""
    energy, lost = 0.0, 0.0
    f, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(6):
        elastic, damping = 0.0, 0.0
        for j in range(6):
            elastic += bushings.stiffness[k, 6 * i + j] * x[j]
            damping += bushings.damping[k, 6 * i + j] * rate[j]
        preload = bushings.preload[k, i]
        energy += (0.5 * elastic - preload) * x[i]
        lost += damping * rate[i]
        along = preload - elastic - damping
        unit = (1.0 if i % 3 == 0 else 0.0, 1.0 if i % 3 == 1 else 0.0, 1.0 if i % 3 == 2 else 0.0)
        if i < 3:
            f = add(f, scale(along, unit))
        else:
            m = add(m, scale(along, unit))
    ledger.energies.springs += energy
    ledger.powers.damping += lost
    return f, m
