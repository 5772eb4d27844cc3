"""Friction in the contact plane: symmetric 2×2 matrices and the equation of slip.

Slip with the speed ratio λ ≥ 0, u_t = -λ p_t, turns Coulomb's law into (A + λ) p_t = g with a symmetric, positive
semidefinite A (2×2, 1/kg). In the principal axes of A that is two divisions, and the condition |p_t| = limit is one
equation for λ, which is solved by Newton's method within a bracket.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import EPS, LOOSE_DIRECTION

PlaneVector = tuple[float, float]
Axes = tuple[float, float, float, float]
"""Two eigenvalues of a symmetric 2×2 matrix, cosine and sine of the angle to the axis of the first."""

ROOT_STEPS = 200
"""Steps of Newton's method and of bisection at most: the exponents of all doubles are halved eleven times."""


@inline_kernel
def principal_axes(a11: float, a12: float, a22: float) -> Axes:
    """Eigenvalues, none negative, and axes of a positive semidefinite matrix."""
    angle = 0.5 * math.atan2(2.0 * a12, a11 - a22)
    c, s = math.cos(angle), math.sin(angle)
    mean, radius = 0.5 * (a11 + a22), math.hypot(0.5 * (a11 - a22), a12)
    return (mean + radius, max(mean - radius, 0.0), c, s)


@inline_kernel
def to_axes(axes: Axes, x: float, y: float) -> PlaneVector:
    """Components in principal axes."""
    return (axes[2] * x + axes[3] * y, axes[2] * y - axes[3] * x)


@inline_kernel
def from_axes(axes: Axes, g: PlaneVector) -> PlaneVector:
    """Components in the axes of the contact."""
    return (axes[2] * g[0] - axes[3] * g[1], axes[3] * g[0] + axes[2] * g[1])


@inline_kernel
def divided(g: float, eigenvalue: float, least: float, negligible: float) -> float:
    """One component of A⁻¹ g; in a direction that A does not see, 0 where g is rounding."""
    if eigenvalue > least:
        return g / eigenvalue
    return g / least if abs(g) > negligible else 0.0


@inline_kernel
def stick_impulse(axes: Axes, g: PlaneVector, size: float, speed: float) -> PlaneVector:
    """A⁻¹ g in principal axes: the impulse that stops slip.

    Directions in which the eigenvalue is below rounding of ``size`` (1/kg) take nothing where g is rounding of
    ``speed`` (m/s); otherwise the impulse is huge and no friction will hold it.
    """
    least = LOOSE_DIRECTION * size
    if not least > 0.0:
        return (0.0, 0.0)
    negligible = LOOSE_DIRECTION * speed
    return (divided(g[0], axes[0], least, negligible), divided(g[1], axes[1], least, negligible))


@kernel
def slip_impulse(axes: Axes, g: PlaneVector, limit: float, slope: PlaneVector) -> tuple[float, float, float]:
    """The impulse x = (A + λ)⁻¹ g with |x| = limit + slope·x, and λ ≥ 0, all in principal axes.

    The caller has found that λ = 0 leaves |x| above the limit; at λ = |g| (1 + |slope|) / limit it is below. So there
    is a root between, and Newton's method on (limit + slope·x)/|x| - 1, nearly linear in λ (as Moré and Sorensen, 1983,
    do for trust regions), finds it, held within a bracket.
    """
    size = math.hypot(g[0], g[1])
    high = size * (1.0 + math.hypot(slope[0], slope[1])) / limit
    low = 0.0
    ratio = high
    x, y = 0.0, 0.0
    for _ in range(ROOT_STEPS):
        d0, d1 = axes[0] + ratio, axes[1] + ratio
        if not (d0 > 0.0 and d1 > 0.0):
            break
        x, y = g[0] / d0, g[1] / d1
        length = math.hypot(x, y)
        if not length > 0.0:
            break
        reached = limit + slope[0] * x + slope[1] * y
        # Positive where the impulse is within its limit: λ is too large then.
        excess = reached / length - 1.0
        if excess > 0.0:
            high = ratio
        else:
            low = ratio
        if abs(excess) <= 4.0 * EPS or high - low <= 2.0 * EPS * high:
            break
        dx, dy = -x / d0, -y / d1
        rate = (slope[0] * dx + slope[1] * dy) / length - reached * (x * dx + y * dy) / length**3
        step = ratio - excess / rate if rate != 0.0 else -1.0
        # A step out of the bracket is replaced by bisection, in the exponent once both ends are positive.
        if not (low < step < high):
            step = math.sqrt(low * high) if low > 0.0 else 0.0625 * high
        if step == ratio:
            break
        ratio = step
    return (x, y, ratio)
