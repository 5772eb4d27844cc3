"""`polycontact view`: what it takes, and clear words with status 2 for what it cannot show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from view_subjects import broken_mesh, bubbles_run, content_of, write_obj

import polycontact as pc
from polycontact.cli import main
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.records import BodyRecord, RunDescription, Sample, ShapeRecord

POSE = """
name = "ball on plate"
[e]
kind = "sphere"
radius = 0.1
[f]
kind = "box"
size = [0.5, 0.5, 0.05]
[contact]
stiffness = 5.9e5
friction = { coefficient = 0.25, velocity = 0.01 }
[kinematics]
position = [0.0, 0.0, -0.105]
orientation = { axis = [0, 0, 1], angle_degrees = 30 }
velocity = [-0.5, 0.0, 0.0]
"""


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bubbles_run(tmp_path_factory.mktemp("run") / "run.h5", 0.1, 0.02)


def view(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    status = main(["view", *map(str, words), "--no-open"])
    return status, capsys.readouterr().err


def test_run_becomes_a_page(run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert view(capsys, run_file, "-o", page, "--fps", 20)[0] == 0
    content, _ = content_of(page.read_text(encoding="utf-8"))
    assert (content["kind"], content["title"], len(content["times"])) == ("run", "bubbles", 3)


def test_broken_mesh_becomes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh, page = write_obj(tmp_path / "part.obj", broken_mesh()), tmp_path / "page.html"
    assert view(capsys, mesh, "-o", page)[0] == 0
    content, _ = content_of(page.read_text(encoding="utf-8"))
    assert content["kind"] == "mesh"
    assert content["subtitle"].startswith("not ok")


def test_pose_becomes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pose, page = tmp_path / "pose.toml", tmp_path / "page.html"
    pose.write_text(POSE, encoding="utf-8")
    assert view(capsys, "--pose", pose, "-o", page)[0] == 0
    content, _ = content_of(page.read_text(encoding="utf-8"))
    assert (content["kind"], content["title"]) == ("evaluation", "ball on plate")


def test_without_output_the_page_lies_in_a_temporary_folder(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    assert main(["view", str(run_file)]) == 0
    (page,) = tmp_path.glob("polycontact_*/run.html")
    assert opened == [page.resolve().as_uri()]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def of_another_version(path: Path) -> None:
    import h5py

    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 999


def not_hdf5(path: Path) -> None:
    path.write_bytes(b"some text, no run\n" * 50)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def of_other_hdf5(path: Path) -> None:
    import h5py

    path.unlink()
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(3)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (cut, "cut off"),
        (of_another_version, "format 999"),
        (not_hdf5, "not an HDF5 file"),
        (empty, "empty"),
        (of_other_hdf5, "not of a polycontact run"),
        (Path.unlink, "no such file"),
    ],
)
def test_bad_run_file(
    spoil: object, words: str, run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.h5"
    path.write_bytes(run_file.read_bytes())
    spoil(path)  # type: ignore[operator]
    status, message = view(capsys, path, "-o", tmp_path / "page.html")
    assert status == 2
    assert words in message
    assert "Traceback" not in message
    assert not (tmp_path / "page.html").exists()


def record(path: Path, bodies: tuple[BodyRecord, ...], n: int, position: float = 0.0) -> Path:
    """A run without contacts."""
    recorder = Hdf5Recorder(path)
    recorder.begin(RunDescription("plain", bodies))
    none = np.zeros(0)
    for i in range(n):
        k = len(bodies)
        recorder.add(
            Sample(
                0.1 * i,
                none,
                none,
                np.full((k, 3), position),
                np.tile([1.0, 0, 0, 0], (k, 1)),
                np.zeros((k, 3)),
                np.zeros((k, 3)),
                none,
                none,
                np.zeros((0, 6)),
                np.zeros((0, 6)),
                none,
            )
        )
    recorder.finish("finished", "", {})
    return path


def ball(*shapes: ShapeRecord) -> BodyRecord:
    return BodyRecord("ball", 1.0, np.zeros(3), np.eye(3), shapes)


def sphere() -> ShapeRecord:
    surface = pc.shapes.sphere(radius=0.1, subdivisions=1)
    return ShapeRecord("sphere", surface.vertices, surface.triangles, np.zeros(3), np.eye(3))


def test_run_without_contacts_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = record(tmp_path / "run.h5", (ball(sphere()),), 3)
    assert view(capsys, path, "-o", tmp_path / "page.html")[0] == 0
    content, _ = content_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert content["contacts"] == [[], [], []]


@pytest.mark.parametrize(
    ("shapes", "n", "position", "words"),
    [
        ((), 3, 0.0, "no body of the run has a shape"),
        ((sphere(),), 0, 0.0, "no samples"),
        ((sphere(),), 3, float("nan"), "not finite"),
    ],
)
def test_run_that_cannot_be_seen(
    shapes: tuple[ShapeRecord, ...],
    n: int,
    position: float,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = record(tmp_path / "run.h5", (ball(*shapes),), n, position)
    status, message = view(capsys, path, "-o", tmp_path / "page.html")
    assert status == 2
    assert words in message


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("part.obj", "v 0 0 zero\n", "part.obj"),
        ("part.xyz", "nothing known", "unknown extension"),
        ("part.stl", "", "empty"),
        ("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 nan\nf 1 2 3\n", "no triangle of the mesh can be drawn"),
    ],
)
def test_bad_mesh(name: str, text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    status, message = view(capsys, path, "-o", tmp_path / "page.html")
    assert status == 2
    assert words in message


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "sphere"', 'kind = "spere"', 'did you mean "sphere"?'),
        ("radius = 0.1", "radius = -0.1", "e.radius: -0.1; allowed is a number greater than 0, in m"),
        ("[kinematics]", "[kinematic]", 'kinematic: unknown key; did you mean "kinematics"?'),
        ("[kinematics]", "[kinematic]", "kinematics: is missing; give how F lies and moves relative to E"),
        ("[contact]", "[contact]\nname = 'x'", "name belongs to the top level: write it before the first [table]"),
        ("[contact]", "[contact]\nf = 'x'", "contact.f: unknown key; f belongs to the top level: write [f]"),
        ("stiffness = 5.9e5", "", "no stiffness"),
        ('kind = "sphere"\nradius = 0.1', 'kind = "mesh"\nfile = "none.stl"', "none.stl"),
        ("[0.0, 0.0, -0.105]", "[0.0, 0.0]", "kinematics.position: 2 values; allowed is 3 numbers, in m"),
        ("[contact]", "[contact", "not valid TOML"),
    ],
)
def test_bad_pose(old: str, new: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert old in POSE
    path = tmp_path / "pose.toml"
    path.write_text(POSE.replace(old, new), encoding="utf-8")
    status, message = view(capsys, "--pose", path, "-o", tmp_path / "page.html")
    assert status == 2
    assert words in message
    assert "pose.toml" in message


def test_scenario_is_shown_before_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert view(capsys, "slider_crank", "-o", page)[0] == 0
    content, _ = content_of(page.read_text(encoding="utf-8"))
    assert (content["kind"], content["title"], len(content["times"])) == ("model", "slider_crank", 1)
    assert ["simulated", "0 to 2 s"] in content["facts"]
    assert [item["name"] for item in content["items"]] == ["bearing", "crank pin", "guide", "slider pin"]


def test_bad_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "drop.toml"
    path.write_text('[scenario]\nname = "drop"\n[simulation]\nend_time = 1.0\n', encoding="utf-8")
    status, message = view(capsys, path)
    assert status == 2
    assert "bodies: is missing" in message
    status, message = view(capsys, "--pose", path)
    assert status == 2
    assert "this is a scenario, no single contact; leave --pose out" in message


def test_bad_use(run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        [],
        [run_file, "--pose", "x.toml"],
        [run_file, "--fps", "0"],
        [run_file, "-o", tmp_path / "no" / "x.html"],
    ):
        status, message = view(capsys, *words)
        assert status == 2
        assert message.startswith("polycontact: ")
