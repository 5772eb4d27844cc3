"""Which pairs of bodies are watched, which of them are near, and what a contact does to both."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.dynamics.evaluation_views import Status
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.evaluation import Evaluation
from scenes import random_rotation

Array = NDArray[np.float64]
LAW = pc.LayerLaw(stiffness=1e8, damping=1e4, transition_depth=1e-3)
CUBE = pc.shapes.box((0.1, 0.1, 0.1))
FREE = {"mass": 1.0, "surface": CUBE}


def pairs_of(contacts: tuple[object, ...]) -> set[frozenset[str]]:
    return {frozenset((contact.e, contact.f)) for contact in contacts}  # type: ignore[attr-defined]


def named(*pairs: str) -> set[frozenset[str]]:
    return {frozenset(pair.split("-")) for pair in pairs}


# Pairs that may touch ---------------------------------------------------------------------------------------


def chain() -> pc.MultibodySystem:
    """Ground and wall are fixed; a hangs from the world, b from a, c from b; d is bolted to b; e flies."""
    system = pc.MultibodySystem("chain")
    system.add_body("ground", surface=CUBE, fixed=True)
    system.add_body("wall", surface=CUBE, fixed=True)
    for name in "abcde":
        system.add_body(name, **FREE)
    system.add_joint("j1", "revolute", "world", "a")
    system.add_joint("j2", "spherical", "a", "b")
    system.add_joint("j3", "prismatic", "b", "c")
    system.add_joint("j4", "fixed", "b", "d")
    return system


def test_found_pairs() -> None:
    """Not neighbours, also through what is bolted to them; not what is fixed; all else."""
    found = chain().find_contacts(law=LAW)
    expected = named(
        "ground-a",
        "ground-b",
        "ground-c",
        "ground-d",
        "ground-e",
        "wall-a",
        "wall-b",
        "wall-c",
        "wall-d",
        "wall-e",
        "a-c",
        "a-e",
        "b-e",
        "c-e",
        "d-e",
    )
    assert pairs_of(found) == expected
    assert len(found) == len(expected)


def test_pairs_among_some_and_without_others() -> None:
    found = chain().find_contacts(among=["ground", "a", "e"], exclude=[("e", "a")], law=LAW)
    assert pairs_of(found) == named("ground-a", "ground-e")


def test_neighbour_of_a_fixed_body_is_left_out() -> None:
    system = chain()
    system.add_body("door", **FREE)
    system.add_joint("hinge", "revolute", "wall", "door")
    found = pairs_of(system.find_contacts(law=LAW))
    assert frozenset(("wall", "door")) not in found
    assert frozenset(("ground", "door")) in found


def test_bodies_joined_by_a_loop_are_neighbours() -> None:
    system = chain()
    system.add_loop("pin", "revolute", "c", "ground")
    system.add_loop("rod", "distance", "e", "a", length=1.0)
    found = pairs_of(system.find_contacts(law=LAW))
    assert frozenset(("c", "ground")) not in found
    assert frozenset(("e", "a")) in found, "a rod keeps its ends apart and lets them touch"


def test_shapes_without_contact_are_not_watched() -> None:
    """Contact is switched for each shape, and every pair of active shapes is watched (S4.10)."""
    system = pc.MultibodySystem("shapes")
    both = [pc.Shape(CUBE), pc.Shape(CUBE, position=(1.0, 0.0, 0.0)), pc.Shape(CUBE, contact=False)]
    system.add_body("two", mass=1.0, shapes=both)
    system.add_body("one", mass=1.0, surface=CUBE)
    system.add_body("picture", mass=1.0, surface=CUBE, contact=False)
    system.add_body("bare", mass=1.0, inertia=(1.0, 1.0, 1.0))
    found = system.find_contacts(law=LAW)
    assert [(c.name, c.shape_e, c.shape_f) for c in found] == [
        ("two–one (1, 1)", 0, 0),
        ("two–one (2, 1)", 1, 0),
    ]


def test_pairs_that_exist_are_not_found_again() -> None:
    system = chain()
    system.add_contact("e", "ground", name="landing", law=LAW)
    first = system.find_contacts(law=LAW)
    assert frozenset(("e", "ground")) not in pairs_of(first)
    assert system.find_contacts(law=LAW) == ()
    assert len(system.contacts) == len(first) + 1


def test_a_found_contact_replaces_none_of_the_same_name() -> None:
    system = chain()
    system.add_contact("e", "ground", name="a–c", law=LAW)
    with pytest.raises(pc.MultibodyError, match="contact 'a–c' exists already"):
        system.find_contacts(law=LAW)
    assert list(system.contacts) == ["a–c"]


def test_named_contacts_may_be_neighbours() -> None:
    system = chain()
    (contact,) = system.add_contact("a", "b", law=LAW)
    assert contact.name == "a–b"


# Near pairs -------------------------------------------------------------------------------------------------


def crowd(n: int, extent: float, seed: int) -> pc.MultibodySystem:
    rng = np.random.default_rng(seed)
    system = pc.MultibodySystem("crowd", gravity=(0.0, 0.0, 0.0))
    shapes = [pc.shapes.box(size) for size in rng.uniform(0.05, 0.3, size=(5, 3))]
    for i in range(n):
        surface = shapes[i % len(shapes)]
        place = pc.Shape(surface, position=0.1 * rng.normal(size=3), rotation=random_rotation(rng))
        system.add_body(
            f"b{i}",
            mass=1.0,
            shapes=[place],
            position=extent * rng.uniform(-1.0, 1.0, 3),
            rotation=random_rotation(rng),
        )
    return system


def boxes(system: pc.MultibodySystem, found: Evaluation) -> tuple[Array, Array]:
    """Lower and upper corners of every body's surface in the world, from its vertices."""
    corners = []
    for name, body in system.bodies.items():
        R, r = found.bodies.pose(name)
        own_R, own_r = body.shapes[0].placement()
        vertices = (body.shapes[0].surface.vertices @ own_R.T + own_r) @ R.T + r
        corners.append((vertices.min(axis=0), vertices.max(axis=0)))
    low, high = np.array(corners).transpose(1, 0, 2)
    return low, high


def near_pairs(compiled: CompiledSystem, found: Evaluation) -> list[frozenset[str]]:
    near = found.contacts.near
    assert list(near) == sorted(near), "in ascending order, whatever was swept before"
    return [frozenset((compiled.contacts[k].e, compiled.contacts[k].f)) for k in near]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("many", [True, False])
def test_near_pairs_equal_brute_force(many: bool, seed: int) -> None:
    """By a sweep where pairs are many (more than four a shape), pair by pair where they are few; as bodies move."""
    n = 40
    system = crowd(n, 0.5, seed)
    if many:
        system.find_contacts(law=LAW)
        assert len(system.contacts) == n * (n - 1) // 2 > 4 * n
    else:
        for i in range(n):
            for j in (1, 3, 7):
                system.add_contact(f"b{i}", f"b{(i + j) % n}", law=LAW)
        assert len(system.contacts) == 3 * n < 4 * n
    watched = {frozenset((c.e, c.f)) for c in system.contacts.values()}
    names = list(system.bodies)
    compiled = system.compile()
    y = compiled.start_state()
    rng, counts = np.random.default_rng(100 + seed), []
    for _ in range(6):
        evaluation = compiled.evaluate(0.0, y)
        low, high = boxes(system, evaluation)
        overlap = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
        expected = {frozenset((names[i], names[j])) for i, j in zip(*np.nonzero(np.triu(overlap, 1)), strict=True)}
        found = near_pairs(compiled, evaluation)
        assert set(found) == expected & watched
        assert len(found) == len(set(found))
        counts.append(len(found))
        y[: compiled.n_coordinates] += 0.1 * rng.normal(size=compiled.n_coordinates)  # also turns the bodies
        compiled.project(0.0, y)
    assert min(counts) > 0


def test_boxes_of_shapes_hold_their_vertices() -> None:
    system = crowd(12, 0.5, 9)
    system.find_contacts(law=LAW)
    compiled = system.compile()
    evaluation = compiled.evaluate(0.0, compiled.start_state())
    low, high = boxes(system, evaluation)
    found = np.hstack([evaluation.shapes.low, evaluation.shapes.high])
    np.testing.assert_allclose(found, np.hstack([low, high]), atol=1e-8)  # padded by 1e-9 of the size
    assert (found[:, :3] <= low).all()
    assert (found[:, 3:] >= high).all()


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the contacts that have got memory so far."""
    names: list[str] = []
    make = Contact.make_pairing

    def spy(contact: Contact, bodies: Mapping[str, pc.Body]) -> pc.ContactPairing:
        names.append(contact.name)
        return make(contact, bodies)

    monkeypatch.setattr(Contact, "make_pairing", spy)
    return names


def test_many_bodies_apart_cost_no_contact(prepared: list[str]) -> None:
    """200 bodies, 19,900 pairs, none near: no pairing is prepared and none evaluated, also during a run."""
    system = pc.MultibodySystem("apart", gravity=(0.0, 0.0, 0.0))
    for i in range(200):
        place = np.array([i % 6, i // 6 % 6, i // 36], dtype=float)
        system.add_body(f"b{i}", **FREE, position=place, angular_velocity=(1.0, 0.0, 0.0))
    assert len(system.find_contacts(law=LAW)) == 199 * 100
    compiled = system.compile()
    assert len(compiled.evaluate(0.0, compiled.start_state()).contacts.near) == 0
    run = pc.simulate(system, end_time=0.1, output_step=0.1, integrator="dopri5")
    assert run.statistics.limited_steps < 20
    assert not prepared


def test_a_pair_is_prepared_when_it_comes_near(prepared: list[str]) -> None:
    """Of many pairs only the two bodies that meet get memory."""
    system = pc.MultibodySystem("meeting", gravity=(0.0, 0.0, 0.0))
    for i in range(25):
        system.add_body(f"b{i}", **FREE, position=(2.0 * i, 0.0, 0.0), velocity=(18.0 if i == 3 else 0.0, 0.0, 0.0))
    assert len(system.find_contacts(law=LAW)) == 300
    run = pc.simulate(system, end_time=0.11, integrator="dopri5", contact_events=True)
    assert set(prepared) == {"b3–b4"}
    assert [(event.pairing, event.kind) for event in run.events][:1] == [("b3–b4", "start")]
    # Gap over speed. The step ends in the contact: what interpolates it is off by 18 µm, the tolerance is 1e-4 m.
    assert run.events[0].time == pytest.approx(1.9 / 18.0, abs=2e-6)


# Contacts in motion -----------------------------------------------------------------------------------------


def clash() -> pc.MultibodySystem:
    """Two spheres of different mass meet off centre, with friction and spin."""
    system = pc.MultibodySystem("clash", gravity=(0.0, 0.0, 0.0))
    ball = pc.shapes.sphere(0.1, 2)
    system.add_body("a", surface=ball, mass=2.0, position=(-0.15, 0.03, 0.0), velocity=(2.0, 0.0, 0.1))
    system.add_body("b", surface=ball, mass=0.7, position=(0.15, -0.02, 0.01), angular_velocity=(0.0, 5.0, 20.0))
    system.add_contact("a", "b", law=LAW, friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01))
    return system


def test_momentum_at_an_impact() -> None:
    """Force and torque on both are opposite: momentum and moment of momentum stay through an eccentric impact."""
    system = clash()
    run = pc.simulate(system, end_time=0.15, rtol=1e-7, atol=1e-8, velocity_atol=1e-7)
    compiled, values = system.compile(), []
    for t, y in zip(run.trajectory.time, run.trajectory.array("state"), strict=True):
        values.append(compiled.evaluate(float(t), y).momentum)
    depth = run.trajectory.pairing("a–b").depth
    assert depth.max() > 1e-4
    assert depth[-1] == 0.0, "apart again"
    exchanged = 0.7 * np.linalg.norm(run.trajectory.body("b").velocity[-1])
    assert exchanged > 0.5
    # Each step keeps momentum exactly up to the error of the states: 1e-7 over some hundred steps.
    np.testing.assert_allclose(values, np.tile(values[0], (len(values), 1)), atol=1e-5 * exchanged)
    spin = run.trajectory.body("a").angular_velocity
    assert np.linalg.norm(spin[-1]) > 1.0, "friction passes spin on"
    assert run.ledger.worst_balance < 1e-5 * run.ledger.turnover


def test_contact_power_balances_the_ledger() -> None:
    run = pc.simulate(clash(), end_time=0.15, rtol=1e-8, atol=1e-9, velocity_atol=1e-8)
    lost = run.ledger["kinetic"][0] - run.ledger["kinetic"][-1]
    named = run.ledger["contact_damping"][-1] + run.ledger["friction"][-1] + run.ledger["residual"][-1]
    assert lost > 0.05
    assert named == pytest.approx(lost, rel=1e-5)
    # The model's own residual: forces along the normals of the base have no exact potential on a coarse sphere.
    assert abs(run.ledger["residual"][-1]) < 0.1 * lost


def tumbling(n: int = 4) -> pc.MultibodySystem:
    rng = np.random.default_rng(11)
    system = pc.MultibodySystem("tumbling")
    system.add_body("floor", surface=pc.shapes.box((1.0, 1.0, 0.1), divisions=(4, 4, 1)), fixed=True)
    ball = pc.shapes.sphere(0.08, 2)
    for i in range(n):
        place = np.array([0.159 * (i % 3) - 0.16, 0.159 * (i // 3), 0.1295])  # 0.5 mm into the floor
        system.add_body(f"b{i}", surface=ball, mass=0.5, position=place, angular_velocity=rng.normal(size=3))
    system.find_contacts(law=LAW, friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01), base=pc.Base.BOTH)
    return system


def test_threads_give_the_same_bits() -> None:
    """Also a second run of the same system, whose pairings remember where they were."""
    options = {
        "end_time": 2e-3,
        "rtol": 1e-4,
        "atol": 1e-5,
        "output_step": 2e-4,
    }  # short: threads may be slow here
    system = tumbling()
    one = pc.simulate(system, **options)
    again = pc.simulate(system, **options)
    two = pc.simulate(tumbling(), workers=2, **options)
    assert (one.trajectory.array("contact")[:, :, 0] > 0.0).sum() > 10, "they must touch for this to say anything"
    for name in ("state", "wrenches", "contact", "energies"):
        np.testing.assert_array_equal(one.trajectory.array(name), two.trajectory.array(name))
        np.testing.assert_array_equal(one.trajectory.array(name), again.trajectory.array(name))
    assert one.statistics.evaluations == two.statistics.evaluations == again.statistics.evaluations


def test_rates_do_not_depend_on_what_was_evaluated_before() -> None:
    """Bit for bit, though pairings and the sweep remember the last pose."""
    system = tumbling()
    compiled = system.compile()
    rng = np.random.default_rng(12)
    start = compiled.start_state()
    moved = [start.copy() for _ in range(30)]
    for y in moved[1:]:
        y[: compiled.n_coordinates] += 2e-3 * rng.normal(size=compiled.n_coordinates)
        y[compiled.n_coordinates : compiled.ledger] += rng.normal(size=compiled.n_speeds)
    found = []
    for order in (range(30), rng.permutation(30)):
        rates = np.zeros((30, compiled.n_states))
        for i in order:
            compiled.rates(0.0, moved[i], rates[i])
        found.append(rates)
    np.testing.assert_array_equal(found[0], found[1])
    assert (np.abs(found[0][:, compiled.ledger]) > 0.0).sum() > 10


def test_a_users_force_that_does_nothing_changes_nothing() -> None:
    """Python functions take the right-hand side apart into stages; the motion stays the same, bit for bit."""
    runs = []
    for with_force in (False, True):
        system = clash()
        if with_force:
            system.add_force(pc.multibody.PythonForce("nothing", lambda view: None))
        runs.append(pc.simulate(system, end_time=0.12))
    for name in ("state", "wrenches"):
        np.testing.assert_array_equal(runs[0].trajectory.array(name), runs[1].trajectory.array(name))


def test_order_of_a_pair_does_not_matter_to_the_motion() -> None:
    """E–F and F–E give the same motion where both are bases: the model is symmetric then."""
    ends = []
    for order in (("a", "b"), ("b", "a")):
        system = clash()
        system.contacts.clear()
        system.add_contact(*order, law=LAW, base=pc.Base.BOTH)
        run = pc.simulate(system, end_time=0.12, rtol=1e-8, atol=1e-9)
        ends.append(np.concatenate([run.trajectory.body(name).position[-1] for name in "ab"]))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)  # local errors of 1e-8


def test_layers_of_the_shapes_are_taken() -> None:
    """Without a stiffness the layers of both bodies give it; a body without one is rigid."""
    soft = pc.ElasticLayer(youngs_modulus=1e6, poissons_ratio=0.3, thickness=0.01)
    system = pc.MultibodySystem("layers")
    system.add_body("floor", surface=CUBE, fixed=True)
    system.add_body("block", **FREE, layer=soft, position=(0.0, 0.0, 0.099))
    system.add_contact("floor", "block", depth="base_normal")  # the pressure of a depth, everywhere on the face
    compiled = system.compile()
    force = compiled.evaluate(0.0, compiled.start_state()).contacts.wrench[0, 2]
    expected = pc.laws.combined_stiffness(pc.ElasticLayer.rigid(), soft) * 0.1**2 * 1e-3
    assert abs(force) == pytest.approx(expected, rel=1e-6)


def test_a_second_run_with_penetration_lines_is_the_first_again() -> None:
    """More pairs than are prepared beforehand: what the first run has made must not change the second."""
    system = pc.MultibodySystem("lines")
    ball = pc.shapes.sphere(0.05, 1)
    for i in range(21):
        place = (0.12 * (i % 5), 0.12 * (i // 5), 0.06)
        system.add_body(f"b{i}", surface=ball, mass=0.5, position=place, velocity=(0.3, 0.1 * i, -0.2))
    system.add_body("ground", surface=pc.shapes.box((4.0, 4.0, 0.1)), position=(0.0, 0.0, -0.05), fixed=True)
    system.find_contacts(law=LAW, method="penetration_lines", max_penetration=0.02)
    assert len(system.contacts) > 200
    options = {"end_time": 0.05, "integrator": "dopri5", "output_step": 0.01}
    first, second = pc.simulate(system, **options), pc.simulate(system, **options)
    assert first.statistics.steps == second.statistics.steps
    np.testing.assert_array_equal(first.trajectory.array("state"), second.trajectory.array("state"))


def test_pairs_of_the_same_surfaces_share_their_set_up() -> None:
    """All near pairs are prepared at once, with the memory of their own in which they are evaluated."""
    system = tumbling(5)
    compiled = system.compile()
    evaluator = compiled.evaluator(np.zeros(0))
    prepared = []
    make = evaluator.contact_memory
    evaluator.contact_memory = lambda pair: prepared.append(pair) or make(pair)  # type: ignore[method-assign,func-returns-value]
    repeats = []
    heed = evaluator.heed
    evaluator.heed = lambda status, t: repeats.append(status) or heed(status, t)  # type: ignore[method-assign,func-returns-value]
    evaluator.rates(0.0, compiled.start_state(), np.zeros(compiled.n_states))
    near = evaluator.view.contacts.near[: evaluator.view.contacts.n_near].tolist()
    assert len(near) >= 5
    assert sorted(set(prepared)) == sorted(near)
    assert repeats.count(Status.PREPARE_PAIR) == 1
    pairings = [compiled.setup.pairing(pair) for pair in near]
    assert len({id(pairing.prepared) for pairing in pairings}) == 2  # ball on floor, ball on ball
    assert [pairing.name for pairing in pairings] == [compiled.contacts[pair].name for pair in near]
    assert len({evaluator.contact_memory(pair).address for pair in near}) == len(near)
