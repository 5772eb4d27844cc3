"""How a run tells where it stands: a line in words, shown in terminals and notebooks while it goes."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TextIO

from polycontact.simulation.run_result import Progress

QUIET_SECONDS = 1.0
"""A run that takes less shows nothing."""

TELLING_SHARE = 0.01
"""Part of a run after which what it cost so far says something about the rest: the first steps are very short."""

BAR = 20
"""Characters of the bar."""


class ProgressWords:
    """Turns reports of a run into words, with the time that is left by the share that is done."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None
        self.share = 0.0
        """Part of the run that was done at the last report."""

    def __call__(self, now: Progress) -> str:
        """Simulated time, time left, real-time factor and contacts; the first step tells nothing of the next two."""
        clock = perf_counter()
        self._first = self._first or (clock, now.time)
        begin, start = self._first
        parts = [f"{now.time:.{_places(now.end_time)}f} of {now.end_time:g} s"]
        self.share = share = (now.time - start) / (now.end_time - start) if now.end_time > start else 1.0
        if TELLING_SHARE <= share < 1.0:
            parts.append(f"{duration_words((clock - begin) * (1.0 - share) / share)} left")
        if share >= TELLING_SHARE:
            parts.append(f"real-time factor {now.real_time_factor:.2f}")
        parts.append(f"{now.contacts} contact{'' if now.contacts == 1 else 's'}")
        return ", ".join(parts)


def in_notebook() -> bool:
    """Whether a notebook runs this: its cells show what they return."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


@contextmanager
def shown_progress(
    progress: Callable[[Progress], None] | bool | None, name: str
) -> Iterator[Callable[[Progress], None] | None]:
    """Whom a run reports to: ``progress`` where it is a function; a line for True, and for None where one is seen."""
    if callable(progress):
        yield progress
        return
    stream = _watched_stream() if progress is None else sys.stderr if progress else None
    if stream is None:
        yield None
        return
    line = _Line(stream, name)
    try:
        yield line
    finally:
        line.wipe()


def _watched_stream() -> TextIO | None:
    """A terminal or the output of a notebook's cell; None in pipes and tests."""
    if "PYTEST_CURRENT_TEST" in os.environ:
        return None
    if in_notebook():
        return sys.stdout
    is_terminal = getattr(sys.stderr, "isatty", lambda: False)
    return sys.stderr if is_terminal() and os.environ.get("TERM") != "dumb" else None


class _Line:
    """One line that is written over and over."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._words = ProgressWords()
        self._begin = perf_counter()
        self._width = 0

    def __call__(self, now: Progress) -> None:
        words = self._words(now)
        if perf_counter() - self._begin < QUIET_SECONDS:
            return
        done = round(BAR * min(max(self._words.share, 0.0), 1.0))
        self._show(f"{self._name} {'━' * done}{'╌' * (BAR - done)} {words}")

    def wipe(self) -> None:
        """Leave nothing of the line."""
        if self._width:
            self._show("")
            self._stream.write("\r")
            self._stream.flush()

    def _show(self, text: str) -> None:
        room = shutil.get_terminal_size((100, 24)).columns - 1
        text = text if len(text) <= room else text[: room - 1] + "…"
        encoding = self._stream.encoding or "ascii"
        text = text.encode(encoding, "replace").decode(encoding)
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)


def _places(end_time: float) -> int:
    """Decimals with which a time shows thousandths of the run."""
    places = 3
    while places < 9 and end_time * 10.0 ** (places - 3) < 1.0:
        places += 1
    return places


def duration_words(seconds: float) -> str:
    """A duration in its two largest units."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, hours = whole // 60, whole // 3600
    return f"{minutes} min {whole % 60:02d} s" if hours == 0 else f"{hours} h {minutes % 60:02d} min"
