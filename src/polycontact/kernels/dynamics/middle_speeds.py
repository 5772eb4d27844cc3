"""Accelerations of a step at the speeds of its middle, for forces that bodies exert by their own motion.

Gyroscopic, centrifugal and Coriolis forces are quadratic in the speeds. Taken at the start of a step h they make energy
in every turn, of first order in h. Taken at v½ = v + (h/2) v̇ the step is symmetric in time, so that the energy of what
flies freely swings by parts of (ω h)² and does not grow. The equation for v̇ is solved by repeated substitution:

    v½ = v + (h/2) v̇   ->   bias and gyroscopic forces at v½   ->   v̇ = M⁻¹ (f - c(v½))

which gains a factor of about ω h/2 each time. Half of what contacts change of the speeds is added where that is known
(``joints.pushed``). Pose, factors and all other forces stay as they are; of closed loops the
curvature and the drift are those at v½. What is not there after `MOST_REFINEMENTS` of them is left: a body then turns
by about a radian in a step.
"""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.articulated import solve
from polycontact.kernels.dynamics.body_kinematics import place_bodies
from polycontact.kernels.dynamics.evaluation_views import AppliedForces, Articulated, BodyState, JointState, LoopForces
from polycontact.kernels.dynamics.loop_closure import close_loops_in_step
from polycontact.kernels.dynamics.setup_views import Loops, Tree
from polycontact.kernels.jit import kernel
from polycontact.tolerances import MIDDLE_SPEED_SHARE, SLOW_TURN

MOST_REFINEMENTS = 12
"""How often speeds of the middle are found at most."""


@kernel
def moves_fast(tree: Tree, loops: Loops, joints: JointState, bodies: BodyState, h: float) -> bool:
    """Whether a body turns so far in a step h (s) that forces by its motion change; in loops also by sliding."""
    greatest = 0.0
    for b in range(1, tree.n_bodies):
        w = bodies.velocity[b]
        greatest = max(greatest, math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]))
    if loops.n > 0:
        for k in range(tree.n_speeds):
            greatest = max(greatest, abs(joints.v[k]))
    return h * greatest > SLOW_TURN


@kernel
def _go_to_middle(tree: Tree, joints: JointState, h: float) -> float:
    """Speeds of the middle of a step h (s) into ``joints.v``, by the accelerations at hand.

    Returns by how much they changed, as a part of the greatest.
    """
    change, greatest = 0.0, 0.0
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0:
            for k in range(tree.first_v[b], tree.first_v[b] + tree.count_v[b]):
                middle = joints.before[k] + 0.5 * (h * joints.rates[k] + joints.pushed[k])
                change = max(change, abs(middle - joints.v[k]))
                greatest = max(greatest, abs(middle))
                joints.v[k] = middle
    return change / greatest if change > 0.0 else 0.0


@kernel
def find_middle_speeds(
    tree: Tree,
    loops: Loops,
    joints: JointState,
    bodies: BodyState,
    articulated: Articulated,
    forces: AppliedForces,
    loop_forces: LoopForces,
    h: float,
) -> None:
    """Accelerations with what bodies exert by their motion at the speeds of the middle of a step h (s).

    After `find_accelerations` in the middle's pose with the speeds of the start, which stay in ``joints.v``; bodies
    keep velocities and bias of the middle.
    """
    joints.before[:] = joints.v
    while joints.refinements < MOST_REFINEMENTS and _go_to_middle(tree, joints, h) > MIDDLE_SPEED_SHARE:
        place_bodies(tree, joints, bodies)
        if loops.n > 0:
            close_loops_in_step(tree, loops, joints, bodies, articulated, forces, loop_forces, h)
        else:
            solve(tree, bodies, articulated, forces.applied, forces.efforts, joints.prescribed, 1.0, joints.rates)
        joints.refinements += 1
    joints.v[:] = joints.before
    loop_forces.of_step[:] = loop_forces.multipliers
