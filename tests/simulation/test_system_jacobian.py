"""df/dy from slopes of contacts, dense and by blocks, against central differences of the rates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.stepping.block_jacobian import block_jacobian
from polycontact.kernels.stepping.block_solver import factorise_blocks, solve_blocks
from polycontact.kernels.stepping.difference_jacobian import Differences
from polycontact.kernels.stepping.system_jacobian import SystemJacobian, system_jacobian
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation import slope_jacobian
from polycontact.simulation.integrated_rates import IntegratedRates
from polycontact.simulation.slope_jacobian import SlopeJacobian

Array = NDArray[np.float64]


class Prepared(NamedTuple):
    """A system whose Jacobian is asked for."""

    rates: IntegratedRates
    evaluator: Evaluator
    jacobian: SystemJacobian
    start: Array
    keep: Any
    n: int
    n_columns: int

    def rates_at(self, y: Array) -> Array:
        out = np.empty(self.n)
        self.rates(0.0, y, out)
        return out

    def dense(self, y: Array) -> Array:
        """df/dy (n, n) in one matrix."""
        out, rates = np.zeros((self.n, self.n)), self.rates_at(y)
        assert system_jacobian(self.jacobian.address, 0.0, y.ctypes.data, rates.ctypes.data, out.ctypes.data) == 0
        return out.T[:, : self.n_columns]

    def by_blocks(self, y: Array) -> Array:
        """df/dy (n, n) put together from blocks."""
        rates, blocks = self.rates_at(y), self.jacobian.blocks
        assert block_jacobian(self.jacobian.address, 0.0, y.ctypes.data, rates.ctypes.data, 0) == 0
        owner = np.repeat(np.arange(blocks.n_blocks), np.diff(blocks.first))
        own = np.where(blocks.linked[owner][:, owner] == 1, blocks.jacobian, 0.0)
        out = np.zeros((self.n, self.n_columns))
        out[np.ix_(blocks.states, blocks.states)] = own
        out[self.n_columns :, blocks.states] = blocks.rest
        return out


def prepared(system: pc.MultibodySystem, monkeypatch: pytest.MonkeyPatch, *, by_blocks: bool = False) -> Prepared:
    """A system with what its Jacobian needs."""
    if by_blocks:
        monkeypatch.setattr(slope_jacobian, "FEWEST_STATES", 0)
    compiled = system.compile()
    setup, evaluator = compiled.setup, compiled.evaluator()
    rates = IntegratedRates(setup, evaluator)
    n, n_columns = setup.tree.n_states, setup.tree.ledger
    differences = Differences()
    differences.reserve(n=n, n_columns=n_columns, n_mask=0)
    differences.n_groups = n_columns
    differences.group[:] = np.arange(n_columns)
    differences.typical[:] = 1.0
    made = SlopeJacobian(evaluator.view, evaluator.apply_users if evaluator.has_users else None)
    made.prepare(rates.by_address.view, differences, rates.by_address.raised, data_of_vector=int(by_blocks))
    return Prepared(rates, evaluator, made._view, compiled.start_state(), (made, differences, compiled), n, n_columns)


def central(system: Prepared, y: Array, step: float) -> Array:
    """df/dy by central differences of all rates."""
    columns = []
    for j in range(system.n_columns):
        moved = np.zeros(system.n)
        moved[j] = step
        columns.append((system.rates_at(y + moved) - system.rates_at(y - moved)) / (2.0 * step))
    return np.column_stack(columns)


def pull(view: pc.multibody.ForceView) -> None:
    """A spring and a damper between the first ball and the last, as a user writes them."""
    first, last = "ball 0", "ball 2"
    way = view.position(last, (0.0, 0.0, 0.0)) - view.position(first, (0.0, 0.0, 0.0))
    speed = view.velocity(last, (0.0, 0.0, 0.0)) - view.velocity(first, (0.0, 0.0, 0.0))
    length = np.linalg.norm(way)
    force = (1e3 * (length - 0.3) + 10.0 * speed @ way / length) * way / length
    view.add_force(first, force, (0.0, 0.0, 0.0))
    view.add_force(last, -force, (0.0, 0.0, 0.0))


def three_balls(*, exact: bool = False, by_user: bool = False) -> pc.MultibodySystem:
    """Balls in a row on a plate, each pressed into the next; a spring joins the first and the last.

    ``exact``: balls and a plate without triangles; ``by_user``: the spring is a Python function.
    """
    ball = pc.shapes.sphere(0.1, 3) if not exact else pc.convex.Sphere(0.1)
    plate = pc.shapes.box((2.0, 2.0, 0.2)) if not exact else pc.convex.Box((2.0, 2.0, 0.2))
    system = pc.MultibodySystem("three balls")
    system.add_body("plate", surface=plate, fixed=True, position=(0.0, 0.0, -0.1))
    for i in range(3):
        at = (0.197 * i, 0.003 * i, 0.097 + 0.001 * i)
        speeds = {"velocity": (0.1, -0.05 * i, -0.2), "angular_velocity": (0.3, 0.1 * i, 0.2)}
        system.add_body(f"ball {i}", surface=ball, density=1000.0, position=at, **speeds)
    spring: pc.multibody.ForceElement | pc.multibody.SpringDamper = pc.multibody.PythonForce("spring", pull)
    if not by_user:
        ends = "ball 0", (0.0, 0.0, 0.0), "ball 2", (0.0, 0.0, 0.0)
        spring = pc.multibody.SpringDamper("spring", *ends, stiffness=1e3, damping=10.0, length=0.3)
    system.add_force(spring)
    system.find_contacts(
        law=pc.LayerLaw(stiffness=1e5 if exact else 1e8, damping=10.0 if exact else 1e4, transition_depth=1e-4),
        friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.05),
    )
    return system


def misfit(found: Array, right: Array) -> float:
    """Largest difference, of each row relative to the greatest number of the row in the right one."""
    size = np.abs(right).max(axis=1, keepdims=True)
    return float((np.abs(found - right) / np.where(size > 1e-9 * np.abs(right).max(), size, np.inf)).max())


def test_jacobian_from_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates of motion, to the accuracy of the slopes: what damping feels of area that comes and goes is left out."""
    system = prepared(three_balls(), monkeypatch)
    y = system.start
    rows = slice(0, system.n_columns)
    assert misfit(system.dense(y)[rows], central(system, y, 1e-7)[rows]) < 0.03


def test_jacobian_of_a_method_without_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Convex shapes: slopes are differences of evaluations, one pair at a time; one-sided, to the root of rounding."""
    system = prepared(three_balls(exact=True), monkeypatch)
    y = system.start
    assert misfit(system.dense(y), central(system, y, 1e-7)) < 1e-3


def test_users_forces_are_differenced_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spring in Python gives the Jacobian of the same spring in compiled code; the ledger books it otherwise."""
    system = prepared(three_balls(), monkeypatch)
    rows = slice(0, system.n_columns)
    right = system.dense(system.start)[rows]
    by_user = prepared(three_balls(by_user=True), monkeypatch)
    calls = by_user.evaluator.view.ending.evaluations
    found = by_user.dense(by_user.start)[rows]
    assert by_user.evaluator.view.ending.evaluations == calls + 2, "for the rates, and for the slopes"
    np.testing.assert_allclose(found, right, rtol=0.0, atol=1e-6 * np.abs(right).max())


def test_blocks_give_the_same_jacobian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a colour are perturbed together; all rows but those of the powers of springs are the same numbers."""
    system = prepared(three_balls(), monkeypatch, by_blocks=True)
    y = system.start
    dense, found = system.dense(y), system.by_blocks(y)
    n = system.n_columns
    assert system.jacobian.blocks.n_blocks == 3
    np.testing.assert_allclose(found[:n], dense[:n], rtol=0.0, atol=1e-6 * np.abs(dense[:n]).max())
    np.testing.assert_allclose(found[n : n + 3], dense[n : n + 3], rtol=0.0, atol=1e-5 * np.abs(dense[n : n + 3]).max())


@pytest.mark.parametrize("gamma", [1e-5, 1e-3, 1e-1])
def test_blocks_are_solved(gamma: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """(I - γ J) x = b, against NumPy's dense solution."""
    system = prepared(three_balls(), monkeypatch, by_blocks=True)
    y = system.start
    full = np.zeros((system.n, system.n))
    full[:, : system.n_columns] = system.by_blocks(y)
    blocks = system.jacobian.blocks
    blocks.gamma, blocks.scale = gamma, 2.0
    assert factorise_blocks(blocks)
    b, x = np.random.default_rng(1).normal(size=system.n), np.empty(system.n)
    solve_blocks(blocks, b, x)
    right = np.linalg.solve(np.eye(system.n) - gamma * full, b) / 2.0
    np.testing.assert_allclose(x, right, rtol=1e-7, atol=1e-9 * np.abs(right).max())


@pytest.mark.parametrize("integrator", ["cvode-bdf", "ida"])
def test_runs_by_blocks(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The linear solver changes the iterations a little, and the motion within the tolerances, 1e-7 m."""
    runs = []
    for fewest in (0, 10**9):
        monkeypatch.setattr(slope_jacobian, "FEWEST_STATES", fewest)
        tolerances = {"rtol": 1e-6, "atol": 1e-7}
        runs.append(pc.simulate(three_balls(), end_time=0.05, integrator=integrator, **tolerances))
    blocks, dense = runs
    assert blocks.statistics.jacobians > 1
    assert blocks.statistics.evaluations < 1.3 * dense.statistics.evaluations
    for i in range(3):
        found, right = (run.trajectory.body(f"ball {i}").position[-1] for run in runs)
        np.testing.assert_allclose(found, right, atol=1e-5)  # a hundred tolerances: errors of both add up over steps
