"""Memory of contacts is given back when bodies have parted for long, and results stay the same bits."""

from __future__ import annotations

import numpy as np

import polycontact as pc

BALL = pc.shapes.sphere(0.1, 2)
LAW = pc.LayerLaw(stiffness=1e7, damping=1e3)


def three_balls(friction: pc.StickFriction | None = None) -> pc.multibody.CompiledSystem:  # type: ignore[name-defined]
    system = pc.MultibodySystem(gravity=(0.0, 0.0, 0.0))
    for k in range(3):
        system.add_body(f"ball {k}", surface=BALL, density=500.0, position=(0.19 * k, 0.0, 0.0))
    system.find_contacts(law=LAW, friction=friction)
    return system.compile()


def test_memory_is_given_back_when_bodies_were_far_apart_twice() -> None:
    compiled = three_balls()
    evaluator = compiled.evaluator()
    together = compiled.start_state()
    apart = together.copy()
    apart[0] -= 1.0  # m, the first ball along x
    rates, again = np.empty_like(together), np.empty_like(together)
    evaluator.rates(0.0, together, rates)
    assert set(evaluator._contact_memory) == {0, 2}, "the first and the last ball are not near"
    evaluator.release_parted()
    evaluator.rates(0.0, apart, again)
    evaluator.release_parted()
    assert set(evaluator._contact_memory) == {0, 2}, "it may come back soon"
    evaluator.rates(0.0, together, again)
    evaluator.release_parted()
    evaluator.rates(0.0, apart, again)
    evaluator.release_parted()
    evaluator.release_parted()
    assert set(evaluator._contact_memory) == {2}
    assert evaluator.view.contacts.pairing[0] == 0
    evaluator.rates(0.0, together, again)
    assert again.tobytes() == rates.tobytes()
    assert np.abs(rates).max() > 1.0


def test_what_laws_remember_is_kept() -> None:
    compiled = three_balls(pc.StickFriction(coefficient=0.5, stiffness=1e8))
    evaluator = compiled.evaluator()
    together = compiled.start_state()
    apart = together.copy()
    apart[0] -= 1.0
    evaluator.rates(0.0, together, np.empty_like(together))
    evaluator.rates(0.0, apart, np.empty_like(together))
    for _ in range(3):
        evaluator.release_parted()
    assert set(evaluator._contact_memory) == {0, 2}


def test_contacts_one_after_the_other_share_work_space_and_in_threads_do_not() -> None:
    compiled = three_balls()
    for parallel in (False, True):
        evaluator = compiled.evaluator(parallel=parallel)
        evaluator.rates(0.0, compiled.start_state(), np.empty_like(compiled.start_state()))
        first, second = (evaluator.contact_memory(pair).evaluation for pair in (0, 2))  # type: ignore[attr-defined]
        assert np.shares_memory(first.cells.edges, second.cells.edges) is not parallel
        assert first.header.elements.area is not second.header.elements.area
