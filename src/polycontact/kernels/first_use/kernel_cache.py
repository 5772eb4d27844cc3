"""Where compiled kernels are kept: in the user's cache folder, by what they are made from, and not without bound.

Numba's own cache lies beside the sources and goes by their times, so that each checkout compiles everything again.
Here each module of kernels has a folder that is named for its key (`kernel_sources`); several versions of polycontact
keep theirs side by side, and the ones unused for longest go when there are too many. While one process compiles an
entry, others that need it wait and then take it from the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba

from polycontact.kernels.first_use.kernel_sources import PACKAGE, module_key
from polycontact.kernels.numba_internals.function_cache import KernelCache

LARGEST_CACHE = 250_000_000
"""Room that compiled kernels may take in all, bytes: about twenty versions of polycontact with everything compiled."""


@cache
def cache_folder() -> Path | None:
    """The folder of compiled kernels: in ``NUMBA_CACHE_DIR`` where that is set, else in the user's cache folder; None,
    with a message, where it cannot be written."""
    folder = Path(numba.config.CACHE_DIR or _user_cache()) / "polycontact-kernels"  # type: ignore[attr-defined]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as failure:
        print(
            f"polycontact: compiled kernels cannot be kept in {folder} ({failure.strerror}), so that every start "
            "compiles them again. Let NUMBA_CACHE_DIR name a folder that can be written.",
            file=sys.stderr,
        )
        return None
    return folder


def _user_cache() -> Path:
    """The folder for files that programs can make again, as the system has it."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@cache
def module_folder(module: str, file: Path | None = None) -> Path | None:
    """Folder of what is compiled of a module; None where nothing can be kept. ``file``: the source of a module that is
    not one of the package's kernels."""
    folder = cache_folder()
    if folder is None:
        return None
    key = module_key(module, folder)
    if file is not None and not file.is_relative_to(PACKAGE / "kernels"):
        key = hashlib.sha256(key.encode() + file.read_bytes()).hexdigest()[:24]
    return folder / f"{module.removeprefix('polycontact.kernels.')}-{key}"


def is_cached(module: str) -> bool:
    """Whether something of a module of kernels is in the cache."""
    folder = module_folder(module)
    return folder is not None and any(folder.glob("*.nbi"))


_listeners: list[Callable[[float], None]] = []


def when_there(listener: Callable[[float], None]) -> None:
    """Tell ``listener`` of every entry that is there, compiled or from the cache, and after how many seconds."""
    _listeners.append(listener)


class _TimedCache(KernelCache):
    """Measures how long an entry is waited for, also where another process compiles it."""

    @contextlib.contextmanager
    def one_at_a_time(self) -> Iterator[None]:
        """Let one process compile while others wait, and tell how long it was."""
        begin = time.perf_counter()
        with super().one_at_a_time():
            yield
        for listener in _listeners:
            listener(time.perf_counter() - begin)


def kernel_cache(function: Callable[..., Any]) -> KernelCache | None:
    """The cache of a function of a file; None where nothing can be kept."""
    file = Path(function.__code__.co_filename)
    folder = module_folder(function.__module__, file) if file.is_file() else None
    return _TimedCache(function, folder, make_room) if folder is not None else None


def make_room(limit: int = LARGEST_CACHE) -> None:
    """Remove what has been unused for longest, folders of code and notes of keys, while all together take more than
    ``limit`` bytes."""
    folder = cache_folder()
    if folder is None:
        return
    with contextlib.suppress(OSError):  # another process may be making room too
        total = 0
        for each in sorted(folder.iterdir(), key=lambda each: -each.stat().st_mtime):
            total += sum(file.stat().st_size for file in (each.iterdir() if each.is_dir() else [each]))
            if total > limit and each.is_dir():
                shutil.rmtree(each, ignore_errors=True)
            elif total > limit:
                each.unlink(missing_ok=True)
