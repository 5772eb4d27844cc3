"""The nearest impulse within a friction cone, and how it changes with the velocity: what a softened contact exerts.

A contact whose impulse p may be had for the price ½ Σ α_k (p_k - x_k)², α_n along the normal and α_t along the
tangents (1/kg), takes of all with |p_t| ≤ μ p_n and p_n ≥ floor the one nearest to x:

    (1) within the cone                p = x                    it sticks
    (2) outside, nearest to its side   p_t = μ p_n d, d ∥ x_t   it slips
    (3) nearest to its tip, or below   p = 0                    it is open
    (4) pushed below a floor > 0       p_n = floor, p_t in a disc of radius μ floor

`stiffness_of` is -dp/du for x = x₀ - u/α: symmetric and never negative, hence the sum of all prices is convex in the
velocities.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.geometry.frames import Matrix
from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel


class Price(NamedTuple):
    """Friction, the least normal impulse (N s), and what impulses cost along normal and tangents (1/kg)."""

    mu: float
    floor: float
    normal: float
    tangential: float


@inline_kernel
def nearest_in_cone(x: Vector, price: Price) -> Vector:
    """The impulse nearest to x (N s) with |p_t| ≤ μ p_n and p_n ≥ floor ≥ 0."""
    size = math.hypot(x[1], x[2])
    normal, limit = x[0], size
    if size > price.mu * normal:  # (2)
        part = price.tangential * price.mu
        normal = max((price.normal * normal + part * size) / (price.normal + part * price.mu), 0.0)
        limit = price.mu * normal
    if normal < price.floor:  # (4)
        normal = price.floor
        limit = min(size, price.mu * price.floor)
    share = limit / size if size > limit else 1.0
    return (normal, share * x[1], share * x[2])


@inline_kernel
def stiffness_of(x: Vector, price: Price) -> Matrix:
    """-dp/du (kg) of the nearest impulse p for x = x₀ - u/α."""
    size = math.hypot(x[1], x[2])
    dx, dy = (x[1] / size, x[2] / size) if size > 0.0 else (1.0, 0.0)
    nn, nd, along, across = 1.0 / price.normal, 0.0, 1.0 / price.tangential, 1.0 / price.tangential  # (1)
    normal = x[0]
    if size > price.mu * normal:
        part = price.tangential * price.mu
        normal = (price.normal * normal + part * size) / (price.normal + part * price.mu)
        if normal > 0.0:  # (2)
            nn = 1.0 / (price.normal + part * price.mu)
            nd = price.mu * nn
            along = price.mu * nd
            across = price.mu * normal / (size * price.tangential)
        else:  # (3)
            nn, nd, along, across = 0.0, 0.0, 0.0, 0.0
    if normal < price.floor:  # (4)
        nn, nd = 0.0, 0.0
        along, across = 1.0 / price.tangential, 1.0 / price.tangential
        if size > price.mu * price.floor:
            along, across = 0.0, price.mu * price.floor / (size * price.tangential)
    xx = along * dx * dx + across * dy * dy
    xy = (along - across) * dx * dy
    yy = along * dy * dy + across * dx * dx
    return ((nn, nd * dx, nd * dy), (nd * dx, xx, xy), (nd * dy, xy, yy))
