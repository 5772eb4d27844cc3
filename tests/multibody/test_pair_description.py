"""Contacts that follow from what the bodies are: contact properties, materials, layers, and the switch to points."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import polycontact as pc

RUBBER = pc.laws.ContactProperties(stiffness=2e4, damping=8.0, friction=0.6, spin_length=2e-3, slip_velocity=3e-3)
WOOD = pc.laws.ContactProperties(stiffness=7e4, damping=3.0, friction=0.2, spin_velocity=5e-3)
PAD = pc.ElasticLayer(1e6, 0.3, 0.01)
RUBS = pc.RegularisedCoulomb(coefficient=0.9, velocity=1e-3)


def ball_on_floor(
    simple_response: bool | None = None,
    ball: dict[str, Any] | None = None,
    floor: dict[str, Any] | None = None,
    *,
    exact: bool = False,
) -> pc.MultibodySystem:
    """A ball over a floor with some options of `add_body` each."""
    system = pc.MultibodySystem(simple_response=simple_response)
    sphere = pc.convex.Sphere(0.1) if exact else pc.shapes.sphere(0.1, subdivisions=2)
    plate = pc.convex.Box((1.0, 1.0, 0.1)) if exact else pc.shapes.box((1.0, 1.0, 0.1))
    at: dict[str, Any] = {"position": (0.0, 0.0, 0.16), "velocity": (0.5, 0.0, -1.0)}
    system.add_body("ball", surface=sphere, density=500.0, angular_velocity=(0.0, 3.0, 9.0), **at, **(ball or {}))
    system.add_body("floor", surface=plate, fixed=True, **(floor or {}))
    return system


def end_of(system: pc.MultibodySystem) -> bytes:
    """Poses and velocities of the ball after a bounce, bit by bit."""
    ball = pc.simulate(system, end_time=0.06, rtol=1e-6, atol=1e-8, output_step=0.02).trajectory.body("ball")
    return b"".join(np.ascontiguousarray(each[-1]).tobytes() for each in (ball.position, ball.rotation, ball.velocity))


def test_points_have_the_mixed_spring_damper_and_friction() -> None:
    system = ball_on_floor(True, {"contact_properties": RUBBER}, {"contact_properties": WOOD})
    (contact,) = system.find_contacts()
    made = contact.description
    assert isinstance(made.method, pc.contact.ConvexMethod)
    assert made.law == pc.laws.SpringDamperLaw(stiffness=2e4 * 7e4 / (2e4 + 7e4), damping=5.5)
    assert made.friction == pc.laws.SpinFriction(
        coefficient=0.4, velocity=2e-3, spin_length=1e-3, spin_velocity=0.5 * (1e-3 + 5e-3)
    )
    assert (contact.law_from, contact.friction_from) == ("contact properties, mixed",) * 2


@pytest.mark.parametrize("exact", [False, True])
def test_a_run_is_that_of_the_pair_mixed_by_hand_bit_by_bit(exact: bool) -> None:
    own = ball_on_floor(True, {"contact_properties": RUBBER}, {"contact_properties": WOOD}, exact=exact)
    own.find_contacts()
    by_hand = ball_on_floor(exact=exact)
    by_hand.add_contact(
        "ball",
        "floor",
        method=pc.contact.ConvexMethod(),
        law=pc.laws.SpringDamperLaw.between(RUBBER, WOOD),
        friction=pc.laws.SpinFriction.between(RUBBER, WOOD),
    )
    assert end_of(own) == end_of(by_hand)


def test_areas_have_the_layers_with_the_damping_and_friction_of_the_properties() -> None:
    own = ball_on_floor(False, {"contact_properties": RUBBER, "layer": PAD}, {"contact_properties": WOOD})
    (contact,) = own.find_contacts()
    assert isinstance(contact.description.method, pc.contact.PolygonalMethod)
    both = RUBBER.mixed(WOOD)
    rigid = pc.ElasticLayer.rigid()
    damping = pc.laws.combined_stiffness(PAD, rigid) * both.damping / both.stiffness
    by_hand = ball_on_floor()
    by_hand.add_contact(
        "ball",
        "floor",
        law=pc.LayerLaw(damping=damping),
        layers=(PAD, rigid),
        friction=pc.laws.SpinFriction(coefficient=0.4, velocity=2e-3, spin_velocity=both.spin_velocity),
    )
    assert end_of(own) == end_of(by_hand)
    assert (contact.law_from, contact.friction_from) == ("elastic layers", "contact properties, mixed")


def test_without_the_switch_each_pair_touches_as_its_geometries_do() -> None:
    ball: dict[str, Any] = {"contact_properties": RUBBER, "layer": PAD}
    floor: dict[str, Any] = {"contact_properties": WOOD}
    made = [ball_on_floor(None, ball, floor, exact=exact).find_contacts()[0].description for exact in (False, True)]
    assert [type(each.law) for each in made] == [pc.LayerLaw, pc.laws.SpringDamperLaw]


def test_the_pair_comes_before_materials_and_these_before_all_pairs() -> None:
    def friction(*, pair: bool, materials: bool, common: bool) -> tuple[object, str]:
        system = ball_on_floor(
            True,
            {"contact_properties": RUBBER, "material": "rubber_60"},
            {"contact_properties": WOOD, "material": pc.materials["wood_across"]},
        )
        if materials:
            system.pair_materials("wood_across", pc.contact.rubber(60), friction=RUBS)
        usual: dict[str, Any] = {"friction": None} if common else {}
        said: dict[str, Any] = {"friction": pc.StickFriction(coefficient=0.1)} if pair else {}
        (contact,) = system.add_contact("ball", "floor", usual=usual, **said)
        assert contact.law_from == "contact properties, mixed"
        assert bool(contact.unused) == (pair or materials or common)
        return contact.description.friction, contact.friction_from

    assert friction(pair=True, materials=True, common=True) == (pc.StickFriction(coefficient=0.1), "the pair")
    assert friction(pair=False, materials=True, common=True) == (RUBS, "materials rubber_60 and wood_across")
    assert friction(pair=False, materials=False, common=True) == (None, "all pairs")
    assert friction(pair=False, materials=False, common=False)[1] == "contact properties, mixed"


def test_a_law_of_two_materials_counts_for_every_pair_of_bodies_made_of_them() -> None:
    system = pc.MultibodySystem()
    for i, material in enumerate(("steel", "steel", "rubber_60")):
        at = (0.0, 0.0, 0.3 * i)
        system.add_body(f"ball {i}", surface=pc.convex.Sphere(0.1), material=material, position=at)
    steel, rubber = pc.laws.SpringDamperLaw(stiffness=1e6), pc.laws.SpringDamperLaw(stiffness=1e4)
    system.pair_materials("steel", "steel", law=steel)
    system.pair_materials("steel", "rubber_60", law=rubber, friction=RUBS)
    with pytest.warns(pc.ContactWarning, match="no pair of materials says the friction of 'steel' and 'steel'"):
        laws = {contact.name: contact.description.law for contact in system.find_contacts()}
    assert laws == {"ball 0–ball 1": steel, "ball 0–ball 2": rubber, "ball 1–ball 2": rubber}
    assert system.bodies["ball 0"].mass == pytest.approx(pc.materials["steel"].density * 4.0 / 3.0 * math.pi * 1e-3)


@pytest.mark.parametrize(("properties", "told"), [(RUBBER, "the mean of their contact properties, 0.6"), (None, "no")])
def test_materials_that_no_pair_names_are_told_once(properties: pc.laws.ContactProperties | None, told: str) -> None:
    law = pc.laws.SpringDamperLaw(stiffness=1e4)
    of_both: dict[str, Any] = {"contact_properties": properties, "material": "rubber_60"}
    system = ball_on_floor(None, of_both, of_both, exact=True)
    system.add_body("other", surface=pc.convex.Sphere(0.1), position=(0.0, 0.0, 1.0), **of_both)
    system.pair_materials("steel", "rubber_60", friction=RUBS)
    with pytest.warns(pc.ContactWarning, match=told) as found:
        system.find_contacts(law=law)
    assert len(found) == 1
    common = ball_on_floor(None, of_both, of_both, exact=True)
    common.pair_materials("steel", "rubber_60", friction=RUBS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        common.find_contacts(law=law, friction=None)  # a friction for all pairs is no silence


def test_what_one_side_lacks_is_told() -> None:
    system = ball_on_floor(True, {"contact_properties": RUBBER})
    with pytest.raises(pc.MultibodyError, match="'ball–floor': 'ball' has contact properties and 'floor' has none"):
        system.find_contacts()
    law = pc.laws.SpringDamperLaw(stiffness=1e4)
    system = ball_on_floor(None, {"contact_properties": RUBBER}, exact=True)
    with pytest.raises(pc.MultibodyError, match="so that friction cannot be mixed; give 'floor' contact_properties"):
        system.find_contacts(law=law)
    assert system.find_contacts(law=law, friction=None)[0].description.friction is None
    swapped = ball_on_floor(False, {"layer": PAD}, {"contact_properties": WOOD})
    with pytest.raises(pc.MultibodyError, match="'floor' has contact properties and 'ball' has none"):
        swapped.find_contacts()


def test_a_spring_of_a_point_is_none_of_an_area() -> None:
    system = ball_on_floor(False, {"contact_properties": RUBBER}, {"contact_properties": WOOD})
    with pytest.raises(pc.MultibodyError, match=r"a layer to one of the bodies; the spring constant .* of a point"):
        system.find_contacts()
    exact = ball_on_floor(False, {"contact_properties": RUBBER}, {"contact_properties": WOOD}, exact=True)
    with pytest.raises(pc.MultibodyError, match="simple_response is false, which asks for areas, but sphere"):
        exact.find_contacts()


@pytest.mark.parametrize("simple_response", [True, False])
def test_the_switch_and_a_law_for_all_pairs_exclude_each_other(simple_response: bool) -> None:
    whole = pc.ContactDescription(law=pc.LayerLaw(stiffness=1e6))
    for options in ({"law": whole.law}, {"method": whole.method}, {"description": whole}, {"layers": (PAD, PAD)}):
        with pytest.raises(pc.MultibodyError, match=f"law of all pairs; leave {next(iter(options))} out, or"):
            ball_on_floor(simple_response).find_contacts(**options)
    both: dict[str, Any] = {"contact_properties": RUBBER, "layer": PAD}
    if simple_response:
        with pytest.raises(pc.MultibodyError, match="leave elements out"):
            ball_on_floor(True, both, both).find_contacts(elements="whole")
    else:
        (contact,) = ball_on_floor(False, both, both).find_contacts(elements="whole")
        assert contact.description.method == pc.contact.PolygonalMethod(base=pc.Base.E, elements="whole")
    (pair,) = ball_on_floor(simple_response, both, both).add_contact("ball", "floor", method="penetration_lines")
    assert isinstance(pair.description.method, pc.contact.PenetrationLines)


def test_a_body_gives_its_shapes_what_they_lack() -> None:
    system = pc.MultibodySystem()
    shapes = [
        pc.Shape(pc.shapes.box(0.1), contact_properties=WOOD),
        pc.Shape(pc.shapes.box(0.1), material="wood_along", layer=PAD),
    ]
    other = pc.ElasticLayer(2e6, 0.3, 0.01)
    body = system.add_body("b", shapes=shapes, density=1.0, material="steel", contact_properties=RUBBER, layer=other)
    assert [shape.material_name for shape in body.shapes] == ["steel", "wood_along"]
    assert [shape.contact_properties for shape in body.shapes] == [WOOD, RUBBER]
    assert [shape.layer for shape in body.shapes] == [other, PAD]


def test_whole_descriptions_take_what_materials_say() -> None:
    system = ball_on_floor(None, {"material": "rubber_60"}, {"material": "steel"})
    system.pair_materials("steel", "rubber_60", friction=RUBS)
    whole = pc.ContactDescription(law=pc.LayerLaw(stiffness=1e7))
    (contact,) = system.find_contacts(description=whole)
    assert (contact.description.friction, contact.description.law) == (RUBS, whole.law)
    assert (contact.law_from, contact.friction_from) == ("all pairs", "materials rubber_60 and steel")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda s: s.pair_materials("steel", "", friction=RUBS), "material is ''"),
        (lambda s: s.pair_materials("steel", "skin"), "nothing is said of 'skin' and 'steel'"),
        (lambda s: s.pair_materials("steel", "skin", base="E"), "unknown option 'base'; allowed: law, friction"),
        (lambda s: [s.pair_materials("a", "b", friction=None) for _ in range(2)], "'a' and 'b' are paired already"),
        (
            lambda s: (s.find_contacts(law=pc.LayerLaw(stiffness=1e6)), s.pair_materials("a", "b", friction=RUBS)),
            "contacts were added before",
        ),
        (lambda s: s.add_body("x", fixed=True, material=3), "body 'x': material is 3"),
        (lambda s: pc.Shape(pc.shapes.box(1.0), contact_properties={}), r"expected ContactProperties\(…\)"),  # type: ignore[arg-type]
        (lambda s: pc.MultibodySystem(simple_response="yes"), "simple_response is 'yes'; give True for points"),  # type: ignore[arg-type]
        (lambda s: s.add_contact("ball", "floor", usual={"lew": 1}), "usual: unknown option 'lew'"),
    ],
)
def test_mistakes_are_told(call: Any, told: str) -> None:
    with pytest.raises(pc.MultibodyError, match=told):
        call(ball_on_floor())
