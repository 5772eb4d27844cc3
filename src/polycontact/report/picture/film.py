"""Films of runs: an animated GIF by Pillow, or MP4 by the package imageio-ffmpeg."""

from __future__ import annotations

import math
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.replacing import replacing
from polycontact.report.areal_pairings import areal_pairings
from polycontact.report.patches import RunPatches
from polycontact.report.patches.moments import nearest_samples
from polycontact.report.picture.camera import Camera
from polycontact.report.picture.close_up import close_up
from polycontact.report.picture.legend import nice_limit
from polycontact.report.picture.palette import FilmPalette
from polycontact.report.picture.picture_scene import RunScenes, Scene, coloured_by, patch_values
from polycontact.report.picture.render import Look, draw, fit
from polycontact.report.view.timeline import playing_speed
from polycontact.simulation.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from PIL import Image

FILM_SUFFIXES = (".gif", ".mp4")

FILM_SIZE = (720, 480)
"""Pixels of a film: those of a whole picture would take three times as long, and a GIF of them tens of megabytes."""

MOST_FRAMES = 10_000
"""More frames than this are a slip of the finger."""

MAX_DRAWING_THREADS = 4
"""Frames that are drawn at once, in threads: each takes some hundred megabytes meanwhile."""

FOLLOW_FROM = 1.5
"""The camera follows where all bodies move and, over the whole film, need this many times the room of one time."""

Progress = Callable[[int, int], None]
"""Called with the number of frames done and their total."""


def write_film(
    trajectory: Trajectory,
    path: str | os.PathLike[str],
    *,
    fps: float = 20.0,
    speed: float | None = None,
    start: float | None = None,
    end: float | None = None,
    camera: Camera | str = "iso",
    zoom: str | None = None,
    progress: Progress | None = None,
    **look: Any,
) -> int:
    """Write a film of a run to a .gif or .mp4 file; returns the number of frames.

    ``fps`` frames per second of film; ``speed``: simulated seconds per second of film, 0.25 is slow motion, by
    default so that the film lasts 5 to 10 s; ``start`` and ``end`` in s, by default those of the run; ``zoom``: name of
    a pairing whose contact is shown from near, as by `render`; the other options are those of `Look`, with a ``size``
    of 720 by 480 pixels and two ``samples`` where they are not given.
    """
    target = Path(path)
    if target.suffix.lower() not in FILM_SUFFIXES:
        raise SimulationError(f"{target}: a film is a {' or '.join(FILM_SUFFIXES)} file; name it so")
    times = frame_times(trajectory, fps, speed, start, end)
    chosen = Look(**{"size": FILM_SIZE, "samples": 2, **look})
    if target.suffix.lower() == ".mp4":  # the usual encoding needs even sides
        chosen = replace(chosen, size=(chosen.size[0] // 2 * 2, chosen.size[1] // 2 * 2))
    frames = _frames(trajectory, times, chosen, camera, zoom, progress)
    write = _write_gif if target.suffix.lower() == ".gif" else _write_mp4
    try:
        with replacing(target) as part:
            write(part, frames, fps, chosen.size)
    except OSError as error:
        raise SimulationError(f"{target}: cannot be written: {error.strerror or error}; check the folder") from error
    return len(times)


def frame_times(
    trajectory: Trajectory,
    fps: float,
    speed: float | None = None,
    start: float | None = None,
    end: float | None = None,
) -> NDArray[np.float64]:
    """Times (n,) s of the frames of a film: those of the nearest samples, unless these are fewer than frames."""
    trajectory.state_at_end()  # refuses a run without samples
    low, high = float(trajectory.time[0]), float(trajectory.time[-1])
    first, last = (low if start is None else start), (high if end is None else end)
    if not low <= first <= last <= high:
        raise SimulationError(f"film: {first:.9g} s to {last:.9g} s is not within the run, {low:.9g} s to {high:.9g} s")
    speed = playing_speed(last - first) if speed is None else speed
    for name, value, unit in (("fps", fps, "1/s"), ("speed", speed, "s/s")):
        if not 0.0 < value < np.inf:
            raise SimulationError(f"film: {name} is {value} {unit}; it must be positive and finite")
    n = int((last - first) * fps / speed * (1 + 1e-9)) + 1
    if n > MOST_FRAMES:
        raise SimulationError(f"film: {n} frames; the most are {MOST_FRAMES}: lower fps or raise speed")
    times = np.minimum(first + np.arange(n) * (speed / fps), last)
    snapped = trajectory.time[nearest_samples(trajectory.time, times)]
    return snapped if len(np.unique(snapped)) == n else times


def _frames(
    trajectory: Trajectory,
    times: NDArray[np.float64],
    look: Look,
    camera: Camera | str,
    zoom: str | None,
    progress: Progress | None,
) -> Iterator[Image.Image]:
    """Pictures with one scale of colours, one ground and a camera that stands still or follows."""
    scenes = RunScenes(trajectory)
    chosen = Camera.named(camera) if isinstance(camera, str) else camera
    opacity, name, pairing = scenes.opacity_of(look.transparent, look.opacity), trajectory.description.name, None
    if zoom is None:
        views = cameras(scenes, times, chosen, look)
    else:
        close = close_up(scenes, times, zoom, chosen, look)
        views, opacity, name, pairing = close.cameras, np.minimum(opacity, close.opacity), close.name, close.pairing
    if look.limit is None:
        look = replace(look, limit=colour_limit(trajectory, times, look, pairing))
    if look.forces != "none" and look.force_limit is None:
        look = replace(look, force_limit=_greatest_force(trajectory, times, pairing))
    ground = min(float(scenes.at(t, patches=False).corners[..., 2].min()) for t in (times[0], times[-1]))
    span = float(times[-1] - times[0])
    places = 3 if span >= 1.0 or span <= 0.0 else min(3 - math.floor(math.log10(span)), 9)

    def drawn(scene: Scene, view: Camera, time: float) -> Image.Image:
        return draw(scene, look, view, title=f"t = {time:.{places}f} s", note=name, ground=ground)

    coming: deque[Future[Image.Image]] = deque()
    workers = min(os.cpu_count() or 1, MAX_DRAWING_THREADS)
    with ThreadPoolExecutor(workers) as threads:
        for done in range(-workers, len(times)):
            number = done + workers
            if number < len(times):
                time = float(times[number])
                by = coloured_by(look.colour_by)
                scene = scenes.at(time, by.patches, forces=look.forces, opacity=opacity, pairing=pairing, mapped=by.map)
                coming.append(threads.submit(drawn, scene, views[number], time))
            if done >= 0:
                yield coming.popleft().result()
                if progress is not None:
                    progress(done + 1, len(times))


def cameras(
    scenes: RunScenes, times: NDArray[np.float64], camera: Camera, look: Look, *, smooth: bool = True
) -> list[Camera]:
    """A camera for each time: the same for all, or at the same distance with a target that moves, ``smooth`` or not."""
    points = [scenes.focus_at(time) for time in times.tolist()]
    still = fit(np.concatenate(points), camera, look)
    each = [fit(some, camera, look) for some in points]
    farthest = max(view.distance or 0.0 for view in each)
    is_near = (still.distance or 0.0) <= FOLLOW_FROM * farthest
    if camera.target is not None or is_near or not scenes.everything_moves:
        return [still] * len(times)
    targets = np.array([view.target for view in each], float)
    if smooth:
        from scipy.ndimage import gaussian_filter1d

        targets = gaussian_filter1d(targets, max(1.0, len(times) / 30), axis=0, mode="nearest")
    places = zip(each, targets.tolist(), strict=True)
    return [replace(view, target=(x, y, z), distance=farthest) for view, (x, y, z) in places]


def colour_limit(
    trajectory: Trajectory, times: NDArray[np.float64], look: Look, pairing: int | None = None
) -> float | None:
    """End of the colour bar, SI units, for all frames from the first to the last of ``times``; None without colours.

    ``pairing``: its number, where only one counts.
    """
    name = coloured_by(look.colour_by).map
    if name is not None:  # the same bodies in all frames
        return nice_limit(max(float(each.array(name).max(initial=0.0)) for each in trajectory.maps.shapes))
    areal = areal_pairings(trajectory.description)
    if pairing is not None:
        areal &= np.arange(len(areal)) == pairing
    if look.colour_by == "none" or not areal.any():
        return None
    if look.colour_by in ("pressure", "depth"):
        inside = (trajectory.time >= times[0]) & (trajectory.time <= times[-1])
        contacts = trajectory.contacts
        shown = inside[contacts.sample] & areal[contacts.rows["pairing"]]
        return nice_limit(float(contacts.column(look.colour_by)[shown].max(initial=0.0)))
    patches = RunPatches(trajectory)
    return nice_limit(max(float(patch_values(patches.at(t), look.colour_by).max(initial=0.0)) for t in times.tolist()))


def _greatest_force(trajectory: Trajectory, times: NDArray[np.float64], pairing: int | None) -> float | None:
    """The greatest force, N, of a contact from the first to the last of ``times``; None where nothing touches."""
    inside = (trajectory.time >= times[0]) & (trajectory.time <= times[-1])
    chosen = slice(None) if pairing is None else slice(pairing, pairing + 1)
    force = np.linalg.norm(trajectory.array("wrenches")[inside][:, chosen, :3], axis=2)
    return float(force.max(initial=0.0)) or None


def _write_gif(path: Path, frames: Iterator[Image.Image], fps: float, size: tuple[int, int]) -> None:
    """One palette for all frames, so that nothing flickers; frames wait compressed until it is known."""
    from PIL import Image

    palette, packed = FilmPalette(), []
    before = np.zeros((size[1], size[0], 3), np.uint8)
    for frame in frames:
        palette.add(frame)
        pixels = np.asarray(frame)
        packed.append(zlib.compress((pixels ^ before).tobytes(), 1))  # most pixels are as before
        before = pixels
    colours = palette.image()
    few = (
        Image.fromarray(pixels).quantize(palette=colours, dither=Image.Dither.NONE)
        for pixels in _unpacked(packed, size)
    )
    next(few).save(path, save_all=True, append_images=few, duration=max(20, round(1000 / fps)), loop=0)


def _unpacked(packed: list[bytes], size: tuple[int, int]) -> Iterator[NDArray[np.uint8]]:
    """Pixels of frames, each packed as what differs from the one before."""
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    for data in packed:
        pixels = pixels ^ np.frombuffer(zlib.decompress(data), np.uint8).reshape(pixels.shape)
        yield pixels


def _write_mp4(path: Path, frames: Iterator[Image.Image], fps: float, size: tuple[int, int]) -> None:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise SimulationError(
            "MP4 films need the package imageio-ffmpeg, which is not installed; get it with 'pip install "
            "imageio-ffmpeg', or write a .gif"
        ) from error
    writer = imageio_ffmpeg.write_frames(
        str(path), size, fps=fps, quality=8, macro_block_size=2, ffmpeg_log_level="error"
    )
    writer.send(None)
    try:
        for frame in frames:
            writer.send(frame.tobytes())
    finally:
        writer.close()
    if not (path.exists() and path.stat().st_size):
        raise OSError("ffmpeg wrote no film; its own messages above may say why")
