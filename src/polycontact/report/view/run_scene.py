"""The scene of a recorded run: bodies as they moved, with contact at every frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.report.pairing_loads import peak_forces
from polycontact.report.view.boxes import try_level_boxes
from polycontact.report.view.curves import Curve, curve_values, greatest, run_curves, total_force
from polycontact.report.view.display_units import DEPTH, MAPS, PRESSURE, SHOWN
from polycontact.report.view.run_pairings import remake_pairings, touching_pairings
from polycontact.report.view.run_patches import ContactFrames
from polycontact.report.view.timeline import choose_samples, frame_rate, playing_speed
from polycontact.report.view.viewer_colours import body_colour
from polycontact.report.view.viewer_scene import Part, Scene, SceneBody, SceneFrame, SceneKind
from polycontact.simulation.recording.records import BodyRecord, RunDescription, ShapeRecord
from polycontact.simulation.recording.trajectory import Trajectory

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with the number of frames done and of all frames."""

RECORDED = (PRESSURE.key, DEPTH.key)
"""Quantities of patches whose greatest value is recorded at every sample."""

HISTORY_POINTS = 1000
"""Points of the curves, about one for each pixel."""

MOST_PATCHES, FEWEST_PATCHES = 10000, 10
"""Contacts of all frames together whose patches a page shows, each of which takes some milliseconds and kilobytes; and
contacts of a frame in any case."""

STANDS_STILL = 1e-9
"""A body that moves less than this times the extent of the motion of all counts as fixed."""


def run_scene(trajectory: Trajectory, *, fps: float | None = None, progress: Progress | None = None) -> Scene:
    """The scene of ``trajectory``: ``fps`` frames for each second of simulated time, or of the playback where None."""
    label = trajectory.description.name or "run"
    if not len(trajectory):
        raise SimulationError(
            f"{label}: the run has no samples ({trajectory.status}: {trajectory.message or 'no end recorded'}); "
            "there is nothing to show"
        )
    bodies = trajectory.description.bodies
    maps = _maps(trajectory)
    parts = parts_of(bodies, maps)
    if not parts:
        raise SimulationError(
            f"{label}: no body of the run has a shape; give bodies shapes in the scenario to see them move"
        )
    load = total_force(trajectory)
    curves = run_curves(trajectory.description, peak_forces(trajectory))
    samples = _choose(trajectory, frame_rate(trajectory.time, fps), load)
    positions, quaternions = trajectory.array("positions")[samples], trajectory.array("quaternions")[samples]
    _refuse_broken_poses(label, trajectory.time[samples], positions, quaternions)
    touching = touching_pairings(trajectory)
    pairings, notes = remake_pairings(trajectory.description, touching)
    most = most_shown(trajectory, samples)
    if most is not None:
        notes += (thinning_note(most),)
    maker = ContactFrames(trajectory, pairings, _moves(positions, quaternions), most)
    frames = []
    with trajectory:
        for i, sample in enumerate(samples.tolist()):
            frames.append(maker.frame(sample))
            if progress is not None:
                progress(i + 1, len(samples))
    return Scene(
        kind=SceneKind.RUN,
        title=label,
        subtitle=_subtitle(trajectory),
        bodies=scene_bodies(bodies),
        parts=parts,
        times=trajectory.time[samples],
        positions=positions,
        quaternions=quaternions,
        frames=tuple(frames),
        quantities=SHOWN,
        pairings=_only(touching, trajectory.pairings, ""),
        pair_bodies=_only(touching, _pair_bodies(trajectory), ()),
        facts=_facts(trajectory, len(samples)),
        notes=notes,
        greatest=_greatest(trajectory),
        curves=curves,
        history=_history(trajectory, curves, load),
        speed=playing_speed(float(trajectory.time[-1] - trajectory.time[0])),
        maps=tuple(each for each in MAPS.values() if any(each.key in found for found in maps.values())),
    )


def most_shown(trajectory: Trajectory, samples: NDArray[np.int64]) -> int | None:
    """Contacts of each frame whose patches are shown; None where all can be."""
    counts = np.diff(trajectory.contacts.ends, prepend=0)[samples]
    if counts.sum() <= MOST_PATCHES:
        return None
    return max(MOST_PATCHES // len(samples), FEWEST_PATCHES)


def thinning_note(most: int) -> str:
    """What a page says where a frame has more contacts than patches are shown."""
    return f"patches of the {most} most loaded contacts of each frame are shown, of all contacts the forces"


def run_frame_scene(trajectory: Trajectory) -> Scene:
    """The scene of a run with one frame, its first sample, and no contact: others are put in as the run goes on."""
    description = trajectory.description
    bodies, label = description.bodies, description.name or "run"
    parts = parts_of(bodies)
    if not parts:
        raise SimulationError(f"{label}: no body of the run has a shape; give bodies shapes to see them move")
    positions, quaternions = trajectory.array("positions")[:1], trajectory.array("quaternions")[:1]
    _refuse_broken_poses(label, trajectory.time[:1], positions, quaternions)
    start, end = float(trajectory.time[0]), float(trajectory.settings.get("end_time", trajectory.time[0]))
    return Scene(
        kind=SceneKind.RUN,
        title=label,
        subtitle="running",
        bodies=scene_bodies(bodies),
        parts=parts,
        times=trajectory.time[:1],
        positions=positions,
        quaternions=quaternions,
        frames=(SceneFrame(),),
        quantities=SHOWN,
        pairings=trajectory.pairings,
        pair_bodies=_pair_bodies(trajectory),
        facts=(
            ("simulated", f"{start:g} to {end:g} s"),
            ("bodies", str(len(bodies))),
            ("pairings", str(len(trajectory.pairings))),
            ("integrator", str(trajectory.settings.get("integrator", "unknown"))),
        ),
        curves=(curves := run_curves(description, np.zeros(len(description.pairings)))),
        history=np.empty((1 + len(curves), 0)),
        speed=playing_speed(end - start),
    )


def moving_bodies(description: RunDescription) -> NDArray[np.bool_]:
    """(nb,) Bodies that can move: a joint between them and the world has a speed."""
    joints = {joint.child: joint for joint in description.joints}
    moves = []
    for body in description.bodies:
        name, chain = body.name, 0
        while name in joints and not joints[name].speeds and chain <= len(joints):
            name, chain = joints[name].parent, chain + 1
        moves.append(name in joints and chain <= len(joints))
    return np.array(moves, dtype=bool)


def _choose(trajectory: Trajectory, fps: float, load: NDArray[np.float64]) -> NDArray[np.int64]:
    """Samples that become frames, with those of the greatest pressure and depth of the run."""
    samples = choose_samples(trajectory.time, fps, load)
    return np.union1d(samples, _peaks(trajectory, load))


def _peaks(trajectory: Trajectory, load: NDArray[np.float64]) -> NDArray[np.int64]:
    """Samples of the greatest pressure and depth."""
    peaks = [int(np.argmax(greatest(trajectory, key))) for key in RECORDED] if load.any() else []
    return np.array(peaks, dtype=np.int64)


def _greatest(trajectory: Trajectory) -> dict[str, float]:
    return {key: float(greatest(trajectory, key).max()) for key in RECORDED}


def _history(trajectory: Trajectory, curves: tuple[Curve, ...], load: NDArray[np.float64]) -> NDArray[np.float64]:
    time = trajectory.time
    span = float(time[-1] - time[0])
    samples = choose_samples(time, HISTORY_POINTS / span, load) if span > 0 else np.zeros(1, dtype=np.int64)
    samples = np.union1d(samples, _peaks(trajectory, load))
    return np.concatenate((time[None, samples], curve_values(trajectory, curves)[:, samples]))


def _markers(body: BodyRecord) -> NDArray[np.float64]:
    """Position and axes of the named markers of a body."""
    return np.array([[each.position, *each.rotation.T] for each in body.markers]).reshape(-1, 4, 3)


def scene_bodies(bodies: tuple[BodyRecord, ...]) -> tuple[SceneBody, ...]:
    """The frames of bodies, with their colours."""
    return tuple(
        SceneBody(body.name, _colour(i, body), np.asarray(body.centre), _markers(body)) for i, body in enumerate(bodies)
    )


PartMaps = Mapping[tuple[str, int], Mapping[str, NDArray[np.float64]]]
"""Maps of shapes by body and number, of each the values by the name of the map."""


def _maps(trajectory: Trajectory) -> PartMaps:
    """What the surfaces went through, as far as it is not zero everywhere."""
    if not trajectory.has_maps:
        return {}
    return {
        (each.body, each.shape): {q.name: each.array(q.name) for q in each.quantities}
        for each in trajectory.maps.shapes
    }


def parts_of(bodies: tuple[BodyRecord, ...], maps: PartMaps = MappingProxyType({})) -> tuple[Part, ...]:
    """The meshes of all shapes, with their maps where there are some."""
    return tuple(
        _part(i, body, shape, maps.get((body.name, number), {}))
        for i, body in enumerate(bodies)
        for number, shape in enumerate(body.shapes)
        if len(shape.triangles)
    )


def _part(number: int, body: BodyRecord, shape: ShapeRecord, maps: Mapping[str, NDArray[np.float64]]) -> Part:
    triangles = np.asarray(shape.triangles, dtype=np.int64)
    if triangles.min() < 0 or triangles.max() >= len(shape.vertices):
        raise SimulationError(
            f"body {body.name!r}: the mesh {shape.name!r} of the run file names vertices that do not exist; the file "
            "is damaged: run the simulation again"
        )
    return Part(
        body=number,
        name=shape.name,
        vertices=np.asarray(shape.vertices) @ shape.rotation.T + shape.position,
        triangles=triangles,
        colour=shape.colour or _colour(number, body),
        is_open=is_open(triangles),
        boxes=try_level_boxes(shape.vertices, triangles, shape.rotation, shape.position) if shape.contact else (),
        maps=maps,
    )


def is_open(triangles: NDArray[np.int64]) -> bool:
    """Whether some edge has one triangle only: the mesh is a sheet."""
    ends = np.sort(np.stack((triangles, np.roll(triangles, -1, axis=1)), axis=2).reshape(-1, 2), axis=1)
    _, counts = np.unique(ends, axis=0, return_counts=True)
    return bool(np.any(counts == 1))


def _colour(number: int, body: BodyRecord) -> str:
    return body_colour(number, next((shape.colour for shape in body.shapes if shape.colour), None))


def _moves(positions: NDArray[np.float64], quaternions: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each body (nb,) moves during the run by more than rounding."""
    travel = np.ptp(positions, axis=0).max(axis=1)
    turn = np.ptp(quaternions, axis=0).max(axis=1)
    return np.asarray((travel > STANDS_STILL * max(float(travel.max()), 1e-300)) | (turn > STANDS_STILL))


def _pair_bodies(trajectory: Trajectory) -> tuple[tuple[int, ...], ...]:
    """Numbers of the two bodies of each pairing, less those that the run does not have."""
    numbers = {name: i for i, name in enumerate(trajectory.bodies)}
    return tuple(
        tuple(numbers[name] for name in (record.e, record.f) if name in numbers)
        for record in trajectory.description.pairings
    )


def _only(chosen: NDArray[np.int64], values: tuple[T, ...], nothing: T) -> tuple[T, ...]:
    """The values of the chosen ones, and nothing for the many others that the page never names."""
    kept = set(chosen.tolist())
    return tuple(value if i in kept else nothing for i, value in enumerate(values))


def _refuse_broken_poses(
    label: str, times: NDArray[np.float64], positions: NDArray[np.float64], quaternions: NDArray[np.float64]
) -> None:
    length = np.linalg.norm(quaternions, axis=-1)
    sound = np.isfinite(positions).all(axis=-1) & np.isfinite(length) & (length > 0.0)
    bad = np.flatnonzero(~sound.all(axis=1))
    if len(bad):
        raise SimulationError(
            f"{label}: the pose of a body at t = {times[bad[0]]:g} s is not finite, or no rotation; the run went wrong "
            "there or its file is damaged: run it once more, to an earlier end"
        )


def _subtitle(trajectory: Trajectory) -> str:
    message = f": {trajectory.message}" if trajectory.status not in ("finished", "running") else ""
    return f"{trajectory.status}{message}"


def _facts(trajectory: Trajectory, n_frames: int) -> tuple[tuple[str, str], ...]:
    time = trajectory.time
    return (
        ("simulated", f"{time[0]:g} to {time[-1]:g} s"),
        ("samples", f"{len(time)}, {n_frames} shown"),
        ("bodies", str(len(trajectory.bodies))),
        ("pairings", str(len(trajectory.pairings))),
        ("integrator", str(trajectory.settings.get("integrator", "unknown"))),
    )
