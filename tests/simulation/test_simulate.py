"""`simulate`: output times, tolerances, step sizes, counts, bits that repeat, settings that are refused."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest
from small_systems import (
    GRAVITY,
    MASS,
    bouncing_ball,
    box_over_plane,
    latched,
    oscillator,
    pendulum,
    pendulum_angle,
    same_bits,
)

import polycontact as pc
from polycontact.scenario.loading import load_scenario
from polycontact.simulation import run_system, step_sequence
from polycontact.simulation.integrators import INTEGRATORS
from polycontact.simulation.run_evaluators import RunEvaluators, make_evaluators
from polycontact.simulation.step_sequence import StepSequence

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def pendulum_error(**settings: Any) -> float:
    trajectory = pc.simulate(pendulum(), end_time=3.0, **settings).trajectory
    angle = trajectory.joint("hinge").coordinates[:, 0]
    return float(np.abs(angle - pendulum_angle(trajectory.time)).max())


@every_integrator
def test_samples_are_taken_where_asked(integrator: str) -> None:
    """The times are those asked for, to the bit; the states are those of free fall at these times."""
    times = [0.011, 0.05, 0.0500001, 0.2, 0.29]
    run = pc.simulate(bouncing_ball(), end_time=0.3, integrator=integrator, output_times=times, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(run.trajectory.time, [0.0, *times, 0.3])
    fallen = 0.6 - 0.5 * GRAVITY * run.trajectory.time**2
    # Local errors of 1e-8, gathered over some tens of steps.
    np.testing.assert_allclose(run.trajectory.body("ball").position[:, 2], fallen, atol=1e-6)
    assert run.statistics.samples == len(times) + 2


@every_integrator
def test_equal_steps_of_output(integrator: str) -> None:
    run = pc.simulate(pendulum(), start_time=1.0, end_time=1.5, integrator=integrator, output_step=0.03)
    np.testing.assert_array_equal(run.trajectory.time, [1.0, *(1.0 + 0.03 * np.arange(1.0, 17.0)), 1.5])


def test_300_intervals_unless_told() -> None:
    time = pc.simulate(pendulum(), end_time=0.7).trajectory.time
    assert len(time) == 301
    assert (time[0], time[-1]) == (0.0, 0.7)
    np.testing.assert_allclose(np.diff(time), 0.7 / 300, rtol=1e-12)


@pytest.mark.parametrize("times", [[-1.0, 0.25], [0.25, 2.0]])
def test_output_outside_the_run_is_refused(times: list[float]) -> None:
    with pytest.raises(pc.SimulationError, match=r"output_times reach from .* the run goes from 0.0 s to 0.5 s"):
        pc.simulate(pendulum(), end_time=0.5, output_times=times)


@pytest.mark.parametrize(("start", "end"), [(0.0, 1e-300), (0.0, 5e-324), (1e6, 1e6 + 1e-8)])
def test_too_short_a_run_is_refused(start: float, end: float) -> None:
    with pytest.raises(pc.SimulationError, match="too short a time"):
        pc.simulate(pendulum(), start_time=start, end_time=end)


@every_integrator
def test_error_falls_with_the_tolerances(integrator: str) -> None:
    """Over 3 s local errors gather and grow with the motion: a hundred tolerances is the order of magnitude."""
    errors = [pendulum_error(integrator=integrator, rtol=tol, atol=tol) for tol in (1e-3, 1e-5, 1e-7, 1e-9)]
    for loose, tight in itertools.pairwise(errors):
        assert tight < 0.2 * loose
    assert errors[-1] < 1e-6


def test_tolerance_of_velocities_counts_alone() -> None:
    """With a loose tolerance of positions and almost no relative one, that of velocities rules the error."""
    loose, tight = (pendulum_error(rtol=1e-10, atol=1e-2, velocity_atol=tol) for tol in (1e-2, 1e-6))
    assert tight < 0.01 * loose


@every_integrator
def test_steps_stay_below_max_step(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = steps_of(monkeypatch, pendulum(), end_time=1.0, integrator=integrator, max_step=0.013)
    assert max(steps) <= 0.013 * (1.0 + 1e-12)
    assert sum(steps) == pytest.approx(1.0, rel=1e-12)
    assert len(steps) >= 1.0 / 0.013


@every_integrator
def test_first_step_is_tried_first(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = steps_of(monkeypatch, pendulum(), end_time=1.0, integrator=integrator, first_step=1e-5)
    assert steps[0] == pytest.approx(1e-5, rel=1e-6)  # accurate enough, so it is not shortened


def steps_of(monkeypatch: pytest.MonkeyPatch, system: pc.MultibodySystem, **settings: Any) -> list[float]:
    """Lengths of all steps that the driver has accepted, s."""
    steps: list[float] = []
    go_on = StepSequence.go_on

    def spy(self: StepSequence) -> int:
        needs = go_on(self)
        steps.append(self._stepper.t - self._stepper.t_old)
        return needs

    monkeypatch.setattr(StepSequence, "go_on", spy)
    monkeypatch.setattr(step_sequence, "SLICE_SECONDS", 0.0)  # compiled steps come back after each
    monkeypatch.setattr(step_sequence, "FEWEST_EVALUATIONS", 1)
    run = pc.simulate(system, **settings)
    assert run.statistics.steps == len(steps)
    assert run.statistics.mean_step == pytest.approx(run.statistics.simulated_time / len(steps))
    return steps


@every_integrator
def test_evaluations_are_counted(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the integrator's, each sample evaluates once, and so do the step limit, the scale of the ledger and peaks.

    Peaks do so at the start, maybe at the greatest force and torque of the floor's joint, and after steps of lsoda that
    end before its last call.
    """
    made: list[RunEvaluators] = []

    def noted(*arguments: Any, **options: Any) -> RunEvaluators:
        made.append(make_evaluators(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(run_system, "make_evaluators", noted)
    statistics = pc.simulate(bouncing_ball(), end_time=0.6, integrator=integrator, output_step=0.01).statistics
    calls = sum(each.view.ending.evaluations for each in made[0])  # as the kernels count them
    assert 3 <= calls - statistics.evaluations - statistics.samples <= (5 if integrator != "lsoda" else 8)
    assert statistics.samples == 61
    # SUNDIALS gets df/dy from the slope of the contact, one evaluation; LSODA by columns: 7 coordinates and 6 speeds,
    # as the ledger influences nothing.
    by_columns = 13 if integrator == "lsoda" else 1
    assert statistics.jacobian_evaluations == by_columns * statistics.jacobians
    if integrator != "lsoda":  # which chooses its method by itself
        assert (statistics.jacobians > 0) == (integrator in ("cvode-bdf", "ida"))


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"end_time": 0.0}, "end_time 0.0 s is not after"),
        ({"end_time": -1.0}, "end_time -1.0 s is not after"),
        ({"end_time": math.nan}, "end_time is nan"),
        ({"end_time": math.inf}, "end_time is inf"),
        ({"end_time": "long"}, "end_time is 'long'"),
        ({"end_time": True}, "end_time is True"),
        ({"start_time": math.nan}, "start_time is nan"),
        ({"start_time": "now"}, "start_time is 'now'"),
        ({"start_time": 2.0}, "start at 2.0 s"),
        ({"integrator": "euler"}, "no integrator 'euler'; choose one of cvode-bdf"),
        ({"integrator": None}, "no integrator None"),
        *(
            ({name: value}, f"{name} is {value!r}")
            for name in ("rtol", "atol", "velocity_atol", "max_step", "first_step", "output_step")
            for value in (0.0, -1e-3, math.nan, math.inf, "small")
        ),
        ({"rtol": None}, "rtol is None"),
        ({"rtol": 1e-16}, "rtol is 1e-16"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": 1.5}, "workers is 1.5"),
        ({"workers": True}, "workers is True"),
        ({"output_step": 1e-9}, "output_step of 1e-09 s"),
        ({"output_step": 0.1, "output_times": [0.5]}, "both output_times and output_step"),
        ({"output_times": [0.5, 0.2]}, "output_times are"),
        ({"output_times": [0.5, math.nan]}, "output_times are"),
        ({"output_times": 0.5}, "output_times are 0.5"),
        ({"output_times": ["soon"]}, "output_times are"),
        ({"output_times": [[0.1], [0.2]]}, "output_times are"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(pc.SimulationError) as caught:
        pc.simulate(pendulum(), **{"end_time": 1.0, **settings})
    assert named in str(caught.value)


def test_same_run_twice_gives_the_same_bits() -> None:
    scenario = load_scenario("bubbles")
    options = {**scenario.settings, "end_time": 0.8}
    system = scenario.build()
    first, again = pc.simulate(system, **options), pc.simulate(system, **options)
    same_bits(first.trajectory, again.trajectory)
    same_bits(first.trajectory, pc.simulate(scenario.build(), **options).trajectory)
    assert (first.trajectory.array("contact")[:, :, 0] > 0.0).any()


def test_discrete_states_start_anew() -> None:
    system = latched()
    first, again = (pc.simulate(system, end_time=2.0) for _ in range(2))
    same_bits(first.trajectory, again.trajectory)
    assert first.statistics.restarts == 1
    # With 1 N on 2 kg: t²/4 until 0.2 m, from then on 0.2 m + v τ - τ²/4.
    turned = math.sqrt(0.8)
    tau = 2.0 - turned
    position = 0.2 + 0.5 * turned * tau - 0.25 * tau**2
    assert first.trajectory.joint("slide").coordinates[-1, 0] == pytest.approx(position, abs=1e-3)


def test_two_workers_give_the_same_bits() -> None:
    scenario = load_scenario("bubbles")
    options = {**scenario.settings, "end_time": 0.6}
    one = pc.simulate(scenario.build(), **options)
    two = pc.simulate(scenario.build(), **{**options, "workers": 2})
    same_bits(one.trajectory, two.trajectory)
    assert one.statistics.evaluations == two.statistics.evaluations


@pytest.mark.parametrize("with_force", [False, True])
def test_profile_changes_no_bit(with_force: bool) -> None:
    def push(view: pc.multibody.ForceView) -> None:
        view.add_force("ball", (0.5, 0.0, -0.1 * view.velocity("ball")[2]))

    def ball() -> pc.MultibodySystem:
        system = bouncing_ball(damping=1e3)
        if with_force:
            system.add_force(pc.multibody.PythonForce("push", push))
        return system

    plain = pc.simulate(ball(), end_time=1.0)
    profiled = pc.simulate(ball(), end_time=1.0, profile=True)
    same_bits(plain.trajectory, profiled.trajectory)
    assert plain.statistics.profile is None
    profile = profiled.statistics.profile
    assert profile is not None
    assert set(profile) == {"contacts", "dynamics", "recording", "integrator"}
    # The last part is what remains of the CPU time; clocks may tick differently by a little.
    assert sum(profile.values()) == pytest.approx(profiled.statistics.cpu_seconds, rel=1e-6)
    assert all(seconds >= 0.0 for seconds in profile.values())


def test_profile_sees_users_states() -> None:
    first, again = pc.simulate(latched(), end_time=1.5), pc.simulate(latched(), end_time=1.5, profile=True)
    same_bits(first.trajectory, again.trajectory)


@every_integrator
def test_one_body_without_shape_from_rest(integrator: str) -> None:
    """Its energies have no scale but that of the spring; the ledger starts at zero all the same."""
    run = pc.simulate(oscillator(damping=1.0), end_time=2.0, integrator=integrator, rtol=1e-6, atol=1e-6)
    trajectory = run.trajectory
    decay, omega = 0.5 / MASS, math.sqrt(25.0 - (0.5 / MASS) ** 2)
    time = trajectory.time
    exact = 0.1 * np.exp(-decay * time) * (np.cos(omega * time) + decay / omega * np.sin(omega * time))
    # 1e-6 a step, some hundreds of steps of which the errors partly cancel.
    np.testing.assert_allclose(trajectory.joint("slide").coordinates[:, 0], exact, atol=5e-5)


def test_nothing_that_moves() -> None:
    system = pc.MultibodySystem("still")
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    run = pc.simulate(system, end_time=1.0, output_step=0.5)
    assert run.status == "finished"
    assert len(run.trajectory) == 3


def test_progress_is_reported() -> None:
    seen: list[pc.Progress] = []
    run = pc.simulate(box_over_plane(height=-1e-4), end_time=0.2, progress=seen.append)
    assert seen[-1].time == seen[-1].end_time == 0.2
    assert [each.time for each in seen] == sorted(each.time for each in seen)
    assert seen[-1].evaluations == run.statistics.evaluations
    assert seen[-1].contacts in (0, 1)


def test_a_tolerance_as_large_as_a_body_is_told() -> None:
    system = pc.MultibodySystem("tiny")
    system.add_body("grain", surface=pc.shapes.sphere(1e-5, 1), density=1000.0, position=(0.0, 0.0, 2e-5))
    system.add_body("plate", surface=pc.shapes.plane((1e-3, 1e-3)), fixed=True)
    system.add_contact("grain", "plate", law=pc.LayerLaw(stiffness=1e9))
    with pytest.warns(pc.SimulationWarning, match=r"atol is 0.0001 m, but the thinnest body .* set atol to"):
        pc.simulate(system, end_time=1e-4, atol=1e-4)


def test_a_dense_matrix_of_many_states_is_told() -> None:
    system = pc.MultibodySystem("many", gravity=(0.0, 0.0, 0.0))
    for i in range(80):
        system.add_body(f"b{i}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(i, 0.0, 0.0))
    with pytest.warns(pc.SimulationWarning, match="dense matrix of 1040 states"):
        pc.simulate(system, end_time=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pc.simulate(system, end_time=1e-3, integrator="dopri5")


def test_a_run_prints_in_one_line() -> None:
    assert repr(pc.simulate(pendulum(), end_time=0.1)).startswith("Run(finished: reached t = 0.1 s; cvode-bdf, ")


@pytest.mark.parametrize("response", ["compliant", "multipliers"])
def test_progress_tells_contacts_between_samples(monkeypatch: pytest.MonkeyPatch, response: str) -> None:
    """A box that lies on the plane touches it at every step, though samples are taken at the start and the end only."""
    ticks = itertools.count()
    monkeypatch.setattr("polycontact.simulation.driver.perf_counter", lambda: float(next(ticks)))
    seen: list[pc.Progress] = []
    pc.simulate(box_over_plane(height=-1e-4), end_time=0.02, output_step=0.02, response=response, progress=seen.append)
    between = [each for each in seen if 0.0 < each.time < 0.02]
    assert between
    assert {each.contacts for each in between} == {1}
