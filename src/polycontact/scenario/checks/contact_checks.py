"""Checks of contact: which bodies are paired, how they touch, and that every pair has a stiffness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final

from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.body_checks import material_of, shapes_of
from polycontact.scenario.checks.part_checks import check_parts, is_off, needs_stiffness
from polycontact.scenario.contact_parts import chosen_part
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.readable_tables import entries, given, tables
from polycontact.scenario.schema.body_keys import Body
from polycontact.scenario.schema.contact_keys import Contact, Pair
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema.shape_keys import ShapeTable
from polycontact.surfaces.alternatives import MESH

POINT_LAW: Final = (
    'bodies that are no meshes touch in points; give a law of a point, law = { kind = "spring_damper", stiffness = … } '
    "in N/m, here or under [contact]"
)
"""What a contact of two exact bodies needs."""

MAX_RIGID_PAIRS: Final = 10
"""Most rigid pairs found automatically that are reported."""


def check_contact(model: ScenarioModel) -> Iterator[Problem]:
    """Problems of the contact table."""
    contact = model.contact
    if contact is None or not contact.model_fields_set:
        return
    yield from _check_exclude(model, contact)
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
    if problems or not needs_stiffness(contact, pair):
        return problems
    if all("rigid" in states for states in surfaces):
        if all(is_exact(body) for body in bodies):
            return [Problem((*where, "law"), f"is missing: {POINT_LAW}")]
        remedy = "give stiffness (N/m³) here or under [contact], or one of them a material with a layer"
        key = ("law", "stiffness") if given(pair, "law") else ("stiffness",)
        return [Problem((*where, *key), f"is missing: none of the bodies has an elastic layer; {remedy}")]
    return []


def _check_automatic(model: ScenarioModel, contact: Contact) -> Iterator[Problem]:
    """Pairs found automatically without an elastic layer: not those fixed to each other or joined."""
    if not needs_stiffness(contact) or contact.exclude is None:
        return
    bodies = _bodies(model)
    rigid = [name for name, body in bodies.items() if "rigid" in layer_states(model, body)]
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
        if is_exact(bodies[a]) and is_exact(bodies[b]):
            yield Problem(("contact", "law"), f"is missing for {shown(a)} and {shown(b)}: {POINT_LAW}")
            return
        yield Problem(
            ("contact", "automatic"),
            f"no stiffness between {shown(a)} and {shown(b)}: none has an elastic layer; give one a material with "
            f"a layer, [contact] a stiffness (N/m³), or exclude the pair",
        )
        found += 1
        if found == MAX_RIGID_PAIRS:
            return


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
