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
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from polycontact.kernels.first_use.kernel_sources import PACKAGE, module_key

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


class KernelCache(FunctionCache):
    """Numba's cache of a function in a folder of ours."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class: Any = partial(_Implementation, locator=_Locator(function, folder))
        super().__init__(function)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, and let go what has been unused for longest."""
        super().save_overload(sig, data)
        make_room()

    @contextlib.contextmanager
    def one_at_a_time(self) -> Iterator[None]:
        """While this process compiles the function, others that need it wait."""
        if self._cache_file._load_index():
            yield
            return
        with contextlib.ExitStack() as held:
            with contextlib.suppress(OSError):  # a file system without locks: both compile
                file = open(Path(self.cache_path) / f"{self._impl.filename_base}.lock", "wb")  # noqa: SIM115
                held.callback(file.close)
                _lock(file)
            yield


class _Locator(_CacheLocator):
    """Tells Numba where the code of a function is kept, and from what it was made."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._py_file = function.__code__.co_filename
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # used now: what has not been for longest goes first

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return ""  # names in a file differ, and line numbers may change without a change of the code


class _Implementation(CompileResultCacheImpl):
    def __init__(self, function: Callable[..., Any], locator: _Locator) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = locator
        self._filename_base = self.get_filename_base(function.__qualname__, getattr(sys, "abiflags", ""))


def kernel_cache(function: Callable[..., Any]) -> KernelCache | None:
    """The cache of a function of a file; None where nothing can be kept."""
    file = Path(function.__code__.co_filename)
    folder = module_folder(function.__module__, file) if file.is_file() else None
    return KernelCache(function, folder) if folder is not None else None


def _lock(file: Any) -> None:
    """Wait for an open file to be ours alone, until it is closed or the process ends."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def make_room(limit: int = LARGEST_CACHE) -> None:
    """Remove the folders unused for longest while all together take more than ``limit`` bytes."""
    folder = cache_folder()
    if folder is None:
        return
    with contextlib.suppress(OSError):  # another process may be making room too
        kept = sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: -each.stat().st_mtime)
        total = 0
        for each in kept:
            total += sum(file.stat().st_size for file in each.iterdir())
            if total > limit:
                shutil.rmtree(each, ignore_errors=True)
