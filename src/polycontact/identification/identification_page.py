"""An identification as one HTML page, in the look of the reports: estimates, curves, correlations, the search."""

from __future__ import annotations

import json
import os
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from polycontact.errors import IdentificationError
from polycontact.identification.identification_record import identification_record
from polycontact.replacing import write_whole
from polycontact.report.document.chart_script import plotly_script
from polycontact.report.document.markup import (
    Section,
    count,
    fold,
    heading,
    number,
    paragraph,
    section_html,
    table,
)
from polycontact.report.html_page import document, filled, static_text

if TYPE_CHECKING:
    from polycontact.identification.identification_result import Estimate, Identification

_PACKAGE = "polycontact.identification"
_REPORT = "polycontact.report.document"

MOST_POINTS = 5000
"""Points of a curve on the page; of longer ones only every n-th is drawn."""


def write_identification(path: str | os.PathLike[str], found: Identification) -> int:
    """Write the page to ``path``; returns its length in bytes."""
    data = identification_page(found).encode("utf-8")
    try:
        write_whole(path, data)
    except OSError as error:
        raise IdentificationError(
            f"{path}: the page cannot be written: {error.strerror}; choose another place"
        ) from error
    return len(data)


def identification_page(found: Identification) -> str:
    """HTML of the page: estimates, measured and fitted curves, the search, and the scenario where there is one."""
    sections = [
        Section("estimates", "Estimates", _estimates(found)),
        Section("curves", "Measured and fitted", _curves(found)),
        Section("search", "Search", _search(found)),
    ]
    if found.scenario is not None:
        text = f"<pre>{escape(found.scenario.source)}</pre>"
        sections.append(Section("scenario", "Scenario with the estimates", fold("TOML", text)))
    body = filled(
        static_text(_PACKAGE, "identification.html"),
        title=escape(found.name),
        facts=_facts(found),
        notes=_notes(found),
        contents="".join(f'<li><a href="#{each.key}">{escape(each.title)}</a></li>' for each in sections),
        sections="".join(map(section_html, sections)),
        data=_data(found),
        plotly=plotly_script(),
        script=static_text(_REPORT, "theme.js") + "\n" + static_text(_PACKAGE, "identification.js"),
    )
    style = static_text(_REPORT, "page.css") + "\n" + static_text(_PACKAGE, "identification.css")
    return document(title=f"{escape(found.name)} · polycontact identification", style=style, body=body)


def _facts(found: Identification) -> str:
    facts = [
        ("status", found.status),
        ("parameters", str(len(found.estimates))),
        ("points", str(sum(len(each.time) for each in found.curves))),
        ("runs", str(found.runs)),
        *([("failed runs", str(found.failed))] if found.failed else []),
    ]
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)


def _notes(found: Identification) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in found.notes)
    return f'<ul class="remarks">{items}</ul>' if items else ""


def _estimates(found: Identification) -> str:
    header = ["parameter", "estimate", "95 % from", "to", "unit", "standard error, %", ""]
    rows = [
        [
            each.key,
            number(each.value, 5),
            _number(each.low) if each.determined else "–",
            _number(each.high) if each.determined else "–",
            each.unit or "–",
            _number(100.0 * abs(each.standard_error / each.value), 3) if each.value and each.determined else "–",
            _remark(each),
        ]
        for each in found.estimates
    ]
    parts = [table(header, rows, numbers_to=4)]
    if np.isfinite(found.covariance).all():
        parts.append('<div class="chart" data-fit="intervals"></div>')
    if len(found.estimates) > 1 and np.isfinite(found.correlation).all():
        names = [each.key for each in found.estimates]
        cells = [[name, *(f"{value:.3f}".replace("-", "−") for value in row)] for name, row in zip(
            names, found.correlation, strict=True)]  # fmt: skip
        note = "Of two parameters with a correlation near ±1 one makes up for the other."
        parts += [heading("Correlations"), table(["", *names], cells), paragraph(note, "note")]
    return "".join(parts)


def _remark(each: Estimate) -> str:
    remarks = [] if each.determined else ["not determined"]
    return ", ".join(remarks + ([f"at its {each.at_bound} bound"] if each.at_bound else []))


def _curves(found: Identification) -> str:
    parts = []
    for i, curve in enumerate(found.curves):
        rms = float(np.sqrt(np.mean(curve.residuals**2))) / curve.factor
        origin = "as given" if curve.deviation_given else "by the residuals"
        deviation = curve.standard_deviation / curve.factor
        told = (
            f"{count(len(curve.time), 'point')}; residuals {number(rms, 3)} {curve.unit} (root mean square), standard "
            f"deviation {number(deviation, 3)} {curve.unit}, {origin}; the band shows it."
        )
        parts += [heading(curve.label), paragraph(told, "note")]
        parts.append(f'<div class="chart" data-fit="curve" data-index="{i}"></div>')
    return "".join(parts)


def _search(found: Identification) -> str:
    failed = f", of which {found.failed} failed" if found.failed else ""
    told = (
        f"{found.status}: {found.message}; {count(found.runs, 'run')}{failed}. Cost: half the sum of squared residuals"
    )
    several = len({each.weighing for each in found.history}) > 1
    told += ", begun anew where standard deviations were estimated from the residuals." if several else "."
    return paragraph(told, "note") + '<div class="chart" data-fit="history"></div>'


def _data(found: Identification) -> str:
    record: dict[str, Any] = identification_record(found)
    for estimate, entry in zip(found.estimates, record["estimates"], strict=True):
        entry["text"] = f"{estimate.key} = {estimate.text()}"
    for curve in record["curves"]:
        every = -(-curve["n_points"] // MOST_POINTS)
        for name in ("time", "measured", "fitted"):
            curve[name] = curve[name][::every]
    content = {name: record[name] for name in ("estimates", "curves", "history")}
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _number(value: float, digits: int = 5) -> str:
    return number(value, digits) if np.isfinite(value) else "–"
