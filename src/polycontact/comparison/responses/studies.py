"""The figures of the source that built-in scenarios repeat (Schmucker, Rusin and Konyev 2007)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.responses import billiard_balls_figure as balls
from polycontact.comparison.responses import hexapod_figure as hexapod
from polycontact.comparison.responses import manipulator_figure as manipulator
from polycontact.comparison.responses.finding import Finding as Finding
from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.robots.manipulator_model import STIFFNESSES

if TYPE_CHECKING:
    from polycontact.comparison.responses.figure_sheet import FigureSheet

Runs = Sequence[ResponseRun]


@dataclass(frozen=True, eq=False)
class Study:
    """A figure of the source.

    ``normal``: of all contacts, world axes; ``stiffnesses`` (N/m) that the source varies; ``yields``: whether
    multipliers that yield belong to it in any case; ``findings``: what some runs
    repeat of it; ``draw``: the figure, as HTML, on a sheet of charts.
    """

    title: str
    normal: NDArray[np.float64]
    findings: Callable[[Runs], list[Finding]]
    draw: Callable[[FigureSheet], str]
    stiffnesses: tuple[float, ...] = ()
    yields: bool = False


_UP = np.array([0.0, 0.0, 1.0])
_HEXAPOD = Study("Fig. 8: forces under the feet", _UP, hexapod.findings, hexapod.draw, yields=True)

STUDIES: dict[str, Study] = {
    "billiard_balls": Study(
        "Fig. 3: three billiard balls",
        np.array([1.0, 0.0, 0.0]),
        balls.findings,
        balls.draw,
    ),
    "manipulator_normal": Study("Fig. 6: normal contact", _UP, manipulator.findings, manipulator.draw, STIFFNESSES),
    "manipulator_free": Study("Fig. 7: free contact", _UP, manipulator.findings, manipulator.draw, STIFFNESSES),
    "hexapod": _HEXAPOD,
    "hexapod_polygonal": _HEXAPOD,
}
"""Studies by the name of their scenario."""
