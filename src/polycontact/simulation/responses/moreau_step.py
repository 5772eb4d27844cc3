"""One time step with unilateral contact and Coulomb friction: Moreau's midpoint rule (Moreau 1988; S2.11, S2.22).

With q, v at the start of a step h: q½ = q + (h/2) v, where forces f and contact points are found; v⁺ = v + h M⁻¹f +
M⁻¹Jᵀp with impulses p such that u_n⁺ + e u_n⁻ ≥ 0 ⟂ p_n ≥ 0 and Coulomb's friction in u_t⁺; then q⁺ = q½ + (h/2) v⁺.
Bodies keep a small depth, the slop: points that are less deep may approach by the rest in a step, what lies deeper is
taken back by a motion without speed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rigid_contacts import ContactMatrix, RigidContacts
from polycontact.simulation.responses.contact_solver import ContactSolver
from polycontact.simulation.responses.rigid_properties import RigidProperties

Array = NDArray[np.float64]

DEPTH_CORRECTION_SHARE = 0.2
"""Part of the depth beyond the slop that one step takes back."""

LEAST_RESTITUTION = 1e-3
"""Restitution below which a yielding contact is damped no more: nearly critically."""

LEAST_INVERSE_MASS = 1e-12
"""1/kg: what a point between fixed bodies yields, for the sake of the division."""

CORRECTION_THRESHOLD = 0.5
"""Depth beyond the slop, in slops, from which on it is taken back."""


@dataclass(frozen=True, eq=False)
class StepMade:
    """State after a step and halfway; the wrenches (n_pairs, 6) that contacts exerted during it, and whether they did;
    ``approach``: greatest speed (m/s) with which points met that touched halfway."""

    state: Array
    halfway: Array
    wrenches: Array
    pushed: bool
    approach: float
    n_coordinates: int


def between(t_old: float, y_old: Array, made: StepMade, t_new: float, t: float) -> Array:
    """State at a time t (s) in a step: on the line between its ends, or, where contacts pushed, on both its halves.

    Speeds then jump in the middle, as the rule has it, and with them the work of the contacts.
    """
    part = (t - t_old) / (t_new - t_old)
    if not made.pushed:
        return np.asarray((1.0 - part) * y_old + part * made.state)
    start, end, part = (y_old, made.halfway, 2.0 * part) if part < 0.5 else (made.halfway, made.state, 2.0 * part - 1.0)
    y = (1.0 - part) * start + part * end
    kept = y_old if end is made.halfway else made.state
    n = made.n_coordinates
    y[n:] = kept[n:]
    return np.asarray(y)


class MoreauStep:
    """Makes steps of a system with rigid contacts; ``rest_speed`` (m/s): slower impacts do not rebound."""

    def __init__(
        self,
        contacts: RigidContacts,
        properties: RigidProperties,
        solver: ContactSolver,
        *,
        ledger: int,
        n_pairs: int,
        n_coordinates: int,
        states: slice,
        rest_speed: float,
    ) -> None:
        self._contacts = contacts
        self._properties = properties
        self._solver = solver
        self._ledger = ledger
        self._n_pairs = n_pairs
        self._n_coordinates = n_coordinates
        self._states = states
        self._rest_speed = rest_speed

    def make(self, t: float, y: Array, h: float, *, rebounds: bool = True) -> StepMade:
        """Step from y at t (s) by h (s)."""
        contacts, middle = self._contacts, t + 0.5 * h
        free, own = contacts.in_joints, contacts.in_state
        halfway = contacts.advance(y, self._all_speeds(y), 0.5 * h)
        points = contacts.touch(middle, halfway)
        before = contacts.speeds
        rates = contacts.free_rates(middle, halfway, h)
        after = before.copy()
        after[free] += h * rates[free]
        wrenches = np.zeros((self._n_pairs, 6))
        work = np.zeros(2)
        lift = None
        pushed, approach, put_in = False, 0.0, 0.0
        if len(points):
            matrix = contacts.respond(points)
            u_before = contacts.velocities(matrix, before)
            approach = float(np.max(-u_before[::3]))
            p = self._impulses(matrix, u_before, contacts.velocities(matrix, after), h, rebounds)
            change = p @ matrix.responses
            after[free] += change[free]
            put_in = contacts.work_of_motions(matrix, p, change)
            mean = 0.5 * (u_before + contacts.velocities(matrix, after))
            work = work_of_impulses(p, mean)
            contacts.wrenches(matrix, p, h, wrenches)
            pushed = bool(p[::3].any())
            lift, raised = self._taken_back(matrix, rates, h)
            work[0] += raised
        reached = contacts.advance(halfway, after, 0.5 * h)
        if lift is not None:
            reached = contacts.advance(reached, lift, h)
        reached[own] = after[free]
        reached[self._states] += h * contacts.rates[self._states]
        contacts.count_work(middle, h, after, reached)
        reached[self._ledger : self._ledger + 3] += (work.sum(), -work[0], -work[1])
        reached[self._ledger + 4] += put_in
        return StepMade(reached, halfway, wrenches, pushed, approach, self._n_coordinates)

    def _all_speeds(self, y: Array) -> Array:
        """Joint speeds of a state; those of prescribed joints do not matter here."""
        speeds = self._contacts.speeds
        speeds[self._contacts.in_joints] = y[self._contacts.in_state]
        return speeds

    def _impulses(self, matrix: ContactMatrix, before: Array, free: Array, h: float, rebounds: bool) -> Array:
        pair = matrix.points.pair
        b = free.copy()
        approach = before[::3]
        properties, points = self._properties, matrix.points
        stiffness = properties.stiffness[pair] * points.area
        rigid = np.isinf(stiffness)
        collides = rigid & (approach < -self._rest_speed) & rebounds
        room = np.where(rigid, np.maximum(properties.slop - points.depth, 0.0) / h, 0.0)
        b[::3] += np.where(collides, properties.restitution[pair] * approach, room)
        W = matrix.delassus
        if not rigid.all():
            W = W.copy()
            self._yield(W, b, ~rigid, stiffness, properties.restitution[pair], points.depth, h)
        return self._solver.solve(W, b, properties.friction[pair], pair)

    def _yield(
        self, W: Array, b: Array, soft: NDArray[np.bool_], stiffness: Array, e: Array, depth: Array, h: float
    ) -> None:
        """Let points give way: p = h [k (δ - (h/2) u_n⁺) - d u_n⁺], with δ in the middle of the step.

        d follows from the restitution e and the mass that the point feels, as for a spring with a damper: the share ζ
        of the critical damping is -ln e/√(π² + ln² e).
        """
        at = 3 * np.flatnonzero(soft)
        k = stiffness[soft]
        log = np.log(np.maximum(e[soft], LEAST_RESTITUTION))
        share = -log / np.sqrt(np.pi**2 + log**2)
        damping = 2.0 * share * np.sqrt(k / np.maximum(W[at, at], LEAST_INVERSE_MASS))
        gives = 1.0 / (0.5 * h * h * k + h * damping)
        W[at, at] += gives
        b[at] -= h * k * np.maximum(depth[soft], 0.0) * gives

    def _taken_back(self, matrix: ContactMatrix, rates: Array, h: float) -> tuple[Array | None, float]:
        """Joint speeds that, during the step, take back some of what bodies lie too deep, and their work (J) against
        the forces that accelerate the joints with ``rates``; None where bodies do not lie too deep."""
        slop = self._properties.slop
        rigid = np.isinf(self._properties.stiffness[matrix.points.pair])
        excess = np.where(rigid, matrix.points.depth - slop, 0.0)
        if not (excess > CORRECTION_THRESHOLD * slop).any():
            return None, 0.0
        wanted = np.maximum(DEPTH_CORRECTION_SHARE * excess / h, 0.0)
        pushes = self._solver.part(matrix.delassus[::3, ::3], wanted)
        work = -h * float(pushes @ self._contacts.velocities(matrix, rates)[::3])
        return np.asarray(pushes @ matrix.responses[::3]), work


def equal_step(whole: float, longest: float) -> float:
    """Length (s) of equal steps, none longer than ``longest``, that make up a ``whole`` time (s)."""
    return whole / math.ceil(whole / longest - 1e-9)


def work_of_impulses(p: Array, mean: Array) -> Array:
    """Work (J) of normal impulses and of friction at mean velocities."""
    each = p * mean
    return np.array([each[::3].sum(), each.sum() - each[::3].sum()])
