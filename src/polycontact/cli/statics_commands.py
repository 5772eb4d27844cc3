"""The commands about rest and small motions: equilibrium, linearise."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, DOES_NOT_HOLD, WELL, JsonOption, WholeNumber, console, fail, print_json
from polycontact.errors import EquilibriumError, PolycontactError, SimulationError

if TYPE_CHECKING:
    from polycontact.statics.resting import Equilibrium

PAGE_SUFFIXES = (".html", ".htm")


@app.command
def equilibrium(
    scenario: str,
    /,
    *,
    time: float = 0.0,
    friction: str = "as_described",
    tolerance: float | None = None,
    max_steps: WholeNumber = None,
    set_values: Annotated[list[str] | None, Parameter(name="--set", negative="")] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    json: JsonOption = False,
) -> int:
    """Find where a scenario rests under its loads, with its contacts: forces, reactions, and whether it stays there.

    Exit status 1: no rest was found, or one at which the system does not stay.

    Parameters
    ----------
    scenario
        Name of a built-in scenario (see `polycontact list`) or path of a TOML file.
    time
        Time at which loads and prescribed motions are taken, s.
    friction
        as_described: at rest only friction that sticks holds. sticking: all friction does. none: no friction.
    tolerance
        Residual, in parts of the largest load, with which a state counts as rest; 1e-8 if left out.
    max_steps
        Steps after which the search gives up.
    set_values
        Another value for a key of the scenario, as for run; may be given several times.
    output
        JSON file (.json) with all numbers, or a page (.html) that shows the system at rest.
    json
        Print one JSON object instead of tables.
    """
    from polycontact.report.output_files import check_target
    from polycontact.statics.resting import equilibrium as find

    options: dict[str, Any] = {"time": time, "friction": friction}
    options |= {} if tolerance is None else {"tolerance": tolerance}
    options |= {} if max_steps is None else {"max_steps": max_steps}
    try:
        if output is not None:
            check_target(output, (*PAGE_SUFFIXES, ".json"), "an equilibrium")
        found = find(_system_of(scenario, set_values or []), **options)
        if output is not None:
            _write(found, output)
    except EquilibriumError as error:
        return fail(error, json, DOES_NOT_HOLD)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json({"ok": found.is_stable, "output": None if output is None else str(output), **found.to_dict()})
    else:
        from polycontact.report.rest_table import print_equilibrium

        screen = console()
        print_equilibrium(screen, found)
        if output is not None:
            screen.print(f"written to {output}", soft_wrap=True)
    return WELL if found.is_stable else DOES_NOT_HOLD


def _system_of(scenario: str, set_values: list[str]) -> Any:
    """The system of a scenario with other values for some keys."""
    from polycontact.scenario.key_paths import setting_of
    from polycontact.scenario.loading import load_scenario

    chosen = load_scenario(scenario)
    return (chosen.with_values(dict(map(setting_of, set_values))) if set_values else chosen).build()


def _write(found: Equilibrium, output: Path) -> None:
    """The numbers as JSON, or the page of the system at rest."""
    if output.suffix.lower() in PAGE_SUFFIXES:
        from polycontact.report.view.showing import save_page

        save_page(found.system_at_rest(), output)
        return
    _write_numbers(found.to_dict(), output)


def _write_numbers(numbers: dict[str, Any], output: Path) -> None:
    """Plain data as a JSON file."""
    from polycontact.replacing import write_whole

    try:
        write_whole(output, json_format.dumps(numbers, indent=1, allow_nan=False))
    except OSError as error:
        raise SimulationError(f"{output}: cannot be written: {error.strerror}; choose another file") from error


@app.command
def linearise(
    scenario: str,
    /,
    *,
    about: str = "equilibrium",
    time: float = 0.0,
    friction: str = "as_described",
    inputs: Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)] = None,
    outputs: Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)] = None,
    set_values: Annotated[list[str] | None, Parameter(name="--set", negative="")] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    json: JsonOption = False,
) -> int:
    """Linearise a scenario about its rest or its start: frequencies, damping ratios, modes, state space.

    Parameters
    ----------
    scenario
        Name of a built-in scenario (see `polycontact list`) or path of a TOML file.
    about
        equilibrium, which is sought, or start: coordinates and speeds as given.
    time
        Time at which loads and prescribed motions are taken, s.
    friction
        as_described: at rest only friction that sticks holds. sticking: all friction does. none: no friction.
    inputs
        Forces that the state space has: BODY.fx to BODY.tz, a coordinate such as crank.angle, a motor.
    outputs
        What it gives: BODY.x, BODY.vx, BODY.ax, BODY.rotation_x and the like, coordinates, "contact NAME".
    set_values
        Another value for a key of the scenario, as for run; may be given several times.
    output
        JSON file (.json) with all matrices, or a page (.html) on which the modes swing one after the other.
    json
        Print one JSON object instead of a table.
    """
    from polycontact.report.output_files import check_target
    from polycontact.statics.linearise import linearise as find

    options: dict[str, Any] = {"about": about, "time": time, "friction": friction}
    options |= {"inputs": inputs or [], "outputs": outputs or []}
    try:
        if output is not None:
            check_target(output, (*PAGE_SUFFIXES, ".json"), "a linearisation")
        found = find(_system_of(scenario, set_values or []), **options)
        if output is not None and output.suffix.lower() in PAGE_SUFFIXES:
            from polycontact.report.mode_page import save_mode_page

            save_mode_page(found, output)
        elif output is not None:
            _write_numbers(found.to_dict(), output)
    except EquilibriumError as error:
        return fail(error, json, DOES_NOT_HOLD)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json({"ok": True, "output": None if output is None else str(output), **found.to_dict()})
        return WELL
    from polycontact.report.mode_table import print_modes

    screen = console()
    print_modes(screen, found)
    if output is not None:
        screen.print(f"written to {output}", soft_wrap=True)
    return WELL
