"""Starts and ends of contact, and events of users' elements beside them."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from small_systems import GRAVITY, Latch, bounce_times, bouncing_ball, box_over_plane

import polycontact as pc
from polycontact.scenario.loading import load_scenario
from polycontact.simulation.integrators import INTEGRATORS

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)
HEIGHT = 0.5


@every_integrator
def test_bounces_come_when_free_fall_says(integrator: str, tmp_path: Path) -> None:
    """Three bounces, each with a start and an end; errors of the integration gather from bounce to bounce."""
    path = tmp_path / "run.h5"
    run = pc.simulate(
        box_over_plane(height=HEIGHT),
        end_time=1.8,
        integrator=integrator,
        rtol=1e-10,
        atol=1e-10,
        contact_events=True,
        record=path,
    )
    times = bounce_times(HEIGHT, 3)
    times = times[times < 1.8]
    assert [event.kind for event in run.events] == ["start", "end"] * (len(times) // 2) + ["start"] * (len(times) % 2)
    assert {event.pairing for event in run.events} == {"landing"}
    np.testing.assert_allclose([event.time for event in run.events], times, atol=1e-7)
    # Before the first one nothing but the fall, which all of them follow to their tolerance.
    assert run.events[0].time == pytest.approx(math.sqrt(2.0 * HEIGHT / GRAVITY), abs=1e-9)
    recorded = pc.Trajectory.open(path)
    assert recorded.events == run.events
    assert run.statistics.events == len(run.events) == recorded.statistics["events"]


def test_events_do_not_change_the_motion() -> None:
    """They are looked for on the interpolant; the integrator goes on as if nothing was."""
    system = bouncing_ball(damping=300.0)
    with_events = pc.simulate(system, end_time=1.0, contact_events=True)
    without = pc.simulate(system, end_time=1.0)
    assert without.events == ()
    assert with_events.statistics.evaluations == without.statistics.evaluations
    np.testing.assert_array_equal(with_events.trajectory.array("state"), without.trajectory.array("state"))


def test_contact_from_the_start_has_an_end_only() -> None:
    run = pc.simulate(box_over_plane(height=-0.01), end_time=0.2, contact_events=True)
    assert [event.kind for event in run.events] == ["end"]


def test_several_pairs_alternate_each() -> None:
    """Bubbles: whatever happens, each pair starts, ends, starts; in order of time."""
    scenario = load_scenario("bubbles")
    options = {**scenario.settings, "end_time": 1.0, "contact_events": True, "output_step": 0.002}
    run = pc.simulate(scenario.build(), **options)
    times = [event.time for event in run.events]
    assert times == sorted(times)
    assert len(run.events) > 6
    for name in run.trajectory.pairings:
        kinds = [event.kind for event in run.events if event.pairing == name]
        assert kinds == list(itertools.islice(itertools.cycle(("start", "end")), len(kinds)))
        touching = run.trajectory.pairing(name).in_contact
        changes = np.diff([event.time for event in run.events if event.pairing == name], prepend=0.0)
        if len(kinds) and changes.min() > 0.004:  # no contact too short for a sample
            starts = np.count_nonzero(np.diff(touching.astype(int)) > 0)
            assert starts == kinds.count("start")


class Trip(Latch):
    """Notes when the box falls below a height; nothing else."""

    def __init__(self, height: float) -> None:
        pc.multibody.ForceElement.__init__(self, "trip", discrete=(0.0,))
        self.height = height

    def apply(self, view: pc.multibody.ForceView) -> None:
        pass

    def roots(self, view: pc.multibody.ForceView) -> list[float]:
        return [float(view.position("box")[2]) - self.height]

    def at_event(self, view: pc.multibody.ForceView, root: int) -> None:
        view.discrete[0] += 1.0


@every_integrator
@pytest.mark.parametrize("depth", [-1e-6, 1e-6])
def test_users_event_beside_a_contact_is_not_lost(integrator: str, depth: float) -> None:
    """A root just before or just after a contact starts, in the same step as it."""
    system = box_over_plane(height=HEIGHT)
    system.add_force(Trip(0.05 - depth))
    end = 0.3195  # in the first contact
    run = pc.simulate(system, end_time=end, integrator=integrator, contact_events=True, rtol=1e-8, atol=1e-8)
    assert [event.kind for event in run.events] == ["start"]
    assert run.trajectory.array("discrete")[-1, 0] == 1.0
    assert run.statistics.restarts == 1
    # Where it restarts before the contact, the contact is found in the step after, not twice.
    assert run.events[0].time == pytest.approx(math.sqrt(2.0 * HEIGHT / GRAVITY), abs=1e-6)


@every_integrator
def test_users_roots_are_found_to_rounding(integrator: str) -> None:
    seen: list[float] = []

    class Clock(pc.multibody.ForceElement):
        def apply(self, view: pc.multibody.ForceView) -> None:
            pass

        def roots(self, view: pc.multibody.ForceView) -> list[float]:
            return [math.sin(10.0 * math.pi * view.time - 1.0)]

        def at_event(self, view: pc.multibody.ForceView, root: int) -> None:
            seen.append(view.time)

    system = bouncing_ball()
    system.add_force(Clock("clock"))
    pc.simulate(system, end_time=0.3, integrator=integrator, max_step=0.05)
    exact = (np.arange(3) * math.pi + 1.0) / (10.0 * math.pi)
    np.testing.assert_allclose(seen, exact[: len(seen)], atol=1e-12)
    assert len(seen) == 3
