"""Inputs and outputs of a linearised system by names: forces that push, and what is measured.

Inputs: ``body.fx`` … ``body.tz`` (force or torque at the origin of a body or marker, world axes), ``joint.coordinate``
(effort along it), and the name of a motor or joint effort. Outputs: coordinates and speeds of joints by their names,
``body.x`` … ``body.rotation_z``, ``body.vx`` … ``body.wz``, ``body.ax`` … ``body.az`` of bodies and markers (world
axes), and ``contact NAME``, the size of a contact's force.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.built_in_forces import JointEffort, Motor
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.placement import Placement
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.statics.tangent_space import Freedom, TangentSpace

Array = NDArray[np.float64]

_FORCES = ("tx", "ty", "tz", "fx", "fy", "fz")
_DISPLACEMENTS = ("rotation_x", "rotation_y", "rotation_z", "x", "y", "z")
_SPEEDS = ("wx", "wy", "wz", "vx", "vy", "vz")
_ACCELERATIONS = ("ax", "ay", "az")
CONTACT = "contact "


@dataclass(frozen=True)
class Signal:
    """An input or output: its name and unit."""

    name: str
    unit: str


@dataclass(frozen=True, eq=False)
class OutputRow:
    """How an output follows from displacements, speeds and accelerations of all free speeds: (n,) each."""

    signal: Signal
    of_displacements: Array
    of_speeds: Array
    of_accelerations: Array


def input_column(
    system: MultibodySystem, space: TangentSpace, jacobians: Array, place: Placement, name: str
) -> tuple[Signal, Array]:
    """Signal of an input, and the generalised force (n,) along the free speeds that a unit of it is."""
    element = system.forces.get(name)
    if isinstance(element, Motor | JointEffort):
        joint = system.joints[element.joint]
        name_of = Freedom(joint.name, joint.child, joint.variables.speeds[element.coordinate])
        return Signal(name, name_of.force_unit), _along(space, name_of.name)
    for each in space.freedoms:
        if each.name == name:
            return Signal(name, each.force_unit), _along(space, name)
    body, component = _split(system, name, _FORCES, "input")
    k = _FORCES.index(component)
    row = _point_jacobian(system, jacobians, place, body)[k]
    return Signal(name, "N m" if k < 3 else "N"), np.asarray(row[space.columns])


def output_row(
    system: MultibodySystem, space: TangentSpace, jacobians: Array, place: Placement, name: str
) -> OutputRow:
    """How an output follows from small motions; not for contacts."""
    zero = np.zeros(space.n)
    for each in space.freedoms:
        if each.name == name:
            return OutputRow(Signal(name, each.unit), _along(space, name), zero, zero)
        if each.speed_name == name:
            return OutputRow(Signal(name, each.speed_unit), zero, _along(space, each.name), zero)
    known = (*_DISPLACEMENTS, *_SPEEDS, *_ACCELERATIONS)
    body, component = _split(system, name, known, "output")
    rows = _point_jacobian(system, jacobians, place, body)[:, space.columns]
    if component in _DISPLACEMENTS:
        k = _DISPLACEMENTS.index(component)
        return OutputRow(Signal(name, "rad" if k < 3 else "m"), rows[k], zero, zero)
    if component in _SPEEDS:
        k = _SPEEDS.index(component)
        return OutputRow(Signal(name, "rad/s" if k < 3 else "m/s"), zero, rows[k], zero)
    return OutputRow(Signal(name, "m/s²"), zero, zero, rows[3 + _ACCELERATIONS.index(component)])


def _along(space: TangentSpace, name: str) -> Array:
    return np.array([float(each.name == name) for each in space.freedoms])


def _split(system: MultibodySystem, name: str, components: tuple[str, ...], what: str) -> tuple[str, str]:
    """Body or marker and component of a name; names may have dots."""
    body, _, component = name.rpartition(".")
    places = [*system.bodies, *system.markers]
    if body in places and component in components:
        return body, component
    if body in places:
        raise MultibodyError(f"{what} {name!r}: {component!r} is none of {', '.join(components)}")
    joints = ", ".join(each.name for each in TangentSpace(system.compile().setup).freedoms[:6])
    more = "the name of a motor or joint effort" if what == "input" else "a speed of a joint, or 'contact NAME'"
    raise MultibodyError(
        f"{what} {name!r} is not known: give BODY.{components[-1]} and the like of a body or marker "
        f"({', '.join(places[:6])}), a coordinate ({joints}), or {more}"
    )


def _point_jacobian(system: MultibodySystem, jacobians: Array, place: Placement, name: str) -> Array:
    """Angular velocity and velocity of the origin of a body or marker for each unit speed: (6, n_speeds)."""
    marker = system.marker(name)
    if marker.body == WORLD:
        return np.zeros(jacobians.shape[1:])
    body = place.setup.number[marker.body]
    found = jacobians[body].copy()
    if name not in system.bodies:
        arm = place.rotation[body] @ marker.position
        found[3:] += np.cross(found[:3].T, arm).T
    return np.asarray(found)


def contact_of(system: MultibodySystem, name: str) -> str | None:
    """The contact that an output names, "contact NAME"; None for other outputs."""
    if not name.startswith(CONTACT):
        return None
    return str(checks.known("contact", name.removeprefix(CONTACT), system.contacts, "output"))
