"""What integrators count, and the states they hand out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest
from integration_problems import Array, decay, every_integrator, oscillator, run, tolerances, van_der_pol

from polycontact.simulation.integrators import make_integrator
from polycontact.tolerances import LOOK_STEPS


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
        looks = calls - 6 * (statistics.steps + statistics.rejected_steps) - 2
        assert looks % 2 == 0
        assert looks // 2 <= statistics.steps // LOOK_STEPS  # none after stiffness was noticed
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
