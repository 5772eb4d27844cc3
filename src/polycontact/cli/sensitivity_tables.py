"""How much each parameter of a study matters, as tables on the screen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polycontact.cli.output import complain, console

if TYPE_CHECKING:
    from rich.table import Table

    from polycontact.studies.index_estimates import SobolIndices
    from polycontact.studies.study_table import StudyTable
    from polycontact.studies.tornado_bars import Tornado


def show_sensitivities(table: StudyTable) -> None:
    """A table of indices or tornadoes of all results, and why a result has none; nothing for other designs."""
    from rich.table import Table

    from polycontact.studies.study_sensitivities import all_sensitivities
    from polycontact.studies.tornado_bars import Tornado

    found = all_sensitivities(table)
    known = {result: each for result, each in found.items() if not isinstance(each, str)}
    if known:
        of_tornado = ("base", "at lower end", "at upper end")
        columns = of_tornado if table.design["kind"] == "tornado" else ("first order (95 %)", "total (95 %)")
        shown = Table("result", "parameter", *columns)
        for result, each in known.items():
            if isinstance(each, Tornado):
                _add_tornado(shown, result, each)
            else:
                _add_indices(shown, result, each)
        console().print(shown)
    for result, told in found.items():
        if isinstance(told, str):
            complain(f"no sensitivities of {result}: {told}")
        elif not isinstance(told, Tornado) and told.n_dropped:
            complain(f"{result}: {told.n_dropped} of {told.n_planned} rows left out, as runs of them have no result")


def _add_indices(shown: Table, result: str, found: SobolIndices) -> None:
    from polycontact.studies.study_sensitivities import with_interval

    for i in found.order:
        first = with_interval(found.first[i], found.first_interval[i])
        shown.add_row(result, found.keys[i], first, with_interval(found.total[i], found.total_interval[i]))


def _add_tornado(shown: Table, result: str, found: Tornado) -> None:
    for key, low, high in zip(found.keys, found.at_lower.tolist(), found.at_upper.tolist(), strict=True):
        ends = (f"{end:.6g}" if math.isfinite(end) else "–" for end in (low, high))
        shown.add_row(result, key, f"{found.base:.6g}", *ends)
