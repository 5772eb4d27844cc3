"""Everything on a body is relative to the middle of its mesh, all positions to the middle of the scene.

So 32-bit floats do; moving patches have 16 bits for each coordinate, 1/65,000 of the body.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rotations import from_quaternion
from polycontact.report.view.viewer_scene import IN_WORLD, Scene


class BodyFrames:
    """Middle and size of each body's meshes, the middle of the scene, and what is relative to them."""

    def __init__(self, scene: Scene) -> None:
        n = len(scene.bodies)
        self.middle, self.half = np.zeros((n, 3)), np.full(n, 1.0)
        for i in range(n):
            points = [part.vertices[part.triangles.ravel()] for part in scene.parts if part.body == i]
            if points:
                low = np.min([p.min(axis=0) for p in points], axis=0)
                high = np.max([p.max(axis=0) for p in points], axis=0)
                self.middle[i] = 0.5 * (low + high)
                self.half[i] = float(np.max(high - low)) * 0.5 or 1.0
        middles = self._middles(scene.positions, scene.quaternions)
        self.origin = 0.5 * (middles.min(axis=(0, 1)) + middles.max(axis=(0, 1)))

    def poses(self, positions: NDArray[np.float64], quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, nb, 7) Middles of the bodies, m from the origin, and unit quaternions."""
        unit = quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)
        return np.concatenate((self._middles(positions, quaternions) - self.origin, unit), axis=-1)

    def _middles(self, positions: NDArray[np.float64], quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(positions + np.einsum("tbij,bj->tbi", from_quaternion(quaternions), self.middle))

    def zero(self, body: int) -> NDArray[np.float64]:
        """What points of a body, or of the world, are given relative to, (3,) m in its frame."""
        return self.origin if body == IN_WORLD else np.asarray(self.middle[body])

    def quantised(self, body: int, points: NDArray[np.float64]) -> NDArray[np.int16]:
        """Points of a body as parts of its half size, 32,767 being 1."""
        relative = (points - self.middle[body]) / self.half[body]
        return np.asarray(np.round(32767.0 * np.clip(relative, -1.0, 1.0)), dtype=np.int16)
