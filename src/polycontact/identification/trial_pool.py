"""Trials by the dozen: one after the other, or at once by a pool of worker processes; the results are the same bits.

A worker that dies costs nothing but its trial, which is made once more. Ctrl-C is heard by this process alone, which
ends the workers.
"""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError
from polycontact.identification.scenario_trials import TrialFailedError, TrialStoppedError
from polycontact.identification.trial_record import TrialRecord
from polycontact.workers.worker import Script
from polycontact.workers.worker_pool import WorkerPool
from polycontact.workers.worker_process import WorkerLostError, WorkerProcess

Array = NDArray[np.float64]
Trial = Callable[[Mapping[str, float]], Sequence[Any]]
"""Curves of a run, in SI units, from values by key."""


@dataclass(frozen=True)
class Outcome:
    """What became of a trial: ``curves``, or None and why it ``failed``.

    ``lost``: its workers died, so that it may go well another time; ``known``: it was recorded earlier.
    """

    curves: tuple[Array, ...] | None
    failed: str = ""
    lost: bool = False
    known: bool = False


def attempt(trial: Trial, values: Mapping[str, float]) -> Outcome:
    """One trial; a run that fails, and numbers that are not finite, are an outcome like any other."""
    try:
        curves = tuple(np.asarray(each, float) for each in trial(values))
    except TrialFailedError as error:
        return Outcome(None, str(error))
    if not all(np.isfinite(each).all() for each in curves):
        return Outcome(None, "the run has numbers that are not finite")
    return Outcome(curves)


@dataclass(frozen=True)
class TrialWork:
    """The work of a pool: worker processes call ``trial`` with values of the parameters."""

    trial: Trial

    def begin(self) -> Callable[[Mapping[str, float], Callable[[], None]], Outcome | Exception]:
        """What makes the trials, in a worker; an error of the function is an answer, which the caller raises."""

        def answer(values: Mapping[str, float], stepping: Callable[[], None]) -> Outcome | Exception:
            try:
                return attempt(self.trial, values)
            except TrialStoppedError:
                return Outcome(None, "the run was stopped", lost=True)
            except Exception as error:
                return _sendable(error)

        return answer


_Numbered = tuple[int, Mapping[str, float]]
_Answered = tuple[int, Outcome | Exception]


class TrialPool:
    """Makes trials with ``workers`` at once; as a context manager it ends its processes.

    ``done`` is called after each trial. Trials that ``record`` has are taken from there, others are added to it.
    """

    def __init__(
        self, trial: Trial, workers: int, done: Callable[[Outcome], None], record: TrialRecord | None = None
    ) -> None:
        self.workers = workers
        self._trial = trial
        self._done = done
        self._record = record
        self._pool: WorkerPool[_Numbered, _Answered] | None = None

    def __enter__(self) -> TrialPool:
        if self.workers > 1:
            work, script = TrialWork(self._trial), _script_of(self._trial)
            processes = [WorkerProcess(work, IdentificationError, script) for _ in range(self.workers)]
            _require_picklable(self._trial)
            self._pool = WorkerPool(processes, _lasting_outcome)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abandon()

    def abandon(self) -> None:
        """End all processes, whatever they are at."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def __call__(self, points: Sequence[Mapping[str, float]]) -> list[Outcome]:
        """Outcomes of trials, in the order of ``points``."""
        return list(self.outcomes(points))

    def outcomes(self, points: Sequence[Mapping[str, float]]) -> Generator[Outcome, None, None]:
        """Outcomes of trials, one after the other in the order of ``points``. Whoever stops early ends the workers."""
        recorded = [None if self._record is None else self._record.find(values) for values in points]
        wanted = [values for values, outcome in zip(points, recorded, strict=True) if outcome is None]
        with closing(self._made(wanted)) as made:
            for found in recorded:  # noted in the order of the points, whichever ends first
                outcome = next(made) if found is None else replace(found, known=True)
                self._done(outcome)
                yield outcome
            next(made, None)  # to its end, at which the workers wait for the next trials

    def _made(self, points: Sequence[Mapping[str, float]]) -> Generator[Outcome, None, None]:
        """Outcomes of trials that are made now, in the order of ``points``; each is recorded as soon as it is known."""
        if self._pool is None or len(points) <= 1:
            for values in points:
                yield self._kept(values, attempt(self._trial, values))
            return
        waiting: dict[int, Outcome] = {}
        n = 0
        with closing(self._pool.rows(enumerate(points))) as answers:
            for number, answer in answers:
                if isinstance(answer, Exception):
                    raise answer
                waiting[number] = self._kept(points[number], answer)
                while n in waiting:
                    yield waiting.pop(n)
                    n += 1

    def _kept(self, values: Mapping[str, float], outcome: Outcome) -> Outcome:
        if self._record is not None and not outcome.lost:
            self._record.add(values, outcome)
        return outcome


def _lasting_outcome(
    process: WorkerProcess, task: _Numbered, stepping: Callable[[], None], stop: threading.Event
) -> _Answered | None:
    """The outcome of a trial, made once more where its worker dies; None where the search ends meanwhile."""
    number, values = task
    reason = ""
    for _ in range(2):
        try:
            return number, process.answer(dict(values), None, stepping)
        except WorkerLostError as error:
            if stop.is_set():
                return None
            reason = str(error)
    told = ", ".join(f"{key} = {value:.6g}" for key, value in values.items())
    return number, Outcome(None, f"with {told} {reason}, twice", lost=True)


def _require_picklable(trial: Trial) -> None:
    try:
        pickle.dumps(trial)
    except Exception as error:  # whatever the function holds may complain in its own way
        raise IdentificationError(
            f"the function cannot be sent to other processes: {error}; define it in a module, or use workers=1"
        ) from error


def _script_of(trial: Trial) -> Script | None:
    """The script in which the function is defined; None where a module has it, which workers import."""
    if "__main__" not in (getattr(trial, "__module__", ""), type(trial).__module__):
        return None
    main = sys.modules["__main__"]
    spec, path = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    if spec is None and path is None:
        raise IdentificationError(
            "the function is defined in a notebook or at a prompt, where other processes cannot find it; define it in "
            "a module, or use workers=1"
        )
    return Script("" if spec is None else spec.name, path or "")


def _sendable(error: Exception) -> Exception:
    """The error itself if it can be pickled, else one with its type and text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return IdentificationError(f"{type(error).__name__}: {error}")
    return error
