"""What the parts of a model are called in the lists beside its picture: kinds, numbers with units, partners."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.description import POINT_METHODS, ContactDescription
from polycontact.contact.kinds import kind_of
from polycontact.contact.laws import LAYER_LAWS
from polycontact.contact.methods import Base
from polycontact.errors import ContactError
from polycontact.multibody.built_in_forces import (
    AppliedForce,
    EndStop,
    JointEffort,
    JointSpring,
    Motor,
    SpringDamper,
    SwingTwistStop,
)
from polycontact.multibody.bushing import Bushing
from polycontact.multibody.friction_in_joints import JointFriction
from polycontact.multibody.joint_couplers import AnyCoupler, CoupledCoordinate, Gear, RackAndPinion, Screw
from polycontact.multibody.motion_functions import ExpressionMotion, FunctionOfTime, Motion
from polycontact.report.view.joint_axes import JointAxis


def value_text(turns: bool, value: float) -> str:
    """A coordinate: degrees, or m."""
    return f"{math.degrees(value):.4g}°" if turns else f"{value:.4g} m"


def axis_text(axis: JointAxis) -> str:
    """A coordinate by name, with its value now."""
    return f"{axis.coordinate.replace('_', ' ')} {value_text(axis.turns, axis.value)}"


def limit_text(stop: EndStop | SwingTwistStop, turns: bool) -> str:
    """The range that end stops leave."""
    if isinstance(stop, SwingTwistStop):
        return f"swing up to {value_text(True, stop.swing)}, twist ± {value_text(True, stop.twist)}"
    low, high = stop.limits()
    if math.isinf(low):
        return f"up to {value_text(turns, high)}"
    return f"from {value_text(turns, low)}" + ("" if math.isinf(high) else f" to {value_text(turns, high)}")


def spring_text(spring: SpringDamper, length: float) -> str:
    """A spring between two bodies, with its length now, m."""
    words = [f"{spring.body_a} – {spring.body_b}", f"{spring.stiffness:.4g} N/m"]
    words += [f"{spring.damping:.4g} N s/m"] if spring.damping else []
    return ", ".join([*words, f"free length {spring.length:.4g} m, now {length:.4g} m"])


def joint_spring_text(spring: JointSpring, turns: bool) -> str:
    """Stiffness, position at rest and damping of a joint's spring, with units, as text."""
    stiffness, damping = ("N m/rad", "N m s/rad") if turns else ("N/m", "N s/m")
    words = [f"at joint {spring.joint}"]
    words += [f"{spring.stiffness:.4g} {stiffness}, at rest at {value_text(turns, spring.reference)}"] * bool(
        spring.stiffness
    )
    words += [f"{spring.damping:.4g} {damping}"] * bool(spring.damping)
    return ", ".join(words)


def friction_text(friction: JointFriction, turns: bool) -> str:
    """Friction of a joint: dry and viscous, and below which speed it creeps."""
    damping, effort, speed = ("N m s/rad", "N m", "rad/s") if turns else ("N s/m", "N", "m/s")
    dry = friction.dry
    words = [f"at joint {friction.joint}"]
    if isinstance(dry, Motion):
        words.append(f"dry along {motion_text([dry])}")
    elif dry:
        words.append(f"dry {dry}" if isinstance(dry, str) else f"dry {dry:.4g} {effort}")
    words += [f"viscous {friction.viscous:.4g} {damping}"] * bool(friction.viscous)
    return ", ".join([*words, f"fades out below {friction.velocity:.4g} {speed}"])


def bushing_text(bushing: Bushing) -> str:
    """A bushing between two bodies: its greatest stiffness and whether it is damped."""
    stiffness = np.diag(np.asarray(bushing.stiffness))
    words = [
        f"{bushing.body_a} – {bushing.body_b}",
        f"({', '.join(f'{each:.4g}' for each in stiffness[:3])}) N/m",
        f"({', '.join(f'{each:.4g}' for each in stiffness[3:])}) N m/rad",
    ]
    return ", ".join(words + ["damped"] * bool(np.any(bushing.damping)) + ["preloaded"] * bool(np.any(bushing.preload)))


def coupler_text(coupler: AnyCoupler, terms: Sequence[CoupledCoordinate]) -> str:
    """What a coupler couples, and how."""
    if isinstance(coupler, Gear):
        return f"{coupler.joint_a} turns {coupler.ratio:.6g} times as fast as {coupler.joint_b}".replace(" -", " −")
    if isinstance(coupler, RackAndPinion):
        return f"pinion {coupler.pinion}, rack {coupler.rack}, radius {coupler.radius:.4g} m"
    if isinstance(coupler, Screw):
        return f"{coupler.turning} moves {coupler.sliding or 'itself'} by {coupler.lead:.4g} m a turn"
    return " + ".join(f"{each.factor:.4g} · {each.joint}" for each in terms).replace("+ -", "− ") + " stays"


def motor_text(motor: Motor, turns: bool) -> str:
    """A motor: what it drives, how, and up to which effort."""
    stiffness, damping, effort = ("N m/rad", "N m s/rad", "N m") if turns else ("N/m", "N s/m", "N")
    limit = "no limit" if motor.limit is None else f"at most {motor.limit:.4g} {effort}"
    gains = f"{motor.stiffness:.4g} {stiffness}, {motor.damping:.4g} {damping}"
    return f"drives joint {motor.joint} along {motion_text([motor.target])}; {gains}, {limit}"


def applied_force_text(applied: AppliedForce) -> str:
    """A force and a torque on a body: their components, as they were written."""
    words = [f"on {applied.body}"]
    for what, unit, components in (("force", "N", applied.force), ("torque", "N m", applied.torque)):
        if any(isinstance(each, str | Motion) or each != 0 for each in components):
            words.append(f"{what} ({', '.join(_function_text(each) for each in components)}) {unit}")
    return ", ".join([*words, f"axes of the {applied.axes}"])


def joint_effort_text(effort: JointEffort, turns: Sequence[bool]) -> str:
    """An effort along a coordinate of a joint; ``turns``: whether that is an angle, empty where it is not known."""
    unit = "".join(" N m" if each else " N" for each in turns)
    return f"at joint {effort.joint}, {_function_text(effort.effort)}{unit}"


def _function_text(given: FunctionOfTime) -> str:
    """A component of a load: its number, its formula, or the kind of its motion."""
    if isinstance(given, ExpressionMotion):
        return given.formula
    if isinstance(given, Motion):
        return motion_text([given])
    return given if isinstance(given, str) else f"{given:.4g}"


def motion_text(motions: Sequence[Motion]) -> str:
    """Kinds of the motions as text, each kind once."""
    names = ["".join(f" {c.lower()}" if c.isupper() else c for c in type(each).__name__).strip() for each in motions]
    return ", ".join(f"a {name}" if name.endswith("motion") else f"a motion: {name}" for name in dict.fromkeys(names))


def gravity_text(gravity: NDArray[np.float64]) -> str:
    """Size and direction of gravity."""
    size = float(np.linalg.norm(gravity))
    if not size > 0.0:
        return "none"
    unit = gravity / size
    along = int(np.abs(unit).argmax())
    if abs(unit[along]) > 1.0 - 1e-12:
        return f"{size:.5g} m/s² along {'−' if unit[along] < 0 else '+'}{'xyz'[along]}"
    return f"{size:.5g} m/s² along ({', '.join(f'{value:.3g}' for value in unit)})"


def contact_text(description: ContactDescription) -> str:
    """Law and friction of a contact, and why the program chose its base."""
    law, stiffness = _kind(description.law), description.stiffness
    if stiffness is not None and isinstance(description.law, LAYER_LAWS):
        law += f" {stiffness:.4g} {'N/m' if isinstance(description.method, POINT_METHODS) else 'N/m³'}"
    why = f"; base: {description.base_reason}" if description.base_reason else ""
    return f"law: {law}; friction: {_friction(description)}{why}"


def method_text(description: ContactDescription) -> str:
    """The method of a contact, with its base where it has one."""
    base = getattr(description.method, "base", None)
    return _kind(description.method) + (f", base {base.value}" if isinstance(base, Base) else "")


def _friction(description: ContactDescription) -> str:
    if description.friction is None:
        return "none"
    coefficient = getattr(description.friction, "coefficient", None)
    number = f" {coefficient:.4g}" if isinstance(coefficient, int | float) else ""
    return f"{_kind(description.friction)}{number}"


def _kind(part: object) -> str:
    try:
        return kind_of(part).replace("_", " ")
    except ContactError:
        return type(part).__name__
