"""What a user is told while kernels compile: once, and for how long. Silence would look like a hang.

How long it takes is judged by what it took on this machine before; where nothing has been compiled yet, by the first
kernel, which is a small one and says less. So a range is told, which is narrow or wide.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable, Set

from polycontact.kernels.first_use.compile_aside import compile_aside, is_helper
from polycontact.kernels.first_use.compile_times import keep_time, read_times
from polycontact.kernels.first_use.kernel_cache import is_cached, when_there
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
    "stepping.run_steps": 18.0,
}
"""What compiling takes there: each of the large entries and the small ones that come with it, s."""
BY_ITSELF = 2.2
"""How many times as long it takes where each kernel is compiled by itself (decision 0024)."""
ANNOUNCES = {"contact": "contact.polygonal_method", "dynamics": "dynamics.right_hand_side"}
"""Small kernels of a folder that compile before its large one."""
WORTH_TELLING = 4.0
"""Waiting that goes without saying, s."""
BY_RECORD = (0.7, 2.0)
"""Least and greatest part of a time that was measured for the same entries. Twice as long was measured while other
programs used the cores."""
BY_OTHERS = (0.5, 2.5)
"""The same where the times of other entries were measured."""
BY_FIRST = (0.5, 3.0)
"""The same where only the first kernel was: measured estimates were between twice and a fifth of what it took."""
SLOWNESS = (0.5, 5.0)
"""How many times as long as there the first kernel may say it takes here: it is small, and anything disturbs it."""
WORTH_KEEPING = 0.5
"""Entries that are there sooner come from the cache, s."""
_PACKAGE = "polycontact.kernels."


class CompilationNotice:
    """Tells how long compilation will take, and records how long it took."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.depth = 0
        self.began = 0.0
        self.slowness: float | None = None
        self.told: set[str] = set()
        self.known: dict[str, float] | None = None
        self.awaited = ""
        self.waited = 0.0

    def started(self, module: str, kept: bool) -> None:
        """A function is about to be compiled (nothing happens for one that comes from the cache)."""
        with self.lock:
            self.depth += 1
            if self.depth > 1:
                return
            self.began = time.perf_counter()
            if self.known is None:
                self.known = read_times()
            if self.slowness is not None or self.known:
                self._tell(module, kept)

    def ended(self, module: str, kept: bool) -> None:
        """It has been compiled; the first one shows how fast this machine is: a small kernel, unless that is cached."""
        with self.lock:
            self.depth -= 1
            if self.depth == 0 and self.slowness is None:
                usual = SECONDS.get(module.removeprefix(_PACKAGE), FIRST)
                least, most = SLOWNESS
                self.slowness = min(max((time.perf_counter() - self.began) / usual, least), most)
                self._tell(module, kept)

    def there(self, seconds: float) -> None:
        """An entry is there, ``seconds`` after it was asked for: compiled here, or by another process."""
        with self.lock:
            if self.awaited and seconds > WORTH_KEEPING:
                self.waited += seconds
                keep_time(self.awaited, self.waited)

    def _tell(self, module: str, kept: bool) -> None:
        if is_helper() or not module.startswith(_PACKAGE) or not kept:
            return  # code that is not kept is of users' functions, and small
        coming = expected_entries(module.removeprefix(_PACKAGE), set(sys.modules), is_cached) - self.told
        if not coming:
            return
        self.told |= coming
        self.awaited, self.waited = " ".join(sorted(coming)), 0.0
        helped = "dynamics.right_hand_side" in coming and compile_aside()
        seconds, (least, most) = self._time(coming, helped=helped)
        if seconds >= WORTH_TELLING:
            words = in_words(least * seconds, most * seconds)
            told = [f"polycontact: compiling kernels for first use, {words}", remark()]
            print("; ".join(filter(None, told)), file=sys.stderr, flush=True)

    def _time(self, coming: Set[str], *, helped: bool) -> tuple[float, tuple[float, float]]:
        """Time (s) that entries may take, and the least and the greatest part of it that it may be."""
        known = {names: seconds for names, seconds in (self.known or {}).items() if set(names.split()) <= set(SECONDS)}
        if self.awaited in known:
            return known[self.awaited], BY_RECORD
        if known:
            slowness = statistics.median(seconds / _usual(names.split(), helped) for names, seconds in known.items())
            return slowness * _usual(coming, helped), BY_OTHERS
        return (self.slowness or 1.0) * _usual(coming, helped), BY_FIRST


def _usual(entries: Iterable[str], helped: bool) -> float:
    """Time (s) for entries where the times in the source were measured; ``helped``: by a second process."""
    times = [SECONDS[entry] for entry in entries]
    return (max(times) if helped else sum(times)) * (1.0 if LINKS else BY_ITSELF)


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


def in_words(least: float, most: float) -> str:
    """A range of times (s) in words: to 5 s up to a minute and a half, else in minutes."""
    if most < 90.0:
        low, high = (5 * max(1, round(each / 5.0)) for each in (least, most))
        return f"{low} to {high} s" if low < high else f"about {high} s"
    low, high = max(1, round(least / 60.0)), max(2, round(most / 60.0))
    return f"{low} to {high} minutes" if low < high else f"about {high} minutes"


_notice = CompilationNotice()
listen(_notice)
when_there(_notice.there)
