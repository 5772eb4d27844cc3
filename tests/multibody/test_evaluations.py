"""Evaluations are objects of their own: what one found, no other changes, in whatever order they are made."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

import polycontact as pc
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.evaluator import Evaluator

Array = NDArray[np.float64]
LAW = pc.LayerLaw(stiffness=1e7, damping=1e4)


def heap() -> CompiledSystem:
    """Three balls that press on each other and on a plate."""
    system = pc.MultibodySystem("heap")
    ball = pc.shapes.sphere(0.1, 2)
    for i, place in enumerate([(0.0, 0.0, 0.098), (0.19, 0.0, 0.098), (0.1, 0.0, 0.265)]):
        system.add_body(f"ball {i}", surface=ball, mass=1.0, position=place, velocity=(0.1 * i, 0.2, -0.3))
    system.add_body("plate", surface=pc.shapes.box((1.0, 1.0, 0.1), (8, 8, 1)), position=(0, 0, -0.05), fixed=True)
    system.find_contacts(law=LAW)
    return system.compile()


def moved(compiled: CompiledSystem, distance: float, seed: int) -> Array:
    """The start with all coordinates moved by about a distance (m, rad), speeds too."""
    y = compiled.start_state()
    y[: compiled.ledger] += distance * np.random.default_rng(seed).normal(size=compiled.ledger)
    return y


def numbers(found: Evaluation) -> Array:
    """All that an evaluation holds, one number after the other."""
    return np.concatenate(
        [
            found.state,
            found.rates,
            found.acceleration.ravel(),
            found.joint_accelerations,
            found.bodies.rotation.ravel(),
            found.bodies.position.ravel(),
            found.bodies.velocity.ravel(),
            found.shapes.rotation.ravel(),
            found.shapes.low.ravel(),
            found.contacts.near,
            found.contacts.status,
            found.contacts.summaries().ravel(),
            found.contacts.wrench.ravel(),
            found.energies,
            found.powers,
            found.momentum,
        ]
    )


def test_a_later_evaluation_changes_nothing() -> None:
    compiled = heap()
    evaluator = compiled.evaluator()
    first = evaluator.evaluate(0.0, compiled.start_state())
    assert (first.contacts.area > 0.0).sum() >= 3
    kept = numbers(first).copy()
    other = evaluator.evaluate(0.5, moved(compiled, 0.003, 1))
    assert not np.array_equal(numbers(other), kept)
    evaluator.rates(0.0, moved(compiled, 0.01, 2), np.zeros(compiled.n_states))
    evaluator.contacts(0.0, moved(compiled, 0.005, 3))
    np.testing.assert_array_equal(numbers(first), kept)


def test_order_and_memory_do_not_matter() -> None:
    """Bit for bit, in one memory or two, one way and back."""
    compiled = heap()
    states = [moved(compiled, 0.002, seed) for seed in range(12)]
    one, other = compiled.evaluator(), compiled.evaluator()
    forwards = [numbers(one.evaluate(0.0, y)) for y in states]
    backwards = [numbers((one, other)[i % 2].evaluate(0.0, y)) for i, y in enumerate(reversed(states))]
    for a, b in zip(forwards, reversed(backwards), strict=True):
        np.testing.assert_array_equal(a, b)


def rebuilds(evaluator: Evaluator) -> int:
    """How many pairings searched their trees anew in the last evaluation."""
    return sum(memory.report.tree_searches for memory in evaluator._contact_memory.values())


def test_evaluators_do_not_disturb_each_others_candidates() -> None:
    """What a pairing keeps from pose to pose stays valid for one evaluator while another looks elsewhere."""
    compiled = heap()
    near, far = compiled.start_state(), moved(compiled, 0.02, 5)
    counts = {}
    for shared in (True, False):
        one = compiled.evaluator()
        other = one if shared else compiled.evaluator()
        out = np.zeros(compiled.n_states)
        for _ in range(3):  # the margin of the candidates grows when it is seen to pay
            one.rates(0.0, near, out)
        counts[shared] = 0
        for _ in range(5):
            other.rates(0.0, far, out)
            one.rates(0.0, near, out)
            counts[shared] += rebuilds(one)
    assert counts[True] > 0
    assert counts[False] == 0


def test_two_threads_evaluate_side_by_side() -> None:
    compiled = heap()
    states = [moved(compiled, 0.002, seed) for seed in range(40)]
    expected = [numbers(compiled.evaluate(0.0, y)) for y in states]
    found: list[list[Array]] = [[], []]

    def work(mine: list[Array]) -> None:
        evaluator = compiled.evaluator()
        mine.extend(numbers(evaluator.evaluate(0.0, y)) for y in states)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine in found:
        for a, b in zip(mine, expected, strict=True):
            np.testing.assert_array_equal(a, b)


def test_samples_do_not_change_the_integrators_way() -> None:
    """As many evaluations, and the same end, however often somebody looks."""
    ends = []
    for step in (0.1, 0.001):
        run = pc.simulate(heap().system, end_time=0.1, output_step=step, contact_events=step < 0.01)
        ends.append((run.statistics.evaluations, run.statistics.steps, run.trajectory.array("state")[-1]))
    assert ends[0][:2] == ends[1][:2]
    np.testing.assert_array_equal(ends[0][2], ends[1][2])
