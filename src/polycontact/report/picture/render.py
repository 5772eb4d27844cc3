"""Pictures of runs, surfaces and contacts, drawn by our own small renderer: no display, no graphics card needed.

The same input gives the same picture on every machine. Pillow is needed for the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.result import ContactResult
from polycontact.errors import SimulationError
from polycontact.report.patches.moments import nearest_samples
from polycontact.report.patches.patch_mesh import mesh_of_result
from polycontact.report.picture.arrows import Arrow, scale_arrows
from polycontact.report.picture.camera import Camera, Projection
from polycontact.report.picture.picture_colours import Theme, find_theme, map_colours, rgb
from polycontact.report.picture.picture_scene import (
    COLOUR_BY,
    RunScenes,
    Scene,
    coloured_by,
    patch_values,
    scene_of_surfaces,
)
from polycontact.report.view.display_units import FAINT, FORCE
from polycontact.report.view.viewer_colours import body_colour
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from PIL import Image

SMALLEST, LARGEST = 16, 8192
"""Sides of pictures, pixels."""

BAR_ROOM = 0.17
"""Width of the colour bar with its words, in heights of the picture."""


FORCES = ("none", "pairing", "patch")
"""Whose forces are drawn as arrows."""

LONGEST_ARROW, WIDEST_ARROW = 0.22, 0.006
"""Length of the arrow of the greatest force and radius of shafts, in heights of the picture."""

MOST_LABELS = 12
"""More arrows than this have no numbers beside them."""


@dataclass(frozen=True)
class Look:
    """How pictures are made.

    ``size``: width and height in pixels; ``colour_by``: "pressure", "depth" or "slip" of patches, a map of bodies such
    as "wear", or "none"; ``theme``: "light" or
    "dark"; ``ground``: whether shadows fall on a plane under everything; ``limit``: end of the colour bar in SI units,
    by default the greatest value shown, rounded up; ``samples``: the picture is the mean of one this many times as
    fine; ``caption``: whether the time is written on it; ``text``: size of letters, 1 suits a whole page. ``forces``:
    "none", or arrows of "pairing" or "patch"; ``force_limit``: force of the longest arrow, N, by default the greatest
    shown. ``transparent``: names of bodies that are seen through, with ``opacity``, from 0 to 1.
    """

    size: tuple[int, int] = (1200, 800)
    colour_by: str = "pressure"
    theme: str = "light"
    ground: bool = True
    limit: float | None = None
    samples: int = 3
    caption: bool = True
    text: float = 1.0
    forces: str = "none"
    force_limit: float | None = None
    transparent: tuple[str, ...] = ()
    opacity: float = 0.25

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
        if self.forces not in FORCES:
            raise SimulationError(f"picture: no forces by {self.forces!r}; choose {', '.join(FORCES)}")
        if isinstance(self.transparent, str):
            object.__setattr__(self, "transparent", (self.transparent,))
        if not 0.0 <= self.opacity <= 1.0:
            raise SimulationError(f"picture: opacity is {self.opacity}; it must be from 0 to 1")
        for name, value in (("limit", self.limit), ("force_limit", self.force_limit)):
            if value is not None and not 0.0 < value < np.inf:
                raise SimulationError(f"picture: {name} is {value}; it must be positive and finite")


def render(
    trajectory: Trajectory,
    time: float,
    *,
    camera: Camera | str = "iso",
    zoom: str | None = None,
    limit: float | None = None,
    **look: Any,
) -> Image.Image:
    """Picture of a run at the sample nearest to ``time`` (s), with its contact patches coloured.

    ``camera``: a `Camera` or the name of a view; ``zoom``: name of a pairing, such as "ball-table", whose contact is
    shown from near; bodies that hide it are transparent. ``limit``: end of the colour bar in SI units; the other
    options are those of `Look`.
    """
    from polycontact.report.picture.close_up import close_up

    chosen = Look(limit=limit, **look)
    scenes = RunScenes(trajectory)
    trajectory.at(time)  # refuses a time outside of the run
    time = float(trajectory.time[nearest_samples(trajectory.time, time)])
    opacity = scenes.opacity_of(chosen.transparent, chosen.opacity)
    view = Camera.named(camera) if isinstance(camera, str) else camera
    note, pairing = trajectory.description.name, None
    if zoom is not None:
        close = close_up(scenes, np.array([time]), zoom, view, chosen)
        view, opacity = close.cameras[0], np.minimum(opacity, close.opacity)
        note, pairing = close.name, close.pairing
    by = coloured_by(chosen.colour_by)
    scene = scenes.at(time, by.patches, forces=chosen.forces, opacity=opacity, pairing=pairing, mapped=by.map)
    return draw(scene, chosen, view, title=f"t = {time:.3f} s", note=note)


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
    scene = _with_maps(scene, limit)
    if scene.forces:
        scene = replace(scene, arrows=_arrows(scene, look, fitted))
    projection = Projection(fitted, look.samples * width, look.samples * height)
    pixels = compose(scene, projection, theme, shares, level if look.ground else None, look.samples)
    image: Image.Image = image_class.fromarray(pixels)
    _label(image, scene, fitted, look, theme)
    _write(image, look, theme, limit, title, note)
    return image


def fit(points: NDArray[np.float64], camera: Camera, look: Look) -> Camera:
    """The camera at a place from which ``points`` (n, 3) m are seen beside the colour bar."""
    width, height = look.size
    room = look.text * BAR_ROOM * min(height / width, 0.75) if look.colour_by != "none" else 0.0
    return camera.fitted(points, width / height, room)


def _arrows(scene: Scene, look: Look, camera: Camera) -> tuple[Arrow, ...]:
    """Forces as arrows whose lengths suit the distance of the camera."""
    assert camera.distance is not None
    reach = camera.distance * 2.0 * math.tan(math.radians(camera.field_of_view) / 2)
    greatest = max(float(np.linalg.norm(each.force)) for each in scene.forces)
    return scale_arrows(scene.forces, LONGEST_ARROW * reach, WIDEST_ARROW * reach, look.force_limit or greatest)


def _label(image: Image.Image, scene: Scene, camera: Camera, look: Look, theme: Theme) -> None:
    """Write the forces beside the tips of their arrows."""
    from polycontact.report.picture.legend import draw_labels

    if 0 < len(scene.arrows) <= MOST_LABELS:
        tips = Projection(camera, *look.size).project(np.array([arrow.tip for arrow in scene.arrows]))
        words = [FORCE.text(arrow.force) for arrow in scene.arrows]
        shown = [(x, y, word) for (x, y, near), word in zip(tips.tolist(), words, strict=True) if near > 0]
        draw_labels(image, shown, theme, look.text)


def _write(image: Image.Image, look: Look, theme: Theme, limit: float | None, title: str, note: str) -> None:
    from polycontact.report.picture.legend import draw_caption, draw_colour_bar

    if limit is not None:
        draw_colour_bar(image, COLOUR_BY[look.colour_by], limit, theme, look.text)
    if look.caption and title:
        draw_caption(image, title, theme, note, look.text)


def _shares(scene: Scene, look: Look) -> tuple[NDArray[np.float64] | None, float | None]:
    """Values of the patches as shares of the limit of the colour bar, and that limit; None where nothing is loaded."""
    from polycontact.report.picture.legend import nice_limit

    if scene.mapped is not None:
        greatest = float(scene.mapped.max(initial=0.0))
        return None, look.limit or (nice_limit(greatest) if greatest > 0 else None)
    if scene.patches is None or look.colour_by == "none":
        return None, None
    values = patch_values(scene.patches, look.colour_by)
    greatest = float(values.max(initial=0.0))
    limit = look.limit or (nice_limit(greatest) if greatest > 0 else None)
    return (None if limit is None else values / limit), limit


def _with_maps(scene: Scene, limit: float | None) -> Scene:
    """The scene with its triangles in the colours of their values; those without keep that of their body."""
    if scene.mapped is None or limit is None:
        return scene
    colour = np.where(
        (scene.mapped > FAINT * limit)[:, None], map_colours(np.minimum(scene.mapped / limit, 1.0)), scene.colour
    )
    return replace(scene, colour=colour)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise SimulationError(
            "pictures need the package Pillow, which is not installed; get it with 'pip install pillow'"
        ) from error
    return Image
