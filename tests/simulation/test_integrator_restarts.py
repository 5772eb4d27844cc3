"""Integrators that start anew at a time and state of their own or of the caller's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from integration_problems import Array, decay, every_integrator, oscillator, run, tolerances

from polycontact.errors import SimulationError
from polycontact.simulation.integrators import make_integrator


@every_integrator
def test_restart_forgets_history_and_keeps_statistics(name: str) -> None:
    calls = 0

    def f(t: float, y: Array, out: Array) -> None:
        nonlocal calls
        calls += 1
        out[:] = -y if t < 1.0 else y

    integrator = make_integrator(name, f, 0.0, [1.0], 2.0, tolerances(1e-8))
    while integrator.t < 1.0:
        integrator.step(until=1.0)
    integrator.interpolate(0.5 * (integrator.t_old + integrator.t))
    steps = integrator.statistics.steps
    integrator.restart(1.0, 2.0 * integrator.y)
    assert integrator.t == integrator.t_old == 1.0
    run(integrator)
    assert integrator.y[0] == pytest.approx(2.0, rel=1e-6)
    assert integrator.statistics.restarts == 1
    assert integrator.statistics.steps > steps
    assert integrator.statistics.evaluations == calls


@every_integrator
def test_restart_inside_the_last_step(name: str) -> None:
    integrator = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 5.0, tolerances(1e-8))
    for _ in range(30):
        integrator.step()
        back = 0.5 * (integrator.t_old + integrator.t)
        integrator.restart(back, integrator.interpolate(back))
    np.testing.assert_allclose(run(integrator).y, [math.cos(5.0), -math.sin(5.0)], atol=1e-6)


@every_integrator
def test_restart_wakes_up_quickly(name: str) -> None:
    integrator = run(make_integrator(name, oscillator, 0.0, [1.0, 0.0], 10.0, tolerances(1e-5)))
    often = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 10.0, tolerances(1e-5))
    for k in range(1, 11):
        while often.t < k:
            often.step(until=k)
        often.restart(often.t, often.y)
    assert often.statistics.steps < integrator.statistics.steps + 10 * 30


@every_integrator
def test_restart_refuses_bad_values(name: str) -> None:
    integrator = make_integrator(name, decay, 0.0, [1.0, 1.0], 1.0)
    with pytest.raises(SimulationError, match="1 components instead of 2"):
        integrator.restart(0.0, [1.0])
    with pytest.raises(SimulationError, match="component 1"):
        integrator.restart(0.0, [1.0, np.nan])
    with pytest.raises(SimulationError, match="after the end"):
        integrator.restart(1.5, [1.0, 1.0])
    with pytest.raises(SimulationError):
        integrator.restart(math.nan, [1.0, 1.0])
