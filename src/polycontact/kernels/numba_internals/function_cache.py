"""Numba's cache of compiled functions, in folders that `kernels/first_use/kernel_cache.py` chooses."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.runtime.nrt import rtsys


class KernelCache(FunctionCache):
    """Numba's cache of a function in a folder of ours; ``after_save`` is called when something was put there."""

    def __init__(self, function: Callable[..., Any], folder: Path, after_save: Callable[[], None]) -> None:
        self._after_save = after_save
        self._impl_class: Any = partial(_Implementation, locator=_Locator(function, folder))
        super().__init__(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature, or None.

        Numba's own first makes all that it can compile known to its compiler. That takes longer than loading, and is
        done again where something is compiled.
        """
        rtsys.initialize(target_context)  # code refers to functions of Numba's run time, which are made here
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

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

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """What was compiled, from machine code alone.

        The bitcode beside it serves to compile it into other code. Numba's own reads it at once, to know what is
        defined; here it is read when it is asked for.
        """
        (name, kind, data), description, *others = payload
        if kind != "object":
            return super().rebuild(target_context, payload)
        machine_code, bitcode = data
        wrappers = description.llvm_cpython_wrapper_name, description.llvm_cfunc_wrapper_name
        defined = {wrapper for wrapper in wrappers if wrapper.encode() in machine_code}
        target_context.codegen()._engine._defined_symbols |= defined
        rest = (name, kind, (machine_code, _empty_bitcode()))
        compiled = super().rebuild(target_context, (rest, description, *others))
        library = compiled.library
        library._shared_module = None

        def module_for_linking() -> Any:
            if library._shared_module is None:
                library._shared_module = llvm.parse_bitcode(bitcode)
            return library._shared_module

        library._get_module_for_linking = module_for_linking
        return compiled


@cache
def _empty_bitcode() -> bytes:
    """A module of LLVM without anything."""
    bitcode: bytes = llvm.parse_assembly("").as_bitcode()
    return bitcode


def _lock(file: Any) -> None:
    """Wait for an open file to be ours alone, until it is closed or the process ends."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
