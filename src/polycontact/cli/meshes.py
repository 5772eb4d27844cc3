"""Commands on meshes: check and repair."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.assembly_check import check_assembly
from polycontact.cli.mjcf_models import check_mjcf
from polycontact.cli.output import BAD_INPUT, DOES_NOT_HOLD, WELL, JsonOption, console, fail, print_json, read
from polycontact.cli.robots import check_robot
from polycontact.cli.scenario_check import check_scenario
from polycontact.errors import RobotError, SurfaceError
from polycontact.replacing import is_same_file
from polycontact.robots.model_files import ROBOT_SUFFIXES, is_mjcf
from polycontact.surfaces.assembly_suffixes import ASSEMBLY_SUFFIXES

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.surfaces.check import SurfaceReport
    from polycontact.surfaces.repair import RepairResult

FOR_ASSEMBLIES = "--material and --density are for assemblies"

SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


@app.command
def check(
    mesh: Path,
    /,
    *,
    unit: str | None = None,
    material: str | None = None,
    density: float | None = None,
    json: JsonOption = False,
) -> int:
    """Say what is wrong with a mesh: cracks, orientation, degenerate faces, self-intersections and more.

    Of a scenario: all mistakes of its file, without a run; else what it holds. Of a robot: its links and joints,
    meshes that are missing, and what of its file is left out. Of an assembly: its parts, where they are, how large and
    how heavy.

    Parameters
    ----------
    mesh
        OBJ, STL, PLY, OFF or ASCII DXF file; with the extra cad also glTF, 3MF or STEP. Or a robot: a URDF
        file, or an MJCF file (.xml). Or a scenario (.toml).
    unit
        Length of one unit of the file: m, mm, cm, um, in or ft; by default as the file declares, or m.
    material
        Of an assembly: what its parts are made of, such as steel; tells their masses.
    density
        Of an assembly: density of its parts, kg/m³, instead of a material.
    json
        Print one JSON object instead of a table.
    """
    if mesh.suffix.lower() == ".toml":
        if any(each is not None for each in (unit, material, density)):
            words = "--unit, --material and --density are for meshes and assemblies; a scenario has its own"
            return fail(SurfaceError(words), json, BAD_INPUT)
        return check_scenario(mesh, json)
    if mesh.suffix.lower() in ROBOT_SUFFIXES:
        if unit is not None:
            words = "--unit is for meshes; a robot file has its lengths in m, and a scale for each mesh"
            return fail(RobotError(words), json, BAD_INPUT)
        if density is not None or material is not None:
            return fail(RobotError(f"{FOR_ASSEMBLIES}; a robot file has masses"), json, BAD_INPUT)
        try:
            return check_mjcf(mesh, json) if is_mjcf(mesh) else check_robot(mesh, json)
        except RobotError as error:
            return fail(error, json, BAD_INPUT)
    if mesh.suffix.lower() in ASSEMBLY_SUFFIXES and unit is None:
        status = check_assembly(mesh, density, material, json)
        if status is not None:
            return status
    elif density is not None or material is not None:
        return fail(SurfaceError(f"{FOR_ASSEMBLIES}: STEP, 3MF or glTF, without --unit"), json, BAD_INPUT)
    from polycontact.surfaces.check import check_surface
    from polycontact.surfaces.mesh_loading import doubtful_size

    raw = read(mesh, json, unit)
    if raw is None:
        return BAD_INPUT
    report = check_surface(raw)
    if json:
        print_json({"file": str(mesh), **report.to_dict()})
    else:
        _print_report(console(), report)
        if question := doubtful_size(raw):
            console().print(question, style="yellow")
    return WELL if report.ok else DOES_NOT_HOLD


@app.command
def repair(
    mesh: Path,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    tolerance: float | None = None,
    fill_holes: float | None = None,
    unit: str | None = None,
    json: JsonOption = False,
) -> int:
    """Mend a mesh without changing its shape: weld, stitch, clean, separate, orient; fill small holes, if asked to.

    Parameters
    ----------
    mesh
        OBJ, STL, PLY, OFF or ASCII DXF file; with the extra cad also glTF, 3MF or STEP.
    output
        File to write, in m: .obj, .stl, .ply or .off.
    tolerance
        Vertices within this of each other are welded, m; by default 1e-6 of the diagonal of the bounding box.
    fill_holes
        Fill holes whose bounding box has a diagonal of at most this, m; by default none is filled.
    unit
        Length of one unit of the file: m, mm, cm, um, in or ft; by default as the file declares, or m.
    json
        Print one JSON object instead of text.
    """
    from polycontact.surfaces.check import check_surface, checked_tolerance
    from polycontact.surfaces.repair import checked_hole, repair_with_log
    from polycontact.surfaces.save import save_surface

    try:
        checked_tolerance(tolerance)
        checked_hole(fill_holes)
        if is_same_file(output, mesh):
            raise SurfaceError(f"{output}: this is the mesh itself; name another file with --output")
    except SurfaceError as error:
        return fail(error, json, BAD_INPUT)
    raw = read(mesh, json, unit)
    if raw is None:
        return BAD_INPUT
    try:
        result = repair_with_log(raw, tolerance=tolerance, fill_holes=fill_holes)
    except SurfaceError as error:
        return fail(error, json, DOES_NOT_HOLD)
    try:
        save_surface(result.surface, output)
    except SurfaceError as error:
        return fail(error, json, BAD_INPUT)
    # What the file holds, which in STL is less than what was mended.
    report = check_surface(output if output.suffix.lower() == ".stl" else result.surface)
    if json:
        print_json(_repair_record(mesh, output, result, report))
    else:
        _print_repair(console(), output, result, report)
    return WELL if report.ok else DOES_NOT_HOLD


def _print_report(console: Console, report: SurfaceReport, name: str | None = None) -> None:
    """Verdict, size and a table of the problems of a mesh, by default under its own name."""
    from rich.table import Table
    from rich.text import Text

    console.print(f"{name or report.name}: {report.verdict}", style="bold green" if report.ok else "bold red")
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
    _print_report(console, report, output.name)


def _repair_record(mesh: Path, output: Path, result: RepairResult, report: SurfaceReport) -> dict[str, Any]:
    return {
        "file": str(mesh),
        "output": str(output),
        "ok": report.ok,
        "actions": list(result.actions),
        "tolerance": result.tolerance,
        "report": report.to_dict(),
    }
