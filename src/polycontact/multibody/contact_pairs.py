"""Which shapes of which bodies may touch, and with what law: pairs by name, or found automatically (S4.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from polycontact.contact.description import OPTIONS, ContactDescription
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactError, MultibodyError
from polycontact.multibody.joint_types import Joint, JointKind
from polycontact.multibody.pair_description import OF_PAIR, ContactRules, PairDescription, describe_pair
from polycontact.multibody.rigid_bodies import WORLD, Body, Shape
from polycontact.surfaces.geometry import Geometry


@dataclass(frozen=True, eq=False, repr=False)
class Contact:
    """A pair of shapes that may touch. ``e`` and ``f`` are body names, with the number of the shape on each.

    ``law_from``, ``friction_from``: what law and friction follow from, in words (see `pair_description`); ``unused``:
    what the two bodies have and it comes before, empty where there is nothing.
    """

    name: str
    e: str
    f: str
    shape_e: int
    shape_f: int
    description: ContactDescription
    law_from: str = OF_PAIR
    friction_from: str = OF_PAIR
    unused: str = ""

    def __repr__(self) -> str:
        law, method = type(self.description.law).__name__, type(self.description.method).__name__
        return f"Contact({self.name!r}, {method}, {law})"

    def margin(self, bodies: Mapping[str, Body]) -> float:
        """How far beyond its shapes the pairing looks, m."""
        return self.description.method.margin(*self._geometries(bodies))

    def make_pairing(self, bodies: Mapping[str, Body]) -> ContactPairing:
        """The pairing with its memory; made when the two come near for the first time."""
        try:
            return ContactPairing(*self._geometries(bodies), name=self.name, description=self.description)
        except ContactError as error:
            raise MultibodyError(f"contact {self.name!r}: {error}") from error

    def shared_key(self, bodies: Mapping[str, Body]) -> tuple[int, ...]:
        """What contacts with the same set-up have in common: the identities of geometries and description."""
        return (*map(id, self._geometries(bodies)), id(self.description))

    def _geometries(self, bodies: Mapping[str, Body]) -> tuple[Geometry, Geometry]:
        return bodies[self.e].shapes[self.shape_e].surface, bodies[self.f].shapes[self.shape_f].surface


def check_options(owner: str, options: Mapping[str, Any]) -> None:
    """Refuse options that a contact does not have."""
    for name in options:
        if name not in OPTIONS:
            raise MultibodyError(f"{owner}: unknown option {name!r}; allowed: {', '.join(OPTIONS)}")


Descriptions = dict[tuple[object, ...], PairDescription]
"""Descriptions made with the same options, by what two shapes have that counts."""


@dataclass(frozen=True, eq=False)
class ContactSource:
    """What contacts of a system are made of: options ``usual`` for all pairs, and the ``rules`` of the system.

    ``made``: descriptions that contacts of like shapes share, to which those that are new are added.
    """

    rules: ContactRules
    usual: Mapping[str, Any]
    made: Descriptions = field(default_factory=dict)


def contacts_between(
    bodies: Mapping[str, Body], e: str, f: str, name: str | None, said: Mapping[str, Any], source: ContactSource
) -> list[Contact]:
    """One contact for each pair of contact shapes of two bodies; ``said``: options of this pair alone."""

    def described(name: str, shapes: tuple[Shape, Shape]) -> PairDescription:
        key = tuple(each for shape in shapes for each in _what_counts(shape))
        if key not in source.made:
            source.made[key] = describe_pair(name, (e, f), shapes, said, source.usual, source.rules)
        return source.made[key]

    base = name or f"{e}–{f}"
    shapes = [
        (i, j)
        for i, shape_e in enumerate(bodies[e].shapes)
        for j, shape_f in enumerate(bodies[f].shapes)
        if shape_e.contact and shape_f.contact
    ]
    names = [base] if len(shapes) == 1 else [f"{base} ({i + 1}, {j + 1})" for i, j in shapes]
    return [
        Contact(name, e, f, i, j, *described(name, (bodies[e].shapes[i], bodies[f].shapes[j])))
        for name, (i, j) in zip(names, shapes, strict=True)
    ]


def _what_counts(shape: Shape) -> tuple[object, ...]:
    """What the description of a contact takes from a shape."""
    return id(shape.surface), id(shape.layer), shape.contact_properties, shape.material_name


def touching_candidates(
    bodies: Mapping[str, Body], joints: Iterable[Joint], among: Iterable[str], exclude: set[frozenset[str]]
) -> list[tuple[str, str]]:
    """Pairs of bodies that may touch: not joined directly, not fixed to each other, not excluded."""
    joints = list(joints)
    group = _rigid_groups(bodies, joints)
    joined_groups = {
        frozenset((group[joint.parent], group[joint.child]))
        for joint in joints
        if joint.kind is not JointKind.FREE and group[joint.parent] != WORLD
    }
    kept_apart = exclude | {frozenset((joint.parent, joint.child)) for joint in joints}
    names = [name for name in among if any(shape.contact for shape in bodies[name].shapes)]
    found = []
    for i, e in enumerate(names):
        for f in names[i + 1 :]:
            apart = group[e] != group[f] and frozenset((group[e], group[f])) not in joined_groups
            if apart and frozenset((e, f)) not in kept_apart:
                found.append((e, f))
    return found


def _rigid_groups(bodies: Mapping[str, Body], joints: list[Joint]) -> dict[str, str]:
    """Name of the first body of the rigid group to which each belongs: bodies joined by fixed joints."""
    fixed_to = {joint.child: joint.parent for joint in joints if joint.kind is JointKind.FIXED}
    groups = {WORLD: WORLD}
    for name in bodies:
        root = name
        while root in fixed_to:
            root = fixed_to[root]
        groups[name] = root
    return groups
