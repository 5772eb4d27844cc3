"""Checks of contact: which bodies are paired, how they touch, and that every pair has a stiffness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.body_checks import material_of, shapes_of
from polycontact.scenario.checks.part_checks import check_parts, is_off, needs_stiffness
from polycontact.scenario.contact_parts import chosen_part, given_part
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.library_materials import known_materials
from polycontact.scenario.readable_tables import entries, given, tables
from polycontact.scenario.schema.body_keys import Body
from polycontact.scenario.schema.contact_keys import Contact, Pair
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema.shape_keys import ShapeTable
from polycontact.scenario.simple_response import check_simple_response
from polycontact.surfaces.alternatives import MESH

POINT_LAW: Final = (
    "bodies that are no meshes touch in points, for which layers, which count per area, say nothing; give a law of a "
    'point, law = { kind = "spring_damper", stiffness = … } in N/m, '
    "here or under [contact], or give both bodies contact_properties"
)
"""What a contact of two exact bodies needs."""

MAX_RIGID_PAIRS: Final = 10
"""Most rigid pairs found automatically that are reported."""


def check_contact(model: ScenarioModel) -> Iterator[Problem]:
    """Problems of the contact table."""
    contact = model.contact
    if contact is None or not contact.model_fields_set:
        yield from _check_unused_properties(model)
        return
    yield from check_simple_response(model, contact)
    yield from _check_exclude(model, contact)
    yield from _check_material_pairs(model, contact)
    yield from check_parts(("contact",), contact, is_used=_is_used(contact))
    yield from _check_pairs(model, contact)
    if is_off("method", contact):
        return
    if contact.automatic:
        yield from _check_automatic(model, contact)
    elif contact.automatic is not None and contact.pairs == ():
        yield Problem(
            ("contact", "pairs"),
            'no bodies can touch: list them under [[contact.pairs]], or set automatic = true or method = "none"',
        )


def _check_unused_properties(model: ScenarioModel) -> Iterator[Problem]:
    """Contact properties of bodies where there is no contact at all: the first is told."""
    for i, body in entries(model.bodies):
        if any(given(each, "contact_properties") for each in (body, *(shape for _, shape in shapes_of(body)))):
            told = "have no effect: the file has no [contact]; write [contact] with automatic = true"
            yield Problem(("bodies", i, "contact_properties"), told)
            return


def _check_material_pairs(model: ScenarioModel, contact: Contact) -> Iterator[Problem]:
    """Pairs of materials: names that there are, each pair once, and something that is said of it."""
    first = dict[frozenset[str], int]()
    for i, pair in entries(contact.material_pairs):
        where = ("contact", "material_pairs", i)
        yield from check_parts(where, contact, pair)
        if not any(given(pair, part) for part in ("friction", "law", "wear")):
            yield Problem(where, "says nothing; give friction = { … }, law = { … } or wear = { … }")
        if pair.materials is None:
            continue
        for j, name in enumerate(pair.materials):
            if name not in (model.materials or {}):
                told = unknown("material", name, known_materials(model))
                if name in known_materials(model):
                    told = f"no body is made of {shown(name)}; leave the pair out, or give a body this material"
                yield Problem((*where, "materials", j), told)
        if first.setdefault(frozenset(pair.materials), i) != i:
            other = first[frozenset(pair.materials)]
            yield Problem((*where, "materials"), f"are paired by contact.material_pairs[{other}] already")


def _is_used(contact: Contact) -> bool:
    """Whether some contact has the method of [contact], and not one of its own."""
    methods = [chosen_part("method", contact, pair) for pair in tables(contact.pairs)]
    return bool(contact.automatic) or any(method is None or method.inherits for method in methods)


def _check_exclude(model: ScenarioModel, contact: Contact) -> Iterator[Problem]:
    bodies = _bodies(model)
    for i, pair in entries(contact.exclude):
        yield from _check_names(("contact", "exclude", i), pair, bodies)
    if contact.exclude and contact.automatic is False:
        yield Problem(("contact", "exclude"), "has a meaning with automatic = true only; leave it out")


def _check_names(where: Location, pair: tuple[str, str], known: Mapping[str, Body]) -> list[Problem]:
    problems = [Problem((*where, i), unknown("body", name, known)) for i, name in enumerate(pair) if name not in known]
    if pair[0] == pair[1]:
        problems.append(Problem(where, f"{shown(pair[0])} is paired with itself; give two different bodies"))
    return problems


def _check_pairs(model: ScenarioModel, contact: Contact) -> Iterator[Problem]:
    bodies, first = _bodies(model), dict[frozenset[str], int]()
    for i, pair in entries(contact.pairs):
        where, named = ("contact", "pairs", i), pair.bodies
        yield from check_parts(where, contact, pair)
        if named is None:
            continue
        wrong = _check_names((*where, "bodies"), named, bodies)
        yield from wrong
        if first.setdefault(frozenset(named), i) != i:
            yield Problem((*where, "bodies"), f"are paired by contact.pairs[{first[frozenset(named)]}] already")
        if not wrong and not is_off("method", contact, pair):
            yield from _check_stiffness(model, where, pair, contact, [bodies[name] for name in named])


def _check_stiffness(
    model: ScenarioModel, where: Location, pair: Pair, contact: Contact, bodies: list[Body]
) -> list[Problem]:
    surfaces = [layer_states(model, body) for body in bodies]
    problems = [
        Problem((*where, "bodies"), f"{shown(body.name)} has no shape with contact")
        for body, states in zip(bodies, surfaces, strict=True)
        if not states
    ]
    if problems or not needs_stiffness(contact, pair) or _laws_of_materials(contact):
        return problems
    if _touch_in_a_point(contact, bodies):
        told = _missing_law_of_point(model, bodies)
        return [] if told is None else [Problem((*where, told.key), told.text)]
    if all("rigid" in states for states in surfaces):
        remedy = "give stiffness (N/m³) here or under [contact], or one of them a material with a layer"
        key = ("law", "stiffness") if given(pair, "law") else ("stiffness",)
        return [Problem((*where, *key), f"is missing: none of the bodies has an elastic layer; {remedy}")]
    return []


def _check_automatic(model: ScenarioModel, contact: Contact) -> Iterator[Problem]:
    """Pairs found automatically without an elastic layer: not those fixed to each other or joined."""
    if not needs_stiffness(contact) or contact.exclude is None or _laws_of_materials(contact):
        return
    bodies = _bodies(model)
    rigid = [name for name, body in bodies.items() if _may_lack_stiffness(model, contact, body)]
    if all(_touch_in_a_point(contact, [bodies[name]]) and has_properties(model, bodies[name]) for name in rigid):
        return
    joined = [
        (joint.parent or WORLD, joint.child) for joint in tables(model.joints) if joint.child and joint.kind != "free"
    ]
    listed = [pair.bodies for pair in tables(contact.pairs) if pair.bodies is not None]
    group = _rigid_groups(model)
    joined_groups = {frozenset((group.get(a, a), group.get(b, b))) for a, b in joined if group.get(a, a) != WORLD}
    apart = {frozenset(pair) for pair in (*contact.exclude, *listed, *joined)}
    found = 0
    for a, b in combinations(rigid, 2):
        groups = frozenset((group[a], group[b]))
        if len(groups) == 1 or groups in joined_groups or frozenset((a, b)) in apart:
            continue
        if _touch_in_a_point(contact, [bodies[a], bodies[b]]):
            told = _missing_law_of_point(model, [bodies[a], bodies[b]])
            if told is None:
                continue
            yield Problem(("contact", "automatic" if told.key == "bodies" else told.key), told.text)
            if told.key == "law":
                return
            found += 1
            if found == MAX_RIGID_PAIRS:
                return
            continue
        yield Problem(
            ("contact", "automatic"),
            f"no stiffness between {shown(a)} and {shown(b)}: none has an elastic layer; give one a material with "
            f"a layer, [contact] a stiffness (N/m³), or exclude the pair",
        )
        found += 1
        if found == MAX_RIGID_PAIRS:
            return


class _Missing(NamedTuple):
    """What a contact in a point lacks: the key that would help, and what is told."""

    key: str
    text: str


def _touch_in_a_point(contact: Contact, bodies: Sequence[Body]) -> bool:
    """Whether bodies touch in points, as far as the method is not their own."""
    return contact.simple_response is True or all(is_exact(body) for body in bodies)


def _missing_law_of_point(model: ScenarioModel, bodies: Sequence[Body]) -> _Missing | None:
    """What two bodies that touch in a point lack of contact properties, where nothing else says the law."""
    lacking = [body for body in bodies if not has_properties(model, body)]
    if not lacking:
        return None
    names = " and ".join(shown(body.name) for body in bodies)
    if len(lacking) == len(bodies):
        return _Missing("law", f"is missing for {names}: {POINT_LAW}")
    return _Missing(
        "bodies",
        f"{names} touch in a point, and {shown(lacking[0].name)} has no contact_properties that those of the other "
        f"could be mixed with; give it some, or contact_properties = {{}} for the defaults, or give the pair a law",
    )


def _laws_of_materials(contact: Contact) -> bool:
    """Whether some pair of materials has a law: which contacts have it is seen when they are built."""
    return any(given_part("law", pair).says_something for pair in tables(contact.material_pairs))


def _may_lack_stiffness(model: ScenarioModel, contact: Contact, body: Body) -> bool:
    """Whether a body's surface tells no stiffness for areas, or touches in points, to which layers say nothing."""
    return "rigid" in layer_states(model, body) or (contact.simple_response is True and bool(_touching(body)))


def _rigid_groups(model: ScenarioModel) -> dict[str, str]:
    """For each body the first of those that it is rigidly fixed to, or "world"."""
    bodies = _bodies(model)
    carrier = {name: WORLD for name, body in bodies.items() if body.fixed}
    for joint in tables(model.joints):
        if joint.child is not None and joint.kind == "fixed":
            carrier[joint.child] = joint.parent or WORLD
    groups: dict[str, str] = {}
    for name in bodies:
        root, passed = name, dict[str, None]()
        while root in carrier and root not in passed and root not in groups:  # circles are reported elsewhere
            passed[root] = None
            root = carrier[root]
        root = groups.get(root, root)
        groups.update(dict.fromkeys([name, *passed], root))
    return groups


def _bodies(model: ScenarioModel) -> dict[str, Body]:
    return {body.name: body for body in tables(model.bodies) if body.name is not None}


def _touching(body: Body) -> list[ShapeTable]:
    """The shapes of a body that take part in contact."""
    shapes = (shape for _, shape in shapes_of(body))
    return [each for each in shapes if (each.contact if given(each, "contact") else body.contact) is not False]


def is_exact(body: Body) -> bool:
    """Whether no contact shape of a body is a mesh."""
    return all(shape.geometry != MESH for shape in _touching(body))


def has_properties(model: ScenarioModel, body: Body) -> bool:
    """Whether all contact shapes of a body have contact properties: their own, the body's or the material's."""
    for shape in _touching(body):
        material = material_of(model, body, shape)
        holders = (shape, body) if material is None else (shape, body, material)
        if not any(given(each, "contact_properties") for each in holders):
            return False
    return True


def layer_states(model: ScenarioModel, body: Body) -> set[str]:
    """Whether the contact shapes of a body have a "layer", are "rigid" for lack of one, or it is "unknown"."""
    states = set()
    for shape in _touching(body):
        material = material_of(model, body, shape)
        if material is None and (shape.material or body.material):
            states.add("unknown")
        else:
            states.add("layer" if material is not None and given(material, "youngs_modulus") else "rigid")
    return states
