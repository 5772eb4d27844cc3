"""Greatest loads of a run: closed forms, the same number at every sampling rate, and what happens at the ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from small_systems import GRAVITY, LENGTH, MASS, SPRING, START_ANGLE, bouncing_ball, box_over_plane, latched, pendulum

import polycontact as pc
from polycontact.simulation.peak_search import _Candidate, _Point, _top
from polycontact.simulation.recording.run_peaks import Peak, peaks_of_samples

TIGHT = {"rtol": 1e-8, "atol": 1e-9}
INTEGRATORS = ("cvode-bdf", "lsoda", "dopri5", "ida")


def greatest_force(height: float) -> float:
    """Of the box that falls on the plane without damping, N: its energy is in the spring at the lowest point."""
    weight = MASS * GRAVITY
    return weight + math.sqrt(weight**2 + 2.0 * SPRING * weight * height)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_greatest_force_of_a_fall(integrator: str) -> None:
    """One sample in the whole contact, at most: the peak is found all the same."""
    run = pc.simulate(box_over_plane(), end_time=0.5, output_step=0.1, integrator=integrator, **TIGHT)
    found = run.peaks.contacts["landing"]
    expected = greatest_force(0.5)
    assert found.force.value == pytest.approx(expected, rel=1e-5)  # errors of the integration
    assert found.depth.value == pytest.approx(expected / SPRING, rel=1e-5)
    start = math.sqrt(2.0 * 0.5 / GRAVITY)
    omega, speed = math.sqrt(SPRING / MASS), math.sqrt(2.0 * GRAVITY * 0.5)
    lowest = start + (math.pi - math.atan2(speed * omega, GRAVITY)) / omega
    assert found.force.time == pytest.approx(lowest, abs=1e-5)
    assert not run.peaks.from_samples
    assert peaks_of_samples(run.trajectory).contacts.get("landing") != found


@pytest.mark.parametrize(
    "integrator", ["cvode-bdf", "dopri5", *(pytest.param(name, marks=pytest.mark.slow) for name in ("lsoda", "ida"))]
)
def test_no_sampling_rate_changes_them(integrator: str) -> None:
    """Default tolerances, where samples are far apart; with fine ones, nothing greater is found."""
    runs = [
        pc.simulate(bouncing_ball(damping=2e4), end_time=1.0, output_step=step, integrator=integrator)
        for step in (0.05, 0.013, 2e-4)
    ]
    first, second, fine = (run.peaks for run in runs)
    assert first == second == fine
    in_samples = peaks_of_samples(runs[2].trajectory).contacts["bounce"]
    for name, peak, sampled in zip(("force", "pressure", "depth"), fine.contacts["bounce"], in_samples, strict=True):
        if integrator == "dopri5" and name == "pressure":
            continue  # it goes up and down from facet to facet, several times within one of its long steps
        # The integrator's polynomial and a cubic one differ within its tolerance.
        assert peak.value == pytest.approx(sampled.value, rel=0.003), name


def test_bearing_force_of_a_pendulum() -> None:
    """At the lowest point, along the rod: m g + m l θ'², from the energy."""
    run = pc.simulate(pendulum(), end_time=1.2, output_step=0.3, **TIGHT)
    J = 0.01 + 1.5 * LENGTH**2
    square = 2.0 * 1.5 * GRAVITY * LENGTH * (1.0 - math.cos(START_ANGLE)) / J
    found = run.peaks.joints["hinge"]
    assert found.force.value == pytest.approx(1.5 * (GRAVITY + LENGTH * square), rel=1e-5)
    sampled = np.linalg.norm(run.trajectory.reaction("hinge").force, axis=1).max()
    assert sampled < 0.99 * found.force.value  # what samples alone would tell
    assert found.torque.value == pytest.approx(0.0, abs=1e-9)


def test_loads_at_the_start_and_at_the_end() -> None:
    """A box that starts pressed in and flies off, and one that is still sinking when the run ends."""
    depth = 0.01
    run = pc.simulate(box_over_plane(height=-depth, gravity=0.0), end_time=0.02, **TIGHT)
    assert run.peaks.contacts["landing"].force == pytest.approx((SPRING * depth, 0.0), rel=1e-12)
    speed, end = 2.0, 0.3 * math.sqrt(MASS / SPRING)
    system = box_over_plane(height=0.0, gravity=0.0, velocity=(0.0, 0.0, -speed))
    found = pc.simulate(system, end_time=end, **TIGHT).peaks.contacts["landing"].force
    assert found.time == end
    assert found.value == pytest.approx(
        speed * math.sqrt(SPRING * MASS) * math.sin(0.3), rel=1e-5
    )  # it shrinks no step


def test_nothing_that_touches() -> None:
    run = pc.simulate(box_over_plane(height=50.0), end_time=0.1)
    assert run.peaks.contacts == {}


def test_users_elements_and_their_events() -> None:
    """The latch changes its force in jumps; loads before and after are followed apart."""
    run = pc.simulate(latched(), end_time=3.0)
    slide = run.peaks.joints["slide"]
    assert slide.force.value == pytest.approx(1.0, rel=1e-9)  # the latch pushes along the slide, nothing else acts


def test_laws_that_remember() -> None:
    """Forces of accepted steps, without another look."""
    system = box_over_plane(friction=pc.StickFriction(coefficient=0.5, stiffness=1e8), velocity=(0.5, 0.0, 0.0))
    runs = [pc.simulate(system, end_time=0.4, output_step=step) for step in (0.1, 1e-3)]
    assert runs[0].peaks == runs[1].peaks
    sampled = peaks_of_samples(runs[1].trajectory).contacts["landing"].force
    assert runs[0].peaks.contacts["landing"].force.value == pytest.approx(sampled.value, rel=0.03)


def test_in_a_file_and_in_its_continuation(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    system = bouncing_ball(damping=2e4)
    first = pc.simulate(system, end_time=0.45, record=path)
    assert pc.Trajectory.open(path).peaks == first.peaks
    greatest = first.peaks.contacts["bounce"].force
    longer = pc.simulate(system, end_time=1.5, continue_from=path)
    assert longer.peaks.contacts["bounce"].force == greatest  # the first bounce, of the run before
    apart = pc.simulate(system, end_time=2.0, continue_from=path, record=tmp_path / "more.h5")
    assert apart.peaks.contacts["bounce"].force.value < greatest.value  # another file has its own loads only
    assert apart.peaks.contacts["bounce"].force.time >= 1.5  # where it begins, if the ball lies still by then


def test_runs_that_have_none_recorded() -> None:
    run = pc.simulate(bouncing_ball(damping=2e4), end_time=0.5, output_step=0.01)
    run.trajectory.statistics.pop("peaks")  # as in files of earlier versions
    old = pc.Trajectory(run.trajectory._source)
    assert old.peaks.from_samples
    history = old.pairing("bounce")
    assert old.peaks.contacts["bounce"].force.value == np.linalg.norm(history.force, axis=1).max()
    plain = old.peaks.to_plain()
    assert pc.simulation.RunPeaks.from_plain(plain) == old.peaks


def test_top_of_a_peak() -> None:
    """Of a parabola at once; of others where the values around do not deceive."""
    points = tuple(_Point(t, np.array([t]), np.array([1.0])) for t in (0.0, 1.0, 1.7))
    looked = []

    def parabola(_: object, t: float) -> np.ndarray:
        looked.append(t)
        return np.array([5.0 - 2.0 * (t - 1.2) ** 2])

    def told(load: Callable[[float], float]) -> tuple[float, ...]:
        return tuple(load(point.t) for point in points)

    seen = told(lambda t: 5.0 - 2.0 * (t - 1.2) ** 2)
    top = _top(_Candidate(5.0, 1.2, points, seen), parabola, 0)
    assert top == pytest.approx(Peak(5.0, 1.2), abs=1e-12)
    assert looked == [1.2]  # the estimate is the top, one look is enough
    # Another shape: the parabola through the ends of steps guesses 0.9, the top is at 0.83.
    bell = _top(
        _Candidate(1.0, 0.9, points, told(lambda t: math.exp(-2.0 * (t - 0.83) ** 2))),
        lambda _, t: np.array([math.exp(-2.0 * (t - 0.83) ** 2)]),
        0,
    )
    assert bell.value == pytest.approx(1.0, abs=1e-3)
    # The integrator's calls told of a peak that the accepted states do not have: what is returned was looked at.
    off = _top(_Candidate(9.0, 1.0, points, (0.0, 9.0, 0.0)), lambda _, t: np.array([1.0]), 0)
    assert off.value == 1.0


def test_a_load_that_is_greatest_where_it_begins() -> None:
    """A hard damper: the force is greatest at the touch, inside a step, and falls from there."""
    law = pc.LayerLaw(stiffness=1e5, damping=3e5)
    run = pc.simulate(box_over_plane(height=0.2, law=law), end_time=0.4, integrator="dopri5", output_step=1e-4)
    sampled = peaks_of_samples(run.trajectory).contacts["landing"].force.value
    assert run.peaks.contacts["landing"].force.value > 0.8 * sampled
