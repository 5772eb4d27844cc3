"""How the accelerations of a system change with a small motion: displacements, speeds and inner states.

The contacts tell their slope once, and central differences of the dynamics alone make the columns
(`kernels.dynamics.contact_slopes`). Where contacts have states of their own, differences of all rates are taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.contact_slopes import ContactSlopes, accelerate_beside, place_beside, slopes_here
from polycontact.kernels.dynamics.evaluation_views import Status
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator
from polycontact.statics.tangent_space import TangentSpace
from polycontact.tolerances import SMALL_MOTION, SMALL_MOTION_OF_CONTACTS

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives of accelerations and of the rates of inner states (rows) by displacements, speeds and inner states.

    ``rates`` (n + n_inner,): accelerations and rates of inner states where they were taken.
    """

    rates: Array
    of_displacements: Array
    of_speeds: Array
    of_inner: Array


class StateSlopes:
    """Finds rates and `Slopes` of a system in memory of its own. ``size`` (m): of what moves, which sets increments."""

    def __init__(self, compiled: CompiledSystem, space: TangentSpace, evaluator: Evaluator, size: float) -> None:
        self._setup, self._space, self._evaluator = compiled.setup, space, evaluator
        self._out = np.zeros(compiled.n_states)
        self._by_contacts = self._setup.pairs.n_states == 0
        relative = SMALL_MOTION if self._by_contacts else SMALL_MOTION_OF_CONTACTS
        self._increments = relative * np.where(space.is_turn, 1.0, size)
        self._relative = relative
        if self._by_contacts:
            self._slopes = ContactSlopes()
            self._slopes.reserve(n_pairs=self._setup.pairs.n_pairs)
            self._slopes.system = evaluator.view.address
        self.evaluations = 0

    def rates(self, t: float, y: Array) -> Array:
        """Accelerations (m/s², rad/s²) along the free speeds, and rates of inner states, at a state."""
        self.evaluations += 1
        self._evaluator.rates(t, y, self._out)
        return self._taken()

    def _taken(self) -> Array:
        return np.concatenate([self._out[self._space.speeds], self._out[self._space.inner]])

    def at(self, t: float, y: Array, *, speeds: bool = False) -> Slopes:
        """Rates and slopes at a state; those of the speeds only where they are asked for, else zero."""
        space = self._space
        base = self.rates(t, y)
        if self._by_contacts:
            self._find_contact_slopes(t)
        columns = np.zeros((len(base), space.n))
        for k in range(space.n):
            by = np.zeros(space.n)
            by[k] = self._increments[k]
            ends = [self._beside(t, space.displaced(y, sign * by)) for sign in (1.0, -1.0)]
            columns[:, k] = (ends[0] - ends[1]) / (2.0 * by[k])
        of_speeds = np.zeros((len(base), space.n))
        if speeds:
            of_speeds = self._by_states(t, y, range(space.speeds.start, space.speeds.stop), self._increments)
        sizes = self._relative * np.maximum(1.0, np.abs(y[space.inner]))
        of_inner = self._by_states(t, y, range(space.inner.start, space.inner.stop), sizes)
        return Slopes(base, columns, of_speeds, of_inner)

    def _by_states(self, t: float, y: Array, places: range, increments: Array) -> Array:
        """Columns of the states at some places in y."""
        columns = np.zeros((self._space.n + self._space.n_inner, len(places)))
        for k, place in enumerate(places):
            ends = []
            for sign in (1.0, -1.0):
                beside = np.array(y)
                beside[place] += sign * increments[k]
                ends.append(self._beside(t, beside))
            columns[:, k] = (ends[0] - ends[1]) / (2.0 * increments[k])
        return columns

    def _find_contact_slopes(self, t: float) -> None:
        """Slopes of all contacts, after `rates`; with more memory where that does not suffice."""
        self.evaluations += 1
        view = self._evaluator.view
        while (pair := slopes_here(self._slopes.address)) >= 0:
            view.ending.about = pair
            self._evaluator.heed(int(Status.HEED_PAIR), t)

    def _beside(self, t: float, y: Array) -> Array:
        """Rates at a state close to that of the slopes."""
        if not self._by_contacts:
            return self.rates(t, y)
        place_beside(self._slopes.address, t, y.ctypes.data)
        self._evaluator.apply_users(t, y, self._out)
        status = accelerate_beside(self._slopes.address, t, self._out.ctypes.data)
        if status != Status.WELL:
            self._evaluator.heed(int(status), t)
        return self._taken()
