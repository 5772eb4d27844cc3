"""Commands on studies: run one, open one of its runs, tell sensitivities, list what can be asked, write its table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

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
from polycontact.cli.usage_errors import whole_number
from polycontact.errors import PolycontactError, StudyError
from polycontact.report.output_files import check_target
from polycontact.wording import counted

if TYPE_CHECKING:
    from polycontact.studies.study_file import StudyFile
    from polycontact.studies.study_table import StudyTable

study_app = App(name="study", help="Run a scenario with many values for some of its keys, and keep a table.")
app.command(study_app)

OutputOption = Annotated[Path | None, Parameter(name=["--output", "-o"])]


@study_app.default
def study(
    study: str,
    /,
    *,
    output: OutputOption = None,
    workers: WholeNumber = None,
    cluster: str | None = None,
    tls_ca: str | None = None,
    tls_cert: str | None = None,
    tls_key: str | None = None,
    number: WholeNumber = None,
    time_limit: str | None = None,
    keep_runs: str | None = None,
    set_values: Annotated[list[str] | None, Parameter(name="--set", negative="")] = None,
    resume: JsonOption = False,
    retry_failed: JsonOption = False,
    replace: JsonOption = False,
    json: JsonOption = False,
) -> int:
    """Run a study: a file, or a built-in one. The same command again goes on where it stopped.

    Exit status 1: some runs failed; the table says why.

    Parameters
    ----------
    study
        Path of a study file (TOML), or name of a built-in study: bubbles_starts.
    output
        HDF5 file of the table; by default the study's name with .h5 in the current folder.
    workers
        Processes on this machine, or threads of a local cluster; by default one for each core.
    cluster
        local, or the address of a Dask scheduler: tcp://HOST:PORT or tls://HOST:PORT.
    tls_ca
        File with the certificate authority, for tls://.
    tls_cert
        File with the certificate of this client.
    tls_key
        File with its private key.
    number
        Another number of runs than in the file.
    time_limit
        Longest time of a run, such as 90 or "2 min"; one that takes longer is killed.
    keep_runs
        Record runs in a folder beside the table: none, failed, all, or n for every n-th.
    set_values
        Another value for a key of the scenario in all runs, such as simulation.end_time=1; may be given several times.
    resume
        Go on with a study, and complain if there is none yet.
    retry_failed
        Make runs again that failed.
    replace
        Start anew in the place of another study.
    json
        Print one JSON object instead of a table.
    """
    from polycontact.scenario.key_paths import setting_of
    from polycontact.studies.study import study as make_study
    from polycontact.studies.study_file import load_study

    try:
        chosen = load_study(study)
        target = output or Path(f"{chosen.name}.h5")
        if resume and replace:
            raise StudyError("--resume goes on with a study and --replace starts anew; leave one out")
        if resume and not target.exists():
            raise StudyError(f"{target}: there is no study to go on with; leave --resume out to start it")
        options = _options(chosen, time_limit, keep_runs)
        if set_values:
            options["values"] = {**(options["values"] or {}), **dict(map(setting_of, set_values))}
        tls = {name: file for name, file in (("ca", tls_ca), ("cert", tls_cert), ("key", tls_key)) if file is not None}
        if tls and not (cluster or "").startswith("tls://"):
            raise StudyError(f"--tls-{next(iter(tls))} is for --cluster tls://HOST:PORT; leave it out")
        with progress_bar(chosen.name) as report:
            table = make_study(
                chosen.scenario,
                _with_number(chosen, number),
                chosen.results,
                output=target,
                workers=workers,
                cluster=cluster,
                tls=tls or None,
                retry_failed=retry_failed,
                replace=replace,
                progress=lambda now: report(now.done, now.total, now.words()),
                **options,
            )
    except KeyboardInterrupt:
        complain("stopped; the same command goes on")
        return STOPPED
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    _show(table, json)
    return DOES_NOT_HOLD if table.failures else WELL


def _options(chosen: StudyFile, time_limit: str | None, keep_runs: str | None) -> dict[str, Any]:
    options = dict(chosen.options)
    if time_limit is not None:
        try:
            options["time_limit"] = float(time_limit)
        except ValueError:
            options["time_limit"] = time_limit
    if keep_runs is not None:
        options["keep_runs"] = int(keep_runs) if keep_runs.isdecimal() else keep_runs
    return options


def _with_number(chosen: StudyFile, number: int | None) -> Any:
    from dataclasses import replace

    return chosen.design if number is None else replace(chosen.design, number=number)


@study_app.command(name="open")
def open_run(
    study: Path, run: Annotated[int, Parameter(converter=whole_number)], /, *, output: OutputOption = None
) -> int:
    """Make one run of a study again, the same bits, and record it.

    Parameters
    ----------
    study
        File of the study (.h5).
    run
        Number of the run, from 0.
    output
        HDF5 file to record to; by default STUDY_RUN.h5 in the current folder.
    """
    from polycontact.cli.run_flags import RunFlags
    from polycontact.cli.scenarios import run as run_scenario
    from polycontact.studies.study_table import StudyTable

    try:
        table = StudyTable(study)
        table.values(run)
        kept = table.run_file(run)
    except PolycontactError as error:
        return fail(error, False, BAD_INPUT)
    if kept is not None:
        console().print(f"this run was kept in {kept}", soft_wrap=True)
        if output is None:
            return WELL
    target = output or Path(f"{study.stem}_{run}.h5")
    return run_scenario(f"{study}:{run}", output=target, options=RunFlags(workers=1))


@study_app.command(name="table")
def write_table(study: Path, /, *, output: Annotated[Path, Parameter(name=["--output", "-o"])]) -> int:
    """Write the table of a study as CSV, also while it goes on.

    Parameters
    ----------
    study
        File of the study (.h5).
    output
        CSV file to write.
    """
    from polycontact.studies.study_table import StudyTable

    try:
        check_target(output, (".csv",), "a table")
        table = StudyTable(study)
        table.to_csv(output)
    except PolycontactError as error:
        return fail(error, False, BAD_INPUT)
    except OSError as error:
        return complain(f"{output}: cannot be written: {error.strerror}; choose another place with --output")
    console().print(f"{counted(len(table), 'run')} written to {output}", soft_wrap=True)
    return WELL


@study_app.command(name="sensitivity")
def tell_sensitivities(study: Path, /, *, json: JsonOption = False) -> int:
    """Tell how much each parameter matters, of a study whose design is "sensitivity" or "tornado".

    Exit status 1: a result has none, as runs are missing or failed, or as it does not vary.

    Parameters
    ----------
    study
        File of the study (.h5), also while it goes on.
    json
        Print one JSON object instead of a table.
    """
    from polycontact.cli.sensitivity_tables import show_sensitivities
    from polycontact.studies.study_sensitivities import check_made_for_them, plain_sensitivities
    from polycontact.studies.study_table import StudyTable

    try:
        table = StudyTable(study)
        check_made_for_them(table)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    told = plain_sensitivities(table)
    if json:
        print_json({"design": table.design["kind"], "runs": table.counts, "sensitivities": told})
    else:
        show_sensitivities(table)
    return DOES_NOT_HOLD if any("error" in each for each in told.values()) else WELL


@study_app.command(name="results")
def list_results(*, json: JsonOption = False) -> int:
    """List what can be asked of a run in a study, and the words for it.

    Parameters
    ----------
    json
        Print one JSON object instead of tables.
    """
    from rich.table import Table

    from polycontact.studies.result_windows import WINDOWS
    from polycontact.studies.result_words import HOW, listed_words

    words = listed_words()
    if json:
        print_json(
            {"how": HOW, "windows": WINDOWS, "results": [{"words": w, "unit": u, "meaning": m} for w, u, m in words]}
        )
        return WELL
    screen = console()
    table = Table("words", "unit", "")
    for row in words:
        table.add_row(*row)
    screen.print(table)
    how = Table("HOW", "")
    for word, meaning in HOW.items():
        how.add_row(word, meaning)
    screen.print(how)
    windows = Table("behind it", "")
    for word, meaning in WINDOWS.items():
        windows.add_row(word, meaning)
    screen.print(windows)
    screen.print("p95, or any number from 0 to 99: the value that a history is below for 95 % of the time.")
    screen.print("BODY.x, .y, .z and JOINT[0] name a component; without one a vector counts by its length.")
    screen.print("'time of max velocity of BODY' says when; 'position of BODY.z at 0.5 s' at which time.")
    return WELL


def _show(table: StudyTable, json: bool) -> None:
    """Print the study's results in short, or as JSON."""
    import numpy as np

    from polycontact.studies.study_sensitivities import plain_sensitivities

    numbers: dict[str, Any] = {}
    for name in table.results:
        values = table[name][table.well]
        values = values[np.isfinite(values)]
        three = (values.min(), np.median(values), values.max()) if len(values) else (None, None, None)
        numbers[name] = dict(
            zip(("min", "median", "max"), (None if v is None else float(v) for v in three), strict=True)
        )
    failures = table.failures
    if json:
        told = [each._asdict() for each in failures]
        found: dict[str, Any] = {"output": str(table.path), "runs": table.counts, "results": numbers}
        sensitivities = plain_sensitivities(table)
        print_json(found | ({"sensitivities": sensitivities} if sensitivities else {}) | {"failures": told})
        return
    from rich.table import Table

    from polycontact.cli.sensitivity_tables import show_sensitivities

    screen = console()
    shown = Table("result", "unit", "smallest", "median", "largest")
    for name, each in numbers.items():
        cells = ("–" if value is None else f"{value:.6g}" for value in each.values())
        shown.add_row(name, table.unit(name), *cells)
    screen.print(shown)
    show_sensitivities(table)
    screen.print(", ".join(f"{n} {status}" for status, n in table.counts.items()))
    for each in failures[:10]:
        complain(f"run {each.number} {each.status}: {each.message}")
    if len(failures) > 10:
        complain(f"and {len(failures) - 10} more without results")
    screen.print(f"table in {table.path}; see it with 'polycontact report {table.path} -o study.html'", soft_wrap=True)
