"""Sums over a Delassus matrix: velocities and energies of impulses."""

from __future__ import annotations

from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles


@kernel
def quadratic_form(W: Doubles, x: Doubles, y: Doubles) -> float:
    """xᵀ W y; with impulses (N s) on both sides a work (J)."""
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] != 0.0:
            velocity = 0.0
            for j in range(y.shape[0]):
                velocity += W[i, j] * y[j]
            total += x[i] * velocity
    return total


@kernel
def inner_product(x: Doubles, y: Doubles) -> float:
    """Inner product xᵀ y of two vectors of any length."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@kernel
def find_velocity(W: Doubles, u: Doubles, p: Doubles, out: Doubles) -> None:
    """Velocities after impulses, u + W p."""
    for i in range(u.shape[0]):
        change = 0.0
        for j in range(p.shape[0]):
            change += W[i, j] * p[j]
        out[i] = u[i] + change
