"""Commands that hand runs on: report, export, picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, WELL, JsonOption, console, fail
from polycontact.cli.page_files import open_page, page_target
from polycontact.cli.progress_bar import progress_bar
from polycontact.errors import PolycontactError, SimulationError
from polycontact.wording import counted

OutputOption = Annotated[Path, Parameter(name=["--output", "-o"])]


@app.command
def report(
    run: Path,
    /,
    *more: Path,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    title: str | None = None,
    units: str | None = None,
    no_playback: JsonOption = False,
    no_pictures: JsonOption = False,
    no_open: JsonOption = False,
    size_limit: float = 10.0,
) -> int:
    """Write a report of a run as one HTML page, or compare several runs: system, costs, plots, contacts, playback.

    Of a study, what was varied, what came out with its sampling error, and the way to each run.

    Parameters
    ----------
    run
        Run file (.h5), or the file of a study.
    more
        Further runs to compare with it.
    output
        HTML file to write; by default one in the folder for temporary files, which a browser opens.
    title
        Title of the report; by default the name of the scenario.
    units
        Units of charts and tables, such as mm,deg or mm,kN,MPa; by default SI units, with prefixes.
    no_playback
        Leave the 3D playback out.
    no_pictures
        Leave the still pictures out.
    no_open
        Write the report, but open no browser; with a file of your own choice none is opened anyway.
    size_limit
        Size in MB above which the page is not let grow: playbacks have fewer frames, or are left out, and the page says
        so.
    """
    opens = output is None and not no_open
    try:
        output = page_target(output, run, "a report")
        if _is_study(run, more):
            from polycontact.studies.page.study_page import save_study_page

            size = save_study_page(run, output, title=title)
            _tell(output, size, opens=opens)
            return WELL
        from polycontact.report.run_outputs import save_report

        save_report(
            [run, *more],
            output,
            title=title,
            units=units,
            playback=not no_playback,
            pictures=not no_pictures,
            size_limit=size_limit,
        )
    except PolycontactError as error:
        return fail(error, False, BAD_INPUT)
    _tell(output, output.stat().st_size, opens=opens)
    return WELL


def _tell(output: Path, size: int, *, opens: bool) -> None:
    """Say where a page of ``size`` bytes is, and open it."""
    console().print(f"written to {output} ({size / 1e6:.2f} MB)", soft_wrap=True)
    if opens:
        open_page(output)


def _is_study(path: Path, more: tuple[Path, ...]) -> bool:
    """Whether a report is asked for of a study, which goes alone."""
    from polycontact.studies.study_file_format import is_study_file

    studies = [each for each in (path, *more) if each.is_file() and is_study_file(each)]
    if studies and more:
        raise SimulationError(f"{studies[0]}: this is a study, which has a report of its own; name it alone")
    return bool(studies)


@app.command
def export(
    run: Path,
    /,
    *,
    output: OutputOption,
    csv: JsonOption = False,
    vtk: JsonOption = False,
    fps: float | None = None,
    units: str | None = None,
) -> int:
    """Export a run to a folder: tables (CSV) and time series for ParaView (VTK); both unless one is chosen.

    Parameters
    ----------
    run
        Run file (.h5).
    output
        Folder to write to; it is made where it does not exist.
    csv
        Write samples.csv, a column for each number, and events.csv.
    vtk
        Write bodies.pvd and patches.pvd, with pressure, depth and slip of the contact patches.
    fps
        Instants for each second of simulated time; by default 150 to 300 in all, as far as there are samples.
    units
        Units of the tables, such as mm,deg or mm,kN,MPa; by default SI units.
    """
    try:
        from polycontact.report.run_outputs import export_run

        with progress_bar(run.name) as progress:
            done = export_run(
                run, output, csv=csv or not vtk, vtk=vtk or not csv, fps=fps, units=units, progress=progress
            )
    except PolycontactError as error:
        return fail(error, False, BAD_INPUT)
    frames = f", {counted(done.frames, 'instant')}" if done.frames else ""
    message = f"{counted(done.files, 'file')} written to {output} ({done.bytes / 1e6:.2f} MB{frames})"
    console().print(message, soft_wrap=True)
    return WELL


@app.command
def picture(
    run: Path,
    /,
    *,
    output: OutputOption,
    time: float | None = None,
    fps: float | None = None,
    speed: float | None = None,
    start: float | None = None,
    end: float | None = None,
    size: str | None = None,
    camera: str = "iso",
    colour_by: str = "pressure",
    theme: str = "light",
    limit: float | None = None,
    zoom: str | None = None,
    forces: str = "none",
    transparent: list[str] | None = None,
    opacity: float = 0.25,
    no_ground: JsonOption = False,
) -> int:
    """Draw a picture of a run, or a film; no display is needed.

    Parameters
    ----------
    run
        Run file (.h5).
    output
        Picture (.png, .jpg, .webp) or film (.gif, .mp4) to write.
    time
        Time of the picture, s; by default the end of the run.
    fps
        Frames for each second of a film; by default 20.
    speed
        Simulated seconds for each second of a film, 0.25 is slow motion; by default so that it plays 5 to 10 s.
    start
        Start of a film, s.
    end
        End of a film, s.
    size
        Width and height in pixels, such as 1200x800, which is that of a picture by default; of a film 720x480.
    camera
        iso, front, back, left, right, top, or azimuth,elevation in degrees.
    colour_by
        pressure, depth, slip or none; of a run with maps of its surfaces also greatest_pressure, contact_time, sliding,
        friction_energy, wear or dent.
    theme
        light or dark.
    limit
        End of the colour bar, Pa, m or m/s; by default the greatest value shown.
    zoom
        Pairing whose contact is shown from near, such as ball-table; bodies that hide it become transparent.
    forces
        Arrows of contact forces: of each pairing, of each patch, or none.
    transparent
        Body that is seen through; may be given several times.
    opacity
        Of transparent bodies, from 0 to 1.
    no_ground
        No shadow on the ground.
    """
    look: dict[str, Any] = {"colour_by": colour_by, "theme": theme, "limit": limit, "camera": camera}
    look |= {"ground": not no_ground, "zoom": zoom, "forces": forces, "opacity": opacity}
    look["transparent"] = tuple(transparent or ())
    try:
        from polycontact.report.run_outputs import save_picture

        look |= {} if size is None else {"size": parse_size(size)}
        with progress_bar(run.name) as progress:
            save_picture(run, output, time=time, fps=fps, speed=speed, start=start, end=end, progress=progress, **look)
    except PolycontactError as error:
        return fail(error, False, BAD_INPUT)
    console().print(f"written to {output} ({output.stat().st_size / 1e6:.2f} MB)", soft_wrap=True)
    return WELL


def parse_size(text: str) -> tuple[int, int]:
    """Width and height from text such as 1200x800."""
    try:
        width, height = (int(part) for part in text.lower().replace("×", "x").split("x"))
    except ValueError as error:
        raise SimulationError(f"--size is {text!r}; give width and height in pixels, such as 1200x800") from error
    return width, height
