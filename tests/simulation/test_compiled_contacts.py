"""Steps stay in compiled code where contact laws remember elements, and where contacts are watched: with the same bits
as where Python looks after each step.
"""

from __future__ import annotations

import numpy as np
import pytest
from small_systems import box_over_plane

import polycontact as pc
from polycontact.kernels.stepping.run_steps import Need
from polycontact.simulation.driver import Driver
from polycontact.simulation.step_sequence import StepSequence


def two_boxes() -> pc.MultibodySystem:
    """Boxes that land on a floor one after the other, tilted, and slide until they stick."""
    system = pc.MultibodySystem("two boxes")
    system.add_body("floor", surface=pc.shapes.box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    box = pc.shapes.box((0.1, 0.1, 0.1), 2)
    for i in range(2):
        at = (0.3 * i, 0.0, 0.055 + 0.02 * i)
        system.add_body(f"box {i}", surface=box, density=1000.0, position=at, velocity=(0.1, 0.05 * i, 0.0))
    law = pc.LayerLaw(stiffness=1e8, damping=1e6, transition_depth=1e-6)
    system.find_contacts(law=law, friction=pc.laws.StickFriction(coefficient=0.4))
    return system


def spied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What Python is asked for after compiled steps, from now on."""
    asked: list[int] = []
    go_on = StepSequence.go_on

    def spy(self: StepSequence) -> int:
        asked.append(go_on(self))
        return asked[-1]

    monkeypatch.setattr(StepSequence, "go_on", spy)
    return asked


def in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python look after each step, as it does with several threads."""
    begin = Driver._integrate

    def integrate(self: Driver) -> object:
        view = self.steps.view
        if view.contacts.commit:
            view.needs_always |= int(Need.COMMIT)
        if view.contacts.changes:
            view.needs_always |= int(Need.EVENTS)
        view.contacts.commit = view.contacts.changes = 0
        return begin(self)

    monkeypatch.setattr(Driver, "_integrate", integrate)


def test_elements_are_remembered_without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"end_time": 0.25, "output_step": 0.05}
    asked = spied(monkeypatch)
    compiled = pc.simulate(two_boxes(), **settings)
    n = len(compiled.trajectory.time)
    assert compiled.statistics.steps > 10 * n
    # Samples, the end, and now and then more room for a box that comes near.
    assert len(asked) < 3 * n + 5
    assert not any(each & (Need.COMMIT | Need.EVENTS) for each in asked)
    in_python(monkeypatch)
    by_python = pc.simulate(two_boxes(), **settings)
    assert len(asked) > by_python.statistics.steps
    assert by_python.statistics.evaluations == compiled.statistics.evaluations
    np.testing.assert_array_equal(compiled.trajectory.array("state"), by_python.trajectory.array("state"))
    np.testing.assert_array_equal(compiled.trajectory.array("wrenches"), by_python.trajectory.array("wrenches"))


def test_python_gives_room_for_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """With little room at first, compiled code asks for more of it, and nothing is lost."""
    settings = {"end_time": 0.12, "output_step": 0.02}
    plenty = pc.simulate(two_boxes(), **settings)
    little = dict.fromkeys(("elements", "segments", "candidates"), (1, 1, 1))
    monkeypatch.setattr("polycontact.contact.mesh_pair._FIRST_ROOM", little)
    asked = spied(monkeypatch)
    scarce = pc.simulate(two_boxes(), **settings)
    assert any(each & Need.REMEMBER for each in asked)
    np.testing.assert_array_equal(plenty.trajectory.array("state"), scarce.trajectory.array("state"))


def test_contacts_are_watched_without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = spied(monkeypatch)
    settings = {"end_time": 0.25, "output_step": 0.05, "contact_events": True}
    compiled = pc.simulate(two_boxes(), **settings)
    assert len(compiled.events) >= 2
    looked = sum(bool(each & Need.EVENTS) for each in asked)
    assert 1 <= looked < compiled.statistics.steps / 10  # at events, and where contacts need more room
    in_python(monkeypatch)
    by_python = pc.simulate(two_boxes(), **settings)
    assert by_python.events == compiled.events
    np.testing.assert_array_equal(compiled.trajectory.array("state"), by_python.trajectory.array("state"))


@pytest.mark.parametrize("integrator", ["cvode-bdf", "cvode-adams", "ida"])
def test_restarts_at_contacts_are_the_same(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"end_time": 0.6, "contact_events": "restart", "integrator": integrator}
    compiled = pc.simulate(box_over_plane(height=0.05), **settings)
    assert compiled.statistics.restarts >= len(compiled.events) >= 3
    in_python(monkeypatch)
    by_python = pc.simulate(box_over_plane(height=0.05), **settings)
    assert by_python.events == compiled.events
    np.testing.assert_array_equal(compiled.trajectory.array("state"), by_python.trajectory.array("state"))


def test_what_is_remembered_is_recorded_whatever_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"end_time": 0.15, "output_step": 0.005}
    in_blocks = pc.simulate(two_boxes(), **settings).trajectory
    with_elements = pc.simulate(two_boxes(), **settings, elements=True).trajectory  # Python looks at each sample
    monkeypatch.setattr("polycontact.simulation.sampler.BLOCK_BYTES", 1)
    one_by_one = pc.simulate(two_boxes(), **settings).trajectory
    n_found = 0
    for i in range(len(in_blocks.time)):
        for other in (with_elements, one_by_one):
            found, expected = in_blocks._source.remembered(i), other._source.remembered(i)
            assert [(each.pairing, each.law) for each in found] == [(each.pairing, each.law) for each in expected]
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_array_equal(a.keys, b.keys)
                np.testing.assert_array_equal(a.values, b.values)
            n_found += len(found)
    assert n_found > 20
