"""Answers of workers in a text file: whoever asks the same again takes them from there.

A search depends on the answers to its questions alone. So it need not be saved itself: begun again it asks the same,
finds what is recorded, and goes on with the first that is not.

A line is a checksum and JSON; the first line tells what was asked about. A line that was being written when the process
was killed is cut off.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from polycontact.errors import PolycontactError, SimulationError
from polycontact.simulation.recording.run_lock import RunLock
from polycontact.version import __version__

MOST_BYTES: Final = 1 << 30
"""Largest file that is read; two thousand trials of ten curves of ten thousand points have half of it."""


@dataclass(frozen=True)
class RecordKind:
    """What a record is of: its ``format``, the ``task`` that writes it, its ``answers``, what may ``differ`` in another
    record of the kind, and the ``failure`` that is raised.
    """

    format: str
    task: str
    answers: str
    differ: str
    failure: type[PolycontactError]


class AnswerRecord:
    """The answers about ``of`` in the file ``path``; as a context manager it keeps others from writing it."""

    def __init__(self, path: str | os.PathLike[str], kind: RecordKind, of: str) -> None:
        self.path = Path(os.fsdecode(path))
        self._kind = kind
        self._of = of
        self._lock = RunLock(self.path, kind.task)
        self._stream: BinaryIO | None = None

    def __enter__(self) -> Self:
        try:
            self._lock.take()
            whole = self._read()
            self._stream = self.path.open("r+b" if self.path.exists() else "w+b")
            self._stream.truncate(whole)
            self._stream.seek(whole)
            if not whole:
                self._put({"format": self._kind.format, "of": self._of, "polycontact_version": __version__})
        except SimulationError as error:  # another has the lock
            raise self._kind.failure(str(error)) from error
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

    def take(self, content: dict[str, Any]) -> None:
        """Take over an answer that the file has; a record of a kind says what it does with it."""
        raise NotImplementedError

    def write(self, content: dict[str, Any]) -> None:
        """Write an answer, plain values for JSON."""
        try:
            self._put(content)
        except OSError as error:
            raise self._cannot_write(error) from error

    def _put(self, content: dict[str, Any]) -> None:
        assert self._stream is not None
        line = json.dumps(content).encode()
        self._stream.write(b"%08x %s\n" % (zlib.crc32(line), line))
        self._stream.flush()

    def _read(self) -> int:
        """Take over what the file has; bytes of it that are whole lines."""
        if not self.path.exists():
            return 0
        if not self.path.is_file():
            raise self._kind.failure(
                f"{self.path}: {self._kind.answers} cannot be recorded there; give the name of a file"
            )
        if self.path.stat().st_size > MOST_BYTES:
            raise self._kind.failure(f"{self.path}: it is larger than {MOST_BYTES} bytes; give another name")
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if content and not content.startswith(b"%08x " % zlib.crc32(content[9:whole].partition(b"\n")[0])):
            raise self._kind.failure(f"{self.path}: there is another file, or a damaged one; give another name")
        for number, entry in self._entries(content[:whole]):
            if number == 1:
                self._check(entry)
            else:
                self.take(entry)
        return whole

    def _entries(self, content: bytes) -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(content.splitlines(), start=1):
            if line[:8] != b"%08x" % zlib.crc32(line[9:]):
                raise self._kind.failure(
                    f"{self.path}: line {number} is damaged; delete the file, or copy it once more from where it was "
                    "written"
                )
            yield number, json.loads(line[9:])

    def _check(self, first: Any) -> None:
        if not isinstance(first, dict) or first.get("format") != self._kind.format:
            raise self._kind.failure(f"{self.path}: there is another file; give another name")
        if first["of"] != self._of:
            raise self._kind.failure(
                f"{self.path}: it has {self._kind.answers} of {self._kind.differ}, or another version "
                f"({first['polycontact_version']}, this is {__version__}); give another name, or delete it"
            )

    def _cannot_write(self, error: OSError) -> PolycontactError:
        return self._kind.failure(
            f"{self.path}: {self._kind.answers} cannot be recorded: {error.strerror or error}; check the folder and "
            "the space left, and begin again: what is recorded is not run again"
        )
