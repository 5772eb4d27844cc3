"""How much each parameter of a study matters, from its table: indices of Sobol' or a tornado, as its design has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from polycontact.errors import StudyError
from polycontact.scenario.file_problems import shown
from polycontact.studies.index_estimates import SobolIndices, sobol_indices
from polycontact.studies.sensitivity_runs import SensitivityDesign, TornadoDesign
from polycontact.studies.tornado_bars import Tornado, tornado

if TYPE_CHECKING:
    from polycontact.studies.parameters import Value
    from polycontact.studies.study_table import StudyTable

KINDS: Final = ("sensitivity", "tornado")
"""Designs from which sensitivities follow."""


def has_sensitivities(table: StudyTable) -> bool:
    """Whether the study was made for sensitivities."""
    return table.design["kind"] in KINDS


def check_made_for_them(table: StudyTable) -> None:
    """Refuse a study whose design tells no sensitivities."""
    if not has_sensitivities(table):
        raise StudyError(
            f"{table.path.name}: its design is {table.design['kind']}, from which no sensitivities follow; make a "
            f"study with a design of kind {' or '.join(KINDS)}"
        )


def sensitivity_of(table: StudyTable, result: str) -> SobolIndices | Tornado:
    """Indices or tornado of a result; runs that failed or are still to come are left out, as their functions do."""
    check_made_for_them(table)
    if result not in table.results:
        raise StudyError(f"{table.path.name}: there is no result {shown(result)}; there are {', '.join(table.results)}")
    keys = tuple(each.name for each in table.parameters)
    outputs = np.where(table.well, table[result], np.nan)
    if table.design["kind"] == "tornado":
        return tornado(TornadoDesign(keys, table.points), outputs)
    return sobol_indices(SensitivityDesign(keys, n_paired_rows(table), table.points), outputs)


def n_paired_rows(table: StudyTable) -> int:
    """Rows of each of the samples A and B in a study for indices of Sobol'."""
    return len(table) // (len(table.parameters) + 2)


def all_sensitivities(table: StudyTable) -> dict[str, SobolIndices | Tornado | str]:
    """By result its indices or tornado, or why there are none; empty where the design is not made for them."""
    found: dict[str, SobolIndices | Tornado | str] = {}
    for result in table.results if has_sensitivities(table) else ():
        try:
            found[result] = sensitivity_of(table, result)
        except StudyError as error:
            found[result] = str(error)
    return found


def with_interval(value: float, interval: Any) -> str:
    """An index with its interval; three decimals, as sampling leaves no more, and no zero with a sign."""
    index, low, high = (f"{round(float(each), 3) + 0.0:.3f}" for each in (value, *interval))
    return f"{index} ({low} to {high})"


def tornado_ends(table: StudyTable) -> dict[str, tuple[Value, Value]]:
    """What stood in the scenario at the lower and upper end of each parameter, by its name."""
    ends = {}
    for i, each in enumerate(table.parameters):
        ends[each.name] = (each.value(table.points[1 + 2 * i, i]), each.value(table.points[2 + 2 * i, i]))
    return ends


def plain_sensitivities(table: StudyTable) -> dict[str, Any]:
    """All of it as JSON can hold it: by result what `to_dict` tells, or ``error``."""
    told: dict[str, Any] = {}
    for result, found in all_sensitivities(table).items():
        if isinstance(found, str):
            told[result] = {"error": found}
            continue
        told[result] = found.to_dict()
        if isinstance(found, Tornado):
            ends = tornado_ends(table)
            for row in told[result]["parameters"]:
                row["lower"], row["upper"] = ends[row["key"]]
    return told
