"""The command that writes a first scenario from mesh files or an assembly, and asks what it needs to know."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, STOPPED, WELL, JsonOption, complain, console, fail, print_json
from polycontact.errors import PolycontactError


@app.command
def new(
    *files: Path,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    unit: str | None = None,
    density: float | None = None,
    material: str | None = None,
    fixed: Annotated[list[str] | None, Parameter(name="--fixed", negative="")] = None,
    gap: float | None = None,
    end_time: float = 1.0,
    name: str | None = None,
    json: JsonOption = False,
) -> int:
    """Write a first scenario from mesh files or an assembly: bodies, masses, contacts, joints that are clear.

    On a terminal it asks for what is missing; in a script, give it by options. No file is replaced.

    Parameters
    ----------
    files
        Mesh files that share one frame, as CAD programs write them, or one STEP, 3MF or glTF file.
    output
        TOML file to write; by default the name of the scenario in the current folder.
    unit
        Length of one unit of files that do not say it: m, mm, cm, um, in or ft.
    density
        Density of all parts, kg/m³, from which masses follow.
    material
        Material of all parts instead, from the library, such as steel.
    fixed
        Name of a part that stays where it is; may be given several times. By default the largest of several.
    gap
        Parts not farther apart may touch, m; by default 1 % of the size of the smaller one.
    end_time
        When the run ends, s.
    name
        Name of the scenario.
    json
        Print one JSON object.
    """
    from polycontact.scenario.drafting.new_scenario import new_scenario

    try:
        _check_files(files)
        target = output or Path(f"{name or (files[0].stem if len(files) == 1 else Path.cwd().name)}.toml")
        _check_target(target)
        asks = sys.stdin is not None and sys.stdin.isatty() and not json
        known: dict[str, Any] = {"unit": unit, "density": density, "material": material, "fixed": fixed}
        if asks:
            known = _asked(files, known)
        text = new_scenario(files, gap=gap, end_time=end_time, name=name, folder=target.parent, **known)
        with target.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except (KeyboardInterrupt, EOFError):
        complain("stopped; nothing is written")
        return STOPPED
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json({"ok": True, "output": str(target), "scenario": text})
    else:
        console().print(f"written to {target}; look at it with 'polycontact view {target}'", soft_wrap=True)
    return WELL


def _check_files(files: tuple[Path, ...]) -> None:
    if not files:
        raise PolycontactError("there is no file; give mesh files, or one assembly: polycontact new a.stl b.stl")
    missing = [each for each in files if not each.is_file()]
    if missing:
        raise PolycontactError(f"{missing[0]}: no such file; check the path")


def _check_target(target: Path) -> None:
    if target.suffix != ".toml":
        raise PolycontactError(f"{target}: a scenario is a TOML file; name one that ends with .toml")
    if target.exists():
        raise PolycontactError(f"{target}: is there already, and is not replaced; give another name with --output")
    if not target.parent.is_dir():
        raise PolycontactError(f"{target}: the folder {target.parent} does not exist; make it, or write elsewhere")


def _asked(files: tuple[Path, ...], known: dict[str, Any]) -> dict[str, Any]:
    """What is known, and answers for what is not; an empty answer takes what stands in brackets."""
    from polycontact.contact.materials import materials
    from polycontact.scenario.drafting.drafted_parts import is_assembly, needs_unit
    from polycontact.surfaces.file_units import UNITS

    found = dict(known)
    if found["unit"] is None and not is_assembly(files) and any(map(needs_unit, files)):
        found["unit"] = _answer(f"Unit of the files, one of {', '.join(UNITS)} [mm]: ") or "mm"
    if found["density"] is None and found["material"] is None:
        told = _answer(f"Material, one of {', '.join(materials)}, or density in kg/m³ [steel]: ") or "steel"
        try:
            found["density"] = float(told)
        except ValueError:
            found["material"] = told
    if found["fixed"] is None:
        told = _answer("Parts that stay where they are, with commas between [the largest]: ")
        found["fixed"] = [each.strip() for each in told.split(",")] if told else None
    return found


def _answer(question: str) -> str:
    print(question, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.strip()
