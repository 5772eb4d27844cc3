"""What the book compares with: friction of a disc, restitution, half-spaces; each found in another way too."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import dblquad, quad, solve_ivp

from polycontact.contact.half_spaces import BallOnFlat, CylinderOnFlat, FlatPunch, contact_modulus
from polycontact.verification.closed_forms import restitution
from proof.book.restitution import BALL_STIFFNESS, SPEED, _ball_depth, ball_restitution
from proof.properties.disc_friction import coulomb_shares, regularised_shares


def _over_disc(function: Callable[[float, float], float]) -> float:
    return float(dblquad(function, 0.0, 1.0, 0.0, 2.0 * math.pi, epsabs=1e-5, epsrel=1e-5)[0])


@pytest.mark.parametrize("ratio", [0.05, 0.4, 0.9, 1.3, 4.0])
def test_friction_of_a_disc_by_quadrature(ratio: float) -> None:
    def slip(angle: float, r: float) -> tuple[float, float]:
        return ratio - r * math.sin(angle), r * math.cos(angle)

    def force(angle: float, r: float) -> float:
        x, y = slip(angle, r)
        return r * x / math.hypot(x, y)

    def torque(angle: float, r: float) -> float:
        x, y = slip(angle, r)
        return r * (r * math.cos(angle) * y - r * math.sin(angle) * x) / math.hypot(x, y)

    shares = coulomb_shares(ratio)
    assert shares.force == pytest.approx(_over_disc(force) / math.pi, abs=1e-4)
    found = 1.5 * _over_disc(torque) / math.pi
    assert shares.torque == pytest.approx(found, abs=1e-4)


def test_friction_at_the_ends_and_in_the_middle() -> None:
    assert coulomb_shares(0.0) == (0.0, 1.0)
    assert coulomb_shares(math.inf) == (1.0, 0.0)
    assert coulomb_shares(1.0) == pytest.approx(coulomb_shares(1.0 - 1e-9), abs=1e-7)
    assert coulomb_shares(1.0) == pytest.approx(coulomb_shares(1.0 + 1e-9), abs=1e-7)


def test_regularised_friction() -> None:
    assert regularised_shares(0.6, 0.8, 1e-9) == pytest.approx(coulomb_shares(0.75), abs=1e-4)
    # Sliding only: s (2 - s); spinning only: three times the integral of s (2 - s) r², s = r/2.
    assert regularised_shares(1.0, 0.0, 2.0) == pytest.approx((0.75, 0.0), abs=1e-9)
    assert regularised_shares(0.0, 1.0, 2.0) == pytest.approx((0.0, 3.0 * (1.0 / 4.0 - 1.0 / 20.0)), abs=1e-9)


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.6, 0.72, 0.99, 1.0, 1.01, 2.5])
def test_restitution_by_integration(ratio: float) -> None:
    def released(_: float, state: NDArray[np.float64]) -> float:
        return float(state[0]) + 2.0 * ratio * state[1] if state[1] < 0.0 else 1.0

    released.terminal = True  # type: ignore[attr-defined]
    found = solve_ivp(
        lambda _, s: (s[1], -s[0] - 2.0 * ratio * s[1]),
        (0.0, 50.0),
        (0.0, 1.0),
        events=released,
        rtol=1e-10,
        atol=1e-12,
    )
    assert restitution(ratio) == pytest.approx(-found.y[1, -1], rel=1e-6)


def test_restitution_of_a_ball() -> None:
    assert ball_restitution(0.0) == pytest.approx(1.0, abs=1e-6)
    scale = BALL_STIFFNESS * _ball_depth() / SPEED
    assert 1.0 > ball_restitution(0.1 * scale) > ball_restitution(0.2 * scale) > 0.5


def test_contact_modulus() -> None:
    assert contact_modulus((210e9, 0.3), (210e9, 0.3)) == pytest.approx(210e9 / 1.82)
    assert contact_modulus((5e6, 0.0)) == pytest.approx(5e6)


@pytest.mark.parametrize("shape", [BallOnFlat(1e9, 0.01), CylinderOnFlat(1e9, 0.01, 0.02), FlatPunch(1e9, 0.01)])
def test_stiffness_is_the_slope_of_the_force(shape: BallOnFlat | CylinderOnFlat | FlatPunch) -> None:
    low, point, high = (shape.at(factor * 20.0) for factor in (0.999, 1.0, 1.001))
    assert (high.force - low.force) / (high.depth - low.depth) == pytest.approx(point.stiffness, rel=1e-5)


def test_pressures_carry_the_load() -> None:
    ball, cylinder = BallOnFlat(1e9, 0.01).at(20.0), CylinderOnFlat(1e9, 0.01, 0.02).at(20.0)
    for point, carried in (
        (ball, quad(lambda r: 2.0 * math.pi * r * math.sqrt(1.0 - r * r), 0.0, 1.0)[0] * ball.half_width**2),
        (cylinder, quad(lambda x: math.sqrt(1.0 - x * x), -1.0, 1.0)[0] * cylinder.half_width * 0.02),
    ):
        assert point.pressure * carried == pytest.approx(20.0, rel=1e-6)


def test_layers_that_match() -> None:
    ball = BallOnFlat(1e9, 0.01)
    point = ball.at(20.0)
    c = ball.for_force(point)
    assert ball.for_stiffness(point) == pytest.approx(0.75 * c)
    assert ball.for_energy(point) == pytest.approx(1.2 * c)
    assert ball.force(point.depth) == pytest.approx(20.0)
    energy = quad(ball.force, 0.0, point.depth)[0]
    assert math.pi * ball.for_energy(point) * 0.01 * point.depth**3 / 3.0 == pytest.approx(energy, rel=1e-6)
    cylinder = CylinderOnFlat(1e9, 0.01, 0.02)
    point = cylinder.at(20.0)
    assert 2.0 / 3.0 < cylinder.for_stiffness(point) / cylinder.for_force(point) < 0.8
    punch = FlatPunch(1e9, 0.01)
    c = punch.for_force(punch.at(20.0))
    assert c == pytest.approx(2e9 / (math.pi * 0.01))
    assert 0.25 * math.pi * c * 0.01**4 == pytest.approx(3.0 / 8.0 * punch.tilt_stiffness())
