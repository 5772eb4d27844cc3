"""Problems of contacts that were not solved: told at the first one, and the end of a run where they go on."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from polycontact.errors import IntegrationError, SimulationWarning, level_of_the_caller

LARGEST_SHARE = 0.1
"""Residual over the speed that contacts have to change above which no motion is to be trusted: a tenth of a weight."""

TOLD_SHARE = 1e-4
"""That share from which on a problem is told: what is less is counted, and hides in the rounding of a weight."""

MOST_IN_A_ROW = 20
"""Steps in a row with such residuals that a run bears: mechanisms that jam for an instant (Painlevé) go on after it."""


class UnsolvedProblems:
    """What was left of problems of contacts between pairs of these names; ``tolerance`` (m/s) is what they aim at."""

    def __init__(self, names: Sequence[str], tolerance: float) -> None:
        self._names = names
        self._tolerance = tolerance
        self._told = False
        self.in_a_row = 0
        """Steps up to the last one with a residual above `LARGEST_SHARE`."""

    def note(self, t: float, residual: float, share: float, pair: int) -> None:
        """An unsolved problem at t (s): residual (m/s), its ``share`` of the speed to be changed, and the worst pair.

        The first one above `TOLD_SHARE` warns; many in a row above `LARGEST_SHARE` raise an error.
        """
        self.in_a_row = self.in_a_row + 1 if share > LARGEST_SHARE else 0
        what = (
            f"the forces of rigid contacts at t = {t:.9g} s are not solved: at {self._names[pair]!r} a velocity is off "
            f"by {residual:.2g} m/s, {100.0 * share:.2g} % of what the contacts have to change in the step, and the "
            f"tolerance is {self._tolerance:.2g} m/s"
        )
        if self.in_a_row > MOST_IN_A_ROW:
            raise IntegrationError(
                f"{what}; so it was in {self.in_a_row} steps in a row: bodies may be squeezed, or jammed by friction "
                f"(then there is no solution); check the driven motions and coefficients of friction, take "
                f"response='compliant', or yielding=True of MultiplierResponse",
                time=t,
                reason="no convergence",
            )
        if share > TOLD_SHARE and not self._told:
            self._told = True
            warnings.warn(
                f"{what}; more `sweeps`, a shorter `step`, or yielding=True of MultiplierResponse may help; "
                f"run.statistics.response counts further ones",
                SimulationWarning,
                stacklevel=level_of_the_caller(),
            )
