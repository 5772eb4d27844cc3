"""Plots as SVG that needs no script: lines and points over a linear or logarithmic axis, with a legend below.

Colours come from the style of the page (classes c0, c1, …), so that a plot suits light and dark screens and paper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from polycontact.report.document.markup import number

WIDTH, HEIGHT = 620, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 16, 14, 52
COLOURS = 7
"""How many colours the style has; further lines begin again."""
MOST_TICKS = 7
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FRAME_MARGIN = 0.04
"""Room between the outermost values and the frame, in shares of it."""

Mark = Literal["line", "dashed", "points", "both"]


@dataclass(frozen=True)
class Line:
    """A line or points with a name; what is not finite, or not positive on a logarithmic axis, is left out."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    mark: Mark = "both"
    colour: int = 0


@dataclass(frozen=True, kw_only=True)
class LinePlot:
    """Lines over common axes; ``x_label`` and ``y_label`` with their units."""

    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Axis:
    """From values to places: ``low`` and ``high`` in values, or in their logarithms to the base 10."""

    low: float
    high: float
    log: bool
    start: float
    length: float

    def place(self, value: float) -> float:
        """Coordinate of a value along this axis of the picture, pixels."""
        along = math.log10(value) if self.log else value
        return self.start + self.length * (along - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Values to be written beside the axis."""
        return _decades(self.low, self.high) if self.log else _round_steps(self.low, self.high)

    def can_show(self, value: float) -> bool:
        """Whether a value can be drawn: finite, and above 0 on a logarithmic axis."""
        return math.isfinite(value) and (not self.log or value > 0.0)


def svg(plot: LinePlot) -> str:
    """HTML of a figure with the plot as SVG and its legend."""
    x = _axis([v for line in plot.lines for v in line.x], plot.log_x, LEFT, WIDTH - LEFT - RIGHT)
    y = _axis([v for line in plot.lines for v in line.y], plot.log_y, HEIGHT - BOTTOM, -(HEIGHT - TOP - BOTTOM))
    parts = [_grid(x, y), _labels(plot), *(_drawn(line, x, y) for line in plot.lines)]
    title = escape(f"{plot.y_label} over {plot.x_label}")
    return (
        f'<figure class="plot"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f"{''.join(parts)}</svg>{_legend(plot.lines)}</figure>"
    )


def _axis(values: list[float], log: bool, start: float, length: float) -> Axis:
    shown = [v for v in values if math.isfinite(v) and (not log or v > 0.0)]
    if not shown:
        return Axis(0.0, 1.0, log, start, length)
    low, high = min(shown), max(shown)
    if log:
        low, high = math.log10(low), math.log10(high)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    room = FRAME_MARGIN * (high - low)
    return Axis(low - room, high + room, log, start, length)


def _decades(low: float, high: float) -> list[float]:
    """Powers of ten between; over less than two decades also their multiples by two and five."""
    first, last = math.floor(low), math.ceil(high)
    multiples: tuple[float, ...] = (1.0, 2.0, 5.0) if high - low < 2.0 else (1.0,)
    step = max(1, math.ceil((last - first) / MOST_TICKS))
    ticks = [m * 10.0**k for k in range(first, last + 1, step) for m in multiples]
    return [tick for tick in ticks if low <= math.log10(tick) <= high]


def _round_steps(low: float, high: float) -> list[float]:
    raw = (high - low) / MOST_TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= raw)
    first = math.ceil(low / step)
    return [k * step for k in range(first, math.floor(high / step) + 1)]


def _grid(x: Axis, y: Axis) -> str:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for tick in x.ticks():
        at = f"{x.place(tick):.1f}"
        parts.append(f'<path class="grid" d="M{at} {TOP}V{bottom}"/>')
        parts.append(f'<text class="tick" x="{at}" y="{bottom + 17}" text-anchor="middle">{_tick(tick, x)}</text>')
    for tick in y.ticks():
        at = f"{y.place(tick):.1f}"
        parts.append(f'<path class="grid" d="M{LEFT} {at}H{right}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 7}" y="{at}" dy="4" text-anchor="end">{_tick(tick, y)}</text>')
    parts.append(f'<path class="frame" d="M{LEFT} {TOP}V{bottom}H{right}"/>')
    return "".join(parts)


def _tick(value: float, axis: Axis) -> str:
    wide = axis.high - axis.low >= 2.0
    if axis.log and (value >= (1e3 if wide else 1e4) or value < (0.1 if wide else 1e-2)):
        exponent = math.floor(math.log10(value) + 1e-9)
        lead = round(value / 10.0**exponent)
        power = f"10{str(exponent).translate(SUPERSCRIPTS)}"
        return power if lead == 1 else f"{lead}·{power}"
    return number(0.0 if abs(value) < 1e-12 else value, 4)


def _labels(plot: LinePlot) -> str:
    middle = 0.5 * (TOP + HEIGHT - BOTTOM)
    return (
        f'<text class="label" x="{0.5 * (LEFT + WIDTH - RIGHT)}" y="{HEIGHT - 10}" text-anchor="middle">'
        f"{escape(plot.x_label)}</text>"
        f'<text class="label" transform="translate(15 {middle}) rotate(-90)" text-anchor="middle">'
        f"{escape(plot.y_label)}</text>"
    )


def _drawn(line: Line, x: Axis, y: Axis) -> str:
    points = [
        (x.place(a), y.place(b), a, b) for a, b in zip(line.x, line.y, strict=True) if x.can_show(a) and y.can_show(b)
    ]
    colour = f"c{line.colour % COLOURS}"
    parts = []
    if line.mark != "points" and len(points) > 1:
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py, _, _ in points)
        kind = " dashed" if line.mark == "dashed" else ""
        parts.append(f'<path class="curve {colour}{kind}" d="M{path}"/>')
    if line.mark in ("points", "both"):
        parts += [
            f'<circle class="dot {colour}" cx="{px:.1f}" cy="{py:.1f}" r="3.6">'
            f"<title>{escape(line.name)}: {number(a)}, {number(b)}</title></circle>"
            for px, py, a, b in points
        ]
    return "".join(parts)


def _legend(lines: Sequence[Line]) -> str:
    items = []
    for line in lines:
        if not line.name:
            continue
        colour = f"c{line.colour % COLOURS}"
        stroke = "" if line.mark == "points" else f'<path class="curve {colour}{_dash(line)}" d="M1 6H29"/>'
        dot = f'<circle class="dot {colour}" cx="15" cy="6" r="3.6"/>' if line.mark in ("points", "both") else ""
        items.append(f'<span><svg viewBox="0 0 30 12">{stroke}{dot}</svg>{escape(line.name)}</span>')
    return f'<figcaption class="legend">{"".join(items)}</figcaption>'


def _dash(line: Line) -> str:
    return " dashed" if line.mark == "dashed" else ""
