"""The live page in a real browser: it follows the run, pauses and stops it, and another page cannot.

Most tests look at one run, which goes on for all of them: it takes its time, so that the browser has some too.
"""

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

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")]

PATIENCE = 300.0  # s; a limit only for what would otherwise never end

SIZE = (640, 420)
"""Window, pixels; pictures are drawn by software, which takes its time for each."""

BOUNCING = """
import sys
import time
import polycontact as pc

class Slow(pc.multibody.ForceElement):
    def apply(self, view: pc.multibody.ForceView) -> None:
        time.sleep(0.02)

system = pc.MultibodySystem("bouncing")
system.add_body("plate", surface=pc.shapes.box(size=(0.5, 0.5, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
system.add_body("ball", surface=pc.shapes.sphere(radius=0.05), mass=1.0, position=(0.0, 0.0, 0.06))
system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=1e7))
system.add_force(Slow("slow"))
pc.simulate_live(
    system,
    end_time=10000.0,
    output_step=0.02,
    record=sys.argv[1],
    open_page=False,
    announce=lambda url: print(url, file=sys.stderr, flush=True),
)
"""
"""A ball that bounces for ever, some ten samples a second."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=list(ARGUMENTS))
        yield started
        started.close()


class Watched:
    """A run without an end, started by the words of a command, and a page that follows it."""

    def __init__(self, browser: Any, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            self.process.kill()
            pytest.fail(line + self.process.communicate()[1])
        self.url = found[0]
        self.context = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]})
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def __enter__(self) -> Watched:
        try:
            self.open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def open(self) -> None:
        """Open the page and wait until it shows the run."""
        self.page.goto(self.url)
        self.wait(self._has_begun)

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


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("live") / "run.h5"


@pytest.fixture(scope="module")
def bouncing(browser: Any, record: Path) -> Iterator[Watched]:
    """The run that goes on for several tests."""
    with Watched(browser, "-c", BOUNCING, str(record)) as run:
        yield run
        assert run.complaints == []
        assert run.process.poll() is None


def test_page_follows_pauses_and_goes_on(bouncing: Watched) -> None:
    run = bouncing
    assert run.words.startswith("running, ")
    before = run.ask("polycontactView.player.end")
    run.wait(lambda: run.ask("polycontactView.player.end") > before)
    assert run.ask("polycontactView.player.following")
    run.wait(lambda: run.ask("polycontactView.scene.quantities[0].max") > 1e3)  # Pa: the ball has hit the plate
    run.wait(lambda: run.page.locator("#legend .title").inner_text() == "Pressure, kPa")

    run.page.locator("#live-pause").click()
    run.wait(lambda: run.words.startswith("paused at "))
    stood = run.words.split(",")[0]
    run.page.wait_for_timeout(1000)
    assert run.words.split(",")[0] == stood
    assert run.page.locator("#live-pause").inner_text() == "Go on"
    run.page.locator("#live-pause").click()
    run.wait(lambda: run.words.startswith("running, "))

    run.ask("polycontactView.player.step(-1)")  # looks back, and stays there
    run.wait(lambda: run.page.locator("#live-now").is_visible())
    time_then = run.ask("polycontactView.player.time")
    run.page.wait_for_timeout(1000)
    assert run.ask("polycontactView.player.time") == pytest.approx(time_then)
    run.page.locator("#live-now").click()
    run.wait(lambda: run.ask("polycontactView.player.time") > time_then)


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


def test_page_plots_the_most_loaded_pairings_and_stops_the_run(browser: Any, tmp_path: Path) -> None:
    """Six balls of growing weight, which fall from growing heights: 6 pairings with the floor, 15 of balls."""
    balls = "".join(BALL.format(i, 500 * (i + 1), 0.4 * i - 1.0, 0.05 + 0.02 * i) for i in range(6))
    (tmp_path / "many.toml").write_text(MANY + balls)
    record = tmp_path / "run.h5"
    options = ("--end-time", "10000", "--output-step", "0.02", "--max-step", "0.0001", "--live")
    with Watched(browser, "-m", "polycontact", "run", str(tmp_path / "many.toml"), "-o", str(record), *options) as run:

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

        run.page.locator("#live-stop").click()
        assert run.page.locator("#live-stop").inner_text() == "Stop: sure?"
        run.page.wait_for_timeout(500)
        assert run.process.poll() is None  # one click is none
        run.page.locator("#live-stop").click()
        run.process.wait(PATIENCE)
        assert run.process.returncode == 130
        assert pc.Trajectory.open(record).status == "stopped"
        run.wait(lambda: run.words.startswith(("run stopped", "the run does not answer")))
        assert run.page.locator("#live-pause").count() == 0
        run.ask("(polycontactView.player.seek(0.1), polycontactView.player.play())")  # needs nobody any more
        run.wait(lambda: run.ask("polycontactView.player.time") != 0.1)
        assert run.complaints == []


def test_run_goes_on_when_the_page_is_closed(bouncing: Watched, record: Path) -> None:
    bouncing.page.goto("about:blank")
    before = len(pc.Trajectory.open(record))
    end = time.monotonic() + PATIENCE
    while len(pc.Trajectory.open(record)) <= before + 10:
        assert time.monotonic() < end
        time.sleep(0.2)
    assert bouncing.process.poll() is None
    bouncing.open()


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


def test_another_page_cannot_read_or_stop(bouncing: Watched) -> None:
    """Even one on this machine that has got hold of the address."""
    run = bouncing
    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
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
        other.close()
        before = run.ask("polycontactView.player.end")
        run.wait(lambda: run.ask("polycontactView.player.end") > before)  # it goes on
        server.shutdown()


@pytest.mark.parametrize("size", [(1280, 720), (390, 700)])
def test_live_controls_fit_the_window(bouncing: Watched, size: tuple[int, int]) -> None:
    page = bouncing.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    bouncing.open()
    bouncing.wait(lambda: page.locator("#legend").is_visible())  # once something has been pressed
    boxes = {}
    for name in ("#live", "#legend", "#buttons", "#transport"):
        box = page.locator(name).bounding_box()
        assert box is not None, name
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0] + 1
        assert box["y"] + box["height"] <= size[1] + 1
        boxes[name] = box
    page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})
    assert boxes["#live"]["y"] >= boxes["#buttons"]["y"] + boxes["#buttons"]["height"]
    assert boxes["#legend"]["y"] >= boxes["#live"]["y"] + boxes["#live"]["height"]
