"""Trials that were made, in a text file: the same call again takes them from there instead of running them.

Trials of another search of the same model (other ranges, starts or weights) are found as well.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from polycontact.errors import IdentificationError
from polycontact.identification.scenario_trials import ScenarioTrials
from polycontact.version import __version__
from polycontact.workers.answer_record import AnswerRecord, RecordKind

if TYPE_CHECKING:
    from polycontact.identification.trial_pool import Outcome, Trial

TRIALS: Final = RecordKind(
    "polycontact trials",
    "identification",
    "trials",
    "another scenario, other quantities or times",
    IdentificationError,
)


class TrialRecord(AnswerRecord):
    """The trials of ``of`` in the file ``path``; as a context manager it keeps others from writing it."""

    def __init__(self, path: str | os.PathLike[str], of: str) -> None:
        super().__init__(path, TRIALS, of)
        self._known: dict[str, Outcome] = {}

    def take(self, content: dict[str, Any]) -> None:
        """Take over a trial that the file has."""
        from polycontact.identification.trial_pool import Outcome

        failed = content.get("failed")
        outcome = Outcome(tuple(map(_array, content["curves"]))) if failed is None else Outcome(None, failed)
        self._known[_joined(content["values"])] = outcome

    def find(self, values: Mapping[str, float]) -> Outcome | None:
        """The outcome of the trial with exactly these values, if it was made."""
        return self._known.get(_key(values))

    def add(self, values: Mapping[str, float], outcome: Outcome) -> None:
        """Write the outcome of a trial."""
        curves = outcome.curves
        told: dict[str, Any] = {"failed": outcome.failed} if curves is None else {"curves": [_text(c) for c in curves]}
        self.write({"values": {key: float(value).hex() for key, value in values.items()}} | told)


def subject_of(trial: Trial) -> str:
    """What a trial is of, so that another one gives another text: its scenario with its meshes, or its code."""
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    if isinstance(trial, ScenarioTrials):
        scenario = trial.scenario
        parts: Sequence[Any] = (scenario.source, trial.quantities, sorted(trial.settings.items()), trial.work_limit)
        digest.update(repr(parts).encode() + trial.times.tobytes())
        for at in trial.places:
            digest.update(at.tobytes())
        for name in scenario.mesh_files:
            file = scenario.folder / name
            digest.update(file.read_bytes() if file.is_file() else b"")
    else:
        code = getattr(trial, "__code__", None)
        digest.update(repr((getattr(trial, "__module__", ""), getattr(trial, "__qualname__", type(trial)))).encode())
        digest.update(b"" if code is None else code.co_code)
    return digest.hexdigest()


def _key(values: Mapping[str, float]) -> str:
    return _joined({key: float(value).hex() for key, value in values.items()})


def _joined(values: Mapping[str, str]) -> str:
    return "|".join(f"{key}={values[key]}" for key in sorted(values))


def _text(curve: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(curve, "<f8").tobytes()).decode()


def _array(text: str) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(text), "<f8")
