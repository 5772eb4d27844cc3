"""What a number tends to as something is refined, from its values on levels of refinement.

Richardson's extrapolation: with the error of order p of the size h, and sizes of a constant ratio r, three values give

    p = ln((f₁ − f₀) / (f₂ − f₁)) / ln r,    f = f₂ + (f₂ − f₁) / (rᵖ − 1)

How uncertain that is follows the grid convergence index (Roache 1998; Celik et al., J. Fluids Eng. 130 (2008) 078001):
the last correction itself where the course of the values is as it should be, and three times their spread where it is
not (as Eça and Hoekstra, J. Comput. Phys. 262 (2014) 104, have it). An order above the one that is expected is an
accident: the extrapolation then uses the expected one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LEAST_ORDER: Final = 0.5
"""Below it an extrapolation would go farther than what is known: the correction would be 2.4 times the last change."""

SAFETY: Final = 3.0
"""Roache's factor of safety where the order is not observed."""

COURSES: Final = {
    "unchanged": "it does not change beyond noise",
    "converging": "it converges",
    "two levels": "of two levels, so that the order is supposed",
    "oscillating": "it goes to and fro, less and less",
    "slow": "it converges too slowly to be extrapolated",
    "not converging": "its changes do not become smaller",
    "one level": "nothing was refined",
}
"""How values go on, with words for it."""


@dataclass(frozen=True)
class Limit:
    """What values tend to: ``value`` ± ``uncertainty``; ``order`` as observed, None where there is none.

    ``course``: one of `COURSES`.
    """

    value: float
    uncertainty: float
    order: float | None
    course: str

    @property
    def is_sound(self) -> bool:
        """Whether the values go on as they should, so that the limit is more than a guess."""
        return self.course in ("unchanged", "converging", "two levels", "oscillating")


def limit_of(values: Sequence[float], ratio: float, expected_order: float, noise: float = 0.0) -> Limit:
    """The limit of values on levels, coarse first, each finer by ``ratio``; ``noise``: by how much each may be off.

    Of more than three the last three count.
    """
    if len(values) == 1:
        return Limit(values[0], noise, None, "one level")
    if len(values) == 2:
        return _of_two(values[0], values[1], ratio, expected_order, noise)
    coarse, middle, fine = values[-3:]
    first, second = middle - coarse, fine - middle
    spread = max(coarse, middle, fine) - min(coarse, middle, fine)
    if max(abs(first), abs(second)) <= 2.0 * noise or spread <= _rounding(values):
        return Limit(fine, spread, None, "unchanged")
    if abs(second) >= abs(first):
        return Limit(fine, SAFETY * spread, None, "not converging")
    if first * second <= 0.0 and abs(second) > 2.0 * noise:
        left = max(SAFETY * abs(second), abs(first) / ratio**expected_order)
        return Limit(fine, min(spread, left) + noise, None, "oscillating")
    return _converging(fine, first, second, ratio, expected_order, noise)


def _converging(fine: float, first: float, second: float, ratio: float, expected: float, noise: float) -> Limit:
    """The limit where the second change is smaller than the first, and not beyond noise in the other direction."""
    share = second / first
    order = math.inf if share <= 0.0 else -math.log(share) / math.log(ratio)
    if order < LEAST_ORDER:
        return Limit(fine, SAFETY * (abs(first) + abs(second)), order, "slow")
    used = min(order, expected)
    gain = 1.0 / (ratio**used - 1.0)
    correction = gain * second
    by_first = gain * abs(first) / ratio**used  # larger where the second change is small by accident
    uncertainty = max(abs(correction), by_first) + noise * (1.0 + 2.0 * gain)
    return Limit(fine + correction, uncertainty, order if math.isfinite(order) else None, "converging")


def _of_two(coarse: float, fine: float, ratio: float, expected: float, noise: float) -> Limit:
    """Of two values the finer one, with the error that the expected order makes it have, three times."""
    change = abs(fine - coarse)
    if change <= 2.0 * noise:
        return Limit(fine, change, None, "unchanged")
    return Limit(fine, SAFETY * change / (ratio**expected - 1.0) + noise, None, "two levels")


def _rounding(values: Sequence[float]) -> float:
    return 1e-12 * max(map(abs, values))
