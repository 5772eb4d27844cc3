"""The absolute tolerance that a run takes where none is given, and what is told of one that is too coarse."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.simulation.contact_tolerance import tolerance_of_contacts
from tools.at_rest import stack
from tools.stiffness_sweep import system as two_balls


def box_on_floor(
    stiffness: float = 1e9,
    *,
    height: float = 0.0,
    swapped: bool = False,
    name: str = "box",
    gravity: float = 9.81,
    tilt: float = 0.0,
) -> pc.MultibodySystem:
    """A kilogram on a face of a square decimetre: 9.81e-7 m deep at 1e9 N/m³."""
    system = pc.MultibodySystem("box", gravity=(0.0, 0.0, -gravity))
    place = (0.0, 0.0, 0.05 + height)
    rotation = np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("floor", {"surface": pc.shapes.box((1.0, 1.0, 0.1)), "fixed": True, "position": (0.0, 0.0, -0.05)}),
        (
            name,
            {"surface": pc.shapes.box((0.1, 0.1, 0.1)), "density": 1000.0, "position": place, "rotation": rotation},
        ),
    ]
    for each, options in reversed(bodies) if swapped else bodies:
        system.add_body(each, **options)
    system.find_contacts(law=pc.LayerLaw(stiffness=stiffness, damping=1e6, transition_depth=1e-6))
    return system


def atol_of(system: pc.MultibodySystem) -> float:
    found = tolerance_of_contacts(system.compile())
    return 1e-4 if found is None else found.atol


def test_the_tolerance_is_the_depth_under_the_weight() -> None:
    found = tolerance_of_contacts(box_on_floor().compile())
    assert found is not None
    assert found.atol == found.depth == pytest.approx(9.81e-7, rel=1e-9)
    assert found.load == pytest.approx(9.81, rel=1e-9)
    assert found.told() == "'floor–box' carries 9.81 N at 0.981 µm"


def test_it_does_not_hang_on_order_names_or_poses() -> None:
    usual = atol_of(box_on_floor())
    for other in (
        box_on_floor(swapped=True),
        box_on_floor(name="a"),
        box_on_floor(height=3.0),
        box_on_floor(tilt=1.0, height=3.0),
    ):
        assert atol_of(other) == usual


def test_soft_contacts_keep_the_usual_tolerance() -> None:
    assert atol_of(box_on_floor(stiffness=9e6)) == 1e-4
    assert atol_of(box_on_floor(stiffness=1.1e7)) == pytest.approx(9.81 / 1.1e5, rel=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pc.SimulationWarning)  # it ends before the box has sunk in: no depth to judge by
        run = pc.simulate(box_on_floor(stiffness=9e6), end_time=1e-3)
    assert run.trajectory.settings["atol"] == 1e-4
    assert run.statistics.atol_from == ""


def test_it_follows_no_further_than_a_millionth_of_the_body() -> None:
    found = tolerance_of_contacts(box_on_floor(stiffness=1e13).compile())
    assert found is not None
    assert found.atol == pytest.approx(1e-6 * 0.1 * math.sqrt(3.0), rel=1e-9)
    assert found.told() == "'floor–box' carries 9.81 N at 9.81e-05 µm; a millionth of the body is fine enough"


def test_without_gravity_loads_are_as_large_as_on_earth() -> None:
    assert atol_of(box_on_floor(gravity=0.0)) == pytest.approx(9.81e-7, rel=1e-9)
    assert atol_of(box_on_floor(gravity=1.62)) == pytest.approx(1.62e-7, rel=0.1)


def test_a_number_that_is_given_stays() -> None:
    with pytest.warns(pc.SimulationWarning, match="atol is 3e-05 m"):
        run = pc.simulate(box_on_floor(), end_time=1e-3, atol=3e-5)
    assert (run.trajectory.settings["atol"], run.statistics.atol_from) == (3e-5, "")


def test_bodies_that_cannot_move_ask_for_nothing() -> None:
    """Both are fixed, one of them to a body that is: they press with no weight."""
    system = pc.MultibodySystem("still")
    system.add_body("floor", surface=pc.shapes.box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_body("box", surface=pc.shapes.box((0.1, 0.1, 0.1)), density=1000.0, position=(0.0, 0.0, 0.05))
    system.add_joint("held", "fixed", parent="floor", child="box", at=(0.0, 0.0, 0.05))
    system.add_contact("box", "floor", law=pc.LayerLaw(stiffness=1e12))
    assert tolerance_of_contacts(system.compile()) is None


def test_run_file_and_report_have_it(tmp_path: Any) -> None:
    path = tmp_path / "run.h5"
    run = pc.simulate(box_on_floor(), end_time=1e-3, record=path)
    assert run.trajectory.settings["atol"] == pytest.approx(9.81e-7, rel=1e-9)
    kept = pc.Trajectory.open(path)
    assert kept.settings["atol"] == run.trajectory.settings["atol"]
    assert kept.statistics["atol_from"] == run.statistics.atol_from == "'floor–box' carries 9.81 N at 0.981 µm"
    page = tmp_path / "report.html"
    pc.save_report(path, page)
    assert "absolute tolerance by" in page.read_text(encoding="utf-8")


def test_a_tolerance_far_above_the_depth_is_told() -> None:
    with pytest.warns(pc.SimulationWarning, match=r"atol is 0.0001 m, but contact 'floor–box' was at most .* 1e-06 m"):
        pc.simulate(box_on_floor(), end_time=0.05, atol=1e-4)
    for atol in (None, 3e-6):
        with warnings.catch_warnings():
            warnings.simplefilter("error", pc.SimulationWarning)
            pc.simulate(box_on_floor(), end_time=0.05, atol=atol)


def test_a_contact_that_hardly_touches_is_no_reason_to_warn() -> None:
    """A ball so soft that its depth of 2 µm and the tolerance make no difference to it."""
    system = pc.MultibodySystem("light", gravity=(0.0, 0.0, 0.0))
    system.add_body("floor", surface=pc.shapes.box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_body(
        "ball",
        surface=pc.shapes.sphere(0.1, 2),
        density=1000.0,
        position=(0.0, 0.0, 0.1 - 2e-6),
        velocity=(0.0, 0.0, 1e-3),
    )
    system.add_contact("ball", "floor", law=pc.LayerLaw(stiffness=1e4))
    with warnings.catch_warnings():
        warnings.simplefilter("error", pc.SimulationWarning)
        run = pc.simulate(system, end_time=0.01)
    depth = run.peaks.contacts["ball–floor"].depth.value if run.peaks.contacts else 0.0
    assert 0.0 <= depth < 1e-5


@pytest.mark.slow
def test_a_stiff_stack_stands_with_default_settings() -> None:
    """With 1e-4 it locks at 24 µs steps. Ten boxes of 1 kg sink by 55 depths of 0.981 µm, and by nothing else.

    They wobble within their tolerance of speed for some time, by a few µm.
    """
    system, _ = stack(np.random.default_rng(0))
    run = pc.simulate(system, end_time=10.0, output_step=0.2)
    assert run.status == "finished"
    assert run.statistics.evaluations < 20_000
    for i in range(10):
        body = run.trajectory.body(f"box {i}")
        assert np.linalg.norm(body.position[-1] - body.position[0]) < 55 * 0.981e-6 + 2e-5
        assert np.linalg.norm(body.velocity[-1]) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("stiffness", [1e12, 1e13, 1e14])
def test_a_stiff_ball_is_not_thrown_up(stiffness: float) -> None:
    """It falls by 5 mm; with 1e-4 it is thrown up by 0.2 m at 1e14 N/m³."""
    run = pc.simulate(two_balls(stiffness), end_time=1.0)
    height = run.trajectory.body("steel").position[:, 2]
    assert height.max() <= height[0] + 1e-6
    ledger = run.ledger
    assert ledger.worst_balance < 0.03 * ledger.turnover
    assert abs(ledger["residual"][-1] - ledger["residual"][0]) < 0.05 * ledger.turnover
