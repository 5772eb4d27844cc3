"""Forces and torques that are applied to bodies and along joint coordinates, as functions of time.

What they do is power put in: nothing is stored, nothing is lost.
"""

from __future__ import annotations

from polycontact.kernels.dynamics.evaluation_views import AppliedForces, BodyState, JointState, Ledger
from polycontact.kernels.dynamics.matrices import add_vector, load_vector, product, rotation_of
from polycontact.kernels.dynamics.motion_values import function_at, motion_at
from polycontact.kernels.dynamics.setup_views import JointEfforts, Loads, Motions
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, row
from polycontact.kernels.jit import kernel


@kernel
def load_at(loads: Loads, motions: Motions, bodies: BodyState, t: float, k: int) -> tuple[Vector, Vector]:
    """Force (N) at its point and torque (N m) of one load at time t (s), world axes."""
    first = loads.motion[k]
    f = (
        motion_at(motions, first, t)[0],
        motion_at(motions, first + 1, t)[0],
        motion_at(motions, first + 2, t)[0],
    )
    torque = (
        motion_at(motions, first + 3, t)[0],
        motion_at(motions, first + 4, t)[0],
        motion_at(motions, first + 5, t)[0],
    )
    if loads.turns[k] == 0:
        return f, torque
    R = product(rotation_of(bodies.rotation, loads.body[k]), rotation_of(loads.axes, k))
    return apply(R, f), apply(R, torque)


@kernel
def apply_loads(
    loads: Loads, motions: Motions, bodies: BodyState, forces: AppliedForces, ledger: Ledger, t: float
) -> None:
    """All loads on bodies; their power is input."""
    for k in range(loads.n):
        body = loads.body[k]
        f, torque = load_at(loads, motions, bodies, t, k)
        arm = apply(rotation_of(bodies.rotation, body), row(loads.point, k))
        turning = add(torque, cross(arm, f))
        add_vector(forces.applied[body], 0, turning)
        add_vector(forces.applied[body], 3, f)
        velocity = bodies.velocity[body]
        ledger.powers.input += dot(turning, load_vector(velocity, 0)) + dot(f, load_vector(velocity, 3))


@kernel
def effort_at(efforts: JointEfforts, motions: Motions, joints: JointState, t: float, k: int) -> float:
    """Value of one effort at time t (s), N m or N; a formula may look at the coordinate and the speed."""
    x, rate = joints.q[efforts.coordinate[k]], joints.v[efforts.speed[k]]
    effort: float = function_at(motions, efforts.motion[k], t, x, rate)[0]
    return effort


@kernel
def apply_efforts(
    efforts: JointEfforts, motions: Motions, joints: JointState, forces: AppliedForces, ledger: Ledger, t: float
) -> None:
    """All efforts along coordinates; their power is input."""
    for k in range(efforts.n):
        effort = effort_at(efforts, motions, joints, t, k)
        forces.efforts[efforts.speed[k]] += effort
        ledger.powers.input += effort * joints.v[efforts.speed[k]]
