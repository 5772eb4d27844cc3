"""Where the bodies and shapes of a system are and how they move at one instant, by name; world axes, SI units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.multibody.system_setup import SystemSetup


@dataclass(frozen=True, eq=False)
class ShapePlaces:
    """Shapes in contact: ``rotation`` (n, 3, 3), ``position`` (n, 3) and corners of the boxes (n, 3), m."""

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def in_memory(cls, view: SystemView) -> ShapePlaces:
        """What the memory of an evaluation holds now and until it is used again."""
        placed = view.placed
        return cls(placed.rotation.reshape(-1, 3, 3), placed.position, placed.low, placed.high)

    def copy(self) -> ShapePlaces:
        """A copy of the arrays, which later evaluations do not overwrite."""
        return ShapePlaces(self.rotation.copy(), self.position.copy(), self.low.copy(), self.high.copy())

    def seen_from(self, frame: int, own: int, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points (m, 3) of shape ``own`` in the frame of another."""
        world = points @ self.rotation[own].T + self.position[own]
        return np.asarray((world - self.position[frame]) @ self.rotation[frame])


@dataclass(frozen=True, eq=False)
class Placement:
    """Bodies and joints. The world is body 0: ``rotation`` (n, 3, 3), ``position`` (n, 3) m.

    ``velocity`` (n, 6): angular velocity (rad/s) and velocity of the origin (m/s); ``coordinates`` and ``speeds`` of
    all joints, prescribed ones included.
    """

    setup: SystemSetup
    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    coordinates: NDArray[np.float64]
    speeds: NDArray[np.float64]

    @classmethod
    def in_memory(cls, setup: SystemSetup, view: SystemView) -> Placement:
        """What the memory of an evaluation holds now and until it is used again."""
        bodies, joints = view.bodies, view.joints
        rotation = bodies.rotation.reshape(-1, 3, 3)
        return cls(setup, rotation, bodies.position, bodies.velocity, joints.q, joints.v)

    def copy(self) -> Placement:
        """A copy of the arrays, which later evaluations do not overwrite."""
        return Placement(
            self.setup,
            self.rotation.copy(),
            self.position.copy(),
            self.velocity.copy(),
            self.coordinates.copy(),
            self.speeds.copy(),
        )

    def pose(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rotation (3, 3) and position (m) in the world of a body or marker."""
        if name in self.setup.number:
            body = self.setup.number[name]
            return self.rotation[body], self.position[body]
        marker = self.setup.system.marker(name)
        body = self.setup.number[marker.body]
        R, r = self.rotation[body], self.position[body]
        return R @ marker.rotation, r + R @ marker.position

    def twist(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Angular velocity (rad/s) and velocity of the origin (m/s) of a body or marker."""
        marker = self.setup.system.marker(name)
        body = self.setup.number[marker.body]
        w, v = self.velocity[body, :3], self.velocity[body, 3:]
        if name in self.setup.number:
            return w, v
        return w, v + np.cross(w, self.rotation[body] @ marker.position)

    def joint_values(self, joint: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates and speeds of a joint; a body without one has a joint of its own name."""
        q, v = self.setup.variables_of(joint)
        return self.coordinates[q], self.speeds[v]

    def relative_motion(self, e: int, f: int) -> RelativeKinematics:
        """Pose and velocity of shape number ``f`` as seen from shape ``e``, near or not (S0.21)."""
        (R_E, r_E, v_E, w_E), (R_F, r_F, v_F, w_F) = self._shape(e), self._shape(f)
        apart = r_F - r_E
        return RelativeKinematics(
            rotation=R_E.T @ R_F,
            position=R_E.T @ apart,
            velocity=R_E.T @ (v_F - v_E - np.cross(w_E, apart)),
            angular_velocity=R_E.T @ (w_F - w_E),
        )

    def _shape(self, number: int) -> tuple[NDArray[np.float64], ...]:
        """Rotation, position, velocity and angular velocity of a shape's frame in the world."""
        shapes = self.setup.shapes
        body = int(shapes.body[number])
        R, w = self.rotation[body], self.velocity[body, :3]
        arm = R @ shapes.position[number]
        own = R @ shapes.rotation[number].reshape(3, 3)
        return own, self.position[body] + arm, self.velocity[body, 3:] + np.cross(w, arm), w
