"""The largest entries are compiled by a second process while this one compiles the dynamics.

Numba compiles one function at a time in a process. What another process is compiling is waited for and then taken from
the cache on disk (`kernel_cache`).
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from pathlib import Path

LARGEST = ("polycontact.kernels.contact.polygonal_method", "polycontact.kernels.contact.lines_method")
"""What nearly every simulation needs, and takes as long as all the rest; and what is made of the same parts."""
SWITCH = "POLYCONTACT_COMPILES"
"""Environment variable: "alone" to have no second process; "aside" in the second process itself."""

_lock = threading.Lock()
_processes: list[subprocess.Popen[bytes]] = []


def is_helper() -> bool:
    """Whether this is the second process."""
    return os.environ.get(SWITCH) == "aside"


def compile_aside() -> bool:
    """Have `LARGEST` compiled by another process, unless there is no second core; whether it does so."""
    with _lock:
        if _processes:
            return True
        if os.environ.get(SWITCH) or LARGEST[0] in sys.modules or _cores() < 2 or not _is_python(sys.executable):
            return False
        paths = [str(Path(__file__).resolve().parents[3]), os.environ.get("PYTHONPATH", "")]
        variables = {**os.environ, SWITCH: "aside", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        program = "; ".join(f"import {each}" for each in LARGEST)
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", program],
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError:
            return False
        atexit.register(_end, process)
        _processes.append(process)
        return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a second process that nobody waits for any more; what it has compiled is in the cache."""
    process.kill()
    process.wait()


def _is_python(program: str | None) -> bool:
    """Whether a program is a Python, not another one that has Python inside."""
    return Path(program or "").stem.lower().startswith("python") and not hasattr(sys, "frozen")


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
