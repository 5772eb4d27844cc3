"""What a run looks like: three still pictures, contacts that bodies hide from near, and the 3D playback in a frame."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from polycontact.errors import PolycontactError, SimulationError
from polycontact.report.areal_pairings import areal_pairings
from polycontact.report.document.markup import paragraph
from polycontact.report.document.named_runs import ReportRun

if TYPE_CHECKING:
    from PIL import Image

    from polycontact.report.picture.picture_scene import RunScenes
    from polycontact.report.picture.render import Look

STILL_SIZE = (640, 430)

MAX_CLOSE_UPS = 3
"""Pairings shown from near: those that are pressed most."""


THINNINGS, THINNING_SHARE, FEWEST_FRAMES = 4, 0.85, 8
"""Attempts to make a playback small enough, the part of what is left that it should take, and frames at least."""


def still_pictures(run: ReportRun) -> str:
    """Start, moment of the greatest contact force, end, and hidden contacts; nothing where nothing can be seen."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        return ""
    try:
        return f'<div class="stills">{"".join(_figures(run))}</div>'
    except PolycontactError:
        return ""


def _figures(run: ReportRun) -> Iterator[str]:
    """Figures with one camera, or one that follows, and one scale of colours, for light and dark screens."""
    from polycontact.report.picture.camera import Camera
    from polycontact.report.picture.film import cameras, colour_limit
    from polycontact.report.picture.picture_scene import RunScenes
    from polycontact.report.picture.render import Look, draw

    scenes, moments = RunScenes(run.trajectory), _moments(run)
    colour_by = "pressure" if areal_pairings(run.trajectory.description).any() else "none"
    look = Look(size=STILL_SIZE, samples=2, colour_by=colour_by, text=1.7)
    times = np.array([time for _, time in moments])
    look = replace(look, limit=colour_limit(run.trajectory, times, look))
    views = cameras(scenes, times, Camera(), look, smooth=False)
    for (title, time), camera in zip(moments, views, strict=True):
        scene = scenes.at(time)
        light, dark = (
            draw(scene, replace(look, theme=theme), camera, title=f"t = {time:.3f} s") for theme in ("light", "dark")
        )
        yield picture_figure(light, dark, title, f"{title}, t = {time:.3f} s")
    yield from _close_figures(run, scenes, look)


def _close_figures(run: ReportRun, scenes: RunScenes, look: Look) -> Iterator[str]:
    """The contacts that are pressed most, where a body hides them: from near, when their force is greatest."""
    from polycontact.report.picture.camera import Camera
    from polycontact.report.picture.close_up import close_up
    from polycontact.report.picture.render import draw

    trajectory = run.trajectory
    force = np.linalg.norm(trajectory.array("wrenches")[:, :, :3], axis=2)
    greatest = np.where(areal_pairings(trajectory.description), force.max(axis=0, initial=0.0), 0.0)
    for number in np.argsort(-greatest, kind="stable")[:MAX_CLOSE_UPS].tolist():
        if not greatest[number] > 0.0:
            return
        name, time = trajectory.pairings[number], float(trajectory.time[int(np.argmax(force[:, number]))])
        near = replace(look, limit=None, forces="pairing")
        try:
            close = close_up(scenes, np.array([time]), name, Camera(), near)
        except PolycontactError:  # a contact that cannot be computed anew
            continue
        if not (close.opacity < 1.0).any():
            continue
        scene = scenes.at(time, forces="pairing", opacity=close.opacity, pairing=number)
        title, view = f"t = {time:.3f} s", close.cameras[0]
        light, dark = (draw(scene, replace(near, theme=theme), view, title=title) for theme in ("light", "dark"))
        yield picture_figure(light, dark, f"{name} from near", f"{name} from near, {title}, the force as an arrow")


def picture_figure(light: Image.Image, dark: Image.Image, caption: str, words: str) -> str:
    """A figure that holds its picture, for light and dark screens; ``words`` tell what there is to see."""
    width, height = light.size
    return (
        f'<figure><picture><source media="screen and (prefers-color-scheme: dark)" srcset="{_as_data(dark)}">'
        f'<img src="{_as_data(light)}" alt="{escape(words)}" width="{width}" height="{height}"></picture>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _moments(run: ReportRun) -> list[tuple[str, float]]:
    """Titles and times (s) worth a picture."""
    time = run.trajectory.time
    moments = [("Start", float(time[0]))]
    if run.trajectory.pairings:
        contacts = run.trajectory.contacts
        force = contacts.total(contacts.forces)
        if force.max(initial=0.0) > 0:
            moments.append(("Greatest contact forces", float(time[int(np.argmax(force))])))
    if time[-1] > time[0]:
        moments.append(("End", float(time[-1])))
    return moments


def _as_data(image: Image.Image) -> str:
    stream = io.BytesIO()
    image.save(stream, format="JPEG", quality=87, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(stream.getvalue()).decode("ascii")


def playback(run: ReportRun, most_bytes: float = math.inf) -> str:
    """The 3D playback of a run in a frame, with the frames that `view` shows; a remark where it has nothing to show.

    With fewer frames, and a remark, where it would have more than ``most_bytes``; none where a few are too many.
    """
    from polycontact.report.view.run_scene import run_scene
    from polycontact.report.view.viewer_page import make_page

    trajectory, fps, note, whole = run.trajectory, None, "", 0
    span = float(trajectory.time[-1] - trajectory.time[0]) if len(trajectory) else 0.0
    try:
        for _ in range(THINNINGS):
            scene = run_scene(trajectory, fps=fps)
            page, frames = escape(make_page(scene)), len(scene.times)
            whole = whole or frames
            if len(page) <= most_bytes:
                break
            fewer = THINNING_SHARE * frames * most_bytes / len(page)
            if span <= 0.0 or fewer < FEWEST_FRAMES:
                return paragraph(
                    f"No playback: it would have {len(page) / 1e6:.1f} MB and the page more than it may; "
                    "'polycontact view' shows it, or give a larger size_limit",
                    "note",
                )
            fps = fewer / span
            note = f"of {whole} frames, so that the page does not grow too large; 'polycontact view' shows all"
        else:
            return paragraph("No playback: the page would grow too large; 'polycontact view' shows it", "note")
    except SimulationError as error:
        return paragraph(f"No playback: {error}", "note")
    title = escape(f"3D playback of {run.label}")
    told = paragraph(f"Playback with {frames} {note}.", "note") if note else ""
    return f'<iframe class="playback" title="{title}" loading="lazy" srcdoc="{page}"></iframe>{told}'
