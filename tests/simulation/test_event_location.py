"""First changes of sign inside a step."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.event_location import EventLocator, LocatedEvent
from polycontact.simulation.integrators import INTEGRATORS, Integrator, IntegratorSettings, make_integrator
from scenes import examples

Array = NDArray[np.float64]
GRAVITY = 9.81
RESTITUTION = 0.8


def clock(t: float, y: Array, out: Array) -> None:
    out[:] = 1.0


def one_step(length: float = 1.0, start: float = 0.0) -> Integrator:
    """An integrator after one step, whose state is the time since the start."""
    options = IntegratorSettings(first_step=length)
    integrator = make_integrator("dopri5", clock, start, [0.0], start + 10.0 * length, options)
    integrator.step(length)
    assert integrator.t == pytest.approx(start + length)
    return integrator


def find(g: Callable[[float, Array], object], **options: object) -> LocatedEvent | None:
    integrator = one_step()
    locator = EventLocator(g, **options)  # type: ignore[arg-type]
    return locator.locate(integrator, locator.evaluate(0.0, integrator.y_old))


SHAPES: dict[str, Callable[[float], float]] = {
    "line": lambda x: x,
    "cubic": lambda x: x**3,
    "kink": lambda x: x + 50.0 * x * (x > 0.0),
    "exponential": lambda x: math.expm1(20.0 * x),
    "step": lambda x: -1.0 if x < 0.0 else 1.0,
    "steep": lambda x: math.atan(1e5 * x),
}


@settings(max_examples=examples(60), deadline=None, derandomize=True)
@given(shape=st.sampled_from(sorted(SHAPES)), root=st.floats(1e-6, 1.0 - 1e-6), sign=st.sampled_from([-1, 1]))
def test_roots_of_all_shapes(shape: str, root: float, sign: int) -> None:
    integrator = one_step()
    locator = EventLocator(lambda t, y: [sign * SHAPES[shape](y[0] - root)])
    event = locator.locate(integrator, locator.evaluate(0.0, integrator.y_old))
    assert event is not None
    assert event.time == pytest.approx(root, abs=3e-12)
    assert event.time_before < event.time <= event.time_before + 2e-12
    assert (event.indices, event.directions) == ((0,), (sign,))
    assert locator.evaluations < 85


def test_no_event() -> None:
    assert find(lambda t, y: [y[0] + 1.0, -2.0]) is None


def test_smooth_roots_need_few_evaluations() -> None:
    integrator = one_step()
    locator = EventLocator(lambda t, y: [math.sin(y[0] - 0.3)])
    locator.locate(integrator, locator.evaluate(0.0, integrator.y_old))
    assert locator.evaluations < 12
    assert locator.end_values[0] == math.sin(integrator.y[0] - 0.3)


def test_first_of_several_roots() -> None:
    event = find(lambda t, y: [y[0] - 0.7, 0.2 - y[0], y[0] - 0.9])
    assert event is not None
    assert (event.indices, event.directions) == ((1,), (-1,))
    assert event.time == pytest.approx(0.2, abs=2e-12)


def test_first_root_behind_a_jump() -> None:
    """The chord of the first function points behind the jump of the second."""
    event = find(lambda t, y: [y[0] - 0.9, 1.0 if y[0] < 0.11 else -1.0])
    assert event is not None
    assert event.indices == (1,)
    assert event.time == pytest.approx(0.11, abs=2e-12)


def test_several_roots_at_one_time() -> None:
    event = find(lambda t, y: [y[0] - 0.4, 1.0, 0.4 - y[0], 1.0 if y[0] < 0.4 else -1.0])
    assert event is not None
    assert (event.indices, event.directions) == ((0, 2, 3), (1, -1, -1))


def test_directions_filter() -> None:
    def g(t: float, y: Array) -> list[float]:
        return [y[0] - 0.3, 0.5 - y[0]]

    rising = find(g, directions=(1, 1))
    falling = find(g, directions=(-1, -1))
    both = find(g, directions=(0, 0))
    assert rising is not None
    assert falling is not None
    assert (rising.indices, falling.indices) == ((0,), (1,))
    assert both == rising
    assert find(g, directions=(-1, 1)) is None


def test_zero_at_the_end_fires_once() -> None:
    integrator = one_step()
    end = integrator.t
    locator = EventLocator(lambda t, y: [end - t])
    event = locator.locate(integrator, [1.0])
    assert event is not None
    assert (event.time, event.directions) == (integrator.t, (-1,))
    integrator.step()
    assert locator.locate(integrator, locator.end_values) is None


@pytest.mark.parametrize("leaving", [-1.0, 1.0])
def test_zero_at_the_start_does_not_fire(leaving: float) -> None:
    assert find(lambda t, y: [leaving * y[0]]) is None
    assert find(lambda t, y: [0.0]) is None


def test_zero_at_the_start_and_back_again() -> None:
    event = find(lambda t, y: [y[0] * (0.6 - y[0])])
    assert event is not None
    assert event.time == pytest.approx(0.6, abs=2e-12)
    assert event.directions == (-1,)


def test_jumping_indicator_fires_again() -> None:
    """A jump leaves no doubt about the sign: the way back is an event of its own."""
    integrator = one_step()
    locator = EventLocator(lambda t, y: [1.0 if y[0] < 0.4 or y[0] > 1.5 else -1.0])
    event = locator.locate(integrator, [1.0])
    assert event is not None
    integrator.restart(event.time, integrator.interpolate(event.time))
    values = locator.evaluate(integrator.t, integrator.y)
    times = []
    while integrator.t < 2.0:
        integrator.step(0.4)
        found = locator.locate(integrator, values)
        values = locator.end_values
        if found is not None:
            times.append(found.time)
    np.testing.assert_allclose(times, [1.5], atol=1e-11)


def test_resolution_far_from_zero() -> None:
    integrator = one_step(1e-6, 1e4)
    locator = EventLocator(lambda t, y: [t - (1e4 + 3e-7)])
    event = locator.locate(integrator, [-1.0])
    assert event is not None
    assert event.time == pytest.approx(1e4 + 3e-7, abs=1e-11)


def test_bad_input() -> None:
    with pytest.raises(SimulationError, match=r"tolerance is 0\.0"):
        EventLocator(lambda t, y: [1.0], tolerance=0.0)
    with pytest.raises(SimulationError, match="directions are"):
        EventLocator(lambda t, y: [1.0], directions=(2,))
    with pytest.raises(SimulationError, match="shape"):
        find(lambda t, y: [1.0, 1.0], directions=(1,))
    with pytest.raises(SimulationError, match=r"g\[1\] is not a number"):
        find(lambda t, y: [1.0, math.nan])


def bounce_times(count: int) -> Array:
    first = math.sqrt(2.0 / GRAVITY)
    flights = 2.0 * first * RESTITUTION ** np.arange(1, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("directions", [(-1,), None], ids=["falling", "both"])
def test_bouncing_ball(name: str, directions: tuple[int, ...] | None) -> None:
    def flight(t: float, y: Array, out: Array) -> None:
        out[0] = y[1]
        out[1] = -GRAVITY

    options = IntegratorSettings(rtol=1e-11, atol=1e-12)
    ball = make_integrator(name, flight, 0.0, [1.0, 0.0], 2.9, options)
    locator = EventLocator(lambda t, y: [y[0]], directions=directions)
    values = locator.evaluate(ball.t, ball.y)
    times = []
    while ball.t < 2.9:
        ball.step()
        event = locator.locate(ball, values)
        values = locator.end_values
        if event is not None:
            times.append(event.time)
            position, velocity = ball.interpolate(event.time)
            ball.restart(event.time, [position, -RESTITUTION * velocity])
            values = locator.evaluate(ball.t, ball.y)
    exact = bounce_times(20)
    np.testing.assert_allclose(times, exact[exact < 2.9], atol=1e-9)
    assert ball.statistics.restarts == len(times)
