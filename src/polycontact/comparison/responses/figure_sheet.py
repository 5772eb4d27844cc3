"""The charts of a page, as its figures ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.report.document.chart_script import chart_data
from polycontact.report.document.markup import chart
from polycontact.report.document.panels import Curve, Panel, View
from polycontact.report.document.series import Thinning


@dataclass(frozen=True, eq=False)
class OutsideRun:
    """A run of another program beside ours: its name and its times (n,), s."""

    label: str
    time: NDArray[np.float64]


class FigureSheet:
    """Collects charts of some runs; ``runs``: those that left something."""

    def __init__(self, runs: Sequence[ResponseRun]) -> None:
        self.runs = [each for each in runs if each.trajectory is not None]
        self._outside: list[OutsideRun] = []
        self._thinnings = [Thinning(each.trajectory.time) for each in self.runs if each.trajectory is not None]
        self._panels: list[Panel] = []

    def add(self, run: OutsideRun) -> OutsideRun:
        """Let charts have curves of another program too."""
        self._outside.append(run)
        self._thinnings.append(Thinning(run.time))
        return run

    def chart(
        self,
        key: str,
        items: Sequence[str],
        rows: Sequence[str],
        curves: Sequence[tuple[ResponseRun | OutsideRun, int, int, NDArray[np.float64]]],
        *,
        chosen: Sequence[int] | None = None,
    ) -> str:
        """A place for a chart; ``curves``: run, number of item and row, and values in the unit of the row."""
        known: list[ResponseRun | OutsideRun] = [*self.runs, *self._outside]
        numbered = [Curve(known.index(run), item, row, values) for run, item, row, values in curves]
        shown = tuple(range(len(items))) if chosen is None else tuple(chosen)
        runs = tuple(sorted({each.run for each in numbered}))
        self._panels.append(Panel(key, tuple(items), shown, (View("", tuple(rows), tuple(numbered)),), runs))
        return chart(key)

    def data(self) -> str:
        """What the scripts of the page need."""
        labels = [each.label for each in self.runs] + [each.label for each in self._outside]
        return chart_data(labels, self._panels, self._thinnings)
