"""The evaluators of a run: one for the integrator, one for all who look at the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.contact_memory import Remembered
from polycontact.kernels.dynamics.dynamics_codes import ConstraintCode
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.recording.records import RememberedRecord
from polycontact.simulation.run_options import RunOptions
from polycontact.tolerances import DEAD_CENTRE, WIDEST_DEAD_CENTRE

PREPARED_PAIRS = 200
"""Up to this many contacts are set up before the run, more of them when their bodies come near."""


class RunEvaluators(NamedTuple):
    """``integrator`` for nobody but the integrator; ``observer`` for samples, events and limits of steps."""

    integrator: Evaluator
    observer: Evaluator

    def release_parted(self) -> None:
        """Give back memory of contacts whose bodies have parted for long."""
        for evaluator in self:
            evaluator.release_parted()

    def commit(self, t: float, y: NDArray[np.float64]) -> None:
        """A step was accepted up to time t (s) and state y: what contact laws remember of elements changes, for both.

        Costs an evaluation of the contacts, and nothing where no law remembers or none is asked, as rigid contacts do.
        """
        if self.observer.has_memory and not self.observer.is_imposed:
            self.observer.commit(t, y)
            self.integrator.remember(self.observer.remembered())
            self.integrator.step_start = t


def make_evaluators(
    compiled: CompiledSystem,
    discrete: NDArray[np.float64],
    options: RunOptions,
    remembered: Sequence[RememberedRecord] = (),
) -> RunEvaluators:
    """Both evaluators, which share the discrete states of the run; contacts in up to ``workers`` threads.

    ``remembered``: what contact laws remember from an earlier part of the run. The tolerances tell how sure the
    directions of rods are, see `kernels.dynamics.loop_closure`.
    """
    workers = options.workers
    parallel = workers > 1
    if parallel:
        import numba

        numba.set_num_threads(min(workers, int(vars(numba.config)["NUMBA_NUM_THREADS"])))
    integrator = compiled.evaluator(discrete, parallel=parallel)
    if len(compiled.contacts) <= PREPARED_PAIRS:
        for pair in range(len(compiled.contacts)):
            compiled.setup.pairing(pair)
    evaluators = RunEvaluators(integrator, compiled.evaluator(discrete, parallel=parallel))
    for evaluator in evaluators:
        evaluator.remember(_by_pair(remembered))
        evaluator.step_start = _last_step(compiled, remembered)
        loops = compiled.setup.loops
        for i in np.flatnonzero(loops.kind == ConstraintCode.DISTANCE).tolist():
            doubt = DEAD_CENTRE * (options.rtol + options.position_atol / loops.length[i])
            evaluator.view.loop_forces.doubt[i] = min(doubt, WIDEST_DEAD_CENTRE)
    return evaluators


def _last_step(compiled: CompiledSystem, records: Sequence[RememberedRecord]) -> float:
    """Time of the last accepted step (s) of which laws that keep elements tell, nan where none does."""
    keeping = [
        record
        for record in records
        if len(record.keys) and compiled.contacts[record.pairing].description.keeps[record.law] > 0.0
    ]
    return max((float(record.values[:, -1].max()) for record in keeping), default=math.nan)


def _by_pair(records: Sequence[RememberedRecord]) -> dict[int, dict[int, Remembered]]:
    """What each law remembers of elements, by the numbers of the pair and the law."""
    found: dict[int, dict[int, Remembered]] = {}
    for record in records:
        found.setdefault(record.pairing, {})[record.law] = Remembered(record.keys, record.values)
    return found
