"""Steps follow bodies that stay in contact, and what the steps lose by themselves has a name of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cams import LIFT, OMEGA, cam_and_follower, seen
from rigid_scenes import G, floor_and

import polycontact as pc
from polycontact.kernels.response.following_steps import (
    MOST_HALVINGS,
    StepLength,
    choose_next,
    encounter,
    follows,
    hold,
)
from polycontact.report.document.energies import energy_panel
from polycontact.report.document.named_runs import ReportRun
from polycontact.simulation.ledger import COLUMNS, ledger_rows

RESPONSES = [
    pc.MultiplierResponse(),
    pc.MultiplierResponse(restitution=0.9),
    pc.ImpulseResponse(),
    pc.ImpulseResponse(restitution=0.9),
]


@pytest.fixture(
    scope="module", params=RESPONSES, ids=["multipliers", "bouncy multipliers", "impulses", "bouncy impulses"]
)
def on_cam(request: pytest.FixtureRequest) -> pc.Run:
    """Two turns at 9 degrees a step, were they not shortened."""
    return pc.simulate(cam_and_follower(), end_time=0.08, output_step=1e-4, response=request.param)


def test_a_follower_stays_on_its_cam(on_cam: pc.Run) -> None:
    """The closed form never parts; with steps of 1 ms the follower flew by 2 mm."""
    gap, force, exact = seen(on_cam)
    assert (force[1:] > 0.0).all()  # at the start no step has told a force
    # 0.02 m/s, the rest speed, times half a step of 1 ms: what a step may stray.
    assert np.abs(gap).max() < 1.5e-5
    # The force of a step is that of its end, which has turned on by 0.16 rad at most: 1.6 N of 12 N.
    assert np.sqrt(np.mean((force - exact)[1:] ** 2)) < 2.0
    assert on_cam.statistics.response is not None
    assert on_cam.statistics.response["shortened"] > 100


def test_numerical_loss_is_not_that_of_dampers(on_cam: pc.Run) -> None:
    ledger = on_cam.ledger
    assert not ledger["damping"].any()  # there is no damper
    assert np.abs(ledger["contact_damping"]).max() < 1e-6  # and no impact
    assert ledger["numerical"][-1] > 0.0
    # The work of a spring in a step of h is off by k h v²/2 · h: for v = 0.63 m/s and steps of 0.2 ms 0.3 W.
    assert ledger["numerical"][-1] < 0.03
    # The balance closes at the end of a whole turn; within a step speeds jump in its middle.
    assert abs(ledger["balance"][-1]) < 1e-4


@pytest.mark.parametrize("response", [pc.MultiplierResponse(), pc.ImpulseResponse()])
def test_dampers_lose_what_they_would(response: Any) -> None:
    """∫ d v² dt of the closed form over a turn: π d ω a²."""
    run = pc.simulate(cam_and_follower(damping=10.0), end_time=0.04, response=response)
    exact = np.pi * 10.0 * OMEGA * LIFT**2
    # The sum over steps of the mean speed squared: of second order, (0.25 rad)²/12 at the longest step.
    assert run.ledger["damping"][-1] == pytest.approx(exact, rel=0.01)
    assert run.ledger["numerical"][-1] > 0.0


def test_shorter_steps_lose_less() -> None:
    losses = []
    for step in (2e-4, 1e-4, 5e-5):
        run = pc.simulate(cam_and_follower(), end_time=0.04, response=pc.MultiplierResponse(step=step))
        losses.append(run.ledger["numerical"][-1])
    rates = np.array(losses[:-1]) / np.array(losses[1:])
    np.testing.assert_allclose(rates, 2.0, atol=0.2)  # of first order


def test_a_body_at_rest_keeps_the_longest_steps_and_loses_nothing() -> None:
    run = pc.simulate(
        floor_and(pc.convex.Box((0.3, 0.2, 0.1)), mass=2.0, position=(0.0, 0.0, 0.05)),
        end_time=0.5,
        response="multipliers",
    )
    assert run.statistics.steps == 500
    assert run.statistics.response is not None
    assert run.statistics.response["shortened"] == 0
    # It sinks by the slop, 1e-5 m, and that is all.
    assert np.abs(run.ledger["numerical"]).max() < 2.0 * G * 2e-5


def test_impacts_do_not_shorten_steps() -> None:
    system = floor_and(pc.convex.Sphere(0.05), mass=1.0, position=(0.0, 0.0, 0.25))
    run = pc.simulate(system, end_time=0.5, response=pc.MultiplierResponse(restitution=0.5))
    assert run.statistics.response is not None
    assert run.statistics.response["shortened"] == 0
    assert run.ledger["contact_damping"][-1] > 0.5  # of 2 J
    assert abs(run.ledger["numerical"][-1]) < 0.02


def test_short_steps_do_not_rebound_from_what_is_left_of_the_slop() -> None:
    """A body may close the slop in a step, s/h: faster than the rest speed where steps are short."""
    system = floor_and(pc.convex.Box((0.3, 0.2, 0.1)), mass=2.0, position=(0.0, 0.0, 0.05))
    response = pc.MultiplierResponse(step=1e-4, restitution=0.9)
    run = pc.simulate(system, end_time=0.05, output_step=1e-3, response=response)
    force = run.trajectory.pairing("touch").force[5:, 2]
    np.testing.assert_allclose(force, 2.0 * G, rtol=1e-3)


def test_continued_runs_go_on_with_the_loss(tmp_path: Path) -> None:
    whole = pc.simulate(cam_and_follower(), end_time=0.04, output_step=0.01, response="multipliers")
    path = tmp_path / "run.h5"
    pc.simulate(cam_and_follower(), end_time=0.02, output_step=0.01, response="multipliers", record=path)
    went_on = pc.simulate(
        cam_and_follower(), end_time=0.04, output_step=0.01, response="multipliers", continue_from=path
    )
    energies = went_on.trajectory.energies
    assert energies["numerical"][-1] > energies["numerical"][2] > 0.0
    # Other steps, as the second run does not know what the first had seen: of first order.
    np.testing.assert_allclose(energies["numerical"], whole.ledger["numerical"], rtol=0.2)
    assert abs(energies["balance"][-1]) < 1e-4


def test_report_and_tables_name_the_loss(on_cam: pc.Run, tmp_path: Path) -> None:
    panel = energy_panel([ReportRun("run", on_cam.trajectory)])
    assert panel is not None
    assert "lost by the time steps" in panel.items
    pc.export_run(on_cam.trajectory, tmp_path / "tables", csv=True, vtk=False)
    heads = [next(iter(path.read_text().splitlines())) for path in (tmp_path / "tables").glob("*.csv")]
    assert any("numerical" in head for head in heads)
    assert "numerical" in on_cam.ledger.summary()
    assert "numerical" in on_cam.ledger._repr_html_()
    assert COLUMNS.index("numerical") < COLUMNS.index("input")


# The choice of steps, by itself ---------------------------------------------------------------------------------


def length_after(*, held: bool = True) -> StepLength:
    """Steps of 1 ms at most, after one with a contact whose point had no normal speed."""
    length = StepLength()
    length.reserve(n_pairs=1)
    length.longest, length.shortest, length.rest_speed = 1e-3, 1e-3 / 2**MOST_HALVINGS, 0.02
    length.held[0] = held
    hold(length, np.array([0]), np.array([0.0]), 1, 1)
    return length


def strays(length: StepLength, h: float, speeds: Any, pairs: Any = (0,)) -> bool:
    """Whether a step follows contacts with these normal speeds (m/s) in its middle."""
    encounter(length, np.array(pairs, np.int64), np.array(speeds, float), 1, len(pairs))
    return bool(follows(length, h))


@pytest.mark.parametrize("speed", [0.019, -0.019, 0.0])
def test_what_strays_less_than_the_rest_speed_is_followed(speed: float) -> None:
    assert strays(length_after(), 1e-3, [speed])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_curvature_halves_the_step_until_it_is_followed(sign: float) -> None:
    length, tried = length_after(), []
    h = 1e-3
    while not strays(length, h, [sign * 120.0 * h]):
        tried.append(h)
        h *= 0.5
    assert tried == [1e-3, 5e-4, 2.5e-4]
    assert 120.0 * h < 0.02


def test_an_edge_is_met_with_the_step_at_hand() -> None:
    length = length_after()
    assert not strays(length, 1e-3, [-0.5])
    assert strays(length, 5e-4, [-0.5])
    assert length.quiet == 0  # it may rebound


def test_a_contact_that_is_lost_halves_the_step_to_the_shortest() -> None:
    length, h, n = length_after(), 1e-3, 0
    while not strays(length, h, [], ()):
        h *= 0.5
        n += 1
    assert n == MOST_HALVINGS
    assert strays(length_after(held=False), 1e-3, [], ())


def test_steps_grow_again_by_what_they_saw() -> None:
    length = length_after()
    encounter(length, np.array([0]), np.array([-0.01]), 1, 1)
    choose_next(length, 1e-4, 1e-3)
    assert length.next == pytest.approx(0.7 * 0.02 / 0.01 * 1e-4)
    encounter(length, np.array([0]), np.array([0.0]), 1, 1)
    choose_next(length, 1e-4, 1e-3)
    assert length.next == pytest.approx(2e-4)
    assert length.shortened == 2


def test_a_run_file_without_the_column_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of earlier versions have ten columns: they are read, shown and continued with these."""
    path = tmp_path / "run.h5"
    older = tuple(name for name in COLUMNS if name != "numerical")
    kept = [COLUMNS.index(name) for name in older]
    with monkeypatch.context() as patch:
        patch.setattr("polycontact.simulation.run_record.COLUMNS", older)
        patch.setattr("polycontact.simulation.sampler.ledger_rows", lambda *given: ledger_rows(*given)[:, kept])
        patch.setattr("polycontact.simulation.driver.COLUMNS", older)
        patch.setattr("polycontact.simulation.ledger.COLUMNS", older)
        pc.simulate(cam_and_follower(), end_time=0.01, output_step=0.005, record=path)
    assert "numerical" not in pc.Trajectory.open(path).energies
    went_on = pc.simulate(cam_and_follower(), end_time=0.02, output_step=0.005, continue_from=path)
    assert tuple(went_on.trajectory.energies) == older
    assert len(went_on.trajectory.time) == 5
    assert not went_on.ledger["numerical"].any()
    assert energy_panel([ReportRun("run", went_on.trajectory)]) is not None
