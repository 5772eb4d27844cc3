"""What the parts of a system transmit at one instant: joints, loops, drives and force elements, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.reactions import Reactions as ReactionsView
from polycontact.multibody import checks
from polycontact.multibody.built_in_forces import AppliedForce, BuiltInForce, SwingTwistStop
from polycontact.multibody.bushing import Bushing
from polycontact.multibody.force_setup import in_kernel_order, n_friction_speeds
from polycontact.multibody.friction_in_joints import JointFriction

if TYPE_CHECKING:
    from polycontact.multibody.system_setup import SystemSetup

Array = NDArray[np.float64]


class Reaction(NamedTuple):
    """Force (N) and torque (N m) that a joint or a loop exerts on one body, at ``point`` (m); the other feels the
    opposite.

    ``force``, ``torque`` and ``point`` in world axes; ``own_force`` and ``own_torque`` in the joint's frame.
    """

    force: Array
    torque: Array
    point: Array
    own_force: Array
    own_torque: Array


@dataclass(frozen=True, eq=False)
class Reactions:
    """What joints, loops, drives and force elements transmit.

    ``joints`` (n, 6): force (N) and torque (N m) that the parent exerts on the child of each joint, at the origin of
    the joint's marker on the child, world axes, all that the joint transmits: springs, stops, friction, motors and
    couplers along its coordinates are part of it. ``points`` (n, 3) m: those origins; ``frames`` (n, 3, 3): axes of the
    joint's marker on the parent. ``drives``: effort (N m or N) of prescribed motions and motors along all joint speeds.
    ``loops`` (n, 6), ``loop_points``, ``loop_frames``: the same of loops, on body b at its marker, and axes of the
    marker on body a; where constraints of loops depend on each other, those that were left out carry nothing.
    ``elements``: numbers of the built-in force elements and couplers, see `force`.
    """

    setup: SystemSetup
    joints: Array
    points: Array
    frames: Array
    drives: Array
    loops: Array
    loop_points: Array
    loop_frames: Array
    elements: Array

    @classmethod
    def copied(cls, setup: SystemSetup, view: ReactionsView) -> Reactions:
        """A copy of the reactions found last, which later evaluations do not overwrite."""
        return cls(
            setup,
            view.joint[1:].copy(),
            view.point[1:].copy(),
            view.frame[1:].reshape(-1, 3, 3).copy(),
            view.drive.copy(),
            view.loop.copy(),
            view.loop_point.copy(),
            view.loop_frame.reshape(-1, 3, 3).copy(),
            view.element.copy(),
        )

    def joint(self, name: str) -> Reaction:
        """Of a joint, on its child; a body without a joint has one of its own name."""
        return _reaction(self.joints, self.points, self.frames, self.setup.joint_number(name))

    def loop(self, name: str) -> Reaction:
        """Reaction of a loop, which acts on its body b."""
        checks.known("loop", name, self.setup.system.loops, "system")
        number = list(self.setup.system.loops).index(name)
        return _reaction(self.loops, self.loop_points, self.loop_frames, number)

    def drive(self, joint: str) -> Array:
        """Effort (N m or N) of a prescribed motion and of motors along each speed of a joint."""
        return self.drives[self.setup.variables_of(joint)[1]]

    def force(self, name: str) -> Array:
        """Numbers of a built-in force element or coupler: tension of a spring (1,) N; effort of a joint spring, an end
        stop, a motor, a joint effort or friction along its coordinate (1,) N m or N; torque (3,) N m of a swing-twist
        stop, or of friction in a spherical joint, on the child, in the axes of the joint's marker on the parent; force
        (N) and torque (N m) of an applied force (6,), in world axes, the force at its point; force and torque of a
        bushing on its body b (6,) at the frame there, in the axes of frame a; efforts of a coupler along the
        coordinates of its terms, N m or N each.
        """
        columns = element_columns(self.setup)
        checks.known("built-in force element", name, columns, "system")
        return self.elements[columns[name]]


def element_columns(setup: SystemSetup) -> dict[str, slice]:
    """Columns of the numbers of each built-in force element and coupler, by name."""
    found: dict[str, slice] = {}
    first = 0
    for each in in_kernel_order(setup.system):
        n = _count(setup, each)
        found[each.name] = slice(first, first + n)
        first += n
    for name, terms in setup.couplers.items():
        found[name] = slice(first, first + len(terms))
        first += len(terms)
    return found


def _count(setup: SystemSetup, element: BuiltInForce) -> int:
    """Number of columns for what an element exerts."""
    if isinstance(element, AppliedForce | Bushing):
        return 6
    if isinstance(element, JointFriction):
        return n_friction_speeds(setup.system, element)
    return 3 if isinstance(element, SwingTwistStop) else 1


def make_reactions(setup: SystemSetup) -> ReactionsView:
    """Memory for the reactions of a system."""
    view = ReactionsView()
    loops = setup.system.loops
    n_numbers = sum(each.stop - each.start for each in element_columns(setup).values())
    view.reserve(
        n_bodies=setup.tree.n_bodies,
        n_speeds=setup.tree.n_speeds,
        n_loops=len(loops),
        n_constraints=setup.loops.n,
        n_numbers=n_numbers,
    )
    numbers = {name: i for i, name in enumerate(loops)}
    view.loop_of[:] = [numbers.get(name, -1) for name in setup.constraint_loop]
    for i, loop in enumerate(loops.values()):
        view.marker_a[i] = loop.marker_a[0].ravel()
    return view


def _reaction(wrenches: Array, points: Array, frames: Array, i: int) -> Reaction:
    force, torque, R = wrenches[i, :3], wrenches[i, 3:], frames[i]
    return Reaction(force, torque, points[i], force @ R, torque @ R)
