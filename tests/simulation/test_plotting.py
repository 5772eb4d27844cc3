"""Figures of runs, and tables of chosen columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_systems import box_over_plane

import polycontact as pc
from polycontact.simulation.recording.plotting import contact_wrench

pytest.importorskip("plotly", reason="needs plotly, which makes the figures")


@pytest.fixture(scope="module")
def run() -> pc.Run:
    return pc.simulate(box_over_plane(height=0.01), end_time=0.1, output_step=0.005)


def test_the_whole_run(run: pc.Run, tmp_path: Path) -> None:
    figure = run.plot(path=tmp_path / "run.html")
    names = [trace.name for trace in figure.data]
    assert names[0] == "landing"
    assert "kinetic" in names
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "<script src=" not in text  # it needs no network


@pytest.mark.parametrize(
    ("words", "title", "curves"),
    [
        (("box",), "box: position, m", 4),
        (("box", "angular velocity"), "box: angular velocity, rad/s", 4),
        (("box", "force"), "box: force, N", 4),
        (("box", "torque"), "box: torque, N m", 4),
        (("landing",), "landing: force, N", 4),
        (("floor-box", "depth"), "landing: depth, m", 1),
        (("kinetic",), "kinetic energy, J", 1),
    ],
)
def test_one_quantity(run: pc.Run, words: tuple[str, ...], title: str, curves: int) -> None:
    figure = run.trajectory.plot(*words)
    assert figure.layout.yaxis.title.text == title
    assert len(figure.data) == curves
    np.testing.assert_array_equal(figure.data[0].x, run.trajectory.time)


def test_a_joint() -> None:
    system = pc.MultibodySystem("swing")
    system.add_body("bob", mass=1.0, centre=(0.0, 0.0, -1.0), inertia=(0.01, 0.01, 0.01))
    system.add_joint("hinge", "revolute", "world", "bob", axis=(0.0, 1.0, 0.0), coordinates=[0.5])
    figure = pc.simulate(system, end_time=0.1).plot("hinge", "speeds")
    assert [trace.name for trace in figure.data] == ["angular_speed"]


def test_contact_wrench_is_at_the_origin_of_the_body() -> None:
    """A level box on a level plane has no torque about its middle, wherever the marker of the recorded one lies."""
    system = pc.MultibodySystem("aside")
    box = pc.shapes.box(size=0.2)
    system.add_body("box", surface=box, density=1000.0, position=(0.1, 0.2, 0.0999))
    system.add_body("floor", surface=pc.shapes.plane((6.0, 6.0)), position=(0.7, -0.3, 0.0), fixed=True)
    system.add_contact("box", "floor", law=pc.LayerLaw(stiffness=1e8), depth="target_normal")
    trajectory = pc.simulate(system, end_time=0.02).trajectory
    force, torque = contact_wrench(trajectory, "box")
    recorded = trajectory.pairing(0)
    np.testing.assert_array_equal(force, recorded.force)
    assert np.abs(recorded.torque).max() > 0.3 * np.abs(force).max()
    assert np.abs(torque).max() < 1e-9 * np.abs(force).max()
    on_floor, _ = contact_wrench(trajectory, "floor")
    np.testing.assert_array_equal(on_floor, -force)


def test_words_that_are_not_known(run: pc.Run) -> None:
    with pytest.raises(pc.SimulationError, match="no body, joint, pairing or energy 'boxx'; did you mean 'box'"):
        run.plot("boxx")
    with pytest.raises(pc.SimulationError, match=r"box: no quantity 'colour'.*'position'"):
        run.plot("box", "colour")


def test_chosen_columns(run: pc.Run, tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="needs pandas")
    table = run.trajectory.to_pandas(["box position", "landing force", "Kinetic"])
    assert list(table.columns) == [
        *(f"box position {axis} [m]" for axis in "xyz"),
        *(f"landing force {axis} [N]" for axis in "xyz"),
        "kinetic energy [J]",
    ]
    with pytest.raises(pc.SimulationError, match="no column 'box speed'"):
        run.trajectory.to_pandas("box speed")
    run.trajectory.to_csv(tmp_path / "a.csv", "kinetic")
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "time [s],kinetic energy [J]"
