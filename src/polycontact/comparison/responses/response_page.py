"""A comparison of responses as one HTML page, in the look of the reports."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polycontact.comparison.responses.figure_sheet import FigureSheet
from polycontact.comparison.responses.response_rows import remarks_of, tables_of
from polycontact.comparison.responses.run_figures import loaded_contacts, moving_bodies, normal_force
from polycontact.errors import SimulationError
from polycontact.report.document.chart_script import chart_script, plotly_script
from polycontact.report.document.markup import Section, count, heading, paragraph, section_html, table
from polycontact.report.html_page import document, filled, static_text

if TYPE_CHECKING:
    from polycontact.comparison.responses.response_comparison import ResponseComparison

_PACKAGE = "polycontact.comparison.responses"
_VERDICTS = {
    "agrees": "agrees with the source",
    "differs": "differs from the source",
    "own": "in these runs",
    "cannot be told": "cannot be told",
}


def write_responses(path: str | os.PathLike[str], comparison: ResponseComparison) -> int:
    """Write the page to ``path``; returns its length in bytes."""
    data = response_page(comparison).encode("utf-8")
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise SimulationError(f"{path}: the page cannot be written: {error.strerror}; choose another place") from error
    return len(data)


def response_page(comparison: ResponseComparison) -> str:
    """The page: the figure of the source with findings, forces and speeds over time, tables."""
    plotly = plotly_script()
    sheet = FigureSheet(comparison.runs)
    sections = []
    if comparison.study is not None and (figure := comparison.study.figure) is not None:
        sections.append(Section("figure", comparison.study.title, _findings(comparison) + figure.draw(sheet)))
    sections.append(Section("tables", "Cost, energy, forces", _tables(comparison)))
    if sheet.runs:
        sections.append(Section("curves", "Over time", _curves(comparison, sheet)))
    contents = "".join(f'<li><a href="#{each.key}">{escape(each.title)}</a></li>' for each in sections)
    body = filled(
        static_text(_PACKAGE, "responses.html"),
        title=escape(comparison.name),
        lead=_lead(comparison),
        contents=contents,
        sections="".join(map(section_html, sections)),
        plotly=plotly,
        data=sheet.data(),
        script=chart_script(),
    )
    style = [static_text("polycontact.report.document", "page.css"), static_text(_PACKAGE, "responses.css")]
    return document(title=f"{escape(comparison.name)} · polycontact responses", style="\n".join(style), body=body)


def _lead(comparison: ResponseComparison) -> str:
    runs = count(len(comparison.runs), "run")
    words = f"{comparison.description} The same scenario in {runs}, by response and stiffness."
    remarks = "".join(f"<li><b>{escape(label)}</b>: {escape(why)}</li>" for label, why in remarks_of(comparison))
    return paragraph(words, "lead") + (f'<ul class="remarks">{remarks}</ul>' if remarks else "")


def _findings(comparison: ResponseComparison) -> str:
    items = "".join(
        f'<li><span class="verdict {each.verdict.split()[0]}">{escape(_VERDICTS[each.verdict])}</span> '
        f"{escape(each.text)}</li>"
        for each in comparison.findings
    )
    source = (
        "Source: Schmucker, Rusin and Konyev, Contact processing in the simulation of the multi-body systems, 2007. "
        "Every number below is computed from the runs on this page."
    )
    return paragraph(source, "note") + f'<ul class="findings">{items}</ul>'


def _tables(comparison: ResponseComparison) -> str:
    parts = []
    for each in tables_of(comparison):
        names = 2 if each.header[1:2] == ["response"] else 1
        parts.append(heading(each.title) + table(each.header, each.rows, numbers_from=names))
        if each.note:
            parts.append(paragraph(each.note, "note"))
    return "".join(parts)


def _curves(comparison: ResponseComparison, sheet: FigureSheet) -> str:
    """Forces of all contacts and speeds of a few bodies."""
    normal = None if comparison.study is None else comparison.study.normal
    contacts, bodies = loaded_contacts(sheet.runs), moving_bodies(sheet.runs)
    forces = [
        (run, k, 0, normal_force(run.trajectory, name, normal))
        for run in sheet.runs
        for k, name in enumerate(contacts)
        if run.trajectory is not None
    ]
    speeds = [
        (run, k, 0, np.linalg.norm(run.trajectory.body(name).velocity, axis=1))
        for run in sheet.runs
        for k, name in enumerate(bodies)
        if run.trajectory is not None
    ]
    title = "force, N" if normal is None else "normal force, N"
    parts = []
    if contacts:
        shown = range(min(2, len(contacts)))
        parts += [heading("Contacts"), sheet.chart("forces", contacts, [title], forces, chosen=shown)]
    if bodies:
        shown = range(min(3, len(bodies)))
        parts += [heading("Bodies"), sheet.chart("speeds", bodies, ["speed, m/s"], speeds, chosen=shown)]
    return "".join(parts)
