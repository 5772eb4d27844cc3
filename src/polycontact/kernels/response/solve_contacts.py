"""Impulses of all contacts: u = W p + b with u_n ≥ 0 ⟂ p_n ≥ 0 and Coulomb's friction.

Coulomb's law is that of a convex problem whose normal velocities are raised by s = μ |u_t| (De Saxcé 1998): of all
impulses in their cones, ½ pᵀW p + pᵀ(b + s n) is least at the solution. In: W = A Aᵀ by its rows (`contact_system`),
b (m/s), μ. Out: p (N s), steps, residual.

    (0) from the last impulses: Newton's method for Coulomb's law where contacts are independent (`are_independent`);
        elsewhere (1) to (5) begin with their coordinates and slips, and once more where that does not lead to the
        solution soon:
    (1) s and p₀ kept: least of ½ pᵀW p + pᵀ(b + s n) + ½ ε |p - p₀|² (`convex_contacts`). It exists and is unique, and
        Newton's method with an exact search along its steps always finds it. The price ε makes each step well
        conditioned, however redundant contacts are
    (2) p₀ takes the impulses, s those of their slips: the price disappears, and friction becomes Coulomb's
    (3) Newton's method for Coulomb's law itself (`newton_contacts`): a few steps to rounding, if states are right.
        After it has failed, it waits for twice as many problems as the last time
    (4) where friction of few contacts goes round in circles, sweeps (`cone_sweeps`) find other states; (3) again
    (5) where the price holds the impulses back more than s does, ε becomes smaller; back to (1)

The best impulses are the answer. (1) always begins with p₀ = 0, so that redundant contacts share a load as equal
springs do: (2) never changes how they share. The last impulses tell coordinates and slips only. Where
there is no solution (Painlevé), the residual tells.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.cone_sweeps import sweep_impulses
from polycontact.kernels.response.contact_system import ContactSystem, find_own, find_velocities
from polycontact.kernels.response.convex_contacts import descend
from polycontact.kernels.response.coulomb_residual import coulomb_residual
from polycontact.kernels.response.envelope import lay_out
from polycontact.kernels.response.independent_contacts import are_independent
from polycontact.kernels.response.kept_impulses import keep_impulses, note_impulses, set_price
from polycontact.kernels.response.newton_contacts import polish
from polycontact.kernels.response.response_views import SolverSettings, SolverWork
from polycontact.kernels.views import Doubles
from polycontact.tolerances import (
    CAREFUL_PACE,
    CHEAPER,
    DEAREST_PRICE,
    INNER_SHARE,
    LEAST_PRICE,
    LESS_THAN_BEFORE,
)

ROUNDS = 60
"""Convex problems at most: each makes the price's error smaller by a factor, and the one of friction."""

ROUNDS_FROM_LAST = 12
"""Convex problems at most that begin with the last impulses, before all begins anew."""

ROUNDS_IN_VAIN = 20
"""Convex problems in a row that may pass without a smaller residual: then there is no solution, or rounding hides it.
"""

PATIENCE = 3
"""Convex problems in vain after which sweeps are made, and after as many more again."""

SWEEPS = 30
"""Sweeps then, times the square of the problems in vain: where few have not helped, many may."""

MOST_SWEPT = 40
"""Contacts up to which sweeps are made: of a wall they find other states that are no better, at many times the cost."""

NEWTON_STEPS = 30
"""Steps of the nonsmooth Newton method at a time, at most."""


@kernel
def solve_contacts(
    system: ContactSystem,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    p: Doubles,
    settings: SolverSettings,
    work: SolverWork,
) -> tuple[int, float]:
    """Impulses p (3n, N s) with u = (W + soft) p + b, u_n ≥ 0 ⟂ p_n - floor ≥ 0 and Coulomb friction.

    Returns the steps of Newton's methods and the residual (m/s, see `coulomb_residual`; infinite where a number is not
    finite; p is zero then). ``floor`` (n, N s) has no entry where all are zero. p is where the search begins; the
    answer hangs on it by no more than the residual allows.
    """
    _begin(system, b, mu, floor, p, work)
    if not math.isfinite(work.residual):
        return 0, work.residual
    begins_anew = not _largest(p, 3 * system.n) > 0.0
    if work.residual <= settings.tolerance and (begins_anew or are_independent(system, work)):
        return 0, work.residual
    steps = 0
    if not begins_anew:
        steps = _go_on_from_last(system, p, settings, work)  # (0)
    if work.residual > settings.tolerance and (begins_anew or steps < settings.steps):
        if not begins_anew:
            _measure_from_none(system, work)
        goal = INNER_SHARE * _largest(b, 3 * system.n)
        steps = _solve_convex(system, settings, work, steps, goal, ROUNDS)
    for k in range(3 * system.n):
        p[k] = work.best[k]
    return steps, work.residual


@kernel
def _solve_convex(
    system: ContactSystem, settings: SolverSettings, work: SolverWork, taken: int, first_goal: float, most: int
) -> int:
    """Convex problems, ``most`` at most, from the impulses and slips kept, at the dearest price; all steps by then.

    ``first_goal`` (m/s): how exactly the first one is solved.
    """
    set_price(system, DEAREST_PRICE, work)
    steps, goal = taken, max(first_goal, INNER_SHARE * settings.tolerance)
    next_polish, wait = 1, 1
    in_vain, last_held = 0, math.inf
    for rounds in range(most):
        before = work.residual
        steps += descend(system, work, goal, settings.steps - steps)  # (1)
        reached = note_impulses(system, work)
        if work.residual <= settings.tolerance or steps >= settings.steps or not math.isfinite(reached):
            break
        held, slipped = keep_impulses(system, work, 1.0 if in_vain == 0 else CAREFUL_PACE)  # (2)
        if rounds >= next_polish:
            convex = work.residual
            steps += polish(system, work, NEWTON_STEPS, settings.tolerance)  # (3)
            wait = 1 if work.residual < convex else 2 * wait
            next_polish = rounds + wait
        in_vain = in_vain + 1 if work.residual > LESS_THAN_BEFORE * before else 0
        is_small = system.n <= MOST_SWEPT
        if is_small and in_vain > 0 and in_vain % PATIENCE == 0 and work.residual > settings.tolerance:  # (4)
            sweep_impulses(system, work, SWEEPS * in_vain * in_vain)
            note_impulses(system, work)
            for j in range(system.width):
                work.z[j] = work.other[j]
            keep_impulses(system, work, 1.0)
            steps += polish(system, work, NEWTON_STEPS, settings.tolerance)
        if work.residual <= settings.tolerance or in_vain > ROUNDS_IN_VAIN:
            break
        if held > slipped and held > INNER_SHARE * last_held and work.share > LEAST_PRICE:  # (5)
            set_price(system, CHEAPER * work.share, work)
            held = math.inf
        last_held = held
        goal = max(min(goal, INNER_SHARE * work.residual), INNER_SHARE * settings.tolerance)
    return steps


@kernel
def _begin(system: ContactSystem, b: Doubles, mu: Doubles, floor: Doubles, p: Doubles, work: SolverWork) -> None:
    """Take the problem, and begin at the coordinates and slips of p; an infinite residual where numbers are bad."""
    total = 0.0
    for i in range(system.n):
        total += abs(mu[i])
        for k in range(3 * i, 3 * i + 3):
            total += abs(b[k]) + abs(p[k]) + abs(system.soft[k])
            for j in range(system.n_columns[i]):
                total += abs(system.rows[k, j])
    if not math.isfinite(total):
        for k in range(3 * system.n):
            p[k] = 0.0
        work.residual = math.inf
        return
    find_own(system)
    lay_out(system, work.envelope)
    # The problem; where p is zero the slips before any impulse tell nothing of those afterwards.
    pushed = 0.0
    for i in range(system.n):
        work.mu[i] = mu[i]
        work.floor[i] = floor[i] if floor.shape[0] > 0 else 0.0
        for k in range(3 * i, 3 * i + 3):
            work.b[k] = b[k]
            if system.own[i] == 0.0:
                p[k] = 0.0
            work.kept[k], work.swept[k] = 0.0, 0.0
            work.best[k] = p[k]
            pushed += abs(p[k])
    find_velocities(system, b, p, work.z, work.velocity)
    work.residual = coulomb_residual(system, work.mu, work.floor, p, work.velocity)
    for i in range(system.n):
        k = 3 * i
        slip = math.hypot(work.velocity[k + 1], work.velocity[k + 2])
        work.raised[i] = mu[i] * slip if pushed > 0.0 else 0.0


@kernel
def _go_on_from_last(system: ContactSystem, p: Doubles, settings: SolverSettings, work: SolverWork) -> int:
    """Newton's method from the last impulses p; its steps."""
    for k in range(3 * system.n):
        work.kept[k] = p[k]
    if are_independent(system, work):
        return polish(system, work, NEWTON_STEPS, settings.tolerance)
    _measure_from_none(system, work)
    goal, work.residual = INNER_SHARE * work.residual, math.inf
    return _solve_convex(system, settings, work, 0, goal, ROUNDS_FROM_LAST)


@kernel
def _measure_from_none(system: ContactSystem, work: SolverWork) -> None:
    """Measure the price from no impulses, so that how contacts share a load does not hang on the last ones."""
    for k in range(3 * system.n):
        work.kept[k] = 0.0


@kernel
def _largest(x: Doubles, n: int) -> float:
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(x[k]))
    return largest
