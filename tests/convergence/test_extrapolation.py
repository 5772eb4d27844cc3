"""Limits of values on levels: orders, corrections and uncertainties by hand, and courses that are no convergence."""

from __future__ import annotations

import math

import pytest

from polycontact.convergence.extrapolation import limit_of


@pytest.mark.parametrize("order", [0.6, 1.0, 1.7, 2.0])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_pure_power_is_extrapolated_to_its_limit(order: float, sign: float) -> None:
    values = [5.0 + sign * (0.5**level) ** order for level in range(3)]
    found = limit_of(values, 2.0, 2.0)
    assert found.course == "converging"
    assert found.order == pytest.approx(order, abs=1e-9)  # rounding of differences of the size 0.1
    assert found.value == pytest.approx(5.0, abs=1e-9)
    assert found.uncertainty == pytest.approx(abs(values[2] - 5.0), rel=1e-6)  # the last correction


def test_trapezoids_of_an_integral_are_of_second_order() -> None:
    """∫ sin from 0 to π is 2; the trapezoidal rule with 4, 8 and 16 intervals."""

    def trapezoids(n: int) -> float:
        return math.pi / n * math.fsum(math.sin(math.pi * i / n) for i in range(1, n))

    found = limit_of([trapezoids(n) for n in (4, 8, 16)], 2.0, 2.0)
    assert found.order == pytest.approx(2.0, abs=0.03)
    assert abs(found.value - 2.0) < 0.05 * abs(trapezoids(16) - 2.0)
    assert abs(found.value - 2.0) <= found.uncertainty


def test_an_order_above_the_expected_one_is_an_accident() -> None:
    found = limit_of([1.0, 1.1, 1.1001], 2.0, 2.0)
    assert found.order is not None
    assert found.order > 9.0
    assert found.value == pytest.approx(1.1001 + 0.0001 / 3.0)
    assert found.uncertainty == pytest.approx(0.1 / 3.0 / 4.0)  # what the first change lets expect


@pytest.mark.parametrize(
    ("values", "course"),
    [
        ([1.0, 1.0, 1.0], "unchanged"),
        ([1.0, 1.1, 1.05], "oscillating"),
        ([1.0, 1.1, 1.3], "not converging"),
        ([1.0, 1.1, 0.9], "not converging"),
        ([1.0, 1.1, 1.19], "slow"),
        ([1.0, 1.1], "two levels"),
        ([1.0], "one level"),
        ([0.0, 0.0, 0.0], "unchanged"),
    ],
)
def test_what_does_not_converge_is_not_extrapolated(values: list[float], course: str) -> None:
    found = limit_of(values, 2.0, 2.0)
    assert found.course == course
    assert found.value == values[-1]
    if course in ("not converging", "slow"):
        assert not found.is_sound
        assert found.uncertainty >= 3.0 * (max(values) - min(values)) - 1e-12


def test_changes_within_noise_are_none() -> None:
    assert limit_of([1.0, 1.01, 0.995], 2.0, 2.0, noise=0.01).course == "unchanged"
    assert limit_of([1.0, 1.1, 1.095], 2.0, 2.0, noise=0.01).course == "converging"  # the second change is noise
    quiet, noisy = (limit_of([1.0, 1.1, 1.12], 2.0, 2.0, noise=each).uncertainty for each in (0.0, 0.005))
    assert noisy > quiet + 0.005


def test_more_than_three_levels_count_from_the_finest_on() -> None:
    assert limit_of([9.0, 2.0, 1.5, 1.25], 2.0, 2.0) == limit_of([2.0, 1.5, 1.25], 2.0, 2.0)
