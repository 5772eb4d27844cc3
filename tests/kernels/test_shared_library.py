"""Kernels from a library built ahead: the same functions, the same bits, and a clear word where it does not fit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from polycontact.kernels.first_use import kernel_sources
from polycontact.kernels.library_file.library_key import entry_name, fitting_modules, origin
from polycontact.kernels.library_file.python_calls import layout_fits
from polycontact.kernels.library_file.shared_library import SWITCH, level, library_name
from tools.library.targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]
COMPARED = """
import json, sys
import numpy as np
from polycontact.kernels.contact.layer_law import press_at
from polycontact.kernels.jit import shared_library
from polycontact.kernels.picture.tone import count_colours, develop, spread_light
from polycontact.kernels.queries.path_crossing import enters

random = np.random.default_rng(3)
light = random.random((7, 9, 3)).astype(np.float32)
seen = np.zeros((7, 9, 3), np.uint8)
develop(light, np.array([0.7, 1.1, 0.3, 0.2, 0.9, 0.5, 0.1, 0.8]), seen)
counts = np.zeros((256, 3), np.int64)
count_colours(seen, 5, counts)
n_counted = int(counts.sum())
refused = []
for call in (
    lambda: develop(light.astype(np.float64), np.ones(8), seen),
    lambda: develop(light[::2], np.ones(8), seen),
    lambda: develop(light, np.ones((2, 4)), seen),
    lambda: develop(light, np.ones(8)),
    lambda: develop(light, [1.0] * 8, seen),
    lambda: count_colours(seen, 1.5, counts),
    lambda: count_colours(seen, None, counts),
):
    try:
        call()
        refused.append("")
    except TypeError as error:
        refused.append(str(error))
found = shared_library()
print(json.dumps([
    found is not None and len(found), type(press_at).__name__, seen.tolist(), n_counted, refused,
]))
"""


def run(program: str, library: str, *, code: int = 0) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, SWITCH: library, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-c", program]
    told = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    assert told.returncode == code, told.stderr
    return told


def test_names_tell_module_and_function() -> None:
    from polycontact.kernels.contact.evaluate import evaluate

    assert entry_name(getattr(evaluate, "py_func", evaluate)) == "polycontact_contact_evaluate_evaluate"


def test_each_target_says_whether_products_and_sums_are_joined() -> None:
    """Two levels of x86-64: the least never joins, which its processors cannot; the wide one always does."""
    assert {name: target.joins for name, target in TARGETS.items() if "x86_64" in name} == {
        "linux-x86_64": False,
        "linux-x86_64-v3": True,
        "win32-x86_64": False,
        "win32-x86_64-v3": True,
    }
    assert library_name("win32", "x86_64") == "polycontact-win32-x86_64.dll"
    assert level() in {name.partition("-")[2] for name in TARGETS} or not sys.platform.startswith("linux")


def test_arrays_lie_as_libraries_read_them() -> None:
    assert layout_fits()


def test_what_is_made_from_other_sources_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    made = origin(None)
    assert fitting_modules(made, lambda: None) is None  # to the letter
    other = {**made, "letters": "other"}
    assert fitting_modules(other, lambda: None) == kernel_sources.content_keys(None)
    assert fitting_modules({**other, "parsed_by": "3.99"}, lambda: None) == {}


def test_a_file_that_is_no_library_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "damaged.so").write_bytes(b"\x7fELF and nothing more")
    program = "from polycontact.kernels.library_file.shared_library import shared_library; print(shared_library())"
    for file in ("damaged.so", "missing.so"):
        told = run(program, str(tmp_path / file))
        assert told.stdout.strip() == "None"
        assert "cannot be used" in told.stderr
        assert "kernels are compiled" in told.stderr
        assert file in told.stderr
    assert run(program, "no").stderr == ""


@pytest.mark.slow
def test_entries_of_a_library_do_as_compiled_ones_and_refuse_what_does_not_fit(small_library: Path) -> None:
    n, kind, *found, refused = json.loads(run(COMPARED, str(small_library)).stdout)
    none, other_kind, *expected, _ = json.loads(run(COMPARED, "no").stdout)
    assert none is False
    assert other_kind != kind == "LibraryEntry"
    assert n >= 8
    assert found == expected
    assert all(refused), refused
    assert "argument 1 must be a contiguous" in refused[0]
    assert "takes 3 arguments" in refused[3]


@pytest.mark.slow
def test_a_library_is_linked_to_the_system_alone(small_library: Path) -> None:
    """Neither Python nor a run time of Numba: what it needs of others comes from the mathematical library of C."""
    content = small_library.read_bytes()
    for name in (b"NRT_", b"Py_BuildValue", b"numba_gil_ensure", b"libpython"):
        assert name not in content
