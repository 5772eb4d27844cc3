"""All integrators behind their common interface: accuracy, limits, restarts, failures, counts."""

from __future__ import annotations

import dataclasses
import math
import pickle
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polycontact.errors import IntegrationError, PolycontactError, SimulationError
from polycontact.simulation.integrators import (
    INTEGRATORS,
    Integrator,
    IntegratorSettings,
    IntegratorStatistics,
    make_integrator,
)
from polycontact.simulation.integrators.counting import CountedFunction
from polycontact.simulation.integrators.jacobian import DifferenceJacobian, column_groups
from polycontact.simulation.integrators.problem import check_problem

Array = NDArray[np.float64]
IMPLICIT = ("cvode-bdf", "ida", "lsoda")
every_integrator = pytest.mark.parametrize("name", INTEGRATORS)


def decay(t: float, y: Array, out: Array) -> None:
    out[:] = -y


def oscillator(t: float, y: Array, out: Array) -> None:
    """Position and velocity; further components integrate the square of the position."""
    out[0] = y[1]
    out[1] = -y[0]
    out[2:] = y[0] ** 2


def van_der_pol(t: float, y: Array, out: Array) -> None:
    out[0] = y[1]
    out[1] = 1000.0 * (1.0 - y[0] ** 2) * y[1] - y[0]


def robertson(t: float, y: Array, out: Array) -> None:
    out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2]
    out[2] = 3e7 * y[1] ** 2
    out[1] = -out[0] - out[2]


def tolerances(rtol: float, **others: float) -> IntegratorSettings:
    return IntegratorSettings(rtol=rtol, atol=others.pop("atol", rtol), **others)


def run(integrator: Integrator, limit: float = math.inf) -> Integrator:
    while integrator.t < integrator.end_time:
        integrator.step(limit)
    return integrator


# Accuracy


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


# Quadratures


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


# Limits


@settings(max_examples=60, deadline=None, derandomize=True)
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


# Restarts


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


# Exceptions and failures


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
    stack: list[str] = []

    def f(t: float, y: Array, out: Array) -> None:
        frame = sys._getframe()
        while frame.f_back is not None:
            frame = frame.f_back
            if frame.f_code.co_filename.endswith("jacobian.py"):
                stack.append(frame.f_code.co_name)
                raise error
        out[:] = -1e5 * (y - math.cos(t))

    integrator = make_integrator(name, f, 0.0, [1.0, 1.0], 10.0, tolerances(1e-4))
    with pytest.raises(KeyboardInterrupt) as caught:
        run(integrator)
    assert caught.value is error
    assert stack == ["write"]


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


# Bad input


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rtol": 0.0}, "rtol is 0.0"),
        ({"rtol": -1.0}, "rtol is -1.0"),
        ({"rtol": math.nan}, "rtol is nan"),
        ({"rtol": math.inf}, "rtol is inf"),
        ({"rtol": 1e-15}, "below what rounding allows"),
        ({"atol": 0.0}, "atol is 0.0"),
        ({"atol": math.nan}, "atol is nan"),
        ({"atol": math.inf}, "nothing would control the error"),
        ({"atol": np.array([1.0, -1.0])}, r"atol\[1\] is -1.0"),
        ({"atol": np.ones((2, 2))}, "shape"),
        ({"max_step": 0.0}, "max_step is 0.0"),
        ({"max_step": math.nan}, "max_step is nan"),
        ({"first_step": 0.0}, "first_step is 0.0"),
        ({"first_step": math.inf}, "first_step is inf"),
        ({"order": 0}, "order is 0"),
    ],
)
def test_bad_settings(values: dict[str, float], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        IntegratorSettings(**values)


def test_bad_problem() -> None:
    def make(name: str = "dopri5", t0: float = 0.0, y0: object = (1.0, 2.0), end: float = 1.0, **more: object) -> None:
        make_integrator(name, decay, t0, y0, end, **more)  # type: ignore[arg-type]

    with pytest.raises(SimulationError, match="cvode-bdf, cvode-adams, ida, lsoda, dopri5"):
        make("euler")
    with pytest.raises(SimulationError, match=r"end_time is 0\.0 s"):
        make(end=0.0)
    with pytest.raises(SimulationError, match="end_time is inf s"):
        make(end=math.inf)
    with pytest.raises(SimulationError, match="component 1 of the state is nan"):
        make(y0=(1.0, math.nan))
    with pytest.raises(SimulationError, match="shape"):
        make(y0=[[1.0]])
    with pytest.raises(SimulationError, match="shape"):
        make(y0=[])
    with pytest.raises(SimulationError, match="atol has 3 numbers and y 2"):
        make(settings=IntegratorSettings(atol=np.ones(3)))
    with pytest.raises(SimulationError, match="jacobian_size is 3"):
        make(jacobian_size=3)
    with pytest.raises(SimulationError, match="sparsity has shape"):
        make(sparsity=np.ones((1, 2)))
    with pytest.raises(SimulationError, match="resolution of time"):
        make(settings=IntegratorSettings(max_step=1e-18))


@every_integrator
def test_bad_steps(name: str) -> None:
    integrator = make_integrator(name, decay, 0.0, [1.0], 1.0)
    for limit in (0.0, -1.0, math.nan):
        with pytest.raises(SimulationError, match="limit of a step"):
            integrator.step(limit)
    run(integrator)
    with pytest.raises(SimulationError, match="reached the end time"):
        integrator.step()


# Statistics and states


@every_integrator
@pytest.mark.parametrize("f", [oscillator, van_der_pol], ids=["oscillator", "van_der_pol"])
def test_evaluations_are_all_counted(name: str, f: Callable[[float, Array, Array], None]) -> None:
    calls = 0

    def counting(t: float, y: Array, out: Array) -> None:
        nonlocal calls
        calls += 1
        f(t, y, out)

    integrator = make_integrator(name, counting, 0.0, [2.0, 0.0], 0.5, tolerances(1e-5))
    assert calls == 0
    run(integrator, 0.1)
    statistics = integrator.statistics
    assert statistics.evaluations == calls > statistics.jacobian_evaluations
    assert statistics.steps > 0
    assert statistics.last_step == integrator.t - integrator.t_old
    if name == "dopri5":
        assert calls == 6 * (statistics.steps + statistics.rejected_steps) + 2
        assert (statistics.jacobians, statistics.nonlinear_iterations, statistics.order) == (0, 0, 5)
    else:
        assert calls - statistics.jacobian_evaluations >= statistics.nonlinear_iterations >= statistics.steps


@every_integrator
def test_rejected_steps_are_counted(name: str) -> None:
    def kicked(t: float, y: Array, out: Array) -> None:
        out[0] = 0.0 if t < 0.5 else 100.0

    integrator = run(make_integrator(name, kicked, 0.0, [1.0], 1.0, tolerances(1e-6)))
    assert integrator.statistics.rejected_steps > 0
    assert integrator.y[0] == pytest.approx(51.0, rel=1e-3)


@every_integrator
def test_states_are_read_only_and_stay(name: str) -> None:
    start = np.array([1.0, 0.0])
    integrator = make_integrator(name, oscillator, 0.0, start, 1.0)
    start[0] = 7.0
    kept = [(0.0, integrator.y, integrator.y.copy())]
    while integrator.t < 1.0:
        integrator.step()
        assert integrator.y_old is kept[-1][1]
        kept.append((integrator.t, integrator.y, integrator.y.copy()))
    assert kept[0][1][0] == 1.0
    for _, state, copy in kept:
        assert not state.flags.writeable
        np.testing.assert_array_equal(state, copy)


@every_integrator
def test_two_integrators_side_by_side(name: str) -> None:
    """Neither disturbs the other, and a run repeats bit by bit."""
    alone = run(make_integrator(name, oscillator, 0.0, [1.0, 0.0], 3.0))
    one = make_integrator(name, oscillator, 0.0, [1.0, 0.0], 3.0)
    other = make_integrator(name, decay, 0.0, [1.0, 0.0, 3.0], 9.0)
    while one.t < 3.0:
        one.step()
        if other.t < 9.0:
            other.step()
    np.testing.assert_array_equal(one.y, alone.y)
    assert dataclasses.replace(one.statistics) == alone.statistics


# Jacobians


def jacobian_of(f: Callable[[float, Array, Array], None], y: Array, **options: object) -> tuple[Array, int]:
    problem = check_problem(f, 0.0, y, 1.0, tolerances(1e-6), options.get("size"), options.get("sparsity"))  # type: ignore[arg-type]
    statistics = IntegratorStatistics()
    function = CountedFunction(f, statistics)
    jacobian = DifferenceJacobian(problem, function, statistics)
    derivative = np.empty(len(y))
    f(0.0, y, derivative)
    matrix = np.zeros((len(y), len(y)))
    jacobian.write(0.0, y, derivative, 1e-3, matrix)
    assert statistics.jacobian_evaluations == statistics.evaluations
    return matrix, statistics.evaluations


def test_jacobian_by_differences() -> None:
    matrix, evaluations = jacobian_of(robertson, np.array([0.7, 1e-5, 0.3]))
    exact = [[-0.04, 3e3, 0.1], [0.04, -3e3 - 600.0, -0.1], [0.0, 600.0, 0.0]]
    np.testing.assert_allclose(matrix, exact, rtol=1e-3, atol=1e-6)
    assert evaluations == 3


def test_jacobian_of_the_first_components_only() -> None:
    matrix, evaluations = jacobian_of(oscillator, np.array([0.5, 0.0, 9.0, 9.0]), size=2)
    exact = [[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    np.testing.assert_allclose(matrix, exact, atol=1e-7)
    assert evaluations == 2


def test_jacobian_with_coloured_columns() -> None:
    size = 30

    def chain(t: float, y: Array, out: Array) -> None:
        out[:] = -2.0 * y
        out[1:] += y[:-1] ** 2
        out[:-1] += np.sin(y[1:])

    y = np.linspace(-1.0, 1.0, size)
    band = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) <= 1
    full, dense_cost = jacobian_of(chain, y)
    coloured, cost = jacobian_of(chain, y, sparsity=band)
    np.testing.assert_allclose(coloured, full, atol=1e-6)
    assert (dense_cost, cost) == (size, 3)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(rows=st.integers(1, 12), columns=st.integers(0, 12), seed=st.integers(0, 10**6))
def test_column_groups_share_no_row(rows: int, columns: int, seed: int) -> None:
    mask = np.random.default_rng(seed).random((rows, columns)) < 0.3
    groups = column_groups(mask, columns)
    assert sorted(np.concatenate([*groups, []]).astype(int).tolist()) == list(range(columns))
    for group in groups:
        assert mask[:, group].sum(axis=1).max(initial=0) <= 1
