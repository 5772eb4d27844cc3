"""The commands that seek values of keys: where a condition begins to hold, and which are best for a result."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
from polycontact.errors import PolycontactError, StudyError
from polycontact.replacing import write_whole
from polycontact.report.output_files import check_target

if TYPE_CHECKING:
    from polycontact.seeking.optimum import Optimum
    from polycontact.seeking.threshold import Threshold
    from polycontact.studies.parameters import StudyParameter

VARIED = re.compile(r"\s*(?P<key>.+?)\s*=\s*(?P<low>.+?)\s*\.\.\s*(?P<high>.+?)\s*(?::(?P<how>log|integer)\s*)?")

Settings = Annotated[list[str] | None, Parameter(name="--set", negative="")]
ScenarioOutput = Annotated[Path | None, Parameter(name=["--output", "-o"])]


@app.command
def find(
    scenario: str,
    /,
    *,
    vary: str,
    such_that: str,
    want: Literal["smallest", "largest"] | None = None,
    tolerance: float = 0.01,
    sections: WholeNumber = None,
    output: ScenarioOutput = None,
    set_values: Settings = None,
    workers: WholeNumber = None,
    cluster: str | None = None,
    time_limit: str | None = None,
    record: Path | None = None,
    json: JsonOption = False,
) -> int:
    """Find the smallest or largest value of a key with which a condition on a run holds.

    Exit status 1: the answer changes more than once, by noise or because it is not monotone.

    Parameters
    ----------
    scenario
        Path of a scenario file, or name of a built-in scenario.
    vary
        Key with its range: "KEY=LOW..HIGH", such as "bodies.ball.mass=1 kg..9 kg"; ":log" or ":integer" behind it.
    such_that
        Condition: a result, < or >, and a number, such as "max position of block.x < 1 mm".
    want
        smallest or largest; left out, it follows from the side on which the condition holds.
    tolerance
        Width of the bracket at the end, as a part of the range.
    sections
        Parts into which a section is divided at a time, by default 4; 2 for bisection.
    output
        TOML file to write: the scenario with the value that was found.
    set_values
        Another value for a key of the scenario in all runs; may be given several times.
    workers
        Processes on this machine; by default one for each core.
    cluster
        local, or the address of a Dask scheduler: tcp://HOST:PORT.
    time_limit
        Longest time of a run, such as 90 or "2 min".
    record
        Text file that keeps the runs: the same command again goes on where an earlier one stopped.
    json
        Print one JSON object.
    """
    from polycontact.scenario.key_paths import setting_of
    from polycontact.seeking.find import find as seek

    def run(report: Any) -> Threshold:
        return seek(
            scenario,
            _varied(vary),
            such_that,
            want=want,
            tolerance=tolerance,
            sections=4 if sections is None else sections,
            values=dict(map(setting_of, set_values or ())),
            workers=workers,
            cluster=cluster,
            time_limit=_limit(time_limit),
            record=record,
            progress=report,
        )

    return _carried_out("find", run, output, record, json)


@app.command
def optimise(
    scenario: str,
    /,
    *,
    vary: Annotated[list[str], Parameter(name="--vary", negative="")],
    minimise: str | None = None,
    maximise: str | None = None,
    subject_to: Annotated[list[str] | None, Parameter(name="--subject-to", negative="")] = None,
    starts: WholeNumber = None,
    refined: WholeNumber = None,
    seed: WholeNumber = None,
    max_runs: WholeNumber = None,
    output: ScenarioOutput = None,
    set_values: Settings = None,
    workers: WholeNumber = None,
    cluster: str | None = None,
    time_limit: str | None = None,
    record: Path | None = None,
    json: JsonOption = False,
) -> int:
    """Find values of keys, within ranges, with which a result of a run is least or greatest.

    Exit status 1: no convergence, or no run fulfils all conditions.

    Parameters
    ----------
    scenario
        Path of a scenario file, or name of a built-in scenario.
    vary
        Key with its range: "KEY=LOW..HIGH", such as "bodies.ball.mass=1 kg..9 kg"; ":log" behind it where the order of
        magnitude is not known; may be given several times.
    minimise
        Result that is to be least, such as "peak force of ball-table".
    maximise
        Result that is to be greatest.
    subject_to
        Condition that must hold, such as "max depth of ball-table < 1 mm"; may be given several times.
    starts
        Points spread over the ranges; by default 8 for each key.
    refined
        How many of the best of them are followed downhill; by default 2.
    seed
        Of the points; by default 0.
    max_runs
        Most runs, by default 1000.
    output
        TOML file to write: the scenario with the best values.
    set_values
        Another value for a key of the scenario in all runs; may be given several times.
    workers
        Processes on this machine; by default one for each core.
    cluster
        local, or the address of a Dask scheduler: tcp://HOST:PORT.
    time_limit
        Longest time of a run, such as 90 or "2 min".
    record
        Text file that keeps the runs: the same command again goes on where an earlier one stopped.
    json
        Print one JSON object.
    """
    from polycontact.scenario.key_paths import setting_of
    from polycontact.seeking.optimise import optimise as seek

    def run(report: Any) -> Optimum:
        return seek(
            scenario,
            [_varied(each) for each in vary],
            minimise=minimise,
            maximise=maximise,
            subject_to=subject_to or (),
            starts=starts,
            refined=2 if refined is None else refined,
            seed=0 if seed is None else seed,
            max_runs=1000 if max_runs is None else max_runs,
            values=dict(map(setting_of, set_values or ())),
            workers=workers,
            cluster=cluster,
            time_limit=_limit(time_limit),
            record=record,
            progress=report,
        )

    return _carried_out("optimise", run, output, record, json)


def _carried_out(
    name: str, run: Callable[[Any], Threshold | Optimum], output: Path | None, record: Path | None, json: bool
) -> int:
    """Run a search with a bar, and print what it found."""
    try:
        if output is not None:
            check_target(output, (".toml",), "a scenario")
        with progress_bar(name) as report:
            found = run(lambda now: report(now.done, now.total, now.words()))
        if output is not None:
            write_whole(output, found.scenario_there.source)
    except KeyboardInterrupt:
        complain("stopped" + ("" if record is None else "; the same command goes on"))
        return STOPPED
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    told = found.to_dict()
    if json:
        print_json(told)
    else:
        screen = console()
        screen.print(found.told(), soft_wrap=True)
        for note in found.notes:
            complain(note)
        if output is not None:
            screen.print(f"written to {output}", soft_wrap=True)
    return WELL if told["ok"] else DOES_NOT_HOLD


def _varied(text: str) -> StudyParameter:
    """The parameter that "KEY=LOW..HIGH:log" says."""
    from polycontact.studies.parameters import StudyParameter

    parts = re.fullmatch(
        r"\s*(?P<key>.+?)\s*=\s*(?P<low>.+?)\s*\.\.\s*(?P<high>.+?)\s*(?::(?P<how>log|integer)\s*)?", text
    )
    if parts is None:
        raise StudyError(f"--vary {text!r}: write KEY=LOW..HIGH, such as 'bodies.ball.mass=1 kg..9 kg'")
    scale = "log" if parts["how"] == "log" else "linear"
    ends = (_end(parts["low"]), _end(parts["high"]))
    return StudyParameter(parts["key"], ends, scale=scale, integer=parts["how"] == "integer")


def _end(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _limit(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
