"""What a user is told while kernels compile: once, and for how long. Silence would look like a hang."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Set

from polycontact.kernels.first_use.compile_aside import compile_aside, is_helper
from polycontact.kernels.first_use.kernel_cache import is_cached
from polycontact.kernels.numba_internals.compile_events import listen
from polycontact.kernels.numba_internals.versions import LINKS, remark

FIRST = 0.9
"""CPU time of the first kernel on the machine where the times below were measured, s."""
SECONDS = {
    "contact.polygonal_method": 56.0,
    "contact.lines_method": 12.0,
    "dynamics.right_hand_side": 40.0,
    "geometry.convex_distance": 12.0,
    "smooth.smooth_method": 14.0,
}
"""What compiling takes there: each of the large entries and the small ones that come with it, s."""
BY_ITSELF = 2.2
"""How many times as long it takes where each kernel is compiled by itself (decision 0024)."""
ANNOUNCES = {"contact": "contact.polygonal_method", "dynamics": "dynamics.right_hand_side"}
"""Small kernels of a folder that compile before its large one."""
WORTH_TELLING = 4.0
"""Waiting that goes without saying, s."""
_PACKAGE = "polycontact.kernels."


class CompilationNotice:
    """Tells how long compilation will take, by how long the first kernel took on this machine."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.depth = 0
        self.began = 0.0
        self.slowness: float | None = None
        self.told: set[str] = set()

    def started(self, module: str, kept: bool) -> None:
        """A function is about to be compiled (nothing happens for one that comes from the cache)."""
        with self.lock:
            self.depth += 1
            if self.depth > 1:
                return
            self.began = time.perf_counter()
            if self.slowness is not None:
                self._tell(module, kept)

    def ended(self, module: str, kept: bool) -> None:
        """It has been compiled; the first one shows how fast this machine is: a small kernel, unless that is cached."""
        with self.lock:
            self.depth -= 1
            if self.depth == 0 and self.slowness is None:
                usual = SECONDS.get(module.removeprefix(_PACKAGE), FIRST)
                self.slowness = (time.perf_counter() - self.began) / usual
                self._tell(module, kept)

    def _tell(self, module: str, kept: bool) -> None:
        if is_helper() or not module.startswith(_PACKAGE) or not kept:
            return  # code that is not kept is of users' functions, and small
        coming = expected_entries(module.removeprefix(_PACKAGE), set(sys.modules), is_cached) - self.told
        self.told |= coming
        helped = "dynamics.right_hand_side" in coming and compile_aside()
        times = [SECONDS[entry] for entry in coming]
        seconds = (self.slowness or 1.0) * (max(times, default=0.0) if helped else sum(times))
        seconds *= 1.0 if LINKS else BY_ITSELF
        if seconds >= WORTH_TELLING:
            told = [f"polycontact: compiling kernels for first use, {rounded(seconds)}", remark()]
            print("; ".join(filter(None, told)), file=sys.stderr, flush=True)


def expected_entries(module: str, loaded: Set[str], cached: Callable[[str], bool]) -> set[str]:
    """Large entries that will be compiled, to judge by the ``module`` whose kernel is compiled, by the modules loaded
    and by whether the large entry of the same folder is in the cache."""
    if module in SECONDS:
        return {module}
    large = ANNOUNCES.get(module.partition(".")[0], "")
    if not large or _PACKAGE + large in loaded or cached(_PACKAGE + large):
        return set()
    if "polycontact.multibody" not in loaded:
        return {large}
    return {entry for entry in ANNOUNCES.values() if _PACKAGE + entry not in loaded}


def rounded(seconds: float) -> str:
    """A time in words: to 5 s below 50 s, else in minutes."""
    if seconds < 50.0:
        return f"about {5 * max(1, round(seconds / 5.0))} s"
    if seconds < 90.0:
        return "about a minute"
    return f"about {round(seconds / 60.0)} minutes"


listen(CompilationNotice())
