"""Pictures of runs, surfaces and contacts, drawn by our own small renderer: no display, no graphics card needed.

The same input gives the same picture on every machine. Pillow is needed for the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.result import ContactResult
from polycontact.errors import SimulationError
from polycontact.report.patches.moments import nearest_samples
from polycontact.report.patches.patch_mesh import mesh_of_result
from polycontact.report.picture.camera import Camera, Projection
from polycontact.report.picture.picture_colours import Theme, find_theme, rgb
from polycontact.report.picture.picture_scene import COLOUR_BY, RunScenes, Scene, patch_values, scene_of_surfaces
from polycontact.report.view.viewer_colours import body_colour
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from PIL import Image

SMALLEST, LARGEST = 16, 8192
"""Sides of pictures, pixels."""

BAR_ROOM = 0.17
"""Width of the colour bar with its words, in heights of the picture."""


@dataclass(frozen=True)
class Look:
    """How pictures are made.

    ``size``: width and height in pixels; ``colour_by``: "pressure", "depth", "slip" or "none"; ``theme``: "light" or
    "dark"; ``ground``: whether shadows fall on a plane under everything; ``limit``: end of the colour bar in SI units,
    by default the greatest value shown, rounded up; ``samples``: the picture is the mean of one this many times as
    fine; ``caption``: whether the time is written on it; ``text``: size of letters, 1 suits a whole page.
    """

    size: tuple[int, int] = (1200, 800)
    colour_by: str = "pressure"
    theme: str = "light"
    ground: bool = True
    limit: float | None = None
    samples: int = 3
    caption: bool = True
    text: float = 1.0

    def __post_init__(self) -> None:
        if len(self.size) != 2 or not all(SMALLEST <= side <= LARGEST for side in self.size):
            raise SimulationError(
                f"picture: size is {self.size}; width and height must be from {SMALLEST} to {LARGEST} pixels"
            )
        if self.colour_by not in (*COLOUR_BY, "none"):
            raise SimulationError(
                f"picture: cannot colour by {self.colour_by!r}; choose {', '.join(COLOUR_BY)} or none"
            )
        if self.samples not in (1, 2, 3, 4):
            raise SimulationError(f"picture: samples is {self.samples}; it must be 1, 2, 3 or 4")
        find_theme(self.theme)


def render(
    trajectory: Trajectory,
    time: float,
    *,
    camera: Camera | str = "iso",
    limit: float | None = None,
    **look: Any,
) -> Image.Image:
    """Picture of a run at the sample nearest to ``time`` (s), with its contact patches coloured.

    ``camera``: a `Camera` or the name of a view; ``limit``: end of the colour bar in SI units; the other options are
    those of `Look`.
    """
    chosen = Look(limit=limit, **look)
    scenes = RunScenes(trajectory)
    trajectory.at(time)  # refuses a time outside of the run
    time = float(trajectory.time[nearest_samples(trajectory.time, time)])
    scene = scenes.at(time, patches=chosen.colour_by != "none")
    name = trajectory.description.name
    return draw(scene, chosen, camera, title=f"t = {time:.3f} s", note=name)


def render_surface(
    surface: Surface, *, camera: Camera | str = "iso", colour: str | None = None, **look: Any
) -> Image.Image:
    """Picture of a surface; ``colour`` "#rrggbb"; the other options are those of `Look`."""
    chosen = Look(**{"colour_by": "none", "caption": False, **look})
    scene = scene_of_surfaces([(surface, np.eye(3), np.zeros(3))], [rgb(body_colour(0, colour))])
    return draw(scene, chosen, camera, title=surface.name)


def render_result(
    result: ContactResult,
    *,
    camera: Camera | str = "iso",
    colours: tuple[str | None, str | None] = (None, None),
    **look: Any,
) -> Image.Image:
    """Picture of one evaluation of a contact pairing in frame E; ``colours`` of E and F; options of `Look`."""
    chosen = Look(**{"caption": False, **look})
    pairing = result._pairing
    R, r, _, _ = result.kinematics.arrays()
    patches = mesh_of_result(result) if chosen.colour_by != "none" else None
    scene = scene_of_surfaces(
        [(pairing.e.picture, np.eye(3), np.zeros(3)), (pairing.f.picture, R, r)],
        [rgb(body_colour(i, colour)) for i, colour in enumerate(colours)],
        patches,
    )
    return draw(scene, chosen, camera, title=pairing.name)


def draw(
    scene: Scene,
    look: Look,
    camera: Camera | str,
    *,
    title: str = "",
    note: str = "",
    ground: float | None = None,
) -> Image.Image:
    """Picture of a scene; ``ground``: height of the plane under everything, m, by default its lowest point."""
    image_class = _pillow()
    from polycontact.report.picture.compose import compose

    theme = find_theme(look.theme)
    width, height = look.size
    fitted = fit(scene.focus, Camera.named(camera) if isinstance(camera, str) else camera, look)
    level = float(scene.corners[..., 2].min()) if ground is None else ground
    shares, limit = _shares(scene, look)
    projection = Projection(fitted, look.samples * width, look.samples * height)
    pixels = compose(scene, projection, theme, shares, level if look.ground else None, look.samples)
    image: Image.Image = image_class.fromarray(pixels)
    _write(image, look, theme, limit, title, note)
    return image


def fit(points: NDArray[np.float64], camera: Camera, look: Look) -> Camera:
    """The camera at a place from which ``points`` (n, 3) m are seen beside the colour bar."""
    width, height = look.size
    room = look.text * BAR_ROOM * min(height / width, 0.75) if look.colour_by != "none" else 0.0
    return camera.fitted(points, width / height, room)


def _write(image: Image.Image, look: Look, theme: Theme, limit: float | None, title: str, note: str) -> None:
    from polycontact.report.picture.legend import draw_caption, draw_colour_bar

    if limit is not None:
        draw_colour_bar(image, COLOUR_BY[look.colour_by], limit, theme, look.text)
    if look.caption and title:
        draw_caption(image, title, theme, note, look.text)


def _shares(scene: Scene, look: Look) -> tuple[NDArray[np.float64] | None, float | None]:
    """Values of the patches as shares of the limit of the colour bar, and that limit; None where nothing is loaded."""
    from polycontact.report.picture.legend import nice_limit

    if scene.patches is None or look.colour_by == "none":
        return None, None
    values = patch_values(scene.patches, look.colour_by)
    greatest = float(values.max(initial=0.0))
    limit = look.limit or (nice_limit(greatest) if greatest > 0 else None)
    return (None if limit is None else values / limit), limit


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise SimulationError(
            "pictures need the package Pillow, which is not installed; get it with 'pip install pillow'"
        ) from error
    return Image
