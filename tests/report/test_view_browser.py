"""Pages in a real browser: they load without a network, play, and every control does what it says."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from view_subjects import (
    broken_mesh,
    bubbles_run,
    model_with_everything,
    pressed_ball,
    pressed_strip,
    standing_run,
    write_obj,
)

from browser import ARGUMENTS, BROWSER
from polycontact.report.view import save_page
from polycontact.report.view.showing import make_page_of

playwright_api = pytest.importorskip("playwright.sync_api", reason="needs playwright, which drives the browser")
pillow = pytest.importorskip("PIL.Image", reason="needs pillow, which reads pictures of the page")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")]

MIDDLE = {"x": 180, "y": 70, "width": 380, "height": 470}
"""Part of a window of 900 by 640 that nothing lies over, pixels."""
TIMEOUT = 300_000  # ms; pictures are drawn by software, on a machine that may be busy


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    return save_page(bubbles_run(folder / "run.h5", 0.6, 0.02), folder / "page.html")


class Opened:
    """A page in a browser, with all that it asked for and complained about."""

    def __init__(self, browser: Any, page: Path, *, scheme: str = "light", size: tuple[int, int] = (900, 640)) -> None:
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, offline=True
        )
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda line: line.type in ("error", "warning") and self.complaints.append(line.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(page.as_uri())
        self.page.wait_for_function("window.polycontactView?.ready", timeout=TIMEOUT)

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def ask(self, script: str) -> Any:
        return self.page.evaluate(script)

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")

    def point_at(self, x: float, y: float) -> None:
        """Move the pointer; a browser tells a page of it before the next frame, not at once."""
        self.page.mouse.move(x, y)
        self.settle()

    def seek(self, time: float) -> None:
        self.ask(f"(polycontactView.player.pause(), polycontactView.player.seek({time}))")
        self.settle()

    def picture(self) -> NDArray[np.int64]:
        """The middle of the picture without what lies over it, (rows, columns, 3)."""
        self.settle()
        image = pillow.open(io.BytesIO(self.page.screenshot(clip=MIDDLE))).convert("RGB")
        return np.asarray(image).astype(np.int64)

    def difference(self, other: NDArray[np.int64]) -> int:
        """Number of pixels that differ clearly."""
        return int(np.count_nonzero(np.abs(self.picture() - other).max(axis=2) > 12))


def test_loads_quietly_and_plays(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        first = opened.ask("polycontactView.player.time")
        opened.page.wait_for_function(f"polycontactView.player.time > {first} + 0.05", timeout=TIMEOUT)
        assert opened.page.locator("#clock").inner_text().endswith("/ 0.6000 s")
        opened.page.keyboard.press("Space")
        opened.settle()
        stopped = opened.ask("polycontactView.player.time")
        opened.page.wait_for_timeout(200)
        assert opened.ask("polycontactView.player.time") == stopped
        assert opened.requests == [run_page.as_uri()]
        assert opened.complaints == []


def test_picture_is_not_empty(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.45)
        pixels = opened.picture().reshape(-1, 3)
        assert len(np.unique(pixels // 8, axis=0)) > 200
        saturation = pixels.max(axis=1) - pixels.min(axis=1)
        assert np.count_nonzero(saturation > 60) > 2000  # bubbles in their colours


def test_slider_moves_bodies(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.0)
        before = opened.picture()
        opened.page.locator("#time").evaluate(
            "(slider) => { slider.value = 0.4; slider.dispatchEvent(new Event('input')); }"
        )
        assert opened.difference(before) > 2000
        assert opened.ask("polycontactView.player.time") == pytest.approx(0.4)
        opened.page.keyboard.press("ArrowRight")
        assert opened.ask("polycontactView.player.time") > 0.4
        opened.page.keyboard.press("Home")
        opened.settle()
        assert opened.difference(before) == 0


def test_speed_and_loop(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        assert opened.page.locator("#speed").input_value() == "0.1"  # 0.6 s play 6 s
        assert opened.ask("polycontactView.player.speed") == 0.1
        opened.page.locator("#speed").select_option("0.25")
        assert opened.ask("polycontactView.player.speed") == 0.25
        opened.page.locator("#loop").click()
        opened.ask("(polycontactView.player.seek(0.59), polycontactView.player.play())")
        opened.page.wait_for_function("!polycontactView.player.playing", timeout=TIMEOUT)
        assert opened.ask("polycontactView.player.time") == pytest.approx(0.6)


# Each switch, the time at which it shows, and how many pixels it changes at least.
SWITCHES = [
    ("surfaces", 5000),
    ("wireframe", 500),
    ("patches", 150),
    ("through", 100),
    ("polygons", 20),
    ("forces", 20),
    ("boxes", 300),
    ("markers", 20),
    ("ground", 500),
]


def test_every_switch_changes_the_picture(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.42)
        before = opened.picture()
        for name, least in SWITCHES:
            opened.page.locator(f"#show-{name}").click()
            assert opened.difference(before) > least, name
            opened.page.locator(f"#show-{name}").click()
            assert opened.difference(before) == 0, name
        assert opened.complaints == []


def test_sliders_and_bodies(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.42)
        before = opened.picture()
        opened.page.locator("#set-opacity").fill("0.9")
        assert opened.difference(before) > 2000
        opened.page.locator("#show-boxes").click()
        fine = opened.picture()
        opened.page.locator("#set-boxLevel").fill("0")
        assert opened.difference(fine) > 200
        whole = opened.picture()
        opened.page.locator("#body-0").click()
        assert opened.difference(whole) > 500


def test_colour_follows_the_choice(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.42)
        opened.page.locator("[aria-label^='Look at the contact']").click()
        title = opened.page.locator("#legend .title")
        assert title.inner_text() == "Pressure, kPa"
        pressure = opened.picture()
        opened.page.get_by_role("button", name="Slip speed").click()
        opened.settle()
        assert title.inner_text() == "Slip speed, m/s"
        assert opened.difference(pressure) > 300
        opened.page.get_by_role("button", name="Depth").click()
        opened.settle()
        assert title.inner_text() == "Depth, mm"


def test_colours_of_the_patch_are_those_of_the_legend(browser: Any, tmp_path: Path) -> None:
    """Under a flat light the deepest element has the top colour of the scale, and the border a low one."""
    page = save_page(pressed_ball(), tmp_path / "page.html")
    with Opened(browser, page) as opened:
        for name in ("surfaces", "polygons", "forces"):
            opened.page.locator(f"#show-{name}").click()
        opened.page.locator("#layer-penetration_lines").click()
        opened.page.locator("[aria-label^='Look at the contact']").click()
        opened.ask("polycontactView.camera.look(-0.9, -1.5)")
        opened.page.keyboard.press("c")
        pixels = opened.picture().reshape(-1, 3)
        scale = np.array(opened.ask("[...polycontactView.scene.scale]")).reshape(-1, 3)
        for share in (0.15, 0.5, 0.95):
            colour = scale[round(255 * share)]
            near = np.abs(pixels - colour).max(axis=1) < 26
            assert np.count_nonzero(near) > 30, share


def test_themes(browser: Any, run_page: Path) -> None:
    brightness = {}
    for scheme in ("light", "dark"):
        with Opened(browser, run_page, scheme=scheme) as opened:
            opened.seek(0.1)
            brightness[scheme] = opened.picture().mean()
            opened.page.locator("#theme").click()
            brightness[f"{scheme} turned"] = opened.picture().mean()
    assert brightness["light"] > 160 > 120 > brightness["dark"]
    assert brightness["light turned"] == pytest.approx(brightness["dark"], abs=3)
    assert brightness["dark turned"] == pytest.approx(brightness["light"], abs=3)


def test_mouse_turns_and_zooms(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.3)
        before = opened.picture()
        azimuth, distance = opened.ask("[polycontactView.camera.azimuth, polycontactView.camera.distance]")
        mouse = opened.page.mouse
        mouse.move(350, 300)
        mouse.down()
        mouse.move(450, 330)
        mouse.up()
        mouse.wheel(0, -300)
        opened.settle()
        assert opened.ask("polycontactView.camera.azimuth") != azimuth
        assert opened.ask("polycontactView.camera.distance") < distance
        assert opened.difference(before) > 2000
        opened.page.keyboard.press("4")
        opened.page.keyboard.press("r")
        assert opened.difference(before) < 50


def test_pointer_reads_values(browser: Any, tmp_path: Path) -> None:
    page = save_page(pressed_ball(), tmp_path / "page.html")
    with Opened(browser, page) as opened:
        opened.page.locator("[aria-label^='Look at the contact']").click()
        opened.settle()
        for x in range(300, 440, 20):
            opened.point_at(x, 300)
            if opened.page.locator("#tip").is_visible():
                break
        text = opened.page.locator("#tip").inner_text()
        assert "Pressure" in text
        assert "kPa" in text


def test_mesh_page_marks_problems(browser: Any, tmp_path: Path) -> None:
    mesh = write_obj(tmp_path / "part.obj", broken_mesh())
    with Opened(browser, save_page(mesh, tmp_path / "page.html")) as opened:
        whole = opened.picture()
        opened.page.locator("#layer-self_intersections").click()
        assert opened.difference(whole) > 200
        entry = opened.page.locator("details.entry", has_text="cracks")
        entry.locator("summary").click(position={"x": 60, "y": 10})
        entry.get_by_role("button").click()
        assert opened.difference(whole) > 5000
        assert opened.requests == [(tmp_path / "page.html").as_uri()]
        assert opened.complaints == []


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 700)])
def test_controls_fit_the_window(browser: Any, run_page: Path, size: tuple[int, int]) -> None:
    with Opened(browser, run_page, size=size) as opened:
        opened.seek(0.1)
        if size[0] < 760:
            assert opened.page.locator("#panel").is_hidden()  # it would cover the picture
            opened.page.locator("#toggle-panel").click()
        for name in ("#transport", "#panel", "#legend", "#buttons", "#heading"):
            box = opened.page.locator(name).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["y"] >= 0
            assert box["x"] + box["width"] <= size[0] + 1
            assert box["y"] + box["height"] <= size[1] + 1


def test_page_in_a_notebook(browser: Any, tmp_path: Path) -> None:
    """The page inside a frame of another page, as notebooks show it."""
    outer = tmp_path / "notebook.html"
    outer.write_text(
        f"<!doctype html><meta charset='utf-8'><link rel='icon' href='data:,'>"
        f"{make_page_of(pressed_ball())._repr_html_()}",
        encoding="utf-8",
    )
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    page.goto(outer.as_uri())
    frame = page.frames[1]
    frame.wait_for_function("window.polycontactView?.ready", timeout=TIMEOUT)
    assert frame.locator("#heading h1").inner_text() == pressed_ball().pairing.name
    page.close()


def test_keys_belong_to_what_has_the_focus(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.2)
        opened.page.locator("#set-opacity").focus()
        opened.page.keyboard.press("ArrowRight")
        assert opened.ask("polycontactView.player.time") == pytest.approx(0.2)
        assert opened.ask("polycontactView.shown.opacity") == pytest.approx(0.51)
        opened.page.locator("#show-wireframe").click()
        opened.page.keyboard.press("Space")  # after a click it is the picture's
        assert opened.ask("polycontactView.player.playing")
        assert opened.ask("polycontactView.shown.wireframe")


def test_camera_goes_along_with_a_body(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.0)
        before = opened.ask("polycontactView.camera.target[2]")
        opened.page.locator("#follow").select_option("0")
        opened.settle()
        opened.seek(0.3)
        fallen = opened.ask("polycontactView.player.pose(0)[14] - polycontactView.player.poseAt(0, 0).p[2]")
        assert fallen < -0.1
        assert opened.ask("polycontactView.camera.target[2]") - before == pytest.approx(fallen, abs=1e-3)


@pytest.fixture(scope="module")
def model_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_page(model_with_everything(), tmp_path_factory.mktemp("model") / "page.html")


def test_model_page_draws_its_signs(browser: Any, model_page: Path) -> None:
    with Opened(browser, model_page) as opened:
        whole = opened.picture()
        for key in ("joints", "limits", "springs", "drives"):
            opened.page.locator(f"#layer-{key}").click()
            assert opened.difference(whole) > 50, key
            opened.page.locator(f"#layer-{key}").click()
            assert opened.difference(whole) == 0, key
        assert opened.page.locator("#transport").is_hidden()
        assert opened.page.locator("#legend .title").inner_text() == "Depth, mm"
        assert opened.requests == [model_page.as_uri()]
        assert opened.complaints == []


def test_model_page_goes_to_parts_and_names_them(browser: Any, model_page: Path) -> None:
    with Opened(browser, model_page) as opened:
        opened.page.locator("button.item", has_text="rail").click()
        opened.settle()
        at = opened.ask("polycontactView.camera.pixel(polycontactView.scene.items.find(i => i.name === 'rail').place)")
        assert 100 < at[0] < 580  # in the middle of what the panel leaves
        assert 150 < at[1] < 500
        opened.point_at(*at)
        assert "rail prismatic" in opened.page.locator("#tip").inner_text()
        opened.point_at(at[0] + 40, at[1] + 10)
        assert opened.page.locator("#tip").inner_text() == "cart 1 kg"


def test_row_of_a_contact_goes_there_and_stays(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.42)
        row = opened.page.locator(".contacts tr.place").first
        name = row.locator("td").first.inner_text()
        row.click()
        opened.settle()
        pairing = opened.ask(f"polycontactView.scene.pairings.indexOf('{name}')")
        assert opened.ask("polycontactView.shown.followPairing") == pairing
        assert opened.page.locator(".contacts tr.chosen td").first.inner_text() == name
        mark = f"polycontactView.renderer.contact.marks(polycontactView.player.frame).find(m => m[0] === {pairing})"
        placed = f"""(() => {{
            const mark = {mark};
            if (!mark) return null;
            const m = polycontactView.player.pose(mark[1]);
            const p = [0, 1, 2].map(i => m[i] * mark[2] + m[4 + i] * mark[3] + m[8 + i] * mark[4] + m[12 + i]);
            return polycontactView.camera.pixel(p);
        }})()"""
        before = opened.ask(placed)
        opened.page.keyboard.press("ArrowRight")
        opened.settle()
        after = opened.ask(placed)
        assert after == pytest.approx(before, abs=2.0)  # pixels: it stays where it was in the picture
        opened.page.locator(".contacts tr.chosen").click()
        assert opened.ask("polycontactView.shown.followPairing") == -1


def test_curve_and_grid_tell_their_scale(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.42)
        scale = opened.page.locator(".track .scale")
        assert scale.inner_text().startswith("sum of contact forces, up to ")
        opened.page.locator("#history-of").select_option(label="greatest depth")
        opened.settle()
        assert scale.inner_text().startswith("greatest depth, up to ")
        assert "mm" in scale.inner_text()
        step = opened.ask("polycontactView.renderer.ground.step")
        assert opened.page.locator("#grid").inner_text() == f"grid {1000 * step:g} mm"
        opened.page.locator("#show-ground").click()
        opened.settle()
        assert opened.page.locator("#grid").is_hidden()


def test_arrows_are_scaled_to_now(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        # The frame whose greatest force is the least: far below what is usual in the run.
        opened.seek(
            opened.ask("""(() => {
                const most = polycontactView.frames.list.map(
                    (frame) => Math.max(...frame.contacts.map((mark) => Math.hypot(mark[5], mark[6], mark[7]))));
                const least = Math.min(...most.filter((force) => force > 0));
                return polycontactView.player.times[most.indexOf(least)];
            })()""")
        )
        before = opened.picture()
        opened.page.locator("#show-patches").click()
        plain = opened.picture()
        opened.page.get_by_role("button", name="now", exact=True).click()
        assert opened.difference(plain) > 20
        opened.page.get_by_role("button", name="the whole run").click()
        opened.page.locator("#show-patches").click()
        assert opened.difference(before) == 0


@pytest.fixture(scope="module")
def two_feet_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A horseshoe that stands on the ground with both ends: one contact, two patches."""
    return save_page(standing_run(), tmp_path_factory.mktemp("feet") / "page.html")


def go_to_two_patches(opened: Opened) -> None:
    opened.seek(opened.ask("polycontactView.frames.list.find((frame) => frame.arrows.length === 18).time"))


def pixels_of_patches(opened: Opened) -> list[list[float]]:
    """Where the middle of the largest triangle of each patch is seen, by the number of the patch."""
    return opened.ask("""(() => {
        const { player, scene, renderer, camera } = polycontactView;
        const { data, ranges } = player.frames.at(player.frame).patches;
        return ranges.map(([body, first, count]) => {
            const m = renderer.bodies.matrices[body], s = scene.bodies[body].half / 32767;
            let best = [0, null];
            for (let i = first; i < first + count; i += 3) {
                const p = [0, 1, 2].map((k) => [0, 1, 2].map((c) => data[6 * (i + k) + c] * s));
                const [u, v] = [1, 2].map((k) => [0, 1, 2].map((c) => p[k][c] - p[0][c]));
                const across = [0, 1, 2].map((c) => u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3]);
                const area = Math.hypot(...across);
                const q = [0, 1, 2].map((c) => (p[0][c] + p[1][c] + p[2][c]) / 3);
                if (area > best[0]) best = [area, q];
            }
            const q = best[1];
            return camera.pixel([0, 1, 2].map((c) => m[c] * q[0] + m[4 + c] * q[1] + m[8 + c] * q[2] + m[12 + c]));
        });
    })()""")


def test_pointer_names_body_and_patch(browser: Any, two_feet_page: Path) -> None:
    with Opened(browser, two_feet_page) as opened:
        go_to_two_patches(opened)
        opened.page.locator("#show-surfaces").click()
        opened.settle()
        tip = opened.page.locator("#tip")
        texts = []
        for x, y in pixels_of_patches(opened):
            opened.point_at(x, y)
            texts.append(tip.inner_text())
        assert sorted(re.findall(r"patch \d of \d", " ".join(texts))) == ["patch 1 of 2", "patch 2 of 2"]
        for text in texts:
            assert "feet" in text
            for word in ("Pressure", "Depth", "Force of the patch", "Area of the patch"):
                assert word in text
        opened.page.locator("#show-surfaces").click()
        opened.page.locator("#show-patches").click()
        opened.settle()
        middle = opened.ask("polycontactView.camera.pixel([...polycontactView.player.pose(0).slice(12, 15)])")
        opened.page.mouse.click(*middle)  # a click does as well, and names what is not a patch
        assert tip.inner_text().strip() in ("ground", "ground fixed")


def test_each_patch_has_an_arrow(browser: Any, two_feet_page: Path) -> None:
    with Opened(browser, two_feet_page) as opened:
        go_to_two_patches(opened)
        arrows, mark = opened.ask("""(() => {
            const { contact } = polycontactView.renderer, { frame } = polycontactView.player;
            return [contact.arrows(frame).map((arrow) => [...arrow]), contact.marks(frame)[0]];
        })()""")
        assert len(arrows) == 2
        np.testing.assert_allclose(np.sum(arrows, axis=0)[5:8], mark[5:8], rtol=1e-4, atol=1e-4)
        drawn = opened.ask("""(() => {
            const { renderer } = polycontactView, { arrow } = renderer.contact;
            let count = 0;
            const draw = arrow.draw.bind(arrow);
            arrow.draw = (view, data, style) => { count = data.length / 6; draw(view, data, style); };
            renderer.draw(polycontactView.shown);
            delete arrow.draw;
            return count;
        })()""")
        assert drawn == 2


def test_borders_leave_narrow_patches_to_be_seen(browser: Any, tmp_path: Path) -> None:
    """A strip a few pixels wide: with its border most of it keeps its colour, as without."""
    page = save_page(pressed_strip(), tmp_path / "page.html")
    with Opened(browser, page) as opened:
        for name in ("surfaces", "wireframe", "forces"):
            opened.page.locator(f"#show-{name}").click()
        opened.page.locator("#layer-penetration_lines").click()
        opened.ask("polycontactView.camera.look(-0.9, 1.4)")
        opened.page.locator("[aria-label^='Look at the contact']").click()

        def coloured() -> int:
            pixels = opened.picture().reshape(-1, 3)
            return int(np.count_nonzero(pixels.max(axis=1) - pixels.min(axis=1) > 90))

        with_border = coloured()
        opened.page.locator("#show-polygons").click()
        without = coloured()
        assert without > 300  # the strip is there
        assert with_border > 0.6 * without  # the borders of a strip have a fifth of its width each


def test_plot_is_linked_to_time(browser: Any, run_page: Path) -> None:
    with Opened(browser, run_page) as opened:
        opened.seek(0.1)
        plot = opened.page.locator("#plot")
        assert plot.is_hidden()
        opened.page.locator("#toggle-plot").click()
        opened.settle()
        assert plot.is_visible()
        canvas = opened.page.locator("#plot canvas")
        box = canvas.bounding_box()
        assert box is not None
        before = canvas.screenshot()
        x = box["x"] + 58 + 0.5 * (box["width"] - 70)  # half of the way between the margins
        opened.page.mouse.click(x, box["y"] + 50)
        opened.settle()
        assert opened.ask("polycontactView.player.time") == pytest.approx(0.3, abs=0.005)
        assert canvas.screenshot() != before  # the mark has moved
        assert opened.page.locator("#plot-now").inner_text().endswith("s")
        opened.page.mouse.move(x, box["y"] + 50)
        opened.page.mouse.down()
        opened.page.mouse.move(x + 0.2 * (box["width"] - 70), box["y"] + 60)
        opened.page.mouse.up()
        assert opened.ask("polycontactView.player.time") == pytest.approx(0.42, abs=0.005)
        names = opened.page.locator("#plot-of option").all_inner_texts()
        for name in ("greatest pressure", "force bubble 1–container", "kinetic energy", "speed of bubble 2"):
            assert name in names
        opened.page.locator("#plot-of").select_option(label="kinetic energy")
        opened.settle()
        assert "J at 0.42 s" in opened.page.locator("#plot-now").inner_text()
        assert opened.page.locator(".track .scale").inner_text().startswith("kinetic energy, up to ")
        assert opened.page.locator("#history-of").input_value() == opened.page.locator("#plot-of").input_value()
        opened.page.keyboard.press("v")
        assert plot.is_hidden()
        assert opened.complaints == []


@pytest.mark.parametrize("size", [(1440, 900), (390, 700)])
def test_plot_leaves_the_bodies_to_be_seen(browser: Any, run_page: Path, size: tuple[int, int]) -> None:
    with Opened(browser, run_page, size=size) as opened:
        opened.ask("polycontactView.player.pause()")
        opened.page.keyboard.press("End")
        opened.page.locator("#toggle-plot").click()
        opened.settle()
        top = opened.page.locator("#plot").bounding_box()["y"]
        for body in range(3):
            at = opened.ask(f"polycontactView.camera.pixel([...polycontactView.player.pose({body}).slice(12, 15)])")
            assert at[1] < top
