"""The live page in a real browser: it follows the run, pauses and stops it, and another page cannot."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import polycontact as pc
from browser import ARGUMENTS, BROWSER

playwright_api = pytest.importorskip("playwright.sync_api", reason="needs playwright, which drives the browser")

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

PATIENCE = 120.0  # s; a limit only for what would otherwise never end

OPTIONS = ("--end-time", "10000", "--output-step", "0.02", "--live")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=list(ARGUMENTS))
        yield started
        started.close()


class Watched:
    """A run of a scenario without an end, and a page that follows it."""

    def __init__(
        self, browser: Any, record: Path, size: tuple[int, int] = (1000, 700), scenario: str = "bubbles"
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "polycontact", "run", scenario, "-o", str(record), *OPTIONS],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        found = re.search(r"http://\S+", self.process.stderr.readline())
        assert found is not None
        self.url = found[0]
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def __enter__(self) -> Watched:
        try:
            self.page.goto(self.url)
            self.wait(self._has_begun)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _has_begun(self) -> bool:
        try:
            return bool(self.ask("(window.polycontactView?.frames.length ?? 0) > 3"))
        except playwright_api.Error:  # the page that waits for the run loads itself again
            return False

    def __exit__(self, *_: object) -> None:
        self.context.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ask(self, script: str) -> Any:
        return self.page.evaluate(script)

    def wait(self, holds: Callable[[], bool]) -> None:
        """The page's rules allow no code from text, which is how the browser's driver would wait."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, self.page.locator("body").inner_text()
            self.page.wait_for_timeout(100)

    @property
    def words(self) -> str:
        return str(self.page.locator("#live-words").inner_text())


def test_page_follows_pauses_and_stops(browser: Any, tmp_path: Path) -> None:
    with Watched(browser, tmp_path / "run.h5") as run:
        assert run.words.startswith("running, ")
        before = run.ask("polycontactView.player.end")
        run.wait(lambda: run.ask("polycontactView.player.end") > before)
        assert run.ask("polycontactView.player.following")
        assert run.ask("polycontactView.scene.quantities[0].max") > 1e3  # Pa: bubbles have hit the ground
        assert run.page.locator("#legend .title").inner_text() == "Pressure, kPa"

        run.page.locator("#live-pause").click()
        run.wait(lambda: run.words.startswith("paused at "))
        stood = run.words.split(",")[0]
        run.page.wait_for_timeout(1500)
        assert run.words.split(",")[0] == stood
        assert run.page.locator("#live-pause").inner_text() == "Go on"
        run.page.locator("#live-pause").click()
        run.wait(lambda: run.words.startswith("running, "))

        run.ask("polycontactView.player.step(-1)")  # looks back, and stays there
        run.wait(lambda: run.page.locator("#live-now").is_visible())
        time_then = run.ask("polycontactView.player.time")
        run.page.wait_for_timeout(1500)
        assert run.ask("polycontactView.player.time") == pytest.approx(time_then)
        run.page.locator("#live-now").click()
        run.wait(lambda: run.ask("polycontactView.player.time") > time_then)

        run.page.locator("#live-stop").click()
        assert run.page.locator("#live-stop").inner_text() == "Stop: sure?"
        run.page.wait_for_timeout(500)
        assert run.process.poll() is None  # one click is none
        run.page.locator("#live-stop").click()
        run.process.wait(PATIENCE)
        assert run.process.returncode == 130
        assert pc.Trajectory.open(tmp_path / "run.h5").status == "stopped"
        run.wait(lambda: run.words.startswith(("run stopped", "the run does not answer")))
        assert run.page.locator("#live-pause").count() == 0
        run.ask("(polycontactView.player.seek(0.45), polycontactView.player.play())")  # needs nobody any more
        run.wait(lambda: run.ask("polycontactView.player.time") != 0.45)
        assert run.complaints == []


MANY = """
[scenario]
name = "many"
[simulation]
end_time = 1.0
[[bodies]]
name = "floor"
shape = { kind = "box", size = [3.0, 3.0, 0.2], geometry = "convex" }
position = [0, 0, -0.1]
fixed = true
[contact]
automatic = true
law = { kind = "spring_damper", stiffness = 1e5, damping = 50.0 }
"""

BALL = """
[[bodies]]
name = "ball {0}"
shape = {{ kind = "sphere", radius = 0.05, geometry = "convex" }}
density = {1}
position = [{2}, 0, {3}]
"""


def test_page_plots_the_most_loaded_pairings_so_far(browser: Any, tmp_path: Path) -> None:
    """Six balls of growing weight, which fall from growing heights: 6 pairings with the floor, 15 of balls."""
    balls = "".join(BALL.format(i, 500 * (i + 1), 0.4 * i - 1.0, 0.05 + 0.02 * i) for i in range(6))
    (tmp_path / "many.toml").write_text(MANY + balls)
    with Watched(browser, tmp_path / "run.h5", scenario=str(tmp_path / "many.toml")) as run:

        def labels() -> list[str]:
            return run.page.locator("#plot-of optgroup[label^='Contact force'] option").all_inner_texts()

        run.wait(lambda: len(labels()) == 6)
        group = run.page.locator("#plot-of optgroup[label^='Contact force']").get_attribute("label")
        assert group == "Contact force: the 6 of 21 pairings that touched so far"
        assert all("ball" in each and "floor" in each for each in labels())
        assert "ball 5" in labels()[0]
        run.page.locator("#toggle-plot").click()
        run.page.locator("#plot-of").select_option(label=labels()[-1])
        frames = run.ask("polycontactView.frames.length")
        run.wait(lambda: run.ask("polycontactView.frames.length") != frames)
        assert run.ask("document.querySelector('#history-of').selectedOptions[0].text") == labels()[-1]
        assert re.fullmatch(r"[\d.]+ N at .* s", run.page.locator("#plot-now").inner_text())
        assert run.complaints == []


def test_run_goes_on_when_the_page_is_closed(browser: Any, tmp_path: Path) -> None:
    with Watched(browser, tmp_path / "run.h5") as run:
        run.page.close()
        before = len(pc.Trajectory.open(tmp_path / "run.h5"))
        end = time.monotonic() + PATIENCE
        while len(pc.Trajectory.open(tmp_path / "run.h5")) <= before + 50:
            assert time.monotonic() < end
            time.sleep(0.2)
        assert run.process.poll() is None


class Other(BaseHTTPRequestHandler):
    """The page of somebody else."""

    def do_GET(self) -> None:
        """An empty page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>other</title>")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing."""


def test_another_page_cannot_read_or_stop(browser: Any, tmp_path: Path) -> None:
    """Even one on this machine that has got hold of the address."""
    server = HTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Watched(browser, tmp_path / "run.h5") as run:
        token = run.url.rstrip("/").rsplit("/", 1)[1]
        other = run.context.new_page()
        other.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        outcome = other.evaluate(
            """async ([url, token]) => {
                const out = [];
                const tries = [
                    ["state", {}], ["state", { mode: "no-cors" }],
                    ["command", { method: "POST", body: '{"do":"stop"}', headers: { "X-Polycontact-Token": token } }],
                    ["command", { method: "POST", body: '{"do":"stop"}', mode: "no-cors" }],
                ];
                for (const [path, options] of tries) {
                    try {
                        out.push((await (await fetch(url + path, options)).text()).slice(0, 20));
                    } catch (error) {
                        out.push("refused");
                    }
                }
                const frame = document.createElement("iframe");
                frame.src = url;
                document.body.append(frame);
                await new Promise((done) => setTimeout(done, 1000));
                try {
                    out.push(frame.contentDocument ? "empty" : "refused");
                } catch (error) {
                    out.push("refused");
                }
                return out;
            }""",
            [run.url, token],
        )
        assert set(outcome) <= {"refused", ""}, outcome
        before = run.ask("polycontactView.player.end")
        run.wait(lambda: run.ask("polycontactView.player.end") > before)  # it goes on
    server.shutdown()


@pytest.mark.parametrize("size", [(1280, 720), (390, 700)])
def test_live_controls_fit_the_window(browser: Any, tmp_path: Path, size: tuple[int, int]) -> None:
    with Watched(browser, tmp_path / "run.h5", size) as run:
        boxes = {}
        for name in ("#live", "#legend", "#buttons", "#transport"):
            box = run.page.locator(name).bounding_box()
            assert box is not None, name
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= size[0] + 1
            assert box["y"] + box["height"] <= size[1] + 1
            boxes[name] = box
        assert boxes["#live"]["y"] >= boxes["#buttons"]["y"] + boxes["#buttons"]["height"]
        assert boxes["#legend"]["y"] >= boxes["#live"]["y"] + boxes["#live"]["height"]
