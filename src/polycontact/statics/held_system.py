"""A system as it is at one instant: motions stand still at their values, friction holds or is left out."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.description import ContactDescription
from polycontact.contact.laws import StickFriction
from polycontact.errors import ContactError, MultibodyError
from polycontact.multibody.built_in_forces import Motor
from polycontact.multibody.joint_types import Joint
from polycontact.multibody.motion_functions import ConstantVelocity, Motion
from polycontact.multibody.multibody_system import MultibodySystem

FrictionAtRest = Literal["as_described", "sticking", "none"]
"""What friction does at rest: what its law says, hold as `StickFriction` does, or nothing."""

FRICTIONS: tuple[FrictionAtRest, ...] = ("as_described", "sticking", "none")


def held_system(system: MultibodySystem, time: float, friction: FrictionAtRest) -> MultibodySystem:
    """The system with all motions held at their values at ``time`` (s), and with friction as it is asked for.

    Forces that depend on time keep their formulas: they are evaluated at that time. The system itself is not changed.
    """
    if friction not in FRICTIONS:
        raise MultibodyError(f"friction is {friction!r}; give one of {', '.join(map(repr, FRICTIONS))}")
    moves = any(joint.motions for joint in system.joints.values())
    has_motors = any(isinstance(element, Motor) for element in system.forces.values())
    if friction == "as_described" and not moves and not has_motors:
        return system
    held = copy.copy(system)
    held._compiled = None
    held.joints = {name: _held_joint(joint, time) for name, joint in system.joints.items()}
    held.forces = {
        name: replace(element, target=_held(element.target, time)) if isinstance(element, Motor) else element
        for name, element in system.forces.items()
    }
    if friction != "as_described":
        made: dict[int, ContactDescription] = {}  # contacts that share a description go on sharing it
        for name, contact in system.contacts.items():
            given = contact.description
            if id(given) not in made:
                made[id(given)] = _with_friction(name, given, friction)
        held.contacts = {
            name: replace(contact, description=made[id(contact.description)])
            for name, contact in system.contacts.items()
        }
    return held


def _held_joint(joint: Joint, time: float) -> Joint:
    return replace(joint, motions=tuple(_held(each, time) for each in joint.motions)) if joint.motions else joint


def _held(motion: Motion, time: float) -> Motion:
    return ConstantVelocity(0.0, value_at(motion, time))


def value_at(motion: Motion, time: float) -> float:
    """Value of a motion at a time (s): m or rad, of forces N or N m."""
    alone = MultibodySystem("one motion", gravity=(0.0, 0.0, 0.0))
    alone.add_body("slide", mass=1.0, centre=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    alone.add_joint("guide", "prismatic", "world", "slide", motion=motion)
    compiled = alone.compile()
    return float(compiled.evaluator().place(time, compiled.start).coordinates[0])


def _with_friction(name: str, description: ContactDescription, friction: FrictionAtRest) -> ContactDescription:
    """The description with friction that sticks, or without any."""
    given = description.friction
    if given is None or (friction == "sticking" and isinstance(given, StickFriction)):
        return description
    if friction == "none":
        return replace(description, friction=None)
    coefficient = getattr(given, "coefficient", None)
    if not isinstance(coefficient, float | int) or not np.isfinite(coefficient):
        raise ContactError(
            f"contact {name!r}: its friction, {type(given).__name__}, has no coefficient from which friction that "
            f'sticks could be made; give it StickFriction(…), or ask for friction="none"'
        )
    sticking = StickFriction(coefficient=float(coefficient), spin_radius=float(getattr(given, "spin_radius", 0.0)))
    try:
        replace(description, friction=sticking).prepare_laws()
    except ContactError as error:
        raise ContactError(f"contact {name!r}: {error}; or give it StickFriction(stiffness=…) itself") from error
    return replace(description, friction=sticking)


def started_at(system: MultibodySystem, state: NDArray[np.float64]) -> MultibodySystem:
    """A copy of the system whose joints start with the coordinates and speeds of a state y."""
    setup = system.compile().setup
    started = copy.copy(system)
    started._compiled = None
    found = {}
    for body, joint in enumerate(setup.joints, start=1):
        if joint.motions or not joint.variables.speeds:
            continue
        q, v = int(setup.tree.state_q[body]), int(setup.tree.state_v[body])
        n_q, n_v = len(joint.variables.coordinates), len(joint.variables.speeds)
        found[joint.child] = replace(joint, coordinates=state[q : q + n_q].copy(), speeds=state[v : v + n_v].copy())
    own = {joint.child for joint in system.joints.values()}
    started.joints = {name: found.get(joint.child, joint) for name, joint in system.joints.items()}
    started._free_starts = {
        body: found[body] if body in found and body not in own else joint for body, joint in system._free_starts.items()
    }
    return started
