"""Runs that end early: what was computed is kept, and the message says when, which body, which contact, what to do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from small_systems import GRAVITY, MASS, SPRING, bouncing_ball, box_over_plane, pendulum

import polycontact as pc
from polycontact.simulation.integrators import INTEGRATORS

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


class OwnError(RuntimeError):
    """An error of a user's own."""


def ball_with(function: Callable[[pc.multibody.ForceView], None]) -> pc.MultibodySystem:
    system = bouncing_ball(damping=300.0)
    system.add_force(pc.multibody.PythonForce("mine", function))
    return system


def assert_kept(path: Path, status: str, until: float) -> pc.Trajectory:
    """The file is closed, can be read, and has every sample of the steps made: most of those before ``until`` (s)."""
    trajectory = pc.Trajectory.open(path)
    assert trajectory.status == status
    assert trajectory.statistics["samples"] == len(trajectory)
    # The output times, and the last state that was reached.
    np.testing.assert_allclose(trajectory.time[:-1], 0.01 * np.arange(len(trajectory) - 1), atol=1e-12)
    assert until - 0.1 < trajectory.time[-1] <= until
    assert np.isfinite(trajectory.array("state")).all()
    return trajectory


@every_integrator
def test_interrupt_stops_the_run(integrator: str, tmp_path: Path) -> None:
    def stop(view: pc.multibody.ForceView) -> None:
        if view.time > 0.4:
            raise KeyboardInterrupt

    path = tmp_path / "run.h5"
    run = pc.simulate(ball_with(stop), end_time=1.0, integrator=integrator, output_step=0.01, record=path)
    assert run.status == "stopped"
    assert run.message.startswith("stopped by the user at t = 0.3")
    trajectory = assert_kept(path, "stopped", 0.4)
    np.testing.assert_array_equal(trajectory.time, run.trajectory.time)
    assert trajectory.message == run.message
    assert len(run.ledger.time) == len(trajectory)


@every_integrator
def test_force_that_is_no_number(integrator: str, tmp_path: Path) -> None:
    def break_down(view: pc.multibody.ForceView) -> None:
        if view.time > 0.4:
            view.add_force("ball", (np.nan, 0.0, 0.0))

    path = tmp_path / "run.h5"
    with pytest.raises(pc.IntegrationError) as caught:
        pc.simulate(ball_with(break_down), end_time=1.0, integrator=integrator, output_step=0.01, record=path)
    error = caught.value
    assert error.reason == "not finite"
    assert error.time == pytest.approx(0.4, abs=1e-9)  # it comes as near as steps can be short
    for part in (
        f"{integrator} stopped at 0.4",
        "body 'ball' is not finite at t = 0.4",
        "contact",
        "look for a division",
    ):
        assert part in str(error)
    assert isinstance(error.run, pc.Run)
    assert error.run.status == "failed"
    assert error.run.message == str(error)
    trajectory = assert_kept(path, "failed", 0.4)
    assert trajectory.message == str(error)
    np.testing.assert_array_equal(error.run.trajectory.time, trajectory.time)


@every_integrator
def test_press_without_bound_names_body_and_contact(integrator: str, tmp_path: Path) -> None:
    """A press that grows without bound at 0.5 s, on a box that lies on a plane."""

    def press(view: pc.multibody.ForceView) -> None:
        view.add_force("box", (0.0, 0.0, -10.0 / (0.5 - view.time) if view.time < 0.5 else np.nan))

    system = box_over_plane(height=-MASS * GRAVITY / SPRING)
    system.add_force(pc.multibody.PythonForce("press", press))
    with pytest.raises(pc.IntegrationError) as caught:
        pc.simulate(system, end_time=1.0, integrator=integrator, output_step=0.01, record=tmp_path / "run.h5")
    error = caught.value
    assert error.time == pytest.approx(0.5, abs=1e-6)
    for part in ("body 'box'", "'landing'", " N and a depth of ", "look for a"):
        assert part in str(error), str(error)
    assert pc.Trajectory.open(tmp_path / "run.h5").status == "failed"


@every_integrator
def test_own_error_comes_out_as_it_is(integrator: str, tmp_path: Path) -> None:
    def complain(view: pc.multibody.ForceView) -> None:
        if view.time > 0.4:
            raise OwnError("my own trouble")

    path = tmp_path / "run.h5"
    with pytest.raises(OwnError, match="my own trouble"):
        pc.simulate(ball_with(complain), end_time=1.0, integrator=integrator, output_step=0.01, record=path)
    assert assert_kept(path, "failed", 0.4).message == "my own trouble"


@pytest.mark.parametrize("error", [ZeroDivisionError("nought"), OwnError(), MemoryError("too much")])
def test_every_error_closes_the_file(error: Exception, tmp_path: Path) -> None:
    def complain(view: pc.multibody.ForceView) -> None:
        if view.time > 0.4:
            raise error

    path = tmp_path / "run.h5"
    with pytest.raises(type(error)):
        pc.simulate(ball_with(complain), end_time=1.0, output_step=0.01, record=path)
    assert assert_kept(path, "failed", 0.4).message == (str(error) or type(error).__name__)


def test_error_at_the_first_evaluation(tmp_path: Path) -> None:
    """Before there is anything to record: no file is made, one that is there stays."""

    def complain(view: pc.multibody.ForceView) -> None:
        raise OwnError("at once")

    path = tmp_path / "run.h5"
    pc.simulate(bouncing_ball(), end_time=0.1, record=path)
    before = path.read_bytes()
    for options in ({"record": tmp_path / "new.h5"}, {"record": path}, {"continue_from": path}):
        with pytest.raises(OwnError):
            pc.simulate(ball_with(complain), end_time=1.0, **options)
    assert path.read_bytes() == before
    assert not (tmp_path / "new.h5").exists()


def test_error_of_progress_closes_the_file(tmp_path: Path) -> None:
    def complain(progress: pc.Progress) -> None:
        raise OwnError("enough")

    with pytest.raises(OwnError, match="enough"):
        pc.simulate(pendulum(), end_time=1.0, record=tmp_path / "run.h5", progress=complain)
    assert pc.Trajectory.open(tmp_path / "run.h5").status == "failed"


def test_force_without_number_from_the_start() -> None:
    def nothing(view: pc.multibody.ForceView) -> None:
        view.add_force("ball", (0.0, np.nan, 0.0))

    for integrator in INTEGRATORS:
        with pytest.raises(pc.IntegrationError, match="body 'ball' is not finite at t = 0") as caught:
            pc.simulate(ball_with(nothing), end_time=1.0, integrator=integrator)
        assert caught.value.time == 0.0


def test_runaway_names_the_body() -> None:
    """A force that feeds on the speed: the state itself leaves the numbers."""

    def explode(view: pc.multibody.ForceView) -> None:
        view.add_force("ball", (1e3 + 1e3 * view.velocity("ball")[0] ** 3, 0.0, 0.0))

    for integrator in INTEGRATORS:
        with pytest.raises(pc.IntegrationError, match="body 'ball'") as caught:
            pc.simulate(ball_with(explode), end_time=1.0, integrator=integrator)
        assert caught.value.time < 0.01


def test_trouble_that_was_overcome_is_not_told_later() -> None:
    """No number in the first trial, then well; the failure at the end has another reason."""
    calls = itertools.count()

    def once(view: pc.multibody.ForceView) -> None:
        if next(calls) == 8:
            view.add_force("ball", (np.nan, 0.0, 0.0))
        if view.time > 0.3:
            view.add_force("ball", (0.0, 0.0, 1.0 / (view.time - 0.3) ** 2))

    with pytest.raises(pc.IntegrationError) as caught:
        pc.simulate(ball_with(once), end_time=1.0)
    assert next(calls) > 8
    assert "is not finite at t = 0.0" not in str(caught.value)


def test_disk_trouble_comes_out_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from polycontact.simulation.recording.run_writer import RunFileWriter

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RunFileWriter, "add_samples", fail)
    with pytest.raises(pc.SimulationError, match="cannot be written"):
        pc.simulate(pendulum(), end_time=1.0, record=tmp_path / "run.h5")


@pytest.mark.parametrize(
    "options", [{}, {"integrator": "dopri5"}, {"response": "impulses"}, {"response": "multipliers"}]
)
def test_motion_without_number_ends_the_run(options: dict[str, str], tmp_path: Path) -> None:
    """The rate of |t - 0.2| is 0/0 at 0.2 s, where a sample is taken; the integrator itself may step over it."""
    system = pc.MultibodySystem()
    system.add_body("slider", mass=1.0, inertia=(1.0, 1.0, 1.0))
    motion = pc.multibody.ExpressionMotion("0.001 * sqrt((t - 0.2)**2)")
    system.add_joint("guide", "prismatic", "world", "slider", axis=(1.0, 0.0, 0.0), motion=motion)
    path = tmp_path / "run.h5"
    with pytest.raises(
        pc.IntegrationError, match=r"'slider': .* not finite at t = 0\.2 s; look for a division"
    ) as caught:
        pc.simulate(system, end_time=0.5, output_step=0.1, record=path, **options)
    assert caught.value.reason == "not finite"
    assert isinstance(caught.value.run, pc.Run)
    assert caught.value.run.status == "failed"
    trajectory = pc.Trajectory.open(path)
    assert trajectory.status == "failed"
    np.testing.assert_allclose(trajectory.time[:2], (0.0, 0.1))
    assert np.isfinite(trajectory.array("state")).all()


def test_motion_without_number_at_the_start_is_told() -> None:
    system = pc.MultibodySystem()
    system.add_body("slider", mass=1.0, inertia=(1.0, 1.0, 1.0))
    motion = pc.multibody.ExpressionMotion("0.001 * sqrt(t**2)")
    system.add_joint("guide", "prismatic", "world", "slider", axis=(1.0, 0.0, 0.0), motion=motion)
    with pytest.raises(pc.errors.PolycontactError, match=r"'slider': .* not finite at t = 0 s; look for a division"):
        pc.simulate(system, end_time=0.5)
