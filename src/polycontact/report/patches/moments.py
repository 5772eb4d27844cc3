"""Where all bodies of a run are, and how fast, at any time between its samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.report.view.run_pairings import Motion
from polycontact.simulation.recording.records import ShapeRecord
from polycontact.simulation.recording.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Moment:
    """The ``motion`` of all bodies at ``time`` (s); ``sample``: the number of the sample this is, None between two."""

    time: float
    motion: Motion
    sample: int | None

    def place(self, body: int, shape: ShapeRecord) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rotation (3, 3) and position (3,) m of the frame of a shape of body number ``body`` in the world."""
        rotation, position = self.motion.rotation[body], self.motion.position[body]
        return rotation @ shape.rotation, position + rotation @ shape.position

    def vertices(self, body: int, shape: ShapeRecord) -> NDArray[np.float64]:
        """Vertices (n, 3) m of a shape in the world."""
        rotation, position = self.place(body, shape)
        placed: NDArray[np.float64] = shape.vertices @ rotation.T + position
        return placed


def moment_at(trajectory: Trajectory, time: float) -> Moment:
    """The moment at ``time`` (s); between samples positions and velocities go straight, rotations at constant speed."""
    poses = trajectory.at(time)
    times = trajectory.time
    near = int(nearest_samples(times, time))
    if times[near] == time:
        return Moment(float(time), Motion.at(trajectory, near), near)
    velocities, turning, states = (trajectory.array(name) for name in ("velocities", "angular_velocities", "state"))
    after = int(np.searchsorted(times, time))
    before = after - 1
    share = float((time - times[before]) / (times[after] - times[before]))
    motion = Motion(
        poses.rotation,
        poses.position,
        (1 - share) * velocities[before] + share * velocities[after],
        (1 - share) * turning[before] + share * turning[after],
        (1 - share) * states[before] + share * states[after],
    )
    return Moment(float(time), motion, None)


def nearest_samples(times: NDArray[np.float64], wanted: ArrayLike) -> NDArray[np.int64]:
    """Numbers of the samples at ``times`` (n,) s that are nearest to the times ``wanted`` (s)."""
    wanted = np.asarray(wanted, np.float64)
    after = np.clip(np.searchsorted(times, wanted), min(1, len(times) - 1), len(times) - 1)
    before = np.maximum(after - 1, 0)
    return np.asarray(np.where(wanted - times[before] < times[after] - wanted, before, after))
