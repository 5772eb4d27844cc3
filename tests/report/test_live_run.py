"""Runs with a live page: watched, paused, gone on, stopped, ended by signals, and left alone."""

from __future__ import annotations

import gc
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import IntegrationError, SimulationError
from polycontact.report.view.live.live_page import LivePage
from polycontact.simulation.run_result import Progress

PATIENCE = 300.0  # s; a limit only for what would otherwise never end


def falling(force: pc.multibody.ForceElement | None = None) -> pc.MultibodySystem:
    """A ball that falls on a plate."""
    system = pc.MultibodySystem("falling")
    system.add_body("plate", surface=pc.shapes.box(size=(0.5, 0.5, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_body("ball", surface=pc.shapes.sphere(radius=0.05), mass=1.0, position=(0.0, 0.0, 0.06))
    system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=1e7, damping=1e4))
    if force is not None:
        system.add_force(force)
    return system


class Browser:
    """What a page does, without a browser: asks at the address that a run has told, in a thread of its own."""

    def __init__(self, visit: Callable[[Browser], None] | None = None) -> None:
        self.visit = visit
        self.url = ""
        self.error: BaseException | None = None
        self.thread: threading.Thread | None = None

    def told(self, url: str) -> None:
        """Take the address and begin."""
        self.url = url
        if self.visit is not None:
            self.thread = threading.Thread(target=self._go, daemon=True)
            self.thread.start()

    def _go(self) -> None:
        assert self.visit is not None
        try:
            self.visit(self)
        except BaseException as error:  # it belongs to the test
            self.error = error

    def done(self) -> None:
        assert self.thread is not None
        self.thread.join(PATIENCE)
        if self.error is not None:
            raise self.error

    def ask(self, path: str) -> Any:
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
        connection.request("GET", parts.path + path)
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        return content

    def state(self) -> dict[str, Any]:
        return dict(json.loads(self.ask("state?page=test")))

    def command(self, what: str, **more: str) -> None:
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
        token = parts.path.strip("/")
        connection.request(
            "POST", parts.path + "command", json.dumps({"do": what, **more}), {"X-Polycontact-Token": token}
        )
        assert connection.getresponse().status == 200

    def wait(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The state, once something holds of it."""
        for _ in range(int(10 * PATIENCE)):
            found = self.state()
            if holds(found):
                return found
            time.sleep(0.1)
        raise AssertionError(found)


class Slow(pc.multibody.ForceElement):
    """Takes time, so that a run lasts as long as a test needs."""

    def apply(self, view: pc.multibody.ForceView) -> None:
        time.sleep(0.001)


@pytest.mark.slow
def test_pause_go_on_and_stop(tmp_path: Path) -> None:
    times: list[float] = []

    def visit(page: Browser) -> None:
        page.wait(lambda found: found["state"]["begun"] and len(found["chosen"]) > 1)
        assert b'id="data"' in page.ask("")
        page.command("pause")
        times.append(page.wait(lambda found: found["state"]["paused"])["state"]["time"])
        time.sleep(0.5)
        times.append(page.state()["state"]["time"])
        page.command("go on")
        times.append(page.wait(lambda found: found["state"]["time"] > times[-1])["state"]["time"])
        page.command("stop")
        page.wait(lambda found: found["state"]["over"])
        page.command("seen", page="test")

    page = Browser(visit)
    run = pc.simulate_live(
        falling(Slow("slow")),
        end_time=1000.0,
        output_step=0.01,
        record=tmp_path / "run.h5",
        open_page=False,
        announce=page.told,
        max_step=0.01,
    )
    page.done()
    assert times[0] == times[1] < times[2]
    assert run.status == "stopped"
    assert run.message.startswith("stopped by the user at t = ")
    again = pc.Trajectory.open(tmp_path / "run.h5")  # complete, with its end
    assert again.status == "stopped"
    assert again.time[-1] >= times[2]


def test_run_without_a_browser_is_the_same(tmp_path: Path) -> None:
    """Nobody looks: the run ends at once and has the same bits; its temporary file goes with it."""
    settings: dict[str, Any] = {"end_time": 0.2, "output_step": 0.01}
    page = Browser()
    live = pc.simulate_live(falling(), open_page=False, announce=page.told, **settings)
    plain = pc.simulate(falling(), **settings)
    assert live.status == "finished"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", page.url)
    for name in ("positions", "wrenches", "energies"):
        np.testing.assert_array_equal(live.trajectory.array(name), plain.trajectory.array(name))
    folder = Path(live.trajectory._source.label).parent
    assert folder.is_dir()
    del live
    gc.collect()
    assert not folder.exists()


@pytest.mark.slow
def test_page_gets_the_end_of_a_short_run() -> None:
    """The run is over before the page has asked for anything: it waits for a browser that it has started."""
    found: list[dict[str, Any]] = []

    def visit(page: Browser) -> None:
        found.append(page.wait(lambda told: told["state"]["over"]))
        page.ask("frames?samples=" + ",".join(map(str, found[0]["chosen"][-3:])))
        page.command("seen", page="test")

    page = Browser(visit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webbrowser.open", lambda url: page.told(url) is None)
        run = pc.simulate_live(falling(), end_time=0.05, output_step=0.01, announce=lambda url: None, open_page=True)
    page.done()
    assert found[0]["state"]["status"] == run.status == "finished"
    assert found[0]["chosen"] == [0, 1, 2, 3, 4, 5]


@pytest.mark.slow
def test_run_before_in_the_file_is_not_shown(tmp_path: Path) -> None:
    """A file that is there already is that of another run until this one has begun."""
    pc.simulate(falling(), end_time=0.5, output_step=0.01, record=tmp_path / "run.h5")
    seen: list[int] = []

    def visit(page: Browser) -> None:
        seen.append(len(page.state()["chosen"]))
        seen.append(len(page.wait(lambda found: found["state"]["over"])["chosen"]))
        page.command("seen", page="test")

    page = Browser(visit)
    pc.simulate_live(
        falling(Slow("slow")),
        end_time=0.05,
        output_step=0.01,
        record=tmp_path / "run.h5",
        open_page=False,
        announce=page.told,
    )
    page.done()
    assert seen[0] <= 6
    assert seen[1] == 6


def test_page_pauses_and_stops_the_run_that_it_follows(tmp_path: Path) -> None:
    """The page's process and its commands, with a run that only says where it stands."""
    page = LivePage(tmp_path / "run.h5")
    browser = Browser()
    browser.told(page.url)
    try:
        page.follow(Progress(0.1, 1.0, 1.0, 0, 1, 1))
        browser.command("pause")
        assert until(page._paused.is_set)
        threading.Timer(0.3, lambda: browser.command("go on")).start()
        page.follow(Progress(0.2, 1.0, 1.0, 0, 1, 1))  # waits for it
        assert not page._paused.is_set()
        browser.command("stop")
        assert until(lambda: page._asked == "stop")
        with pytest.raises(KeyboardInterrupt):
            page.follow(Progress(0.3, 1.0, 1.0, 0, 1, 1))
        page.follow(Progress(0.3, 1.0, 1.0, 0, 1, 1))  # once is enough
    finally:
        page.close()
    with pytest.raises(OSError):
        browser.command("stop")


def until(holds: Callable[[], bool]) -> bool:
    """Wait until something holds; False where it never does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_run_goes_on_where_its_page_is_gone(tmp_path: Path) -> None:
    """Also where the page had paused it: nobody could let it go on any more."""
    page = LivePage(tmp_path / "run.h5")
    now = Progress(0.1, 1.0, 1.0, 0, 1, 1)
    browser = Browser()
    browser.told(page.url)
    browser.command("pause")
    assert until(page._paused.is_set)
    threading.Timer(0.3, page._process.kill).start()
    page.follow(now)  # returns
    page.finish("finished", "")
    page.close()


def test_failed_run_says_so() -> None:
    class Breaks(pc.multibody.ForceElement):
        """Pushes with no number after a while."""

        def apply(self, view: pc.multibody.ForceView) -> None:
            view.add_force("ball", (np.nan if view.time > 0.05 else 0.0, 0.0, 0.0))

    with pytest.raises((IntegrationError, SimulationError)) as caught:
        pc.simulate_live(falling(Breaks("breaks")), end_time=0.2, open_page=False, announce=lambda url: None)
    if isinstance(caught.value, IntegrationError):
        assert len(caught.value.run.trajectory.array("positions"))  # type: ignore[attr-defined]


def test_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SimulationError, match=rf"port {port} of 127\.0\.0\.1.*in use.*choose another port"):
            pc.simulate_live(falling(), end_time=0.1, port=port, open_page=False)


@pytest.mark.parametrize("port", [-1, 65536, 10**9])
def test_ports_that_make_no_sense(port: int) -> None:
    with pytest.raises(SimulationError, match=f"port {port}: give a number from 1 to 65535"):
        pc.simulate_live(falling(), end_time=0.1, port=port, open_page=False)


ENDLESS = ("--end-time", "10000", "--output-step", "0.02", "--max-step", "0.0001")
"""A run that lasts: bubbles at rest would take seconds, with long steps and many samples."""


def start(*words: str) -> tuple[subprocess.Popen[str], str]:
    """A run on the command line with a live page, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "polycontact", "run", *words, "--live"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"watch the run at (http://127\.0\.0\.1:\d+/[\w-]+/)", line)
    if found is None:
        process.kill()
        pytest.fail(line + process.stderr.read())
    return process, found[1]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of this kind are those of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_run_and_page(tmp_path: Path, number: int) -> None:
    process, url = start("bubbles", "-o", str(tmp_path / "run.h5"), *ENDLESS, "--json")
    page = Browser()
    page.told(url)
    page.wait(lambda found: len(found["chosen"]) > 1)
    process.send_signal(number)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert json.loads(out)["status"] == "stopped"
    assert pc.Trajectory.open(tmp_path / "run.h5").status == "stopped"
    with pytest.raises(OSError):
        page.ask("state")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of this kind are those of POSIX")
def test_killed_run_takes_its_page_along(tmp_path: Path) -> None:
    process, url = start("bubbles", "-o", str(tmp_path / "run.h5"), *ENDLESS)
    page = Browser()
    page.told(url)
    page.wait(lambda found: found["state"]["begun"])
    process.kill()
    process.communicate(timeout=PATIENCE)
    for _ in range(int(10 * PATIENCE)):
        try:
            page.state()
        except OSError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("the page is still served")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--port", "8000"], "--port and --open are about the live page: give --live too"),
        (["--open"], "--port and --open are about the live page: give --live too"),
        (["--live", "--integrator", "all"], "--live follows one run"),
        (["--live", "--port", "70000"], "port 70000: give a number from 1 to 65535"),
    ],
)
def test_commands_that_make_no_sense(capsys: pytest.CaptureFixture[str], words: list[str], why: str) -> None:
    from polycontact.cli import main

    assert main(["run", "bubbles", *words]) == 2
    assert why in capsys.readouterr().err
