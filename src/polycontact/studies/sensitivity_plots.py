"""Sensitivities as figures of plotly: bars with whiskers for indices of Sobol', bars to both sides for a tornado."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from polycontact.errors import StudyError
from polycontact.replacing import write_whole

if TYPE_CHECKING:
    from polycontact.studies.index_estimates import SobolIndices
    from polycontact.studies.tornado_bars import Tornado

FIRST, TOTAL = "#1f6fb4", "#9fc5e8"
LOWER, UPPER = "#d9730d", "#1f6fb4"
ROW = 46
"""Height of a parameter's bars, pixels."""


def plot_indices(found: SobolIndices, path: str | os.PathLike[str] | None = None, title: str = "") -> Any:
    """Bars of first-order and total indices, those that matter most on top, with their 95 % intervals."""
    figure = _figure()
    order = np.argsort(found.total, kind="stable")
    names = [found.keys[i] for i in order.tolist()]
    for name, values, intervals, colour in (
        ("total", found.total, found.total_interval, TOTAL),
        ("first order", found.first, found.first_interval, FIRST),
    ):
        ends = np.abs(intervals - values[:, None])[order]
        whiskers = {"type": "data", "symmetric": False, "array": ends[:, 1], "arrayminus": ends[:, 0], "thickness": 1.4}
        figure.add_bar(
            y=names, x=values[order], name=name, orientation="h", marker_color=colour, error_x=whiskers,
            hovertemplate="%{y}: %{x:.3f}",
        )  # fmt: skip
    figure.update_xaxes(title_text="share of the variance, with 95 % interval", rangemode="tozero")
    return _finished(figure, title or "Sensitivity of the result (Sobol')", 2 * len(names), path)


def plot_tornado(found: Tornado, path: str | os.PathLike[str] | None = None, title: str = "") -> Any:
    """Bars from the base to the results at both ends of each parameter, the one that changes most on top."""
    figure = _figure()
    names = list(found.keys)[::-1]
    for name, results, values, colour in (
        ("at its lower end", found.at_lower, found.lower_values, LOWER),
        ("at its upper end", found.at_upper, found.upper_values, UPPER),
    ):
        figure.add_bar(
            y=names, x=(results - found.base)[::-1], base=found.base, name=name, orientation="h", marker_color=colour,
            customdata=np.stack([values, results], axis=1)[::-1],
            hovertemplate="%{y} = %{customdata[0]:.4~g}: %{customdata[1]:.5~g}",
        )  # fmt: skip
    figure.add_vline(x=found.base, line_width=1.2, line_color="#55626f")
    figure.update_xaxes(title_text="result")
    figure.update_layout(barmode="overlay")
    return _finished(figure, title or "One parameter at a time", len(names), path)


def _figure() -> Any:
    try:
        from plotly.graph_objects import Figure
    except ImportError as error:
        raise StudyError(
            "plots need the package plotly, which is not installed; get it with 'pip install plotly'"
        ) from error
    return Figure()


def _finished(figure: Any, title: str, n_bars: int, path: str | os.PathLike[str] | None) -> Any:
    figure.update_yaxes(automargin=True)
    legend = {
        "orientation": "h",
        "y": 1.02,
        "yanchor": "bottom",
        "x": 1.0,
        "xanchor": "right",
        "traceorder": "reversed",
    }
    figure.update_layout(title=title, template="plotly_white", height=160 + ROW * max(n_bars, 3), legend=legend)
    if path is not None:
        try:
            write_whole(path, figure.to_html(include_plotlyjs=True))
        except OSError as error:
            raise StudyError(f"{path}: cannot be written: {error.strerror}; choose another place") from error
    return figure
