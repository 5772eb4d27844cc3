"""Closed forms of balanced bodies are met, and only because they are balanced."""

from __future__ import annotations

import math
import warnings

import pytest
from scipy.integrate import quad

from polycontact.errors import SurfaceWarning
from polycontact.surfaces.surface import Surface
from polycontact.verification import balanced_bodies
from polycontact.verification.case import VerificationCase, run_case

CASES = [pytest.param(case, id=case.name) for case in balanced_bodies.cases()]


@pytest.mark.parametrize("case", CASES)
def test_met(case: VerificationCase) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SurfaceWarning)
        outcome = run_case(case)
    assert outcome.ok, outcome


@pytest.mark.parametrize("case", CASES)
def test_not_met_by_the_meshes_as_they_are(case: VerificationCase, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_it_is(surface: Surface) -> Surface:
        return surface

    monkeypatch.setattr(balanced_bodies, "_balanced", as_it_is)
    assert not run_case(case).ok


def test_ball_in_cup_by_quadrature() -> None:
    R, S, e = 0.1, 0.102, 0.003

    def pressure(angle: float) -> float:
        depth = math.hypot(R * math.sin(angle), R * math.cos(angle) + e) - S
        return max(depth, 0.0) * math.cos(angle) * math.sin(angle)

    edge = math.acos((S * S - R * R - e * e) / (2.0 * R * e))
    force = 2.0 * math.pi * R * R * quad(pressure, 0.0, edge, epsabs=0.0, epsrel=1e-12)[0]
    # Differences of fifth powers lose eight digits of sixteen.
    assert balanced_bodies.ball_in_cup_by_distance(1.0, R, S, e) == pytest.approx(force, rel=1e-6)
