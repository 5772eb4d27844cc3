"""Dead centres of rods that close loops: a run says once that it met one, where a linkage can go on in two ways."""

from __future__ import annotations

import warnings

import numpy as np

from polycontact.errors import SimulationWarning, level_of_the_caller
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator
from polycontact.tolerances import LETS_GO


class DeadCentres:
    """Looks after each step whether a rod was at a dead centre."""

    def __init__(self, compiled: CompiledSystem, evaluator: Evaluator) -> None:
        self._compiled = compiled
        self._forces = evaluator.view.loop_forces
        self._forces.dead[:] = 0
        self.is_told = not compiled.has_loops
        """Whether there is nothing to tell any more."""

    @property
    def is_at_one(self) -> bool:
        """Whether a rod was at a dead centre at the last evaluation."""
        return bool((self._forces.relief > LETS_GO).any())

    def look(self, t: float) -> None:
        """A step has ended at t (s): warn where a rod was at a dead centre in it, once in a run."""
        if self.is_told or not self._forces.dead.any():
            return
        self.is_told = True
        name = self._compiled.setup.constraint_loop[int(np.argmax(self._forces.dead))]
        warnings.warn(
            f"loop {name!r} is at a dead centre at t = {t:.4g} s: all links of the linkage lie in one line, and it "
            f"can go on in two ways. The run goes on by inertia, and forces of the loop there are rough. If it must go "
            f"on in one way, hold it by another rod, a coupler or an end stop; if links are not meant to reach one "
            f"line, check their lengths",
            SimulationWarning,
            stacklevel=level_of_the_caller(),
        )
