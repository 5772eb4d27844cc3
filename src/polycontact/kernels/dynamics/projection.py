"""Projection of a state onto closed loops and couplers; compiled only where there are some."""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import doubles_at, longs_at
from polycontact.kernels.dynamics.articulated import factorise
from polycontact.kernels.dynamics.body_kinematics import place_bodies, take_state
from polycontact.kernels.dynamics.evaluation_views import JointState, LoopForces
from polycontact.kernels.dynamics.joint_kinematics import coordinate_rates
from polycontact.kernels.dynamics.loop_closure import (
    add_responses,
    describe_constraints,
    factorise_loops,
    solve_multipliers,
)
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.quaternion_lengths import normalise, normalise_quaternions
from polycontact.kernels.dynamics.setup_views import Tree
from polycontact.kernels.dynamics.system_row import OUT, ROW, STATE, Row, system_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.tolerances import MOST_PROJECTIONS


@kernel
def _shift_speeds(tree: Tree, change: Array, y: Array) -> None:
    """Add a change of the joint speeds to the state."""
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0:
            for k in range(tree.count_v[b]):
                y[tree.state_v[b] + k] += change[tree.first_v[b] + k]


@kernel
def _shift_coordinates(tree: Tree, joints: JointState, change: Array, y: Array) -> None:
    """Move along the joints as their speeds would in unit time; quaternions get unit length."""
    for b in range(1, tree.n_bodies):
        if tree.motion[b] >= 0:
            continue
        kind, n_q, first_q, first_v = tree.kind[b], tree.count_q[b], tree.first_q[b], tree.first_v[b]
        own = joints.q[first_q : first_q + n_q]
        at = tree.state_q[b]
        moved = y[at : at + n_q]
        coordinate_rates(kind, own, change[first_v : first_v + tree.count_v[b]], moved)
        for k in range(n_q):
            moved[k] += own[k]
        normalise(kind, moved)


@kernel
def _respond(loop_forces: LoopForces, wanted: Array) -> None:
    """Change of the joint speeds that takes away what is ``wanted`` of each constraint."""
    for i in range(loop_forces.n):
        loop_forces.right_side[i] = -wanted[i]
    loop_forces.change[:] = 0.0
    solve_multipliers(loop_forces)
    add_responses(loop_forces, loop_forces.change)


@entry_kernel((ROW, types.float64, OUT))
def project_once(row: Row, t: float, y: Array) -> float:
    """One Newton step of coordinates and speeds in y onto loops and couplers, least in the measure of kinetic energy.

    Returns the greatest violation (m, rad, or the cosine of an angle) before the step.
    """
    s = system_at(row)
    take_state(s.tree, s.motions, s.joints, t, y)
    place_bodies(s.tree, s.joints, s.bodies)
    describe_constraints(s.loops, s.joints, s.bodies, s.loop_forces)
    if factorise(s.tree, s.bodies, s.articulated) > 0:
        return math.inf
    loop_forces = s.loop_forces
    factorise_loops(s.tree, s.loops, s.bodies, s.articulated, s.joints.prescribed, loop_forces)
    worst = 0.0
    for i in range(loop_forces.n):
        worst = max(worst, abs(loop_forces.violation[i]))
    _respond(loop_forces, loop_forces.drift)
    _shift_speeds(s.tree, loop_forces.change, y)
    _respond(loop_forces, loop_forces.violation)
    _shift_coordinates(s.tree, s.joints, loop_forces.change, y)
    return worst


@entry_kernel((ROW, types.float64, STATE))
def worst_violation(row: Row, t: float, y: Array) -> float:
    """Greatest violation of a loop or coupler (m, rad, or the cosine of an angle) at a state.

    ``ending.about``: the constraint.
    """
    s = system_at(row)
    take_state(s.tree, s.motions, s.joints, t, y)
    place_bodies(s.tree, s.joints, s.bodies)
    describe_constraints(s.loops, s.joints, s.bodies, s.loop_forces)
    worst = 0.0
    s.ending.about = 0
    for i in range(s.loops.n):
        violation = abs(s.loop_forces.violation[i])
        if not violation <= worst:
            worst = violation
            s.ending.about = i
    return worst


@entry_kernel((ROW, types.float64, OUT, types.float64))
def project_state(row: Row, t: float, y: Array, tolerance: float) -> int:
    """Move a state onto loops and couplers, coordinates and speeds; quaternions get unit length. 1, or 0 where more
    than the tolerance remains.
    """
    normalise_quaternions(row, y)
    for _ in range(MOST_PROJECTIONS):
        project_once(row, t, y)
        worst = worst_violation(row, t, y)
        if worst <= tolerance:
            project_once(row, t, y)  # the speeds belong to the coordinates reached
            return 1
        if not math.isfinite(worst):
            return 0
    return 0


@entry_kernel((types.int64, types.float64, types.int64, types.float64))
def project_at(place: int, t: float, y: int, tolerance: float) -> int:
    """`project_state` for compiled code, by addresses; see `projection_calls`."""
    return project_state(longs_at(place, 1), t, doubles_at(y, system_at(place).tree.n_states), tolerance)


@entry_kernel((types.int64, types.float64, types.int64))
def violation_at(place: int, t: float, y: int) -> float:
    """`worst_violation` for compiled code, by addresses; see `projection_calls`."""
    return worst_violation(longs_at(place, 1), t, doubles_at(y, system_at(place).tree.n_states))
