"""Pictures: the rasteriser against brute force, cameras that show everything, colours, films and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from report_runs import bad_files, bubbles, bubbles_file, recorded, still_description

import polycontact as pc
from polycontact.cli import main
from polycontact.errors import SimulationError
from polycontact.report.picture.camera import VIEWS, Camera, Projection
from polycontact.report.picture.legend import nice_limit, nice_ticks, writable
from polycontact.report.picture.lighting import hollow_light
from polycontact.report.picture.near_plane import clip_near
from polycontact.report.picture.raster import rasterise
from polycontact.report.view.display_units import DEPTH, SLIP, Quantity
from polycontact.simulation.recording.trajectory import Trajectory

Image = pytest.importorskip("PIL.Image", reason="pictures need Pillow")
ImageFont = pytest.importorskip("PIL.ImageFont")

from polycontact.report.picture import Look, render, render_result, render_surface, write_film  # noqa: E402
from polycontact.report.picture.film import frame_times  # noqa: E402

SMALL: dict[str, Any] = {"size": (150, 100), "samples": 1}


def brute_force(corners: NDArray[np.float64], width: int, height: int) -> NDArray[np.int64]:
    """Nearest triangle at each pixel centre by barycentric coordinates, one triangle after the other."""
    y, x = np.mgrid[:height, :width] + 0.5
    nearest, number = np.zeros((height, width)), np.full((height, width), -1)
    for t, ((x0, y0, w0), (x1, y1, w1), (x2, y2, w2)) in enumerate(corners):
        double = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        b = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / double
        c = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / double
        near = w0 + b * (w1 - w0) + c * (w2 - w0)
        seen = (b >= 0) & (c >= 0) & (b + c <= 1) & (near > nearest)
        nearest[seen], number[seen] = near[seen], t
    return number


@pytest.mark.parametrize("seed", range(5))
def test_rasteriser_agrees_with_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners = np.concatenate((random.uniform(-30, 110, (60, 3, 2)), random.uniform(0.1, 2.0, (60, 3, 1))), axis=2)
    layer = rasterise(corners, 80, 60)
    np.testing.assert_array_equal(layer.triangle, brute_force(corners, 80, 60))


def test_triangles_that_share_a_side_leave_no_gap_and_do_not_overlap() -> None:
    random = np.random.default_rng(0)
    from scipy.spatial import Delaunay

    points = np.concatenate((random.uniform(0, 64, (400, 2)), [[-9, -9], [73, -9], [-9, 73], [73, 73]]))
    triangles = Delaunay(points).simplices
    corners = np.concatenate((points[triangles], np.ones((len(triangles), 3, 1))), axis=2)
    assert rasterise(corners, 64, 64).covered.all()
    single = sum(rasterise(corners[i : i + 1], 64, 64).covered.astype(int) for i in range(len(corners)))
    assert (single == 1).all()


def test_nothing_and_degenerate_triangles_are_no_harm() -> None:
    assert not rasterise(np.zeros((0, 3, 3)), 8, 8).covered.any()
    line = np.array([[[1.0, 1, 1], [5, 5, 1], [3, 3, 1]]])
    assert rasterise(line, 8, 8).covered.sum() <= 8
    assert not rasterise(line + np.array([100.0, 0, 0]), 8, 8).covered.any()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("room", [0.0, 0.3])
def test_fitted_camera_shows_everything(view: str, room: float) -> None:
    points = np.random.default_rng(3).uniform(-1, 1, (200, 3)) * [5.0, 1.0, 0.3] + [10.0, -3.0, 2.0]
    camera = Camera.named(view).fitted(points, 1.5, room)
    places = Projection(camera, 300, 200).project(points)
    assert (places[:, 2] > 0).all()
    assert (places[:, :2] >= 0).all()
    assert (places[:, 0] <= 300 * (1 - room) + 1).all()
    assert (places[:, 1] <= 200).all()
    filled = np.ptp(places[:, :2], axis=0) / [300 * (1 - room), 200]
    assert filled.max() > 0.8


def test_rays_invert_the_projection() -> None:
    points = np.random.default_rng(5).uniform(-1, 1, (50, 3))
    projection = Projection(Camera(30.0, 40.0).fitted(points, 1.5), 300, 200)
    x, y, near = projection.project(points).T
    back = projection.eye + projection.rays(x, y) / near[:, None]
    np.testing.assert_allclose(back, points, atol=1e-4)


def test_triangles_behind_the_camera_are_cut() -> None:
    projection = Projection(Camera(0.0, 0.0, target=(0, 0, 0), distance=1.0), 64, 64)
    corners = np.array(
        [
            [[0.0, 0, 0], [0, 1, 0], [0, 0, 1]],  # in front
            [[3.0, 0, 0], [3, 1, 0], [3, 0, 1]],  # behind
            [[0.0, 0, 0], [0, 1, 0], [5, 0, 0]],  # both
        ]
    )
    parts, owner, share = clip_near(corners, projection)
    assert sorted(owner.tolist()) == [0, 2, 2]
    np.testing.assert_allclose(np.einsum("kij,kjl->kil", share, corners[owner]), parts)
    assert (parts[:, :, 0] < 1.0).all()


@pytest.mark.parametrize(
    ("greatest", "limit"), [(0.0, 1.0), (44564.5, 50000.0), (1.0, 1.0), (0.0183, 0.02), (130.0, 150.0)]
)
def test_limits_of_the_colour_bar_are_round(greatest: float, limit: float) -> None:
    assert nice_limit(greatest) == pytest.approx(limit)
    ticks = nice_ticks(limit)
    assert 3 <= len(ticks) <= 7
    assert ticks[0] == 0.0
    assert ticks[-1] <= limit * (1 + 1e-9)


@pytest.mark.parametrize(("quantity", "unit"), [(SLIP, (1e3, "mm/s")), (DEPTH, (1e9, "nm"))])
def test_units_of_the_colour_bar_have_letters_in_the_font(quantity: Quantity, unit: tuple[float, str]) -> None:
    font = ImageFont.load_default(14)
    assert quantity.unit_for(3e-6)[1].startswith("µ")
    box = bytes(font.getmask("\uffff"))
    chosen = writable(quantity, font)
    assert all(bytes(font.getmask(letter)) != box for _, name in chosen.units for letter in name)
    if bytes(font.getmask("µ")) == box:
        assert chosen.unit_for(3e-6) == unit


def test_picture_of_a_run_is_deterministic_and_shows_bodies_in_their_colours() -> None:
    time = float(bubbles().time[20])
    image = render(bubbles(), time, size=(300, 200), samples=2)
    assert image.size == (300, 200)
    assert image.tobytes() == render(bubbles(), time, size=(300, 200), samples=2).tobytes()
    pixels = np.asarray(image, int)
    orange = (pixels[..., 0] - pixels[..., 2] > 90) & (pixels[..., 1] < 190)
    green = (pixels[..., 1] - pixels[..., 0] > 40) & (pixels[..., 1] - pixels[..., 2] > 40)
    assert orange.mean() > 0.005
    assert green.mean() > 0.005


def test_themes_and_colours_differ() -> None:
    time = float(bubbles().time[21])
    pictures = [
        render(bubbles(), time, **SMALL, **look).tobytes()
        for look in (
            {},
            {"theme": "dark"},
            {"colour_by": "depth"},
            {"colour_by": "slip"},
            {"colour_by": "none"},
            {"ground": False},
            {"camera": "top"},
            {"limit": 1e6},
            {"caption": False},
        )
    ]
    assert len(set(pictures)) == len(pictures)


def test_time_snaps_to_the_nearest_sample() -> None:
    sample = float(bubbles().time[5])
    assert render(bubbles(), sample, **SMALL).tobytes() == render(bubbles(), sample + 0.004, **SMALL).tobytes()
    with pytest.raises(SimulationError, match="not within the run"):
        render(bubbles(), 99.0)


def test_surface_and_result_have_pictures() -> None:
    ball = pc.shapes.sphere(radius=0.1, subdivisions=3)
    plate = pc.shapes.box(size=(0.5, 0.5, 0.05))
    alone = render_surface(ball, size=(120, 120), colour="#cc0000")
    middle = np.asarray(alone, int)[60, 60]
    assert middle[0] > 2 * middle[1]
    pairing = pc.ContactPairing(ball, plate, base=pc.Base.E, law=pc.LayerLaw(stiffness=5.9e5))
    result = pairing.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -0.105)))
    pressed = render_result(result, size=(120, 90), samples=1)
    assert pressed.tobytes() != render_result(result, size=(120, 90), samples=1, colour_by="none").tobytes()


def test_a_large_mesh_is_drawn_in_seconds() -> None:
    from time import process_time

    ball = pc.shapes.sphere(radius=0.1, subdivisions=6)
    begin = process_time()
    render_surface(ball, size=(600, 400), samples=2)
    assert ball.n_triangles > 50_000
    assert process_time() - begin < 20.0  # about 2 s; the margin is for slow machines


@pytest.mark.parametrize(
    ("look", "words"),
    [
        ({"size": (0, 10)}, "size"),
        ({"size": (10**6, 10)}, "size"),
        ({"colour_by": "heat"}, "heat"),
        ({"theme": "pink"}, "pink"),
        ({"samples": 9}, "samples"),
    ],
)
def test_bad_looks_are_refused(look: dict[str, Any], words: str) -> None:
    with pytest.raises(SimulationError, match=words):
        Look(**look)


@pytest.mark.parametrize("view", ["nowhere", "1,2,3", "a,b", "nan,0"])
def test_bad_views_are_refused(view: str) -> None:
    with pytest.raises(SimulationError, match="camera"):
        Camera.named(view)


def test_run_without_contacts_or_meshes(tmp_path: Path) -> None:
    path = recorded(tmp_path / "still.h5", still_description(), 2)
    assert render(Trajectory.open(path), 0.0, **SMALL).size == (150, 100)
    from polycontact.simulation.recording.records import BodyRecord

    bare = still_description(bodies=(BodyRecord("point", 1.0, np.zeros(3), np.eye(3)),))
    path = recorded(tmp_path / "bare.h5", bare, 2)
    with pytest.raises(SimulationError, match="nothing to show"):
        render(Trajectory.open(path), 0.0)


def test_frames_are_samples_unless_there_are_too_few() -> None:
    run = bubbles()  # 0.02 s between samples
    assert set(frame_times(run, fps=10, speed=1.0)) <= set(run.time)
    assert len(frame_times(run, fps=10, speed=1.0)) == 7
    fine = frame_times(run, fps=100, speed=1.0, start=0.1, end=0.2)
    assert len(fine) == 11
    assert not set(fine) <= set(run.time)
    for bad in ({"fps": 0.0}, {"fps": 10, "speed": -1.0}, {"fps": 10, "start": 5.0}, {"fps": 1e9}):
        with pytest.raises(SimulationError, match="film"):
            frame_times(run, **bad)


def test_film_as_gif(tmp_path: Path) -> None:
    path = tmp_path / "film.gif"
    assert write_film(bubbles(), path, fps=10, speed=1.0, start=0.3, **SMALL) == 4
    with Image.open(path) as film:
        assert film.n_frames == 4
        assert film.size == (150, 100)


def test_the_ground_of_a_film_lies_below_all_its_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ball in free flight is lowest at the end: the ground of every frame is where it is then."""
    from polycontact.report.picture import film

    system = pc.MultibodySystem("flight")
    system.add_body("ball", surface=pc.shapes.sphere(0.1, 0), density=1000.0, position=(0.0, 0.0, 1.0))
    run = pc.simulate(system, end_time=0.1, output_step=0.1)
    grounds, draw = [], film.draw

    def noted(*arguments: Any, ground: float, **options: Any) -> Any:
        grounds.append(ground)
        return draw(*arguments, ground=ground, **options)

    monkeypatch.setattr(film, "draw", noted)
    write_film(run.trajectory, tmp_path / "flight.gif", fps=10, speed=1.0, size=(60, 40), samples=1)
    height = run.trajectory.body("ball").position[-1, 2]
    assert len(grounds) == 2
    assert grounds == [pytest.approx(height - 0.1, abs=0.02)] * 2  # of the corners of a coarse ball the lowest


def test_ticks_of_the_colour_bar_stand_between_bar_and_numbers() -> None:
    from polycontact.report.picture.legend import draw_colour_bar
    from polycontact.report.picture.picture_colours import THEMES

    image = Image.new("RGB", (400, 300), "white")
    draw_colour_bar(image, DEPTH, 0.0127, THEMES["light"])  # whose tick for 5 mm crosses the middle of the bar
    pixels = np.asarray(image).astype(int)
    ink = np.array([0x1D, 0x27, 0x33])
    inked = np.abs(pixels - ink).sum(axis=2) == 0
    rows = np.flatnonzero((inked[:, 1:] & inked[:, :-1]).any(axis=1))
    bar_left, bar_right = (f(np.flatnonzero(inked[150])) for f in (np.min, np.max))
    ticks = [row for row in rows if inked[row, bar_right + 1]][:-1]  # the last, for zero, is the end of the bar
    assert ticks
    assert not inked[ticks, bar_left + 1 : bar_right].all(axis=1).any()


def test_palette_keeps_small_coloured_things() -> None:
    from polycontact.report.picture.palette import FilmPalette

    pixels = np.repeat(np.linspace(200, 255, 300).astype(np.uint8)[:, None, None], 200, axis=1).repeat(3, axis=2)
    pixels[10:20, 10:20] = (255, 127, 14)
    pixels[30:40, 10:20] = (44, 160, 44)
    frame, palette = Image.fromarray(pixels), FilmPalette()
    palette.add(frame)
    back = np.asarray(frame.quantize(palette=palette.image(), dither=Image.Dither.NONE).convert("RGB"), int)
    assert np.abs(back - pixels).max() <= 4


def test_film_as_mp4(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="MP4 needs imageio-ffmpeg")
    path = tmp_path / "film.mp4"
    assert write_film(bubbles(), path, fps=10, speed=1.0, start=0.3, size=(151, 101), samples=1) == 4
    assert path.read_bytes()[4:8] == b"ftyp"


@pytest.mark.parametrize(
    ("name", "start"), [("still.png", b"\x89PNG"), ("still.jpg", b"\xff\xd8"), ("film.gif", b"GIF8")]
)
def test_command_writes_pictures(tmp_path: Path, name: str, start: bytes) -> None:
    words = ["picture", str(bubbles_file()), "-o", str(tmp_path / name), "--size", "120x80"]
    assert main([*words, *(["--fps", "4"] if name == "film.gif" else ["--time", "0.4"])]) == 0
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize("what", ["cut", "text", "other", "version", "empty", "no samples", "missing", "folder"])
def test_command_refuses_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    assert main(["picture", str(bad_files(tmp_path)[what]), "-o", str(tmp_path / "a.png")]) == 2
    assert "polycontact: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "a.bmp2"], "picture or film"),
        (["-o", "."], "this is a folder"),
        (["-o", "no/where.png"], "no folder"),
        (["-o", "a.png", "--time", "9"], "not within the run"),
        (["-o", "a.png", "--size", "big"], "--size"),
        (["-o", "a.png", "--camera", "sky"], "camera"),
        (["-o", "a.png", "--theme", "red"], "theme"),
        (["-o", "a.gif", "--fps", "0"], "fps"),
        (["-o", "a.png", "--colour-by", "heat"], "heat"),
    ],
)
def test_command_refuses_bad_wishes(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["picture", str(bubbles_file()), *words]) == 2
    assert message in capsys.readouterr().err


def test_films_are_drawn_in_order_and_the_same_whatever_the_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    films = []
    for most in (1, 4):
        monkeypatch.setattr("polycontact.report.picture.film.MAX_DRAWING_THREADS", most)
        path = tmp_path / f"{most}.gif"
        options = {"fps": 20, "speed": 1.0, "start": 0.3, **SMALL}
        n = write_film(bubbles(), path, progress=lambda done, total: seen.append((done, total)), **options)
        films.append(path.read_bytes())
    assert films[0] == films[1]
    assert seen == 2 * [(i + 1, n) for i in range(n)]


def test_a_film_is_smaller_than_a_picture_unless_told(tmp_path: Path) -> None:
    from PIL import Image

    write_film(bubbles(), tmp_path / "a.gif", fps=2, speed=1.0, start=0.5)
    with Image.open(tmp_path / "a.gif") as film:
        assert film.size == (720, 480)


def test_soft_shadows_do_not_depend_on_how_coarsely_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between coarse pixels the light of the ground differs by less than a step of a screen's values, mostly."""
    from polycontact.report.picture import compose

    coarse = np.asarray(render(bubbles(), 0.5, size=(600, 400), samples=1), int)
    monkeypatch.setattr(compose, "BLUR_STEP", 0.0)
    fine = np.asarray(render(bubbles(), 0.5, size=(600, 400), samples=1), int)
    assert np.abs(coarse - fine).max() <= 3
    assert np.abs(coarse - fine).mean() < 0.05


def test_what_is_seen_of_a_ball_lies_on_it_with_its_normals(monkeypatch: pytest.MonkeyPatch) -> None:
    from polycontact.report.picture import compose

    looked: list[Any] = []
    monkeypatch.setattr(compose, "hollow_light", lambda seen, *given: looked.append(seen) or hollow_light(seen, *given))
    render_surface(pc.shapes.sphere(0.1, 3), size=(60, 60), samples=1)
    (seen,) = looked
    position, normal = seen.position[seen.covered], seen.normal[seen.covered]
    assert len(position) > 500
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(position, axis=1), 0.1, rtol=0.02)
    assert (np.einsum("ij,ij->i", normal, position) > 0.099 * 0.98).all()


def test_transparent_bodies_are_seen_through() -> None:
    time = float(bubbles().time[25])
    plain, through, nothing = (
        np.asarray(render(bubbles(), time, **SMALL, transparent=names, opacity=opacity, colour_by="none"), int)
        for names, opacity in (((), 0.25), (("bubble 1",), 0.25), (("bubble 1",), 1.0))
    )
    assert (plain == nothing).all()
    changed = (plain != through).any(axis=2)
    assert 0.003 < changed.mean() < 0.5
    with pytest.raises(SimulationError, match=r"no body 'bubble 9'.*did you mean"):
        render(bubbles(), time, transparent=("bubble 9",))


def test_layers_of_transparent_triangles_are_peeled_in_order() -> None:
    square = np.array([[0.0, 0, 0], [64, 0, 0], [0, 64, 0]])
    corners = np.stack([square + np.array([0, 0, near]) for near in (0.5, 2.0, 1.0)])
    first = rasterise(corners, 16, 16)
    second = rasterise(corners, 16, 16, behind=first)
    third = rasterise(corners, 16, 16, behind=second)
    assert [int(layer.triangle[0, 0]) for layer in (first, second, third)] == [1, 2, 0]
    assert not rasterise(corners, 16, 16, behind=third).covered.any()


def test_an_arrow_is_a_closed_surface_from_its_point_to_its_tip() -> None:
    from polycontact.report.picture.arrows import arrow_mesh

    point, tip = np.array([0.1, -0.2, 0.3]), np.array([0.4, 0.5, -0.6])
    corners = arrow_mesh(point, tip, 0.01)
    axis = (tip - point) / np.linalg.norm(tip - point)
    along = (corners.reshape(-1, 3) - point) @ axis
    assert along.min() == pytest.approx(0.0, abs=1e-12)
    assert along.max() == pytest.approx(float(np.linalg.norm(tip - point)))
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume > 0.0  # all its triangles are seen from outside
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    # Vectors of area of a closed surface cancel; the end of the shaft, of 12 sides, is open under the head.
    end = 0.5 * 12 * np.sin(2 * np.pi / 12) * 0.01**2
    np.testing.assert_allclose(areas.sum(axis=0), -end * axis, atol=1e-15)


def test_arrows_are_as_long_as_their_forces() -> None:
    from polycontact.report.patches.contact_forces import ContactForce
    from polycontact.report.picture.arrows import scale_arrows

    forces = tuple(ContactForce(np.zeros(3), np.array([0.0, 0.0, f])) for f in (100.0, 50.0, 0.1))
    long, short = scale_arrows(forces, longest=2.0, width=0.01, limit=100.0)
    assert long.tip[2] == pytest.approx(2.0)
    assert short.tip[2] == pytest.approx(1.0)
    assert short.force == 50.0


def test_forces_of_patches_add_up_to_those_of_pairings() -> None:
    from polycontact.report.picture.picture_scene import RunScenes

    time = float(bubbles().time[25])
    scenes = RunScenes(bubbles())
    whole, parts = (scenes.at(time, forces=kind).forces for kind in ("pairing", "patch"))
    assert whole
    for each in whole:
        sums = sum((part.force for part in parts if part.pairing == each.pairing), np.zeros(3))
        np.testing.assert_allclose(sums, each.force, rtol=1e-9, atol=1e-9)  # the same evaluation but for rounding
    recorded = bubbles().array("wrenches")[25, :, :3]
    assert np.linalg.norm(recorded, axis=1).max() == pytest.approx(max(np.linalg.norm(f.force) for f in whole))


def test_a_close_up_shows_the_contact_and_sees_through_what_hides_it() -> None:
    from polycontact.report.picture.close_up import close_up
    from polycontact.report.picture.picture_scene import RunScenes

    scenes, time = RunScenes(bubbles()), float(bubbles().time[25])
    look = Look(size=(300, 200), samples=1)
    for camera in ("iso", "top", "front"):
        close = close_up(scenes, np.array([time]), "bubble 2-bubble 1", Camera.named(camera), look)
        scene = scenes.at(time)
        assert scene.patches is not None
        own = scene.patches.triangles[scene.patches.pairing == close.pairing]
        x, y, near = Projection(close.cameras[0], 300, 200).project(scene.patches.points[own].reshape(-1, 3)).T
        assert (near > 0).all()
        assert ((x > 0) & (x < 300) & (y > 0) & (y < 200)).all()
        assert np.ptp(x) > 30 or np.ptp(y) > 30
        assert (close.opacity < 1.0).any()
        assert (close.opacity == 1.0).any()
    picture = render(bubbles(), time, **SMALL, zoom="bubble 1-bubble 2", forces="pairing")
    assert picture.tobytes() != render(bubbles(), time, **SMALL, zoom="bubble 1-bubble 2").tobytes()


def test_close_ups_of_what_does_not_touch_say_when_it_does(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match=r"do not touch at t = 0 s; they first do at .* press most at"):
        render(bubbles(), 0.0, zoom="bubble 1-container")
    with pytest.raises(SimulationError, match="no pairing 'bubble 1-bubble 7'"):
        render(bubbles(), 0.5, zoom="bubble 1-bubble 7")
    path = tmp_path / "close.gif"
    options: dict[str, Any] = {"fps": 10, "speed": 1.0, "start": 0.2, "zoom": "bubble 1-bubble 2", "forces": "patch"}
    assert write_film(bubbles(), path, **options, **SMALL) == 5


@pytest.mark.parametrize(
    ("look", "words"),
    [
        ({"forces": "all"}, "choose none, pairing, patch"),
        ({"opacity": 2.0}, "opacity"),
        ({"force_limit": -1.0}, "force_limit"),
    ],
)
def test_bad_wishes_for_arrows_and_bodies_are_refused(look: dict[str, Any], words: str) -> None:
    with pytest.raises(SimulationError, match=words):
        Look(**look)


def test_command_zooms_and_shows_forces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["picture", str(bubbles_file()), "-o", str(tmp_path / "a.png"), "--size", "120x80", "--time", "0.5"]
    assert main([*words, "--zoom", "bubble 1-bubble 2", "--forces", "patch", "--transparent", "container"]) == 0
    assert main([*words, "--zoom", "bubble 1-bubble 9"]) == 2
    assert "no pairing" in capsys.readouterr().err


def test_a_film_keeps_its_pixels_whatever_was_before() -> None:
    import zlib

    from polycontact.report.picture.film import _unpacked

    frames = np.random.default_rng(1).integers(0, 256, (3, 4, 5, 3), dtype=np.uint8)
    before, packed = np.zeros_like(frames[0]), []
    for frame in frames:
        packed.append(zlib.compress((frame ^ before).tobytes()))
        before = frame
    for back, frame in zip(_unpacked(packed, (5, 4)), frames, strict=True):
        np.testing.assert_array_equal(back, frame)
