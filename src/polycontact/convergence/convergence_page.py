"""What refining a scenario shows, as one HTML page: verdicts, how each result changes, plots, the runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from polycontact.convergence.aspects import ASPECTS
from polycontact.convergence.convergence_result import VERDICTS
from polycontact.convergence.extrapolation import COURSES
from polycontact.errors import StudyError
from polycontact.replacing import write_whole
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import (
    Section,
    count,
    fold,
    number,
    paragraph,
    section_html,
    table,
)
from polycontact.report.html_page import document, filled, static_text

if TYPE_CHECKING:
    from polycontact.convergence.convergence_result import Change, Convergence, ResultConvergence

_PACKAGE = "polycontact.convergence"


def write_convergence(path: str | os.PathLike[str], found: Convergence) -> int:
    """Write the page to ``path``; returns its length in bytes."""
    data = convergence_page(found).encode("utf-8")
    try:
        write_whole(path, data)
    except OSError as error:
        raise StudyError(f"{path}: the page cannot be written: {error.strerror}; choose another place") from error
    return len(data)


def convergence_page(found: Convergence) -> str:
    """HTML of the page, which fetches nothing and needs no script."""
    sections = [Section("verdict", "What is to be believed", _verdicts(found))]
    sections += [Section(f"result{i}", each.name, _result(each)) for i, each in enumerate(found.results.values())]
    sections.append(Section("runs", "Runs", _runs(found)))
    sections.append(Section("scenario", "Scenario", fold("TOML", f"<pre>{escape(found.scenario.source)}</pre>")))
    body = filled(
        static_text(_PACKAGE, "convergence.html"),
        title=escape(found.scenario.name),
        facts=_facts(found),
        notes=_notes(found.notes),
        contents="".join(f'<li><a href="#{each.key}">{escape(each.title)}</a></li>' for each in sections),
        sections="".join(map(section_html, sections)),
    )
    style = (
        static_text("polycontact.report.document", "page.css") + "\n" + static_text("polycontact.report", "plots.css")
    )
    return document(title=f"{escape(found.scenario.name)} · polycontact converge", style=style, body=body)


def _facts(found: Convergence) -> str:
    n = sum(each.verdict == "believable" for each in found.results.values())
    facts = [
        ("to be believed", f"{n} of {count(len(found.results), 'result')}"),
        ("within", f"{100 * found.within:g} %"),
        ("matters most", ASPECTS.get(found.matters_most, "nothing")),
        ("runs", str(found.runs)),
    ]
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)


def _notes(notes: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<ul class="remarks">{items}</ul>' if items else ""


def _verdicts(found: Convergence) -> str:
    header = ["result", "as given", "extrapolated", "unit", "off, %", "matters most", "verdict"]
    rows = [
        [
            each.name,
            number(each.given, 5),
            f"{number(each.estimate, 5)} ± {number(each.uncertainty, 2)}",
            each.unit or "–",
            number(100.0 * each.error / each.scale, 2) if each.scale else "–",
            ASPECTS.get(each.matters_most, "–"),
            VERDICTS[each.verdict],
        ]
        for each in found.results.values()
    ]
    parts = [table(header, rows, numbers_to=3)]
    told = found.told_remedies()
    if told:
        parts.append(paragraph(told))
    return "".join(parts)


def _result(found: ResultConvergence) -> str:
    refined = [each for each in found.changes.values() if not each.aspect.is_choice]
    parts = [paragraph(found.told() + ".")]
    if refined:
        parts.append(svg(_plot(found, refined)))
    header = ["refined", "values on its levels", "order", "expected", "limit", "correction", "course"]
    parts.append(table(header, [_row(each) for each in refined], numbers_from=2, numbers_to=6))
    if "base" in found.changes:
        base = found.changes["base"]
        cells = [[label, number(value, 5)] for label, value in zip(base.labels, base.values, strict=True)]
        parts.append(table(["base", f"{found.name}, {found.unit}" if found.unit else found.name], cells))
    return "".join(parts)


def _row(change: Change) -> list[str]:
    limit = change.limit
    return [
        change.aspect.title,
        ", ".join(number(value, 6) for value in change.values),
        "–" if limit.order is None else number(limit.order, 2),
        number(change.aspect.order, 2),
        f"{number(limit.value, 5)} ± {number(limit.uncertainty, 2)}",
        number(change.correction, 2),
        COURSES[limit.course],
    ]


def _plot(found: ResultConvergence, refined: Sequence[Change]) -> LinePlot:
    lines = [
        Line(each.aspect.title, list(range(len(each.values))), list(each.values), "both", i)
        for i, each in enumerate(refined)
    ]
    most = max(len(each.values) for each in refined) - 1
    ends = [0.0, float(most)]
    lines.append(Line("extrapolated", ends, [found.estimate] * 2, "dashed", 6))
    unit = f", {found.unit}" if found.unit else ""
    return LinePlot(x_label="level of refinement; 0: as given", y_label=f"{found.name}{unit}", lines=lines)


def _runs(found: Convergence) -> str:
    names = list(found.results)
    rows = []
    for name, levels in found.levels.items():
        for i, each in enumerate(levels):
            cells = [number(each.results[result], 6) for result in names] if not each.failed else ["–"] * len(names)
            rows.append([ASPECTS[name] if i == 0 else "", each.label, *cells, number(each.cpu_seconds, 3)])
    told = (
        "Meshes, integration, samples and bases are tried with the tolerances of the second level, so that noise of "
        "the steps does not hide what they do."
    )
    return paragraph(told, "note") + table(["", "level", *names, "CPU time, s"], rows, numbers_from=2)
