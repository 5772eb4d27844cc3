"""A time stepper from outside drives a system: samples, events, ledger, recording and failures stay the driver's."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from integration_problems import Array
from small_systems import BOX, GRAVITY, bounce_times, bouncing_ball, box_over_plane, latched

import polycontact as pc


class SemiImplicitEuler:
    """Steps of one length: speeds by the accelerations at the start, then coordinates by the new speeds."""

    name = "semi-implicit Euler"

    def __init__(self, length: float) -> None:
        self.length = length

    def start(self, problem: pc.simulation.StepperProblem) -> None:
        self.problem = problem
        self.statistics = pc.simulation.IntegratorStatistics()
        self.t = self.t_old = problem.start_time
        self.y = self.y_old = np.array(problem.state)

    def step(self, limit: float, *, until: float) -> float:
        problem, (n_q, n_v) = self.problem, (self.problem.system.n_coordinates, self.problem.system.n_speeds)
        end = min(self.t + min(self.length, limit), until, problem.end_time)
        if problem.end_time - end < 1e-6 * self.length:
            end = problem.end_time  # no rest that is only rounding
        h = end - self.t
        rates = np.empty_like(self.y)
        problem.rates(self.t, self.y, rates)
        y = self.y + h * rates
        faster = np.concatenate([self.y[:n_q], y[n_q : n_q + n_v], self.y[n_q + n_v :]])
        problem.rates(self.t, faster, rates)
        y[:n_q] = self.y[:n_q] + h * rates[:n_q]
        self.t_old, self.y_old, self.t, self.y = self.t, self.y, end, y
        self.statistics.steps += 1
        self.statistics.evaluations += 2
        return end

    def interpolate(self, t: float) -> Array:
        share = (t - self.t_old) / (self.t - self.t_old) if self.t > self.t_old else 1.0
        return np.asarray((1.0 - share) * self.y_old + share * self.y)

    def restart(self, t: float, y: Array) -> None:
        self.t = self.t_old = t
        self.y = self.y_old = np.array(y)
        self.statistics.restarts += 1


def height_after_bounce(length: float) -> float:
    run = pc.simulate(box_over_plane(height=0.05), end_time=0.2, stepper=SemiImplicitEuler(length))
    assert run.statistics.steps == pytest.approx(0.2 / length, rel=0.1)
    return float(run.trajectory.body("box").position[-1, 2])


def test_first_order_convergence() -> None:
    """Down, a bounce on the linear spring, and up again: half the step, half the error."""
    start, end = bounce_times(0.05, 1)
    speed, flight = GRAVITY * start, 0.2 - end
    exact = 0.5 * BOX[2] + speed * flight - 0.5 * GRAVITY * flight**2
    errors = [abs(height_after_bounce(length) - exact) for length in (4e-4, 2e-4, 1e-4)]
    rates = [math.log2(a / b) for a, b in itertools.pairwise(errors)]
    assert all(0.8 < rate < 1.2 for rate in rates), (errors, rates)


def test_ball_falls_on_a_plate(tmp_path: Path) -> None:
    """Trajectory, ledger, events, elements, recording and progress come out as with any integrator."""
    path, seen = tmp_path / "run.h5", []
    options: dict[str, Any] = {"end_time": 0.4, "output_step": 0.01, "contact_events": True, "elements": True}
    run = pc.simulate(
        bouncing_ball(damping=300.0, height=0.2),
        stepper=SemiImplicitEuler(2e-4),
        record=path,
        progress=seen.append,
        **options,
    )
    same = pc.simulate(bouncing_ball(damping=300.0, height=0.2), rtol=1e-7, atol=1e-9, **options)
    assert run.status == "finished"
    assert run.statistics.integrator == "semi-implicit Euler"
    assert run.statistics.evaluations == 2 * run.statistics.steps > 2000
    trajectory = pc.Trajectory.open(path)
    assert trajectory.settings["integrator"] == "semi-implicit Euler"
    np.testing.assert_allclose(trajectory.time, same.trajectory.time, atol=1e-12)
    np.testing.assert_allclose(trajectory.body("ball").position, same.trajectory.body("ball").position, atol=2e-3)
    assert [event.kind for event in run.events] == [event.kind for event in same.events]
    np.testing.assert_allclose([e.time for e in run.events], [e.time for e in same.events], atol=1e-3)
    assert max(len(trajectory.pairing("bounce").elements(i)) for i in range(len(trajectory))) > 10
    assert run.ledger["contact_damping"][-1] == pytest.approx(same.ledger["contact_damping"][-1], rel=0.02)
    # First order too: the work of the contact is summed with the power at the start of each step.
    assert run.ledger.worst_balance < 0.05 * run.ledger.turnover
    assert seen[-1].time == 0.4


def test_its_greatest_loads_are_those_of_the_samples() -> None:
    """It does not evaluate the ends of its steps, and nobody does so for it."""
    run = pc.simulate(box_over_plane(height=0.05), end_time=0.2, stepper=SemiImplicitEuler(1e-3))
    assert run.peaks.from_samples
    sampled = np.linalg.norm(run.trajectory.pairing("landing").force, axis=1).max()
    assert run.peaks.contacts["landing"].force.value == sampled


def test_events_of_users_elements_restart_it() -> None:
    stepper = SemiImplicitEuler(1e-3)
    run = pc.simulate(latched(), end_time=3.0, stepper=stepper)
    same = pc.simulate(latched(), end_time=3.0)
    assert run.statistics.restarts == same.statistics.restarts > 0
    place, expected = (each.trajectory.joint("slide").coordinates[-1, 0] for each in (run, same))
    assert place == pytest.approx(expected, abs=5e-3)


def test_a_run_of_it_can_be_continued(tmp_path: Path) -> None:
    """A one-step method without history goes on as if it had never stopped, and may be started again."""
    path, stepper = tmp_path / "run.h5", SemiImplicitEuler(1e-3)
    options = {"stepper": stepper, "output_step": 0.05}
    pc.simulate(bouncing_ball(), end_time=0.2, record=path, **options)
    pc.simulate(bouncing_ball(), end_time=0.4, continue_from=path, **options)
    both, once = pc.Trajectory.open(path), pc.simulate(bouncing_ball(), end_time=0.4, **options).trajectory
    np.testing.assert_allclose(both.array("state"), once.array("state"), rtol=1e-9, atol=1e-12)


class _Backwards(SemiImplicitEuler):
    def step(self, limit: float, *, until: float) -> float:
        self.t -= 1e-3
        return self.t


class _TooFar(SemiImplicitEuler):
    def step(self, limit: float, *, until: float) -> float:
        return super().step(limit=1.0, until=math.inf) and self._jump()

    def _jump(self) -> float:
        self.t += 10.0
        return self.t


class _Lost(SemiImplicitEuler):
    def step(self, limit: float, *, until: float) -> float:
        end = super().step(limit, until=until)
        self.y[0] = math.nan
        return end


def test_steps_that_are_none() -> None:
    with pytest.raises(pc.SimulationError, match=r"semi-implicit Euler stepped from 0 s to -0\.001 s"):
        pc.simulate(latched(), end_time=1.0, stepper=_Backwards(1e-3))
    with pytest.raises(pc.SimulationError, match="a step goes forward, to 1 s at most"):
        pc.simulate(latched(), end_time=1.0, stepper=_TooFar(1e-3))
    with pytest.raises(pc.IntegrationError, match=r"the state is not finite at 0\.001 s") as caught:
        pc.simulate(latched(), end_time=1.0, stepper=_Lost(1e-3))
    assert isinstance(caught.value.run, pc.Run)


def test_what_is_no_stepper() -> None:
    with pytest.raises(pc.SimulationError, match="it has no start, step, interpolate, restart"):
        pc.simulate(latched(), end_time=1.0, stepper=3)  # type: ignore[arg-type]
    with pytest.raises(pc.SimulationError, match="give an object, not its class"):
        pc.simulate(latched(), end_time=1.0, stepper=SemiImplicitEuler)  # type: ignore[arg-type]
    with pytest.raises(pc.SimulationError, match=r"jacobian is .*; leave it out, or give it to your stepper"):
        pc.simulate(latched(), end_time=1.0, stepper=SemiImplicitEuler(1e-3), jacobian=lambda t, y, out: None)
