"""The entries of the package, one after the other, as what they are before they are machine code."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

import polycontact.kernels
from polycontact.kernels import jit
from polycontact.kernels.first_use.kernel_sources import module_key
from polycontact.kernels.library_file.library_key import entry_name
from polycontact.kernels.numba_internals.linking import AheadEntry
from polycontact.replacing import write_whole
from tools.library.lowered import bitcode_of
from tools.library.targets import Target

KEPT = Path(__file__).resolve().parents[2] / "build" / "library"
"""Where what was built is kept, by the keys of its sources: no other process makes room there."""


@dataclass(frozen=True)
class Captured:
    """An entry that can be built for any target."""

    name: str
    """That of its C function."""
    module: str
    """Where its source is."""
    file: Path
    """Its bitcode; objects are kept beside it."""

    def object_file(self, target: Target) -> Path:
        """Where its object for a target is, once there is one."""
        return self.file.with_name(f"{self.file.stem}-{target.triple}-{target.cpu}-{_digest('emit.py')}.o")

    @property
    def n_whole_numbers(self) -> int | None:
        """How many whole numbers it takes, if it takes nothing else and gives one or nothing."""
        function = llvm.parse_bitcode(self.file.read_bytes()).get_function(self.name)
        result, _, given = str(function.global_value_type).rstrip(")").partition(" (")
        arguments = given.split(", ")
        return len(arguments) if result in ("i64", "void") and set(arguments) == {"i64"} else None


@cache
def _digest(*names: str) -> str:
    """Of sources of this tool, which decide too what comes out."""
    return hashlib.sha256(b"".join((Path(__file__).parent / name).read_bytes() for name in names)).hexdigest()[:8]


def capture(modules: Sequence[str] = ()) -> Iterator[Captured]:
    """Every entry of the package, in the order of the modules; those whose types cannot cross are left out.

    ``modules``: only what these have.
    """
    version = _digest("lowered.py", "python_call.py")
    waiting: list[tuple[AheadEntry, tuple[Any, ...]]] = []

    def wait(function: Callable[..., Any], signatures: Sequence[Any]) -> Any:
        waiting.append((AheadEntry(function, targetoptions=jit.OPTIONS), tuple(signatures)))
        return waiting[-1][0]

    jit.instead_of_compiling = wait
    for each in pkgutil.walk_packages(polycontact.kernels.__path__, "polycontact.kernels."):
        importlib.import_module(each.name)
        while waiting:
            entry, signatures = waiting.pop(0)
            if len(signatures) == 1 and (not modules or entry.py_func.__module__ in modules):
                name, module = entry_name(entry.py_func), entry.py_func.__module__
                folder = KEPT / f"{module.removeprefix('polycontact.kernels.')}-{module_key(module)}"
                captured = Captured(name, module, folder / f"{name}-{version}.bc")
                if not captured.file.is_file():
                    folder.mkdir(parents=True, exist_ok=True)
                    write_whole(captured.file, bitcode_of(entry, signatures[0], name))
                if captured.file.stat().st_size > 0:
                    yield captured
