"""Charts as data: what can be chosen, and the curves; the script of the page draws them.

A panel has items (bodies, joints, pairings, energies) that can be switched on and off, and one or more views: rows
of curves over time, one row for each quantity, all with the same time axis.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.report.document.series import Thinning, encode
from polycontact.unit_choice import UnitChoice


@dataclass(frozen=True, eq=False)
class Curve:
    """A quantity of an item of a run over time: numbers of run, item and row; values (n,) in the unit of the row."""

    run: int
    item: int
    row: int
    values: NDArray[np.float64]
    name: str = ""


@dataclass(frozen=True, eq=False)
class View:
    """One way to look at a panel: ``rows`` are titles with units; ``stacked``: curves of a run add up."""

    name: str
    rows: tuple[str, ...]
    curves: tuple[Curve, ...]
    stacked: bool = False
    note: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Views of the same items; ``chosen``: numbers of the items that are shown first.

    ``runs``: numbers of the runs that the panel is about, where it is not about all of the page.
    """

    key: str
    items: tuple[str, ...]
    chosen: tuple[int, ...]
    views: tuple[View, ...]
    runs: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Timeline:
    """Bars over time: for each run and row name the intervals (n, 2) in s."""

    key: str
    rows: tuple[str, ...]
    bars: tuple[tuple[int, int, NDArray[np.float64]], ...] = field(default=())


def in_units(panel: Panel, units: UnitChoice) -> Panel:
    """A panel whose curves are in the units that were chosen; the titles of its rows name them."""
    return replace(panel, views=tuple(_view_in(view, units) for view in panel.views))


def _view_in(view: View, units: UnitChoice) -> View:
    shown = [units.title(row) for row in view.rows]
    curves = tuple(replace(each, values=shown[each.row][1] * each.values) for each in view.curves)
    return replace(view, rows=tuple(title for title, _ in shown), curves=curves)


def panel_to_json(panel: Panel, thinnings: list[Thinning]) -> dict[str, Any]:
    """A panel as JSON can hold it; rows without a curve are left out."""
    return {
        "kind": "curves",
        "key": panel.key,
        "items": list(panel.items),
        "chosen": list(panel.chosen),
        "runs": None if panel.runs is None else list(panel.runs),
        "views": [
            {
                "name": view.name,
                "rows": list(view.rows),
                "stacked": view.stacked,
                "note": view.note,
                "curves": [
                    [each.run, each.item, each.row, each.name, encode(thinnings[each.run].apply(each.values))]
                    for each in view.curves
                ],
            }
            for view in panel.views
        ],
    }


def timeline_to_json(timeline: Timeline) -> dict[str, Any]:
    """A timeline as JSON can hold it."""
    return {
        "kind": "timeline",
        "key": timeline.key,
        "rows": list(timeline.rows),
        "bars": [[run, row, np.round(intervals, 9).tolist()] for run, row, intervals in timeline.bars],
    }
