"""Shapes of patches: they cover exactly the area of the contact elements, holes and several parts included."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from view_subjects import array_of, bubbles_run, content_of

import polycontact as pc
from polycontact.report.patches.patch_mesh import mesh_of_result
from polycontact.report.view.element_shapes import element_shapes
from polycontact.report.view.filled_outlines import _is_convex, fill
from polycontact.report.view.run_pairings import Motion, relative_kinematics, remake_pairings
from polycontact.report.view.run_scene import run_scene
from polycontact.report.view.timeline import choose_samples, frame_rate, playing_speed
from polycontact.report.view.viewer_page import make_page

PLATE = pc.shapes.box(size=(0.5, 0.5, 0.05))
PAIRS = {
    "ball in a fine plate": (
        pc.shapes.sphere(radius=0.1, subdivisions=3),
        pc.shapes.box(size=(0.5, 0.5, 0.05), divisions=(6, 6, 1)),
        (0.01, 0.0, -0.105),
    ),
    "ball within one triangle": (pc.shapes.sphere(radius=0.1, subdivisions=3), PLATE, (0.1, 0.05, -0.105)),
    "two patches": (pc.shapes.bubble(), pc.shapes.bubble(), (0.13, 0.03, 0.01)),
    "ring, with a hole": (
        pc.shapes.torus(major_radius=0.1, minor_radius=0.03),
        PLATE,
        (0.013, 0.021, -0.045),
    ),
    "two feet": (pc.shapes.horseshoe(), PLATE, (0.013, 0.021, -0.02)),
}


def areas(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.5 * np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)


@pytest.mark.parametrize("depth", ["distance", "base_normal"])
@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("name", PAIRS)
def test_shapes_have_the_area_of_their_elements(name: str, base: pc.Base, depth: str) -> None:
    """Cells of a triangle are drawn as one piece, with the area of all of them, or of each of its parts."""
    e, f, position = PAIRS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairing = pc.ContactPairing(e, f, base=base, law=pc.LayerLaw(stiffness=1e6), depth=depth)
        result = pairing.evaluate(pc.RelativeKinematics(position=position))
    piece = result._pieces.piece
    assert depth == "distance" or len(np.unique(piece)) == len(result.elements)
    drawn = np.zeros(len(result.elements))
    for side in (0, 1):
        shapes = element_shapes(pairing, result, side)
        np.add.at(drawn, shapes.element, areas(shapes.triangles))
    drawn, area = (np.bincount(piece, each) for each in (drawn, result.elements.area))
    # A cell that reaches over two parts of a triangle is counted to one of them.
    share = 2e-2 if name == "two feet" and depth == "distance" else 0.0
    np.testing.assert_allclose(drawn, area, rtol=share, atol=1e-12)
    assert drawn.sum() == pytest.approx(area.sum(), rel=1e-9)


@pytest.mark.parametrize(
    ("corners", "step", "expected"), [(3, 1, True), (4, 1, True), (5, 1, True), (5, 2, False), (7, 3, False)]
)
def test_outlines_that_wind_twice_are_not_convex(corners: int, step: int, expected: bool) -> None:
    """A polygon and stars: each turns left at every corner, the stars more than once around."""
    angle = 2.0 * math.pi * step / corners * np.arange(corners)
    points = np.column_stack((np.cos(angle), np.sin(angle), np.full(corners, 0.3)))
    assert _is_convex(points - points[np.arange(corners) - 1]) is expected


def test_an_outline_with_a_notch_is_not_convex() -> None:
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.2, 0.2, 0.0), (0.0, 1.0, 0.0)])
    assert not _is_convex(points - points[[3, 0, 1, 2]])


def test_cells_are_drawn_with_their_mean() -> None:
    """What is drawn has the force and the mean depth of the elements, however they are divided."""
    result = pressed_on_one_triangle()
    mesh = mesh_of_result(result)
    table = result.elements
    assert len(np.unique(mesh.element)) < len(table)
    size = areas(mesh.points[mesh.triangles])
    assert size @ mesh.pressure == pytest.approx(table.area @ table.pressure, rel=1e-9)
    assert size @ mesh.depth == pytest.approx(table.area @ table.depth, rel=1e-9)
    np.testing.assert_allclose(size @ mesh.slip, table.area @ table.slip, rtol=1e-9)


def test_depth_varies_inside_a_triangle() -> None:
    """A ball on two triangles of a plate: each part that is drawn has the distance of its middle from the ball."""
    result = pressed_on_one_triangle()
    mesh = mesh_of_result(result)
    middle = mesh.points[mesh.triangles].mean(axis=1)
    assert len(np.unique(result.elements.base_triangle[mesh.element])) <= 2
    # The patch is a disc of 6 cm radius in the plane z = -0.08 m: 64 squares of its size, some in several triangles.
    assert 100 < len(mesh) < 2000
    depth = 0.1 - np.linalg.norm(middle, axis=1)
    # Facets of the ball lie up to 1 mm inside of it; drawn depths are scaled to the mean of the elements.
    np.testing.assert_allclose(mesh.depth, depth, atol=1.2e-3)
    assert mesh.depth.max() == pytest.approx(0.02, abs=1.2e-3)
    assert mesh.depth.max() > 10.0 * mesh.depth.min()


def test_even_pieces_are_not_divided() -> None:
    box, floor = pc.shapes.box((0.1, 0.1, 0.1)), pc.shapes.box((1.0, 1.0, 0.2))
    pairing = pc.ContactPairing(box, floor, law=pc.LayerLaw(stiffness=1e6))
    result = pairing.evaluate(pc.RelativeKinematics(position=(0.013, 0.007, -0.149)))
    mesh = mesh_of_result(result)
    below = mesh.points[mesh.triangles][:, :, 2].max(axis=1) < -0.05 + 1e-9
    assert np.count_nonzero(below) == 2


def pressed_on_one_triangle() -> pc.ContactResult:
    """A sliding ball on a plate whose triangle, the base, is divided."""
    ball, plate, position = PAIRS["ball within one triangle"]
    pairing = pc.ContactPairing(ball, plate, base=pc.Base.F, law=pc.LayerLaw(stiffness=1e6))
    kinematics = pc.RelativeKinematics(position=position, velocity=(-0.5, 0.2, 0.0), angular_velocity=(0.0, 0.0, 3.0))
    return pairing.evaluate(kinematics)


def test_whole_elements_are_whole_triangles() -> None:
    ball = pc.shapes.sphere(radius=0.1, subdivisions=2)
    pairing = pc.ContactPairing(ball, PLATE, law=pc.LayerLaw(stiffness=1e6), elements="whole")
    result = pairing.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -0.105)))
    shapes = element_shapes(pairing, result, 0)
    np.testing.assert_array_equal(shapes.triangles, ball.vertices[ball.triangles[result.elements.base_triangle]])


def test_hole_in_a_triangle() -> None:
    corners = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
    hole = np.array([[1.0, 1, 0], [1, 1.5, 0], [1.5, 1.5, 0], [1.5, 1, 0]])
    assert areas(fill([corners, hole], np.array([0.0, 0.0, 1.0]))).sum() == pytest.approx(8.0 - 0.25)


def test_two_parts_of_a_triangle() -> None:
    first = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    second = np.array([[3.0, 0, 0], [4, 0, 0], [3, 1, 0]])
    hole = np.array([[3.1, 0.1, 0], [3.1, 0.2, 0], [3.2, 0.1, 0]])
    pieces = fill([first, second, hole], np.array([0.0, 0.0, 1.0]))
    right = pieces[:, :, 0].min(axis=1) > 2.0
    assert areas(pieces[~right]).sum() == pytest.approx(0.5)
    assert areas(pieces[right]).sum() == pytest.approx(0.5 - 0.005)


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bubbles_run(tmp_path_factory.mktemp("run") / "run.h5", 0.6, 0.02, elements=True)


def test_remade_pairings_give_the_recorded_contact(run_file: Path) -> None:
    run = pc.Trajectory.open(run_file)
    pairings, notes = remake_pairings(run.description)
    assert notes == ()
    seen = 0
    for sample in range(0, len(run), 3):
        motion = Motion.at(run, sample)
        for pair in pairings:
            if pair.pairing is None or run.array("contact")[sample, pair.number, 0] == 0.0:
                continue
            result = pair.pairing.evaluate(relative_kinematics(pair, motion))
            recorded = run.pairing(pair.name).elements(sample)
            assert len(result.elements) == len(recorded)
            np.testing.assert_allclose(result.elements.pressure, recorded.pressure, rtol=1e-6, atol=1.0)
            seen += 1
    assert seen > 5


def test_remade_pairings_give_the_recorded_forces(run_file: Path) -> None:
    run = pc.Trajectory.open(run_file)
    pairings, _ = remake_pairings(run.description)
    for sample in range(0, len(run), 3):
        motion = Motion.at(run, sample)
        for pair in pairings:
            recorded = run.array("wrenches")[sample, pair.number, :3]
            if pair.pairing is not None and np.linalg.norm(recorded) > 1.0:
                force = pair.pairing.evaluate(relative_kinematics(pair, motion)).force
                np.testing.assert_allclose(motion.rotation[pair.e] @ force, recorded, rtol=1e-5, atol=1e-3)


def test_recorded_and_computed_patches_agree(run_file: Path, tmp_path: Path) -> None:
    with_elements = run_scene(pc.Trajectory.open(run_file))
    without = run_scene(pc.Trajectory.open(bubbles_run(tmp_path / "run.h5", 0.6, 0.02)))
    assert sum(len(frame.patches) for frame in with_elements.frames) > 5
    for one, other in zip(with_elements.frames, without.frames, strict=True):
        for a, b in zip(one.patches, other.patches, strict=True):
            np.testing.assert_allclose(a.triangles, b.triangles, atol=1e-9)
            np.testing.assert_allclose(a.values[:, :2], b.values[:, :2], rtol=1e-5, atol=1e-6)


def test_greatest_pressure_is_that_of_the_run(run_file: Path) -> None:
    """Also where both sides are the base and each carries half."""
    run = pc.Trajectory.open(run_file)
    scene = run_scene(run)
    shown = max(piece.values[:, 0].max() for frame in scene.frames for piece in frame.patches)
    recorded = max(mark.pressure for frame in scene.frames for mark in frame.contacts)
    assert shown == pytest.approx(recorded, rel=1e-6)


@pytest.mark.parametrize(("fps", "expected"), [(1000.0, 301), (30.0, 91), (1.0, 4), (0.01, 2)])
def test_frames_are_samples(fps: float, expected: int) -> None:
    times = np.linspace(0.0, 3.0, 301)
    chosen = choose_samples(times, fps)
    assert len(chosen) == expected
    assert chosen[0] == 0
    assert chosen[-1] == 300
    assert np.all(np.diff(chosen) > 0)


def test_short_impacts_become_frames() -> None:
    times = np.linspace(0.0, 3.0, 301)
    load = np.zeros(301)
    load[[44, 45, 46, 203]] = 1.0, 5.0, 2.0, 3.0
    chosen = choose_samples(times, 5.0, load)
    assert {0, 45, 203, 300} <= set(chosen.tolist())
    assert len(chosen) == 16  # as many as without: each took the place of the nearest sample
    plain = choose_samples(times, 5.0)
    assert set(plain.tolist()) - set(chosen.tolist()) == {40, 200}
    np.testing.assert_array_equal(choose_samples(times, 5.0, np.zeros(301)), plain)


@pytest.mark.parametrize("fps", [60.0, 5.0, 0.5])
def test_greatest_values_and_history_are_of_all_samples(run_file: Path, fps: float) -> None:
    run = pc.Trajectory.open(run_file)
    scene = run_scene(run, fps=fps)
    for column, key in ((1, "depth"), (2, "pressure")):
        assert scene.greatest[key] == run.array("contact")[:, :, column].max()
        assert scene.greatest[key] == max(getattr(m, key) for frame in scene.frames for m in frame.contacts)
    force = np.linalg.norm(run.array("wrenches")[:, :, :3], axis=2).sum(axis=1)
    assert scene.history[1].max() == force.max()
    assert run.time[np.argmax(force)] in scene.times
    content, data = content_of(make_page(scene))
    assert content["quantities"][0]["max"] == run.array("contact")[:, :, 2].max()
    assert [each["whole"] for each in content["quantities"]] == [True, True, False]
    assert array_of(content["history"]["values"], data).reshape(len(scene.curves), -1)[0].max() == pytest.approx(
        force.max()
    )


@pytest.mark.parametrize("fps", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_fps(fps: float) -> None:
    with pytest.raises(pc.SimulationError, match="fps"):
        choose_samples(np.linspace(0.0, 1.0, 11), fps)


@pytest.mark.parametrize("span", [3e-6, 0.04, 0.25, 1.0, 2.4, 5.0, 9.9, 10.0, 3.0, 60.0, 7e4])
def test_a_run_plays_five_to_ten_seconds(span: float) -> None:
    """However fast it is; each second of playback has frames, as far as there are samples."""
    speed = playing_speed(span)
    assert 5.0 * (1 - 1e-9) <= span / speed <= 10.0 * (1 + 1e-9)
    times = np.linspace(1.0, 1.0 + span, 1251)
    assert 300 <= len(choose_samples(times, frame_rate(times, None))) <= 602
    assert len(choose_samples(times[:40], frame_rate(times[:40], None))) == 40
    assert frame_rate(times, 7.0) == 7.0


def test_a_run_without_length_plays_at_its_own_speed() -> None:
    assert playing_speed(0.0) == playing_speed(math.nan) == 1.0
    assert frame_rate(np.zeros(1), None) == frame_rate(np.zeros(0), None) == 60.0


def test_the_page_knows_the_speed(run_file: Path) -> None:
    scene = run_scene(pc.Trajectory.open(run_file))
    content, _ = content_of(make_page(scene))
    assert content["speed"] == 0.1  # 0.6 s
    assert len(content["times"]) == 31  # every sample


def test_named_markers_reach_file_and_page(tmp_path: Path) -> None:
    system = pc.MultibodySystem("marked")
    system.add_body("ball", surface=pc.shapes.sphere(0.1, 1), density=100.0)
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    system.add_marker("hook", "ball", (0.0, 0.0, 0.1), turned)
    run = pc.simulate(system, end_time=0.01, record=tmp_path / "run.h5")
    (marker,) = run.trajectory.description.bodies[0].markers
    assert marker.name == "hook"
    np.testing.assert_array_equal(marker.rotation, turned)
    (body,) = run_scene(run.trajectory).bodies
    assert body.markers is not None
    np.testing.assert_array_equal(body.markers[0], [[0, 0, 0.1], [0, 1, 0], [-1, 0, 0], [0, 0, 1]])


def test_results_display_themselves_in_a_notebook() -> None:
    ball, plate = pc.shapes.sphere(0.1, 2), pc.shapes.box((0.5, 0.5, 0.05))
    pair = pc.ContactPairing(ball, plate, law=pc.LayerLaw(stiffness=1e6))
    result = pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -0.12)))
    shown = result._repr_html_()
    assert shown is not None
    assert shown.startswith("<iframe srcdoc=")
    system = pc.MultibodySystem("falling")
    system.add_body("ball", surface=ball, density=100.0)
    assert "real-time factor" in pc.simulate(system, end_time=0.01)._repr_html_()
