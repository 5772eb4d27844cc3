"""A comparison as one HTML page, in the look of the reports."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.bounds import Expected
from polycontact.comparison.comparison_table import (
    angle,
    bound_shares,
    force_share,
    forms_text,
    misfit_lines,
    scale_lines,
)
from polycontact.comparison.difference_plot import difference_plot
from polycontact.errors import ContactError
from polycontact.replacing import write_whole
from polycontact.report.document.markup import (
    Section,
    count,
    fold,
    heading,
    number,
    paragraph,
    section_html,
    table,
    unbroken,
)
from polycontact.report.html_page import document, filled, static_text

if TYPE_CHECKING:
    from polycontact.comparison.compare import Comparison, PairComparison
    from polycontact.comparison.measuring import Row

_PACKAGE = "polycontact.comparison"
_BOUNDS = (
    "Bars show which difference is allowed: what the method measures by definition, give or take what mesh size, "
    "tolerance and exponent can do to it, worked out beforehand. A dot outside its bar would be an error."
)
_LAWS = (
    "Each law has the parameter with which it carries, in this pose, what its method carries; they differ in how the "
    "force grows with the depth. The stiffness is by differences along the normal."
)


def write_comparison(path: str | os.PathLike[str], comparison: Comparison) -> int:
    """Write the page to ``path``; returns its length in bytes."""
    data = comparison_page(comparison).encode("utf-8")
    try:
        write_whole(path, data)
    except OSError as error:
        raise ContactError(f"{path}: the page cannot be written: {error.strerror}; choose another place") from error
    return len(data)


def comparison_page(comparison: Comparison) -> str:
    """The page: a section for each pair, and one for pairs that do not touch."""
    sections = [Section(f"pair{i}", pair.name, _pair(pair)) for i, pair in enumerate(comparison.pairs)]
    if comparison.apart or comparison.left_out:
        sections.append(Section("others", "Not compared", _others(comparison)))
    style = [static_text("polycontact.report.document", "page.css")]
    style += [
        static_text("polycontact.report", "plots.css"),
        static_text(_PACKAGE, "pages.css"),
        static_text(_PACKAGE, "comparison.css"),
    ]
    contents = "".join(f'<li><a href="#{each.key}">{escape(each.title)}</a></li>' for each in sections)
    body = filled(
        static_text(_PACKAGE, "comparison.html"),
        title=escape(comparison.name),
        lead=_lead(comparison),
        contents=contents,
        sections="".join(map(section_html, sections)),
    )
    return document(title=f"{escape(comparison.name)} · polycontact comparison", style="\n".join(style), body=body)


def _lead(comparison: Comparison) -> str:
    n = sum(len(pair.rows) for pair in comparison.pairs)
    words = f"The same bodies in the same pose by {count(n, 'method')}: what they say, and what they cost."
    with_bounds = [row for pair in comparison.pairs for row in pair.rows if isinstance(row.expected, Expected)]
    if not with_bounds:
        return f'<p class="lead">{words}</p>'
    n_off = sum(len(pair.outside) for pair in comparison.pairs)
    verdict = f"{len(with_bounds) - n_off} of {len(with_bounds)} within bounds"
    kind = "fail" if n_off else "ok"
    return f'<p class="lead">{words} <span class="verdict {kind}">{verdict}</span></p>'


def _pair(pair: PairComparison) -> str:
    has_bounds = any(isinstance(row.expected, Expected) for row in pair.rows)
    parts = [f'<dl class="facts">{_facts(pair)}</dl>']
    parts += [paragraph(f"{line[0].upper()}{line[1:]}.", "note") for line in scale_lines(pair, number)]
    parts += [heading("Differences from the reference"), difference_plot(pair)]
    if has_bounds:
        parts.append(paragraph(_BOUNDS, "note"))
    parts += [heading("Methods"), _method_table(pair)]
    if has_bounds:
        parts.append(fold("Where the bounds come from", _bound_table(pair)))
    parts += [fold("Forces, torques, normals and centres of pressure", _vector_table(pair))]
    parts += [heading("What does not fit"), _misfits(pair)]
    parts += [heading("Laws"), paragraph(_LAWS, "note"), _law_table(pair)]
    return "".join(parts)


def _facts(pair: PairComparison) -> str:
    scale = pair.scale
    facts = (
        ("reference", f"{number(float(np.linalg.norm(scale.force)), 5)} N"),
        ("depth", f"{number(1e3 * scale.depth)} mm"),
        ("areas, c", f"{number(scale.c)} N/m³"),
        ("points, k", f"{number(scale.k)} N/m"),
    )
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)


def _method_table(pair: PairComparison) -> str:
    header = ["method", "bodies as", "force, N", "difference, %", "angle, °", "area, cm²", "depth, mm"]
    header += ["elements", "time, µs", "remark"]
    rows = [_method_row(pair, row) for row in pair.rows]
    n = len(header) if any(row[-1] for row in rows) else len(header) - 1  # most have nothing to remark
    return table(header[:n], [row[:n] for row in rows], numbers_from=2, numbers_to=9)


def _method_row(pair: PairComparison, row: Row) -> tuple[str, ...]:
    return (
        row.label,
        forms_text(row),
        number(row.magnitude, 5),
        _signed(100.0 * force_share(pair, row)),
        "–" if row.magnitude == 0.0 else f"{np.degrees(angle(pair, row)):.3f}",
        _or_dash(1e4 * row.area, 4),
        number(1e3 * row.depth, 4),
        str(row.elements),
        "–" if np.isnan(row.time) else f"{1e6 * row.time:.0f}",
        row.status,
    )


def _bound_table(pair: PairComparison) -> str:
    rows = []
    for row in pair.rows:
        low, high = bound_shares(pair, row)
        if not isinstance(row.expected, Expected):
            rows.append((row.label, forms_text(row), "–", "–", "–", row.expected))
            continue
        span = f"{_signed(100.0 * low)} … {_signed(100.0 * high)}"
        exact = number(row.expected.exact, 5)
        along = number(pair.normal_force(row), 5)
        rows.append((row.label, forms_text(row), exact, along, unbroken(span), row.expected.why))
    header = ["method", "bodies as", "exact for the body, N", "along the normal, N", "allowed, %", "from"]
    return table(header, rows, numbers_from=2, numbers_to=5)


def _vector_table(pair: PairComparison) -> str:
    rows = [
        (row.label, forms_text(row), *(_vector(each) for each in (row.force, row.torque, row.normal, row.centre)))
        for row in pair.rows
    ]
    header = ["method", "bodies as", "force, N", "torque, N m", "normal into E", "centre of pressure, m"]
    return table(header, rows, numbers_from=2)


def _misfits(pair: PairComparison) -> str:
    lines = misfit_lines(pair)
    if not lines:
        return paragraph("Everything fits.", "note")
    items = (f"<li><b>{escape(names)}</b>: {escape(reason)}</li>" for names, reason in lines)
    return f'<ul class="reasons">{"".join(items)}</ul>'


def _law_table(pair: PairComparison) -> str:
    rows = [
        (
            each.label,
            each.on,
            each.parameter,
            _or_dash(each.force, 5),
            _or_dash(each.stiffness, 4),
        )
        for each in pair.laws
        if not each.reason
    ]
    return table(["law", "on", "parameter", "force, N", "dF/du, N/m"], rows, numbers_from=2)


def _others(comparison: Comparison) -> str:
    rows = [
        (each.name, "–" if each.distance is None else number(1e3 * each.distance.distance)) for each in comparison.apart
    ]
    parts = [table(["no contact in this pose", "distance, mm"], rows)] if rows else []
    if comparison.left_out:
        parts.append(paragraph(f"These touch and carry less: {', '.join(comparison.left_out)}."))
    return "".join(parts)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _or_dash(value: float, digits: int) -> str:
    return "–" if np.isnan(value) else number(value, digits)


def _vector(values: NDArray[np.float64]) -> str:
    largest = float(np.nanmax(np.abs(values))) if not np.isnan(values).all() else 0.0
    cells = ("–" if np.isnan(each) else number(0.0 if abs(each) < 1e-9 * largest else float(each)) for each in values)
    return unbroken("  ".join(cells))
