"""Several impacts at one instant: known outcomes, the bound of energy, and limits."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from polycontact.kernels.response.codes import Hypothesis, ImpactEnd, Update
from polycontact.kernels.response.contact_system import ContactSystem, find_velocities, velocity_by
from polycontact.kernels.response.impacts import resolve_impacts
from polycontact.kernels.response.response_views import SolverSettings, solver_settings
from tests.kernels.response.problems import memory_for, random_problem, system_of
from tests.kernels.response.test_single_impact import double_pendulum
from tests.kernels.response.test_solve_contacts import stack

Array = NDArray[np.float64]
BOTH = list(Update)
ALL = list(Hypothesis)


class Resolved(NamedTuple):
    end: int
    p: Array
    velocity: Array
    energy_added: float
    rounds: int


def resolved(
    W: Array,
    u: Array,
    mu: Array,
    e: Array,
    hypothesis: Hypothesis = Hypothesis.ENERGETIC,
    update: Update = Update.SIMULTANEOUS,
    rest_speed: float = 0.0,
    settings: SolverSettings | None = None,
) -> Resolved:
    system = system_of(W) if np.isfinite(W).all() else system_of_bad(len(u))
    p, memory = np.full(len(u), 7.0), memory_for(system)
    chosen = settings or solver_settings(tolerance=1e-13)
    end = resolve_impacts(system, u, mu, e, int(hypothesis), int(update), p, rest_speed, chosen, memory)
    report = memory.report
    return Resolved(end, p, np.array(memory.velocity), report.energy_added, report.rounds)


def system_of_bad(size: int) -> ContactSystem:
    """Contacts of which one gives way by no number."""
    system = system_of(np.eye(size))
    system.rows[0, 0] = math.nan
    return system


def row_of_balls(n: int) -> tuple[Array, Array]:
    """W and u of n balls of 1 kg that touch; the first has come with 1 m/s."""
    contacts = n - 1
    normal = 2.0 * np.eye(contacts) - np.eye(contacts, k=1) - np.eye(contacts, k=-1)
    W = np.zeros((3 * contacts, 3 * contacts))
    W[::3, ::3] = normal
    u = np.zeros(3 * contacts)
    u[0] = -1.0
    return W, u


def speeds_of_balls(p: Array) -> Array:
    normal = p[::3]
    return np.array([1.0 - normal[0], *(normal[:-1] - normal[1:]), normal[-1]])


@pytest.mark.parametrize("hypothesis", ALL)
def test_three_billiard_balls_differ_by_update(hypothesis: Hypothesis) -> None:
    """S2.21: one ball leaves, or two go on together and one comes back; no energy is lost either way."""
    W, u = row_of_balls(3)
    for update, expected in (
        (Update.PROPAGATION, [0.0, 0.0, 1.0]),
        (Update.SIMULTANEOUS, [-1 / 3, 2 / 3, 2 / 3]),
    ):
        found = resolved(W, u, np.zeros(2), np.ones(2), hypothesis, update)
        assert found.end == ImpactEnd.RESOLVED
        np.testing.assert_allclose(speeds_of_balls(found.p), expected, atol=1e-12)
        assert abs(found.energy_added) <= 1e-12


def test_a_row_of_balls_passes_the_impact_on() -> None:
    W, u = row_of_balls(8)
    found = resolved(W, u, np.zeros(7), np.ones(7), update=Update.PROPAGATION)
    np.testing.assert_allclose(speeds_of_balls(found.p), [0.0] * 7 + [1.0], atol=1e-14)  # of eigenvectors
    assert found.rounds == 7


@pytest.mark.parametrize("hypothesis", ALL)
@pytest.mark.parametrize("slip", [1.0, 10.0])
def test_updates_are_equal_for_one_contact(hypothesis: Hypothesis, slip: float) -> None:
    """S2.20, for a ball that ends rolling and for one that slides all along."""
    W, u = np.diag([1.0, 3.5, 3.5]), np.array([-1.0, 0.6 * slip, -0.8 * slip])
    one, all_at_once = (resolved(W, u, np.array([0.4]), np.array([0.8]), hypothesis, update).p for update in BOTH)
    np.testing.assert_allclose(one, all_at_once, atol=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_loss_without_friction_is_that_of_the_derivation(e: float) -> None:
    """½ (1 - e²) cᵀW c, with the impulses c of compression."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        problem = random_problem(rng, 4, 20, 0.0)
        compression = resolved(problem.W, problem.b, problem.mu, np.zeros(4)).p
        found = resolved(problem.W, problem.b, problem.mu, np.full(4, e))
        stored = compression @ problem.W @ compression
        # Where a contact approaches again the rest of the rounds takes more.
        assert found.energy_added <= -0.5 * (1 - e * e) * stored + 1e-10
        if found.rounds == 1 and np.allclose(found.p, (1 + e) * compression, atol=1e-10):
            assert found.energy_added == pytest.approx(-0.5 * (1 - e * e) * stored, abs=1e-10)


@pytest.mark.parametrize("update", BOTH)
@pytest.mark.parametrize("hypothesis", ALL)
def test_random_impacts(hypothesis: Hypothesis, update: Update) -> None:
    """Cones hold and nothing approaches; the energetic hypothesis never makes energy."""
    rng = np.random.default_rng(10 * hypothesis + update)
    gained = 0
    settings = solver_settings()
    for trial in range(500):
        n = int(rng.integers(1, 6))
        problem = random_problem(rng, n, int(rng.integers(3 * n, 3 * n + 6)), 0.8)
        e = rng.uniform(0, 1, n) if trial % 2 else np.full(n, rng.uniform())
        found = resolved(problem.W, problem.b, problem.mu, e, hypothesis, update, 1e-3, settings)
        p, u = found.p, problem.b
        q = p.reshape(-1, 3)
        assert found.end in (ImpactEnd.RESOLVED, ImpactEnd.WITHOUT_RESTITUTION)
        assert q[:, 0].min() >= 0.0
        assert (np.hypot(q[:, 1], q[:, 2]) - problem.mu * q[:, 0]).max() <= 1e-12 * max(1.0, np.abs(p).max())
        after = u + problem.W @ p
        assert after[::3].min() >= -1e-9  # ten times the residual that is asked for
        np.testing.assert_allclose(found.velocity, after, atol=1e-10)
        size = np.abs(p) @ np.abs(u)
        assert found.energy_added == pytest.approx(p @ (u + after) / 2, abs=1e-12 * max(1.0, size))
        if hypothesis == Hypothesis.ENERGETIC:
            assert found.energy_added <= 1e-14 * size
        gained += found.energy_added > 1e-6
    assert gained > 0 or hypothesis != Hypothesis.NEWTON


@pytest.mark.parametrize("update", BOTH)
def test_energy_never_grows_in_redundant_contacts(update: Update) -> None:
    """More contacts than freedoms, different restitution: the bound of the restitution is needed here."""
    rng = np.random.default_rng(3)
    settings = solver_settings()
    for _ in range(300):
        n = int(rng.integers(3, 8))
        problem = random_problem(rng, n, 6, 0.8)
        found = resolved(problem.W, problem.b, problem.mu, rng.uniform(0, 1, n), update=update, settings=settings)
        size = np.abs(found.p) @ np.abs(problem.b) + np.abs(found.p) @ np.abs(problem.W) @ np.abs(found.p)
        assert found.energy_added <= 1e-14 * size


def test_newton_gains_energy_at_once_too_and_stronge_does_not() -> None:
    """The pendulum of Kane and Levinson (1985)."""
    W, u = double_pendulum()
    mu, e = np.array([0.7]), np.array([0.7])
    assert resolved(W, u, mu, e, Hypothesis.NEWTON).energy_added > 0
    assert resolved(W, u, mu, e, Hypothesis.ENERGETIC).energy_added < 0


@pytest.mark.parametrize("update", BOTH)
@pytest.mark.parametrize("hypothesis", ALL)
def test_slow_contacts_have_no_restitution(hypothesis: Hypothesis, update: Update) -> None:
    W, mu, e = np.diag([1.0, 3.5, 3.5]), np.array([0.3]), np.array([0.8])
    for speed, expected in ((0.009, 0.0), (0.011, 0.8 * 0.011)):
        found = resolved(W, np.array([-speed, 0.0, 0.0]), mu, e, hypothesis, update, rest_speed=0.01)
        assert found.velocity[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("update", BOTH)
def test_limit_of_rounds_ends_without_restitution(update: Update) -> None:
    """A ball between two walls that stands slightly askew goes on for ever with e = 1."""
    W = np.zeros((6, 6))
    W[np.ix_([0, 3], [0, 3])] = [[1.0, -0.9], [-0.9, 1.0]]  # a sharp wedge
    u = np.array([-1.0, 0, 0, 0.9, 0, 0])
    settings = solver_settings(rounds=1 if update == Update.PROPAGATION else 0)
    found = resolved(W, u, np.zeros(2), np.ones(2), update=update, settings=settings)
    assert found.end == ImpactEnd.WITHOUT_RESTITUTION
    assert found.velocity[::3].min() >= -1e-9
    assert found.energy_added <= 0.0


@pytest.mark.parametrize("update", BOTH)
def test_what_cannot_be_stopped_is_told(update: Update) -> None:
    """A body squeezed between two walls that are moved."""
    W = np.zeros((6, 6))
    W[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0]]
    found = resolved(W, np.array([-1.0, 0, 0, -1.0, 0, 0]), np.zeros(2), np.zeros(2), update=update)
    assert found.end == ImpactEnd.UNSOLVED
    assert np.isfinite(found.p).all()


@pytest.mark.parametrize("update", BOTH)
@pytest.mark.parametrize("where", ["W", "u", "mu", "e"])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_bad_numbers_are_told(update: Update, where: str, bad: float) -> None:
    W, u = row_of_balls(3)
    arrays = {"W": W, "u": u, "mu": np.zeros(2), "e": np.ones(2)}
    arrays[where][0] = bad
    found = resolved(arrays["W"], arrays["u"], arrays["mu"], arrays["e"], update=update)
    assert found.end == ImpactEnd.BAD_NUMBERS
    assert not found.p.any()


def test_nothing_happens_where_nothing_approaches() -> None:
    W, u = row_of_balls(3)
    for update in BOTH:
        found = resolved(W, -u, np.zeros(2), np.ones(2), update=update)
        assert found.end == ImpactEnd.RESOLVED
        assert found.rounds == 0
        assert not found.p.any()


def test_too_little_memory_is_told() -> None:
    W, u = row_of_balls(4)
    p = np.ones(9)
    small = memory_for(system_of(row_of_balls(3)[0]))
    end = resolve_impacts(system_of(W), u, np.zeros(3), np.ones(3), 0, 0, p, 0.0, solver_settings(), small)
    assert end == ImpactEnd.NO_ROOM
    assert not p.any()


def random_impact(rng: np.random.Generator, trial: int) -> tuple[ContactSystem, Array, Array, float]:
    """Contacts, velocities, friction and the energy (J) of the motion; every tenth is a stack."""
    if trial % 10:
        n = int(rng.integers(1, 11))
        problem = random_problem(rng, n, int(rng.integers(3, 30)), 1.0)
        inverse = np.linalg.pinv(problem.W, rcond=1e-12, hermitian=True)
        return system_of(problem.W), problem.b, problem.mu, float(0.5 * problem.b @ inverse @ problem.b)
    slabs = int(rng.integers(2, 13))
    system, _ = stack(slabs, 0.0, 10.0 ** rng.uniform(-2.0, 2.0, slabs))
    z = 10.0 ** rng.uniform(-2.0, 0.5) * rng.normal(size=system.width)
    u = np.empty(12 * slabs)
    find_velocities(system, np.zeros(12 * slabs), np.zeros(12 * slabs), np.zeros(system.width), u)
    for i in range(4 * slabs):
        u[3 * i : 3 * i + 3] = velocity_by(system, z, i)
    return system, u, np.full(4 * slabs, rng.uniform()), float(0.5 * z @ z)


def assert_no_energy_is_made(seed: int, trials: int) -> None:
    rng = np.random.default_rng(seed)
    settings = solver_settings(steps=2000)
    unsolved = 0
    for trial in range(trials):
        system, u, mu, energy = random_impact(rng, trial)
        n = len(mu)
        e = rng.uniform(0.0, 1.0, n) if trial % 2 else np.full(n, rng.uniform())
        for update in BOTH:
            memory, p = memory_for(system), np.zeros(3 * n)
            end = resolve_impacts(system, u, mu, e, 0, int(update), p, 0.02, settings, memory)
            unsolved += end not in (ImpactEnd.RESOLVED, ImpactEnd.WITHOUT_RESTITUTION)
            # Rounding of sums of up to 144 impulses, far below the 1e-6 that would be seen in a run.
            assert memory.report.energy_added <= 1e-10 * energy
    assert unsolved <= 0.01 * trials  # of stacks with ratios of mass up to 1e4; they make no energy either


def test_no_impact_makes_energy() -> None:
    assert_no_energy_is_made(1, 60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_no_impact_of_five_thousand_makes_energy(seed: int) -> None:
    assert_no_energy_is_made(100 + seed, 500)
