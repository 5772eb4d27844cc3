"""The command that tells how far results of a scenario can be believed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import (
    BAD_INPUT,
    DOES_NOT_HOLD,
    STOPPED,
    WELL,
    JsonOption,
    WholeNumber,
    complain,
    console,
    fail,
    print_json,
)
from polycontact.cli.progress_bar import progress_bar
from polycontact.errors import PolycontactError
from polycontact.report.output_files import PAGES, check_target

if TYPE_CHECKING:
    from polycontact.convergence.convergence_result import Convergence


@app.command
def converge(
    scenario: str,
    /,
    *,
    result: Annotated[list[str] | None, Parameter(name="--result", negative="")] = None,
    vary: Annotated[list[str] | None, Parameter(name="--vary", negative="")] = None,
    levels: WholeNumber = None,
    within: float = 0.05,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    set_values: Annotated[list[str] | None, Parameter(name="--set", negative="")] = None,
    workers: WholeNumber = None,
    cluster: str | None = None,
    time_limit: str | None = None,
    record: Path | None = None,
    json: JsonOption = False,
) -> int:
    """Tell how far results can be believed: refine meshes, tolerances and integration in turn, and run again.

    Each result gets an extrapolated value with its uncertainty, and a verdict. Exit status 1: a result is not to be
    believed within what is allowed.

    Parameters
    ----------
    scenario
        Path of a scenario file, or name of a built-in scenario.
    result
        What is looked at, such as "peak force of ball-table"; may be given several times. By default peak force and
        peak depth of the contacts. 'polycontact study results' lists all words.
    vary
        What is refined: mesh, tolerances, integration, samples, base; may be given several times. By default all.
    levels
        Levels of each, the given one among them: 2 to 5, by default 3. Two tell no order.
    within
        Relative error up to which a result counts as right.
    output
        HTML page to write: verdicts, tables and plots.
    set_values
        Another value for a key of the scenario in all runs, such as simulation.end_time=1; may be given several times.
    workers
        Processes on this machine; by default one for each core.
    cluster
        local, or the address of a Dask scheduler: tcp://HOST:PORT.
    time_limit
        Longest time of a run, such as 90 or "2 min".
    record
        Text file that keeps the runs: the same command again goes on where an earlier one stopped.
    json
        Print one JSON object instead of tables.
    """
    from polycontact.convergence.aspects import ASPECTS
    from polycontact.convergence.converge import converge as find
    from polycontact.scenario.key_paths import setting_of

    try:
        if output is not None:
            check_target(output, PAGES, "a page")
        with progress_bar("converge") as report:
            found = find(
                scenario,
                result or None,
                vary=vary or tuple(ASPECTS),
                levels=3 if levels is None else levels,
                within=within,
                values=dict(map(setting_of, set_values or ())),
                workers=workers,
                cluster=cluster,
                time_limit=time_limit if time_limit is None or not time_limit.isdecimal() else float(time_limit),
                record=record,
                progress=lambda now: report(now.done, now.total, now.words()),
            )
        size = None if output is None else found.save_page(output)
    except KeyboardInterrupt:
        complain("stopped" + ("" if record is None else "; the same command goes on"))
        return STOPPED
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json(found.to_dict())
    else:
        show_convergence(found)
        if size is not None:
            console().print(f"written to {output} ({size / 1e6:.2f} MB)", soft_wrap=True)
    return WELL if found.ok else DOES_NOT_HOLD


def show_convergence(found: Convergence) -> None:
    """Print what was found: a table of results, one of how they change, and sentences."""
    from rich.table import Table

    from polycontact.convergence.aspects import ASPECTS

    screen = console()
    shown = Table("result", "as given", "extrapolated", "unit", title=f"{found.scenario.name}: {found.runs} runs")
    for each in found.results.values():
        shown.add_row(each.name, f"{each.given:.5g}", f"{each.estimate:.5g} ± {each.uncertainty:.1g}", each.unit)
    screen.print(shown)
    changes = Table("result", "refined", "levels", "order", "correction")
    for each in found.results.values():
        for i, (name, change) in enumerate(each.changes.items()):
            order = "–" if change.limit.order is None else f"{change.limit.order:.1f}"
            correction = (
                f"{change.correction:+.2g}"
                if change.aspect.is_choice
                else (f"{change.correction:+.2g} ± {change.limit.uncertainty:.1g}")
            )
            values = ", ".join(f"{value:.5g}" for value in change.values)
            changes.add_row(each.name if i == 0 else "", ASPECTS[name], values, order, correction)
    screen.print(changes)
    for each in found.results.values():
        screen.print(each.told(), soft_wrap=True)
    if told := found.told_remedies():
        screen.print(told, soft_wrap=True)
    for note in found.notes:
        complain(note)
