"""The page of a study as one HTML file that needs no network, from its table."""

from __future__ import annotations

import json
import math
import os
from html import escape
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import StudyError
from polycontact.replacing import is_same_file, write_whole
from polycontact.report.document.chart_script import plotly_script
from polycontact.report.document.markup import Section, chart, count, fold, number, paragraph, section_html, table
from polycontact.report.html_page import document, filled, static_text
from polycontact.studies.designs import WITHOUT_NUMBER
from polycontact.studies.page.sensitivity_section import sensitivity_data, sensitivity_section
from polycontact.studies.page.study_statistics import response_curve, summary
from polycontact.studies.parameters import StudyParameter
from polycontact.studies.study_sensitivities import has_sensitivities, n_paired_rows
from polycontact.studies.study_table import StudyTable

MAX_CHARTED_RUNS: Final = 4000
"""Runs that charts show at most; of more, evenly chosen ones."""

MOST_LISTED: Final = 300
"""Runs that a table of the page lists at most."""

GRID_NOTE: Final = (
    "The design is a full grid, not a sample: the means are those of its points, and have no sampling error."
)
TORNADO_NOTE: Final = (
    "The design changes one parameter at a time, it is no sample: the means are those of its runs, without an error."
)
PAIRED_NOTE: Final = (
    "These numbers are of the runs of the two independent samples; the other runs share all values but one with them. "
)
SAMPLE_NOTE: Final = (
    "± is the sampling error of the mean: 95 % of such intervals hold the mean over the whole range of the parameters, "
    "were the runs independent; for a Latin hypercube and Sobol' points it is rather too large."
)


def save_study_page(
    study: StudyTable | str | os.PathLike[str], path: str | os.PathLike[str], *, title: str | None = None
) -> int:
    """Write the page of a study to the HTML file ``path``; returns its length in bytes. Plotly is needed."""
    found = study if isinstance(study, StudyTable) else StudyTable(study)
    if is_same_file(path, found.path):
        raise StudyError(f"{found.path}: this is the study itself; write its page to another file")
    data = build_study_page(found, title, os.path.dirname(os.path.abspath(os.fsdecode(path)))).encode("utf-8")
    try:
        write_whole(path, data)
    except OSError as error:
        raise StudyError(f"{path}: the page cannot be written: {error.strerror}; choose another place") from error
    return len(data)


def build_study_page(study: StudyTable, title: str | None = None, folder: str = ".") -> str:
    """The page; links to kept runs are relative to ``folder``."""
    sections = [
        Section("varied", "What was varied", _varied(study)),
        Section("results", "What came out", _results(study)),
        *([sensitivity_section(study)] if has_sensitivities(study) else []),
        Section("all", "All runs at once", paragraph(_ALL, "note") + chart("parallel")),
        *(
            [Section("response", "Responses", paragraph(_response_note(study), "note") + chart("response"))]
            if study.design["kind"] != "tornado"  # its runs at one value differ in whichever other was changed
            else []
        ),
        Section("scatter", "One against the other", paragraph(_SCATTER, "note") + chart("scatter")),
        *(
            [Section("pareto", "Pareto front", paragraph(_PARETO, "note") + chart("pareto"))]
            if len(study.results) > 1
            else []
        ),
        Section("failed", "Runs without results", _failed(study)),
        Section("runs", "Runs", _runs(study, folder)),
    ]
    name = title or study.path.stem
    body = filled(
        static_text("polycontact.studies.page", "study.html"),
        title=escape(name),
        facts=_facts(study),
        contents="".join(f'<li><a href="#{each.key}">{escape(each.title)}</a></li>' for each in sections),
        sections="".join(map(section_html, sections)),
        plotly=plotly_script(),
        data=json.dumps(_data(study), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c"),
        script="\n".join(
            (
                static_text("polycontact.report.document", "theme.js"),
                *([_script("sensitivity.js")] if has_sensitivities(study) else []),
                _script("study.js"),
            )
        ),
    )
    style = static_text("polycontact.report.document", "page.css")
    return document(title=f"{escape(name)} · polycontact study", style=style, body=body)


def _script(name: str) -> str:
    return static_text("polycontact.studies.page", name)


_ALL: Final = (
    "Each line is a run. Drag along an axis to keep the runs that pass there; drag the name of an axis to move it."
)
_RESPONSE: Final = (
    "Means over runs with nearly the same value of the parameter, with the sampling error of each (95 %); dots are the "
    "runs. What is left of their spread comes from the other parameters, or from chaos."
)
_ALONE: Final = (
    "Each dot is a run, and a line joins them, for nothing else was varied: where it jumps, so does the result. Where "
    "several runs have the same value, it goes through their mean."
)
_GRID: Final = (
    "Means over the runs with the same value of the parameter; dots are the runs. Their spread comes from the other "
    "parameters."
)
_SCATTER: Final = "Each dot is a run; its number and the command that opens it appear beside it."
_PARETO: Final = "Runs that no other run beats in both results. For each result choose whether less or more is better."


def _titled(study: StudyTable, name: str) -> str:
    unit = study.unit(name)
    return f"{name}, {unit}" if unit else name


def _facts(study: StudyTable) -> str:
    counts = study.counts
    n_well = int(study.well.sum())
    facts = [
        ("scenario", study.file.removesuffix(".toml")),
        ("design", str(study.design["kind"]).replace("_", " ")),
        ("runs", f"{n_well} of {len(study)}"),
        *((status, str(counts[status])) for status in ("failed", "timeout", "lost", "missing") if status in counts),
        ("CPU time", f"{number(float(study.cpu_seconds.sum()), 3)} s"),
    ]
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)


def _varied(study: StudyTable) -> str:
    rows = []
    for each in study.parameters:
        keys = ", ".join((each.key, *each.also))
        rows.append([each.name, keys, _course(each), each.unit or "–"])
    seed = "" if study.design["kind"] in WITHOUT_NUMBER else f", seed {study.design['seed']}"
    told = f"{count(len(study), 'run')} of {study.file}, polycontact {study.version}{seed}."
    return paragraph(told) + table(["parameter", "key", "values", "unit"], rows, numbers_from=9)


def _course(parameter: StudyParameter) -> str:
    if parameter.range is not None:
        low, high = parameter.range
        log = ", logarithmic" if parameter.scale == "log" else ""
        whole = ", whole numbers" if parameter.integer else ""
        return f"{number(low, 6)} to {number(high, 6)}{log}{whole}"
    assert parameter.values is not None
    if len(parameter.values) > 8:
        return f"{len(parameter.values)} values"
    return ", ".join(_shown(each) for each in parameter.values)


def _shown(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return number(value, 6) if is_number else str(value)


def _results(study: StudyTable) -> str:
    header = ["result", "asked for", "runs", "mean ± 95 %" if _is_sample(study) else "mean", "deviation"]
    header += ["5 %", "median", "95 %", "smallest", "largest"]
    rows = []
    for asked in study.asked:
        found = summary(study[asked["name"]][_independent(study)])
        name = _titled(study, asked["name"])
        if found is None:
            rows.append([name, asked["text"], "0", *["–"] * 7])
            continue
        error = "" if not _is_sample(study) or not math.isfinite(found.error) else f" ± {number(found.error, 2)}"
        numbers = (found.deviation, found.low, found.median, found.high, found.smallest, found.largest)
        cells = ["–" if not math.isfinite(each) else number(each) for each in numbers]
        rows.append([name, asked["text"], str(found.n), number(found.mean) + error, *cells])
    notes = {"grid": GRID_NOTE, "tornado": TORNADO_NOTE, "sensitivity": PAIRED_NOTE + SAMPLE_NOTE}
    return table(header, rows, numbers_from=2) + paragraph(notes.get(study.design["kind"], SAMPLE_NOTE), "note")


def _is_sample(study: StudyTable) -> bool:
    """Whether means over its runs have a sampling error."""
    return study.design["kind"] not in ("grid", "tornado")


def _is_spread(study: StudyTable) -> bool:
    """Whether runs with nearly the same value of a parameter differ in others; those of a grid share exact values."""
    return _is_sample(study) and len(study.parameters) > 1


def _response_note(study: StudyTable) -> str:
    if len(study.parameters) == 1:
        return _ALONE
    return _RESPONSE if _is_spread(study) else _GRID


def _independent(study: StudyTable) -> NDArray[np.bool_]:
    """Runs with results from which means are taken: all, or of a design for indices of Sobol' those of A and B."""
    if study.design["kind"] != "sensitivity":
        return study.well
    return study.well & (np.arange(len(study)) < 2 * n_paired_rows(study))


def _failed(study: StudyTable) -> str:
    failures = study.failures
    if not failures:
        n = study.counts.get("missing", 0)
        return paragraph(f"None; {count(n, 'run')} still to come." if n else "None.")
    rows = [[str(each.number), each.status, each.message] for each in failures[:MOST_LISTED]]
    more = paragraph(f"… and {len(failures) - MOST_LISTED} more.", "note") if len(failures) > MOST_LISTED else ""
    told = f"Run one again with 'polycontact study open {study.path.name} NUMBER'; all with --retry-failed."
    return table(["run", "status", "reason"], rows, numbers_from=9) + more + paragraph(told, "note")


def _runs(study: StudyTable, folder: str) -> str:
    """The first runs with their values, and how to open each; kept ones with a link."""
    names = [each.name for each in study.parameters] + list(study.results)
    columns = [study[name] for name in names]
    head = "".join(
        f"<th>{escape(each)}</th>" for each in ("run", "status", *(_titled(study, n) for n in names), "file")
    )
    lines = []
    for i in range(min(len(study), MOST_LISTED)):
        kept = study.run_file(i)
        link = ""
        if kept is not None:
            link = f'<a href="{escape(os.path.relpath(kept.resolve(), folder))}">{escape(kept.name)}</a>'
        cells = "".join(f'<td class="num">{escape(_cell(column[i]))}</td>' for column in columns)
        lines.append(f"<tr><td>{i}</td><td>{escape(str(study.status[i]))}</td>{cells}<td>{link}</td></tr>")
    body = f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
    open_one = f"polycontact study open {study.path.name} NUMBER"
    told = f"Open one with '{open_one}': it is run again, the same bits, and recorded."
    more = f" The first {MOST_LISTED} of {len(study)} are listed." if len(study) > MOST_LISTED else ""
    return paragraph(told + more, "note") + (fold("All runs", body) if len(study) > 12 else body)


def _cell(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return number(float(value)) if math.isfinite(value) else "–"
    return str(value)


def _data(study: StudyTable) -> dict[str, Any]:
    """What the charts show: columns with a value for each run that is drawn, and the response curves."""
    runs = np.flatnonzero(study.well)
    drawn = runs if len(runs) <= MAX_CHARTED_RUNS else runs[np.linspace(0, len(runs) - 1, MAX_CHARTED_RUNS).astype(int)]
    return {
        "file": study.path.name,
        "runs": drawn.tolist(),
        "left_out": int(len(runs) - len(drawn)),
        "parameters": [_parameter(study, i, drawn) for i in range(len(study.parameters))],
        "results": [
            {"name": name, "title": _titled(study, name), "values": _plain(study[name][drawn])}
            for name in study.results
        ],
        "curves": [[_curve(study, i, name) for name in study.results] for i in range(len(study.parameters))],
        "is_sample": _is_sample(study),
        "sensitivities": sensitivity_data(study),
    }


def _parameter(study: StudyTable, i: int, drawn: Any) -> dict[str, Any]:
    each = study.parameters[i]
    values = study[each.name][drawn] if each.is_numeric else study.points[drawn, i]
    labels = None if each.is_numeric else [_shown(value) for value in each.values or ()]
    title = _titled(study, each.name)
    return {"name": each.name, "title": title, "log": each.scale == "log", "labels": labels, "values": _plain(values)}


def _curve(study: StudyTable, i: int, result: str) -> list[list[float | None]]:
    each = study.parameters[i]
    levels = study[each.name] if each.is_numeric else study.points[:, i]
    used = _independent(study)
    points = response_curve(each, levels[used], study[result][used], is_spread=_is_spread(study))
    return [_plain(np.array(point, float)) for point in points]


def _plain(values: Any) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in np.asarray(values, float).tolist()]
