"""Shared by all tests: `scenes` beside this file is importable from every folder."""

from __future__ import annotations

import os
import signal

# Kernels are compiled, whatever has been built ahead: tests of the library name theirs. Before anything is imported.
os.environ.setdefault("POLYCONTACT_LIBRARY", "no")

from hypothesis import settings

from tests.tiers import (  # noqa: F401  hooks of pytest, found by their names
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    pytest_terminal_summary,
)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background with interrupts ignored; tests interrupt themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadlines: a shared machine may be slow at any moment. `--hypothesis-profile` chooses: the quick one tries the same
# examples in every run, the thorough one, which `dev.py test --all` takes, tries others each time.
settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=100, deadline=None)
settings.load_profile("quick")
