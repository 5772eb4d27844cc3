"""Measured and fitted curves over their residuals, as a figure of plotly."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from polycontact.errors import IdentificationError
from polycontact.replacing import write_whole

if TYPE_CHECKING:
    from polycontact.identification.identification_result import Identification

COLOURS = ("#1f6fb4", "#d9730d", "#2c8a4b", "#c5383c", "#7d5bb0")


def plot_fit(found: Identification, path: str | os.PathLike[str] | None = None) -> Any:
    """Two rows for each curve: the curve itself, and its residuals with one standard deviation to both sides."""
    try:
        from plotly.subplots import make_subplots
    except ImportError as error:
        raise IdentificationError(
            "plots need the package plotly, which is not installed; get it with 'pip install plotly'"
        ) from error
    n = len(found.curves)
    figure = make_subplots(rows=2 * n, cols=1, vertical_spacing=0.1 / n, row_heights=[0.7, 0.3] * n)
    for i, curve in enumerate(found.curves):
        colour, top, below = COLOURS[i % len(COLOURS)], 2 * i + 1, 2 * i + 2
        measured, fitted = curve.measured / curve.factor, curve.fitted / curve.factor
        points = {"color": colour, "size": 4, "opacity": 0.55}
        figure.add_scatter(
            x=curve.time, y=measured, name=f"{curve.label}, measured", mode="markers", marker=points, row=top, col=1
        )
        figure.add_scatter(
            x=curve.time, y=fitted, name=f"{curve.label}, fitted", line={"color": colour, "width": 2}, row=top, col=1
        )
        figure.add_scatter(
            x=curve.time, y=fitted - measured, name="residuals", mode="markers", marker=points, showlegend=False,
            row=below, col=1,
        )  # fmt: skip
        width = curve.standard_deviation / curve.factor
        figure.add_hrect(y0=-width, y1=width, fillcolor=colour, opacity=0.1, line_width=0, row=below, col=1)
        figure.update_yaxes(title_text=f"{curve.quantity}, {curve.unit}", row=top, col=1)
        figure.update_yaxes(title_text=f"residual, {curve.unit}", row=below, col=1)
        figure.update_xaxes(matches="x")
    figure.update_xaxes(title_text="time, s", row=2 * n, col=1)
    title = f"{found.name}: " + "; ".join(f"{each.key} = {each.text()}" for each in found.estimates[:3])
    figure.update_layout(title=title, template="plotly_white", height=max(560, 480 * n))
    if path is not None:
        try:
            write_whole(path, figure.to_html(include_plotlyjs=True))
        except OSError as error:
            raise IdentificationError(f"{path}: cannot be written: {error.strerror}; choose another place") from error
    return figure
