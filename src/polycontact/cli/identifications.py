"""The command that identifies parameters of a scenario from measured curves."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import (
    BAD_INPUT,
    DOES_NOT_HOLD,
    STOPPED,
    WELL,
    JsonOption,
    WholeNumber,
    console,
    fail,
    print_json,
)
from polycontact.cli.progress_bar import progress_bar
from polycontact.errors import IdentificationWarning, PolycontactError
from polycontact.replacing import write_whole
from polycontact.report.output_files import check_target

if TYPE_CHECKING:
    from polycontact.identification.search_log import IdentifyProgress


@app.command
def identify(
    file: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    scenario: Annotated[Path | None, Parameter(name="--scenario")] = None,
    workers: WholeNumber = None,
    max_runs: WholeNumber = None,
    record: Annotated[Path | None, Parameter(name="--record")] = None,
    json: JsonOption = False,
) -> int:
    """Find parameters of a scenario with which its runs come closest to measured curves, with 95 % intervals.

    The file names the scenario, the parameters with their ranges, and the curves with their text files. Ctrl-C ends the
    search with the best so far, if there is one; exit status 130. Exit status 1: no convergence, or a parameter is
    left open.

    Parameters
    ----------
    file
        TOML file with scenario, [[parameters]] and [[curves]].
    output
        HTML page to write: estimates, measured and fitted curves, residuals.
    scenario
        TOML file to write: the scenario with the estimates.
    workers
        Processes that run at once; by default one for each core.
    max_runs
        Most runs, instead of what the file says.
    record
        Text file that keeps the trials: the same command again goes on where an earlier one stopped, however it did.
    json
        Print one JSON object instead of tables.
    """
    from polycontact.identification.identify_file import load_identify_file

    try:
        if output is not None:
            check_target(output, (".html", ".htm"), "an identification")
        given = load_identify_file(file)
        if scenario is not None:
            check_target(scenario, (".toml",), "a scenario", file, given.scenario.folder / given.scenario.file)
        options: dict[str, Any] = {} if max_runs is None else {"max_runs": max_runs}
        with progress_bar(given.scenario.name) as report, warnings.catch_warnings():
            warnings.simplefilter("ignore", IdentificationWarning)  # notes are printed below

            def tell(now: IdentifyProgress) -> None:
                report(now.runs, now.expected, _words(now))

            n_workers = (os.cpu_count() or 1) if workers is None else workers
            found = given.run(workers=n_workers, progress=tell, record=record, **options)
        if output is not None:
            found.save_page(output)
        if scenario is not None and found.scenario is not None:
            write_whole(scenario, found.scenario.source)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json(found.to_dict())
    else:
        from polycontact.identification.identification_record import print_identification

        screen = console()
        print_identification(screen, found)
        if output is not None:
            screen.print(f"written to {output} ({output.stat().st_size / 1e6:.2f} MB)", soft_wrap=True)
        if scenario is not None:
            screen.print(f"written to {scenario}", soft_wrap=True)
    return STOPPED if found.status == "stopped" else WELL if found.ok else DOES_NOT_HOLD


def _words(now: IdentifyProgress) -> str:
    left = "" if now.seconds_left is None else f", about {now.seconds_left:.0f} s left"
    failed = f", {now.failed} failed" if now.failed else ""
    return f"{now.phase}: {now.runs} runs{failed}, cost {now.cost:.4g}{left}"
