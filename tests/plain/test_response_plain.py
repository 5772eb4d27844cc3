"""Impulses of rigid contacts as plain Python gives them: closed forms, each part of the solvers once."""

from __future__ import annotations

import numpy as np
import pytest

from polycontact.kernels.response.codes import Hypothesis, ImpactEnd, Solver, Update
from polycontact.kernels.response.impacts import resolve_impacts
from polycontact.kernels.response.response_views import response_memory, solver_settings
from polycontact.kernels.response.solve_contacts import solve_contacts


def table() -> tuple[np.ndarray, np.ndarray]:
    """W and b of a plate of 4 kg on four corners, with 10 ms of gravity and a push of 0.03 m/s along x."""
    J = []
    for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        for axis in ((0, 0, 1), (1, 0, 0), (0, 1, 0)):
            J.append([*axis, *np.cross((x, y, 0.0), axis)])
    inverse_mass = np.diag([0.25, 0.25, 0.25, 1.0, 1.0, 1.0])
    velocity = np.array([0.03, 0, -0.0981, 0, 0, 0])
    return np.array(J) @ inverse_mass @ np.array(J).T, np.array(J) @ velocity


@pytest.mark.parametrize("solver", [Solver.AUTO, Solver.SWEEPS, Solver.LEMKE])
@pytest.mark.parametrize("mu", [0.0, 0.2, 0.5])
def test_a_plate_on_four_corners_sticks_or_slides(solver: Solver, mu: float) -> None:
    W, b = table()
    p = np.zeros(12)
    settings = solver_settings(solver=solver, compliance=1e-6 if solver != Solver.SWEEPS else 0.0)
    _, residual, _ = solve_contacts(W, b, np.full(4, mu), p, settings, response_memory(4))
    assert residual <= 1e-10
    # Gravity's impulse, 4 kg · 0.0981 m/s, and friction that takes the push or μ times as much; a compliance of 1e-6.
    impulse = p.reshape(4, 3).sum(axis=0)
    np.testing.assert_allclose(impulse, [0.3924, -min(0.12, mu * 0.3924), 0.0], atol=1e-6)


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
        p, memory = np.zeros(6), response_memory(2)
        end = resolve_impacts(
            W, u, np.full(2, mu), np.full(2, 0.5), int(hypothesis), int(update), p, 1e-3, solver_settings(), memory
        )
        assert end == ImpactEnd.RESOLVED
        after = u + W @ p
        assert after[::3].min() >= -1e-9
        if mu == 0.0:
            np.testing.assert_allclose(p[::3], [3.0, 1.5], atol=1e-9)
            np.testing.assert_allclose(after[::3], [1.0, 0.5], atol=1e-9)
