"""What a picture shows: triangles of bodies with their normals and colours, and coloured patches."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError, SurfaceError, SurfaceWarning
from polycontact.report.patches import PatchMesh, RunPatches
from polycontact.report.patches.contact_forces import ContactForce
from polycontact.report.patches.moments import Moment, moment_at
from polycontact.report.picture.arrows import Arrow
from polycontact.report.picture.picture_colours import rgb
from polycontact.report.view.display_units import MAPS, SHOWN
from polycontact.report.view.viewer_colours import body_colour
from polycontact.simulation.recording.histories import find_name
from polycontact.simulation.recording.records import ShapeRecord
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.surfaces.surface import Surface
from polycontact.surfaces.vertex_normals import corner_normals

COLOUR_BY = {quantity.key: quantity for quantity in SHOWN} | MAPS
"""What patches can be coloured by; and bodies, where a run has kept maps."""


class ColouredBy(NamedTuple):
    """Whether patches are coloured, and the name of the map by which bodies are, if they are."""

    patches: bool
    map: str | None


def coloured_by(colour_by: str) -> ColouredBy:
    """What a word of `COLOUR_BY`, or "none", colours."""
    name = MAPS[colour_by].key if colour_by in MAPS else None
    return ColouredBy(name is None and colour_by != "none", name)


SURROUNDINGS = 2.2
"""Room around moving bodies, in their sizes, that is shown of much larger bodies that stand still."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything in the picture, in world axes.

    ``corners`` (n, 3, 3) m of all triangles; ``normals`` (n, 3, 3) at them; ``colour`` (n, 3) from 0 to 1; ``body``
    (n,): its number; ``is_open`` (n,): of a surface without an inside. ``patches``: None where none are shown.
    ``focus`` (k, 3) m: points that a camera should show. ``opacity`` (n,): 1 where nothing is seen through a triangle,
    by default everywhere. ``forces``: of the contacts; ``arrows``: those that are drawn. ``mapped`` (n,): value of a
    map of each triangle, SI units, None where bodies have their own colours.
    """

    corners: NDArray[np.float64]
    normals: NDArray[np.float64]
    colour: NDArray[np.float64]
    body: NDArray[np.int64]
    is_open: NDArray[np.bool_]
    focus: NDArray[np.float64]
    patches: PatchMesh | None = None
    opacity: NDArray[np.float64] = field(default_factory=lambda: np.ones(0))
    forces: tuple[ContactForce, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    mapped: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if not len(self.opacity):
            object.__setattr__(self, "opacity", np.ones(len(self.body)))

    @property
    def points(self) -> NDArray[np.float64]:
        """Corners of all triangles, (3 n, 3), m."""
        return self.corners.reshape(-1, 3)

    @property
    def size(self) -> float:
        """Diagonal of the box around everything, m."""
        return float(np.linalg.norm([np.ptp(self.corners[..., i]) for i in range(3)]))


@dataclass(frozen=True, eq=False)
class _Part:
    """A shape in its own frame: corners, corner normals."""

    body: int
    shape: ShapeRecord
    corners: NDArray[np.float64]
    normals: NDArray[np.float64]
    colour: NDArray[np.float64]
    is_open: bool


class RunScenes:
    """Scenes of a trajectory at any time; what does not change is worked out once."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self._patches = RunPatches(trajectory)
        self._parts = [
            _part(i, shape, rgb(body_colour(i, shape.colour)))
            for i, body in enumerate(trajectory.description.bodies)
            for shape in body.shapes
            if len(shape.triangles)
        ]
        positions, quaternions = trajectory.array("positions"), trajectory.array("quaternions")
        self._moves = (np.ptp(positions, axis=0) > 0).any(axis=1) | (np.ptp(quaternions, axis=0) > 0).any(axis=1)
        if not self._parts:
            raise SimulationError("picture: no body of the run has a mesh; there is nothing to show")

    def at(
        self,
        time: float,
        patches: bool = True,
        *,
        forces: str = "none",
        opacity: NDArray[np.float64] | None = None,
        pairing: int | None = None,
        mapped: str | None = None,
    ) -> Scene:
        """The scene at ``time`` (s).

        ``forces``: "none", "pairing" or "patch", of all pairings or of that with number ``pairing``; ``opacity``: of
        each body; ``mapped``: the map by which bodies are coloured.
        """
        moment = self._moment(time)
        found = self._patches.at_moment(moment) if patches and self.trajectory.pairings else None
        acting: tuple[ContactForce, ...] = ()
        if forces != "none" and self.trajectory.pairings:
            acting = self._patches.forces_at(moment, self._moves, by_patch=forces == "patch")
            acting = tuple(each for each in acting if pairing is None or each.pairing == pairing)
        placed = [_place(part, moment) for part in self._parts]
        sizes = [len(part.corners) for part in self._parts]
        return Scene(
            corners=np.concatenate([corners for corners, _ in placed]),
            normals=np.concatenate([normals for _, normals in placed]),
            colour=np.repeat([part.colour for part in self._parts], sizes, axis=0),
            body=np.repeat([part.body for part in self._parts], sizes),
            is_open=np.repeat([part.is_open for part in self._parts], sizes),
            focus=self.focus(moment),
            patches=found,
            opacity=np.repeat([1.0 if opacity is None else opacity[part.body] for part in self._parts], sizes),
            forces=acting,
            mapped=None if mapped is None else self._values(mapped),
        )

    def _values(self, name: str) -> NDArray[np.float64]:
        """A map on all triangles, zeros where the run has kept none."""
        known = {(each.body, each.shape): each.array(name) for each in self.trajectory.maps.shapes}
        values = []
        for body in self.trajectory.description.bodies:
            for number, shape in enumerate(body.shapes):
                if len(shape.triangles):
                    values.append(known.get((body.name, number), np.zeros(len(shape.triangles))))
        return np.concatenate(values)

    def opacity_of(self, transparent: Iterable[str], opacity: float) -> NDArray[np.float64]:
        """The opacity of each body: that of those named, 1 of the others."""
        names = [body.name for body in self.trajectory.description.bodies]
        found = np.ones(len(names))
        for name in transparent:
            found[find_name("body", name, names, "picture")] = opacity
        return found

    def size_of(self, body: int) -> float:
        """Diagonal of the box around a body in its own frame, m."""
        points = np.concatenate([part.corners.reshape(-1, 3) for part in self._parts if part.body == body])
        return float(np.linalg.norm(np.ptp(points, axis=0)))

    @property
    def everything_moves(self) -> bool:
        """Whether no body stands still all the time."""
        return all(self._moves[part.body] for part in self._parts)

    def focus_at(self, time: float) -> NDArray[np.float64]:
        """Points (k, 3) m to show at ``time`` (s)."""
        return self.focus(self._moment(time))

    def focus(self, moment: Moment) -> NDArray[np.float64]:
        """Points (k, 3) m to show: all bodies, or, where those that stand still are much larger, those that move."""
        everything = self._boxes(moment, range(len(self._parts)))
        moving = [i for i, part in enumerate(self._parts) if self._moves[part.body]]
        if not moving or len(moving) == len(self._parts):
            return everything
        some = self._boxes(moment, moving)
        middle = some.mean(axis=0)
        wide = middle + SURROUNDINGS * (some - middle)
        larger = np.linalg.norm(np.ptp(everything, axis=0)) > np.linalg.norm(np.ptp(wide, axis=0))
        return wide if larger else everything

    def _moment(self, time: float) -> Moment:
        moment = moment_at(self.trajectory, time)
        if not (np.isfinite(moment.motion.position).all() and np.isfinite(moment.motion.rotation).all()):
            raise SimulationError(f"picture: at t = {time:.9g} s a body is nowhere: its pose is not finite")
        return moment

    def _boxes(self, moment: Moment, parts: Iterable[int]) -> NDArray[np.float64]:
        """Corners (8 k, 3) m of the boxes around some shapes."""
        boxes = []
        for part in (self._parts[i] for i in parts):
            points = part.corners.reshape(-1, 3)
            low, high = points.min(axis=0), points.max(axis=0)
            box = np.array([[(low, high)[i >> k & 1][k] for k in range(3)] for i in range(8)])
            rotation, position = moment.place(part.body, part.shape)
            boxes.append(box @ rotation.T + position)
        return np.concatenate(boxes)


def scene_of_surfaces(
    surfaces: list[tuple[Surface, NDArray[np.float64], NDArray[np.float64]]],
    colours: list[NDArray[np.float64]],
    patches: PatchMesh | None = None,
) -> Scene:
    """A scene of surfaces with their rotations and positions (m)."""
    corners = [surface.vertices[surface.triangles] @ R.T + r for surface, R, r in surfaces]
    normals = [_smooth_normals(surface) @ R.T for surface, R, _ in surfaces]
    sizes = [len(each) for each in corners]
    return Scene(
        corners=np.concatenate(corners),
        normals=np.concatenate(normals),
        colour=np.repeat(colours, sizes, axis=0),
        body=np.repeat(np.arange(len(sizes)), sizes),
        is_open=np.repeat([not surface.is_closed for surface, _, _ in surfaces], sizes),
        focus=np.concatenate(corners).reshape(-1, 3),
        patches=patches,
    )


def patch_values(patches: PatchMesh, colour_by: str) -> NDArray[np.float64]:
    """The value (m,) by which each triangle of the patches is coloured, in SI units."""
    if colour_by == "slip":
        return np.asarray(np.linalg.norm(patches.slip, axis=1))
    return patches.pressure if colour_by == "pressure" else patches.depth


def _part(body: int, shape: ShapeRecord, colour: NDArray[np.float64]) -> _Part:
    surface = _make_surface(shape)
    corners = np.asarray(shape.vertices)[shape.triangles]
    if surface is None:
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals = normals / np.maximum(np.linalg.norm(normals, axis=1), np.finfo(float).tiny)[:, None]
        return _Part(body, shape, corners, np.repeat(normals[:, None], 3, axis=1), colour, True)
    return _Part(body, shape, corners, _smooth_normals(surface), colour, not surface.is_closed)


def _make_surface(shape: ShapeRecord) -> Surface | None:
    """The surface of a shape; None where its mesh is no valid surface, as that of a mere picture may be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SurfaceWarning)
        try:
            return Surface(shape.vertices, shape.triangles, name=shape.name)
        except SurfaceError:
            return None


def _smooth_normals(surface: Surface) -> NDArray[np.float64]:
    return corner_normals(surface.vertices, surface.triangles, surface.half_edges).reshape(-1, 3, 3)


def _place(part: _Part, moment: Moment) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rotation, position = moment.place(part.body, part.shape)
    return part.corners @ rotation.T + position, part.normals @ rotation.T
