"""Kernels become code once: as parts of the entries that call them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from numba import types

from polycontact.kernels.jit import LINKS, apart_kernel, inline_kernel, kernel, uncached_entry
from polycontact.kernels.numba_internals.linking import Part
from polycontact.kernels.views import JIT_IS_OFF

pytestmark = pytest.mark.skipif(JIT_IS_OFF or not LINKS, reason="nothing is linked")


@inline_kernel
def _deepest(x: float) -> float:
    return 2.0 * x + 1.0


@kernel
def _never_calls(x: float, n: int) -> float:
    """Names a part that its optimised code does not call any more."""
    for _ in range(n - n):
        x = _deepest(x)
    return x


@kernel
def _calls(x: float, n: int) -> float:
    for _ in range(n):
        x = _deepest(x)
    return x


def test_a_part_is_linked_for_whoever_calls_it() -> None:
    @uncached_entry((types.float64, types.int64))
    def both(x: float, n: int) -> float:
        return _calls(_never_calls(x, n), n)

    assert both(1.0, 3) == 15.0  # 1 → 3 → 7 → 15


def test_a_part_has_no_machine_code_of_its_own() -> None:
    @uncached_entry((types.float64, types.int64))
    def entry(x: float, n: int) -> float:
        return _calls(x, n)

    part = _calls
    assert isinstance(part, Part)
    forms = [form for arguments, form in part.overloads.items() if arguments == (types.float64, types.int64)]
    assert len(forms) == 1
    assert not callable(forms[0].entry_point)
    assert entry(0.0, 2) == 3.0


def test_python_may_call_a_part() -> None:
    assert _deepest(1.5) == 4.0
    assert _deepest(2) == 5.0  # another type is another form
    assert _deepest(1.5) == 4.0


@kernel
def _stage(x: float) -> float:
    return x * x


@apart_kernel
def _seldom(x: float) -> float:
    return x - 3.0


@inline_kernel
def _around(x: float) -> float:
    return _stage(x) + _seldom(x)


def test_only_what_says_so_is_inlined_always_or_never() -> None:
    """Numba lets a function take that over from the first caller that it meets."""

    @uncached_entry((types.float64,))
    def entry(x: float) -> float:
        return _around(x)

    assert entry(3.0) == 9.0
    parts: tuple[Any, ...] = (_around, _stage, _seldom)
    for part, attribute in zip(parts, ("alwaysinline", "", "noinline"), strict=True):
        (form,) = part.overloads.values()
        own = next(each for each in form.library._own_module().functions if not each.is_declaration)
        told = {word for words in own.attributes for word in words.decode().split()}
        assert told & {"alwaysinline", "noinline"} == ({attribute} if attribute else set())


def test_an_entry_keeps_its_parts_to_itself() -> None:
    @uncached_entry((types.float64,))
    def entry(x: float) -> float:
        return _seldom(x)

    (compiled,) = entry.overloads.values()  # type: ignore[attr-defined]
    kept = {each.name: each.linkage.name for each in compiled.library.get_defined_functions()}
    assert {linkage for name, linkage in kept.items() if "_seldom" in name and "entry" not in name} == {"internal"}


_USE = """
from numba.core import event
seen = []
class Listener(event.Listener):
    def on_start(self, event): seen.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
import polycontact.kernels.dynamics.all_pairs
print(len(seen))
"""


@pytest.mark.slow
def test_what_one_process_compiles_another_finds(tmp_path: object) -> None:
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    counts = [
        int(subprocess.run([sys.executable, "-c", _USE], env=variables, capture_output=True, check=True).stdout)
        for _ in range(2)
    ]
    assert counts[0] > 0
    assert counts[1] == 0
