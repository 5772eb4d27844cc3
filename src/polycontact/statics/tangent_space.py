"""Small motions of a system: one number for each speed, with its name and unit; quaternions never appear.

A displacement along the speeds moves joint coordinates as these speeds would in a second: the rotation of a free body
is a rotation vector in the axes of the marker on the parent (of a body without a joint: of the world).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.dynamics_codes import JointCode
from polycontact.multibody.joint_types import JointKind, unit_of
from polycontact.multibody.system_setup import SystemSetup

Array = NDArray[np.float64]

DISPLACEMENT_OF = {
    "vx": "x",
    "vy": "y",
    "vz": "z",
    "wx": "rotation_x",
    "wy": "rotation_y",
    "wz": "rotation_z",
    "angular_speed": "angle",
    "angular_speed_1": "angle_1",
    "angular_speed_2": "angle_2",
    "speed": "displacement",
}
"""Name of the small displacement along each speed of a joint."""


@dataclass(frozen=True)
class Freedom:
    """One free speed of the system: of which joint and body, its name, that of the displacement along it, units.

    ``of_free_body``: whether the body has no joint, and the speed is one along or about an axis of the world.
    """

    joint: str
    body: str
    speed: str
    of_free_body: bool = False

    @property
    def displacement(self) -> str:
        """Name of the displacement along the speed."""
        return DISPLACEMENT_OF[self.speed]

    @property
    def name(self) -> str:
        """Name of the displacement with the joint's: "crank.angle"."""
        return f"{self.joint}.{self.displacement}"

    @property
    def speed_name(self) -> str:
        """Name of the speed with the joint's: "crank.angular_speed"."""
        return f"{self.joint}.{self.speed}"

    @property
    def speed_unit(self) -> str:
        """Unit of the speed: m/s or rad/s."""
        return unit_of(self.speed)

    @property
    def unit(self) -> str:
        """Unit of the displacement: m or rad."""
        return self.speed_unit.removesuffix("/s")

    @property
    def force_unit(self) -> str:
        """Unit of a force along it: N or N m."""
        return "N" if self.unit == "m" else "N m"


class TangentSpace:
    """The free speeds of a system, and how states move along them."""

    def __init__(self, setup: SystemSetup) -> None:
        self._setup = setup
        moving = [joint for joint in setup.joints if not joint.motions]
        self.freedoms = tuple(
            Freedom(joint.name, joint.child, speed, joint.name == joint.child and joint.kind is JointKind.FREE)
            for joint in moving
            for speed in joint.variables.speeds
        )
        tree = setup.tree
        self.columns = np.array(
            [
                int(tree.first_v[body]) + k
                for body in range(1, tree.n_bodies)
                if tree.motion[body] < 0
                for k in range(int(tree.count_v[body]))
            ],
            dtype=np.intp,
        )
        """Where each free speed stands among the speeds of all joints."""
        self.n = len(self.freedoms)
        first_speed = setup.n_state_q
        self.speeds = slice(first_speed, first_speed + self.n)
        """Where the speeds stand in y."""
        self.inner = slice(first_speed + self.n, int(tree.ledger))
        """Where the states of users' elements and of contacts stand in y."""
        self.n_inner = self.inner.stop - self.inner.start
        self.is_turn = np.array([each.unit == "rad" for each in self.freedoms], dtype=bool)

    def displaced(self, y: Array, by: Array) -> Array:
        """The state ``y`` displaced by (n,) along the speeds, m and rad; the speeds stay."""
        out = np.array(y)
        tree = self._setup.tree
        for body in range(1, tree.n_bodies):
            if tree.motion[body] >= 0:
                continue
            kind, at_q = tree.kind[body], int(tree.state_q[body])
            at = int(tree.state_v[body]) - self.speeds.start
            n_q, n_v = int(tree.count_q[body]), int(tree.count_v[body])
            own, q = by[at : at + n_v], out[at_q : at_q + n_q]
            if kind in (JointCode.FREE, JointCode.SPHERICAL):
                if kind == JointCode.FREE:
                    q[:3] += own[:3]
                q[-4:] = _turned(q[-4:], own[-3:])
            else:
                q += own
        return out


def _turned(quaternion: Array, vector: Array) -> Array:
    """A quaternion (w, x, y, z) after a rotation vector (rad) in the axes of the parent, of unit length."""
    angle = float(np.linalg.norm(vector))
    # sin(x/2)/x, also where x vanishes
    half = 0.5 * float(np.sinc(angle / (2.0 * np.pi)))
    a, (b, c, d) = np.cos(0.5 * angle), half * vector
    w, x, y, z = quaternion
    product = np.array(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y + c * w + d * x - b * z,
            a * z + d * w + b * y - c * x,
        ]
    )
    return np.asarray(product / np.linalg.norm(product))
