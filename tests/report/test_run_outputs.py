"""A report, a picture and tables of a run by one call each, from the run, its trajectory or its file."""

from __future__ import annotations

from pathlib import Path

import pytest

import polycontact as pc


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pc.Run:
    """A ball that falls on a plate, for a moment."""
    system = pc.MultibodySystem("fall")
    system.add_body("ball", surface=pc.shapes.sphere(0.1, 1), density=1000.0, position=(0.0, 0.0, 0.0995))
    system.add_body("plate", surface=pc.shapes.box(size=(1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=1e8))
    return pc.simulate(system, end_time=0.002, output_step=0.001, record=tmp_path_factory.getbasetemp() / "fall.h5")


@pytest.fixture(scope="module")
def file(run: pc.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the run."""
    return tmp_path_factory.getbasetemp() / "fall.h5"


def test_every_form_of_a_run_is_exported_alike(run: pc.Run, file: Path, tmp_path: Path) -> None:
    for number, form in enumerate((run, run.trajectory, file)):
        done = pc.export_run(form, tmp_path / str(number), vtk=False, units="mm")
        assert done.files >= 1
    tables = [(tmp_path / str(number) / "samples.csv").read_bytes() for number in range(3)]
    assert tables[0] == tables[1] == tables[2]


def test_a_picture_of_the_end(run: pc.Run, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    path = pc.save_picture(run, tmp_path / "fall.png", size=(160, 120))
    assert image.open(path).size == (160, 120)


@pytest.mark.slow
def test_a_report_of_two_runs(run: pc.Run, tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    path = pc.save_report([run, run], tmp_path / "both.html", title="Twice", playback=False, pictures=False)
    assert "Twice" in path.read_text(encoding="utf-8")


def test_what_cannot_be_made_is_refused_before_any_work(run: pc.Run, file: Path, tmp_path: Path) -> None:
    with pytest.raises(pc.SimulationError, match=r"fall\.txt: a report is a \.html or \.htm file"):
        pc.save_report(run, tmp_path / "fall.txt")
    with pytest.raises(pc.SimulationError, match="fps is of a film"):
        pc.save_picture(run, tmp_path / "fall.png", fps=20.0)
    with pytest.raises(pc.SimulationError, match="time is of a picture"):
        pc.save_picture(run, tmp_path / "fall.gif", time=0.0)
    with pytest.raises(pc.SimulationError, match="there is no folder"):
        pc.save_picture(run, tmp_path / "nowhere" / "fall.png")
    with pytest.raises(pc.SimulationError, match="this is a dict; give a run"):
        pc.export_run({}, tmp_path / "tables")  # type: ignore[arg-type]
    with pytest.raises(pc.SimulationError, match="this is a file; name a folder"):
        pc.export_run(run, file)
