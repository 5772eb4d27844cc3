"""How kernels are compiled: one decorator for stages, one for the small helpers that must be inlined.

Fast-math stays off, so that no multiply–add is fused and no sum reordered: the exact predicates rely on it,
and results are the same bits on every run. Compiled code is cached on disk; the first use compiles and says so.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from polycontact.kernels.views import JIT_IS_OFF

F = TypeVar("F", bound=Callable[..., Any])


def _fingerprint(*patterns: str) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of kernel sources."""
    here = Path(__file__).parent
    files = sorted({file for pattern in patterns for file in here.glob(pattern)})
    return tuple((str(file.relative_to(here)), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


_COMMON = ("*.py", "geometry/*.py", "../tolerances.py")
_SOURCES = {
    "geometry": _fingerprint(*_COMMON),
    "mesh": _fingerprint(*_COMMON, "mesh/*.py"),
    "contact": _fingerprint(*_COMMON, "contact/*.py"),
    "queries": _fingerprint(*_COMMON, "contact/*.py", "queries/*.py"),
    "smooth": _fingerprint(*_COMMON, "contact/*.py", "smooth/*.py"),
    "response": _fingerprint(*_COMMON, "contact/*.py", "response/*.py"),
    "dynamics": _fingerprint(*_COMMON, "dynamics/*.py", "contact/contact_report.py"),
}
"""What the kernels of each folder are made of."""
_EVERYTHING = _fingerprint("**/*.py", "../tolerances.py")
"""What kernels from elsewhere, users' laws for example, may be made of."""


def _compiled(function: F, signatures: list[Any] | None = None, **options: Any) -> F:
    if JIT_IS_OFF:
        return function
    options = {"error_model": "numpy", "nogil": True, "cache": True, **options}
    dispatcher = numba.njit(**options)(function)
    # Numba's cache of a function looks at its own file only; ours must notice a change in what is inlined too.
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        file = Path(function.__code__.co_filename)
        sources = _SOURCES.get(file.parent.name) if file.is_relative_to(Path(__file__).parent) else None
        cache_file._source_stamp = (cache_file._source_stamp, sources or _EVERYTHING)
    if signatures:
        for signature in signatures:
            dispatcher.compile(signature)
        dispatcher.disable_compile()
    return cast(F, dispatcher)


def kernel(function: F) -> F:
    """Compile a stage of the pipeline."""
    return _compiled(function)


def entry_kernel(*signatures: Any) -> Callable[[F], F]:
    """Compile a function that Python calls, for given types only: nothing compiles in the middle of a run."""

    def decorate(function: F) -> F:
        return _compiled(function, signatures=list(signatures))

    return decorate


def uncached_entry(*signatures: Any) -> Callable[[F], F]:
    """As `entry_kernel` for a function made on the fly, which has no file to keep its code beside."""

    def decorate(function: F) -> F:
        return _compiled(function, signatures=list(signatures), cache=False)

    return decorate


def uncached_inline(function: F) -> F:
    """As `inline_kernel` for a user's function, which may have been typed into a notebook."""
    return _compiled(function, forceinline=True, cache=False)


def parallel_kernel(*signatures: Any) -> Callable[[F], F]:
    """Compile a function whose ``prange`` loops run in several threads, for given types only."""

    def decorate(function: F) -> F:
        return _compiled(function, signatures=list(signatures), parallel=True)

    return decorate


def inline_kernel(function: F) -> F:
    """Compile a small helper that is always inlined into its caller."""
    return _compiled(function, forceinline=True)


class _CompilationNotice(event.Listener):
    """Tells the user, once a process, that kernels are being compiled: silence would look like a hang."""

    def __init__(self) -> None:
        self.count = 0
        self.lock = threading.Lock()

    def on_start(self, event: Any) -> None:
        """One more kernel is compiled (nothing happens for one that comes from the cache)."""
        if not str(event.data["dispatcher"].py_func.__module__).startswith("polycontact"):
            return
        with self.lock:
            self.count += 1
            if self.count == 1:
                print("polycontact: compiling kernels for first use, about a minute ", end="", file=sys.stderr)
            elif self.count % 4 == 0:
                print(".", end="", file=sys.stderr)
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        """Nothing to say for a single kernel."""


_notice = _CompilationNotice()
event.register("numba:compile", _notice)


def end_compilation_notice() -> None:
    """Finish the line of progress once the first evaluation has returned."""
    with _notice.lock:
        if _notice.count:
            print(" done", file=sys.stderr, flush=True)
            _notice.count = 0
