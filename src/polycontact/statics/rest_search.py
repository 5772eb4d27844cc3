"""The search for a state of rest: implicit steps without velocity whose length grows until they are Newton's method.

A step from q₀ that would last τ, begun and ended at rest, leads to the q at which

    M d(q₀, q) / τ² = f(q),       d: displacement from q₀ to q

as Euler's implicit method has it, the velocity thrown away. Of forces that have a potential it is a step of the
proximal point method: the potential falls with every step, whatever τ is (Rockafellar 1976). A short step can always
be solved; a long one is Newton's method for f(q) = 0. It must not be longer than a motion that runs away takes, for
Newton's method would go back to where that begins. So τ grows where a step was easy and shrinks where it failed, as
in pseudo-transient continuation (Kelley and Keyes 1998). Bodies fall, meet and settle; what nothing holds and nothing
pushes stays where it is.

Each step is solved by Newton's method with a line search on the residual, in accelerations: (σ − A) δ = a − σ d with
σ = 1/τ², a = M⁻¹ f (constraint forces included) and its slope A. What friction that sticks remembers is renewed after
each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator, NotFiniteError
from polycontact.statics.state_slopes import StateSlopes
from polycontact.statics.tangent_space import TangentSpace
from polycontact.statics.tree_matrices import body_jacobians, mass_matrix
from polycontact.tolerances import (
    FALLEN_AWAY,
    FIRST_REST_STEP,
    REST_STEP_ANGLE,
    REST_STEP_SIZE,
    SUFFICIENT_DECREASE,
)

Array = NDArray[np.float64]

MOST_CORRECTIONS = 30
"""Corrections of Newton's method in one step, before it counts as too long."""
MOST_HALVINGS = 30
"""Halvings of a correction: from a body's size down to nanometres."""
STEP_RESIDUAL = 1e-3
"""Part of its first residual at which a step is solved: the next step goes on from there."""
HALF_SOLVED = 0.5
"""Part of it with which a step counts as made where Newton's method gets no further."""
EASY_STEP = 6
"""Corrections up to which a step was easy, and the next one is much longer."""
LONGER, A_LITTLE_LONGER, SHORTER = 1.0 / 64.0, 1.0 / 4.0, 16.0
"""What σ is multiplied by after an easy step, after another one, and after one that failed."""
DESCENT = 1.5
"""σ in parts of the square of the fastest growth, ω², from which on a step goes downhill."""
MOST_FOR_EIGENVALUES = 300
"""Speeds up to which the growth is looked at in every step: it costs 0.1 s there."""
POINT_SIZE = 1e-9
"""m: a system that is no larger has all its points in one, but for rounding; 1 m stands for its size."""
LARGEST_SIGMA = 1e16
"""1/s²: steps of 10 ns move nothing any more."""
SMALLEST_SIGMA = 1e-14
"""1/s²: steps of months: Newton's method."""


@dataclass(frozen=True, eq=False)
class Found:
    """Where the search has ended.

    ``state`` y; ``residual`` (n,) along the free speeds, N and N m, and ``load``, the largest force (N) that acts;
    ``size`` of the system, m; ``settled``: whether it rests; ``why`` not, in a word.
    """

    state: Array
    residual: Array
    inner_rates: Array
    load: float
    size: float
    settled: bool
    why: str
    steps: int
    corrections: int
    evaluations: int


class RestSearch:
    """Looks for rest from a state on. ``tolerance``: residual in parts of the largest load."""

    def __init__(
        self,
        compiled: CompiledSystem,
        time: float,
        tolerance: float,
        most_steps: int,
        report: Callable[[int, float], object] | None = None,
    ) -> None:
        self.compiled, self.time = compiled, time
        self.evaluator: Evaluator = compiled.evaluator()
        self.space = TangentSpace(compiled.setup)
        self._tolerance, self._most_steps, self._report = tolerance, most_steps, report
        self.size = 1.0
        self._corrections = self._steps = 0
        self.touched = np.zeros(len(compiled.contacts), dtype=bool)
        """Contacts that touched after any step."""

    def run(self, start: Array) -> Found:
        """Steps from a state until the system rests, or something tells that it will not."""
        y = np.array(start)
        y[self.space.speeds] = 0.0
        self.compiled.project(self.time, y)
        y[self.space.speeds] = 0.0
        self.evaluator.place(self.time, y)
        self.size = system_size(self.compiled, self.evaluator)
        self.slopes = StateSlopes(self.compiled, self.space, self.evaluator, self.size)
        if self.space.n + self.space.n_inner == 0:
            return self._ended(y, np.zeros(0), True, "")
        origin = self._positions(y)
        self._commit(y)
        rates = self.slopes.rates(self.time, y)
        sigma = self._first_sigma(rates)
        while True:
            if self._is_at_rest(rates):
                return self._ended(y, rates, True, "")
            if self._steps >= self._most_steps:
                return self._ended(y, rates, False, "steps")
            if sigma > LARGEST_SIGMA:
                return self._ended(y, rates, False, "stuck")
            if self._has_fallen(y, origin):
                return self._ended(y, rates, False, "fallen")
            self._steps += 1
            moved = self._step(y, sigma)
            if moved is None:
                sigma *= SHORTER
                continue
            y, n_corrections = moved
            self._commit(y)
            rates = self.slopes.rates(self.time, y)
            self.touched |= self.evaluator.touching_last
            sigma = max(SMALLEST_SIGMA, sigma * (LONGER if n_corrections <= EASY_STEP else A_LITTLE_LONGER))
            if self._report is not None:
                self._report(self._steps, self.residual_share(rates))

    # One step ----------------------------------------------------------------------------------------------------

    def _step(self, start: Array, sigma: float) -> tuple[Array, int] | None:
        """The state after a step of 1/√σ (s) and the corrections it took; None where it cannot be solved."""
        space = self.space
        weights = self._weights_of(sigma)
        y, away = np.array(start), np.zeros(space.n + space.n_inner)
        first_merit = 0.0
        for k in range(MOST_CORRECTIONS):
            try:
                slopes = self.slopes.at(self.time, y)
            except NotFiniteError:
                return None
            self._corrections += 1
            wanted = slopes.rates - weights * away
            merit = self._merit(y, wanted)
            if merit <= STEP_RESIDUAL * first_merit:
                return y, k
            if k == 0:
                first_merit = merit
                if self._runs_away_faster(slopes.of_displacements[: space.n], sigma):
                    return None
            matrix = np.diag(weights) - np.hstack([slopes.of_displacements, slopes.of_inner])
            try:
                change: Array = np.asarray(np.linalg.solve(matrix, wanted), dtype=np.float64)
            except np.linalg.LinAlgError:
                return None
            if not np.isfinite(change).all():
                return None
            change = self._allowed(y, change) * change
            taken = self._line_search(y, start, away, change, weights, merit)
            if taken is None:
                return (y, MOST_CORRECTIONS) if merit <= HALF_SOLVED * first_merit else None
            y, away = taken
        return None

    def _runs_away_faster(self, accelerations: Array, sigma: float) -> bool:
        """Whether a motion runs away so fast that the step would lead back to where it runs away from."""
        if not 0 < len(accelerations) <= MOST_FOR_EIGENVALUES:
            return False
        return bool(np.linalg.eigvals(accelerations).real.max() * DESCENT > sigma)

    def _weights_of(self, sigma: float) -> Array:
        """σ of displacements; of inner states, whose equations are of first order, its root."""
        return np.concatenate([np.full(self.space.n, sigma), np.full(self.space.n_inner, np.sqrt(sigma))])

    def _line_search(
        self, y: Array, start: Array, away: Array, change: Array, weights: Array, merit: float
    ) -> tuple[Array, Array] | None:
        """The state after as much of a correction as lets the residual fall; None where none does."""
        share = 1.0
        for _ in range(MOST_HALVINGS):
            tried = self._moved(y, share * change)
            gone = away + share * change
            try:
                rates = self.slopes.rates(self.time, tried)
            except NotFiniteError:
                share *= 0.25
                continue
            if self._merit(tried, rates - weights * gone) <= (1.0 - SUFFICIENT_DECREASE * share) * merit:
                return tried, gone
            share *= 0.5
        return None

    def _moved(self, y: Array, change: Array) -> Array:
        space = self.space
        moved = space.displaced(y, change[: space.n])
        moved[space.inner] += change[space.n :]
        return moved

    def _merit(self, y: Array, wanted: Array) -> float:
        """Norm of a residual in accelerations, by the mass matrix: √(aᵀ M a), and of inner rates beside it."""
        n = self.space.n
        mass = self._mass()
        moving, inner = float(wanted[:n] @ mass @ wanted[:n]), float(wanted[n:] @ wanted[n:])
        return math.sqrt(max(moving, 0.0) + inner)

    def _mass(self) -> Array:
        """Mass matrix of the free speeds where the evaluator has been last."""
        view = self.evaluator.view
        columns = self.space.columns
        found = mass_matrix(self.compiled.setup, view, body_jacobians(self.compiled.setup, view))
        return np.asarray(found[np.ix_(columns, columns)])

    def _allowed(self, y: Array, change: Array) -> float:
        """Part of a correction that turns and moves no body too far, and none through another."""
        space = self.space
        turns = np.abs(change[: space.n][space.is_turn])
        ways = np.abs(change[: space.n][~space.is_turn])
        most = max(
            1.0,
            float(turns.max(initial=0.0)) / REST_STEP_ANGLE,
            float(ways.max(initial=0.0)) / (REST_STEP_SIZE * self.size),
        )
        part = 1.0 / most
        if not self.compiled.contacts:
            return part
        full = np.zeros(self.compiled.setup.tree.n_speeds)
        full[space.columns] = part * change[: space.n]
        self.evaluator.place(self.time, y)
        moves = body_jacobians(self.compiled.setup, self.evaluator.view) @ full
        # Accelerations with which the bodies would go this way in a second.
        longest = self.evaluator.look_ahead(self.time, y, 2.0 * moves, 0.5).longest_step
        return part * min(1.0, longest * longest)

    # How far it is -----------------------------------------------------------------------------------------------

    def _first_sigma(self, rates: Array) -> float:
        n = self.space.n
        fastest = max(
            float(np.abs(rates[:n][~self.space.is_turn]).max(initial=0.0)),
            self.size * float(np.abs(rates[:n][self.space.is_turn]).max(initial=0.0)),
        )
        return max(fastest / (FIRST_REST_STEP * self.size), SMALLEST_SIGMA)

    def residual_share(self, rates: Array) -> float:
        """Largest residual in parts of the largest load; torques count by the size of the system."""
        residual = self._mass() @ rates[: self.space.n]
        scaled = np.where(self.space.is_turn, residual / self.size, residual)
        forces = float(np.abs(scaled).max(initial=0.0))
        inner = float(np.abs(rates[self.space.n :]).max(initial=0.0))
        load = largest_load(self.compiled, self.evaluator, self.size)
        return max(forces / load if load > 0.0 else (0.0 if forces == 0.0 else np.inf), inner)

    def _is_at_rest(self, rates: Array) -> bool:
        return self.residual_share(rates) <= self._tolerance

    def _positions(self, y: Array) -> Array:
        return self.evaluator.place(self.time, y).position.copy()

    def _has_fallen(self, y: Array, origin: Array) -> bool:
        ways = np.linalg.norm(self._positions(y) - origin, axis=1)
        return bool(ways.max(initial=0.0) > FALLEN_AWAY * self.size)

    def _commit(self, y: Array) -> None:
        if self.compiled.has_loops:
            self.compiled.project(self.time, y)
            y[self.space.speeds] = 0.0
        if self.evaluator.has_memory:
            self.evaluator.commit(self.time, y)

    def _ended(self, y: Array, rates: Array, settled: bool, why: str) -> Found:
        n = self.space.n
        residual, load = np.zeros(n), 0.0
        if len(rates):
            self.slopes.rates(self.time, y)
            residual = self._mass() @ rates[:n]
            load = largest_load(self.compiled, self.evaluator, self.size)
        evaluations = self.slopes.evaluations
        return Found(y, residual, rates[n:], load, self.size, settled, why, self._steps, self._corrections, evaluations)


def system_size(compiled: CompiledSystem, evaluator: Evaluator) -> float:
    """Largest extent of the system at the last kinematics, m: of bodies' origins, markers and shapes."""
    setup, bodies = compiled.setup, evaluator.view.bodies
    points = [bodies.position]
    boxes = 0.0
    for i in range(setup.shapes.n_shapes):
        boxes = max(boxes, 2.0 * float(np.linalg.norm(setup.shapes.box_half[i])))
    tree = setup.tree
    for b in range(1, tree.n_bodies):
        R = bodies.rotation[b].reshape(3, 3)
        points.append((bodies.position[b] + R @ tree.own_point[b])[None])
        if tree.mass[b] > 0.0:
            points.append((bodies.position[b] + R @ (tree.first_moment[b] / tree.mass[b]))[None])
    found = np.concatenate(points)
    extent = float(np.linalg.norm(found.max(axis=0) - found.min(axis=0)))
    size = max(boxes, extent) if boxes > 0.0 else extent
    return size if size > POINT_SIZE else 1.0


def largest_load(compiled: CompiledSystem, evaluator: Evaluator, size: float) -> float:
    """Largest force (N) at the last evaluation: on bodies, along joints, in contacts; torques over the size."""
    view = evaluator.view
    applied = np.abs(view.forces.applied)
    efforts = np.abs(view.forces.efforts)
    weights = compiled.setup.tree.mass * float(np.linalg.norm(compiled.setup.tree.gravity))
    wrench = np.abs(view.contacts.wrench[:, :3]) if compiled.setup.pairs.n_pairs else np.zeros(0)
    return max(
        float(weights.max(initial=0.0)),
        float(applied[:, 3:].max(initial=0.0)),
        float(applied[:, :3].max(initial=0.0)) / size,
        float(efforts.max(initial=0.0)) / max(size, 1.0),
        float(wrench.max(initial=0.0)),
    )
