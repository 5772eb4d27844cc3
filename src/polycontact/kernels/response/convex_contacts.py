"""Softened contacts with friction: the least of a convex function, by Newton's method.

Of coordinates z, with u = A z + b + s n (Castro, Permenter and Han, An unconstrained convex formulation of compliant
contact, 2022):

    φ(z) = ½ |z|² + Σ ½ α |p(u)|²,   p(u) the impulse of the cone nearest to (ε p₀ - u)/α,   α = soft + ε

with gradient z - Aᵀp and the matrix I + AᵀK A, K = -dp/du (`friction_cone`). φ is convex with one minimum, whose
impulses are the least of ½ pᵀ(W + soft) p + pᵀ(b + s n) + ½ ε |p - p₀|².

    (1) impulses and gradient at z; the gradient's velocity A g tells how near the minimum is
    (2) the step by Newton's matrix, within its envelope
    (3) how much of it: where the slope of φ along it is nearly zero. The whole step where the slope still falls there
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import Vector, dot
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.response.contact_system import ContactSystem, find_coordinates, velocity_by
from polycontact.kernels.response.envelope import add_contact, clear, factorise, substitute
from polycontact.kernels.response.friction_cone import Price, nearest_in_cone, stiffness_of
from polycontact.kernels.response.response_views import SolverWork
from polycontact.tolerances import FLAT_ENOUGH, LESS_THAN_BEFORE, NEAR_ROUNDING, SOLVER_ROUNDING

SEARCHES = 40
"""Trials along a step at most: the slope is monotone, and its root between two bounds."""

STEPS_IN_VAIN = 40
"""Steps that may pass without a smaller gradient: on the way to the minimum it may grow."""

STEPS_IN_ROUNDING = 4
"""And where it is so small that rounding hides it."""


@inline_kernel
def price_of(system: ContactSystem, work: SolverWork, i: int) -> Price:
    """What impulses of a contact cost."""
    normal = system.soft[3 * i] + work.softness[i]
    tangential = system.soft[3 * i + 1] + work.softness[i]
    return Price(work.mu[i], work.floor[i], normal, tangential)


@inline_kernel
def wanted(work: SolverWork, i: int, u: Vector, price: Price) -> Vector:
    """The impulse (N s) that a contact would like at velocity u (raised already), were there no cone."""
    k, softness = 3 * i, work.softness[i]
    return (
        (softness * work.kept[k] - u[0]) / price.normal,
        (softness * work.kept[k + 1] - u[1]) / price.tangential,
        (softness * work.kept[k + 2] - u[2]) / price.tangential,
    )


@kernel
def descend(system: ContactSystem, work: SolverWork, goal: float, limit: int) -> int:
    """Newton's method from ``work.z`` until A g is less than ``goal`` (m/s) everywhere; steps. Impulses are left."""
    n = system.width
    best, in_vain = math.inf, 0
    least = SOLVER_ROUNDING / work.share * _size_of_velocities(system, work)
    for taken in range(limit + 1):
        size = _find_gradient(system, work)  # (1)
        if size <= max(goal, least) or taken == limit or not math.isfinite(size):
            return taken
        in_vain = 0 if size < LESS_THAN_BEFORE * best else in_vain + 1
        best = min(best, size)
        if in_vain > (STEPS_IN_ROUNDING if best < NEAR_ROUNDING * least else STEPS_IN_VAIN):
            return taken
        clear(system, work.envelope)  # (2)
        for i in range(system.n):
            if work.softness[i] > 0.0:
                price = price_of(system, work, i)
                add_contact(system, i, stiffness_of(wanted(work, i, _velocity(work, i), price), price), work.envelope)
        if not factorise(n, True, work.envelope):
            return taken
        for j in range(n):
            work.other[j] = work.step[j]
        substitute(n, work.envelope, work.step)
        falls = 0.0
        for j in range(n):
            falls += work.other[j] * work.step[j]
        for i in range(system.n):
            du = velocity_by(system, work.step, i)
            for a in range(3):
                work.change[3 * i + a] = du[a]
        length = _search(system, work, falls)  # (3)
        for j in range(n):
            work.z[j] += length * work.step[j]
    return limit


@inline_kernel
def _velocity(work: SolverWork, i: int) -> Vector:
    """Velocity of a contact at the coordinates at hand, raised."""
    k = 3 * i
    return (work.velocity[k] + work.raised[i], work.velocity[k + 1], work.velocity[k + 2])


@kernel
def _size_of_velocities(system: ContactSystem, work: SolverWork) -> float:
    size = 0.0
    for k in range(3 * system.n):
        size = max(size, abs(work.b[k]))
    return size


@kernel
def _find_gradient(system: ContactSystem, work: SolverWork) -> float:
    """Velocities and impulses at z; ``step`` = Aᵀp - z, and the largest velocity that it makes (m/s)."""
    for i in range(system.n):
        k = 3 * i
        u = velocity_by(system, work.z, i)
        for a in range(3):
            work.velocity[k + a] = work.b[k + a] + u[a]
        p = (0.0, 0.0, 0.0)
        if work.softness[i] > 0.0:
            price = price_of(system, work, i)
            p = nearest_in_cone(wanted(work, i, _velocity(work, i), price), price)
        for a in range(3):
            work.impulse[k + a] = p[a]
    find_coordinates(system, work.impulse, work.step)
    for j in range(system.width):
        work.step[j] -= work.z[j]
    size = 0.0
    for i in range(system.n):
        u = velocity_by(system, work.step, i)
        size = max(size, max(abs(u[0]), max(abs(u[1]), abs(u[2]))))
        if not math.isfinite(u[0] + u[1] + u[2]):
            return math.nan
    return size


@kernel
def _search(system: ContactSystem, work: SolverWork, falls: float) -> float:
    """Share of the step at which the slope of φ is nearly zero, by Newton's method between two bounds."""
    straight, square = 0.0, 0.0
    for j in range(system.width):
        straight += work.step[j] * work.z[j]
        square += work.step[j] * work.step[j]
    length, low, high = 1.0, 0.0, math.inf
    for _ in range(SEARCHES):
        slope, curvature = _slope(system, work, length, straight, square)
        if slope <= FLAT_ENOUGH * falls and (slope >= -FLAT_ENOUGH * falls or high == math.inf):
            break
        if slope > 0.0:
            high = length
        else:
            low = length
        trial = length - slope / curvature
        length = trial if low < trial < high else 0.5 * (low + high)
    return length


@kernel
def _slope(
    system: ContactSystem, work: SolverWork, length: float, straight: float, square: float
) -> tuple[float, float]:
    """First and second derivative of φ along the step."""
    slope, curvature = straight + length * square, square
    for i in range(system.n):
        if work.softness[i] > 0.0:
            k = 3 * i
            du = (work.change[k], work.change[k + 1], work.change[k + 2])
            u = _velocity(work, i)
            price = price_of(system, work, i)
            x = wanted(work, i, (u[0] + length * du[0], u[1] + length * du[1], u[2] + length * du[2]), price)
            slope -= dot(du, nearest_in_cone(x, price))
            curvature += dot(du, apply(stiffness_of(x, price), du))
    return slope, curvature
