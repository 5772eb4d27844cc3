"""Residuals that follow each other are told, where chance does not explain it."""

from __future__ import annotations

import numpy as np
import pytest

from polycontact.identification.determination import following
from polycontact.identification.measured_curve import MeasuredCurve


def notes_of(residuals: np.ndarray) -> list[str]:
    time = np.arange(len(residuals)) * 0.01
    curve = MeasuredCurve(time, np.zeros(len(residuals)), "ball position z", "m")
    return following([curve], [residuals])


def correlated(n: int, share: float) -> np.ndarray:
    """Residuals of which a share goes on from point to point, and which correlate by about that."""
    noise = np.random.default_rng(3).normal(size=n)
    for i in range(1, n):
        noise[i] += share * noise[i - 1]
    return noise


def neighbours(residuals: np.ndarray) -> float:
    centred = residuals - residuals.mean()
    return float(centred[1:] @ centred[:-1] / (centred @ centred))


def test_many_points_with_a_strong_correlation_are_told() -> None:
    residuals = correlated(400, 0.5)
    assert neighbours(residuals) > 0.4
    (note,) = notes_of(residuals)
    assert f"correlation of {neighbours(residuals):.2f}" in note


def test_a_weak_correlation_of_many_points_is_not_told() -> None:
    """Chance does not explain it, but it changes intervals by little."""
    residuals = correlated(400, 0.2)
    assert 3.0 / np.sqrt(400) < neighbours(residuals) < 0.3
    assert notes_of(residuals) == []


@pytest.mark.parametrize(("n", "told"), [(12, False), (200, True)])
def test_few_points_correlate_by_chance(n: int, told: bool) -> None:
    """A wave of three quarters of a period has the same correlation from twelve points as chance may have."""
    wave = np.sin(np.linspace(0.0, 1.5 * np.pi, n))
    assert neighbours(wave) > 0.3
    assert bool(neighbours(wave) > 3.0 / np.sqrt(n)) is told
    assert bool(notes_of(wave)) is told


def test_too_few_points_say_nothing() -> None:
    assert notes_of(np.linspace(-1.0, 1.0, 7)) == []
    assert notes_of(np.zeros(50)) == []
