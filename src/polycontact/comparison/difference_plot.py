"""Differences of all rows at a glance: a dot a row, on the bar of what is allowed."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from polycontact.comparison.comparison_table import bound_shares, force_share, forms_text

if TYPE_CHECKING:
    from polycontact.comparison.compare import PairComparison

_LEFT, _WIDTH, _ROW, _TOP = 400.0, 1000.0, 19.0, 24.0


def difference_plot(pair: PairComparison) -> str:
    """An SVG with a line a row: the difference of its force from the reference, %, and its bounds as a bar."""
    shares = [force_share(pair, row) for row in pair.rows]
    bounds = [bound_shares(pair, row) for row in pair.rows]
    known = [each for pair_of in bounds for each in pair_of if not math.isnan(each)]
    low, high = min((*shares, *known, 0.0)), max((*shares, *known, 0.0))
    spread = max(high - low, 1e-3)
    low, high = low - 0.04 * spread, high + 0.04 * spread

    def at(share: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - 20.0) * (share - low) / (high - low)

    height = _TOP + _ROW * len(pair.rows) + 8.0
    parts = [
        f'<line class="{"zero" if tick == 0.0 else "grid"}" x1="{at(tick):.1f}" x2="{at(tick):.1f}" y1="{_TOP - 4.0}" '
        f'y2="{height - 4.0:.1f}"/><text x="{at(tick):.1f}" y="12" text-anchor="middle">{_percent(tick)}</text>'
        for tick in _ticks(low, high)
    ]
    for i, (row, share, (least, greatest)) in enumerate(zip(pair.rows, shares, bounds, strict=True)):
        y = _TOP + _ROW * (i + 0.5)
        name = f"{row.label} · {forms_text(row)}"
        parts.append(f'<text class="name" x="{_LEFT - 12.0}" y="{y + 4.0:.1f}" text-anchor="end">{escape(name)}</text>')
        if not math.isnan(least):
            width = max(at(greatest) - at(least), 2.0)
            parts.append(
                f'<rect class="bound" x="{at(least):.1f}" y="{y - 6.0:.1f}" width="{width:.1f}" height="12" rx="3"/>'
            )
        kind = "dot bad" if pair.is_within(row) is False else "dot"
        parts.append(f'<circle class="{kind}" cx="{at(share):.1f}" cy="{y:.1f}" r="4"/>')
    words = "differences of forces from the reference in per cent, with their bounds"
    return (
        f'<svg class="differences" viewBox="0 0 {_WIDTH:.0f} {height:.0f}" role="img" aria-label="{words}">'
        f"{''.join(parts)}</svg>"
    )


def _ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 6.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1.0, 2.0, 5.0, 10.0) if power * each >= rough)
    return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _percent(share: float) -> str:
    return f"{100.0 * share:+.3g} %".replace("-", "−").replace("+0 %", "0 %")
