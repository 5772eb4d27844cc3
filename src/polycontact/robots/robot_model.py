"""A robot as a description: links with shapes and masses, driven joints, contacts; `system` makes it a system.

The description is plain data, so that the same robot can be simulated from Python and written to a scenario file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws.contact_law import ContactLaw
from polycontact.multibody.built_in_forces import EndStop, Motor
from polycontact.multibody.motion_functions import Motion
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import Shape
from polycontact.multibody.rotations import from_quaternion
from polycontact.robots.turns import quaternion_of_turn
from polycontact.surfaces.alternatives import geometry_of

Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class LinkShape:
    """A shape on a link: a kind of `polycontact.shapes` with its arguments.

    ``position`` (m) and ``turn`` (an axis and an angle in degrees) in the link; ``geometry``: as what it touches, see
    `geometry_of`; ``contact``: whether it touches at all.
    """

    kind: str
    arguments: Mapping[str, Any]
    position: Vector = ORIGIN
    turn: tuple[Vector, float] | None = None
    geometry: str = "mesh"
    contact: bool = False
    colour: str | None = None

    def rotation(self) -> NDArray[np.float64]:
        """Rotation (3, 3) of the shape in the link."""
        if self.turn is None:
            return np.eye(3)
        axis, degrees = self.turn
        return from_quaternion(quaternion_of_turn(math.radians(degrees) * np.asarray(axis)))


@dataclass(frozen=True)
class Link:
    """A rigid part of a robot: homogeneous over its shapes, with a ``mass`` (kg); one that is ``fixed`` has none.

    ``position`` (m) counts where no joint carries it.
    """

    name: str
    shapes: tuple[LinkShape, ...]
    mass: float | None = None
    colour: str = "#7f7f7f"
    position: Vector = ORIGIN

    @property
    def fixed(self) -> bool:
        """Whether the link is part of the world, and has no mass."""
        return self.mass is None


@dataclass(frozen=True)
class Drive:
    """PD control of one coordinate and its range.

    ``stiffness`` N m/rad and ``damping`` N m s/rad; ``limit`` of the torque, N m; ``lower``, ``upper`` ends, rad, which
    are elastic stops with ``stop_stiffness`` (N m/rad) and ``stop_damping`` (N m s/rad).
    """

    stiffness: float
    damping: float
    limit: float
    lower: float
    upper: float
    stop_stiffness: float = 1e4
    stop_damping: float = 10.0


@dataclass(frozen=True)
class DrivenJoint:
    """A joint of the tree with a drive for each coordinate; ``at`` (m) and axes in the parent's frame."""

    name: str
    kind: str
    parent: str
    child: str
    at: Vector
    axis: Vector
    drives: tuple[Drive, ...]
    second_axis: Vector | None = None
    child_at: Vector = ORIGIN

    def motor(self, coordinate: int) -> str:
        """Name of the motor of a coordinate."""
        return f"{self.name} motor" + (f" {coordinate + 1}" if len(self.drives) > 1 else "")

    def stop(self, coordinate: int) -> str:
        """Name of the end stop of a coordinate."""
        return f"{self.name} stop" + (f" {coordinate + 1}" if len(self.drives) > 1 else "")


@dataclass(frozen=True)
class RobotContact:
    """Two links that may touch."""

    e: str
    f: str
    name: str


@dataclass(frozen=True)
class Robot:
    """Links, joints and contacts; all contacts have the same ``law`` and ``friction``."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[DrivenJoint, ...]
    contacts: tuple[RobotContact, ...]
    law: ContactLaw
    friction: ContactLaw | None

    @property
    def mass(self) -> float:
        """Mass of all links that move, kg."""
        return sum(link.mass or 0.0 for link in self.links)

    def system(
        self,
        coordinates: Mapping[str, NDArray[np.float64]] | None = None,
        targets: Mapping[str, tuple[Motion, ...]] | None = None,
        places: Mapping[str, Vector] | None = None,
    ) -> MultibodySystem:
        """The robot as a system, which starts with ``coordinates`` by joint, its motors following ``targets``.

        Without targets it has no motors, and without them and contacts it is for kinematics. ``places`` (m): where
        links without a joint start instead.
        """
        system = MultibodySystem(self.name)
        for link in self.links:
            system.add_body(
                link.name,
                shapes=[_made(each, link) for each in link.shapes],
                mass=link.mass,
                fixed=link.fixed,
                position=(places or {}).get(link.name, link.position),
            )
        for joint in self.joints:
            self._add_joint(system, joint, (coordinates or {}).get(joint.name))
        if targets is not None:
            self._add_motors(system, targets)
            for contact in self.contacts:
                system.add_contact(contact.e, contact.f, name=contact.name, law=self.law, friction=self.friction)
        return system

    def _add_joint(self, system: MultibodySystem, joint: DrivenJoint, start: NDArray[np.float64] | None) -> None:
        """A joint with its end stops."""
        system.add_joint(
            joint.name,
            joint.kind,
            joint.parent,
            joint.child,
            at=joint.at,
            axis=joint.axis,
            second_axis=joint.second_axis,
            child_at=joint.child_at,
            coordinates=start,
        )
        for k, drive in enumerate(joint.drives):
            ends = {"lower": drive.lower, "upper": drive.upper}
            system.add_force(
                EndStop(
                    joint.stop(k), joint.name, k, **ends, stiffness=drive.stop_stiffness, damping=drive.stop_damping
                )
            )

    def _add_motors(self, system: MultibodySystem, targets: Mapping[str, tuple[Motion, ...]]) -> None:
        for joint in self.joints:
            for k, (drive, target) in enumerate(zip(joint.drives, targets[joint.name], strict=True)):
                system.add_force(
                    Motor(joint.motor(k), joint.name, target, drive.stiffness, drive.damping, k, drive.limit)
                )


def _made(shape: LinkShape, link: Link) -> Shape:
    return Shape(
        geometry_of(shape.kind, shape.arguments, shape.geometry),
        shape.position,
        shape.rotation(),
        contact=shape.contact,
        colour=shape.colour or link.colour,
    )
