"""The impact of one contact against closed forms, an integration by scipy, and the bound of energy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from polycontact.kernels.response.codes import Hypothesis
from polycontact.kernels.response.single_impact import resolve_single_impact

Array = NDArray[np.float64]


def impulse(W: Array, u: Array, mu: float, e: float, hypothesis: Hypothesis = Hypothesis.ENERGETIC) -> Array:
    rows = tuple(tuple(row) for row in np.asarray(W, dtype=float).tolist())
    return np.array(resolve_single_impact(rows, tuple(map(float, u)), float(mu), float(e), int(hypothesis)))


def energy_change(W: Array, u: Array, p: Array) -> float:
    return float(p @ (u + 0.5 * W @ p))


def random_block(rng: np.random.Generator, freedoms: int) -> Array:
    J = rng.normal(size=(3, freedoms))
    return J @ J.T


SPHERE = np.diag([1.0, 3.5, 3.5])
"""A solid ball of 1 kg at a wall: 1/m, and 1/m + r²/(2/5 m r²) along the wall."""


@pytest.mark.parametrize("hypothesis", list(Hypothesis))
def test_without_friction_it_is_exact(hypothesis: Hypothesis) -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        W, e = random_block(rng, 6), rng.uniform()
        u = rng.normal(size=3)
        u[0] = -abs(u[0])
        p = impulse(W, u, 0.0, e, hypothesis)
        assert p[0] == pytest.approx(-(1 + e) * u[0] / W[0, 0], rel=4e-16)
        assert not p[1:].any()


@pytest.mark.parametrize("hypothesis", list(Hypothesis))
@pytest.mark.parametrize(("slip", "sticks"), [(1.0, True), (2.5, True), (2.6, False), (10.0, False)])
def test_a_spinning_ball_at_a_wall(hypothesis: Hypothesis, slip: float, sticks: bool) -> None:
    """It sticks, and rolls off, where μ (1 + e) |u_n| ≥ 2/7 |u_t|, here up to 2.52 m/s; otherwise it slides on."""
    mu, e = 0.4, 0.8
    direction = np.array([0.6, -0.8])
    u = np.array([-1.0, *(slip * direction)])
    p = impulse(SPHERE, u, mu, e, hypothesis)
    friction = 2 / 7 * slip if sticks else mu * (1 + e)
    np.testing.assert_allclose(p, [1 + e, *(-friction * direction)], rtol=1e-14)


def planar_reference(W: Array, u: Array, mu: float, e: float) -> Array:
    """Stronge's impact in a plane by hand: straight pieces of slip, then stick or reversed slip."""
    w_nn, w, a = W[0, 0], W[0, 1], W[1, 1]
    pieces = []  # normal impulse of each piece, tangential per normal impulse
    side = math.copysign(1.0, u[1])
    first = -mu * side
    rate = (w + a * first) * side
    if rate < 0:
        pieces.append((-abs(u[1]) / rate, first))
        stick = -w / a
        pieces.append((math.inf, stick if abs(stick) <= mu else -math.copysign(mu, w)))
    else:
        pieces.append((math.inf, first))
    p, u_n, work, target = np.zeros(3), u[0], 0.0, None
    for length, tangential in pieces:
        left, rate_n = length, w_nn + w * tangential
        if target is None and rate_n > 0 and -u_n / rate_n <= left:
            step = -u_n / rate_n
            p += step * np.array([1, tangential, 0])
            work += step * u_n / 2
            u_n, left, target = 0.0, left - step, (1 - e * e) * (work)
        if target is not None and rate_n > 0:
            step = (-u_n + math.sqrt(u_n**2 + 2 * rate_n * (target - work))) / rate_n
            if step <= left:
                return p + step * np.array([1, tangential, 0])
        p += left * np.array([1, tangential, 0])
        work += left * (u_n + rate_n * left / 2)
        u_n += left * rate_n
    raise AssertionError("the last piece reaches the end")


def test_planar_impacts_stick_slip_and_reverse() -> None:
    rng = np.random.default_rng(2)
    for _ in range(500):
        J = rng.normal(size=(2, 3))
        W = np.diag([0.0, 0.0, 1.0])
        W[:2, :2] = J @ J.T
        u = np.array([-rng.uniform(0.1, 2.0), rng.normal(), 0.0])
        mu, e = rng.uniform(0.05, 1.5), rng.uniform()
        expected = planar_reference(W, u, mu, e)
        np.testing.assert_allclose(impulse(W, u, mu, e), expected, rtol=1e-9, atol=1e-12)


def by_scipy(W: Array, u: Array, mu: float, e: float) -> Array | None:
    """Stronge's impact by integrating slip along the normal impulse; None where slip comes to an end."""

    def rates(_: float, y: Array) -> Array:
        v = u + W @ y[:3]
        slip = np.hypot(v[1], v[2])
        return np.array([1.0, -mu * v[1] / slip, -mu * v[2] / slip, v[0]])

    def compressed(_: float, y: Array) -> float:
        return float((u + W @ y[:3])[0])

    def stopped(_: float, y: Array) -> float:
        v = u + W @ y[:3]
        return float(np.hypot(v[1], v[2]) - 1e-3)

    stopped.terminal = compressed.terminal = True  # type: ignore[attr-defined]
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    first = solve_ivp(rates, (0, 1e3), np.zeros(4), events=[compressed, stopped], **options)
    if first.t_events[1].size or not first.t_events[0].size:
        return None
    start = first.y_events[0][0]

    def restored(_: float, y: Array) -> float:
        return float(y[3] - (1 - e * e) * start[3])

    restored.terminal = True  # type: ignore[attr-defined]
    second = solve_ivp(rates, (0, 1e3), start, events=[restored, stopped], **options)
    return None if second.t_events[1].size or not second.t_events[0].size else second.y_events[0][0][:3]


def test_curved_slip_against_scipy() -> None:
    rng = np.random.default_rng(3)
    compared = 0
    for _ in range(40):
        W, u = random_block(rng, 4), rng.normal(size=3) * np.array([1, 2, 2])
        u[0] = -abs(u[0])
        mu, e = rng.uniform(0.1, 0.8), rng.uniform(0.2, 1.0)
        expected = by_scipy(W, u, mu, e)
        if expected is not None:
            compared += 1
            # Both are integrated to about 1e-11 a step.
            np.testing.assert_allclose(impulse(W, u, mu, e), expected, rtol=1e-8, atol=1e-9)
    assert compared >= 15


@pytest.mark.parametrize("freedoms", [1, 2, 3, 4, 6])
def test_energy_never_grows_with_the_energetic_hypothesis(freedoms: int) -> None:
    """Also for blocks that are singular, and for e = 1, where only friction takes energy."""
    rng = np.random.default_rng(freedoms)
    for trial in range(1000):
        J = rng.normal(size=(3, freedoms)) * 10.0 ** rng.uniform(-1, 1, freedoms)
        W = J @ J.T
        u = J @ rng.normal(size=freedoms)
        u *= -np.sign(u[0])
        mu, e = (0.0 if trial % 10 == 0 else rng.uniform(0, 3)), (1.0, 0.0, rng.uniform())[trial % 3]
        p = impulse(W, u, mu, e)
        size = np.abs(p) @ np.abs(u) + np.abs(p) @ np.abs(W) @ np.abs(p)
        assert energy_change(W, u, p) <= 1e-14 * size  # slip within tens of roundings has stopped
        assert math.hypot(p[1], p[2]) <= mu * p[0] * (1 + 1e-14)
        # With two freedoms the normal velocity vanishes with the slip, as exactly as that is taken for straight.
        assert (u + W @ p)[0] >= -(1e-6 if freedoms == 2 else 1e-13) * size / p[0]


def test_work_of_the_normal_impulse_is_returned_times_e_squared() -> None:
    """Without slip that stops, friction is known all along: -μ ∫ |u_t| dp_n, here a straight slip."""
    W = np.array([[1.0, 0.3, 0.0], [0.3, 3.0, 0.0], [0.0, 0.0, 3.0]])
    u, mu, e = np.array([-1.0, 5.0, 0.0]), 0.2, 0.7
    p = impulse(W, u, mu, e)
    rate = 1.0 - mu * 0.3
    np.testing.assert_allclose(p, (1 + e) / rate * np.array([1, -mu, 0]), rtol=1e-14)


def double_pendulum() -> tuple[Array, Array]:
    """The tip of two hinged rods of 1 m and 1 kg meets the ground, after the puzzle of Kane and Levinson (1985).

    Angles from the vertical of 20° and 30°, speeds -0.1 and -0.2 rad/s. Returns W and u of the tip.
    """
    a, b = math.radians(20), math.radians(30)
    M = np.array([[4 / 3, math.cos(a - b) / 2], [math.cos(a - b) / 2, 1 / 3]])
    # The hinge is above; the tip is at (sin a + sin b, -cos a - cos b), the ground below it.
    J = np.array([[math.sin(a), math.sin(b)], [math.cos(a), math.cos(b)], [0.0, 0.0]])
    return J @ np.linalg.inv(M) @ J.T, J @ np.array([-0.1, -0.2])


@pytest.mark.parametrize("e", [0.5, 0.7])
def test_kanes_pendulum_gains_energy_with_newton_and_never_with_stronge(e: float) -> None:
    W, u = double_pendulum()
    assert u[0] < 0
    gains = {h: energy_change(W, u, impulse(W, u, 0.7, e, h)) for h in Hypothesis}
    energy = 0.5 * u[:2] @ np.linalg.solve(W[:2, :2], u[:2])  # two freedoms: the tip's velocity tells all
    assert gains[Hypothesis.ENERGETIC] < 0
    assert gains[Hypothesis.NEWTON] > 0.1 * energy


def test_no_impulse_without_an_approach_or_with_bad_numbers() -> None:
    for u in ([0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [math.nan, 0.0, 0.0], [-1.0, math.inf, 0.0]):
        assert not impulse(SPHERE, np.array(u), 0.5, 0.5).any()
    assert not impulse(np.zeros((3, 3)), np.array([-1.0, 0.0, 0.0]), 0.5, 0.5).any()
    assert not impulse(SPHERE * math.nan, np.array([-1.0, 0.0, 0.0]), 0.5, 0.5).any()
