"""The commands that compare: methods on the same bodies, responses in the same scenario."""

from __future__ import annotations

from collections.abc import Callable
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
    console,
    fail,
    print_json,
)
from polycontact.cli.progress_bar import progress_bar
from polycontact.cli.run_flags import flag_of
from polycontact.cli.usage_errors import whole_number
from polycontact.errors import PolycontactError
from polycontact.report.output_files import check_target

if TYPE_CHECKING:
    from polycontact.comparison.responses.response_comparison import ResponseComparison
    from polycontact.contact.result import ContactResult


@app.command
def compare(
    subject: str | None = None,
    /,
    *,
    pose: Path | None = None,
    time: float | None = None,
    bodies: Annotated[tuple[str, str] | None, Parameter(negative="")] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    rounds: Annotated[int, Parameter(converter=whole_number)] = 21,
    json: JsonOption = False,
) -> int:
    """Compare every method and law that fits on the same bodies in the same pose: forces, differences, times.

    Bodies stand still; what does not fit is listed with the reason. Of sphere_on_plate and box_on_plate the forces are
    known beforehand, with bounds that follow from meshes and tolerances; the command fails where one is not kept.

    Parameters
    ----------
    subject
        sphere_on_plate, box_on_plate, a scenario (file or built-in name), or a run file (.h5).
    pose
        TOML file of a single contact instead, as for view.
    time
        Time of the pose, s: a scenario is simulated until then. By default its start, or the last sample of a run.
    bodies
        Names of two bodies; by default all pairs that touch, at most eight, those that carry most.
    output
        HTML page to write.
    rounds
        Rounds in which all methods take turns for their times; 0 for no times.
    json
        Print one JSON object instead of tables.
    """
    from polycontact.comparison.compare import compare as compare_methods

    if (subject is None) == (pose is None):
        words = "name one thing to compare: sphere_on_plate, a scenario, a run file, or a contact with --pose"
        return fail(PolycontactError(words), json, BAD_INPUT)
    try:
        if output is not None:
            check_target(output, (".html", ".htm"), "a comparison")
        thing: Any = subject if pose is None else _single(pose)
        found = compare_methods(thing, time=time, bodies=bodies, rounds=rounds)
        if output is not None:
            found.save_page(output)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    from polycontact.comparison.comparison_table import print_comparison

    _tell(found, print_comparison, output, json)
    return WELL if found.ok else DOES_NOT_HOLD


def _tell(found: Any, show: Callable[[Any, Any], None], output: Path | None, json: bool) -> None:
    """One JSON object, or the tables of a comparison and where its page is."""
    if json:
        print_json(found.to_dict())
        return
    screen = console()
    show(screen, found)
    if output is not None:
        screen.print(f"written to {output} ({output.stat().st_size / 1e6:.2f} MB)", soft_wrap=True)


def _single(path: Path) -> ContactResult:
    """The contact at the pose that a TOML file describes."""
    from polycontact.report.view.pose_file import load_pose

    return load_pose(path).evaluate()


@app.command
def responses(
    scenario: str,
    /,
    *,
    responses: Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)] = None,
    stiffness: Annotated[list[float] | None, Parameter(negative="", consume_multiple=True)] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    end_time: Annotated[float | None, flag_of("end_time")] = None,
    output_step: float | None = None,
    json: JsonOption = False,
) -> int:
    """Run the same scenario with every contact response: forces, velocities, energies and costs side by side.

    A response that fails is listed with its reason. Ctrl-C stops the run that goes on and begins no other; exit status
    130.

    Parameters
    ----------
    scenario
        Name of a built-in scenario (see `polycontact list`) or path of a TOML file.
    responses
        Of compliant, propagation, simultaneous (both: impulses), multipliers, and yielding (multipliers of contacts
        that yield). All by default, yielding only where stiffnesses vary and for hexapods.
    stiffness
        Stiffnesses of all contacts, N/m (N/m³ for areas), a compliant and a yielding run for each. By default the
        scenario's own, and for the manipulators the four of the source.
    output
        HTML page to write.
    output_step
        Time between samples, s; by default there are at least 4000.
    json
        Print one JSON object instead of tables.
    """
    from polycontact.comparison.responses.response_comparison import compare_responses

    options = {"responses": responses, "stiffness": stiffness, "end_time": end_time, "output_step": output_step}
    return show_responses(compare_responses, scenario, output, json, **options)


def show_responses(
    compare: Callable[..., ResponseComparison], scenario: str, output: Path | None, json: bool, **options: Any
) -> int:
    """Compare with ``options``, with a bar on stderr; show the tables, write the page, return the exit status."""
    try:
        if output is not None:
            check_target(output, (".html", ".htm"), "a comparison")
        with progress_bar(scenario) as report:
            found = compare(
                scenario,
                progress=lambda label, now: report(now.time, now.end_time, f"{label}: {now.time:.3f} s"),
                **options,
            )
        if output is not None:
            found.save_page(output)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    from polycontact.comparison.responses.response_table import print_responses

    _tell(found, print_responses, output, json)
    if any(each.reason.startswith("stopped") for each in found.runs):
        return STOPPED
    return WELL if found.ok else DOES_NOT_HOLD
