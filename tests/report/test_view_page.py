"""Pages: self-contained, small, and with everything in them that the scene has."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from view_subjects import array_of, broken_mesh, bubbles_run, content_of, pressed_ball

import polycontact as pc
from polycontact.contact import result as contact_result
from polycontact.errors import ContactError
from polycontact.report import view
from polycontact.report.view import viewer_page
from polycontact.report.view.display_units import DEPTH, PRESSURE
from polycontact.report.view.shading import shade
from polycontact.report.view.showing import make_page_of
from polycontact.report.view.viewer_colours import scale_table
from polycontact.report.view.viewer_page import LIVE_SCRIPTS

STATIC = Path(viewer_page.__file__).parent / "static"


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The first bounce of the paper's bubbles: 46 samples."""
    return make_page_of(bubbles_run(tmp_path_factory.mktemp("run") / "run.h5", 0.45, 0.01)).html


@pytest.fixture(scope="module")
def pages(run_page: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    surface = pc.shapes.box(size=1.0)
    return {
        "run": run_page,
        "mesh": make_page_of(surface).html,
        "evaluation": make_page_of(pressed_ball()).html,
    }


@pytest.mark.parametrize("kind", ["run", "mesh", "evaluation"])
def test_page_fetches_nothing(pages: dict[str, str], kind: str) -> None:
    page = pages[kind]
    program = re.sub(r'(id="data">)[^<]*', r"\1", page)
    assert re.findall(r"https?://[^\s\"')]*", program) == []
    assert re.findall(r"(?:src|href)\s*=\s*[\"'](?!data:,)[^\"']+", program) == []
    for word in ("@import", "url(", "fetch(", "XMLHttpRequest", "import(", "WebSocket", "sendBeacon"):
        assert word not in program


def test_page_of_the_bubbles_is_small(run_page: str) -> None:
    assert len(run_page.encode()) < 2e6


def test_program_is_complete() -> None:
    assert sorted(LIVE_SCRIPTS) == sorted(path.name for path in STATIC.glob("*.js"))


def test_page_holds_the_run(run_page: str) -> None:
    content, data = content_of(run_page)
    assert [body["name"] for body in content["bodies"]] == ["bubble 1", "bubble 2", "bubble 3", "container"]
    assert len(content["times"]) == 46
    poses = array_of(content["poses"], data).reshape(46, 4, 7)
    assert np.ptp(poses[:, 0, 2]) > 0.3  # a bubble falls
    assert np.ptp(poses[:, 3], axis=0).max() == 0.0  # the container stands still
    pressure, depth, slip = content["quantities"]
    assert (pressure["unit"], depth["unit"], slip["unit"]) == ("kPa", "mm", "m/s")
    assert 20e3 < pressure["max"] < 100e3
    corners = array_of(content["patches"]["data"], data).reshape(-1, 6)
    assert any(content["patches"]["frames"])
    assert sum(count for row in content["patches"]["frames"] for _, _, count, _, _ in row) == len(corners)
    assert corners[:, 3].view(np.uint16).max() == 65535
    bubble = content["parts"][0]
    assert [reference["n"] // 12 for reference in bubble["boxes"][:4]] == [1, 2, 4, 8]
    assert content["parts"][3]["open"]


def test_names_are_no_markup() -> None:
    wicked = "</title><script>alert(1)</script>{{data}}"
    surface = pc.Surface(*(getattr(pc.shapes.box(size=1.0), part) for part in ("vertices", "triangles")), name=wicked)
    page = make_page_of(surface).html
    assert "alert(1)</script>" not in page
    assert content_of(page)[0]["title"] == wicked


def test_same_run_same_page(tmp_path: Path) -> None:
    result = pressed_ball()
    assert make_page_of(result).html == make_page_of(result).html


@pytest.mark.parametrize("depth", ["distance", "base_normal"])
def test_evaluation_shows_what_the_paper_shows(depth: str) -> None:
    result = pressed_ball(depth=depth)
    content, data = content_of(make_page_of(result).html)
    layers = {layer["key"]: layer for layer in content["layers"]}
    assert layers["active_E"]["count"] == len(result.active_triangles[0])
    assert layers["active_F"]["count"] == len(result.active_triangles[1])
    assert layers["penetration_lines"]["count"] == len(result.elements)
    lines = array_of(layers["penetration_lines"]["data"], data).reshape(-1, 2, 3)
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    if depth == "base_normal":
        np.testing.assert_allclose(lengths, result.elements.depth, rtol=1e-4, atol=1e-7)
    else:  # from centres of pressure, which lie deeper than the mean of the element
        assert (lengths >= result.elements.depth * (1.0 - 1e-4) - 1e-7).all()
        assert lengths.max() <= result.elements.peak_depth.max() * (1.0 + 1e-4) + 1e-7
    assert content["polygons"]["frames"][0][0][2] == sum(len(p.triangles) for p in result.polygons)
    mark = content["contacts"][0][0]
    np.testing.assert_allclose(mark[5:8], result.force, rtol=1e-4, atol=1e-4)


def test_both_sided_pressure_is_not_halved() -> None:
    for base in (pc.Base.E, pc.Base.BOTH):
        result = pressed_ball(base)
        content, _ = content_of(make_page_of(result).html)
        # Inside an element it is more than its mean, up to its peak.
        mean, peak = 5.9e5 * result.elements.depth.max(), 5.9e5 * result.elements.peak_depth.max()
        assert mean * (1.0 - 1e-9) <= content["quantities"][0]["max"] <= peak * (1.0 + 1e-9)


def test_no_contact_is_no_error() -> None:
    ball = pc.shapes.sphere(radius=0.1)
    pairing = pc.ContactPairing(ball, ball, law=pc.LayerLaw(stiffness=1e6))
    result = pairing.evaluate(pc.RelativeKinematics(position=(1.0, 0.0, 0.0)))
    content, _ = content_of(make_page_of(result).html)
    assert content["subtitle"] == "no contact"


def test_result_shows_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = pressed_ball()
    shown = result.show()
    assert len(opened) == 1
    assert opened[0].startswith("file:")
    assert "<iframe srcdoc=" in shown._repr_html_()
    result.save_page(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == shown.html


def test_viewer_is_found_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    class Found:
        def load(self) -> object:
            return view

    monkeypatch.setattr(contact_result, "viewer", None)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Found()])
    assert contact_result.find_viewer() is view
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [])
    with pytest.raises(ContactError, match=r"polycontact\.show"):
        contact_result.find_viewer()


def test_notebook_opens_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.report.view.showing.in_notebook", lambda: True)
    monkeypatch.setattr("webbrowser.open", lambda url: pytest.fail("opened a browser"))
    assert view.show(pressed_ball())._repr_html_().startswith("<iframe")


def test_show_refuses_other_things() -> None:
    with pytest.raises(pc.SimulationError, match="cannot show a int"):
        view.show(3)  # type: ignore[arg-type]


def test_page_of_arrays_that_are_broken(tmp_path: Path) -> None:
    from polycontact.report.view.mesh_scene import mesh_scene

    scene = mesh_scene(broken_mesh())
    counts = {layer.key: layer.count for layer in scene.layers}
    assert counts["reversed_faces"] == 2
    assert counts["degenerate_faces"] == 1
    assert {
        "cracks",
        "border_edges",
        "duplicate_faces",
        "self_intersections",
        "inconsistent_orientation",
    } <= set(counts)
    report = pc.check_surface(broken_mesh())
    assert {p.kind.value: p.count for p in report.problems}.items() <= counts.items()
    for layer in scene.layers:
        if layer.key in ("cracks", "border_edges", "duplicate_vertices"):
            assert len(layer.data) == layer.count  # every place, not a few examples


def test_normals_are_smooth_within_the_feature_angle() -> None:
    ball = pc.shapes.sphere(radius=1.0, subdivisions=2)
    smooth = shade(ball.vertices, ball.triangles.astype(np.int64))
    assert len(smooth.positions) == len(ball.vertices)
    assert smooth.n_sharp == 0
    np.testing.assert_allclose(smooth.normals / 127.0, smooth.positions, atol=0.03)
    box = pc.shapes.box(size=1.0)
    sharp = shade(box.vertices, box.triangles.astype(np.int64))
    assert len(sharp.positions) == 24
    assert sharp.n_sharp == 12


def test_scale_grows_lighter() -> None:
    light = scale_table().astype(float) @ [0.2126, 0.7152, 0.0722]
    assert np.all(np.diff(light) > -1.0)
    assert light[-1] - light[0] > 150


def test_units_suit_the_greatest_value() -> None:
    assert PRESSURE.unit_for(44_560.0)[1] == "kPa"
    assert PRESSURE.unit_for(0.2)[1] == "Pa"
    assert DEPTH.text(0.0123) == "12.3 mm"
