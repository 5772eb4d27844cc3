"""The built-in scenarios that repeat a study of Schmucker, Rusin and Konyev (2007): along what and with what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.responses.finding import Finding
from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.robots.manipulator_model import STIFFNESSES

if TYPE_CHECKING:
    from polycontact.comparison.responses.figure_sheet import FigureSheet

Runs = Sequence[ResponseRun]


@dataclass(frozen=True, eq=False)
class SourceFigure:
    """A figure of the source, as ``proof/figures`` of the repository draws it.

    ``findings``: what some runs repeat of it; ``draw``: the figure, as HTML, on a sheet of charts.
    """

    findings: Callable[[Runs], list[Finding]]
    draw: Callable[[FigureSheet], str]


@dataclass(frozen=True, eq=False)
class Study:
    """A study of the source.

    ``normal``: of all contacts, world axes; ``stiffnesses`` (N/m) that the source varies; ``yields``: whether
    multipliers that yield belong to it in any case; ``figure``: added where it is to be drawn.
    """

    title: str
    normal: NDArray[np.float64] = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    stiffnesses: tuple[float, ...] = ()
    yields: bool = False
    figure: SourceFigure | None = None


STUDIES: dict[str, Study] = {
    "billiard_balls": Study("Fig. 3: three billiard balls", np.array([1.0, 0.0, 0.0])),
    "manipulator_normal": Study("Fig. 6: normal contact", stiffnesses=STIFFNESSES),
    "manipulator_free": Study("Fig. 7: free contact", stiffnesses=STIFFNESSES),
    "hexapod": Study("Fig. 8: forces under the feet", yields=True),
    "hexapod_polygonal": Study("Fig. 8: forces under the feet", yields=True),
}
"""Studies by the name of their scenario."""
