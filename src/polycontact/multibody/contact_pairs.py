"""Which shapes of which bodies may touch, and with what law: pairs by name, or found automatically (S4.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from polycontact.contact.description import OPTIONS, POINT_METHODS, ContactDescription, describe_contact
from polycontact.contact.fitting_method import refuse_misfit, with_fitting_method
from polycontact.contact.laws import LAYER_LAWS, ContactLaw
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactError, MultibodyError
from polycontact.multibody.joint_types import Joint, JointKind
from polycontact.multibody.rigid_bodies import WORLD, Body, Shape
from polycontact.surfaces.geometry import Geometry


@dataclass(frozen=True, eq=False, repr=False)
class Contact:
    """A pair of shapes that may touch. ``e`` and ``f`` are body names, with the number of the shape on each."""

    name: str
    e: str
    f: str
    shape_e: int
    shape_f: int
    description: ContactDescription

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


def _describe(name: str, e: Shape, f: Shape, options: Mapping[str, Any]) -> ContactDescription:
    """The description of a contact of two shapes, whose layers count where nothing else gives a stiffness."""
    try:
        options = with_fitting_method(e.surface, f.surface, options)
        gives_all = options.get("layers") is not None or options.get("description") is not None
        if not gives_all and _has_no_stiffness(options.get("law")):
            options["layers"] = _layers_of(name, e, f, options.get("method"))
        description = describe_contact(**options)
        refuse_misfit(description.method, e.surface, f.surface)
        return description
    except ContactError as error:
        raise MultibodyError(f"contact {name!r}: {error}") from error


def _has_no_stiffness(law: ContactLaw | None) -> bool:
    return law is None or (isinstance(law, LAYER_LAWS) and law.stiffness is None)


def _layers_of(name: str, e: Shape, f: Shape, method: object) -> tuple[ElasticLayer, ElasticLayer]:
    """Layers of both shapes; a shape without one counts as rigid, but not both."""
    if isinstance(method, POINT_METHODS):
        raise MultibodyError(
            f"contact {name!r}: no stiffness: {type(method).__name__} finds points, for which layers, which count per "
            f"area, say nothing; give law=SpringDamperLaw(stiffness=…) in N/m, or another law of a point"
        )
    if e.layer is None and f.layer is None:
        raise MultibodyError(
            f"contact {name!r}: no stiffness: give law=LayerLaw(stiffness=…) in N/m³, or a layer to one of the bodies"
        )
    rigid = ElasticLayer.rigid()
    return e.layer or rigid, f.layer or rigid


def check_options(owner: str, options: Mapping[str, Any]) -> None:
    """Refuse options that a contact does not have."""
    for name in options:
        if name not in OPTIONS:
            raise MultibodyError(f"{owner}: unknown option {name!r}; allowed: {', '.join(OPTIONS)}")


Descriptions = dict[tuple[int, ...], ContactDescription]
"""Descriptions made with the same options, by the identities of two geometries and their layers."""


def contacts_between(
    bodies: Mapping[str, Body],
    e: str,
    f: str,
    name: str | None,
    options: Mapping[str, Any],
    made: Descriptions | None = None,
) -> list[Contact]:
    """One contact for each pair of contact shapes of two bodies.

    ``made``: descriptions that contacts of like shapes share, to which those that are new are added.
    """
    made = {} if made is None else made

    def described(name: str, shape_e: Shape, shape_f: Shape) -> ContactDescription:
        key = tuple(map(id, (shape_e.surface, shape_f.surface, shape_e.layer, shape_f.layer)))
        if key not in made:
            made[key] = _describe(name, shape_e, shape_f, options)
        return made[key]

    base = name or f"{e}–{f}"
    shapes = [
        (i, j)
        for i, shape_e in enumerate(bodies[e].shapes)
        for j, shape_f in enumerate(bodies[f].shapes)
        if shape_e.contact and shape_f.contact
    ]
    names = [base] if len(shapes) == 1 else [f"{base} ({i + 1}, {j + 1})" for i, j in shapes]
    return [
        Contact(name, e, f, i, j, described(name, bodies[e].shapes[i], bodies[f].shapes[j]))
        for name, (i, j) in zip(names, shapes, strict=True)
    ]


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
