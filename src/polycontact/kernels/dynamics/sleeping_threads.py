"""Threads that sleep while they wait for each other.

Those of OpenMP spin by default. On a busy machine the one that spins keeps the processor from the one that it waits
for: a loop of 50 µs then takes a whole time slice of the system, some ten milliseconds.
"""

from __future__ import annotations

import os

import numba

from polycontact.kernels.views import JIT_IS_OFF

HOW_TO_WAIT = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")
"""Variables of the environment with which users say themselves how the threads of OpenMP wait."""


def launch_sleeping_threads() -> None:
    """Let Numba load its threads, to wait asleep unless the environment says otherwise.

    OpenMP reads the environment when it is loaded, and never again: it is as before afterwards. Where another package
    has loaded OpenMP already, its threads stay as they are.
    """
    if JIT_IS_OFF or any(name in os.environ for name in HOW_TO_WAIT):
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        numba.get_num_threads()
    finally:
        del os.environ["OMP_WAIT_POLICY"]
