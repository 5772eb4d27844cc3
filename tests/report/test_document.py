"""The report of runs: what it says, that it fetches nothing, and how it behaves in a browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_runs import bad_files, bubbles, bubbles_file, recorded, still_description, still_sample

import polycontact as pc
from browser import ARGUMENTS, BROWSER
from polycontact.cli import main
from polycontact.errors import SimulationError
from polycontact.report.document import make_report
from polycontact.report.document.contact_section import find_loads, intervals, ranking
from polycontact.report.document.energies import STACK, energy_panel
from polycontact.report.document.markup import number, table
from polycontact.report.document.motion import body_panel, joint_panel
from polycontact.report.document.named_runs import name_runs, open_runs
from polycontact.report.document.pictures import playback
from polycontact.report.document.series import Thinning
from polycontact.report.document.system_section import describe_system
from polycontact.report.view.run_scene import run_scene
from polycontact.report.view.viewer_page import make_page
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import (
    BodyRecord,
    ForceRecord,
    JointRecord,
    LoopRecord,
    RunDescription,
)
from polycontact.simulation.recording.trajectory import Trajectory

pytest.importorskip("plotly", reason="reports need plotly")


def plain(**options: Any) -> str:
    return make_report([bubbles()], pictures=False, with_playback=False, **options)


class Tags(HTMLParser):
    """Every tag with its attributes, and the text outside of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._in = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag

    def handle_data(self, data: str) -> None:
        if self._in not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page_data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.DOTALL)
    assert found
    content: dict[str, Any] = json.loads(found[1])
    return content


def test_report_says_what_was_simulated_and_what_it_cost() -> None:
    tags = Tags(plain())
    for words in (
        "bubble 1",
        "950",
        "stiffness",
        "0.25",
        "cvode-bdf",
        "paper: LSODE",
        "6046",
        "bubble 1–container",
        "real-time factor",
        "relative tolerance",
        "greatest force",
        "paper: DASSL",
    ):
        assert words in tags.text, words
    sections = [attributes["id"] for tag, attributes in tags.tags if tag == "section"]
    assert sections == ["system", "contact", "motion", "reactions", "energy", "cost"]
    links = [attributes["href"] for tag, attributes in tags.tags if tag == "a"]
    assert links == [f"#{section}" for section in sections]


def test_report_is_self_contained_and_small() -> None:
    page = plain()
    assert len(page.encode()) < 10e6
    for tag, attributes in Tags(page).tags:
        for name in ("src", "href", "srcset"):
            link = attributes.get(name)
            assert link is None or link.startswith(("#", "data:")), (tag, link)
    assert page.count("plotly.js v") == 1


def test_every_chart_has_its_data_and_every_curve_its_times() -> None:
    page = plain()
    data = page_data(page)
    places = {attributes["data-panel"] for _, attributes in Tags(page).tags if "data-panel" in attributes}
    assert places == {panel["key"] for panel in data["panels"]}
    assert places == {"bodies", "energies", "contacts", "timeline", "reactions"}
    lengths = {
        len(curve[4])
        for panel in data["panels"]
        if panel["kind"] == "curves"
        for view in panel["views"]
        for curve in view["curves"]
    }
    assert lengths == {len(data["runs"][0]["time"])}


def test_loads_are_the_peaks_of_the_run() -> None:
    runs = name_runs([bubbles()])
    loads = {load.name: load for load in find_loads(runs)}
    history = bubbles().pairing("bubble 2–container")
    force = np.linalg.norm(history.force, axis=1)
    load = loads["bubble 2–container"]
    peaks = bubbles().peaks.contacts["bubble 2–container"]
    assert (load.force, load.at) == peaks.force
    assert load.force > force.max()
    assert load.pressure == peaks.pressure.value
    assert load.pressure > history.pressure.max()
    order = ranking(list(loads.values()))
    assert [loads[name].force for name in order] == sorted((loads[name].force for name in order), reverse=True)


def driven_arm() -> Trajectory:
    """An arm that a motion turns, a weight that a motor slides along it against a spring, and a rod to the world."""
    system = pc.MultibodySystem("arm")
    system.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add_joint("shaft", "revolute", "world", "arm", motion=pc.multibody.ConstantVelocity(2.0))
    system.add_body("weight", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add_joint("slide", "prismatic", "arm", "weight", axis=(1.0, 0.0, 0.0), coordinates=0.5)
    system.add_force(
        pc.multibody.Motor("motor", "slide", pc.multibody.ConstantVelocity(0.1, 0.5), stiffness=50.0, damping=5.0)
    )
    system.add_force(pc.multibody.SpringDamper("spring", "arm", (0, 0, 0), "weight", (0, 0, 0), stiffness=9.0))
    system.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
    system.add_loop("rod", "distance", "world", "bob", length=1.0)
    return pc.simulate(system, end_time=0.2, output_step=0.02).trajectory


def test_forces_in_joints() -> None:
    run = driven_arm()
    page = make_report([run, run], labels=["a", "b"], pictures=False, with_playback=False)
    data = {panel["key"]: panel for panel in page_data(page)["panels"]}
    assert data["reactions"]["items"] == ["shaft", "slide", "rod"]
    assert data["drives"]["items"] == ["shaft", "slide"]
    assert data["forces"]["items"] == ["spring", "motor"]
    assert data["bodies"]["views"][-1]["name"] == "Acceleration"  # the shaft turns evenly: no angular acceleration
    text = Tags(page).text
    for words in ("Joints and forces", "greatest torque", "Drives", "Springs, stops, motors and loads"):
        assert words in text
    # Drives and force elements have tables of greatest loads as joints have.
    for words in ("shaft a torque", "shaft b torque", "slide a force", "spring a tension", "motor a effort"):
        assert words in text
    without = pc.simulate(pc.load_scenario("bubbles").build(), end_time=0.01, reactions=False).trajectory
    assert "No forces in joints are recorded" in make_report([without], pictures=False, with_playback=False)


def test_table_of_loads_names_no_losses_and_says_where_the_impulse_is_from() -> None:
    """Losses are in the energies, integrated by the solver; a sum over samples would contradict them."""
    text = Tags(plain()).text
    assert "lost, J" not in text
    assert "impulse, from the samples, N s" in text


def test_playback_has_the_frames_and_the_scale_of_view() -> None:
    (run,) = name_runs([bubbles()])
    assert playback(run).count(escape(make_page(run_scene(run.trajectory)))) == 1


def test_stack_of_energies_adds_up_to_the_total() -> None:
    panel = energy_panel(name_runs([bubbles()]))
    assert panel is not None
    stack = panel.views[0]
    total = next(curve.values for curve in stack.curves if curve.item < 0)
    parts = sum(curve.values for curve in stack.curves if curve.item >= 0)
    energies = bubbles().energies
    assert len(stack.curves) == len(STACK) + 1
    # What is stored and lost, plus the residual work of contacts, is what was there, but for the balance.
    np.testing.assert_allclose(parts + energies["residual"] - total, energies["balance"], atol=1e-9 * total.max())


def test_quaternions_of_joints_become_angles() -> None:
    joint = JointRecord("hip", "spherical", "world", "body 0", ("qw", "qx", "qy", "qz"), ("wx", "wy", "wz"))
    recorder = MemoryRecorder()
    recorder.begin(still_description(joints=(joint,)))
    for i, angle in enumerate((0.0, 1.0)):
        q = np.array([np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0])
        recorder.add(replace(still_sample(float(i), 2, 0), coordinates=q, speeds=np.zeros(3)))
    panel = joint_panel(name_runs([Trajectory.from_memory(recorder)]))
    assert panel is not None
    assert panel.views[0].rows == ("angle, rad",)
    np.testing.assert_allclose(panel.views[0].curves[0].values, [0.0, 1.0], atol=1e-12)


def test_thinning_keeps_peaks() -> None:
    time = np.linspace(0.0, 1.0, 100_001)
    values = np.sin(20 * time)
    values[54_321] = 7.0
    values[12_345] = -9.0
    thinning = Thinning(time, 1000)
    thinned = thinning.apply(values)
    assert len(thinned) == len(thinning.times) == 1000
    assert thinned.max() == 7.0
    assert thinned.min() == -9.0
    assert (np.diff(thinning.times) >= 0).all()
    assert not Thinning(time[:900], 1000).is_thinned


def test_intervals_of_contact() -> None:
    time = np.arange(6.0)
    on = np.array([True, True, False, False, True, True])
    np.testing.assert_array_equal(intervals(time, on), [[0, 2], [4, 5]])
    assert len(intervals(time, ~np.ones(6, bool))) == 0


def test_names_are_escaped() -> None:
    assert "<b>" not in table(["<b>"], [["<b>"]])
    nasty = '</script><script>alert("x")</script>'
    recorder = MemoryRecorder()
    recorder.begin(RunDescription(nasty, (BodyRecord(nasty, 1.0, np.zeros(3), np.eye(3)),)))
    recorder.add(still_sample(0.0, 1, 0))
    page = make_report([Trajectory.from_memory(recorder)])
    assert "<script>alert" not in page
    assert page_data(page)["panels"][0]["items"] == [nasty]


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (-2.5, "−2.5"), (5.893e5, "5.893·10⁵"), (1.2e-7, "1.2·10⁻⁷")])
def test_numbers_are_written_as_people_do(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("pairings", "words"), [(0, "no contact pairings"), (3, "Nothing touched: 3 pairings")])
def test_a_run_without_contact_has_a_report(tmp_path: Path, pairings: int, words: str) -> None:
    path = recorded(tmp_path / "still.h5", still_description(pairings), 4)
    text = Tags(make_report([Trajectory.open(path)])).text
    assert words in text
    assert "No energies are recorded." in text


@pytest.mark.parametrize("n_samples", [1, 2])
def test_a_run_that_goes_on_or_has_one_sample_has_a_report(n_samples: int) -> None:
    recorder = MemoryRecorder()
    recorder.begin(still_description(1))
    for i in range(n_samples):
        recorder.add(still_sample(float(i), 2, 1))
    page = make_report([Trajectory.from_memory(recorder)])
    assert "running" in Tags(page).text


def test_a_run_that_went_wrong_has_a_report() -> None:
    recorder = MemoryRecorder()
    recorder.begin(still_description(1))
    recorder.add(still_sample(0.0, 2, 1))
    lost = still_sample(1.0, 2, 1)
    recorder.add(replace(lost, positions=np.full((2, 3), np.nan)))
    recorder.finish("failed", "step too small at t = 1 s", {})
    text = Tags(make_report([Trajectory.from_memory(recorder)])).text
    assert "step too small at t = 1 s" in text
    assert "No playback:" in text


def test_comparison_puts_runs_side_by_side() -> None:
    runs = open_runs([bubbles_file(), bubbles_file("lsoda")])
    assert [run.label for run in runs] == ["bubbles cvode-bdf", "bubbles lsoda"]
    page = make_report([run.trajectory for run in runs], labels=["one", "two"], pictures=False, with_playback=False)
    text = Tags(page).text
    assert "2 runs compared" in text
    assert "The same system as one." in text
    assert {curve[0] for view in page_data(page)["panels"][0]["views"] for curve in view["curves"]} == {0, 1}


def test_labels_of_files_with_the_same_name_differ(tmp_path: Path) -> None:
    paths = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        paths.append(tmp_path / name / "run.h5")
        shutil.copy(bubbles_file(), paths[-1])
    assert [run.label for run in open_runs(paths)] == ["a/run", "b/run"]


def test_wrong_labels_are_refused() -> None:
    with pytest.raises(SimulationError, match="2 labels for 1 runs"):
        make_report([bubbles()], labels=["a", "b"])
    with pytest.raises(SimulationError, match="no run given"):
        make_report([])


@pytest.mark.parametrize("what", ["cut", "text", "other", "version", "empty", "no samples", "missing", "folder"])
def test_command_refuses_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    target = tmp_path / "report.html"
    assert main(["report", str(bad_files(tmp_path)[what]), "-o", str(target)]) == 2
    assert "polycontact: " in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize(
    ("target", "words"),
    [("report.pdf", ".html"), (".", "this is a folder"), ("no/where.html", "there is no folder")],
)
def test_command_refuses_a_bad_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str, words: str
) -> None:
    assert main(["report", str(bubbles_file()), "-o", str(tmp_path / target)]) == 2
    assert words in capsys.readouterr().err


def test_command_writes_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "report.html"
    assert main(["report", str(bubbles_file()), "-o", str(target), "--no-playback", "--no-pictures"]) == 0
    assert "MB" in capsys.readouterr().out
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("no chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by playwright")
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=BROWSER, args=list(ARGUMENTS))
        yield made
        made.close()


class Visit:
    """A page in the browser; what it complains of and what it fetches is noted."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.page = browser.new_page(viewport={"width": 1280, "height": 720}, **options)
        self.complaints: list[str] = []
        self.fetched: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._request)
        self.page.goto(path.as_uri())

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning") and "GPU stall" not in message.text:
            self.complaints.append(message.text)

    def _request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:", "about:")):
            self.fetched.append(request.url)


@pytest.mark.slow
def test_report_in_a_browser(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(make_report([bubbles()]), encoding="utf-8")
    visit = Visit(browser, path)
    page = visit.page
    page.evaluate("panels.forEach((panel) => panel.draw())")
    page.wait_for_function("document.querySelectorAll('.chart .main-svg').length >= 4")
    assert page.locator(".stills img").count() in (0, 6)  # none without Pillow; three contacts are hidden
    frame = page.frame_locator("iframe.playback")
    frame.locator("canvas").first.wait_for(state="attached")
    bodies = "document.querySelector('.panel[data-panel=bodies]').panel"
    before = page.evaluate(f"{bodies}.chart.data.length")
    page.locator(".panel[data-panel=bodies] .chip").first.click()
    assert page.evaluate(f"{bodies}.chart.data.length") == before - 3
    page.locator(".panel[data-panel=bodies] select").first.select_option("Velocity")
    assert page.evaluate(f"{bodies}.chart.layout.yaxis.title.text") == "x, m/s"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert visit.complaints == []
    assert visit.fetched == []
    page.close()


@pytest.mark.slow
def test_comparison_in_a_browser(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "compared.html"
    runs = [bubbles(), bubbles("lsoda")]
    report = make_report(runs, labels=["cvode", "lsoda"], pictures=False, with_playback=False)
    path.write_text(report, encoding="utf-8")
    visit = Visit(browser, path, color_scheme="dark")
    page = visit.page
    page.evaluate("panels.forEach((panel) => panel.draw())")
    bodies = "document.querySelector('.panel[data-panel=bodies]').panel"
    names = page.evaluate(f"{bodies}.chart.data.map((trace) => trace.name)")
    assert any("cvode" in name for name in names)
    assert any("lsoda" in name for name in names)
    dark = page.evaluate(f"{bodies}.chart.layout.font.color")
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"{bodies}.chart.layout.font.color !== '{dark}'")
    assert visit.complaints == []
    assert visit.fetched == []
    page.close()


@pytest.mark.slow
def test_report_prints_every_chart(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "printed.html"
    path.write_text(plain(), encoding="utf-8")
    visit = Visit(browser, path)
    visit.page.pdf(path=str(tmp_path / "printed.pdf"), format="A4", print_background=True)
    assert visit.page.evaluate("panels.every((panel) => panel.drawn)")
    assert (tmp_path / "printed.pdf").stat().st_size > 50_000
    assert visit.complaints == []
    visit.page.close()


def test_bodies_on_fixed_axes_have_no_flat_curves() -> None:
    """A wheel turns about a fixed axis: nothing of its position is plotted, but its turning is; a sledge slides."""
    recorder = MemoryRecorder()
    names = ("wheel", "sledge")
    recorder.begin(RunDescription("two", tuple(BodyRecord(name, 1.0, np.zeros(3), np.eye(3)) for name in names)))
    for i in range(3):
        sample = still_sample(float(i), 2, 0)
        turned = np.array([[np.cos(0.1 * i), 0.0, 0.0, np.sin(0.1 * i)], [1.0, 0.0, 0.0, 0.0]])
        moved, speeds = np.array([[0.0] * 3, [0.5 * i, 0.0, 0.0]]), np.array([[0.0] * 3, [0.5, 0.0, 0.0]])
        turning = np.array([[0.0, 0.0, 0.2], [0.0] * 3])
        recorder.add(
            replace(sample, positions=moved, quaternions=turned, velocities=speeds, angular_velocities=turning)
        )
    panel = body_panel(name_runs([Trajectory.from_memory(recorder)]))
    plotted = {view.name: {names[curve.item] for curve in view.curves} for view in panel.views}
    assert plotted == {
        "Position": {"sledge"},
        "Velocity": {"sledge"},  # constant, but not zero
        "Angular velocity": {"wheel"},
        "Orientation": {"wheel"},
    }
    axes = {view.name: {view.rows[curve.row][:3].strip(" ,") for curve in view.curves} for view in panel.views}
    assert axes == {"Position": {"x"}, "Velocity": {"x"}, "Angular velocity": {"z"}, "Orientation": {"q w", "q z"}}


def test_loops_and_force_elements_are_listed() -> None:
    recorder = MemoryRecorder()
    body = BodyRecord("wheel", 1.0, np.zeros(3), np.eye(3))
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    mount = tuple(f"{what} {k}" for what in ("force", "torque") for k in "xyz")
    forces = (
        ForceRecord("brake", "JointFriction", ("effort",), "N m"),
        ForceRecord("mount", "Bushing", mount, "N, N m"),
    )
    loops = (LoopRecord("closing pin", "spherical", "wheel", "world", axes, (0.0, 0.0, 0.0)),)
    recorder.begin(RunDescription("elements", (body,), loops=loops, forces=forces))
    recorder.add(still_sample(0.0, 1, 0))
    page = describe_system(name_runs([Trajectory.from_memory(recorder)])[0])
    words = " ".join(re.sub("<[^>]*>", " ", page).split())
    assert "Loops loop kind from to closing pin spherical wheel world" in words
    assert "brake joint friction effort, N m" in words
    assert "mount bushing force x, force y, force z, N; torque x, torque y, torque z, N m" in words
