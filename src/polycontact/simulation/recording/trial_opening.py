"""Reading HDF5 files without a seal in another process first: HDF5 can wait for ever on a damaged one, or crash.

Files of older formats have no seal, and those of other programs neither. Once another process has read all of the
structure in time this one may; what it has found wrong is found again here, with its message.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

TRIAL_SECONDS: Final = 60.0
"""Time in which the structure must have been read. It takes a second; on a laden machine or a slow network more."""

SMALL: Final = 1 << 20
"""Arrays in one piece have no structure inside: larger ones (bytes) are not read."""


PROGRAM: Final = f"from {__name__} import read_all; read_all(sys.argv[1])"
"""What the other process does."""


def waits_or_crashes(path: Path) -> str:
    """Why this process should not read the HDF5 file, or an empty text."""
    there = os.stat(path)
    return _tried(path, (there.st_dev, there.st_ino, there.st_size, there.st_mtime_ns))


@lru_cache(maxsize=64)
def _tried(path: Path, _identity: tuple[int, ...]) -> str:
    """The answer for a file that is still the same."""
    none = subprocess.DEVNULL
    try:
        ended = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {PROGRAM}", str(path)],
            stdin=none,
            stdout=none,
            stderr=none,
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"HDF5 has not read its structure within {TRIAL_SECONDS:g} s"
    except OSError:  # no process can be started here: read it as it is
        return ""
    return f"HDF5 crashes when it reads it (exit status {ended.returncode})" if ended.returncode not in (0, 1) else ""


def read_all(name: str) -> None:
    """Read the structure of an HDF5 file: names, attributes, and all arrays that are small or stored in pieces."""
    import h5py

    def visit(_: str, entry: Any) -> None:
        dict(entry.attrs)
        if isinstance(entry, h5py.Dataset) and (entry.chunks is not None or entry.nbytes <= SMALL):
            entry[()]

    with h5py.File(name, "r") as file:
        dict(file.attrs)
        file.visititems(visit)
