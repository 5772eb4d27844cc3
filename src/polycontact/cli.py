"""The command line: one function a command, each of which returns the exit status.

0: all is well; 1: what was asked does not hold (a failed check, a mesh that cannot be mended); 2: bad input
or use. With ``--json`` a command prints one JSON object on stdout and nothing else; messages go to stderr.
"""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from polycontact.errors import PolycontactError, SurfaceError

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.surfaces.check import SurfaceReport
    from polycontact.surfaces.reading import RawMesh
    from polycontact.surfaces.repair import RepairResult
    from polycontact.verification.case import Outcome

WELL = 0
DOES_NOT_HOLD = 1
BAD_INPUT = 2

JsonOption = Annotated[bool, Parameter(negative="")]

SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


def _version() -> str:
    """Version of the installed package."""
    try:
        return installed_version("polycontact")
    except PackageNotFoundError:
        return "unknown (not installed)"


app = App(
    name="polycontact",
    help="Compliant contact between complexly shaped surfaces for multibody dynamics.",
    version=_version,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` (by default those of the process) name; returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console that lacks a character must not end the command
    try:
        command, bound, *_ = app.parse_args(arguments, exit_on_error=False, print_error=False)
        status = command(*bound.args, **bound.kwargs)
    except CycloptsError as error:
        return _complain(f"{error} See 'polycontact --help'.")
    except PolycontactError as error:
        return _complain(str(error))
    return status if isinstance(status, int) else WELL


@app.command
def check(mesh: Path, /, *, json: JsonOption = False) -> int:
    """Say what is wrong with a mesh: cracks, orientation, degenerate faces, self-intersections and more.

    Parameters
    ----------
    mesh
        OBJ, STL, PLY, OFF, glTF, 3MF or ASCII DXF file.
    json
        Print one JSON object instead of a table.
    """
    from polycontact.surfaces.check import check_surface

    raw = _read(mesh, json)
    if raw is None:
        return BAD_INPUT
    report = check_surface(raw)
    if json:
        _print_json({"file": str(mesh), **report.to_dict()})
    else:
        _print_report(_console(), report)
    return WELL if report.ok else DOES_NOT_HOLD


@app.command
def repair(
    mesh: Path,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    tolerance: float | None = None,
    json: JsonOption = False,
) -> int:
    """Mend a mesh without changing its shape: weld, stitch, clean, separate, orient. Holes are not filled.

    Parameters
    ----------
    mesh
        OBJ, STL, PLY, OFF, glTF, 3MF or ASCII DXF file.
    output
        File to write, in m: .obj, .stl, .ply or .off.
    tolerance
        Vertices within this of each other are welded, m; by default 1e-6 of the diagonal of the bounding box.
    json
        Print one JSON object instead of text.
    """
    from polycontact.surfaces.check import check_surface, checked_tolerance
    from polycontact.surfaces.repair import repair_with_log
    from polycontact.surfaces.save import save_surface

    try:
        checked_tolerance(tolerance)
    except SurfaceError as error:
        return _fail(error, json, BAD_INPUT)
    raw = _read(mesh, json)
    if raw is None:
        return BAD_INPUT
    try:
        result = repair_with_log(raw, tolerance=tolerance)
    except SurfaceError as error:
        return _fail(error, json, DOES_NOT_HOLD)
    try:
        save_surface(result.surface, output)
    except SurfaceError as error:
        return _fail(error, json, BAD_INPUT)
    report = check_surface(result.surface)
    if json:
        _print_json(_repair_record(mesh, output, result, report))
    else:
        _print_repair(_console(), output, result, report)
    return WELL


@app.command
def bench(*, json: JsonOption = False, quick: JsonOption = False, triangles: list[int] | None = None) -> int:
    """Measure evaluations beside the collision libraries installed (coal, python-fcl), with targets.

    Parameters
    ----------
    json
        Print one JSON object instead of tables.
    quick
        Measure little: some seconds, rough figures.
    triangles
        About this many triangles; give it several times for several sizes. By default 950, 10000 and 100000.
    """
    from polycontact.benchmark import print_benchmark, run_benchmark, settings_for

    try:
        settings = settings_for(quick, None if triangles is None else tuple(triangles))
    except SurfaceError as error:
        return _fail(error, json, BAD_INPUT)
    result = run_benchmark(
        settings, lambda step: print(f"polycontact bench: {step}", file=sys.stderr, flush=True)
    )
    if json:
        _print_json(result.to_dict())
    else:
        print_benchmark(_console(), result)
    return WELL


@app.command
def verify(*, json: JsonOption = False) -> int:
    """Compare contacts with their closed forms: value, error and convergence rate of each.

    Parameters
    ----------
    json
        Print one JSON object instead of a table.
    """
    from polycontact.verification.show import outcome_record

    outcomes = _verify()
    if json:
        _print_json(outcome_record(outcomes))
    else:
        _print_outcomes(_console(), outcomes)
    return WELL if all(outcome.ok for outcome in outcomes) else DOES_NOT_HOLD


@app.command
def demo() -> int:
    """Show one worked contact, two bubbles pressed together, and then the closed forms as `verify` does."""
    from polycontact.verification.demo import describe_demo

    console = _console()
    for line in describe_demo():
        console.print(line, soft_wrap=True)
    console.print()
    outcomes = _verify()
    _print_outcomes(console, outcomes)
    return WELL if all(outcome.ok for outcome in outcomes) else DOES_NOT_HOLD


# Input and output -----------------------------------------------------------------------------------------


def _read(path: Path, json: bool) -> RawMesh | None:
    """The mesh in a file; None, with a message, where it cannot be read."""
    from polycontact.surfaces.reading import read_mesh

    try:
        return read_mesh(path)
    except SurfaceError as error:
        _fail(error, json, BAD_INPUT)
        return None


def _fail(error: PolycontactError, json: bool, status: int) -> int:
    """Say what went wrong, also as JSON where that was asked for; returns ``status``."""
    if json:
        _print_json({"ok": False, "error": str(error)})
    _complain(str(error))
    return status


def _complain(message: str) -> int:
    """Print a message on stderr; returns the status of bad input."""
    print(f"polycontact: {message}", file=sys.stderr)
    return BAD_INPUT


def _print_json(record: dict[str, Any]) -> None:
    print(json_format.dumps(record, allow_nan=False))


def _console() -> Console:
    """A console that shows text as it is, so that brackets in file names are no markup."""
    from rich.console import Console

    return Console(markup=False, highlight=False)


def _verify() -> tuple[Outcome, ...]:
    """Run the verification with a bar on stderr, shown only where that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    from polycontact.verification.run import run_verification

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("closed forms", total=None)
        return run_verification(lambda done, total, _: bar.update(task, completed=done, total=total))


def _print_outcomes(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Table of the closed forms and the verdict."""
    from polycontact.verification.show import outcome_table, summary

    console.print(outcome_table(outcomes))
    console.print(summary(outcomes), style="bold green" if all(each.ok for each in outcomes) else "bold red")


def _print_report(console: Console, report: SurfaceReport) -> None:
    """Verdict, size and a table of the problems of a mesh."""
    from rich.table import Table
    from rich.text import Text

    console.print(f"{report.name}: {report.verdict}", style="bold green" if report.ok else "bold red")
    console.print(report.summary)
    for note in report.notes:
        console.print(f"note: {note}", style="dim")
    if not report.problems:
        return
    table = Table("", "problem", "count", "meaning, place and remedy", show_lines=True)
    for problem in report.problems:
        places = "; ".join(str(example) for example in problem.examples[:2])
        lines = [problem.message, f"e.g. {places}" if places else "", f"remedy: {problem.remedy}"]
        table.add_row(
            Text(problem.severity.value, style=SEVERITY_STYLES[problem.severity.value]),
            problem.title,
            str(problem.count),
            "\n".join(line for line in lines if line),
        )
    console.print(table)


def _print_repair(console: Console, output: Path, result: RepairResult, report: SurfaceReport) -> None:
    """What was done to a mesh, and what remains to be said about it."""
    for action in result.actions or ("nothing to mend",):
        console.print(f"- {action}")
    console.print(f"written to {output} (tolerance {result.tolerance:.3g} m)")
    _print_report(console, report)


def _repair_record(mesh: Path, output: Path, result: RepairResult, report: SurfaceReport) -> dict[str, Any]:
    return {
        "file": str(mesh),
        "output": str(output),
        "ok": report.ok,
        "actions": list(result.actions),
        "tolerance": result.tolerance,
        "report": report.to_dict(),
    }


if __name__ == "__main__":
    sys.exit(main())
