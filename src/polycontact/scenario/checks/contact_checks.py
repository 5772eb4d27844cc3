"""Checks of contact: which bodies are paired, how they touch, and that every pair has a stiffness."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.body_checks import material_of, shapes_of
from polycontact.scenario.checks.part_checks import check_parts, is_off, needs_stiffness
from polycontact.scenario.checks.raw_content import Raw, entries, name_pair, table, text
from polycontact.scenario.contact_parts import chosen_part
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.surfaces.alternatives import MESH

POINT_LAW: Final = (
    'bodies that are no meshes touch in points; give a law of a point, law = { kind = "spring_damper", stiffness = … } '
    "in N/m, here or under [contact]"
)
"""What a contact of two exact bodies needs."""

MAX_RIGID_PAIRS: Final = 10
"""Most rigid pairs found automatically that are reported."""


def check_contact(raw: Raw) -> Iterator[Problem]:
    """Problems of the contact table."""
    contact = table(raw, "contact")
    if not contact:
        return
    yield from _check_exclude(raw, contact)
    yield from check_parts(("contact",), contact, is_used=_is_used(contact))
    yield from _check_pairs(raw, contact)
    if is_off("method", contact):
        return
    if contact.get("automatic") is True:
        yield from _check_automatic(raw, contact)
    elif contact.get("automatic", False) is False and not contact.get("pairs"):
        yield Problem(
            ("contact", "pairs"),
            'no bodies can touch: list them under [[contact.pairs]], or set automatic = true or method = "none"',
        )


def _is_used(contact: Raw) -> bool:
    """Whether some contact has the method of [contact], and not one of its own."""
    methods = [chosen_part("method", contact, pair) for _, pair in entries(contact, "pairs")]
    return contact.get("automatic") is True or any(method is None or method.inherits for method in methods)


def _check_exclude(raw: Raw, contact: Raw) -> Iterator[Problem]:
    bodies, value = _bodies(raw), contact.get("exclude")
    for i, entry in enumerate(value if isinstance(value, list) else ()):
        yield from _check_names(("contact", "exclude", i), name_pair(entry), bodies)
    if value and contact.get("automatic", False) is False:
        yield Problem(("contact", "exclude"), "has a meaning with automatic = true only; leave it out")


def _check_names(where: Location, pair: tuple[str, str] | None, known: Raw) -> list[Problem]:
    if pair is None:
        return []
    problems = [Problem((*where, i), unknown("body", name, known)) for i, name in enumerate(pair) if name not in known]
    if pair[0] == pair[1]:
        problems.append(Problem(where, f"{shown(pair[0])} is paired with itself; give two different bodies"))
    return problems


def _check_pairs(raw: Raw, contact: Raw) -> Iterator[Problem]:
    bodies, first = _bodies(raw), dict[frozenset[str], int]()
    for i, entry in entries(contact, "pairs"):
        where, pair = ("contact", "pairs", i), name_pair(entry.get("bodies"))
        yield from check_parts(where, contact, entry)
        if pair is None:
            continue
        wrong = _check_names((*where, "bodies"), pair, bodies)
        yield from wrong
        if first.setdefault(frozenset(pair), i) != i:
            yield Problem((*where, "bodies"), f"are paired by contact.pairs[{first[frozenset(pair)]}] already")
        if not wrong and not is_off("method", contact, entry):
            yield from _check_stiffness(raw, where, entry, contact, [(name, bodies[name]) for name in pair])


def _check_stiffness(
    raw: Raw, where: Location, pair: Raw, contact: Raw, bodies: list[tuple[str, dict[str, Any]]]
) -> list[Problem]:
    surfaces = [layer_states(raw, body) for _, body in bodies]
    problems = [
        Problem((*where, "bodies"), f"{shown(name)} has no shape with contact")
        for (name, _), states in zip(bodies, surfaces, strict=True)
        if not states
    ]
    if problems or not needs_stiffness(contact, pair):
        return problems
    if all("rigid" in states for states in surfaces):
        if all(is_exact(body) for _, body in bodies):
            return [Problem((*where, "law"), f"is missing: {POINT_LAW}")]
        remedy = "give stiffness (N/m³) here or under [contact], or one of them a material with a layer"
        key = ("law", "stiffness") if isinstance(pair.get("law"), dict) else ("stiffness",)
        return [Problem((*where, *key), f"is missing: none of the bodies has an elastic layer; {remedy}")]
    return []


def _check_automatic(raw: Raw, contact: Raw) -> Iterator[Problem]:
    """Pairs found automatically without an elastic layer: not those fixed to each other or joined."""
    if not needs_stiffness(contact):
        return
    bodies = _bodies(raw)
    rigid = [name for name, body in bodies.items() if "rigid" in layer_states(raw, body)]
    group, apart, joined = _rigid_groups(raw), _kept_apart(contact), _joined(raw)
    joined_groups = {frozenset((group.get(a, a), group.get(b, b))) for a, b in joined if group.get(a, a) != WORLD}
    apart |= {frozenset(pair) for pair in joined}
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


def _rigid_groups(raw: Raw) -> dict[str, str]:
    """For each body the first of those that it is rigidly fixed to, or "world"."""
    carrier = {name: WORLD for name, body in _bodies(raw).items() if body.get("fixed") is True}
    for _, joint in entries(raw, "joints"):
        child = text(joint, "child")
        if child is not None and text(joint, "kind") == "fixed":
            carrier[child] = text(joint, "parent") or WORLD
    groups: dict[str, str] = {}
    for name in _bodies(raw):
        root, passed = name, dict[str, None]()
        while root in carrier and root not in passed and root not in groups:  # circles are reported elsewhere
            passed[root] = None
            root = carrier[root]
        root = groups.get(root, root)
        groups.update(dict.fromkeys([name, *passed], root))
    return groups


def _joined(raw: Raw) -> list[tuple[str, str]]:
    """Parent and child of every joint."""
    return [
        (text(joint, "parent") or WORLD, child)
        for _, joint in entries(raw, "joints")
        if (child := text(joint, "child")) is not None and text(joint, "kind") != "free"
    ]


def _kept_apart(contact: Raw) -> set[frozenset[str]]:
    """Pairs that are excluded or listed."""
    value = contact.get("exclude")
    pairs = [name_pair(entry) for entry in (value if isinstance(value, list) else ())]
    pairs += [name_pair(entry.get("bodies")) for _, entry in entries(contact, "pairs")]
    return {frozenset(pair) for pair in pairs if pair is not None}


def _bodies(raw: Raw) -> dict[str, dict[str, Any]]:
    return {name: body for _, body in entries(raw, "bodies") if (name := text(body, "name")) is not None}


def is_exact(body: Raw) -> bool:
    """Whether no contact shape of a body is a mesh."""
    touching = [shape for _, shape in shapes_of(body) if shape.get("contact", body.get("contact", True)) is not False]
    return all(shape.get("geometry", MESH) != MESH for shape in touching)


def layer_states(raw: Raw, body: Raw) -> set[str]:
    """Whether the contact shapes of a body have a "layer", are "rigid" for lack of one, or it is "unknown"."""
    states = set()
    for _, shape in shapes_of(body):
        if shape.get("contact", body.get("contact", True)) is False:
            continue
        material = material_of(raw, body, shape)
        if material is None and (text(shape, "material") or text(body, "material")):
            states.add("unknown")
        else:
            states.add("layer" if "youngs_modulus" in (material or {}) else "rigid")
    return states
