"""Spectra, orders and filters: sines of known amplitudes, and signals that cannot be taken apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polycontact.errors import SimulationError
from polycontact.simulation import filtered, order_spectrum, spectrum


class TestSpectrum:
    def test_lines_are_the_amplitudes_of_sines(self) -> None:
        time = np.linspace(0.0, 1.0, 1001)[:-1]
        found = spectrum(time, 4.0 + 3.0 * np.sin(2 * math.pi * 50 * time) + 0.5 * np.cos(2 * math.pi * 120 * time))
        assert found.unit == "Hz"
        assert found.amplitude[0] == pytest.approx(4.0, abs=0.01)
        (first, a), (second, b) = found.peaks(2)
        # a whole number of periods but for the distance between two samples
        assert (first, second) == pytest.approx((50.0, 120.0), rel=2e-3)
        assert (a, b) == pytest.approx((3.0, 0.5), rel=0.01)

    def test_a_sine_between_two_lines_is_not_lost(self) -> None:
        time = np.linspace(0.0, 1.0, 1001)[:-1]
        found = spectrum(time, np.sin(2 * math.pi * 50.5 * time))
        assert 0.84 < found.amplitude.max() < 0.87  # 8/(3 pi), the scalloping of Hann's window

    def test_uneven_samples_are_taken_evenly(self) -> None:
        rng = np.random.default_rng(3)
        time = np.sort(np.concatenate([np.linspace(0.0, 1.0, 2000), rng.uniform(0.0, 1.0, 500)]))
        found = spectrum(time, np.sin(2 * math.pi * 20 * time))
        assert found.peaks(1)[0] == pytest.approx((20.0, 1.0), rel=0.01)

    def test_orders_do_not_depend_on_the_speed(self) -> None:
        time = np.linspace(0.0, 2.0, 4001)
        angle = 20.0 * time + 30.0 * time**2  # speeds up from 20 to 140 rad/s
        for way in (1.0, -1.0):
            found = order_spectrum(way * angle, 2.0 + np.sin(3 * angle) + 0.2 * np.sin(7 * angle))
            assert found.unit == "orders"
            (first, a), (second, b) = found.peaks(2)
            assert (first, second) == pytest.approx((3.0, 7.0), abs=0.05)
            assert (a, b) == pytest.approx((1.0, 0.2), rel=0.16)


class TestFilter:
    TIME = np.linspace(0.0, 8.0, 16001)
    SLOW = np.sin(2 * math.pi * 5 * TIME)
    FAST = 0.3 * np.sin(2 * math.pi * 200 * TIME)

    @pytest.mark.parametrize("limits", [{"low": 40.0}, {"high": 1.0, "low": 40.0}])
    def test_what_is_slow_passes_undelayed(self, limits: dict[str, float]) -> None:
        inner = slice(4000, -4000)  # away from the ends, where a filter has not settled
        passed = filtered(self.TIME, self.SLOW + self.FAST, **limits)
        assert np.abs(passed - self.SLOW)[inner].max() < 0.02

    def test_what_is_fast_passes(self) -> None:
        inner = slice(4000, -4000)
        passed = filtered(self.TIME, 7.0 + self.SLOW + self.FAST, high=60.0)
        assert np.abs(passed - self.FAST)[inner].max() < 0.01


@pytest.mark.parametrize(
    ("time", "values", "told"),
    [
        (np.arange(5.0), np.zeros(5), "5 samples are too few"),
        (np.arange(20.0), np.zeros(19), r"shapes \(20,\) and \(19,\)"),
        (np.arange(20.0), np.full(20, math.nan), "not finite"),
        (np.append(np.arange(19.0), 17.0), np.zeros(20), "time does not go on from 18 to 17"),
    ],
)
def test_what_is_no_signal_is_refused(time: np.ndarray, values: np.ndarray, told: str) -> None:
    with pytest.raises(SimulationError, match=told):
        spectrum(time, values)


def test_impossible_filters_are_refused() -> None:
    time = np.linspace(0.0, 1.0, 101)
    with pytest.raises(SimulationError, match="low is 60 Hz; give a limit between 0 and 50 Hz"):
        filtered(time, time, low=60.0)
    with pytest.raises(SimulationError, match="give low, high or both"):
        filtered(time, time)
    with pytest.raises(SimulationError, match="nothing lies between high = 20 Hz and low = 10 Hz"):
        filtered(time, time, low=10.0, high=20.0)
