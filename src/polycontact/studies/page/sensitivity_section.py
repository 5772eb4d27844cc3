"""How much each parameter matters, on the page of a study: a chart for each result, and the numbers."""

from __future__ import annotations

import math
from typing import Any, Final

from polycontact.report.document.markup import Section, chart, count, number, paragraph, table
from polycontact.studies.index_estimates import SobolIndices
from polycontact.studies.study_sensitivities import all_sensitivities, tornado_ends, with_interval
from polycontact.studies.study_table import StudyTable
from polycontact.studies.tornado_bars import Tornado

_INDICES: Final = (
    "Indices of Sobol': the share of the variance of a result that each parameter makes on its own (first order), and "
    "with all its interplay with others (total). Whiskers and numbers in brackets are the sampling error: intervals "
    "that hold the true index with about 95 %."
)
_TORNADO: Final = (
    "Results at both ends of each parameter, with the others in the middle of their ranges; the one that changes the "
    "result most stands on top. Interplay of parameters does not show here."
)


def sensitivity_section(study: StudyTable) -> Section:
    """The section: chart, numbers, and what was left out."""
    is_tornado = study.design["kind"] == "tornado"
    found = all_sensitivities(study)
    has_chart = any(not isinstance(each, str) for each in found.values())
    body = paragraph(_TORNADO if is_tornado else _INDICES, "note")
    if has_chart:
        body += chart("sensitivity") + (_tornado_table(study, found) if is_tornado else _index_table(found))
    left = study.counts.get("missing", 0)
    to_come = f" ({count(left, 'run')} still to come)" if left else ""
    for result, each in found.items():
        if told := _left_out(each):
            body += paragraph(f"{result}: {told}{to_come}.", "note")
    return Section("sensitivity", "How much each parameter matters", body)


def _left_out(found: SobolIndices | Tornado | str) -> str:
    if isinstance(found, str):
        return found
    if isinstance(found, Tornado):
        n = sum(not math.isfinite(each) for each in (*found.at_lower.tolist(), *found.at_upper.tolist()))
        return f"{count(n, 'end')} without a result" if n else ""
    if not found.n_dropped:
        return ""
    return f"{found.n_dropped} of {found.n_planned} rows of runs left out, as a run of them has no result"


def _index_table(found: dict[str, SobolIndices | Tornado | str]) -> str:
    rows = []
    for result, each in found.items():
        if isinstance(each, SobolIndices):
            for i in each.order:
                first, total = (
                    with_interval(value, interval).replace("-", "−")
                    for value, interval in (
                        (each.first[i], each.first_interval[i]),
                        (each.total[i], each.total_interval[i]),
                    )
                )
                rows.append([result, each.keys[i], first, total])
    return table(["result", "parameter", "first order (95 %)", "total (95 %)"], rows, numbers_from=2)


def _tornado_table(study: StudyTable, found: dict[str, SobolIndices | Tornado | str]) -> str:
    ends = tornado_ends(study)
    rows = []
    for result, each in found.items():
        if isinstance(each, Tornado):
            for i, key in enumerate(each.keys):
                low, high = map(_shown, ends[key])
                at_low, at_high = map(_shown, (each.at_lower[i], each.at_upper[i]))
                rows.append([result, key, f"{low} to {high}", at_low, number(each.base), at_high])
    header = ["result", "parameter", "from … to", "at lower end", "in the middle", "at upper end"]
    return table(header, rows, numbers_from=3)


def _shown(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return number(float(value)) if math.isfinite(value) else "–"


def sensitivity_data(study: StudyTable) -> list[dict[str, Any]]:
    """What the chart shows, of each result that has sensitivities; the bar to be drawn lowest comes first."""
    data: list[dict[str, Any]] = []
    for result, found in all_sensitivities(study).items():
        unit = study.unit(result)
        title = f"{result}, {unit}" if unit else result
        if isinstance(found, Tornado):
            data.append({"name": result, "title": title, "kind": "tornado", **_tornado_bars(study, found)})
        elif isinstance(found, SobolIndices):
            data.append({"name": result, "title": title, "kind": "indices", **_index_bars(found)})
    return data


def _index_bars(found: SobolIndices) -> dict[str, Any]:
    order = found.order[::-1]
    return {
        "names": [found.keys[i] for i in order],
        **{
            name: {"value": values[order].tolist(), "low": ends[order, 0].tolist(), "high": ends[order, 1].tolist()}
            for name, values, ends in (
                ("first", found.first, found.first_interval),
                ("total", found.total, found.total_interval),
            )
        },
    }


def _tornado_bars(study: StudyTable, found: Tornado) -> dict[str, Any]:
    ends = tornado_ends(study)
    names = list(found.keys[::-1])
    return {
        "names": names,
        "base": found.base,
        "lower": _or_none(found.at_lower[::-1].tolist()),
        "upper": _or_none(found.at_upper[::-1].tolist()),
        "ends": [list(map(_shown, ends[name])) for name in names],
    }


def _or_none(values: list[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]
