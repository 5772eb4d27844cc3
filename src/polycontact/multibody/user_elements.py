"""Users' force elements in one evaluator: each with the view through which it sees and acts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.multibody.placement import Placement
from polycontact.multibody.system_setup import SystemSetup
from polycontact.multibody.user_force import ForceView

Array = NDArray[np.float64]


class UserElements:
    """The elements of a system over the memory of one evaluator, after its kinematics are known.

    ``discrete``: values of their discrete states, one element after the other; elements change them at events.
    """

    def __init__(self, setup: SystemSetup, view: SystemView, discrete: Array) -> None:
        self._forces = view.forces
        self._each = []
        bodies = Placement.in_memory(setup, view)
        at, at_discrete = setup.n_state_q + setup.n_state_v, 0
        for element in setup.users:
            n, n_discrete = len(element.states), len(element.discrete)
            own = discrete[at_discrete : at_discrete + n_discrete]
            force_view = ForceView(bodies, view.forces, np.zeros(n), np.zeros(n), own)
            self._each.append((element, force_view, slice(at, at + n)))
            at, at_discrete = at + n, at_discrete + n_discrete

    def __bool__(self) -> bool:
        return bool(self._each)

    def apply(self, t: float, y: Array, out: Array) -> None:
        """Forces of all elements; rates of their states into ``out``."""
        self._forces.user_applied[:] = 0.0
        self._forces.user_efforts[:] = 0.0
        for element, view, states in self._each:
            view.time = t
            view.states[:] = y[states]
            view.rates[:] = 0.0
            element.apply(view)
            out[states] = view.rates

    def roots(self, t: float, y: Array) -> Array:
        """Roots of all elements, in their order."""
        return np.concatenate([np.zeros(0), *self._roots_of_each(t, y)])

    def _roots_of_each(self, t: float, y: Array) -> list[Array]:
        parts = []
        for element, view, states in self._each:
            view.time = t
            view.states[:] = y[states]
            parts.append(np.asarray(element.roots(view), dtype=np.float64))
        return parts

    def react(self, t: float, y: Array, roots: Sequence[int], directions: Sequence[int]) -> None:
        """Let the elements act on roots (by number) that rose (+1) or fell (-1) through zero; their states in y."""
        first = 0
        for (element, view, states), values in zip(self._each, self._roots_of_each(t, y), strict=True):
            for root, direction in zip(roots, directions, strict=True):
                if first <= root < first + len(values):
                    view.direction = direction
                    element.at_event(view, root - first)
            y[states] = view.states
            first += len(values)
