"""Small contacts give their recorded numbers, compiled and, with NUMBA_DISABLE_JIT=1, in plain Python.

``python3 dev.py plain`` runs this folder with the JIT off and tells how much of the kernels it reaches.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_cases import cases, evaluate, labels

import polycontact as pc
from polycontact.contact.user_law import contact_law

RECORDED = np.load(Path(__file__).with_name("small.npz"))
LABELS = labels()
SAME_MACHINE = platform.machine() == "x86_64" and platform.system() == "Linux"


@pytest.mark.parametrize("scene", sorted({name for name, _, _ in LABELS}))
def test_recorded_numbers(scene: str) -> None:
    for i, (name, base, geometry) in enumerate(LABELS):
        if name != scene:
            continue
        numbers, counts = evaluate(name, base, geometry)
        if SAME_MACHINE:
            # Boxes are tested with joined products where compiled: how many of them is rounding's choice.
            box_checks = np.arange(len(counts)) % 13 == 1
            expected = RECORDED[f"counts {i}"]
            np.testing.assert_array_equal(np.array(counts)[~box_checks], expected[~box_checks])
            np.testing.assert_array_equal(numbers, RECORDED[f"numbers {i}"], err_msg=f"{name} {base} {geometry}")
        else:
            np.testing.assert_allclose(numbers, RECORDED[f"numbers {i}"], rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
@pytest.mark.parametrize("scene", sorted(cases()))
def test_the_depth_as_a_distance(scene: str) -> None:
    """Cells of all scenes: they cover what is inside, and the sum of their forces is the wrench."""
    case = cases()[scene]
    for base, elements in ((pc.Base.E, "clipped"), (pc.Base.F, "clipped"), (pc.Base.BOTH, "whole")):
        pair = pc.ContactPairing(case.e, case.f, base=base, elements=elements, law=pc.LayerLaw(stiffness=1e7))
        R, r = case.poses[0]
        result = pair.evaluate(pc.RelativeKinematics(rotation=R, position=r))
        table = result.elements
        assert np.isfinite(result.force).all()
        np.testing.assert_allclose(table.force.sum(axis=0), result.force, rtol=1e-12, atol=1e-9)
        assert (table.depth > 0.0).all()
        assert (table.peak >= 1.0 - 1e-12).all()
        assert sum(len(patch.elements) for patch in result.patches) == len(table)


def test_the_depth_as_a_distance_on_a_plane() -> None:
    """c V along the normal of the plane, from a body whose triangles are cut."""
    plate = pc.shapes.box((1.0, 1.0, 0.2)).transformed(position=(0.0, 0.0, -0.1))
    pair = pc.ContactPairing(pc.shapes.sphere(0.1, 1), plate, law=pc.LayerLaw(stiffness=1e7))
    result = pair.evaluate(pc.RelativeKinematics(position=(0.01, 0.02, -0.07)))
    assert result.volume > 1e-5
    np.testing.assert_allclose(result.force, (0.0, 0.0, 1e7 * result.volume), rtol=1e-9, atol=1e-9)


def test_most_cases_touch() -> None:
    elements = [RECORDED[f"counts {i}"].reshape(-1, 13)[:, 5] for i in range(len(LABELS))]
    assert np.mean([each.any() for each in elements]) > 0.5


def test_a_law_of_a_user() -> None:
    @contact_law("plain: remembers", n_states=1, memory_width=1)
    def remembers(elements: Any, parameters: Any, states: Any, memory: Any) -> None:
        states.rates[0] = 2.0
        for k in range(elements.n):
            elements.normal_force[k] = parameters[0]
            elements.elastic_force[k] = parameters[0]
            elements.energy[k] = 0.0
            memory.trial[k, 0] = 3.0

    ball = pc.shapes.sphere(0.1, 1)
    pair = pc.ContactPairing(ball, pc.shapes.box(1.0), law=remembers(5.0))
    memory = pair.make_memory()
    pair._run(memory, np.eye(3), np.array([0.0, 0.0, -0.55]), np.zeros(3), np.zeros(3), np.empty(6))
    memory.commit()
    n = memory.elements.n
    assert n > 3
    assert memory.header.laws.normal.memory.values[:n, 0].tolist() == [3.0] * n
    assert memory.report.states.rates.tolist() == [2.0]


def test_a_batch_and_a_falling_ball() -> None:
    """Addresses that come out of arrays, and the dynamics with contacts: against the closed form of a free fall."""
    ball, plate = pc.shapes.sphere(0.1, 1), pc.shapes.box((1.0, 1.0, 0.2))
    pair = pc.ContactPairing(ball, plate, law=pc.LayerLaw(stiffness=1e6))
    position = np.array([0.0, 0.0, -0.19])
    batch = pc.PairingBatch([pair, pair])
    both = batch.wrenches(np.stack([np.eye(3)] * 2), np.stack([position] * 2))
    volume = pair.evaluate(pc.RelativeKinematics(position=position)).volume
    assert volume > 9e-6
    assert both[0, 2] == pytest.approx(1e6 * volume, rel=1e-9)  # c V on a plane
    np.testing.assert_array_equal(both, np.stack([pair.wrench(np.eye(3), position)] * 2))
    system = pc.MultibodySystem("fall")
    system.add_body("ball", surface=ball, density=1000.0, position=(0.0, 0.0, 0.094))
    system.add_body("plate", surface=plate, fixed=True, position=(0.0, 0.0, -0.1))
    system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=1e6))
    compiled = system.compile()
    found = compiled.evaluate(0.0, compiled.start_state())
    (force,) = found.contacts.wrench[:, 2]
    assert force > 0.1
    expected = force / system.bodies["ball"].mass - 9.81
    assert found.acceleration[1, 5] == pytest.approx(expected, rel=1e-9)
