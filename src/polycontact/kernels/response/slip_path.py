"""Friction during an impact: the slip is followed along the normal impulse.

Routh 1860; Keller 1986; Mirtich 1996. In: the 3×3 block W of the Delassus matrix of a contact (1/kg; normal, two
tangents), its velocity u before (m/s), μ, and a goal: a normal speed, impulse or work to be reached. Out: the impulse
(N s) and the work of its normal part (J) there.

The velocity of the contact point changes with the impulse as du = W dp. As the normal impulse grows:

    (1) it slips: dp_t = −μ (u_t/|u_t|) dp_n. The direction of slip may turn, so the path in the plane of slip is
        curved: an initial value problem, integrated with dp_n = |u_t| dσ, so that dp_t = −μ u_t dσ: nothing is divided
        by the speed of slip, which falls exponentially where it ends (Dormand and Prince, order 5, steps by error)
    (2) slip that goes straight on: in closed form
    (3) slip stops, and friction within the cone holds it, |W_tt⁻¹ w| ≤ μ: it sticks to the end
    (4) slip stops, and friction does not hold it: it slips on in the one direction that leads away from zero,
        (μ W_tt + R) d = w with |d| = 1 and R > 0 (Bhatt and Koechling 1995), to the end

(3) and (4) go on with a constant direction of the impulse, so that only the first slip may have a curved path.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.geometry.frames import Matrix, apply
from polycontact.kernels.geometry.vectors import Vector, add, dot, norm
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.response.plane_friction import from_axes, principal_axes, slip_impulse, stick_impulse, to_axes
from polycontact.tolerances import (
    FIRST_SLIP_STEP,
    LEAST_STEP_ERROR,
    LOOSE_DIRECTION,
    SAME_INSTANT,
    SLIP_ERROR,
    SLIP_STOPPED,
    STEP_GROWS,
    STEP_SAFETY,
    STEP_SHRINKS,
    STRAIGHT_SLIP,
)

SLIP_STEPS = 2000
"""Steps along a curved path at most; hundreds are rare."""

LAST_PIECES = 200
"""Straight pieces after that, each until slip along it has stopped: less exact, but friction still takes energy."""

UNTIL_SPEED = 0
UNTIL_IMPULSE = 1
UNTIL_WORK = 2
"""What a goal is about: normal speed (m/s), normal impulse (N s), work of the normal impulse (J)."""


class Impact(NamedTuple):
    """What does not change during an impact: W (1/kg), velocity before (m/s; normal, two tangents), μ."""

    W: Matrix
    u: Vector
    mu: float


class Goal(NamedTuple):
    """How far an impact is followed: until its normal speed, impulse or work reaches a value."""

    quantity: int
    value: float


State = tuple[float, float, float, float]
"""Impulse (normal, two tangents; N s) and work of the normal impulse (J) since the beginning."""


@inline_kernel
def velocity_at(impact: Impact, state: State) -> Vector:
    """Velocity of the contact point, u + W p."""
    return add(impact.u, apply(impact.W, (state[0], state[1], state[2])))


@inline_kernel
def _least_speed(impact: Impact, state: State) -> float:
    """Speed of slip below which it is rounding of the velocities."""
    W = impact.W
    changed = (W[0][0] + W[1][1] + W[2][2]) * (1.0 + impact.mu) * state[0]
    return SLIP_STOPPED * (norm(impact.u) + changed)


@inline_kernel
def _distance_to(goal: Goal, state: State, u_n: float) -> float:
    """How much is left to the goal: positive before it."""
    if goal.quantity == UNTIL_SPEED:
        return goal.value - u_n
    if goal.quantity == UNTIL_IMPULSE:
        return goal.value - state[0]
    return goal.value - state[3]


@kernel
def follow_impact(impact: Impact, state: State, goal: Goal) -> State:
    """Impulse and work where the goal is reached from ``state``; where it cannot be, as they are when slip has ended.

    At once where the goal is reached already.
    """
    u = velocity_at(impact, state)
    if not _distance_to(goal, state, u[0]) > 0.0:
        return state
    if impact.mu > 0.0:
        state, done = _follow_slip(impact, state, goal)
        if done:
            return state
    state, _ = _follow_straight(impact, state, direction_after_slip(impact), goal, math.inf)
    return state


@kernel
def direction_after_slip(impact: Impact) -> Vector:
    """Direction of the impulse, per normal impulse, where there is no slip: sticking (3), or slip that begins (4)."""
    W, mu = impact.W, impact.mu
    if not mu > 0.0:
        return (1.0, 0.0, 0.0)
    size, coupling = W[1][1] + W[2][2], math.hypot(W[0][1], W[0][2])
    axes = principal_axes(W[1][1], W[1][2], W[2][2])
    g = to_axes(axes, -W[0][1], -W[0][2])
    x, y = stick_impulse(axes, g, size, coupling)  # (3)
    if math.hypot(x, y) > mu:  # (4)
        x, y, _ = slip_impulse(axes, g, mu, (0.0, 0.0))
        length = math.hypot(x, y)
        x, y = mu * x / length, mu * y / length
    d1, d2 = from_axes(axes, (x, y))
    return (1.0, d1, d2)


@kernel
def _follow_straight(impact: Impact, state: State, direction: Vector, goal: Goal, longest: float) -> tuple[State, bool]:
    """Impulse in a constant direction until the goal, or as far as ``longest`` (N s); whether the goal is reached.

    The normal speed changes linearly with the normal impulse, its work quadratically. Where friction jams the contact
    (the normal speed does not change) and the goal is no impulse, the state stays as it is, done.
    """
    u_n = velocity_at(impact, state)[0]
    rate = dot(impact.W[0], direction)
    jammed = abs(rate) <= LOOSE_DIRECTION * impact.W[0][0] and goal.quantity != UNTIL_IMPULSE
    length = math.inf if jammed else _length_to(goal, state, u_n, rate)
    done = length <= longest
    if not done:
        length = longest
    if not math.isfinite(length):
        return state, True
    work = state[3] + length * (u_n + 0.5 * rate * length)
    return (
        state[0] + length,
        state[1] + length * direction[1],
        state[2] + length * direction[2],
        work,
    ), done


@inline_kernel
def _length_to(goal: Goal, state: State, u_n: float, rate: float) -> float:
    """Normal impulse to the goal along a straight path on which the normal speed changes at a constant rate."""
    left = _distance_to(goal, state, u_n)
    if goal.quantity == UNTIL_IMPULSE:
        return left
    if goal.quantity == UNTIL_SPEED:
        return left / rate if rate > 0.0 else math.inf
    # The work is u_n x + ½ rate x²: the smaller root, in the form that loses no digits.
    inside = u_n * u_n + 2.0 * rate * left
    if inside < 0.0:
        return math.inf
    slope = u_n + math.sqrt(inside)
    return 2.0 * left / slope if slope > 0.0 else math.inf


# Slip -------------------------------------------------------------------------------------------------------


@kernel
def _follow_slip(impact: Impact, state: State, goal: Goal) -> tuple[State, bool]:
    """Slip until the goal or until it stops; whether the goal is reached. (1) and (2).

    After `SLIP_STEPS` curved steps, which hardly ever happens, straight pieces finish it.
    """
    W, mu = impact.W, impact.mu
    fastest = mu * (W[1][1] + W[2][2]) + math.hypot(W[0][1], W[0][2])
    step = FIRST_SLIP_STEP / fastest if fastest > 0.0 else math.inf
    for i in range(SLIP_STEPS + LAST_PIECES):
        u = velocity_at(impact, state)
        speed = math.hypot(u[1], u[2])
        if speed <= _least_speed(impact, state):
            return state, False
        direction = (1.0, -mu * u[1] / speed, -mu * u[2] / speed)
        along, across = _slip_rates(W, direction, u, speed)
        # (2): until the slip along this direction has stopped, at most
        if abs(across) <= STRAIGHT_SLIP * fastest or i >= SLIP_STEPS:
            state, done = _follow_straight(impact, state, direction, goal, -speed / along if along < 0.0 else math.inf)
        else:  # (1)
            state, step, done = _slip_step(impact, state, goal, step)
        if done:
            return state, True
    return state, False


@inline_kernel
def _slip_rates(W: Matrix, direction: Vector, u: Vector, speed: float) -> tuple[float, float]:
    """How fast slip grows, and how fast it turns, with the normal impulse (1/kg)."""
    a1, a2 = dot(W[1], direction), dot(W[2], direction)
    return (a1 * u[1] + a2 * u[2]) / speed, (a2 * u[1] - a1 * u[2]) / speed


@kernel
def _slip_step(impact: Impact, state: State, goal: Goal, step: float) -> tuple[State, float, bool]:
    """One step along a curved path; the state there, the next step, and whether it ended at the goal.

    (a) shortened until its error is allowed; (b) where it goes beyond the goal, the step that ends there is found by
    Newton's method, with bisection where it leaves the bracket.
    """
    # (a) the error goes with the fifth power of the step
    for _ in range(50):
        new, error = _dormand_prince(impact, state, step)
        if error <= 1.0 or not math.isfinite(error):
            break
        step *= max(STEP_SHRINKS, STEP_SAFETY * error**-0.2)
    u = velocity_at(impact, new)
    if _distance_to(goal, new, u[0]) > 0.0:
        return new, step * min(STEP_GROWS, STEP_SAFETY * max(error, LEAST_STEP_ERROR) ** -0.2), False
    low, high = 0.0, step
    for _ in range(100):  # (b)
        left = _distance_to(goal, new, u[0])
        if left > 0.0:
            low = step
        else:
            high = step
        rate = _goal_rate(impact, goal, u)
        trial = step + left / rate if rate > 0.0 else low
        if abs(trial - step) <= SAME_INSTANT * high:
            break
        step = trial if low < trial < high else 0.5 * (low + high)
        if not low < step < high:
            break
        new, _ = _dormand_prince(impact, state, step)
        u = velocity_at(impact, new)
    return new, step, True


@inline_kernel
def _goal_rate(impact: Impact, goal: Goal, u: Vector) -> float:
    """How fast the goal is approached along σ."""
    speed = math.hypot(u[1], u[2])
    if goal.quantity == UNTIL_IMPULSE:
        return speed
    if goal.quantity == UNTIL_WORK:
        return u[0] * speed
    return dot(impact.W[0], (speed, -impact.mu * u[1], -impact.mu * u[2]))


@inline_kernel
def _rates(impact: Impact, state: State) -> State:
    """d(impulse, work)/dσ of slip."""
    u = velocity_at(impact, state)
    speed = math.hypot(u[1], u[2])
    return (speed, -impact.mu * u[1], -impact.mu * u[2], u[0] * speed)


@inline_kernel
def _plus(state: State, h: float, rates: State) -> State:
    return (state[0] + h * rates[0], state[1] + h * rates[1], state[2] + h * rates[2], state[3] + h * rates[3])


@inline_kernel
def _mean(a: float, x: State, b: float, y: State) -> State:
    return (a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2], a * x[3] + b * y[3])


@kernel
def _dormand_prince(impact: Impact, state: State, h: float) -> tuple[State, float]:
    """A step of order 5 (Dormand and Prince 1980) and its error relative to what is allowed."""
    k1 = _rates(impact, state)
    k2 = _rates(impact, _plus(state, h / 5, k1))
    k3 = _rates(impact, _plus(state, h, _mean(3 / 40, k1, 9 / 40, k2)))
    sum4 = _plus(_mean(44 / 45, k1, -56 / 15, k2), 32 / 9, k3)
    k4 = _rates(impact, _plus(state, h, sum4))
    sum5 = _plus(_plus(_mean(19372 / 6561, k1, -25360 / 2187, k2), 64448 / 6561, k3), -212 / 729, k4)
    k5 = _rates(impact, _plus(state, h, sum5))
    sum6 = _plus(_plus(_mean(9017 / 3168, k1, -355 / 33, k2), 46732 / 5247, k3), 49 / 176, k4)
    k6 = _rates(impact, _plus(state, h, _plus(sum6, -5103 / 18656, k5)))
    change = _plus(_plus(_mean(35 / 384, k1, 500 / 1113, k3), 125 / 192, k4), -2187 / 6784, k5)
    new = _plus(state, h, _plus(change, 11 / 84, k6))
    k7 = _rates(impact, new)
    wrong = _plus(_plus(_mean(71 / 57600, k1, -71 / 16695, k3), 71 / 1920, k4), -17253 / 339200, k5)
    wrong = _plus(_plus(wrong, 22 / 525, k6), -1 / 40, k7)
    size = SLIP_ERROR * math.hypot(new[0] - state[0], math.hypot(new[1] - state[1], new[2] - state[2]))
    size += h * _least_speed(impact, state)
    error = h * math.hypot(wrong[0], math.hypot(wrong[1], wrong[2]))
    work_size = SLIP_ERROR * (h * max(abs(k1[3]), abs(k7[3])) + abs(state[3]))
    return new, max(error / size, h * abs(wrong[3]) / work_size if work_size > 0.0 else 0.0)
