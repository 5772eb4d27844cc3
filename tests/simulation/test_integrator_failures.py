"""Exceptions of the right-hand side, derivatives that are not finite, solutions that explode."""

from __future__ import annotations

import math
import pickle
import sys

import numpy as np
import pytest
from integration_problems import IMPLICIT, Array, decay, every_integrator, run, tolerances

from polycontact.errors import IntegrationError, PolycontactError
from polycontact.simulation.integrators import make_integrator


class _ModelError(PolycontactError):
    pass


@every_integrator
@pytest.mark.parametrize("error", [ValueError("a"), _ModelError("b"), KeyboardInterrupt("c")], ids=repr)
@pytest.mark.parametrize("when", [-1.0, 0.4])
def test_exceptions_of_f_come_out_unchanged(name: str, error: BaseException, when: float) -> None:
    armed = True

    def f(t: float, y: Array, out: Array) -> None:
        if armed and t > when:
            raise error
        decay(t, y, out)

    integrator = make_integrator(name, f, 0.0, [1.0, 2.0], 1.0, tolerances(1e-6))
    with pytest.raises(type(error)) as caught:
        run(integrator, 0.3)
    assert caught.value is error
    assert integrator.t <= max(when, 0.0)
    armed = False
    run(integrator)  # it goes on from where it stood
    np.testing.assert_allclose(integrator.y, np.array([1.0, 2.0]) * math.exp(-1.0), rtol=1e-4)


@pytest.mark.parametrize("name", IMPLICIT)
def test_exceptions_inside_a_jacobian_come_out_unchanged(name: str) -> None:
    error = KeyboardInterrupt()
    before = (math.nan, np.zeros(2))
    raised = 0

    def f(t: float, y: Array, out: Array) -> None:
        nonlocal before, raised
        if t == before[0] and np.count_nonzero(y != before[1]) == 1:  # one component perturbed, at the same time
            raised += 1
            raise error
        before = (t, y.copy())
        out[:] = -1e5 * (y - math.cos(t))

    integrator = make_integrator(name, f, 0.0, [1.0, 1.0], 10.0, tolerances(1e-4))
    with pytest.raises(KeyboardInterrupt) as caught:
        run(integrator)
    assert caught.value is error
    assert raised == 1


@every_integrator
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_not_finite_at_the_start(name: str, value: float) -> None:
    def f(t: float, y: Array, out: Array) -> None:
        out[:] = 1.0
        out[1] = value

    integrator = make_integrator(name, f, 0.0, [1.0, 1.0], 1.0)
    with pytest.raises(IntegrationError) as caught:
        integrator.step()
    assert caught.value.reason == "not finite"
    assert caught.value.time == 0.0


@every_integrator
@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_not_finite_beyond_a_wall_is_retried_then_reported(name: str, value: float) -> None:
    def f(t: float, y: Array, out: Array) -> None:
        assert np.isfinite(y).all()
        out[:] = -y
        if t > 0.5:
            out[1] = value

    integrator = make_integrator(name, f, 0.0, [1.0, 2.0], 1.0, tolerances(1e-4))
    with pytest.raises(IntegrationError) as caught:
        run(integrator)
    assert caught.value.reason == "not finite"
    assert 0.4999 < caught.value.time <= 0.5
    assert caught.value.step < 1e-6
    assert name in str(caught.value)
    assert integrator.statistics.steps < 500
    assert integrator.t_old == integrator.t


@every_integrator
def test_not_finite_in_a_trial_only_is_no_failure(name: str) -> None:
    """Trial states beyond 1 have no derivative; the solution never goes there."""
    refused = 0

    def f(t: float, y: Array, out: Array) -> None:
        nonlocal refused
        with np.errstate(invalid="ignore"):
            out[0] = 20.0 * math.cos(t) * np.sqrt(1.0 - y[0]) if y[0] <= 1.0 else np.nan
        refused += bool(np.isnan(out[0]))

    integrator = make_integrator(name, f, 0.0, [0.0], 0.0999, tolerances(1e-6, first_step=0.0999))
    run(integrator)
    assert refused > 0
    assert integrator.y[0] == pytest.approx(1.0 - (1.0 - 10.0 * math.sin(0.0999)) ** 2, abs=1e-4)


@every_integrator
def test_explosion_is_reported(name: str) -> None:
    def f(t: float, y: Array, out: Array) -> None:
        with np.errstate(over="ignore"):
            out[:] = y**2

    integrator = make_integrator(name, f, 0.0, [1.0], 2.0, tolerances(1e-4))
    with pytest.raises(IntegrationError) as caught:
        run(integrator)
    assert caught.value.time == pytest.approx(1.0, abs=1e-2)
    assert caught.value.reason in ("error test", "no convergence", "step too small", "not finite")


@pytest.mark.parametrize("name", ["cvode-bdf", "cvode-adams", "ida"])
def test_sundials_prints_nothing_and_f_may(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    def f(t: float, y: Array, out: Array) -> None:
        print("here")
        out[:] = -y if t < 0.5 else np.nan

    integrator = make_integrator(name, f, 0.0, [1.0], 1.0)
    stdout = sys.stdout
    with pytest.raises(IntegrationError):
        run(integrator)
    assert sys.stdout is stdout
    out, err = capfd.readouterr()
    assert set(out.split("\n")) == {"here", ""}
    assert err == ""


def test_integration_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(IntegrationError("text", time=1.0, step=0.5, reason="error test")))
    assert (str(error), error.time, error.step, error.reason) == ("text", 1.0, 0.5, "error test")
