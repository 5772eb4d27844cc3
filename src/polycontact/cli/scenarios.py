"""Commands on scenarios: list, template, schema and run."""

from __future__ import annotations

import json as json_format
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import (
    BAD_INPUT,
    DOES_NOT_HOLD,
    ENDED_EARLY,
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
from polycontact.cli.run_flags import RunFlags, flags_of, given_options
from polycontact.cli.scenario_keys import print_keys
from polycontact.errors import IntegrationError, PolycontactError, SimulationError
from polycontact.simulation.run_options import RunOptions, refuse_unused, run_options, unused
from polycontact.wording import counted

if TYPE_CHECKING:
    from polycontact.scenario.loading import Scenario
    from polycontact.simulation.run_result import Run

RUN_SUFFIXES = (".h5", ".hdf5")


@app.command(name="list")
def list_scenarios(*, json: JsonOption = False) -> int:
    """List the built-in scenarios.

    Parameters
    ----------
    json
        Print one JSON object instead of a table.
    """
    from rich.table import Table

    from polycontact.scenario.builtin import list_scenarios as built_in

    found = built_in()
    if json:
        print_json({"scenarios": [{"name": name, "description": text} for name, text in found]})
        return WELL
    table = Table("scenario", "what it shows")
    for name, text in found:
        table.add_row(name, text)
    console().print(table)
    return WELL


@app.command
def template(scenario: str, /, *, output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None) -> int:
    """Print the TOML file of a built-in scenario, or copy it with its meshes, to change it.

    Parameters
    ----------
    scenario
        Name of a built-in scenario: see `polycontact list`.
    output
        File to write instead, with the scenario's meshes beside it; existing files are not replaced.
    """
    from polycontact.scenario.builtin import mesh_files, scenario_text
    from polycontact.scenario.copying import copy_scenario

    if output is None:
        print(scenario_text(scenario), end="")
        if mesh_files(scenario):
            copy = f"polycontact template {scenario} -o {scenario}.toml"
            complain(f"{scenario} needs its meshes beside it; '{copy}' writes them too")
        return WELL
    try:
        meshes = copy_scenario(scenario, output)
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}; choose another file")
    beside = f", with {counted(len(meshes), 'mesh', 'meshes')} beside it in {meshes[0].parent}" if meshes else ""
    console().print(f"written to {output}{beside}", soft_wrap=True)
    return WELL


@app.command
def schema(section: str | None = None, /) -> int:
    """Print the keys of a table of scenario files, or the JSON schema for editors that complete and check them.

    Parameters
    ----------
    section
        A table, such as joints, forces, contact or shapes: its keys with units, defaults and meanings. Without one the
        JSON schema is printed.
    """
    if section is not None:
        return print_keys(section)
    from polycontact.scenario.schema.scenario import export_schema

    print(json_format.dumps(export_schema(), indent=1))
    return WELL


@app.command
def run(
    scenario: str,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    options: Annotated[RunFlags, Parameter(name="*")] = RunFlags(),  # noqa: B008
    set_values: Annotated[list[str] | None, Parameter(name="--set", negative="")] = None,
    resume: JsonOption = False,
    live: JsonOption = False,
    port: WholeNumber = None,
    open: JsonOption = False,
    json: JsonOption = False,
) -> int:
    """Run a built-in scenario or a scenario file, with a progress bar, and say what it cost.

    With --integrator all it is run with cvode-bdf, lsoda, ida and dopri5, one after the other.

    Exit status 3: a condition of the scenario (stop_when) has ended the run.

    Parameters
    ----------
    scenario
        Name of a built-in scenario (see `polycontact list`), path of a TOML file, or a run of a study: study.h5:17.
    output
        HDF5 file (.h5, .hdf5) to record to as the run goes; an existing run is replaced.
    set_values
        Another value for a key of the scenario, such as contact.law.stiffness=1e9 or "bodies.ball.position[2]=12 mm";
        may be given several times.
    resume
        Go on from the end of the run in the output file, to a later end time.
    live
        Serve a page on this machine that follows the run, and can pause and stop it; its address is told on stderr.
    port
        Port of the live page, 1 to 65535; by default any that is free.
    open
        Open the live page in a browser.
    json
        Print one JSON object instead of tables.
    """
    from polycontact.scenario.key_paths import setting_of
    from polycontact.scenario.loading import load_scenario

    given = given_options(options)
    try:
        chosen = _of_study(scenario) or load_scenario(scenario)
        if set_values:
            chosen = chosen.with_values(dict(map(setting_of, set_values)))
        if output is not None and not resume:
            _check_output(output)
        if resume and output is None:
            raise SimulationError("--resume goes on with a recorded run: name its file with --output")
        recorded = _recorded_settings(output, given) if resume and output is not None else {}
        target = {"continue_from": output} if resume else {"record": output}
        settings = _settings(chosen, recorded, given | target)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    names = _integrators(chosen.name, settings["integrator"])
    try:
        page = _live_options(live, port, open, several=len(names) > 1)
    except SimulationError as error:
        return fail(error, json, BAD_INPUT)
    if len(names) > 1 and output is not None:
        return fail(SimulationError("--integrator all records nothing; leave --output out"), json, BAD_INPUT)
    try:
        runs, failures = _run_all(chosen, settings, names, page)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if not runs:
        return fail(failures[0], json, DOES_NOT_HOLD)
    _show(chosen.name, runs, failures, output, json)
    if runs[-1].status == "stopped":
        complain(runs[-1].message)
        if output is not None:
            complain(f"continue with: {_continuation(scenario, output, given, set_values or [], json=json)}")
        return STOPPED
    if failures:
        return DOES_NOT_HOLD
    return ENDED_EARLY if any(each.status == "ended" for each in runs) else WELL


def _of_study(named: str) -> Scenario | None:
    """The scenario of a run of a study, named like study.h5:17; None for any other name."""
    file, colon, number = named.rpartition(":")
    if not colon or not number.isdecimal() or Path(file).suffix.lower() not in RUN_SUFFIXES:
        return None
    from polycontact.studies.study_table import StudyTable

    return StudyTable(file).scenario(int(number))


def _integrators(scenario: str, name: str) -> tuple[str, ...]:
    from polycontact.report.paper_tables import HEIRS

    return HEIRS.get(scenario, HEIRS["bubbles"]) if name == "all" else (name,)


def _check_output(output: Path) -> None:
    """Refuse a name that promises another format than the one that is written."""
    if output.is_dir() or output.suffix.lower() in RUN_SUFFIXES:
        return  # the recorder tells what else is wrong
    suffixes = " or ".join(RUN_SUFFIXES)
    hint = "; for tables use 'polycontact export RUN.h5 --csv -o FOLDER' after the run"
    raise SimulationError(f"{output}: a run is recorded as HDF5; name a {suffixes} file{hint if output.suffix else ''}")


def _continuation(scenario: str, output: Path, given: dict[str, Any], set_values: list[str], *, json: bool) -> str:
    """The command that goes on with a stopped run, with the options that were given."""
    words = ["polycontact", "run", _quoted(scenario), "-o", _quoted(str(output)), "--resume", *flags_of(given)]
    for setting in set_values:
        words += ["--set", _quoted(setting)]
    return " ".join([*words, "--json"] if json else words)


def _quoted(word: str) -> str:
    """A word for a command line of any shell."""
    return f'"{word}"' if " " in word else word


def _recorded_settings(path: Path, given: dict[str, Any]) -> dict[str, Any]:
    """Settings with which a run was recorded: it goes on with them unless others are ``given``."""
    from polycontact.simulation.recording.trajectory import Trajectory

    run = Trajectory.open(path)
    names = [each.name for each in run_options() if each.ways.kept]
    kept = {name: run.settings[name] for name in names if run.settings.get(name) is not None}
    if run.status == "finished":  # it has reached its end time: the scenario's, or a given one, comes next
        kept.pop("end_time", None)
    told = (_setting_words(name, value) for name, value in kept.items() if given.get(name) is None)
    complain(f"{path}: going on with {', '.join(told)}")
    return kept


def _setting_words(name: str, value: object) -> str:
    """A setting as one reads it: without the last digits of rounding, switches as with or without."""
    words = name.replace("_", " ")
    if isinstance(value, bool):
        return f"{words} {'on' if value else 'off'}"
    if isinstance(value, Mapping):  # a response, with its options where they are not the usual ones
        return f"{value.get('kind')} contacts"
    return f"{words} {f'{value:.9g}' if isinstance(value, float) else value}{' s' * words.endswith(('step', 'time'))}"


def _settings(chosen: Scenario, recorded: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Settings of the scenario, over them those of a run that goes on, over them those of the command line.

    What the scenario sets for another response than the one that is ``given`` is left out and told. A mistake is told
    before anything is read or written.
    """
    several = given.get("integrator") == "all"
    settings = {**chosen.settings, **recorded, **given}
    left_out = {name: why for name, why in unused(settings).items() if name not in given}
    for why in left_out.values():
        complain(f"{chosen.name}: {why.split(';')[0]}: left out")
    settings = {name: value for name, value in settings.items() if name not in left_out}
    refuse_unused(settings)
    RunOptions(**(settings | {"integrator": chosen.settings["integrator"]} if several else settings))
    return settings


def _live_options(live: bool, port: int | None, opens: bool, *, several: bool) -> dict[str, Any] | None:
    """How a live page is served; None without one."""
    if not live:
        if port is not None or opens:
            raise SimulationError("--port and --open are about the live page: give --live too")
        return None
    if several:
        raise SimulationError("--live follows one run; name one integrator, not all")
    return {"port": port or 0, "open_page": opens, "announce": lambda url: complain(f"watch the run at {url}")}


def _run_all(
    chosen: Scenario, options: dict[str, Any], integrators: tuple[str, ...], page: dict[str, Any] | None
) -> tuple[list[Run], list[IntegrationError]]:
    """One run for each integrator, with a bar on stderr, until one is stopped; and what could not go on."""
    runs: list[Run] = []
    failures: list[IntegrationError] = []
    for name in integrators:
        try:
            result = _run_one(chosen, {**options, "integrator": name}, page)
        except IntegrationError as error:
            failures.append(error)
            continue
        runs.append(result)
        if result.status == "stopped":
            break
    return runs, failures


def _run_one(chosen: Scenario, options: dict[str, Any], page: dict[str, Any] | None) -> Run:
    from polycontact.report.view.live.simulating import simulate_live
    from polycontact.simulation.progress_line import ProgressWords
    from polycontact.simulation.simulate import simulate

    words = ProgressWords()
    with progress_bar(f"{chosen.name} ({options['integrator']})") as report:
        run: Callable[..., Run] = simulate if page is None else partial(simulate_live, **page)
        return run(
            chosen.build(),
            progress=lambda now: report(now.time, now.end_time, words(now)),
            scenario=chosen.source,
            scenario_folder=str(chosen.folder),
            **options,
        )


def _show(name: str, runs: list[Run], failures: list[IntegrationError], output: Path | None, json: bool) -> None:
    """Tables of the runs, or one JSON object; failures on stderr too."""
    from polycontact.report.run_table import ledger_table, peak_table, profile_table, run_table

    for error in failures:
        complain(str(error))
    last = runs[-1]
    if json:
        records = [_record(each) for each in runs]
        where = None if output is None else str(output)
        several = {
            "runs": records if len(records) > 1 else [],
            "failures": [str(error) for error in failures],
        }
        print_json({"scenario": name, "output": where, **records[-1], **several})
        return
    screen = console()
    screen.print(run_table(name, [each.statistics for each in runs]))
    screen.print(ledger_table(last.ledger, last.statistics.integrator if len(runs) > 1 else None))
    if last.peaks.contacts:
        screen.print(peak_table(last.trajectory))
    if last.energy_warning:
        screen.print("the residual work of contacts is a large share of the turnover, see the warning", style="yellow")
    if last.statistics.profile is not None:
        screen.print(profile_table(last.statistics))
    if last.ended_by is not None:
        screen.print(f"ended early: {last.message}", style="yellow", soft_wrap=True)
    if last.events:
        screen.print(f"{counted(len(last.events), 'start or end', 'starts and ends')} of contacts")
    if output is not None:
        screen.print(f"recorded in {output}")


def _record(result: Run) -> dict[str, Any]:
    return {
        "status": result.status,
        "message": result.message,
        "statistics": result.statistics.to_dict(),
        "ledger": result.ledger.summary(),
        "energy_warning": result.energy_warning,
        "ended_by": None if result.ended_by is None else result.ended_by.to_dict(),
        "peaks": result.peaks.to_plain(),
        "events": [{"time": e.time, "pairing": e.pairing, "kind": e.kind} for e in result.events],
    }
