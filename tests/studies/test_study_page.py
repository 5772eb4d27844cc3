"""The page of a study: statistics against scipy, and what stands on the page, also in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from small_study import RESULTS, drop, raises_when_fast, raises_when_very_fast, speeds

import polycontact as pc
from browser import ARGUMENTS, BROWSER
from polycontact.studies.page.sensitivity_section import sensitivity_data
from polycontact.studies.page.study_page import _data, build_study_page
from polycontact.studies.page.study_statistics import mean_error, pareto_front, response_curve, summary


def test_the_sampling_error_is_that_of_scipy() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, 40)
    low, high = stats.t.interval(0.95, 39, loc=values.mean(), scale=stats.sem(values))
    assert mean_error(values) == pytest.approx(0.5 * (high - low), rel=1e-12)
    found = summary(np.append(values, np.nan))
    assert found is not None
    assert (found.n, found.mean, found.median) == (40, values.mean(), np.median(values))
    assert (found.smallest, found.largest) == (values.min(), values.max())
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, (0.05, 0.95))))
    assert (found.deviation, found.error) == pytest.approx((values.std(ddof=1), mean_error(values)))
    assert summary(np.array([np.nan])) is None


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    held = [abs((values := rng.normal(0.0, 1.0, 12)).mean()) <= mean_error(values) for _ in range(2000)]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)  # four deviations of the share of 2000


def test_a_response_curve_follows_the_function() -> None:
    parameter = pc.StudyParameter("a", range=(0.0, 1.0))
    x = np.random.default_rng(3).random(400)
    curve = response_curve(parameter, x, 5.0 * x)
    assert len(curve) == 10
    assert sum(point.n for point in curve) == 400
    for point in curve:
        assert point.mean == pytest.approx(5.0 * point.at, rel=1e-12)
    chosen = response_curve(pc.StudyParameter("a", values=("x", "y")), np.array([0.0, 1.0, 1.0]), np.array([1.0, 2, 4]))
    assert [(point.at, point.mean, point.n) for point in chosen] == [(0.0, 1.0, 1), (1.0, 3.0, 2)]


def test_runs_that_differ_in_one_value_alone_are_not_averaged() -> None:
    """Twenty runs over a range, nothing else varied: means of five each would draw four steps for a smooth curve."""
    x = np.linspace(0.0, 1.0, 20)
    curve = response_curve(pc.StudyParameter("a", range=(0.0, 1.0)), x, x**2, is_spread=False)
    assert [point.n for point in curve] == [1] * 20
    np.testing.assert_array_equal([point.mean for point in curve], x**2)


def one_parameter(path: Path) -> pc.studies.StudyTable:
    """A grid over the start speed."""
    parameter = pc.StudyParameter("bodies.ball.velocity[2]", range=(-2.0, 2.0), name="speed", steps=20)
    design = pc.studies.StudyDesign((parameter,), "grid")
    return pc.study(drop(), design, RESULTS, output=path, workers=0)


def test_the_page_of_a_grid_of_one_parameter(tmp_path: Path) -> None:
    study = one_parameter(tmp_path / "grid.h5")
    data = _data(study)
    assert [[point[3] for point in curve] for curve in data["curves"][0]] == [[1.0] * 20] * len(RESULTS)
    page = build_study_page(study)
    assert "Each dot is a run, and a line joins them" in page
    assert "sampling error of each" not in page


def test_the_pareto_front_is_that_of_all_comparisons() -> None:
    points = np.random.default_rng(4).integers(0, 12, (80, 2)).astype(float)
    front = pareto_front(points[:, 0], points[:, 1])
    beaten = [any((other <= one).all() and (other < one).any() for other in points) for one in points]
    best = {tuple(point) for point, is_beaten in zip(points.tolist(), beaten, strict=True) if not is_beaten}
    assert {tuple(points[i].tolist()) for i in front} == best


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> pc.studies.StudyTable:
    path = tmp_path_factory.mktemp("page") / "my <study>.h5"
    design = pc.studies.StudyDesign(
        (*speeds().parameters, pc.StudyParameter("simulation.integrator", values=("lsoda", "dopri5"))), "sobol", 16
    )
    results = {**RESULTS, "own": raises_when_fast}
    return pc.study(drop(), design, results, output=path, workers=0, keep_runs=8)


def test_the_page_tells_what_was_done(table: pc.studies.StudyTable, tmp_path: Path) -> None:
    text = build_study_page(table, folder=str(tmp_path))
    assert "my &lt;study&gt;" in text
    assert "my <study>" not in text
    for told in ("bodies.ball.velocity[2]", "−2 to 2", "lsoda, dopri5", "final position of ball.z", "too fast for me"):
        assert told in text
    assert "run_000008.h5" in text
    assert pc.studies.save_study_page(table, tmp_path / "page.html") == len((tmp_path / "page.html").read_bytes())


def test_a_study_without_a_run_has_a_page(tmp_path: Path) -> None:
    def stop(run: pc.Run) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pc.study(drop(), speeds(3), {"own": stop}, output=tmp_path / "study.h5", workers=0)
    text = build_study_page(pc.studies.StudyTable(tmp_path / "study.h5"))
    assert "3 runs still to come" in text


def matters(kind: str, path: Path) -> pc.studies.StudyTable:
    """A study for sensitivities; fast balls fail."""
    start = pc.StudyParameter("bodies.ball.position[2]", range=(0.9, 1.1), name="start")
    design = pc.studies.StudyDesign((start, *speeds().parameters), kind, 32 if kind == "sensitivity" else None)
    return pc.study(drop(), design, {**RESULTS, "own": raises_when_very_fast}, output=path, workers=0)


def test_the_page_tells_sensitivities(tmp_path: Path) -> None:
    table = matters("sensitivity", tmp_path / "study.h5")
    text, found = build_study_page(table), table.sensitivity("height")
    assert isinstance(found, pc.studies.SobolIndices)
    assert f"height: {found.n_dropped} of 32 rows of runs left out" in text
    assert found.n_dropped > 0
    assert "own: the result is 1 in all runs" in text
    data = sensitivity_data(table)
    assert [each["name"] for each in data] == ["height", "energy"]
    assert data[0]["names"] == ["start", "speed"]  # the lowest bar first
    assert data[0]["first"]["value"] == found.first.tolist()
    n = int(table.well[:64].sum())  # the two independent samples alone have means
    assert f'<td class="num">{n}</td>' in text
    tornado = matters("tornado", tmp_path / "tornado.h5")
    text = build_study_page(tornado)
    assert "height: 1 end without a result" in text
    assert sensitivity_data(tornado)[0]["upper"] == [None, pytest.approx(tornado["height"][2])]


def test_sensitivities_while_runs_are_missing(tmp_path: Path) -> None:
    def stop(run: pc.Run) -> float:
        raise KeyboardInterrupt

    design = pc.studies.StudyDesign(speeds().parameters, "sensitivity", 8)
    with pytest.raises(KeyboardInterrupt):
        pc.study(drop(), design, {"own": stop}, output=tmp_path / "study.h5", workers=0)
    text = build_study_page(pc.studies.StudyTable(tmp_path / "study.h5"))
    assert "0 of 8 rows of the design have results of all their 3 runs" in text
    assert "(24 runs still to come)" in text


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("no chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by playwright")
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=BROWSER, args=list(ARGUMENTS))
        yield made
        made.close()


@pytest.mark.slow
def test_the_page_in_a_browser(browser: Any, table: pc.studies.StudyTable, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    pc.studies.save_study_page(table, path)
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request", lambda request: request.url.startswith(("file:", "data:", "blob:")) or complaints.append(request.url)
    )
    page.goto(path.as_uri())
    page.wait_for_function("document.querySelectorAll('.chart .main-svg').length >= 4")
    note = page.locator(".panel[data-panel=pareto] .note")
    result = table["height"], table["energy"]
    assert note.inner_text().startswith(f"On the front: {len(pareto_front(*_drawn(table, *result)))} of ")
    page.locator(".panel[data-panel=pareto] select").nth(1).select_option("more")
    first, second = _drawn(table, *result)
    assert note.inner_text().startswith(f"On the front: {len(pareto_front(-first, second))} of ")
    assert complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sensitivity", "tornado"])
def test_sensitivities_in_a_browser(browser: Any, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "page.html"
    pc.studies.save_study_page(matters(kind, tmp_path / "study.h5"), path)
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    panel = page.locator(".panel[data-panel=sensitivity]")
    panel.locator(".barlayer .bars").nth(1).wait_for(state="attached")
    assert panel.locator(".errorbar").count() == (4 if kind == "sensitivity" else 0)
    panel.locator("select").select_option("energy, J")
    assert "energy" in panel.locator(".xtitle").text_content()
    assert complaints == []


def _drawn(table: pc.studies.StudyTable, *columns: Any) -> Any:
    return tuple(column[table.well] for column in columns)
