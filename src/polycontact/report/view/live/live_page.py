"""A live page from the side of the run: starts the process that serves it, and lets it pause and stop the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from time import sleep
from typing import Any

from polycontact.errors import SimulationError
from polycontact.report.view.live.run_state import Order, RunState, to_line
from polycontact.simulation.run_result import Progress

START_SECONDS = 60.0
"""Seconds within which the process of the page must say where it is; it imports little until a page is asked for."""

STATE_SECONDS = 0.2
"""Seconds between two reports to the page."""

SHORT_FAREWELL = 2.0
"""Seconds after which it is said what the end of a run waits for."""

FAREWELL = 40.0
"""Seconds that the end of a run waits at most for pages to take what they lack."""


OWN_PROCESS_GROUP: dict[str, Any] = (
    {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)} if os.name == "nt" else {"process_group": 0}
)
"""Ctrl-C in the terminal reaches the run only; the process of the page ends with its input."""


class LivePage:
    """The page of a run that is recorded to ``path``; ``url`` is where a browser finds it.

    `follow` is called with the progress of the run, in its thread: it waits there while the page wants a pause and
    raises KeyboardInterrupt, as Ctrl-C does, where it wants the run to stop.
    """

    def __init__(self, path: Path, *, port: int = 0, awaited: bool = False) -> None:
        if not 0 <= port <= 65535:
            raise SimulationError(f"port {port}: give a number from 1 to 65535, or none to take any that is free")
        self._state = RunState()
        self._news = threading.Condition()
        self._asked: str = ""
        self._paused = threading.Event()
        self._process = self._start()
        self.url = self._order(Order(str(path.resolve()), port, awaited))
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._listen, self._report)]
        for thread in self._threads:
            thread.start()

    def _start(self) -> subprocess.Popen[str]:
        """The process, which sees the packages that this one sees and hears no Ctrl-C."""
        folder = str(Path(__file__).resolve().parents[4])  # where the package lies
        paths = [folder, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        words = [sys.executable, "-P", "-m", "polycontact.report.view.live.serving"]
        try:
            return subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env=environment,
                **OWN_PROCESS_GROUP,
            )
        except OSError as error:
            raise SimulationError(
                f"the live page needs a second Python process, which cannot be started: {error}; run without it"
            ) from error

    def _order(self, order: Order) -> str:
        """Tell the process what to serve; returns the address that it answers with."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(to_line(order))
            self._process.stdin.flush()
        told = self._first_line()
        if "url" in told:
            return str(told["url"])
        self._process.kill()
        self._process.wait()
        reason = told.get("error", "its process has ended at once")
        where = f"port {order.port} of 127.0.0.1" if order.port else "127.0.0.1"
        raise SimulationError(
            f"the live page cannot be served on {where}: {reason}; choose another port, or none to take any that is "
            "free, or run without the page"
        )

    def _first_line(self) -> dict[str, Any]:
        lines: Queue[str] = Queue()
        stream = self._process.stdout
        assert stream is not None
        threading.Thread(target=lambda: lines.put(stream.readline()), daemon=True).start()
        with suppress(Empty, ValueError):
            told = json.loads(lines.get(timeout=START_SECONDS))
            return told if isinstance(told, dict) else {}
        return {}

    def _listen(self) -> None:
        """Take note of what the page wants. Where its process is gone, the run goes on without it."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with suppress(ValueError), self._news:
                wanted = json.loads(line).get("do")
                if wanted == "stop":
                    self._asked = "stop"
                elif wanted in ("pause", "go on") and not self._asked:
                    (self._paused.set if wanted == "pause" else self._paused.clear)()
                self._news.notify_all()
        with self._news:
            self._paused.clear()
            self._news.notify_all()

    def _report(self) -> None:
        """Tell the page where the run stands; this thread may wait for it, the run does not."""
        told: RunState | None = None
        stream = self._process.stdin
        assert stream is not None
        with suppress(OSError, ValueError):
            while told is None or not told.over:
                with self._news:
                    while self._state == told:
                        self._news.wait()
                    told = self._state
                stream.write(to_line(told))
                stream.flush()
                if not told.over:
                    sleep(STATE_SECONDS)

    def follow(self, now: Progress) -> None:
        """Take the progress of the run; wait and stop as the page wants."""
        with self._news:
            self._tell(now, paused=self._paused.is_set())
            while self._paused.is_set() and not self._asked:
                self._news.wait(0.1)  # briefly, so that Ctrl-C is heard everywhere
                self._tell(now, paused=self._paused.is_set())
            if self._asked == "stop":
                self._asked = "stopped"
                raise KeyboardInterrupt

    def _tell(self, now: Progress, *, paused: bool) -> None:
        self._state = RunState(
            True, now.time, now.end_time, now.real_time_factor, now.contacts, paused, False, "running", ""
        )
        self._news.notify_all()

    def open(self) -> bool:
        """Open the page in a browser; False where none could be started."""
        return webbrowser.open(self.url)

    def finish(self, status: str, message: str) -> None:
        """Say how the run ended, and wait until open pages have all of it; Ctrl-C ends that."""
        with self._news:
            state = self._state
            self._state = RunState(
                state.begun, state.time, state.end_time, state.real_time_factor, 0, False, True, status, message
            )
            self._news.notify_all()
        with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            try:
                self._process.wait(SHORT_FAREWELL)
            except subprocess.TimeoutExpired:
                print("polycontact: the page takes what it lacks; Ctrl-C ends that", file=sys.stderr)
                self._process.wait(FAREWELL)

    def close(self) -> None:
        """End the process of the page."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        with self._news:
            self._state = RunState(over=True)
            self._news.notify_all()
        for thread in self._threads:
            thread.join(2.0)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


@contextmanager
def live_page(path: Path, *, port: int = 0, awaited: bool = False) -> Iterator[LivePage]:
    """The live page of a run that is recorded to ``path``, until the run is over and pages have all of it."""
    page = LivePage(path, port=port, awaited=awaited)
    try:
        yield page
    finally:
        page.close()
