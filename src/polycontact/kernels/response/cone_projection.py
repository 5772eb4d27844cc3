"""The nearest impulse within a friction cone, or within one cut off below."""

from __future__ import annotations

import math

from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel


@inline_kernel
def nearest_in_cone(p: Vector, mu: float, floor: float) -> Vector:
    """The point nearest to p with |p_t| ≤ μ p_n and p_n ≥ floor ≥ 0."""
    size = math.hypot(p[1], p[2])
    normal, limit = p[0], size
    if size > mu * normal:
        normal = max((normal + mu * size) / (1.0 + mu * mu), 0.0)
        limit = mu * normal
    if normal < floor:
        normal = floor
        limit = min(size, mu * floor)
    share = limit / size if size > limit else 1.0
    return (normal, share * p[1], share * p[2])
