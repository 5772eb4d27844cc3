"""Couplers of joint coordinates, Σ a_k q_k = c: gears, racks, screws and differentials as ideal constraints.

They stand among the constraints of closed loops and are solved with them (`loop_closure`); their multipliers are
efforts a_k λ along the joint speeds instead of wrenches on bodies.
"""

from __future__ import annotations

from polycontact.kernels.dynamics.evaluation_views import JointState, LoopForces
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.setup_views import Loops
from polycontact.kernels.jit import kernel
from polycontact.tolerances import COUPLER_ROUNDING


@kernel
def describe_coupler(loops: Loops, joints: JointState, loop_forces: LoopForces, i: int) -> None:
    """Violation Σ a_k q_k - c and its rate; what is mere rounding of the sum, after many turns, is none."""
    violation, size = -loops.length[i], abs(loops.length[i])
    for k in range(loops.first_term[i], loops.first_term[i] + loops.term_count[i]):
        term = loops.factor[k] * joints.q[loops.coordinate[k]]
        violation += term
        size += abs(term)
    loop_forces.directions[i, :] = 0.0
    loop_forces.violation[i] = 0.0 if abs(violation) <= COUPLER_ROUNDING * size else violation
    loop_forces.drift[i] = coupled(loops, i, joints.v)
    loop_forces.curvature[i] = 0.0


@kernel
def coupled(loops: Loops, i: int, speeds: Array) -> float:
    """Σ a_k v_k of joint speeds, or of accelerations."""
    total = 0.0
    for k in range(loops.first_term[i], loops.first_term[i] + loops.term_count[i]):
        total += loops.factor[k] * speeds[loops.speed[k]]
    return total


@kernel
def push_coupler(loops: Loops, i: int, size: float, efforts: Array) -> None:
    """Add what a multiplier ``size`` exerts along the joint speeds."""
    for k in range(loops.first_term[i], loops.first_term[i] + loops.term_count[i]):
        efforts[loops.speed[k]] += size * loops.factor[k]


@kernel
def clear_coupler(loops: Loops, i: int, efforts: Array) -> None:
    """Take away all efforts along the coupler's joint speeds."""
    for k in range(loops.first_term[i], loops.first_term[i] + loops.term_count[i]):
        efforts[loops.speed[k]] = 0.0
