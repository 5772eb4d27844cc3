"""Trials by the dozen: one after the other, or at once in processes of their own; the results are the same bits.

Processes get what is to be tried once, when they start. Ctrl-C is heard by this process alone, which ends them.
"""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError
from polycontact.identification.scenario_trials import TrialFailedError, TrialStoppedError

Array = NDArray[np.float64]
Trial = Callable[[Mapping[str, float]], Sequence[Any]]
"""Curves of a run, in SI units, from values by key."""


@dataclass(frozen=True)
class Outcome:
    """What became of a trial: ``curves``, or None and why it ``failed``."""

    curves: tuple[Array, ...] | None
    failed: str = ""


def attempt(trial: Trial, values: Mapping[str, float]) -> Outcome:
    """One trial; a run that fails, and numbers that are not finite, are an outcome like any other."""
    try:
        curves = tuple(np.asarray(each, float) for each in trial(values))
    except TrialFailedError as error:
        return Outcome(None, str(error))
    if not all(np.isfinite(each).all() for each in curves):
        return Outcome(None, "the run has numbers that are not finite")
    return Outcome(curves)


class TrialPool:
    """Makes trials with ``workers`` at once; as a context manager it ends its processes.

    ``done`` is called after each trial.
    """

    def __init__(self, trial: Trial, workers: int, done: Callable[[Outcome], None]) -> None:
        self.workers = workers
        self._trial = trial
        self._done = done
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> TrialPool:
        if self.workers > 1:
            _require_picklable(self._trial)
            self._executor = ProcessPoolExecutor(
                self.workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(self._trial,)
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.abandon()
        elif self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def abandon(self) -> None:
        """End all processes, whatever they are at."""
        if self._executor is None:
            return
        processes = list((self._executor._processes or {}).values())
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        self._executor = None

    def __call__(self, points: Sequence[Mapping[str, float]]) -> list[Outcome]:
        """Outcomes of trials, in the order of ``points``."""
        if self._executor is None or len(points) == 1:
            return [self._noted(attempt(self._trial, values)) for values in points]
        futures = [self._executor.submit(_attempt_here, dict(values)) for values in points]
        return [self._noted(_result_of(future)) for future in futures]

    def _noted(self, outcome: Outcome) -> Outcome:
        self._done(outcome)
        return outcome


def _require_picklable(trial: Trial) -> None:
    try:
        pickle.dumps(trial)
    except Exception as error:  # whatever the function holds may complain in its own way
        raise IdentificationError(
            f"the function cannot be sent to other processes: {error}; define it in a module, or use workers=1"
        ) from error


_TRIAL: list[Trial] = []
"""What a process of a pool tries."""


def _begin(trial: Trial) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _TRIAL[:] = [trial]


def _attempt_here(values: Mapping[str, float]) -> Outcome:
    try:
        return attempt(_TRIAL[0], values)
    except TrialStoppedError:
        return Outcome(None, "the run was stopped")


def _result_of(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise IdentificationError(
            "a process that runs trials ended unexpectedly; in a script, call identify below "
            "'if __name__ == \"__main__\":', or use workers=1"
        ) from error
