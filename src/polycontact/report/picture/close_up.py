"""A contact from near: where the camera goes, and which bodies hide the contact and become transparent."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.report.picture.camera import Camera, Projection
from polycontact.report.picture.near_plane import clip_near
from polycontact.report.picture.picture_scene import RunScenes, Scene
from polycontact.report.picture.raster import faces_camera, rasterise
from polycontact.report.picture.render import Look, fit
from polycontact.simulation.recording.records import PairingRecord

VIEW_RADIUS_FACTOR = 2.6
"""What is shown around a contact, in its own sizes."""

LEAST_BODY_SHARE = 0.12
"""At least this share of the smaller body is shown, so that one sees where the contact is."""

HIDING_SHARE = 0.05
"""A body that lies before more than this share of the contact's pixels is made transparent."""

HIDING_OPACITY = 0.22
"""Opacity of bodies that hide the contact."""

MAX_PROBE_TIMES = 24
"""Times of a film at which contacts are looked for; between them the camera moves evenly."""

PROBE_PIXELS = (240, 160)
"""Pixels in which hiding bodies are looked for."""


@dataclass(frozen=True, eq=False)
class CloseUp:
    """Cameras that show a contact, one for each time, the opacity of each body, name and number of the pairing."""

    cameras: list[Camera]
    opacity: NDArray[np.float64]
    name: str
    pairing: int


@dataclass(frozen=True, eq=False)
class _Contact:
    """A contact at ``time`` (s): ``triangles`` (n, 3, 3) m, none of a mere point; ``points`` (k, 3) m; ``depth`` m."""

    time: float
    triangles: NDArray[np.float64]
    points: NDArray[np.float64]
    depth: float

    @property
    def middle(self) -> NDArray[np.float64]:
        """Centre of the bounding box of the contact, m."""
        return np.asarray(0.5 * (self.points.min(axis=0) + self.points.max(axis=0)))

    @property
    def radius(self) -> float:
        """Half the longest side of the contact's bounding box, m."""
        return 0.5 * float(np.ptp(self.points, axis=0).max())


def close_up(scenes: RunScenes, times: NDArray[np.float64], pairing: str, camera: Camera, look: Look) -> CloseUp:
    """The contact of a pairing at ``times`` (n,) s, seen as ``camera`` looks, with its distance where it has one."""
    history = scenes.trajectory.pairing(pairing)
    number = scenes.trajectory.pairings.index(history.name)
    probes = (
        times
        if len(times) <= MAX_PROBE_TIMES
        else times[np.linspace(0, len(times) - 1, MAX_PROBE_TIMES).round().astype(int)]
    )
    found = [each for time in probes.tolist() if (each := _contact(scenes, time, number)) is not None]
    if not found:
        raise SimulationError(_never(scenes, times, pairing))
    radius = max(_least_radius(scenes, history.record), *(VIEW_RADIUS_FACTOR * each.radius for each in found))
    middles = np.array([each.middle for each in found])
    path = np.stack([np.interp(times, [each.time for each in found], middles[:, k]) for k in range(3)], axis=1)
    opacity = np.ones(len(scenes.trajectory.description.bodies))
    for contact in found:
        scene, view = scenes.at(contact.time, patches=False), _at(camera, contact.middle, radius, look)
        opacity = _see_through(scene, view, contact, opacity)
    return CloseUp([_at(camera, middle, radius, look) for middle in path], opacity, history.name, number)


def _contact(scenes: RunScenes, time: float, pairing: int) -> _Contact | None:
    """The contact of a pairing at ``time`` (s); None where there is none."""
    scene = scenes.at(time, forces="pairing")
    if scene.patches is not None and (own := scene.patches.pairing == pairing).any():
        triangles = scene.patches.points[scene.patches.triangles[own]]
        return _Contact(time, triangles, triangles.reshape(-1, 3), float(scene.patches.depth[own].max()))
    acting = [force.point for force in scene.forces if force.pairing == pairing]
    return _Contact(time, np.zeros((0, 3, 3)), np.array(acting), 0.0) if acting else None


def _least_radius(scenes: RunScenes, record: PairingRecord) -> float:
    """Least radius of the view around a contact, m: a share of the smaller body's size."""
    names = [body.name for body in scenes.trajectory.description.bodies]
    return LEAST_BODY_SHARE * min(scenes.size_of(names.index(each)) for each in (record.e, record.f))


def _at(camera: Camera, middle: NDArray[np.float64], radius: float, look: Look) -> Camera:
    """The camera at a distance from which a ball around ``middle`` is seen."""
    x, y, z = middle.tolist()
    ball = middle + radius * np.concatenate((np.eye(3), -np.eye(3)))
    return fit(ball, replace(camera, target=(x, y, z)), look)


def _see_through(scene: Scene, camera: Camera, contact: _Contact, opacity: NDArray[np.float64]) -> NDArray[np.float64]:
    """The opacity of bodies, less of those that hide a contact, one behind the other.

    The two that touch lie in each other by the depth: what is nearer by no more than that hides nothing.
    """
    projection = Projection(camera, *PROBE_PIXELS)
    parts, number, _ = clip_near(scene.corners, projection)
    placed, body = projection.project(parts), scene.body[number]
    outside = faces_camera(placed)
    rows, columns, distance = _places(projection, contact)
    found = opacity.copy()
    for _ in range(len(found)):
        front = rasterise(placed, *PROBE_PIXELS, which=outside & (found[body] >= 1.0))
        hidden = front.nearness[rows, columns] * (distance - 1.5 * contact.depth) > 1.0 + 1e-3
        owners = body[front.triangle[rows[hidden], columns[hidden]]]
        hiding = np.flatnonzero(np.bincount(owners, minlength=len(found)) > HIDING_SHARE * len(rows))
        if not len(hiding):
            break
        found[hiding] = HIDING_OPACITY
    return found


def _places(
    projection: Projection, contact: _Contact
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Rows, columns and distances (m) of the pixels at which a contact is: of its triangles, or of its points."""
    parts, _, _ = clip_near(contact.triangles, projection)
    layer = rasterise(projection.project(parts), *PROBE_PIXELS)
    rows, columns = np.nonzero(layer.covered)
    if len(rows):
        return rows, columns, 1.0 / layer.nearness[rows, columns].astype(np.float64)
    x, y, near = projection.project(contact.points).T
    inside = (near > 0) & (x >= 0) & (x < PROBE_PIXELS[0]) & (y >= 0) & (y < PROBE_PIXELS[1])
    return y[inside].astype(np.int64), x[inside].astype(np.int64), 1.0 / near[inside]


def _never(scenes: RunScenes, times: NDArray[np.float64], pairing: str) -> str:
    """Why a contact cannot be shown, and when it could."""
    history, time = scenes.trajectory.pairing(pairing), scenes.trajectory.time
    name, touching = history.record.name, time[history.in_contact]
    if not len(touching):
        return f"picture: {name} do not touch at any sample of the run; zoom to another pairing"
    best = float(time[int(np.argmax(np.linalg.norm(history.force, axis=1)))])
    when = f"t = {times[0]:.6g} s" if len(times) == 1 else f"from {times[0]:.6g} s to {times[-1]:.6g} s"
    return (
        f"picture: {name} do not touch at {when}; they first do at {touching[0]:.6g} s and press most at {best:.6g} s: "
        f"choose such a time"
    )
