"""The command that shows runs, models, meshes, robots and contacts: view."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, WELL, JsonOption, complain, console, fail
from polycontact.cli.page_files import open_page, page_target
from polycontact.cli.progress_bar import progress_bar
from polycontact.errors import PolycontactError, SimulationError

if TYPE_CHECKING:
    from polycontact.contact.result import ContactResult
    from polycontact.report.view.showing import Page, Showable


@app.command
def view(
    path: Path | None = None,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    pose: Path | None = None,
    fps: float | None = None,
    unit: str | None = None,
    no_open: JsonOption = False,
) -> int:
    """Show a run, a model, a mesh with its problems, a robot or a single contact: one HTML page, opened in a browser.

    The page holds all it needs and can be handed on. A run plays with its contact patches; a scenario is shown as it
    starts, with joints, limits, drives, contacts and overlaps; of a mesh all that `check` finds is marked; a robot
    stands with all joints at zero.

    Parameters
    ----------
    path
        Run file (.h5), scenario (.toml, or the name of a built-in one), robot (.urdf, or .xml
        of MJCF), or mesh: OBJ, STL, PLY, OFF, ASCII DXF; with the extra cad also glTF, 3MF, STEP.
    output
        HTML file to write; by default one in the folder for temporary files.
    pose
        TOML file of a single contact instead: two shapes, the law, and their relative kinematics.
    fps
        Frames for each second of simulated time; by default 300 to 600 in all, as far as there are samples.
    unit
        Length of one unit of a mesh file: m, mm, cm, um, in or ft; by default as the file declares, or m.
    no_open
        Write the page, but open no browser.
    """
    from polycontact.report.view.showing import make_page_of

    thing = path if pose is None else pose
    if thing is None or (path is not None and pose is not None):
        return complain("name one thing to show: a run file, a scenario, a mesh, a robot, or a contact with --pose")
    try:
        _check_options(path, unit, fps)
        target = page_target(output, thing, "a page")
        with progress_bar(thing.name) as report:
            if unit is not None:
                page = _page_of_mesh(thing, unit)
            else:
                page = make_page_of(_subject(path, pose), fps=fps, progress=report)
        page.save(target)
    except PolycontactError as error:
        return fail(error, False, BAD_INPUT)
    console().print(f"written to {target} ({target.stat().st_size / 1e6:.2f} MB)", soft_wrap=True)
    if not no_open:
        open_page(target)
    return WELL


def _check_options(path: Path | None, unit: str | None, fps: float | None) -> None:
    """Refuse options that say nothing about what is shown."""
    from polycontact.report.view.showing import RUN_SUFFIXES, is_hdf5
    from polycontact.robots.model_files import ROBOT_SUFFIXES
    from polycontact.scenario.builtin import is_builtin

    suffix = "" if path is None else path.suffix.lower()
    is_run = path is not None and (suffix in RUN_SUFFIXES or is_hdf5(path))
    if fps is not None and not is_run:
        raise SimulationError("--fps is of runs (.h5); leave it out")
    no_mesh = path is None or is_builtin(str(path)) or suffix in (".toml", *ROBOT_SUFFIXES)
    if unit is not None and (is_run or no_mesh):
        raise SimulationError("--unit is of meshes; other files have their own units, leave it out")


def _page_of_mesh(path: Path, unit: str) -> Page:
    """The page of a mesh file in a given unit."""
    from polycontact.report.view.mesh_scene import mesh_scene
    from polycontact.report.view.showing import Page
    from polycontact.surfaces.mesh_loading import in_unit
    from polycontact.surfaces.reading import read_mesh

    return Page(mesh_scene(in_unit(read_mesh(path), unit)))


def _pose_result(pose: Path) -> ContactResult:
    from polycontact.report.view.pose_file import load_pose

    return load_pose(pose).evaluate()


def _subject(path: Path | None, pose: Path | None) -> Showable:
    """What is to be shown: a built-in scenario by its name, a contact by its pose, or what lies in a file."""
    from polycontact.scenario.builtin import get, is_builtin, no_such_scenario

    if pose is not None:
        return _pose_result(pose)
    assert path is not None
    if path.exists() or path.suffix or path.parent.name:
        return path
    if is_builtin(str(path)):
        return get(str(path))
    raise no_such_scenario(str(path))
