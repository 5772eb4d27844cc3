"""How kernels are compiled: one decorator for stages, one for the small helpers that must be inlined.

Fast-math stays off, so that no multiply–add is fused and no sum reordered: the exact predicates rely on it,
and results are the same bits on every run. The first use compiles, in two processes, and tells so; compiled code is
kept (`first_use`). `numba_internals` has what hangs on the version of Numba; `linking.py` there makes code of an entry
and its parts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar, cast

import numba

from polycontact.kernels.first_use import compile_notice as compile_notice
from polycontact.kernels.first_use.kernel_cache import kernel_cache
from polycontact.kernels.library_file.shared_library import shared_library
from polycontact.kernels.numba_internals.versions import LINKS as LINKS
from polycontact.kernels.views import JIT_IS_OFF

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
"""How all kernels are compiled."""

instead_of_compiling: Callable[[Callable[..., Any], Sequence[Any]], Any] | None = None
"""Where a library is built: what makes something of each entry, which is not compiled, and its signatures."""


def _entry(function: F, signatures: Sequence[Any] = (), *, cache: bool = True, **options: Any) -> F:
    """Compile a function that Python or an address calls, for given types or for those that it is called with."""
    if JIT_IS_OFF:
        return function
    if instead_of_compiling is not None:
        return cast(F, instead_of_compiling(function, signatures if cache and not options else ()))
    if LINKS:
        from polycontact.kernels.numba_internals.linking import EntryCompiler

        options["pipeline_class"] = EntryCompiler
    dispatcher = numba.njit(**OPTIONS, **options)(function)
    kept = kernel_cache(function) if cache else None
    if kept is not None:
        kept.serve(dispatcher)
    with kept.one_at_a_time() if kept is not None and signatures else nullcontext():
        for signature in signatures:
            dispatcher.compile(signature)
    if signatures:
        dispatcher.disable_compile()
    return cast(F, dispatcher)


def _part(function: F, *, cache: bool = True, apart: bool = False, **options: Any) -> F:
    """A function that is compiled with the entries that call it; ``apart``: never as a piece of its callers."""
    if JIT_IS_OFF:
        return function
    if not LINKS:
        return _entry(function, cache=cache, **options)
    from polycontact.kernels.numba_internals.linking import ApartPart, Part

    part = (ApartPart if apart else Part)(function, targetoptions={**OPTIONS, **options})
    part.make_entry = partial(_entry, function, cache=cache, **options)
    return cast(F, part)


def kernel(function: F) -> F:
    """Compile a stage of the pipeline; the compiler chooses where it is inlined."""
    return _part(function, forceinline=False)  # unless told, Numba takes it over from the first caller that it meets


def apart_kernel(function: F) -> F:
    """Compile a stage that is not always needed: it stays apart, so that what is always done is close together."""
    return _part(function, apart=True, forceinline=False)


def inline_kernel(function: F) -> F:
    """Compile a small helper that is always inlined into its caller."""
    return _part(function, forceinline=True)


def uncached_inline(function: F) -> F:
    """As `inline_kernel` for a user's function, which may have been typed into a notebook."""
    return _part(function, forceinline=True, cache=False)


def entry_kernel(*signatures: Any) -> Callable[[F], F]:
    """Compile a function that Python calls, for given types only: nothing compiles in the middle of a run. Where a
    library has it, it is taken from there."""

    def found_or_compiled(function: F) -> F:
        compile_it = partial(_entry, function, signatures=signatures)
        library = None if JIT_IS_OFF or instead_of_compiling is not None else shared_library()
        taken = library.entry(function, compile_it) if library is not None else None
        return cast(F, taken) if taken is not None else compile_it()

    return found_or_compiled


def uncached_entry(*signatures: Any) -> Callable[[F], F]:
    """As `entry_kernel` for a function made on the fly, which has no file to keep its code beside."""
    return partial(_entry, signatures=signatures, cache=False)


def parallel_kernel(*signatures: Any) -> Callable[[F], F]:
    """Compile a function whose ``prange`` loops run in several threads, for given types only; beside a library, when
    it is first called: libraries have none of them."""

    def compiled_or_later(function: F) -> F:
        compile_it = partial(_entry, function, signatures=signatures, parallel=True)
        if JIT_IS_OFF or instead_of_compiling is not None or shared_library() is None:
            return compile_it()
        return cast(F, LaterEntry(compile_it))

    return compiled_or_later


class LaterEntry:
    """An entry that is compiled when it is first called."""

    def __init__(self, compile_it: Callable[[], Any]) -> None:
        self._compile = compile_it
        self._compiled: Any = None
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any) -> Any:
        """Compile it the first time, and call it."""
        with self._lock:
            if self._compiled is None:
                self._compiled = self._compile()
        return self._compiled(*arguments)
