"""Integrators against exact and published solutions: steps, interpolation, stiffness, order, quadratures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from integration_problems import (
    IMPLICIT,
    Array,
    decay,
    every_integrator,
    oscillator,
    robertson,
    run,
    tolerances,
    van_der_pol,
)

from polycontact.errors import SimulationError
from polycontact.simulation.integrators import IntegratorSettings, make_integrator


@every_integrator
def test_exponential_decay(name: str) -> None:
    integrator = run(make_integrator(name, decay, 1.0, [2.0, -3.0], 4.0, tolerances(1e-7)))
    assert integrator.t == 4.0
    np.testing.assert_allclose(integrator.y, np.array([2.0, -3.0]) * math.exp(-3.0), atol=1e-5)


@every_integrator
def test_error_follows_tolerance(name: str) -> None:
    errors = []
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        integrator = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 10.0, tolerances(rtol))
        error = 0.0
        while integrator.t < 10.0:
            integrator.step()
            error = max(error, abs(integrator.y[0] - math.cos(integrator.t)))
        errors.append(error)
    rate = math.log(errors[0] / errors[-1]) / math.log(1e6)
    assert 0.6 < rate < 1.3, errors
    assert errors[-1] < 1e-7


@every_integrator
def test_interpolation_is_as_accurate_as_the_steps(name: str) -> None:
    integrator = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 10.0, tolerances(1e-7))
    at_steps = inside = 0.0
    while integrator.t < 10.0:
        integrator.step()
        times = np.linspace(integrator.t_old, integrator.t, 9)
        error = np.abs(integrator.interpolate(times)[:, 0] - np.cos(times))
        at_steps = max(at_steps, error[0], error[-1])
        inside = max(inside, error.max())
    assert inside < 2.0 * at_steps + 1e-6


@every_integrator
def test_interpolation_does_not_disturb(name: str) -> None:
    plain = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 10.0, tolerances(1e-6))
    curious = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 10.0, tolerances(1e-6))
    while plain.t < 10.0:
        plain.step(0.2)
        curious.step(0.2)
        assert curious.t == plain.t
        np.testing.assert_array_equal(curious.y, plain.y)
        for part in (0.9, 0.1, 0.5, 0.5):
            curious.interpolate(curious.t_old + part * (curious.t - curious.t_old))


@every_integrator
def test_interpolation_shapes_and_ends(name: str) -> None:
    integrator = make_integrator(name, oscillator, 0.0, [1.0, 0.0, 0.0], 1.0)
    np.testing.assert_array_equal(integrator.interpolate(0.0), [1.0, 0.0, 0.0])
    integrator.step()
    integrator.step()
    times = [integrator.t_old, 0.5 * (integrator.t_old + integrator.t), integrator.t]
    states = integrator.interpolate(times)
    assert states.shape == (3, 3)
    np.testing.assert_array_equal(states[0], integrator.y_old)
    np.testing.assert_array_equal(states[1], integrator.interpolate(times[1]))
    np.testing.assert_array_equal(states[2], integrator.y)
    assert integrator.interpolate([]).shape == (0, 3)
    with pytest.raises(SimulationError, match="outside the last step"):
        integrator.interpolate(integrator.t + 1e-3)


@pytest.mark.parametrize("name", IMPLICIT)
def test_stiff_van_der_pol_takes_few_steps(name: str) -> None:
    integrator = run(make_integrator(name, van_der_pol, 0.0, [2.0, 0.0], 500.0, tolerances(1e-5)))
    assert integrator.statistics.steps < 200
    assert integrator.y[0] == pytest.approx(1.59676895, abs=5e-4)  # Radau at rtol 1e-11


@pytest.mark.parametrize("name", IMPLICIT)
def test_robertson(name: str) -> None:
    options = IntegratorSettings(rtol=1e-6, atol=np.array([1e-8, 1e-12, 1e-8]))
    integrator = run(make_integrator(name, robertson, 0.0, [1.0, 0.0, 0.0], 40.0, options))
    # The reference of the CVODE examples.
    np.testing.assert_allclose(integrator.y, [7.158e-01, 9.185e-06, 2.842e-01], rtol=2e-4)
    assert integrator.y.sum() == pytest.approx(1.0, abs=1e-9)
    assert integrator.statistics.steps < 400


@every_integrator
def test_order_can_be_limited(name: str) -> None:
    if name == "dopri5":
        with pytest.raises(SimulationError, match="order 5 only"):
            make_integrator(name, decay, 0.0, [1.0], 1.0, IntegratorSettings(order=2))
        return
    few = run(make_integrator(name, oscillator, 0.0, [1.0, 0.0], 5.0, tolerances(1e-6)))
    many = run(make_integrator(name, oscillator, 0.0, [1.0, 0.0], 5.0, tolerances(1e-6, order=2)))
    assert many.statistics.steps > 1.5 * few.statistics.steps
    assert many.statistics.order in (None, 1, 2)


@every_integrator
def test_excluded_quadratures_change_no_step(name: str) -> None:
    """However many quadratures are carried along, the controlled components see the same steps."""
    plain = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 10.0, tolerances(1e-6))
    atol = np.array([1e-6, 1e-6] + 10 * [np.inf])
    carrying = make_integrator(
        name, oscillator, 0.0, [1.0, 0.0] + 10 * [0.0], 10.0, IntegratorSettings(1e-6, atol), jacobian_size=2
    )
    run(plain)
    run(carrying)
    assert carrying.statistics.steps == pytest.approx(plain.statistics.steps, rel=0.05)
    np.testing.assert_allclose(carrying.y[:2], plain.y, atol=1e-4)
    np.testing.assert_allclose(carrying.y[2:], 5.0 + math.sin(20.0) / 4.0, atol=1e-2)


@pytest.mark.parametrize("name", IMPLICIT)
def test_jacobian_costs_only_its_size(name: str) -> None:
    def stiff(t: float, y: Array, out: Array) -> None:
        out[0] = y[1]
        out[1] = -1e4 * y[0] - 1e4 * y[1]
        out[2:] = y[0] ** 2

    atol = np.array([1e-6, 1e-6] + 8 * [np.inf])
    integrator = make_integrator(
        name, stiff, 0.0, [1.0, 0.0] + 8 * [0.0], 20.0, IntegratorSettings(1e-4, atol), jacobian_size=2
    )
    run(integrator)
    statistics = integrator.statistics
    assert statistics.jacobians > 0
    assert statistics.jacobian_evaluations == 2 * statistics.jacobians
    assert statistics.steps < 400
