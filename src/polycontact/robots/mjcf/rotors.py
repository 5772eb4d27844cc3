"""Rotors of joints (armature): each is a body of its own in the world, which a coupler turns as its joint moves.

So the joint feels the inertia of the rotor along its coordinate and nothing else, as MuJoCo adds it to the diagonal of
the mass matrix: the kinetic energy is ½ A q̇², and gravity does no work on a rotor about its own axis.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from polycontact.multibody.contact_pairs import WORLD
from polycontact.multibody.couplers import Coupler
from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rotations import frame_with_z
from polycontact.robots.frames import Frame
from polycontact.robots.mjcf.description import MjcfJoint, MjcfModel

ROTOR_MASS: Final = 1e-9
"""Mass of a rotor, kg: it does nothing, for the centre does not move, and must not be seen in the mass of a system."""


def joints_with_rotors(model: MjcfModel) -> list[MjcfJoint]:
    """Those that have an armature."""
    return [joint for joint in model.joints.values() if joint.armature]


def rotor_name(joint: str) -> str:
    """Name of the body, and of the joint that carries it."""
    return f"{joint} rotor"


def add_rotor(system: MultibodySystem, joint: MjcfJoint, name: str, coupler: str, around: Frame) -> None:
    """Add the rotor of a joint, which the system calls ``name``; that of a slide turns by 1 rad for each m.

    ``around``: where the file places the body of the joint; the rotor stands on its axis there.
    """
    rotor, driven = rotor_name(name), system.joints[name]
    R, r = around
    system.add_body(rotor, mass=ROTOR_MASS, inertia=[joint.armature] * 3)
    system.add_joint(
        rotor,
        JointKind.REVOLUTE,
        WORLD,
        rotor,
        at=r + R @ joint.anchor,
        rotation=R @ frame_with_z(joint.axis),
        child_rotation=np.eye(3),
        coordinates=driven.coordinates,
        speeds=driven.speeds,
    )
    system.add_coupler(Coupler(coupler, ((rotor, 1.0), (name, -1.0)), 0.0))
