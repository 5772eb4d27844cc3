"""Laws that users write: a jitted function over the table of elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.description import ContactDescription
from polycontact.contact.user_law import contact_law
from scenes import at

SPHERE, PLATE = pc.shapes.sphere(0.15, 3), pc.shapes.box((1.0, 1.0, 0.2), (3, 3, 1))
KINEMATICS = at(None, (0.02, 0.01, -0.24), velocity=(0.3, -0.1, 0.2), angular_velocity=(0.5, 1.0, -2.0))


@contact_law("test: linear with damping")
def linear(elements: Any, parameters: Any) -> None:
    for k in range(elements.n):
        area = elements.share * elements.weight[k] * elements.area[k]
        elastic = parameters[0] * area * elements.depth[k]
        elements.elastic_force[k] = elastic
        damping = parameters[1] * (1.0 - elements.turned[k])  # none for what slides along the target
        elements.normal_force[k] = max(elastic + damping * area * elements.approach[k], 0.0)
        elements.energy[k] = 0.5 * elastic * elements.depth[k]


@contact_law("test: viscous")
def viscous(elements: Any, parameters: Any) -> None:
    for k in range(elements.n):
        speed = 0.0
        for a in range(3):
            pull = parameters[0] * elements.area[k] * elements.slip[k, a]
            elements.force[k, a] += pull
            speed += elements.slip[k, a] ** 2
        elements.friction_force[k] = parameters[0] * elements.area[k] * speed**0.5


@contact_law("test: counts", n_states=2, memory_width=1)
def counting(elements: Any, parameters: Any, states: Any, memory: Any) -> None:
    """Presses as its parameter says; its states grow with the area, its memory counts."""
    states.rates[0] = 0.0
    states.rates[1] = states.values[0]
    for k in range(elements.n):
        elements.normal_force[k] = parameters[0] * elements.area[k]
        elements.elastic_force[k] = elements.normal_force[k]
        elements.energy[k] = 0.0
        states.rates[0] += elements.area[k]
        memory.trial[k, 0] = 7.0 + k


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_a_law_in_nine_lines_is_the_layer_law(base: pc.Base) -> None:
    own = pc.ContactPairing(SPHERE, PLATE, base=base, law=linear(1e7, 2e4)).evaluate(KINEMATICS)
    ours = pc.ContactPairing(SPHERE, PLATE, base=base, law=pc.LayerLaw(stiffness=1e7, damping=2e4)).evaluate(KINEMATICS)
    assert ours.force[2] > 100.0
    np.testing.assert_allclose(own.force, ours.force, rtol=1e-12)
    np.testing.assert_allclose(own.torque, ours.torque, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(own.elements.pressure, ours.elements.pressure, rtol=1e-12)


def test_a_tangential_law() -> None:
    """Viscous friction: the drag is the coefficient times ∫ v_t dA."""
    pair = pc.ContactPairing(SPHERE, PLATE, law=pc.LayerLaw(stiffness=1e7), friction=viscous(300.0))
    bare = pc.ContactPairing(SPHERE, PLATE, law=pc.LayerLaw(stiffness=1e7))
    with_friction, without = pair.evaluate(KINEMATICS), bare.evaluate(KINEMATICS)
    drag = 300.0 * (without.elements.area[:, None] * without.elements.slip).sum(axis=0)
    assert np.linalg.norm(drag) > 0.1
    np.testing.assert_allclose(with_friction.force - without.force, drag, rtol=1e-9, atol=1e-12)


def test_parameters_belong_to_the_pairing() -> None:
    soft, stiff = (pc.ContactPairing(SPHERE, PLATE, law=linear(c, 0.0)) for c in (1e6, 2e6))
    np.testing.assert_allclose(2.0 * soft.evaluate(KINEMATICS).force, stiff.evaluate(KINEMATICS).force, rtol=1e-12)


def test_states_and_memory_of_a_law() -> None:
    pair = pc.ContactPairing(SPHERE, PLATE, law=counting(1e3))
    memory = pair.make_memory()
    states = memory.report.states
    assert states.n == 2
    states.values[:] = (3.5, 0.0)
    wrench = np.empty(6)
    pair._run(memory, *KINEMATICS.arrays(), wrench)
    area = memory.elements.area[: memory.elements.n]
    assert states.rates.tolist() == pytest.approx([area.sum(), 3.5])
    remembered = memory.header.laws.normal.memory
    assert remembered.n == 0  # nothing was accepted yet
    memory.commit()
    n = memory.elements.n
    assert remembered.n == n > 10
    assert (np.diff(remembered.keys[:n]) > 0).all()
    assert sorted(remembered.values[:n, 0].tolist()) == [7.0 + k for k in range(n)]
    before = remembered.values[:n].copy()
    pair._run(memory, *at(None, (0.0, 0.0, -0.21)).arrays(), wrench)  # a trial that is not accepted
    np.testing.assert_array_equal(remembered.values[:n], before)
    memory.commit()
    assert remembered.n == memory.elements.n > n


def test_remembered_by_key_when_rows_move() -> None:
    from polycontact.kernels.contact.element_memory import element_key, find_remembered

    pair = pc.ContactPairing(SPHERE, PLATE, law=counting(1e3))
    memory = pair.make_memory()
    pair._run(memory, *at(None, (0.0, 0.0, -0.235)).arrays(), np.empty(6))
    table = memory.elements
    mine = {int(element_key(table, k)): 7.0 + k for k in range(table.n)}
    memory.commit()
    pair._run(memory, *at(None, (0.01, 0.0, -0.238)).arrays(), np.empty(6))
    found = new = 0
    for k in range(table.n):
        row = find_remembered(memory.header.laws.normal.memory, element_key(table, k))
        if row < 0:
            new += 1
            assert int(element_key(table, k)) not in mine
        else:
            found += 1
            assert memory.header.laws.normal.memory.values[row, 0] == mine[int(element_key(table, k))]
    assert found > 10
    assert len(mine) > found  # some have gone


def test_a_law_goes_through_files() -> None:
    description = pc.ContactPairing(SPHERE, PLATE, law=linear(1e7, 5.0), friction=viscous(3.0)).description
    content = description.to_plain()
    assert content["law"] == {
        "kind": "user_law",
        "name": "test: linear with damping",
        "parameters": [1e7, 5.0],
    }
    assert ContactDescription.from_plain(content) == description


def test_mistakes_are_named() -> None:
    with pytest.raises(pc.ContactError, match=r"law 'bad': its function has 1 arguments; expected \(elements, param"):

        @contact_law("bad")
        def bad(elements: Any) -> None: ...

    with pytest.raises(pc.ContactError, match="parameter 1 is nan; it must be a finite number"):
        linear(1.0, float("nan"))
    with pytest.raises(pc.ContactError, match="law is 'stiff'; expected LayerLaw"):
        pc.ContactPairing(SPHERE, PLATE, law="stiff")  # type: ignore[arg-type]
    with pytest.raises(pc.ContactError, match="kind 'magic' is not known here"):
        ContactDescription.from_plain({"kind": "magic"})


def test_a_wrench_does_not_depend_on_states_of_an_earlier_evaluation() -> None:
    @contact_law("test: pulls by its state", n_states=1)
    def pulls(elements: Any, parameters: Any, states: Any, memory: Any) -> None:
        for k in range(elements.n):
            elements.normal_force[k] = 1.0 + states.values[0]

    pair = pc.ContactPairing(SPHERE, PLATE, law=pulls())
    before = pair.wrench(*KINEMATICS.arrays())
    assert pair.evaluate(KINEMATICS, states=[100.0]).force[2] > 50.0 * before[2] > 0.0
    np.testing.assert_array_equal(pair.wrench(*KINEMATICS.arrays()), before)


def test_elements_that_a_law_leaves_out_have_no_force() -> None:
    @contact_law("test: deep ones only")
    def deep(elements: Any, parameters: Any) -> None:
        for k in range(elements.n):
            if elements.depth[k] > parameters[0]:
                elements.normal_force[k] = 1.0

    pair = pc.ContactPairing(SPHERE, PLATE, law=deep(5e-3))
    shallow = at(None, (0.0, 0.0, -0.246))
    assert not pair.evaluate(shallow).force.any()
    assert pair.evaluate(at(None, (0.0, 0.0, -0.235))).force[2] > 1.0
    assert not pair.evaluate(shallow).force.any()
