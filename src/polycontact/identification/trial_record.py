"""Trials that were made, in a text file: the same call again takes them from there instead of running them.

A search depends on the outcomes of its trials alone. So it need not be saved itself: begun again it asks for the same
trials, finds those that are recorded, and goes on with the first that is not. Trials of another search of the same
model (other ranges, starts or weights) are found as well.

A line is a checksum and JSON; the first line tells of what the trials are. A line that was being written when the
process was killed is cut off.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from polycontact.errors import IdentificationError, SimulationError
from polycontact.identification.scenario_trials import ScenarioTrials
from polycontact.simulation.recording.run_lock import RunLock
from polycontact.version import __version__

if TYPE_CHECKING:
    from polycontact.identification.trial_pool import Outcome, Trial

FORMAT: Final = "polycontact trials"
MOST_BYTES: Final = 1 << 30
"""Largest file that is read; two thousand trials of ten curves of ten thousand points have half of it."""


class TrialRecord:
    """The trials of ``of`` in the file ``path``; as a context manager it keeps others from writing it."""

    def __init__(self, path: str | os.PathLike[str], of: str) -> None:
        self.path = Path(os.fsdecode(path))
        self._of = of
        self._known: dict[str, Outcome] = {}
        self._lock = RunLock(self.path, "identification")
        self._stream: BinaryIO | None = None

    def __enter__(self) -> TrialRecord:
        try:
            self._lock.take()
            whole = self._read()
            self._stream = self.path.open("r+b" if self.path.exists() else "w+b")
            self._stream.truncate(whole)
            self._stream.seek(whole)
            if not whole:
                self._write({"format": FORMAT, "of": self._of, "polycontact_version": __version__})
        except SimulationError as error:  # another has the lock
            raise IdentificationError(str(error)) from error
        except OSError as error:
            self._lock.release()
            raise self._cannot_write(error) from error
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            self._stream.close()
        self._lock.release()

    def find(self, values: Mapping[str, float]) -> Outcome | None:
        """The outcome of the trial with exactly these values, if it was made."""
        return self._known.get(_key(values))

    def add(self, values: Mapping[str, float], outcome: Outcome) -> None:
        """Write the outcome of a trial."""
        curves = outcome.curves
        content = {"values": {key: float(value).hex() for key, value in values.items()}}
        told: dict[str, Any] = {"failed": outcome.failed} if curves is None else {"curves": [_text(c) for c in curves]}
        try:
            self._write(content | told)
        except OSError as error:
            raise self._cannot_write(error) from error

    def _write(self, content: dict[str, Any]) -> None:
        assert self._stream is not None
        line = json.dumps(content).encode()
        self._stream.write(b"%08x %s\n" % (zlib.crc32(line), line))
        self._stream.flush()

    def _read(self) -> int:
        """Take over what the file has; bytes of it that are whole lines."""
        from polycontact.identification.trial_pool import Outcome

        if not self.path.exists():
            return 0
        if not self.path.is_file():
            raise IdentificationError(f"{self.path}: trials cannot be recorded there; give the name of a file")
        if self.path.stat().st_size > MOST_BYTES:
            raise IdentificationError(f"{self.path}: it is larger than {MOST_BYTES} bytes; give another name")
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if content and not content.startswith(b"%08x " % zlib.crc32(content[9:whole].partition(b"\n")[0])):
            raise IdentificationError(f"{self.path}: there is another file, or a damaged one; give another name")
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            if line[:8] != b"%08x" % zlib.crc32(line[9:]):
                raise IdentificationError(
                    f"{self.path}: line {number} is damaged; delete the file, or copy it once more from where it was "
                    "written"
                )
            entry = json.loads(line[9:])
            if number == 1:
                self._check(entry)
            elif "failed" in entry:
                self._known[_joined(entry["values"])] = Outcome(None, entry["failed"])
            else:
                self._known[_joined(entry["values"])] = Outcome(tuple(map(_array, entry["curves"])))
        return whole

    def _check(self, first: Any) -> None:
        if not isinstance(first, dict) or first.get("format") != FORMAT:
            raise IdentificationError(f"{self.path}: there is another file; give another name")
        if first["of"] != self._of:
            raise IdentificationError(
                f"{self.path}: it has trials of another scenario, other quantities or times, or another version "
                f"({first['polycontact_version']}, this is {__version__}); give another name, or delete it"
            )

    def _cannot_write(self, error: OSError) -> IdentificationError:
        return IdentificationError(
            f"{self.path}: trials cannot be recorded: {error.strerror or error}; check the folder and the space left, "
            "and begin again: what is recorded is not run again"
        )


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
