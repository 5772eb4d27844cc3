"""Where a picture is taken from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError

VIEWS = {
    "iso": (-52.0, 22.0),
    "front": (-90.0, 8.0),
    "back": (90.0, 8.0),
    "right": (0.0, 8.0),
    "left": (180.0, 8.0),
    "top": (-90.0, 89.0),
}
"""Named views: azimuth and elevation in degrees."""

MARGIN = 1.06
"""Room around what is shown."""

SMALLEST_DISTANCE = 1e-6
"""Least distance of a fitted camera, m: of a single point."""


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera that looks at ``target`` (3,) m from ``distance`` m; z points up in the picture.

    ``azimuth``: from where, degrees in the plane from the x axis towards y; ``elevation`` above it, degrees;
    ``field_of_view``: angle of the picture's height, degrees; ``zoom``: how much nearer than needed to show everything;
    ``shift``: share of the width, at the right, that the axis of the view leaves out of account, by a shifted lens.
    Without a target or a distance everything is shown.
    """

    azimuth: float = VIEWS["iso"][0]
    elevation: float = VIEWS["iso"][1]
    target: tuple[float, float, float] | None = None
    distance: float | None = None
    field_of_view: float = 28.0
    zoom: float = 1.0
    shift: float = 0.0

    def __post_init__(self) -> None:
        numbers = {
            "azimuth": self.azimuth,
            "elevation": self.elevation,
            **({} if self.target is None else dict(zip("xyz", self.target, strict=True))),
        }
        for name, value in numbers.items():
            if not math.isfinite(value):
                raise SimulationError(f"camera: {name} is {value}; it must be finite")
        if not 1.0 <= self.field_of_view <= 150.0:
            raise SimulationError(f"camera: field of view is {self.field_of_view}°; it must be from 1° to 150°")
        for name, positive in (("distance", self.distance), ("zoom", self.zoom)):
            if positive is not None and not 0.0 < positive < math.inf:
                raise SimulationError(f"camera: {name} is {positive}; it must be positive and finite")

    @classmethod
    def named(cls, view: str) -> Camera:
        """One of `VIEWS`, or "azimuth,elevation" in degrees, such as "30,15"."""
        if view in VIEWS:
            azimuth, elevation = VIEWS[view]
            return cls(azimuth, elevation)
        try:
            azimuth, elevation = (float(part) for part in view.split(","))
        except ValueError as error:
            raise SimulationError(
                f"camera: no view {view!r}; there are {', '.join(VIEWS)}, or azimuth,elevation in degrees such as 30,15"
            ) from error
        return cls(azimuth, elevation)

    def axes(self) -> NDArray[np.float64]:
        """Rows: to the right, up in the picture, and from the target to the camera; unit vectors."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        back = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
        right = np.array([-math.sin(a), math.cos(a), 0.0])
        return np.stack((right, np.cross(back, right), back))

    def fitted(self, points: NDArray[np.float64], aspect: float, room: float = 0.0) -> Camera:
        """This camera with target and distance, where they are missing, so that all ``points`` (n, 3) m are seen.

        ``aspect``: width of the picture over its height; ``room``: share of the width left free at the right.
        """
        if self.target is not None and self.distance is not None:
            return self
        axes = self.axes()
        seen = points @ axes.T
        up = math.tan(math.radians(self.field_of_view) / 2) / MARGIN
        slopes = np.array([up * aspect * (1.0 - room), up])
        if self.target is None:
            middle, distance = _fit(seen, slopes)
        else:
            middle = axes @ np.array(self.target)
            away = seen - middle
            distance = float((np.abs(away[:, :2]) / slopes + away[:, 2:]).max())
        distance = max(distance, SMALLEST_DISTANCE) / self.zoom if self.distance is None else self.distance
        x, y, z = (middle @ axes).tolist()
        return replace(self, target=(x, y, z), distance=distance, shift=room if self.target is None else 0.0)


def _fit(seen: NDArray[np.float64], slopes: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Target (3,) and distance, m, of the nearest camera that sees points (n, 3), all along the camera's axes.

    A point is seen where its distance from the axis is at most the slope times how far it lies ahead; that bounds the
    camera's place from both sides, and the two bounds meet at the nearest place.
    """
    across, depth = seen[:, :2], seen[:, 2:]
    low, high = (across + slopes * depth).max(axis=0), (across - slopes * depth).min(axis=0)
    place = float(((low - high) / (2 * slopes)).max())
    middle = 0.5 * (float(depth.min()) + float(depth.max()))
    return np.array([*(0.5 * (low + high)), middle]), place - middle


@dataclass(frozen=True, eq=False)
class Projection:
    """A fitted camera and a picture of ``width`` by ``height`` pixels."""

    camera: Camera
    width: int
    height: int

    @property
    def eye(self) -> NDArray[np.float64]:
        """Position of the camera in the world, m."""
        assert self.camera.target is not None
        assert self.camera.distance is not None
        return np.asarray(np.array(self.camera.target) + self.camera.distance * self.camera.axes()[2])

    @property
    def scale(self) -> float:
        """Pixels per unit of the tangent of the angle from the view axis."""
        return 0.5 * self.height / math.tan(math.radians(self.camera.field_of_view) / 2)

    @property
    def centre(self) -> float:
        """Where the axis of the view meets the picture, pixels from the left."""
        return 0.5 * self.width * (1.0 - self.camera.shift)

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """x, y in pixels and the inverse of the distance along the view (1/m) of points (…, 3) in front."""
        seen = (points - self.eye) @ self.camera.axes().T
        near = 1.0 / -seen[..., 2]
        x = self.centre + self.scale * seen[..., 0] * near
        y = 0.5 * self.height - self.scale * seen[..., 1] * near
        return np.stack((x, y, near), axis=-1)

    def rays(self, x: NDArray[np.floating], y: NDArray[np.floating]) -> NDArray[np.float32]:
        """Directions (…, 3) through places of the picture, as long as one metre along the view."""
        right, up, back = self.camera.axes().astype(np.float32)
        across = ((x - self.centre) / self.scale).astype(np.float32)[..., None]
        upward = ((0.5 * self.height - y) / self.scale).astype(np.float32)[..., None]
        rays: NDArray[np.float32] = across * right + upward * up - back
        return rays
