"""A Jacobian that the user gives: the same motion for fewer evaluations; clear errors for what is none."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from integration_problems import Array, run, tolerances
from small_systems import GRAVITY, LENGTH, MASS, oscillator, pendulum, pendulum_angle

import polycontact as pc
from polycontact.simulation.integrators import WITH_JACOBIAN, make_integrator

with_jacobian = pytest.mark.parametrize("integrator", WITH_JACOBIAN)
TIGHT = {"rtol": 1e-8, "atol": 1e-8}


def of_pendulum(t: float, y: Array, out: Array) -> None:
    """Angle and angular speed: the rate of the one is the other, that of the other -ω² sin(angle)."""
    out[0, 1] = 1.0
    out[1, 0] = -1.5 * GRAVITY * LENGTH / (0.01 + 1.5 * LENGTH**2) * math.cos(y[0])


@with_jacobian
def test_exact_jacobian_of_a_pendulum(integrator: str) -> None:
    given = pc.simulate(pendulum(), end_time=2.0, integrator=integrator, jacobian=of_pendulum, **TIGHT)
    found = pc.simulate(pendulum(), end_time=2.0, integrator=integrator, **TIGHT)
    for each in (given, found):
        angle = each.trajectory.joint("hinge").coordinates[:, 0]
        np.testing.assert_allclose(angle, pendulum_angle(each.trajectory.time), atol=1e-5)
    if integrator not in ("lsoda", "auto"):  # which find that the pendulum is not stiff and need none
        assert given.statistics.jacobians > 0
        assert given.statistics.evaluations < found.statistics.evaluations
    assert given.statistics.jacobian_evaluations == 0
    assert given.ledger.worst_balance < 1e-5 * given.ledger.turnover


def test_stiff_spring_with_lsoda() -> None:
    """A damper of 2e4 N s/m on 2 kg: LSODA turns to BDF and asks for Jacobians."""
    system = oscillator(damping=2e4)

    def jacobian(t: float, y: Array, out: Array) -> Array:
        matrix = np.zeros_like(out)
        matrix[0, 1] = 1.0
        matrix[1, 0], matrix[1, 1] = -50.0 / MASS, -2e4 / MASS
        return matrix

    given, found = (pc.simulate(system, end_time=5.0, integrator="lsoda", jacobian=each) for each in (jacobian, None))
    assert given.statistics.jacobians > 0
    assert given.statistics.jacobian_evaluations == 0 < found.statistics.jacobian_evaluations
    assert given.statistics.evaluations < found.statistics.evaluations
    place = 0.1 * math.exp(-50.0 / 2e4 * 5.0)
    assert given.trajectory.joint("slide").coordinates[-1, 0] == pytest.approx(place, abs=2e-4)


@with_jacobian
@pytest.mark.parametrize(
    ("jacobian", "message"),
    [
        (lambda t, y, out: out.fill(math.nan), r"the Jacobian's entry \[0, 0\] is nan at .* s; give the finite"),
        (lambda t, y, out: np.zeros((3, 3)), r"the Jacobian has shape \(3, 3\) at .* s; give \(7, 7\)"),
        (lambda t, y, out: "flat", r"the Jacobian is 'flat' at"),
    ],
)
def test_what_is_no_jacobian(integrator: str, jacobian: Any, message: str) -> None:
    with pytest.raises(pc.SimulationError, match=message):
        pc.simulate(oscillator(damping=2e4), end_time=5.0, integrator=integrator, jacobian=jacobian)


def test_who_has_no_use_for_it() -> None:
    with pytest.raises(pc.SimulationError, match=r"which dopri5 does not use; leave it out, or take cvode-bdf"):
        pc.simulate(pendulum(), end_time=1.0, integrator="dopri5", jacobian=of_pendulum)
    with pytest.raises(pc.SimulationError, match="jacobian is 3; give a function"):
        pc.simulate(pendulum(), end_time=1.0, jacobian=3)  # type: ignore[arg-type]


# Trial states --------------------------------------------------------------------------------------------------


def follow_cosine(t: float, y: Array, out: Array) -> None:
    """Stiff: the first component follows cos t, 0.1 ms behind, and the second the first."""
    out[0] = -1e4 * (y[0] - math.cos(t))
    out[1] = -1e4 * (y[1] - y[0])


def of_follow_cosine(t: float, y: Array, out: Array) -> None:
    out[0, 0] = out[1, 1] = -1e4
    out[1, 0] = 1e4


@pytest.mark.parametrize("integrator", ["cvode-bdf", "ida"])  # lsoda leaves such an attempt before it asks
def test_state_without_a_derivative_has_no_jacobian(integrator: str) -> None:
    """The first attempt goes beyond 1, where nothing is defined: a shorter step is tried, and nobody asks for df/dy."""
    refused = 0

    def f(t: float, y: Array, out: Array) -> None:
        nonlocal refused
        refused += bool(y[0] > 1.0)
        out[0] = 20.0 * math.cos(t) * math.sqrt(1.0 - y[0]) if y[0] <= 1.0 else math.nan

    def jacobian(t: float, y: Array, out: Array) -> None:
        out[0, 0] = -10.0 * math.cos(t) / math.sqrt(1.0 - y[0])  # beyond 1: math domain error

    settings = tolerances(1e-6, first_step=0.0999)
    made = run(make_integrator(integrator, f, 0.0, [0.0], 0.0999, settings, jacobian=jacobian))
    assert refused > 0
    assert made.statistics.rejected_steps > 0
    assert made.statistics.jacobians > 0
    assert made.y[0] == pytest.approx(1.0 - (1.0 - 10.0 * math.sin(0.0999)) ** 2, abs=1e-4)


@with_jacobian
def test_no_derivative_from_some_time_on(integrator: str) -> None:
    """Shorter steps do not help then: the failure is that of f, and df/dy is never asked for beyond."""
    asked: list[float] = []

    def f(t: float, y: Array, out: Array) -> None:
        follow_cosine(t, y, out)
        if t > 0.5:
            out[1] = math.inf

    def jacobian(t: float, y: Array, out: Array) -> None:
        asked.append(t)
        of_follow_cosine(t, y, out)

    made = make_integrator(integrator, f, 0.0, [1.0, 1.0], 1.0, tolerances(1e-4), jacobian=jacobian)
    with pytest.raises(pc.IntegrationError) as caught:
        run(made)
    assert caught.value.reason == "not finite"
    assert caught.value.time == pytest.approx(0.5, abs=1e-4)
    assert len(asked) > 1
    assert max(asked) <= 0.5


def not_a_number(t: float, y: Array, out: Array) -> None:
    of_follow_cosine(t, y, out)
    out[1, 0] = math.nan


def too_narrow(t: float, y: Array, out: Array) -> Array:
    return np.zeros((2, 1))


def divides_by_zero(t: float, y: Array, out: Array) -> None:
    out[0, 0] = 1.0 / (t - t)


@with_jacobian
@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (not_a_number, pc.SimulationError, r"the Jacobian's entry \[1, 0\] is nan at .* s; give the finite"),
        (too_narrow, pc.SimulationError, r"the Jacobian has shape \(2, 1\) at .* s; give \(2, 2\)"),
        (divides_by_zero, ZeroDivisionError, "division"),
    ],
)
def test_bad_jacobian_in_the_middle(integrator: str, bad: Any, error: type[Exception], message: str) -> None:
    """Where f is well, a bad Jacobian is a mistake, told at once. The integrator stands before the step and can go on.

    IDA asks again when the step has grown, CVODE after 50 steps.
    """
    armed, asked = True, []

    def jacobian(t: float, y: Array, out: Array) -> object:
        if armed and made.t > 0.0:
            asked.append(t)
            return bad(t, y, out)
        return of_follow_cosine(t, y, out)

    settings = tolerances(1e-6, max_step=0.01)
    made = make_integrator(integrator, follow_cosine, 0.0, [1.0, 1.0], 2.0, settings, jacobian=jacobian)
    with pytest.raises(error, match=message) as caught:
        run(made)
    assert len(asked) == 1
    if error is pc.SimulationError:
        assert f" at {asked[0]:.9g} s" in str(caught.value)
    assert 0.0 < made.t < asked[0]
    np.testing.assert_allclose(made.y, math.cos(made.t), atol=1e-3)
    armed = False
    run(made)
    np.testing.assert_allclose(made.y, math.cos(2.0), atol=1e-3)  # 0.2 ms behind at most


@with_jacobian
def test_bad_jacobian_ends_a_run(integrator: str, tmp_path: Path) -> None:
    """What was recorded before is kept, with the message."""

    def jacobian(t: float, y: Array, out: Array) -> None:
        out[0, 1] = 1.0
        out[1, 0], out[1, 1] = -50.0 / MASS, -2e4 / MASS if t < 0.4 else math.inf

    path = tmp_path / "run.h5"
    with pytest.raises(pc.SimulationError, match=r"entry \[1, 1\] is inf at") as caught:
        pc.simulate(
            oscillator(damping=2e4),
            end_time=5.0,
            output_step=0.01,
            max_step=0.01,
            integrator=integrator,
            jacobian=jacobian,
            record=path,
        )
    trajectory = pc.Trajectory.open(path)
    assert (trajectory.status, trajectory.message) == ("failed", str(caught.value))
    assert len(trajectory) > 1
