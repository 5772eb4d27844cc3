"""Lengths of steps: limits, given times, the end."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from integration_problems import Array, decay, every_integrator, oscillator, run, tolerances

from polycontact.errors import IntegrationError, SimulationError
from polycontact.simulation.integrators import INTEGRATORS, IntegratorSettings, make_integrator
from scenes import examples


@settings(max_examples=examples(60), deadline=None, derandomize=True)
@given(
    name=st.sampled_from(INTEGRATORS),
    limits=st.lists(st.floats(1e-3, 2.0), min_size=1, max_size=8),
    start=st.floats(-10.0, 10.0),
    max_step=st.sampled_from([0.05, 0.3, math.inf]),
    first_step=st.sampled_from([None, 1e-3, 1.0]),
)
def test_no_step_exceeds_its_limit(
    name: str, limits: list[float], start: float, max_step: float, first_step: float | None
) -> None:
    end = start + 3.0
    latest = start

    def f(t: float, y: Array, out: Array) -> None:
        nonlocal latest
        latest = max(latest, t)
        oscillator(t, y, out)

    options = IntegratorSettings(1e-4, 1e-4, max_step=max_step, first_step=first_step)
    integrator = make_integrator(name, f, start, [1.0, 0.0], end, options)
    count = 0
    while integrator.t < end:
        limit = limits[count % len(limits)]
        before = integrator.t
        integrator.step(limit)
        assert integrator.t_old == before < integrator.t <= end
        assert integrator.t - before <= min(limit, max_step) + 1e-12
        count += 1
    assert integrator.t == end
    assert latest <= end
    assert integrator.y[0] == pytest.approx(math.cos(3.0), abs=5e-2)
    assert integrator.statistics.steps == count


@every_integrator
def test_binding_limit_gives_equal_steps(name: str) -> None:
    integrator = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 1.0, tolerances(1e-2))
    lengths = []
    while integrator.t < 1.0:
        integrator.step(0.03)
        lengths.append(integrator.t - integrator.t_old)
    assert len(lengths) < 42
    np.testing.assert_allclose(lengths[-16:-2], 0.03, rtol=1e-12)
    assert lengths[-1] == pytest.approx(lengths[-2], rel=1e-9)
    assert integrator.statistics.limited_steps > 20


@every_integrator
def test_given_times_are_met_exactly(name: str) -> None:
    integrator = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 1.0, tolerances(1e-4))
    for k in range(1, 10):
        before = integrator.statistics.steps
        while integrator.t < 0.1 * k:
            integrator.step(until=0.1 * k)
            assert integrator.statistics.steps < before + 40
        assert integrator.t == 0.1 * k
        with pytest.raises(SimulationError, match="give a later time"):
            integrator.step(until=0.1 * k)


@every_integrator
def test_limit_of_one_step_hardly_harms_the_next(name: str) -> None:
    """A limit now and then costs a few steps, not the whole history."""
    free = run(make_integrator(name, oscillator, 0.0, [1.0, 0.0], 20.0, tolerances(1e-5)))
    limited = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 20.0, tolerances(1e-5))
    count = 0
    while limited.t < 20.0:
        limited.step(0.8 * limited.statistics.last_step if count % 40 == 39 else math.inf)
        count += 1
    assert limited.statistics.steps < 1.35 * free.statistics.steps + 10


@every_integrator
def test_limit_that_does_not_bind_changes_nothing(name: str) -> None:
    free = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 20.0, tolerances(1e-5, first_step=1e-4))
    loose = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 20.0, tolerances(1e-5, first_step=1e-4))
    while free.t < 18.0:
        free.step()
        loose.step(1.1)
        assert loose.t == free.t


@every_integrator
def test_limit_too_small_for_time(name: str) -> None:
    integrator = make_integrator(name, decay, 1e3, [1.0], 2e3)
    with pytest.raises(IntegrationError) as caught:
        integrator.step(1e-14)
    assert caught.value.reason == "step too small"
    integrator.step(1e-12)
    assert integrator.t == 1e3 + 1e-12
    integrator.step(1.0)
    assert integrator.t > 1e3 + 1e-9


@every_integrator
@pytest.mark.parametrize("remaining", [1e-15, 1e-13, 1e-9])
def test_last_sliver_before_the_end(name: str, remaining: float) -> None:
    integrator = make_integrator(name, decay, 1.0 - remaining, [1.0], 1.0)
    run(integrator)
    assert integrator.t == 1.0
    assert integrator.y[0] == pytest.approx(1.0 - remaining, abs=1e-12)
    middle = 0.5 * (integrator.t_old + 1.0)
    assert integrator.interpolate(middle)[0] == pytest.approx(1.0, abs=1e-8)
