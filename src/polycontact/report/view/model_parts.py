"""The parts of a model in the picture and in the lists: joints, gears, springs, drives, gravity, contacts, overlaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.friction_in_joints import JointFriction
from polycontact.multibody.joint_couplers import CoupledCoordinate
from polycontact.multibody.joint_types import Joint, JointKind
from polycontact.multibody.placement import Placement
from polycontact.report.view import model_drawing, model_words, strokes
from polycontact.report.view.display_units import DEPTH
from polycontact.report.view.joint_axes import JointAxis, joint_axes, marker_in_world
from polycontact.report.view.strokes import Segments
from polycontact.report.view.viewer_colours import COUPLER, DRIVE, GRAVITY, JOINT, LIMIT, SPRING
from polycontact.report.view.viewer_scene import IN_WORLD, Item, Layer, LayerKind, SceneFrame

MOST_PAIRS = 24
"""Contacts that are listed one by one; of more, those of the same description share a row."""


COUPLER_WORDS = {"Gear": "gear", "RackAndPinion": "rack and pinion", "Screw": "screw", "Coupler": "coupler"}
"""What couplers are called in the lists."""


@dataclass(frozen=True, eq=False)
class Model:
    """A system as it is placed. ``low``, ``high`` (3,) m: corners of the box around what can move.

    ``sizes``: half the extent of each body with a shape, m, by name.
    """

    compiled: CompiledSystem
    placed: Placement
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sizes: dict[str, float]

    @property
    def radius(self) -> float:
        """Half the diagonal of the box, m."""
        return 0.5 * float(np.linalg.norm(self.high - self.low)) or 1.0

    def size(self, *bodies: str) -> float:
        """How large a sign at some bodies is drawn, m: as the smallest of them, within bounds."""
        least = min((self.sizes[body] for body in bodies if body in self.sizes), default=0.1 * self.radius)
        return min(max(0.9 * least, 0.04 * self.radius), 0.3 * self.radius)

    def joint_place(self, joint: Joint) -> NDArray[np.float64]:
        """Where a joint sits on its child, (3,) m."""
        return marker_in_world(self.placed, joint.child, joint.child_marker)[1]


def model_layers(model: Model) -> tuple[Layer, ...]:
    """What is drawn, with a switch for each kind."""
    system, placed = model.compiled.system, model.placed
    joints = [model_drawing.draw_joint(placed, each, model.size(each.child)) for each in system.joints.values()]
    joints += [
        model_drawing.draw_loop(placed, each, model.size(each.body_a, each.body_b)) for each in system.loops.values()
    ]
    forces = system.forces.values()
    limits, drives, springs = [], [], []
    for each in forces:
        if isinstance(each, SpringDamper):
            springs.append(model_drawing.draw_spring(placed, each))
            continue
        if isinstance(each, Bushing):
            springs.append(model_drawing.draw_bushing(placed, each, model.size(each.body_a, each.body_b)))
            continue
        if not isinstance(each, JointSpring | EndStop | SwingTwistStop | Motor):
            continue
        joint = system.joints[each.joint]
        size, at = model.size(joint.child), model.joint_place(joint)
        if isinstance(each, EndStop | SwingTwistStop):
            limits.append(model_drawing.draw_limits(placed, joint, each, size))
        elif isinstance(each, Motor):
            drives.append(model_drawing.draw_drive(_axis(placed, joint, each), at, size))
        elif each.stiffness:
            springs.append(model_drawing.draw_joint_spring(_axis(placed, joint, each), at, size))
    for joint in system.joints.values():
        if joint.motions:
            size, at = model.size(joint.child), model.joint_place(joint)
            drives += [model_drawing.draw_drive(axis, at, size) for axis in joint_axes(placed, joint)]
    couplers = [_draw_coupler(model, terms) for terms in model.compiled.setup.couplers.values()]
    made = (
        _layer("joints", "joints and their axes", JOINT, joints, "an axis is turned about, one with a head slid along"),
        _layer("limits", "limits of joints", LIMIT, limits, "the range between end stops; an arrow shows where it is"),
        _layer(
            "couplers",
            "gears and couplers",
            COUPLER,
            couplers,
            "pitch circles of gears and pinions; rings about other axes that turn together",
        ),
        _layer("springs", "springs", SPRING, springs, "between two points, in bushings, and at joints"),
        _layer("drives", "drives", DRIVE, drives, "motors and prescribed motions, in their positive direction"),
        _layer("gravity", "gravity", GRAVITY, _gravity(model), model_words.gravity_text(system.gravity)),
    )
    return tuple(layer for layer in made if layer.count)


def _axis(placed: Placement, joint: Joint, element: JointSpring | EndStop | Motor) -> JointAxis:
    return joint_axes(placed, joint)[element.coordinate]


def _draw_coupler(model: Model, terms: tuple[CoupledCoordinate, ...]) -> Segments:
    """The joints that a coupler couples."""
    joints = [model.compiled.system.joints[each.joint] for each in terms]
    axes = [joint_axes(model.placed, joint)[each.coordinate] for joint, each in zip(joints, terms, strict=True)]
    places = [model.joint_place(joint) for joint in joints]
    factors = [each.factor for each in terms]
    return model_drawing.draw_coupler(axes, factors, places, model.size(*(joint.child for joint in joints)))


def _layer(key: str, label: str, colour: str, drawn: list[Segments], text: str) -> Layer:
    data = np.concatenate([strokes.NONE, *drawn])
    return Layer(key, label, LayerKind.LINES, IN_WORLD, data, colour, len(drawn), width=2.4, text=text)


def _gravity(model: Model) -> list[Segments]:
    """An arrow beside the model, on the left as the page looks at it first."""
    gravity = model.compiled.system.gravity
    size = float(np.linalg.norm(gravity))
    if not size > 0.0:
        return []
    foot = np.array([model.low[0], model.low[1], model.high[2]]) - 0.12 * model.radius * np.array([1.0, 1.0, 0.0])
    return [strokes.arrow(foot, foot + 0.4 * model.radius * gravity / size)]


def model_items(model: Model, frame: SceneFrame) -> tuple[Item, ...]:
    """The lists: overlaps first, for they are what goes wrong."""
    return (
        *_overlaps(model, frame),
        *_joints(model),
        *_couplers(model),
        *_forces(model),
        *_contacts(model.compiled.contacts),
    )


def _overlaps(model: Model, frame: SceneFrame) -> Iterable[Item]:
    names = [contact.name for contact in model.compiled.contacts]
    for mark in sorted(frame.contacts, key=lambda mark: -mark.depth):
        R, r = model.placed.rotation[mark.body + 1], model.placed.position[mark.body + 1]
        yield Item(
            "Overlap at the start",
            names[mark.pairing],
            DEPTH.text(mark.depth),
            place=r + R @ mark.point,
            reach=max(2.0 * float(np.sqrt(mark.area)), 4.0 * mark.depth),
        )


def _joints(model: Model) -> Iterable[Item]:
    system, placed = model.compiled.system, model.placed
    for joint in system.joints.values():
        words = [f"{joint.parent} → {joint.child}"]
        axes = joint_axes(placed, joint)
        words += [model_words.axis_text(axis) for axis in axes]
        for each in system.forces.values():
            if getattr(each, "joint", None) != joint.name:
                continue
            if isinstance(each, EndStop | SwingTwistStop):
                turns = not isinstance(each, EndStop) or axes[each.coordinate].turns
                words.append(f"stops {each.name}: {model_words.limit_text(each, turns)}")
            elif isinstance(each, Motor):
                words.append(f"motor {each.name}")
            elif isinstance(each, JointSpring):
                words.append(f"spring {each.name}")
            elif isinstance(each, JointFriction):
                words.append(f"friction {each.name}")
        if joint.motions:
            words.append(f"moved along {model_words.motion_text(joint.motions)}")
        yield Item(
            "Joints",
            joint.name,
            joint.kind.value,
            "; ".join(words),
            model.joint_place(joint),
            2.0 * model.size(joint.child),
        )
    for loop in system.loops.values():
        at = marker_in_world(placed, loop.body_a, loop.marker_a)[1]
        rod = f", {loop.length:.4g} m" if loop.kind == "distance" else ""
        text = f"closes a loop: {loop.body_a} – {loop.body_b}{rod}"
        yield Item("Joints", loop.name, loop.kind, text, at, 2.0 * model.size(loop.body_a, loop.body_b))


def _couplers(model: Model) -> Iterable[Item]:
    """Gears and other couplers, at the first of their joints."""
    for name, terms in model.compiled.setup.couplers.items():
        coupler, joint = model.compiled.system.couplers[name], model.compiled.system.joints[terms[0].joint]
        text = model_words.coupler_text(coupler, terms)
        place, reach = model.joint_place(joint), 2.0 * model.size(joint.child)
        yield Item("Gears and couplers", name, COUPLER_WORDS[type(coupler).__name__], text, place, reach)


def _forces(model: Model) -> Iterable[Item]:
    """Springs, motors, friction and users' elements; end stops stand with their joints."""
    system, placed = model.compiled.system, model.placed
    group = "Springs, motors and other forces"
    for each in system.forces.values():
        if isinstance(each, EndStop | SwingTwistStop):
            continue
        if isinstance(each, SpringDamper):
            start, end = model_drawing.spring_ends(placed, each)
            length = float(np.linalg.norm(end - start))
            text = model_words.spring_text(each, length)
            yield Item(group, each.name, "spring", text, 0.5 * (start + end), 0.6 * length)
        elif isinstance(each, Motor | JointSpring):
            joint = system.joints[each.joint]
            turns = _axis(placed, joint, each).turns
            at, reach = model.joint_place(joint), 2.0 * model.size(joint.child)
            if isinstance(each, Motor):
                yield Item(group, each.name, "motor", model_words.motor_text(each, turns), at, reach)
            else:
                kind = "spring" if each.stiffness else "damper"
                yield Item(group, each.name, kind, model_words.joint_spring_text(each, turns), at, reach)
        elif isinstance(each, Bushing):
            (_, start), (_, end) = model_drawing.bushing_frames(placed, each)
            reach = 2.0 * model.size(each.body_a, each.body_b)
            yield Item(group, each.name, "bushing", model_words.bushing_text(each), 0.5 * (start + end), reach)
        elif isinstance(each, JointFriction):
            joint = system.joints[each.joint]
            turns = joint.kind is JointKind.SPHERICAL or joint_axes(placed, joint)[each.coordinate].turns
            text = model_words.friction_text(each, turns)
            yield Item(group, each.name, "friction", text, model.joint_place(joint), 2.0 * model.size(joint.child))
        elif isinstance(each, AppliedForce):
            at = marker_in_world(placed, each.body, (np.eye(3), np.asarray(each.point)))[1]
            reach = 2.0 * model.size(each.body)
            yield Item(group, each.name, "applied force", model_words.applied_force_text(each), at, reach)
        elif isinstance(each, JointEffort):
            joint = system.joints[each.joint]
            axes = joint_axes(placed, joint)  # none of a free or spherical joint
            text = model_words.joint_effort_text(each, [axis.turns for axis in axes[each.coordinate :]][:1])
            yield Item(group, each.name, "effort", text, model.joint_place(joint), 2.0 * model.size(joint.child))
        else:
            yield Item(group, each.name, type(each).__name__)


def _contacts(contacts: Iterable[Contact]) -> Iterable[Item]:
    """Pairs that may touch, with method, law and friction."""
    contacts, group = list(contacts), "Contacts"
    same: dict[tuple[str, str], list[str]] = {}
    for contact in contacts:
        told = (model_words.method_text(contact.description), model_words.contact_text(contact.description))
        same.setdefault(told, []).append(contact.name)
        if len(contacts) <= MOST_PAIRS:
            yield Item(group, contact.name, *told)
    if len(contacts) <= MOST_PAIRS:
        return
    for (method, text), names in same.items():
        more = f" and {len(names) - MOST_PAIRS} more" if len(names) > MOST_PAIRS else ""
        pairs = f"{len(names)} pairs" if len(names) > 1 else names[0]
        yield Item(group, pairs, method, f"{text}; {', '.join(names[:MOST_PAIRS])}{more}" if len(names) > 1 else text)
