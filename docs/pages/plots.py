"""Plots of the stored figures, as SVG in the page: the site's style has their colours, for light and dark screens."""

from __future__ import annotations

from typing import Any

from polycontact.report.document.line_plot import Line, LinePlot, svg

SHOWN = {"slight": "slightly in each other", "multipatch": "several patches"}
"""Families of poses that are plotted, each in a plot of its own."""


def evaluation_plots(stored: dict[str, Any]) -> str:
    """Time of one cold evaluation over the number of triangles, beside the other programs."""
    parts = []
    for family, title in SHOWN.items():
        cases = [each for each in stored["cases"] if each["family"] == family and each["mode"] == "cold"]
        if not cases:
            continue
        peers = [name for name in cases[0]["peers"] if all(name in each["peers"] for each in cases)]
        size = [each["triangles"][0] for each in cases]
        lines = [Line("polycontact, with force", size, [each["time"] for each in cases])]
        lines += [
            Line(f"{name}, no force", size, [each["peers"][name]["time"] for each in cases], "dashed", i)
            for i, name in enumerate(peers, 1)
        ]
        plot = LinePlot(
            x_label="triangles of each body", y_label=f"{title}: time, µs", lines=lines, log_x=True, log_y=True
        )
        parts.append(svg(plot))
    return "\n\n".join(parts)


def error_plot(cases: list[dict[str, Any]]) -> str:
    """Errors of all cases with their limits, the strictest first; errors of zero have no place on the axis."""
    ordered = sorted(cases, key=lambda each: (each["limit"], each["relative_error"]))
    number = list(range(1, len(ordered) + 1))
    lines = [
        Line("limit", number, [each["limit"] for each in ordered], "line", 1),
        Line("error", number, [each["relative_error"] for each in ordered], "points", 0),
    ]
    return svg(LinePlot(x_label="cases, the strictest limit first", y_label="relative error", lines=lines, log_y=True))
