"""Compile all kernels that are not in the cache yet, on two cores: ``python -m tools.compile_kernels``.

One process imports the modules of kernels from the first, another from the last. What one of them is compiling the
other waits for and then finds in the cache, so that they meet in the middle.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
import time

import polycontact.kernels

BACKWARDS = "--backwards"


def main(words: list[str]) -> int:
    """Compile, or do the part of one of the two processes; the exit status."""
    started = time.perf_counter()
    aside = subprocess.Popen([sys.executable, "-m", "tools.compile_kernels", BACKWARDS]) if not words else None
    os.environ["POLYCONTACT_COMPILES"] = "alone"  # these two are the processes
    modules = [each.name for each in pkgutil.walk_packages(polycontact.kernels.__path__, "polycontact.kernels.")]
    for module in reversed(modules) if words == [BACKWARDS] else modules:
        importlib.import_module(module)
    if aside is None:
        return 0
    status = aside.wait()
    print(f"kernels are compiled, {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
