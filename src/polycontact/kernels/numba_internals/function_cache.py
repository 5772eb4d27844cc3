"""Numba's cache of compiled functions, in folders that `kernels/first_use/kernel_cache.py` chooses."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator


class KernelCache(FunctionCache):
    """Numba's cache of a function in a folder of ours; ``after_save`` is called when something was put there."""

    def __init__(self, function: Callable[..., Any], folder: Path, after_save: Callable[[], None]) -> None:
        self._after_save = after_save
        self._impl_class: Any = partial(_Implementation, locator=_Locator(function, folder))
        super().__init__(function)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled overload to the cache, then report it."""
        super().save_overload(sig, data)
        self._after_save()

    def serve(self, dispatcher: Any) -> None:
        """Let a compiled function take from here what it finds, and keep here what it compiles."""
        dispatcher._cache = self

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


def _lock(file: Any) -> None:
    """Wait for an open file to be ours alone, until it is closed or the process ends."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
