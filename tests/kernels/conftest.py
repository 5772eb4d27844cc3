"""A library of a few kernels, built once for the tests that need one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from polycontact.kernels.library_file.shared_library import level, library_name
from polycontact.kernels.numba_internals.versions import LINKS
from polycontact.kernels.views import JIT_IS_OFF
from tools.library.link import LinkError, linker, own_target
from tools.library.targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    "polycontact.kernels.contact.convex_method",  # a contact, for programs in C
    "polycontact.kernels.contact.coulomb_friction",
    "polycontact.kernels.contact.element_memory",
    "polycontact.kernels.contact.layer_law",
    "polycontact.kernels.contact.power_law",
    "polycontact.kernels.contact.stick_friction",
    "polycontact.kernels.picture.tone",  # arrays of many kinds in
    "polycontact.kernels.queries.path_crossing",
    "polycontact.kernels.stepping.stiffness_watch",  # tuples in, a truth value out
)
"""Small ones, of which a library is built in seconds."""


@pytest.fixture(scope="session")
def small_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of `MODULES` for this machine."""
    if JIT_IS_OFF or not LINKS:
        pytest.skip("nothing is linked")
    target = own_target()
    if target not in TARGETS:
        pytest.skip(f"no library is built for {target}")
    try:
        linker(TARGETS[target])
    except LinkError as failure:
        pytest.skip(str(failure))
    folder = tmp_path_factory.mktemp("library")
    command = [sys.executable, "-m", "tools.library", target, "--folder", str(folder), "--processes", "1"]
    subprocess.run([*command, *(word for each in MODULES for word in ("--module", each))], cwd=ROOT, check=True)
    return folder / library_name(sys.platform, level())
