"""How much of its speed an impact gives back when damping grows with the elastic force, and the other way round.

A mass m meets f(p)(1 + a ṗ/v) with the speed v, f any elastic force. With w = ṗ/v the equation of motion
m w v² dw = −f(p)(1 + a w) dp separates; from touch to release the right side adds up to zero, so that

    ∫ w/(1 + a w) dw = 0 from 1 to −e,   or   a (1 + e) = ln((1 + a)/(1 − a e)).

The restitution e so depends on a alone: not on mass, speed, stiffness or on how f grows with the depth. And a e < 1: on
its own such an impact never comes to where the force would pull.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_BISECTIONS = 200
"""Halvings of an interval: more than a double has bits, so that the middle has become one of its ends."""

_SERIES_TERMS = 24
"""Terms of the series of logarithms below _SERIES_LIMIT: its last is below rounding."""

_SERIES_LIMIT = 0.1


def printed_damping(restitution: float) -> float:
    """The factor a = (1 − ε)/ε of the printed law, eq. (1) of S2."""
    return (1.0 - restitution) / restitution


def calibrated_damping(restitution: float) -> float:
    """The factor a with which an impact has a given restitution, above 0 and at most 1."""
    e = restitution
    if e == 1.0:
        return 0.0
    # Close to 1 it is 3/2 (1 − e), and it is nowhere as small as half of that.
    return _root(lambda a: _balance(a, e), 0.75 * (1.0 - e), 1.0 / e)


def delivered_restitution(damping: float) -> float:
    """The restitution e of an impact with the factor a, at least 0."""
    a = damping
    if a == 0.0:
        return 1.0
    return _root(lambda e: _balance(a, e), 0.0, min(1.0, 1.0 / a))


def _balance(a: float, e: float) -> float:
    """[ln((1 + a)/(1 − a e)) − a (1 + e)]/a²: rises with e and, where it is zero, with a."""
    if a * e >= 1.0:
        return math.inf
    if a > _SERIES_LIMIT:
        return (math.log1p(a) - math.log1p(-a * e) - a * (1.0 + e)) / (a * a)
    return sum(a ** (n - 2) * (e**n - (-1.0) ** n) / n for n in range(2, _SERIES_TERMS))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that is negative at ``low`` and positive at ``high`` is zero, by halving."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if function(middle) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
