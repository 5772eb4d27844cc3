"""The commands of the repository that are not installed: bench, book, validation, gallery, figures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from polycontact import __version__
from polycontact.cli import run_command
from polycontact.cli.comparisons import show_responses
from polycontact.cli.output import BAD_INPUT, DOES_NOT_HOLD, WELL, JsonOption, console, fail, print_json
from polycontact.cli.usage_errors import whole_number
from polycontact.errors import PolycontactError, SurfaceError

app = App(
    name="python3 dev.py",
    help="What shows that polycontact is right and fast.",
    version=__version__,
    default_parameter=Parameter(negative=""),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` (by default those of the process) name; returns the exit status."""
    return run_command(app, arguments)


@app.command
def bench(
    *,
    json: JsonOption = False,
    quick: JsonOption = False,
    triangles: Annotated[list[int] | None, Parameter(converter=whole_number)] = None,
    part: list[Literal["contact", "simulation"]] | None = None,
    accuracy: JsonOption = False,
) -> int:
    """Measure evaluations and simulations beside the peers installed (coal, python-fcl, MuJoCo), with targets.

    With --accuracy the errors of forces at equal triangle counts instead, beside manifold3d's exact overlap and Drake's
    hydroelastic contact where they are installed.

    Parameters
    ----------
    json
        Print one JSON object instead of tables.
    quick
        Measure little: some seconds, rough figures.
    triangles
        About this many triangles; give it several times for several sizes. By default 950, 10000 and 100000.
    part
        Only this part: contact (single evaluations) or simulation (whole runs).
    accuracy
        Measure errors instead of times: round bodies on a plate, against the forces of the smooth bodies.
    """
    from proof.bench.benchmark_run import run_benchmark, settings_for
    from proof.bench.benchmark_tables import print_benchmark

    if accuracy:
        if triangles or part:
            words = "--accuracy has its own meshes; leave out --triangles and --part"
            return fail(PolycontactError(words), json, BAD_INPUT)
        return _bench_accuracy(quick, json)
    try:
        settings = settings_for(
            quick, None if triangles is None else tuple(triangles), None if part is None else tuple(part)
        )
    except SurfaceError as error:
        return fail(error, json, BAD_INPUT)
    result = run_benchmark(settings, lambda step: _tell(step))
    if json:
        print_json(result.to_dict())
    else:
        print_benchmark(console(), result)
    return WELL


def _bench_accuracy(quick: bool, json: bool) -> int:
    """Errors at equal triangle counts, on coarse to fine meshes."""
    from proof.bench.accuracy import measure_accuracy
    from proof.bench.accuracy_table import print_accuracy

    result = measure_accuracy((2, 3) if quick else (2, 3, 4, 5), lambda step: _tell(step))
    if json:
        print_json(result.to_dict())
    else:
        print_accuracy(console(), result)
    return WELL


@app.command
def book(folder: Path, /, *, json: JsonOption = False, quick: JsonOption = False, page: list[str] | None = None) -> int:
    """Make the verification book: a page a problem, with what is exact, what came out, and how the error falls.

    Parameters
    ----------
    folder
        Folder for the pages; index.html is the first one.
    json
        Print one JSON object instead of a table.
    quick
        Coarser meshes and fewer pairs of bodies; some seconds, rough figures.
    page
        Only this page; give it several times for several pages.
    """
    from proof.book.book_table import book_record, print_book
    from proof.book.making import make_book

    try:
        made = make_book(folder, quick=quick, pages=page, say=_tell)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json(book_record(made))
    else:
        print_book(console(), made)
    return WELL if made.ok else DOES_NOT_HOLD


@app.command
def validation(*cases: str, json: JsonOption = False) -> int:
    """Simulate cases that others published, and compare their numbers with ours.

    Parameters
    ----------
    cases
        Only these cases; by default all.
    json
        Print one JSON object instead of tables.
    """
    from proof.validation.all_validations import validations
    from proof.validation.validation_table import print_validation

    measured = []
    try:
        for case in validations(list(cases)):
            measured.append(case)
            if not json:
                print_validation(console(), case)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json({"ok": all(case.ok for case in measured), "cases": [case.to_dict() for case in measured]})
    return WELL if all(case.ok for case in measured) else DOES_NOT_HOLD


@app.command
def gallery(folder: Path, /, *names: str, pictures: JsonOption = False, json: JsonOption = False) -> int:
    """Make the gallery: a grid of pictures, each with a page that plays the run.

    Parameters
    ----------
    folder
        Folder for pictures and pages; index.html is the first one.
    names
        Only these entries; by default all, which takes some minutes.
    pictures
        Pictures only, no played pages.
    json
        Print one JSON object instead of the place.
    """
    from proof.gallery.making import make_gallery

    try:
        index = make_gallery(folder, list(names), pages=not pictures, say=_tell)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json({"ok": True, "index": str(index)})
    else:
        console().print(f"written to {index}", soft_wrap=True)
    return WELL


@app.command
def figures(
    scenario: str,
    /,
    *,
    responses: Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)] = None,
    stiffness: Annotated[list[float] | None, Parameter(negative="", consume_multiple=True)] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    json: JsonOption = False,
) -> int:
    """Repeat a figure of Schmucker, Rusin and Konyev (2007) with every contact response: what agrees and what does not.

    Everything else is as `polycontact responses` has it.

    Parameters
    ----------
    scenario
        billiard_balls, manipulator_normal, manipulator_free, hexapod or hexapod_polygonal.
    responses
        Of compliant, propagation, simultaneous (both: impulses), multipliers, and yielding. By default as for
        `polycontact responses`.
    stiffness
        Stiffnesses of all contacts, N/m. By default those of the source for the manipulators, else the scenario's own.
    output
        HTML page to write, with the figure.
    json
        Print one JSON object instead of tables.
    """
    from proof.figures.source_figures import repeat_figure

    return show_responses(repeat_figure, scenario, output, json, responses=responses, stiffness=stiffness)


def _tell(text: str) -> None:
    """Say on stderr what comes next."""
    print(f"dev: {text}", file=sys.stderr, flush=True)
