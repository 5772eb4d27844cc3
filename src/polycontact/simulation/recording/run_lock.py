"""A run file has one writer: it holds a lock on a small file beside, which the system takes away when it dies.

The run file itself is replaced now and then, so it cannot bear the lock. Where a file system knows no locks, some
network drives for example, there is none, and two runs to one file are not noticed.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EACCES, EAGAIN, EDEADLK
from pathlib import Path

from polycontact.errors import SimulationError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

HELD_ERRORS = (EACCES, EAGAIN, EDEADLK)
"""What a system answers where another holds the lock."""

LOCKED_BYTE = 1 << 30
"""Windows locks bytes, which nobody can read then: one far behind the number of the process."""


class RunLock:
    """Keeps others from writing the file ``path``, from `take` to `release` or the end of the process.

    ``what`` is written there: a run, or a study, for the message.
    """

    def __init__(self, path: Path, what: str = "run") -> None:
        self._path = path
        self._what = what
        self._beside = path.with_name(f"{path.name}.lock")
        self._handle = -1

    def take(self) -> None:
        """Take the lock, or raise a `SimulationError` where another run has it."""
        while self._handle < 0:
            handle = os.open(self._beside, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                self._lock(handle)
                if not self._is_beside(handle):  # the last owner has removed it between the two calls
                    continue
                self._handle, handle = handle, -1
            finally:
                if handle >= 0:
                    os.close(handle)
        with suppress(OSError):  # the number is for the message only; a full disk is told elsewhere
            os.ftruncate(self._handle, 0)
            os.write(self._handle, str(os.getpid()).encode())

    def release(self) -> None:
        """Let go of the lock, if it is held, and remove its file."""
        if self._handle < 0:
            return
        handle, self._handle = self._handle, -1
        if sys.platform == "win32":  # which removes no open file, so neither one that another run has opened since
            os.close(handle)
            with suppress(OSError):
                self._beside.unlink()
        else:
            with suppress(OSError):
                self._beside.unlink()
            os.close(handle)

    def __del__(self) -> None:
        self.release()

    def _lock(self, handle: int) -> None:
        try:
            if sys.platform == "win32":
                os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
                os.lseek(handle, 0, os.SEEK_SET)
            else:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in HELD_ERRORS:
                raise SimulationError(
                    f"{self._path}: another {self._what} is being written to it{self._owner(handle)}; let that end, or "
                    "give another name"
                ) from None

    def _owner(self, handle: int) -> str:
        """The process that holds the lock, in words, as far as it is known."""
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            number = os.read(handle, 20).decode("ascii", "replace")
        except OSError:
            return ""
        return f" by process {number}" if number.isdigit() else ""

    def _is_beside(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self._beside))
        except OSError:
            return False
