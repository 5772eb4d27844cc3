"""SUNDIALS by address beside the Python objects of scikit-sundae: the same answers, true counts, what fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.stepping.equations import LOOK_UP
from polycontact.simulation.integrators import Integrator, IntegratorSettings, make_integrator, sundials_library
from polycontact.simulation.integrators.rates_by_address import RatesByAddress

Array = NDArray[np.float64]

every_integrator = pytest.mark.parametrize("name", ["cvode-bdf", "cvode-adams", "ida"])
TIGHT = IntegratorSettings(rtol=1e-8, atol=1e-10)


@pytest.fixture
def without_addresses(monkeypatch: pytest.MonkeyPatch) -> Any:
    """As where the functions of SUNDIALS are not found."""
    monkeypatch.setenv(sundials_library.WITHOUT_ADDRESSES, "no")
    sundials_library.sundials_library.cache_clear()
    yield
    sundials_library.sundials_library.cache_clear()


def pendulum(t: float, y: Array, out: Array) -> None:
    out[0], out[1] = y[1], -9.81 * np.sin(y[0])


def ends(integrator: Integrator, limit: float) -> tuple[Array, Array]:
    """Times at the ends of all steps, none longer than the limit (s), and the last state."""
    times = [integrator.t]
    while integrator.t < integrator.end_time:
        integrator.step(limit, until=0.7 if integrator.t < 0.7 else np.inf)
        times.append(integrator.t)
    return np.array(times), integrator.y


@every_integrator
def test_answers_are_those_of_the_python_objects(name: str, without_addresses: None) -> None:
    through_python = make_integrator(name, pendulum, 0.0, [1.0, 0.0], 2.0, TIGHT)
    sundials_library.sundials_library.cache_clear()
    os.environ[sundials_library.WITHOUT_ADDRESSES] = "yes"
    by_address = make_integrator(name, pendulum, 0.0, [1.0, 0.0], 2.0, TIGHT)
    assert (type(through_python).__module__ + type(by_address).__module__).count("by_address") == 1
    (times, y), (expected_times, expected) = (ends(each, 0.05) for each in (by_address, through_python))
    np.testing.assert_allclose(y, expected, atol=1e-5)  # both within some hundred steps of 1e-8
    assert 0.7 in times
    assert 0.7 in expected_times
    assert np.diff(times).max() <= 0.05 + 1e-12
    mine, its = by_address.statistics, through_python.statistics
    assert mine.steps == len(times) - 1
    for count in ("steps", "evaluations", "limited_steps"):  # two choices of a step may differ, and little follows
        assert getattr(mine, count) == pytest.approx(getattr(its, count), rel=0.15, abs=3)


@every_integrator
def test_counts_are_those_of_the_calls(name: str) -> None:
    calls = 0

    def counted(t: float, y: Array, out: Array) -> None:
        nonlocal calls
        calls += 1
        pendulum(t, y, out)

    integrator = make_integrator(name, counted, 0.0, [1.0, 0.0], 2.0, TIGHT)
    for limit in (0.02, 0.3, 0.001):  # limits that bind, and steps broken off before f is called
        for _ in range(20):
            integrator.step(limit)
        integrator.restart(integrator.t, integrator.y)
    assert integrator.statistics.evaluations == calls
    assert integrator.statistics.restarts == 3
    assert integrator.statistics.steps == 60
    if name == "cvode-adams":
        assert integrator.statistics.jacobians == 0
    else:
        assert integrator.statistics.jacobian_evaluations == 2 * integrator.statistics.jacobians > 0


@every_integrator
def test_looking_back_moves_nothing(name: str) -> None:
    plain, curious = (make_integrator(name, pendulum, 0.0, [1.0, 0.0], 2.0, TIGHT) for _ in range(2))
    while plain.t < 2.0:
        plain.step(0.1)
        curious.step(0.1)
        curious.interpolate(0.3 * curious.t_old + 0.7 * curious.t)
    assert plain.y.tobytes() == curious.y.tobytes()
    assert plain.statistics == curious.statistics


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Windows differ")
@every_integrator
def test_no_interrupt_is_lost(name: str) -> None:
    """Signals come at any time, also just as compiled code calls f."""

    def interrupting(t: float, y: Array, out: Array) -> None:
        pendulum(t, y, out)
        if t > 0.5:
            signal.raise_signal(signal.SIGINT)

    integrator = make_integrator(name, interrupting, 0.0, [1.0, 0.0], 2.0, TIGHT)
    hook = sys.unraisablehook

    def go_on() -> None:
        while integrator.t < 2.0:
            integrator.step()

    with pytest.raises(KeyboardInterrupt):
        go_on()
    assert sys.unraisablehook is hook
    assert integrator.t <= 0.5


def test_interrupts_are_heard_within_a_step() -> None:
    """Compiled rates let Python look up after so many evaluations, also in a Jacobian."""
    looked = []

    def help(what: int, t: float) -> int:
        assert what == LOOK_UP
        looked.append(rates.view.evaluations)
        if len(looked) == 4:
            raise KeyboardInterrupt
        return 0

    def f(t: float, y: Array, out: Array) -> None:
        pendulum(t, y, out)

    rates = RatesByAddress(2, 2, f, help=help)
    rates.view.look_every = rates.view.look_at = 3
    vars(f)["by_address"] = rates
    integrator = make_integrator("cvode-bdf", f, 0.0, [1.0, 0.0], 2.0, TIGHT)

    def go_on() -> None:
        while integrator.t < 2.0:
            integrator.step()

    with pytest.raises(KeyboardInterrupt):
        go_on()
    assert looked == [3, 6, 9, 12]
    go_on()  # it goes on from where it stood
    assert integrator.t == 2.0


def test_what_is_missing_is_told_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = sundials_library.SundialsLibrary.function

    def missing(self: Any, name: str, *more: Any) -> Any:
        if name == "CVodeGetDky":
            raise LookupError(f"SUNDIALS has no function {name}")
        return found(self, name, *more)

    monkeypatch.setattr(sundials_library.SundialsLibrary, "function", missing)
    sundials_library.sundials_library.cache_clear()
    try:
        integrators = [make_integrator("cvode-bdf", pendulum, 0.0, [1.0, 0.0], 1.0, TIGHT) for _ in range(2)]
    finally:
        sundials_library.sundials_library.cache_clear()
    told = capsys.readouterr().err
    assert told.count("SUNDIALS has no function CVodeGetDky: cvode and ida make their steps through Python") == 1
    assert all(not hasattr(each, "view") for each in integrators)
    for each in integrators:
        each.step()


RUN = """
import polycontact as pc
system = pc.MultibodySystem(gravity=(0.0, 0.0, -9.81))
system.add_body("box", surface=pc.convex.Box((0.2, 0.2, 0.2)), mass=1.0, position=(0.0, 0.0, 0.15))
system.add_body("ground", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
system.add_contact("box", "ground", method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e6, damping=1e4))
run = pc.simulate(system, end_time=0.5, output_step=0.01, rtol=1e-7, atol=1e-9)
print(len(run.trajectory), *run.trajectory.body("box").position[:, 2].tolist())
"""


@pytest.mark.slow
def test_a_run_through_python_objects_is_the_same() -> None:
    """Steps, samples and all that follows a step; compared to the tolerances of the run."""
    numbers = []
    for by_address in ("yes", "no"):
        variables = {**os.environ, sundials_library.WITHOUT_ADDRESSES: by_address}
        variables["PYTHONPATH"] = str(Path(pc.__file__).parents[1])
        done = subprocess.run([sys.executable, "-c", RUN], env=variables, capture_output=True, text=True, check=True)
        numbers.append(np.array(done.stdout.split(), float))
    assert numbers[0][0] == numbers[1][0] == 51
    np.testing.assert_allclose(numbers[0], numbers[1], atol=1e-5)
