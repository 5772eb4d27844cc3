"""Entries from a shared library that was built ahead (`tools/library`): no compiler, no Numba, the same functions.

A library is taken where it fits: built for this system and processor, and from these sources, module by module. What it
does not have is compiled, as without one.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numba

from polycontact.kernels.first_use.kernel_cache import cache_folder
from polycontact.kernels.library_file.library_key import entry_name, fitting_modules
from polycontact.kernels.library_file.python_calls import fill_table, layout_fits, method_at
from polycontact.kernels.numba_internals.host_processor import has_features

FORMAT: Final = 1
"""Of the index and of how entries are called."""
INDEX: Final = "polycontact_index"
"""The symbol of the index: what the library is for, and what it has; JSON, ended by a zero."""
SWITCH: Final = "POLYCONTACT_LIBRARY"
"""Environment variable: "no" compiles everything; a path names a library to take."""
FOLDER: Final = Path(__file__).resolve().parent / "built"
"""Where libraries lie in a wheel, and where ``python3 dev.py library`` puts them."""
C_FOLDER: Final = Path(__file__).resolve().parent / "c"
"""Where ``polycontact.h`` is, and what it declares."""
WIDE: Final = frozenset({"avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe", "xsave"})
"""What a processor must have for x86-64-v3, as LLVM names it."""


class LibraryEntry:
    """An entry of a library, called as a compiled one."""

    def __init__(self, function: Callable[..., Any], method: Any, address: int, compile_it: Callable[[], Any]) -> None:
        self.py_func = function
        self.address = address
        self._method = method
        self._compile = compile_it
        self.__name__, self.__qualname__, self.__doc__ = function.__name__, function.__qualname__, function.__doc__
        self.__module__ = function.__module__

    def __call__(self, *arguments: Any) -> Any:
        """Call it as a compiled entry is called."""
        return self._method(*arguments)

    @property
    def compiled(self) -> Any:
        """The same entry, compiled by Numba, for what calls it in code of its own."""
        found = self.__dict__.get("_compiled")
        if found is None:
            found = self._compiled = self._compile()
        return found

    @property
    def _numba_type_(self) -> Any:
        return self.compiled._numba_type_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.compiled, name)


class SharedLibrary:
    """A library that is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._library = ctypes.CDLL(str(path))
        self.index: Mapping[str, Any] = json.loads(
            ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(self._library, INDEX)))
        )
        if self.index["format"] != FORMAT:
            raise ValueError(f"its format is {self.index['format']}, not {FORMAT}")
        self._made_from = self.index["made_from"]
        self._own = fitting_modules(self._made_from, cache_folder)
        fill_table(self._library)

    def __len__(self) -> int:
        return len(self.index["entries"])

    def has(self, name: str, module: str) -> bool:
        """Whether an entry is there and was made from these sources."""
        if self.index["entries"].get(name) != module:
            return False
        return self._own is None or self._made_from["modules"].get(module) == self._own.get(module, "")

    def entry(self, function: Callable[..., Any], compile_it: Callable[[], Any]) -> LibraryEntry | None:
        """The entry of a function; None where it has to be compiled."""
        name = entry_name(function)
        if not self.has(name, function.__module__):
            return None
        address, method = (
            ctypes.cast(self._library[each], ctypes.c_void_p).value or 0 for each in (name, f"{name}_py")
        )
        return LibraryEntry(function, method_at(method, function.__name__), address, compile_it)


def level() -> str:
    """Which of the libraries of this system fits the processor: "x86_64-v3", "x86_64", "arm64" …"""
    machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    if machine != "x86_64":
        return machine
    return "x86_64-v3" if has_features(WIDE) else "x86_64"


def library_name(system: str, which: str) -> str:
    """File name of a library."""
    suffix = {"win32": "dll", "darwin": "dylib"}.get(system, "so")
    return f"polycontact-{system}-{which}.{suffix}"


@cache
def shared_library() -> SharedLibrary | None:
    """The library that this process takes its entries from; None where there is none that fits."""
    wish = os.environ.get(SWITCH, "")
    chosen = numba.config.CPU_NAME or numba.config.CPU_FEATURES  # type: ignore[attr-defined]
    if wish == "no" or (not wish and chosen):
        return None
    path = Path(wish) if wish else FOLDER / library_name(sys.platform, level())
    if not wish and not path.is_file():
        return None
    try:
        if not layout_fits():
            raise ValueError("it cannot be called from this Python")
        return SharedLibrary(path)
    except (OSError, ValueError, KeyError, TypeError) as failure:
        print(
            f"polycontact: the library of kernels {path} cannot be used ({failure}); kernels are compiled",
            file=sys.stderr,
        )
        return None
