"""Random trees with friction, brakes, bushings and couplers together: the balance closes, and couplers hold."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc


def machine(seed: int) -> tuple[pc.MultibodySystem, dict[str, list[tuple[str, int, float]]]]:
    """Eight bodies on joints of all kinds, two couplers, friction in every joint, bushings between leaves."""
    rng = np.random.default_rng(seed)
    system = pc.MultibodySystem(f"machine {seed}")
    kinds = ["revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "revolute", "prismatic"]
    single: list[tuple[str, int]] = []
    for i, kind in enumerate(rng.permutation(kinds).tolist()):
        n = {"cylindrical": 2, "universal": 2, "spherical": 3, "planar": 3}.get(kind, 1)
        a, b, c = rng.uniform(0.1, 0.3, 3)
        system.add_body(
            f"b{i}", mass=rng.uniform(0.5, 2.0), centre=0.1 * rng.normal(size=3), inertia=(b + c, a + c, a + b)
        )
        parent = "world" if i == 0 else f"b{rng.integers(0, i)}"
        axis = rng.normal(size=3)
        system.add_joint(
            f"j{i}", kind, parent, f"b{i}", at=0.3 * rng.normal(size=3), axis=axis, speeds=rng.normal(size=n)
        )
        dry = "1 + 0.5 * sin(9 * t)" if i % 2 else 0.4
        coordinates = [0] if kind == "spherical" else range(n)
        for k in coordinates:
            friction = pc.multibody.JointFriction(f"f{i}.{k}", f"j{i}", dry, viscous=0.05, velocity=0.05, coordinate=k)
            system.add_force(friction)
        if kind != "spherical":
            single += [(f"j{i}", k) for k in range(n)]
    terms = {}
    for k in range(2):
        chosen = rng.choice(len(single), 2 + k, replace=False)
        terms[f"c{k}"] = [(*single[i], float(rng.uniform(0.5, 2.0))) for i in chosen]
        system.add_coupler(pc.multibody.Coupler(f"c{k}", terms[f"c{k}"]))
    A = rng.normal(size=(6, 6))
    system.add_force(
        pc.multibody.Bushing("k", "b0", "b7", 5.0 * A @ A.T, damping=(0.5,) * 6, preload=rng.normal(size=6))
    )
    return system, terms


@pytest.mark.parametrize("seed", range(3))
def test_balance_of_random_machines(seed: int) -> None:
    system, terms = machine(seed)
    run = pc.simulate(system, end_time=0.5, rtol=1e-7, atol=1e-8, output_step=0.02, reactions=True)
    energy = np.ptp(run.ledger["kinetic"]) + np.ptp(run.ledger["gravity"])
    assert np.abs(run.ledger["balance"]).max() < 1e-5 * energy  # of the integrator
    assert (np.diff(run.ledger["damping"]) > 0.0).all()
    for coupler, each in terms.items():
        q = sum(factor * run.trajectory.joint(joint).coordinates[:, k] for joint, k, factor in each)
        np.testing.assert_allclose(q, q[0], atol=1e-9)
        v = sum(factor * run.trajectory.joint(joint).speeds[:, k] for joint, k, factor in each)
        np.testing.assert_allclose(v, 0.0, atol=1e-8)
        efforts = run.trajectory.force(coupler)
        ratios = efforts / [factor for _, _, factor in each]
        np.testing.assert_allclose(ratios, np.tile(ratios[:, :1], (1, len(each))), rtol=1e-12, atol=1e-12)


def test_the_same_bits_whatever_was_evaluated_before() -> None:
    compiled = machine(0)[0].compile()
    y, other = compiled.start_state(), compiled.start_state()
    other[: compiled.ledger] += 0.1
    evaluator = compiled.evaluator()
    first = evaluator.evaluate(0.1, y)
    evaluator.evaluate(0.3, other)
    again = evaluator.evaluate(0.1, y)
    np.testing.assert_array_equal(first.rates, again.rates)
    np.testing.assert_array_equal(first.reactions.elements, again.reactions.elements)
