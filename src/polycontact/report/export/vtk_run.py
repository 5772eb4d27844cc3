"""A run as VTK files: moving bodies, and contact patches with pressure, depth and slip."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from polycontact.report.export.vtk_xml import SeriesFile, write_mesh, write_series
from polycontact.report.patches import PatchMesh, RunPatches
from polycontact.report.patches.moments import Moment, moment_at
from polycontact.simulation.recording.map_rows import MAP_QUANTITIES
from polycontact.simulation.recording.records import BodyRecord
from polycontact.simulation.recording.trajectory import Trajectory

Progress = Callable[[int, int], None]
"""Called with the number of times done and of all."""


class VtkRun:
    """Writes the frames of a run to a folder; files of bodies that stand still are written once."""

    def __init__(self, trajectory: Trajectory, folder: Path) -> None:
        self._trajectory = trajectory
        self._folder = folder
        self._patches = RunPatches(trajectory)
        self._names = file_names(trajectory.bodies)
        self._last: dict[int, tuple[bytes, str]] = {}
        self._maps = vtk_maps(trajectory) if trajectory.has_maps else {}
        self._bodies: list[SeriesFile] = []
        self._contacts: list[SeriesFile] = []

    def write(self, samples: list[int], progress: Progress | None = None) -> None:
        """Write bodies and patches at some samples, and the two series."""
        for name in ("bodies", "patches"):
            (self._folder / name).mkdir(exist_ok=True)
        for frame, sample in enumerate(samples):
            moment = moment_at(self._trajectory, float(self._trajectory.time[sample]))
            self._write_bodies(frame, moment)
            if self._trajectory.pairings:
                self._write_patches(frame, moment)
            if progress is not None:
                progress(frame + 1, len(samples))
        write_series(self._folder / "bodies.pvd", self._bodies)
        if self._trajectory.pairings:
            write_series(self._folder / "patches.pvd", self._contacts)

    def _write_bodies(self, frame: int, moment: Moment) -> None:
        for number, body in enumerate(self._trajectory.description.bodies):
            if not any(len(shape.triangles) for shape in body.shapes):
                continue
            pose = moment.motion.position[number].tobytes() + moment.motion.rotation[number].tobytes()
            known, path = self._last.get(number, (b"", ""))
            if pose != known:
                path = f"bodies/{self._names[number]}_{frame:04d}.vtp"
                _write_body(self._folder / path, number, body, moment, self._maps)
                self._last[number] = (pose, path)
            self._bodies.append(SeriesFile(moment.time, number, body.name, path))

    def _write_patches(self, frame: int, moment: Moment) -> None:
        path = f"patches/patches_{frame:04d}.vtp"
        patches = self._patches.at_moment(moment)
        write_mesh(self._folder / path, patches.points, patches.triangles, patch_data(patches))
        self._contacts.append(SeriesFile(moment.time, 0, "patches", path))


def patch_data(patches: PatchMesh) -> dict[str, np.ndarray]:
    """Values of patches by the names that ParaView shows."""
    return {
        "pressure [Pa]": patches.pressure,
        "depth [m]": patches.depth,
        "slip [m s^-1]": patches.slip,
        "slip speed [m s^-1]": np.linalg.norm(patches.slip, axis=1),
        "pairing": patches.pairing.astype("<i4"),
        "element": patches.element.astype("<i4"),
        "side": patches.side.astype("<i4"),
    }


def file_names(names: tuple[str, ...]) -> list[str]:
    """File names of bodies: letters and digits of any alphabet stay, no two are alike."""
    plain = [re.sub(r"[^\w-]+", "_", name).strip("_")[:60] or "body" for name in names]
    lower = [name.casefold() for name in plain]
    return [name if lower.count(name.casefold()) == 1 else f"{name}_{i}" for i, name in enumerate(plain)]


VtkMaps = dict[tuple[str, int], dict[str, np.ndarray]]
"""Values on the triangles of shapes, by body and number, by the names that ParaView shows."""


def vtk_maps(trajectory: Trajectory) -> VtkMaps:
    """What the surfaces went through in the whole run."""
    return {
        (each.body, each.shape): {f"{q.title} [{_in_ascii(q.unit)}]": each.array(q.name) for q in MAP_QUANTITIES}
        for each in trajectory.maps.shapes
    }


def _in_ascii(unit: str) -> str:
    return unit.replace("J/m²", "J m^-2")


def _write_body(path: Path, number: int, body: BodyRecord, moment: Moment, maps: VtkMaps) -> None:
    """All shapes of a body where they are at a moment, with what they went through where there are maps."""
    points = [moment.vertices(number, shape) for shape in body.shapes]
    first = np.cumsum([0, *(len(part) for part in points[:-1])])
    triangles = [shape.triangles + start for shape, start in zip(body.shapes, first, strict=True)]
    sizes = [len(part) for part in triangles]
    write_mesh(
        path,
        np.concatenate(points),
        np.concatenate(triangles),
        {
            "body": np.full(sum(sizes), number, "<i4"),
            "shape": np.repeat(np.arange(len(sizes), dtype="<i4"), sizes),
            "speed [m s^-1]": np.full(sum(sizes), float(np.linalg.norm(moment.motion.velocity[number]))),
            **_map_data(body, maps),
        },
    )


def _map_data(body: BodyRecord, maps: VtkMaps) -> dict[str, np.ndarray]:
    """Maps of all shapes of a body, zeros on those without; none where the run has none."""
    names = next(iter(maps.values()), {})
    parts = {
        name: [
            maps.get((body.name, i), {}).get(name, np.zeros(len(shape.triangles)))
            for i, shape in enumerate(body.shapes)
        ]
        for name in names
    }
    return {name: np.concatenate(values) for name, values in parts.items()}
