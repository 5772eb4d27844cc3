"""The process of a live page: serves it on the loopback address until the run is over and the page has all of it.

    python -P -m polycontact.report.view.live.serving

is started by `live_page`, with whom it speaks through its input and output, see `run_state`.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import signal
import socket
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from polycontact.report.view.live.requests import HEADERS, Asked, RefusedError, body_length, read_request
from polycontact.report.view.live.run_state import COMMANDS, Order, RunState, to_line

if TYPE_CHECKING:
    from polycontact.report.view.live.run_follower import RunFollower

LOOPBACK = "127.0.0.1"

MOST_CONNECTIONS = 32
"""At once; more are closed."""

IDLE_SECONDS = 15.0
"""Seconds without a byte after which a connection is closed."""

PAGE_GONE_SECONDS = 4.0
"""Seconds without a question after which a page counts as closed; it asks every second."""

LONGEST_FAREWELL = 30.0
"""Seconds after the end of a run in which pages may take what they lack."""

BROWSER_START_SECONDS = 15.0
"""Seconds after the end of a run in which a browser that was started may come."""

WAITING = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<link rel="icon" href="data:,"><title>polycontact</title></head><body style="font-family:system-ui;display:grid;
place-items:center;height:90vh;color:#567">The run is about to begin…</body></html>"""


class LiveRun:
    """The run as pages see it: its state, as told, and its frames, from its file. Threads take turns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._follower: RunFollower | None = None
        self.state = RunState()
        self.pages: dict[str, float] = {}
        """When each page was last answered, ∞ while it is being answered; none once it has all."""
        self.came = False

    def page(self) -> str:
        """The page, or one that waits for the first sample."""
        from polycontact.report.view.viewer_page import make_page

        with self._lock:
            follower = self._follow()
            return WAITING if follower is None else make_page(follower.scene, live=True)

    def facts(self, page: str) -> dict[str, Any]:
        """Where the run stands and which samples are frames."""
        if page and len(self.pages) < MOST_CONNECTIONS:
            self.pages[page] = math.inf  # the first answer takes seconds on a laden machine
            self.came = True
        try:
            with self._lock:
                state = self.state  # before the file is looked at: what is over has been written
                follower = self._follow()
                found: dict[str, Any] = {"state": asdict(state), "chosen": []}
                if follower is not None:
                    follower.refresh()
                    found |= {"chosen": follower.chosen.tolist(), "most": follower.most, **follower.facts()}
                return found
        finally:
            if page in self.pages:
                self.pages[page] = monotonic()

    def frames(self, samples: tuple[int, ...]) -> bytes:
        """The frames of these samples, packed for the page; samples not yet written answer 404."""
        with self._lock:
            follower = self._follow()
            if follower is None or max(samples) >= follower.n_samples:
                raise RefusedError(404, "there are no such samples yet")
            return follower.batch(list(samples))

    def is_awaited(self) -> bool:
        """Whether a page is open that has not yet got all frames."""
        return any(monotonic() - last < PAGE_GONE_SECONDS for last in self.pages.values())

    def _follow(self) -> RunFollower | None:
        """Whoever reads the file, from the first step on: before, another run may lie there."""
        if self._follower is None and self.state.begun:
            from polycontact.report.view.live.run_follower import RunFollower

            self._follower = RunFollower(self._path)
            self._follower.refresh()
        return self._follower


class Server(ThreadingHTTPServer):
    """Serves a run on the loopback address."""

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere it would share the port with whoever has it

    def __init__(self, port: int, run: LiveRun) -> None:
        self.run = run
        self.token = secrets.token_urlsafe(24)
        self._places = threading.Semaphore(MOST_CONNECTIONS)
        super().__init__((LOOPBACK, port), Handler)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Address of the page, with the token without which nothing is answered."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def server_bind(self) -> None:
        """Without a question to the name service, which may take long where there is no network."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(self.allow_reuse_address))
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = LOOPBACK, self.port

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread of its own, if a place is free."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection, then release its place for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle of an answer is nothing to speak of."""


class Handler(BaseHTTPRequestHandler):
    """Answers requests of one connection for the page, its frames and commands."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "polycontact"
    sys_version = ""
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        """The page, its state, its frames."""
        self._answer("GET")

    def do_POST(self) -> None:
        """Answer a command of the page, such as pause."""
        self._answer("POST")

    def _answer(self, method: str) -> None:
        try:
            asked = read_request(method, self.path, self._named(), self.server.port, self.server.token)
            self._send(200, *self._content(asked))
        except RefusedError as refusal:
            self._refuse(refusal.status, str(refusal))
        except (OSError, ConnectionError):
            raise
        except Exception as error:  # the page says so; the run goes on
            self._refuse(500, str(error) or type(error).__name__)

    def _named(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _content(self, asked: Asked) -> tuple[str, bytes]:
        run = self.server.run
        if asked.what == "page":
            return "text/html; charset=utf-8", run.page().encode()
        if asked.what == "frames":
            return "application/octet-stream", run.frames(asked.samples)
        told = run.facts(asked.page) if asked.what == "state" else self._command()
        return "application/json", json.dumps(told, allow_nan=False).encode()

    def _command(self) -> dict[str, Any]:
        """Pass a command on to the run; "seen": a page has all frames of a run that is over."""
        try:
            told = json.loads(self.rfile.read(body_length(self._named())))
        except ValueError:
            told = None
        wanted = told.get("do") if isinstance(told, dict) else None
        if wanted == "seen":
            self.server.run.pages.pop(str(told.get("page")), None)
        elif wanted in COMMANDS:
            tell({"do": wanted})
        else:
            raise RefusedError(400, f"a command is one of {', '.join(COMMANDS)}")
        return {"ok": True}

    def _refuse(self, status: int, reason: str) -> None:
        self.close_connection = True  # a body may follow that nobody reads
        self._send(status, "text/plain; charset=utf-8", f"{reason}\n".encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing: the terminal belongs to the run."""


_telling = threading.Lock()


def tell(what: dict[str, Any]) -> None:
    """A line to the process of the run; where that is gone, the end of the input says so too."""
    with _telling, suppress(OSError, ValueError):
        sys.stdout.write(to_line(what))
        sys.stdout.flush()


def main() -> None:
    """Serve what the first line of the input orders, until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, whose end this process sees
    if hasattr(os, "nice"):
        os.nice(2)  # the run comes first
    order = Order(**json.loads(sys.stdin.readline()))
    run = LiveRun(Path(order.path))
    try:
        server = Server(order.port, run)
    except (OSError, OverflowError) as error:
        tell({"error": getattr(error, "strerror", None) or str(error)})
        return
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tell({"url": server.url})
    for line in sys.stdin:
        run.state = RunState(**json.loads(line))
        if run.state.over:
            break
    else:
        return  # the process of the run is gone
    say_farewell(run, order.awaited)


def say_farewell(run: LiveRun, awaited: bool) -> None:
    """Until open pages have all, but not for ever, nor when the process of the run does not want to wait."""
    gone = threading.Event()

    def listen() -> None:
        sys.stdin.read()
        gone.set()

    threading.Thread(target=listen, daemon=True).start()
    begin = monotonic()
    while not gone.wait(0.1):
        since = monotonic() - begin
        comes = awaited and not run.came and since < BROWSER_START_SECONDS
        if since > LONGEST_FAREWELL or not (comes or run.is_awaited()):
            return


if __name__ == "__main__":
    main()
    os._exit(0)  # without waiting for connections
