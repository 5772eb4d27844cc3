"""A Jacobian that the user gives: the same motion for fewer evaluations; clear errors for what is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from integration_problems import Array
from small_systems import GRAVITY, LENGTH, MASS, oscillator, pendulum, pendulum_angle

import polycontact as pc
from polycontact.simulation.integrators import WITH_JACOBIAN

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
    for run in (given, found):
        angle = run.trajectory.joint("hinge").coordinates[:, 0]
        np.testing.assert_allclose(angle, pendulum_angle(run.trajectory.time), atol=1e-5)
    if integrator != "lsoda":  # which finds that the pendulum is not stiff and needs none
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
    with pytest.raises(pc.SimulationError, match="dopri5 has no use for a Jacobian; leave it out, or take cvode-bdf"):
        pc.simulate(pendulum(), end_time=1.0, integrator="dopri5", jacobian=of_pendulum)
    with pytest.raises(pc.SimulationError, match="jacobian is 3; give a function"):
        pc.simulate(pendulum(), end_time=1.0, jacobian=3)  # type: ignore[arg-type]
