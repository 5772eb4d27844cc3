"""What a URDF file says of a robot: links, joints and their shapes, in SI units and with names as in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.rigid_bodies import RigidMass
from polycontact.robots.following import JointFollowing
from polycontact.robots.parent_frames import Frame

JOINT_KINDS = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.REVOLUTE,
    "prismatic": JointKind.PRISMATIC,
    "fixed": JointKind.FIXED,
    "floating": JointKind.FREE,
    "planar": JointKind.PLANAR,
}
"""What each type of joint in URDF is called here."""

PRIMITIVES = ("box", "cylinder", "sphere")
"""Geometries that are no mesh files; each is a shape of ``polycontact.shapes``."""


@dataclass(frozen=True)
class JointLimits:
    """Limits of a joint: ``lower`` and ``upper`` (rad or m), ``effort`` (N m or N), ``velocity`` (rad/s or m/s).

    Infinite where there is none.
    """

    lower: float
    upper: float
    effort: float
    velocity: float


@dataclass(frozen=True, eq=False)
class UrdfShape:
    """A visual or collision element: one of `PRIMITIVES` with the arguments of its shape, or a "mesh".

    ``file`` is the mesh as written in the file, ``scale`` (3,) of its coordinates; ``colour``: "#rrggbb".
    """

    kind: str
    arguments: Mapping[str, Any]
    frame: Frame
    line: int
    file: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    colour: str | None = None


@dataclass(frozen=True, eq=False)
class UrdfLink:
    """A link. ``mass``: mass (kg), centre (m) and inertia about it (kg m²) in the link's frame; None: it has none."""

    name: str
    mass: RigidMass | None
    visuals: tuple[UrdfShape, ...]
    collisions: tuple[UrdfShape, ...]
    line: int

    def __repr__(self) -> str:
        return f"UrdfLink({self.name!r}, {0.0 if self.mass is None else self.mass.mass:.6g} kg)"


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint between two links. ``frame``: the child's in the parent's at zero coordinates; ``axis`` (3,) in it.

    ``kind`` is the type in the file: revolute, continuous, prismatic, fixed, floating or planar. ``damping`` in
    N m s/rad or N s/m, ``friction``, which is dry, in N m or N. ``mimic``: the joint that it follows, if any.
    """

    name: str
    kind: str
    parent: str
    child: str
    frame: Frame
    axis: NDArray[np.float64]
    limits: JointLimits | None
    damping: float
    friction: float
    mimic: JointFollowing | None
    line: int

    def __repr__(self) -> str:
        return f"UrdfJoint({self.name!r}, {self.kind}, {self.parent!r} to {self.child!r})"


@dataclass(frozen=True, eq=False)
class UrdfRobot:
    """A robot as a URDF ``file`` tells it: ``links`` and ``joints`` by name, in the order of the file.

    ``root`` is the link that no joint carries. ``ignored`` lists what the file holds beyond that, one text each.
    """

    name: str
    file: Path
    links: Mapping[str, UrdfLink]
    joints: Mapping[str, UrdfJoint]
    root: str
    ignored: tuple[str, ...]

    def __repr__(self) -> str:
        return f"UrdfRobot({self.name!r}, links: {len(self.links)}, joints: {len(self.joints)}, root: {self.root!r})"

    @property
    def mass(self) -> float:
        """Sum of the masses of all links, kg; links without <inertial> count as 0."""
        return sum(link.mass.mass for link in self.links.values() if link.mass is not None)

    def outwards(self) -> Iterator[str]:
        """Names of the links from the root outwards, each after that which carries it."""
        carried: dict[str, list[str]] = {}
        for joint in self.joints.values():
            carried.setdefault(joint.parent, []).append(joint.child)
        waiting = [self.root]
        while waiting:
            name = waiting.pop()
            yield name
            waiting += reversed(carried.get(name, []))
