"""Laws with states of their own: integrated with the system, named, recorded, continued."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from small_systems import BOX, GRAVITY, MASS, SPRING, bounce_times, box_over_plane

import polycontact as pc
from polycontact.report.view.run_pairings import Motion, evaluate_again, remake_pairings

FRICTION = 0.3
SPEED = 1.2


@pc.laws.contact_law("test: rubbed work", n_states=2)
def rubbed_work(elements, parameters, states, memory):  # type: ignore[no-untyped-def]
    """Coulomb friction; its states are the work that it takes (J) and the time in contact (s)."""
    states.rates[1] = 1.0
    for k in range(elements.n):
        slip = elements.slip[k]
        speed = math.sqrt(slip[0] ** 2 + slip[1] ** 2 + slip[2] ** 2)
        force = parameters[0] * elements.normal_force[k] * math.tanh(speed / parameters[1])
        elements.friction_force[k] = force
        states.rates[0] += force * speed
        if speed > 0.0:
            for a in range(3):
                elements.force[k, a] += force * slip[a] / speed


@pc.laws.contact_law("test: ageing layer", n_states=1)
def ageing_layer(elements, parameters, states, memory):  # type: ignore[no-untyped-def]
    """A layer whose stiffness grows with its age in contact."""
    states.rates[0] = 1.0
    stiffness = parameters[0] * (1.0 + parameters[1] * states.values[0])
    for k in range(elements.n):
        force = stiffness * elements.area[k] * elements.depth[k]
        elements.normal_force[k] = elements.elastic_force[k] = force
        elements.energy[k] = 0.5 * force * elements.depth[k]


def sliding_box(friction: object) -> pc.MultibodySystem:
    """A box that slides on a plane, guided along x at the depth at which the plane would carry it."""
    system = box_over_plane(height=0.0, friction=friction)
    at = (0.0, 0.0, 0.5 * BOX[2] - MASS * GRAVITY / SPRING)
    system.add_joint("guide", "prismatic", "world", "box", at=at, axis=(1.0, 0.0, 0.0), speeds=[SPEED])
    return system


TIGHT = {"rtol": 1e-8, "atol": 1e-10}


def test_state_of_a_law_is_the_analytic_integral(tmp_path: Path) -> None:
    system = sliding_box(rubbed_work(FRICTION, 1e-4))
    compiled = system.compile()
    names = ["contact landing state 0", "contact landing state 1"]
    assert list(compiled.state_names[-7:-5]) == names
    assert compiled.state_names[-5] == "ledger.contact"

    run = pc.simulate(system, end_time=0.3, output_step=0.05, record=tmp_path / "run.h5", **TIGHT)
    recorded = pc.Trajectory.open(tmp_path / "run.h5")
    assert recorded.description.state_names == compiled.state_names
    work, touched = recorded.array("state")[:, -7:-5].T
    time = recorded.time
    # While it slides, far above the regularisation of 0.1 mm/s, the box is slowed by the full Coulomb force.
    distance = SPEED * time - 0.5 * FRICTION * GRAVITY * time**2
    np.testing.assert_allclose(work, FRICTION * MASS * GRAVITY * distance, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(touched, time, atol=1e-9)
    np.testing.assert_allclose(work, run.ledger["friction"], rtol=1e-6, atol=1e-9)


def test_states_rest_while_bodies_are_apart() -> None:
    """Falling for 0.2 s: the clock of the law stands still until the box touches."""
    height = 0.5 * GRAVITY * 0.2**2
    run = pc.simulate(box_over_plane(height=height, friction=rubbed_work(0.0, 1.0)), end_time=0.3, **TIGHT)
    clock = run.trajectory.array("state")[:, -6]
    time = run.trajectory.time
    start, end = bounce_times(height, 1)
    assert (clock[time < start - 1e-6] == 0.0).all()
    # The rate jumps at both ends of the contact: a step across a jump errs by about a part of its length.
    np.testing.assert_allclose(clock[time > end + 1e-3], end - start, rtol=1e-4)


def test_two_laws_have_states_of_their_own() -> None:
    """The first states are those of the normal law, whatever the tangential law writes."""
    system = box_over_plane(
        height=-1e-4, velocity=(SPEED, 0.0, 0.0), law=ageing_layer(1e6, 0.5), friction=rubbed_work(FRICTION, 1e-4)
    )
    assert system.compile().state_names[-8:-5] == tuple(f"contact landing state {i}" for i in range(3))
    state = pc.simulate(system, end_time=0.05, **TIGHT).trajectory.array("state")[-1]
    age, work, touched = state[-8:-5]
    assert age == pytest.approx(touched, abs=1e-12)
    assert work > 0.1


def test_forces_follow_the_states() -> None:
    """A pairing is evaluated with given states: the layer that has aged for 2 s is twice as stiff."""
    pairing = pc.ContactPairing(pc.shapes.plane((1.0, 1.0)), pc.shapes.box((0.1, 0.1, 0.1)), law=ageing_layer(1e6, 0.5))
    at = pc.RelativeKinematics(position=(0.0, 0.0, 0.049))
    fresh, aged, again = pairing.evaluate(at), pairing.evaluate(at, states=[2.0]), pairing.evaluate(at)
    np.testing.assert_allclose(aged.force, 2.0 * fresh.force, rtol=1e-14)
    np.testing.assert_array_equal(again.force, fresh.force)
    with pytest.raises(pc.ContactError, match=r"states has shape \(2,\); expected \(1,\)"):
        pairing.evaluate(at, states=[1.0, 2.0])


def test_recorded_elements_are_those_of_the_state() -> None:
    """Pressures of a sample are found with the states of that sample."""
    system = box_over_plane(height=-1e-3, gravity=0.0, law=ageing_layer(1e6, 50.0))
    run = pc.simulate(system, end_time=0.02, elements=True, output_step=0.005, **TIGHT)
    for sample in range(len(run.trajectory)):
        elements = run.trajectory.pairing("landing").elements(sample)
        force = run.trajectory.pairing("landing").force[sample, 2]
        assert elements.pressure @ elements.area == pytest.approx(force, rel=1e-12)


def test_pages_show_contacts_with_their_states(tmp_path: Path) -> None:
    """Evaluated again from the file, each sample has the force that was recorded."""
    system = box_over_plane(height=-1e-3, gravity=0.0, law=ageing_layer(1e6, 50.0))
    pc.simulate(system, end_time=0.02, record=tmp_path / "run.h5", output_step=0.005, **TIGHT)
    trajectory = pc.Trajectory.open(tmp_path / "run.h5")
    (pair,), notes = remake_pairings(trajectory.description)
    assert notes == ()
    recorded = trajectory.pairing("landing").force[:, 2]
    assert len(np.unique(recorded)) > 3
    for sample, force in enumerate(recorded):
        again = evaluate_again(pair, Motion.at(trajectory, sample))
        assert again is not None
        assert again.force[2] == pytest.approx(force, rel=1e-9, abs=1e-9)


def test_continued_run_goes_on_with_its_states(tmp_path: Path) -> None:
    system, path = sliding_box(rubbed_work(FRICTION, 1e-4)), tmp_path / "run.h5"
    pc.simulate(system, end_time=0.1, record=path, output_step=0.05, **TIGHT)
    pc.simulate(system, end_time=0.2, continue_from=path, output_step=0.05, **TIGHT)
    once = pc.simulate(system, end_time=0.2, output_step=0.05, **TIGHT)
    both = pc.Trajectory.open(path)
    np.testing.assert_allclose(both.time, once.trajectory.time)
    np.testing.assert_allclose(both.array("state")[:, -7:-5], once.trajectory.array("state")[:, -7:-5], rtol=1e-6)


def test_counts_that_make_no_sense() -> None:
    with pytest.raises(pc.ContactError, match="n_states is -1; give a whole number"):
        pc.laws.contact_law("test: less than nothing", n_states=-1)(lambda elements, parameters: None)()
    with pytest.raises(pc.ContactError, match="3 arguments"):
        pc.laws.contact_law("test: three")(lambda elements, parameters, states: None)


def test_a_memory_with_other_states_than_announced_is_refused() -> None:
    """A method of a user's own may forget to hand them on: the run would mix up whose states are whose."""
    evaluator = sliding_box(rubbed_work(FRICTION, 1e-4)).compile().evaluator()
    evaluator._setup.pairs.state_count[0] = 5
    with pytest.raises(pc.MultibodyError, match="its memory has 2 states, its description 5; let the method hand"):
        evaluator.contact_memory(0)
