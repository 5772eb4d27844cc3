"""Look at anything: a run, a trajectory, a model, a robot, a mesh, a surface or the result of an evaluation."""

from __future__ import annotations

import html
import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from polycontact.contact import result as contact_result
from polycontact.contact.result import ContactResult
from polycontact.errors import SimulationError, SurfaceError
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.replacing import is_same_file, write_whole
from polycontact.robots.model_files import is_mjcf
from polycontact.scenario.parsing import Scenario
from polycontact.simulation.progress_line import in_notebook
from polycontact.surfaces.assembly_suffixes import ASSEMBLY_SUFFIXES
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.report.view.run_scene import Progress
    from polycontact.report.view.viewer_scene import Scene
    from polycontact.simulation.recording.trajectory import Trajectory
    from polycontact.simulation.run_result import Run

Showable: TypeAlias = "ContactResult | Run | Trajectory | MultibodySystem | Scenario | Surface | str | os.PathLike[str]"
"""What can be looked at; a path is a run file, a mesh, a URDF or MJCF file, or a TOML file of a scenario or a pose."""

NOTEBOOK_HEIGHT = 620
"""Height of the picture in a notebook, pixels."""

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
RUN_SUFFIXES = (".h5", ".hdf5", ".hdf", ".he5")


class Page:
    """An HTML page that shows something. A notebook shows it below the cell; `save` writes it, `open` opens it."""

    def __init__(self, scene: Scene) -> None:
        from polycontact.report.view.viewer_page import make_page

        self.title = scene.title
        self.html = make_page(scene)

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {len(self.html) / 1e6:.2f} MB)"

    def _repr_html_(self) -> str:
        style = "width:100%;border:0;border-radius:8px"
        return (
            f'<iframe srcdoc="{html.escape(self.html, quote=True)}" height="{NOTEBOOK_HEIGHT}" style="{style}" '
            f'title="{html.escape(self.title, quote=True)}"></iframe>'
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file; returns its path."""
        target = Path(path)
        try:
            write_whole(target, self.html)
        except OSError as error:
            raise SimulationError(
                f"{target}: the page cannot be written: {error.strerror}; choose another file"
            ) from error
        return target

    def open(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Open the page in a browser, from ``path`` or from a temporary file; returns where it lies."""
        if path is None:
            safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in self.title)[:60] or "page"
            path = Path(tempfile.mkdtemp(prefix="polycontact_")) / f"{safe}.html"
        target = self.save(path)
        if not webbrowser.open(target.resolve().as_uri()):
            print(f"polycontact: no browser could be started; open {target}", file=sys.stderr)
        return target


def show(thing: Showable, /, *, fps: float | None = None) -> Page:
    """Show something in three dimensions: opens a browser, or appears below the cell of a notebook.

    ``thing``: a run, a trajectory, a system or a scenario before it runs, the result of an evaluation, a surface, or
    the path of a run, scenario, mesh, URDF or MJCF file. ``fps``: frames for each second of a run; by default 60 for
    each second of its playback, which lasts 5 to 10 s.
    """
    page = make_page_of(thing, fps=fps)
    if not in_notebook():
        page.open()
    return page


def save_page(thing: Showable, path: str | os.PathLike[str], /, *, fps: float | None = None) -> Path:
    """Write one HTML file that shows something in three dimensions without a network; returns its path."""
    if isinstance(thing, str | os.PathLike) and is_same_file(path, thing):
        raise SimulationError(f"{os.fsdecode(path)}: this is what the page is made from; name another file")
    return make_page_of(thing, fps=fps).save(path)


def embedded(thing: Showable, /) -> str:
    """HTML of the picture, for the cell of a notebook."""
    return make_page_of(thing)._repr_html_()


def make_page_of(thing: Showable, *, fps: float | None = None, progress: Progress | None = None) -> Page:
    """The page of anything that can be shown."""
    return Page(make_scene(thing, fps=fps, progress=progress))


def make_scene(thing: Showable, *, fps: float | None = None, progress: Progress | None = None) -> Scene:
    """The scene of anything that can be shown."""
    from polycontact.simulation.recording.trajectory import Trajectory

    if isinstance(thing, str | os.PathLike):
        return _scene_of_file(Path(thing), fps, progress)
    if isinstance(thing, ContactResult):
        from polycontact.report.view.evaluation_scene import evaluation_scene

        return evaluation_scene(thing)
    if isinstance(thing, Surface):
        from polycontact.report.view.mesh_scene import mesh_scene

        return mesh_scene(thing)
    if isinstance(thing, MultibodySystem):
        from polycontact.report.view.system_scene import system_scene

        return system_scene(thing)
    if isinstance(thing, Scenario):
        from polycontact.report.view.system_scene import scenario_scene

        return scenario_scene(thing)
    trajectory = getattr(thing, "trajectory", thing)
    if not isinstance(trajectory, Trajectory):
        raise SimulationError(
            f"cannot show a {type(thing).__name__}; give a run, a Trajectory, a MultibodySystem, a Scenario, a "
            "ContactResult, a Surface or a path"
        )
    from polycontact.report.view.run_scene import run_scene

    return run_scene(trajectory, fps=fps, progress=progress)


def _scene_of_file(path: Path, fps: float | None, progress: Progress | None) -> Scene:
    """A run file, told by its content or its name; a robot; a scenario; a TOML file of a pose; otherwise a mesh."""
    if path.suffix.lower() == ".toml":
        if is_scenario_file(path):
            from polycontact.report.view.system_scene import scenario_scene
            from polycontact.scenario.loading import load_scenario

            return scenario_scene(load_scenario(path))
        from polycontact.report.view.evaluation_scene import evaluation_scene
        from polycontact.report.view.pose_file import load_pose

        return evaluation_scene(load_pose(path).evaluate())
    if path.suffix.lower() == ".urdf":
        from polycontact.report.view.system_scene import system_scene
        from polycontact.robots.urdf.urdf_building import load_urdf

        return system_scene(load_urdf(path, contact=None))
    if is_mjcf(path):
        from polycontact.report.view.system_scene import system_scene
        from polycontact.robots.mjcf.mjcf_building import load_mjcf

        return system_scene(load_mjcf(path, contact=None))
    if path.suffix.lower() in RUN_SUFFIXES or is_hdf5(path):
        from polycontact.report.view.run_scene import run_scene
        from polycontact.simulation.recording.trajectory import Trajectory

        return run_scene(Trajectory.open(path), fps=fps, progress=progress)
    if path.suffix.lower() in ASSEMBLY_SUFFIXES:
        scene = _scene_of_assembly(path)
        if scene is not None:
            return scene
    from polycontact.report.view.mesh_scene import mesh_scene

    return mesh_scene(path)


def _scene_of_assembly(path: Path) -> Scene | None:
    """The parts of an assembly where they are; None for a single part, and where a check of the mesh says more."""
    from polycontact.multibody.assembly_bodies import add_assembly, load_assembly
    from polycontact.report.view.system_scene import system_scene

    try:
        assembly = load_assembly(path)
    except SurfaceError:
        return None
    if len(assembly.parts) < 2:
        return None
    system = MultibodySystem(assembly.name)
    add_assembly(system, assembly, fixed="all", contact=False)
    return system_scene(system)


def is_scenario_file(path: Path) -> bool:
    """Whether a TOML file has the tables of a scenario, and none of a pose."""
    from polycontact.scenario.reading import parse_toml, read_text

    tables = set(parse_toml(read_text(path), path.name))
    return bool(tables & {"scenario", "simulation", "bodies", "robots", "assemblies"}) and not tables & {
        "e",
        "f",
        "kinematics",
    }


def is_hdf5(path: Path) -> bool:
    """Whether a file can be read and begins like HDF5."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(HDF5_SIGNATURE)) == HDF5_SIGNATURE
    except OSError:
        return False  # whoever reads it next says what is wrong


contact_result.viewer = cast(
    contact_result.Viewer, sys.modules[__name__]
)  # a module is a viewer: it has all its functions
