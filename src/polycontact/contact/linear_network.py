"""Springs and dashpots of a layer, and those of two layers in series, which are of the same form again.

A linear layer answers a depth e with p = c∞ e + d ė + Σ c_j (e − q_j), τ_j q̇_j = e − q_j: a spring, a dashpot, and
branches of a spring and a dashpot each (Maxwell's; together a Prony series). Two of them under the same pressure are
such a network too: the energy of both, least with respect to what moves without a dashpot, is a quadratic form of the
depth u and of what their dashpots have yielded, x; the power lost is one of ẋ (and u̇) alone. So x follows the gradient
of the energy, D ẋ = −H x + b u, and the modes of H φ = λ D φ are the branches of the whole: τ = 1/λ, c = (φ·b)²/λ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polycontact.tolerances import NO_BRANCH


@dataclass(frozen=True)
class LinearNetwork:
    """A spring (N/m³), a dashpot (N s/m³), and ``branches`` of stiffness (N/m³) and time (s) each, side by side."""

    spring: float
    dashpot: float = 0.0
    branches: tuple[tuple[float, float], ...] = ()

    @property
    def instant(self) -> float:
        """Stiffness of all springs together, c_0 = c∞ + Σ c_j, N/m³."""
        return self.spring + sum(stiffness for stiffness, _ in self.branches)

    @property
    def slowest(self) -> float:
        """A time (s) in which it recovers without load, at least; infinite where no spring brings it back."""
        if not self.branches:
            return 0.0
        longest = max(time for _, time in self.branches)
        return longest * self.instant / self.spring if self.spring > 0.0 else np.inf

    def in_series(self, other: LinearNetwork) -> LinearNetwork:
        """Both under the same pressure; where both are without dashpots it is eq. (12)."""
        spring = _in_series(self.spring, other.spring)
        if not self.branches and not other.branches and (self.dashpot, other.dashpot) == (0.0, 0.0):
            return LinearNetwork(spring)
        energy, loss, dashpot = _forms(self, other)
        # x by √D, in which the modes are those of a symmetric matrix.
        root = np.sqrt(loss)
        rates, modes = np.linalg.eigh(energy[1:, 1:] / np.outer(root, root))
        pull = modes.T @ (energy[0, 1:] / root)
        real = rates > NO_BRANCH * rates.max()
        found = [(p * p / rate, 1.0 / rate) for p, rate in zip(pull[real], rates[real], strict=True)]
        least = NO_BRANCH * energy[0, 0]
        branches = tuple((float(c), float(time)) for c, time in found if c > least)
        return LinearNetwork(spring, dashpot, branches)


def _in_series(a: float, b: float) -> float:
    return a * b / (a + b) if a > 0.0 and b > 0.0 else 0.0


def _forms(first: LinearNetwork, second: LinearNetwork) -> tuple[np.ndarray, np.ndarray, float]:
    """Energy (twice a quadratic form of u and x), losses by ẋ (a diagonal), and the dashpot by u̇ of both in series.

    x: what the dashpots of all branches have yielded, and where any layer has a dashpot beside its springs, the depth
    of the first layer, counted from where dashpots alone would have it.
    """
    n, m = len(first.branches), len(second.branches)
    size = 1 + n + m + 1  # u, branches of both, w: depth of the first layer
    form = np.zeros((size, size))
    w, u = np.zeros(size), np.zeros(size)
    w[-1] = u[0] = 1.0
    for layer, depth, at in ((first, w, 1), (second, u - w, 1 + n)):
        form += layer.spring * np.outer(depth, depth)
        for j, (stiffness, _) in enumerate(layer.branches):
            stretch = depth.copy()
            stretch[at + j] -= 1.0
            form += stiffness * np.outer(stretch, stretch)
    loss = [stiffness * time for stiffness, time in (*first.branches, *second.branches)]
    both = first.dashpot + second.dashpot
    if both == 0.0:  # w moves freely: where the energy is least
        free = form[-1, -1]
        return form[:-1, :-1] - np.outer(form[-1, :-1], form[-1, :-1]) / free, np.array(loss), 0.0
    share = second.dashpot / both  # w = s + share u: the powers lost by ṡ and by u̇ do not mix
    change = np.eye(size)
    change[-1, 0] = share
    return change.T @ form @ change, np.array([*loss, both]), first.dashpot * share
