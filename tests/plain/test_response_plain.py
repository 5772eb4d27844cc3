"""Impulses of rigid contacts as plain Python gives them: closed forms, each part of the solvers once."""

from __future__ import annotations

import numpy as np
import pytest

from polycontact.kernels.response.codes import Hypothesis, ImpactEnd, Update
from polycontact.kernels.response.impacts import resolve_impacts
from polycontact.kernels.response.local_contact import solve_contact
from polycontact.kernels.response.response_views import solver_settings
from tests.kernels.response.problems import memory_for, solved, system_of


def table() -> tuple[np.ndarray, np.ndarray]:
    """W and b of a plate of 4 kg on four corners, with 10 ms of gravity and a push of 0.03 m/s along x."""
    J = []
    for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        for axis in ((0, 0, 1), (1, 0, 0), (0, 1, 0)):
            J.append([*axis, *np.cross((x, y, 0.0), axis)])
    inverse_mass = np.diag([0.25, 0.25, 0.25, 1.0, 1.0, 1.0])
    velocity = np.array([0.03, 0, -0.0981, 0, 0, 0])
    return np.array(J) @ inverse_mass @ np.array(J).T, np.array(J) @ velocity


@pytest.mark.parametrize("mu", [0.0, 0.2, 0.5])
def test_a_plate_on_four_corners_sticks_or_slides(mu: float) -> None:
    W, b = table()
    p, residual, _ = solved(system_of(W), b, np.full(4, mu))
    assert residual <= 1e-10
    # Gravity's impulse, 4 kg · 0.0981 m/s, and friction that takes the push or μ times as much.
    impulse = p.reshape(4, 3).sum(axis=0)
    np.testing.assert_allclose(impulse, [0.3924, -min(0.12, mu * 0.3924), 0.0], atol=1e-8)


def test_one_contact_obeys_coulomb() -> None:
    """Pushed down and along with friction that holds, or slips."""
    W = ((1.0, 0.0, 0.0), (0.0, 3.5, 0.0), (0.0, 0.0, 3.5))
    np.testing.assert_allclose(solve_contact(W, (-1.0, 0.7, 0.0), 0.5, 0.0), (1.0, -0.2, 0.0), atol=1e-12)
    np.testing.assert_allclose(solve_contact(W, (-1.0, 7.0, 0.0), 0.5, 0.0), (1.0, -0.5, 0.0), atol=1e-12)
    np.testing.assert_allclose(solve_contact(W, (0.1, 7.0, 0.0), 0.5, 0.2), (0.2, -0.1, 0.0), atol=1e-12)


@pytest.mark.parametrize("hypothesis", list(Hypothesis))
@pytest.mark.parametrize("update", list(Update))
def test_a_ball_in_a_corner(hypothesis: Hypothesis, update: Update) -> None:
    """Floor and wall at right angles, a ball without spin: two impacts that know nothing of each other without
    friction; with friction it ends apart from both."""
    J = np.array(
        [[0, 0, 1, 0, 0, 0], [1, 0, 0, 0, -1, 0], [0, 1, 0, 1, 0, 0],
         [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 1], [0, 0, 1, 0, -1, 0]], dtype=float,
    )  # fmt: skip
    W = J @ np.diag([1, 1, 1, 2.5, 2.5, 2.5]) @ J.T
    u = J @ np.array([-1.0, 0.3, -2.0, 0, 0, 0])
    for mu in (0.0, 0.3):
        p, system = np.zeros(6), system_of(W)
        memory = memory_for(system)
        end = resolve_impacts(
            system, u, np.full(2, mu), np.full(2, 0.5), int(hypothesis), int(update), p, 1e-3, solver_settings(), memory
        )
        assert end == ImpactEnd.RESOLVED
        after = u + W @ p
        assert after[::3].min() >= -1e-9
        if mu == 0.0:
            np.testing.assert_allclose(p[::3], [3.0, 1.5], atol=1e-9)
            np.testing.assert_allclose(after[::3], [1.0, 0.5], atol=1e-9)
