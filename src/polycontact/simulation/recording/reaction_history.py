"""What a joint or a loop transmitted in a run, one row for each sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rotations import from_quaternion
from polycontact.simulation.recording.records import JointRecord, LoopRecord

if TYPE_CHECKING:
    from polycontact.simulation.recording.trajectory import Trajectory

Array = NDArray[np.float64]


class ReactionHistory:
    """Force and torque on the child of a joint, or on body b of a loop, at ``point``; n is the number of samples.

    They act at the origin of the joint's marker on that body; the other body feels the opposite. All that the joint
    transmits is in them: springs, stops, motors and prescribed motions along its coordinates too.
    """

    def __init__(self, trajectory: Trajectory, quantity: str, index: int, record: JointRecord | LoopRecord) -> None:
        self.name = record.name
        self.record = record
        self._trajectory = trajectory
        self._quantity = quantity
        self._index = index
        if isinstance(record, JointRecord):
            self.other, self.body = record.parent, record.child
        else:
            self.other, self.body = record.body_a, record.body_b

    def __repr__(self) -> str:
        return f"ReactionHistory({self.name!r}, of {self.other!r} on {self.body!r}, {len(self._trajectory)} samples)"

    @property
    def force(self) -> Array:
        """Force, world axes, (n, 3) N."""
        return self._wrench[:, :3]

    @property
    def torque(self) -> Array:
        """Torque at `point`, world axes, (n, 3) N m."""
        return self._wrench[:, 3:]

    @property
    def own_force(self) -> Array:
        """Force in the axes of the joint's marker on the other body, (n, 3) N; z is the axis of a revolute joint."""
        return self._turned(self.force)

    @property
    def own_torque(self) -> Array:
        """Torque in the axes of the joint's marker on the other body, (n, 3) N m."""
        return self._turned(self.torque)

    @property
    def point(self) -> Array:
        """Where it acts, in the world, (n, 3) m."""
        body = self._trajectory.body(self.body)
        return np.asarray(body.position + body.rotation @ np.asarray(self.record.point))

    @property
    def _wrench(self) -> Array:
        return self._trajectory.array(self._quantity)[:, self._index]

    def _turned(self, vectors: Array) -> Array:
        """World vectors (n, 3) in the joint's axes."""
        own = np.asarray(self.record.rotation)
        bodies = self._trajectory.bodies
        if self.other not in bodies:  # the world
            return np.asarray(vectors @ own)
        rotation = from_quaternion(self._trajectory.array("quaternions")[:, bodies.index(self.other)])
        return np.asarray(np.einsum("nij,ni->nj", rotation @ own, vectors))
