"""The evaluators of a run: one for the integrator, one for all who look at the run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator

PREPARED_PAIRS = 200
"""Up to this many contacts get their memory before the run, more of them when their bodies come near."""


class RunEvaluators(NamedTuple):
    """``integrator`` for nobody but the integrator; ``observer`` for samples, events and limits of steps."""

    integrator: Evaluator
    observer: Evaluator


def make_evaluators(compiled: CompiledSystem, discrete: NDArray[np.float64], workers: int) -> RunEvaluators:
    """Both evaluators, which share the discrete states of the run; contacts in up to ``workers`` threads."""
    parallel = workers > 1
    if parallel:
        import numba

        numba.set_num_threads(min(workers, int(vars(numba.config)["NUMBA_NUM_THREADS"])))
    integrator = compiled.evaluator(discrete, parallel=parallel)
    if len(compiled.contacts) <= PREPARED_PAIRS:
        for pair in range(len(compiled.contacts)):
            integrator.contact_memory(pair)
    return RunEvaluators(integrator, compiled.evaluator(discrete, parallel=parallel))
