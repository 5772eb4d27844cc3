"""Space on the disk for a file that grows, asked for before HDF5 writes.

A write that fails inside HDF5 leaves a file that cannot be opened any more, and handles that crash the process. So
the file is made longer beforehand, which fails in good order where the disk is full or a quota is reached.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

STEP = 1 << 22
"""Bytes reserved beyond those asked for, so that it is seldom done."""

UNSUPPORTED = (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)


class NoSpaceError(OSError):
    """The file cannot grow; nothing was written."""


class FileSpace:
    """Keeps an open file at least as long as what will be written to it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))

    def reserve(self, end: int) -> None:
        """Make sure that the first ``end`` bytes can be written, or raise a `NoSpaceError`."""
        size = os.fstat(self._handle).st_size
        if end <= size:
            return
        if hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(self._handle, 0, end + STEP)
                return
            except OSError as error:
                if error.errno not in UNSUPPORTED:
                    raise NoSpaceError(error.errno, error.strerror) from error
        if shutil.disk_usage(self._path.parent).free < end + STEP - size:
            raise NoSpaceError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def cut(self, end: int) -> None:
        """Give back what was reserved beyond ``end``; for a file that is closed otherwise."""
        if 0 < end < os.fstat(self._handle).st_size:
            os.ftruncate(self._handle, end)

    def release(self) -> None:
        """Let go of the file."""
        os.close(self._handle)
