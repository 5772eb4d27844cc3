"""Contact properties, materials and the switch to points in scenario files: as pairs given by hand, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli import main
from polycontact.scenario.parsing import parse_scenario
from polycontact.scenario.schema.key_reference import key_sections
from polycontact.scenario.schema.scenario import export_schema
from polycontact.scenario.schema.surface_keys import ContactPropertiesTable
from polycontact.scenario.source_names import ALSO, HANDLING, SYMBOLS

TEMPLATE = """\
[scenario]
name = "thrown"

[simulation]
end_time = 0.06
rtol = 1e-6
output_step = 0.02

[materials.rubber]
youngs_modulus = 1e6
poissons_ratio = 0.3
thickness = 0.01
density = 300.0
{rubber}

[materials.wood]
rigid = true
{wood}

[[bodies]]
name = "ball"
shape = {{ kind = "sphere", radius = 0.05, subdivisions = 2{shape} }}
material = "rubber"
position = [-0.2, 0.0, 0.07]
velocity = [1.5, 0.0, -1.0]
{ball}

[[bodies]]
name = "floor"
shape = {{ kind = "box", size = [1.4, 0.8, 0.04], position = [0.0, 0.0, -0.02]{floor_shape} }}
material = "wood"
fixed = true
{floor}

[contact]
{contact}
"""
SOFT = "contact_properties = { c = 2e4, d = 8, d_w = 2e-3, mu = 0.6, v_min = 3e-3, omega_min = 2e-3 }"
HARD = 'contact_properties = { stiffness = "70 N/mm", friction = 0.2 }'
SWITCH = "automatic = true\nsimple_response = true"


def thrown(**parts: str) -> pc.scenario.Scenario:  # type: ignore[name-defined]
    names = ("rubber", "wood", "shape", "ball", "floor_shape", "floor", "contact")
    return parse_scenario(TEMPLATE.format(**{name: parts.get(name, "") for name in names}))


def the_contact(**parts: str) -> Any:
    (contact,) = thrown(**parts).build().contacts.values()
    return contact


def end_of(scenario: Any) -> bytes:
    ball = pc.simulate(scenario.build(), **scenario.settings).trajectory.body("ball")
    return b"".join(np.ascontiguousarray(each[-1]).tobytes() for each in (ball.position, ball.rotation, ball.velocity))


def told_of(**parts: str) -> str:
    with pytest.raises(pc.ScenarioError) as caught:
        thrown(**parts).build()
    return str(caught.value)


@pytest.mark.parametrize("place", ["materials", "bodies", "shapes"])
def test_properties_of_materials_bodies_and_shapes_are_mixed_as_by_hand(place: str) -> None:
    own = {
        "materials": {"rubber": SOFT, "wood": HARD},
        "bodies": {"ball": SOFT, "floor": HARD},
        "shapes": {"shape": f", {SOFT}", "floor_shape": f", {HARD}"},
    }[place]
    mixed = thrown(**own, contact=SWITCH)
    stiffness = 2e4 * 7e4 / (2e4 + 7e4)
    exact = ', geometry = "convex"'
    by_hand = thrown(
        shape=exact,
        floor_shape=exact,
        contact=f"""automatic = true
law = {{ kind = "spring_damper", stiffness = {stiffness!r}, damping = 4.0 }}
friction = {{ kind = "spin_friction", coefficient = 0.4, velocity = 2e-3, spin_length = 1e-3, spin_velocity = 1.5e-3 }}
""",
    )
    assert end_of(mixed) == end_of(by_hand)


def test_the_nearest_properties_count() -> None:
    far = "contact_properties = { c = 1.0 }"
    made = the_contact(rubber=far, ball=far, shape=f", {SOFT}", wood=far, floor=HARD, contact=SWITCH).description
    assert made.law.stiffness == 2e4 * 7e4 / (2e4 + 7e4)


def test_an_empty_table_has_the_defaults_of_the_source() -> None:
    made = the_contact(ball="contact_properties = {}", floor="contact_properties = {}", contact=SWITCH).description
    assert made.law == pc.laws.SpringDamperLaw(stiffness=5e6)
    assert made.friction is None
    assert ContactPropertiesTable().build() == pc.laws.ContactProperties()


def test_one_switch_changes_geometry_and_law_of_all_pairs() -> None:
    both = {"rubber": SOFT, "wood": HARD}
    points = thrown(**both, contact=SWITCH)
    (point,) = points.build().contacts.values()
    (area,) = points.with_values({"contact.simple_response": False}).build().contacts.values()
    assert isinstance(point.description.method, pc.contact.ConvexMethod)
    assert isinstance(point.description.law, pc.laws.SpringDamperLaw)
    assert isinstance(area.description.method, pc.contact.PolygonalMethod)
    rigid = pc.ElasticLayer.rigid()
    layers = (pc.ElasticLayer(1e6, 0.3, 0.01), rigid)
    assert area.description.layers == layers
    stiffness = pc.laws.combined_stiffness(*layers)
    assert area.description.law == pc.LayerLaw(damping=stiffness * (4.0 / (2e4 * 7e4 / (2e4 + 7e4))))
    assert area.description.friction.coefficient == point.description.friction.coefficient == 0.4


def test_contact_handling_is_contact_and_keys_may_be_changed_by_both_names() -> None:
    scenario = thrown(rubber=SOFT, wood=HARD, ball="contact_handling = true", contact=SWITCH)
    off = scenario.with_values({"bodies.ball.contact_handling": False})
    assert not off.build().contacts
    for key in ("mu", "friction"):
        (contact,) = scenario.with_values({f"materials.rubber.contact_properties.{key}": 1.0}).build().contacts.values()
        assert contact.description.friction.coefficient == 0.6


def test_a_table_of_friction_by_pairs_of_materials() -> None:
    table = """automatic = true
stiffness = 1e7
friction = { coefficient = 0.1, velocity = 0.02 }
[[contact.material_pairs]]
materials = ["wood", "rubber"]
friction = { coefficient = 0.7 }
"""
    contact = the_contact(contact=table)
    assert contact.description.friction == pc.RegularisedCoulomb(coefficient=0.7, velocity=0.02)
    assert contact.friction_from == "materials rubber and wood"
    pair = table.replace("automatic = true", "") + '[[contact.pairs]]\nbodies = ["ball", "floor"]\nfriction = "none"\n'
    contact = the_contact(contact=pair.replace('friction = "none"', 'friction = { kind = "none" }'))
    assert contact.description.friction is None
    assert contact.friction_from == "the pair"


def test_materials_say_a_law_of_a_point_with_its_unit() -> None:
    contact = the_contact(
        contact=SWITCH
        + """
[[contact.material_pairs]]
materials = ["wood", "rubber"]
law = { kind = "restitution", stiffness = "12 N/mm", restitution = 0.7 }
friction = { kind = "none" }
"""
    )
    assert contact.description.law == pc.laws.RestitutionLaw(stiffness=12e3, restitution=0.7)
    assert contact.description.friction is None


def test_materials_without_a_pair_have_the_mean_and_a_warning() -> None:
    table = '[[contact.material_pairs]]\nmaterials = ["wood", "wood"]\nfriction = { coefficient = 0.7, velocity = 0.1 }'
    scenario = thrown(rubber=SOFT, wood=HARD, contact=f"{SWITCH}\n{table}")
    with pytest.warns(pc.ContactWarning, match=r"friction of 'rubber' and 'wood': it is the mean .*, 0\.4; add such"):
        scenario.build()


def test_the_check_says_what_each_contact_follows_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("rubber", "wood", "shape", "ball", "floor_shape", "floor", "contact")
    pair = '[[contact.pairs]]\nbodies = ["ball", "floor"]\nlaw = { kind = "spring_damper", stiffness = 1e3 }\n'
    parts = {"rubber": SOFT, "wood": HARD, "contact": f"simple_response = true\n{pair}"}
    file = tmp_path / "thrown.toml"
    file.write_text(TEMPLATE.format(**{name: parts.get(name, "") for name in names}), encoding="utf-8")
    assert main(["check", str(file)]) == 0
    told = capsys.readouterr().out
    assert "presses: ConvexMethod, SpringDamperLaw(stiffness=1000.0, damping=0.0) (the pair)" in told
    assert "(contact properties, mixed)" in told
    assert "comes before their contact properties: spring and damper (the pair)" in told
    assert main(["check", str(file), "--json"]) == 0
    (law,) = json.loads(capsys.readouterr().out)["contact_laws"]
    assert (law["law_from"], law["friction_from"]) == ("the pair", "contact properties, mixed")


def test_the_check_says_which_base_was_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
[scenario]
name = "floor first"
[simulation]
end_time = 0.06
[[bodies]]
name = "floor"
fixed = true
shape = { kind = "plane", size = 2.0 }
[[bodies]]
name = "ball"
density = 500.0
position = [0.0, 0.0, 0.2]
shape = { kind = "sphere", radius = 0.1, subdivisions = 3 }
[contact]
automatic = true
stiffness = 1e6
"""
    file = tmp_path / "floor_first.toml"
    for said, told in (
        ("", "base: F (F is sharper: on average curved like a ball of 99.8 mm radius, E like one of 798 mm)"),
        ('base = "auto"\n', "base: F (F is sharper"),
        ('base = "E"\n', "base: E (the pair or all pairs)"),
    ):
        file.write_text(text + said, encoding="utf-8")
        assert main(["check", str(file)]) == 0
        assert told in capsys.readouterr().out
    assert main(["check", str(file), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["contact_laws"]
    assert (found["base"], found["base_from"]) == ("E", "the pair or all pairs")


AREAS = "automatic = true\nstiffness = 1e6\n"
RUBS = "friction = { coefficient = 1, velocity = 1 }"
PAIR = '[[contact.material_pairs]]\nmaterials = ["wood", "rubber"]\n'


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"ball": "contact_properties = { c = -1 }"}, "contact_properties.stiffness: -1; allowed is a number greater"),
        ({"ball": "contact_properties = { k = 1 }"}, "contact_properties.k: unknown key; allowed are stiffness, damp"),
        ({"ball": "contact_properties = { c = 1, stiffness = 2 }"}, "contact_properties.c: is stiffness here, which"),
        ({"ball": "contact_properties = { w_min = 1, omega_min = 2 }"}, "omega_min: is spin_velocity here, which is"),
        ({"ball": 'contact_properties = { c = "3 s" }'}, '"3 s" is a time; expected is a stiffness in N/m'),
        ({"contact": 'simple_response = "no"'}, 'simple_response: "no"; allowed is true or false'),
        ({"rubber": SOFT, "contact": SWITCH}, '"floor" has no contact_properties that those of the other'),
        ({"contact": SWITCH}, 'law: is missing for "ball" and "floor"'),
        (
            {"rubber": SOFT, "contact": 'simple_response = true\n[[contact.pairs]]\nbodies = ["ball", "floor"]'},
            'contact.pairs[0] "ball"–"floor": bodies: "ball" and "floor" touch in a point, and "floor" has no',
        ),
        ({"contact": f"{SWITCH}\nstiffness = 1e5"}, "contact.stiffness: simple_response chooses the method and the"),
        ({"contact": f'{SWITCH}\nmethod = "polygonal"'}, "contact.method: simple_response chooses"),
        ({"contact": f'{SWITCH}\nelements = "whole"'}, "contact.elements: simple_response chooses"),
        (
            {"rubber": SOFT, "wood": HARD, "shape": ', geometry = "convex"', "contact": "simple_response = false"},
            '"convex" touches in a point, and simple_response = false asks for areas',
        ),
        ({"rubber": SOFT, "contact": "automatic = true"}, "'ball' has contact properties and 'floor' has none"),
        ({"contact": f"{AREAS}{PAIR}"}, 'material_pairs[0] "wood"–"rubber": says nothing; give'),
        (
            {"contact": f"{AREAS}{PAIR.replace('wood', 'wod')}{RUBS}"},
            'materials[0]: there is no material "wod"; did you mean "wood"?',
        ),
        (
            {"contact": f"{AREAS}{PAIR.replace('wood', 'skin')}{RUBS}"},
            'no body is made of "skin"; leave the pair out',
        ),
        (
            {"contact": AREAS + 2 * f"{PAIR}{RUBS}\n"},
            'material_pairs[1] "wood"–"rubber": materials: are paired by contact.material_pairs[0] already',
        ),
        (
            {"contact": f"{AREAS}{PAIR}friction = {{ coefficient = -1, velocity = 1 }}"},
            'material_pairs[0] "wood"–"rubber": friction.coefficient: -1; allowed is a number of at least 0',
        ),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(parts: dict[str, str], told: str) -> None:
    assert told in told_of(**parts)


def test_shapes_that_have_no_convex_body_are_told() -> None:
    text = TEMPLATE.format(rubber=SOFT, wood=HARD, shape="", ball="", floor_shape="", floor="", contact=SWITCH)
    text = text.replace(
        'kind = "box", size = [1.4, 0.8, 0.04], position = [0.0, 0.0, -0.02]', 'kind = "plane", size = 1'
    )
    with pytest.raises(pc.ScenarioError, match="asks for contact in a point; plane cannot be convex"):
        parse_scenario(text)


def test_editors_know_the_names_of_the_source_and_the_reference_ours() -> None:
    tables = export_schema()["$defs"]
    for table, names in (("ContactPropertiesTable", SYMBOLS), ("Body", HANDLING), ("Sphere", HANDLING)):
        keys = tables[table]["properties"]
        for theirs, ours in names.items():
            assert keys[theirs] == {**keys[ours], ALSO: ours}
    assert "contact_handling" not in tables["Contact"]["properties"]
    rows = {section.name: [row.key for row in section.rows] for section in key_sections()}
    assert rows["contact properties"] == [f"`{key}`" for key in ContactPropertiesTable.model_fields]
    assert "`contact_handling`" not in rows["body"]


def test_properties_without_any_contact_are_told() -> None:
    text = TEMPLATE.format(rubber="", wood="", shape="", ball=SOFT, floor_shape="", floor="", contact="")
    with pytest.raises(pc.ScenarioError, match=r"contact_properties: have no effect: the file has no \[contact\]"):
        parse_scenario(text.replace("[contact]\n", ""))
