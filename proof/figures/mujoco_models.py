"""Our robots in MuJoCo, an outside engine: pieces of MJCF from a system, and whether it is installed.

Masses, joints, drives and feet are those of the system. Contact is MuJoCo's own, a soft constraint.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.motion_functions import Motion, SplineMotion
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import Body
from polycontact.multibody.rotations import to_quaternion

Array = NDArray[np.float64]

IMPEDANCE = 0.01
"""Of soft contacts: the part of MuJoCo's mixture that is the law of the contact; the rest does not resist.

The smaller it is, the more the contact moves as the spring that is asked for; its force at rest is right with each.
"""


@cache
def is_installed() -> bool:
    """Whether MuJoCo is there."""
    return find_spec("mujoco") is not None


def numbers(values: Any) -> str:
    """Numbers as an attribute of MJCF."""
    return " ".join(f"{x:.12g}" for x in np.ravel(values))


def inertial(body: Body) -> str:
    """Mass, centre and inertia of a body; nothing of one without mass."""
    i = body.inertia
    full = numbers([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
    return f'<inertial pos="{numbers(body.centre)}" mass="{body.mass}" fullinertia="{full}"/>' if body.mass else ""


def carried_by(system: MultibodySystem) -> dict[str, list[str]]:
    """Names of the joints at each body, or at the world, that carry others."""
    joints: dict[str, list[str]] = {}
    for joint in system.joints.values():
        joints.setdefault(joint.parent, []).append(joint.name)
    return joints


def tree(
    system: MultibodySystem, name: str, geoms: Mapping[str, str], joint: str | None = None, free: bool = False
) -> str:
    """A body with all that it carries, its frame where its ``joint`` puts it; ``geoms``: MJCF of what touches.

    The joints are revolute or universal, and at zero all frames are parallel, as those of our robots are.
    """
    parts, place = [inertial(system.bodies[name]), geoms.get(name, "")], np.zeros(3)
    if free:
        parts.insert(0, "<freejoint/>")
    if joint is not None:
        made = system.joints[joint]
        (R, at), (_, child_at) = made.parent_marker, made.child_marker
        place = at - child_at
        axes = [R[:, 2]] if made.kind is JointKind.REVOLUTE else [R[:, 0], R[:, 1]]
        parts += [
            f'<joint name="{joint}/{k}" type="hinge" pos="{numbers(child_at)}" axis="{numbers(axis)}"/>'
            for k, axis in enumerate(axes)
        ]
    parts += [tree(system, system.joints[each].child, geoms, each) for each in carried_by(system).get(name, ())]
    return f'<body name="{name}" pos="{numbers(place)}">{"".join(parts)}</body>'


def free_body(body: Body, rotation: Array, position: Array, geoms: str = "") -> str:
    """A body that nothing carries, at a pose in the world."""
    place = f'pos="{numbers(position)}" quat="{numbers(to_quaternion(rotation))}"'
    return f'<body name="{body.name}" {place}><freejoint/>{inertial(body)}{geoms}</body>'


def spline_values(motion: Motion, times: Array) -> tuple[Array, Array]:
    """Values (n,) of a motion and their rates at some times (s)."""
    from scipy.interpolate import PPoly

    assert isinstance(motion, SplineMotion)
    data = motion.compiled()
    breaks = data.numbers[: data.n_breaks]
    curve = PPoly(data.numbers[data.n_breaks :].reshape(-1, 4).T, breaks)
    within = np.clip(times, breaks[0], breaks[-1])
    moves = (times >= breaks[0]) & (times <= breaks[-1])
    return np.asarray(curve(within)), np.asarray(curve.derivative()(within)) * moves


def soft_contact(stiffness: float, restitution: float, inverse_mass: float) -> str:
    """Attributes of a contact that is a spring of a ``stiffness`` (N/m) with a damper that gives a restitution.

    ``inverse_mass`` (1/kg): what MuJoCo takes for that of the two bodies at a contact, its ``invweight0``. Its force is
    f = (d² K r + d B ṙ) / ((1 − d) w) with the impedance d and the inverse mass w, for which K and B are chosen here; a
    linear damper has the restitution exp(−π ζ / √(1 − ζ²)).
    """
    d, log = IMPEDANCE, -math.log(restitution)
    zeta = log / math.hypot(math.pi, log)
    spring = stiffness * (1.0 - d) * inverse_mass / d**2
    damper = 2.0 * zeta * math.sqrt(spring)
    return f'solref="{-spring * d**2:.12g} {-damper * d:.12g}" solimp="{d} {d} 0.001 0.5 2"'


def contact_forces(mujoco: Any, model: Any, data: Any) -> dict[str, Array]:
    """Force (3,) N of each contact now, normal first, by the later of its two bodies; several points add up."""
    found: dict[str, Array] = {}
    force = np.zeros(6)
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, force)
        body = max(model.geom_bodyid[geom] for geom in data.contact[i].geom)
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
        found[name] = found.get(name, np.zeros(3)) + force[:3]
    return found
