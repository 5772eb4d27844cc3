"""How two shapes touch: what is said of their pair, of their materials or of all pairs, or what follows from them.

For each of method, law and friction the first of these counts that says something:

1. the pair itself (`MultibodySystem.add_contact`, [[contact.pairs]] in a file);
2. the pair of their materials (`MultibodySystem.pair_materials`, [[contact.material_pairs]]);
3. all pairs (`MultibodySystem.find_contacts`, [contact]);
4. the two shapes. Points take the law of their contact properties (S4.14), mixed (S4.38); areas take their elastic
   layers (eq. 12), with a damping per stiffness as the contact properties have it. Friction is that of the contact
   properties, mixed.

``simple_response`` (S4.15) says for all pairs whether shapes touch in a point (true) or over an area (false).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from polycontact.contact.base_choice import with_chosen_base
from polycontact.contact.convex_kinds import ConvexMethod
from polycontact.contact.description import METHOD_OPTIONS, POINT_METHODS, ContactDescription, describe_contact
from polycontact.contact.fitting_method import geometry_name, refuse_misfit, with_fitting_method
from polycontact.contact.laws import (
    LAYER_LAWS,
    ContactLaw,
    ContactProperties,
    LayerLaw,
    SpinFriction,
    SpringDamperLaw,
)
from polycontact.contact.layers import ElasticLayer, combined_stiffness
from polycontact.errors import ContactError, ContactWarning, MultibodyError, level_of_the_caller
from polycontact.multibody.rigid_bodies import Shape

Options = Mapping[str, Any]

OF_PAIR: Final = "the pair"
OF_ALL: Final = "all pairs"
OF_PROPERTIES: Final = "contact properties, mixed"
OF_LAYERS: Final = "elastic layers"
NOWHERE: Final = "nothing says it"

MATERIAL_OPTIONS: Final = ("law", "friction", "wear")
"""What can be said of a pair of materials."""

_METHOD_KEYS: Final = ("method", "generator", *METHOD_OPTIONS)


@dataclass(frozen=True, eq=False)
class ContactRules:
    """What all contacts of a system have in common.

    ``simple_response``: True for points, False for areas, None for what the geometries are; ``material_pairs``: what is
    said of pairs of materials, by their names.
    """

    simple_response: bool | None = None
    material_pairs: dict[frozenset[str], Options] = field(default_factory=dict)
    told: set[frozenset[str]] = field(default_factory=set)
    """Pairs of materials without a friction of their own that a warning has named."""

    def of_materials(self, e: Shape, f: Shape) -> Options:
        """What is said of the materials of two shapes; empty where nothing is."""
        if e.material_name is None or f.material_name is None:
            return {}
        return self.material_pairs.get(frozenset((e.material_name, f.material_name)), {})


class PairDescription(NamedTuple):
    """How two shapes touch, where law and friction come from, and what of the shapes has no effect beside these."""

    description: ContactDescription
    law_from: str
    friction_from: str
    unused: str


def describe_pair(
    name: str, bodies: tuple[str, str], shapes: tuple[Shape, Shape], said: Options, usual: Options, rules: ContactRules
) -> PairDescription:
    """The description of the contact ``name`` of two shapes: options ``said`` of it, and those ``usual`` for all."""
    try:
        made, law_from, friction_from = _described(bodies, shapes, said, usual, rules)
    except ContactError as error:
        raise MultibodyError(f"contact {name!r}: {error}") from error
    made = with_chosen_base(made, shapes[0].surface, shapes[1].surface)
    return PairDescription(made, law_from, friction_from, _unused(shapes, law_from, friction_from))


def _described(
    bodies: tuple[str, str], shapes: tuple[Shape, Shape], said: Options, usual: Options, rules: ContactRules
) -> tuple[ContactDescription, str, str]:
    """The description, and what law and friction follow from."""
    e, f = shapes
    of_materials = rules.of_materials(e, f)
    names = " and ".join(sorted(str(shape.material_name) for shape in shapes))
    levels = {OF_PAIR: said, f"materials {names}": of_materials, OF_ALL: usual}
    law_from, friction_from = (_said_by(levels, part) for part in ("law", "friction"))
    _refuse_what_the_switch_chooses(usual, rules.simple_response)
    whole = said.get("description") or usual.get("description")
    if whole is not None:
        whole_from = OF_PAIR if said.get("description") else OF_ALL
        if whole_from == OF_ALL:
            whole = replace(whole, **of_materials) if isinstance(whole, ContactDescription) else whole
        others = said if whole_from == OF_PAIR else {**usual, **said}
        made = describe_contact(**{**others, "description": whole})
        refuse_misfit(made.method, e.surface, f.surface)
        return made, law_from or whole_from, friction_from or whole_from
    options = _as_points_or_areas(shapes, said, {**usual, **of_materials, **said}, rules.simple_response)
    options = with_fitting_method(e.surface, f.surface, options)
    both = _both_properties(bodies, shapes)
    if options.get("layers") is not None:
        law_from = law_from or OF_LAYERS
    elif options.get("law") is None and isinstance(options["method"], POINT_METHODS):
        options["law"], law_from = _law_of_point(bodies, both, options["method"]), OF_PROPERTIES
    elif _has_no_stiffness(options.get("law")):
        options["layers"] = _layers_of(shapes, options["method"])
        law_from = f"{law_from}, {OF_LAYERS}" if law_from else OF_LAYERS
        if options.get("law") is None:
            options["law"] = _law_of_area(options["layers"], both)
    if not friction_from:
        options["friction"] = _mixed_friction(both, isinstance(options["method"], POINT_METHODS))
        friction_from = NOWHERE if both.are_missing else OF_PROPERTIES
        _tell_of_unpaired_materials(shapes, options["friction"], rules)
    made = describe_contact(**options)
    refuse_misfit(made.method, e.surface, f.surface)
    return made, law_from or NOWHERE, friction_from


def _unused(shapes: tuple[Shape, Shape], law_from: str, friction_from: str) -> str:
    """Which part of the bodies' contact properties has no effect, because something says it before them."""
    if all(shape.contact_properties is None for shape in shapes):
        return ""
    said = {"spring and damper": law_from, "friction": friction_from}
    lost = [f"{what} ({by})" for what, by in said.items() if by not in (OF_PROPERTIES, OF_LAYERS)]
    return f"comes before their contact properties: {' and '.join(lost)}" if lost else ""


def _said_by(levels: Mapping[str, Options], part: str) -> str:
    """Which of some levels says a part first; a friction of None is said too: there is none. Empty where none does."""
    for level, options in levels.items():
        if part in options and (part == "friction" or options[part] is not None):
            return level
    return ""


def _as_points_or_areas(
    shapes: tuple[Shape, Shape], said: Options, options: dict[str, Any], simple_response: bool | None
) -> dict[str, Any]:
    """Options with the method that ``simple_response`` asks for; a method that is said of the pair itself stays."""
    if simple_response is None or any(said.get(key) is not None for key in _METHOD_KEYS):
        return options
    names = {geometry_name(shape.surface) for shape in shapes}
    if simple_response:
        return {**options, "method": ConvexMethod()} if "mesh" in names and names <= {"mesh", "convex"} else options
    exact = [shape.surface for shape in shapes if geometry_name(shape.surface) in ("convex", "parametric", "implicit")]
    if exact:
        raise ContactError(
            f"simple_response is false, which asks for areas, but {exact[0].name} takes part in contact as "
            f"{geometry_name(exact[0])}, which touches in a point; give it a mesh, or leave simple_response out"
        )
    return options


def _refuse_what_the_switch_chooses(usual: Options, simple_response: bool | None) -> None:
    """Refuse a method or a law for all pairs beside ``simple_response``, which chooses both."""
    if simple_response is None:
        return
    chosen = ("description", "law", "layers", *(_METHOD_KEYS if simple_response else ("method", "generator")))
    double = [key for key in chosen if usual.get(key) is not None]
    if double:
        raise ContactError(
            f"simple_response chooses the method and the law of all pairs; leave {' and '.join(double)} out, or leave "
            f"simple_response out; a pair may have its own (add_contact)"
        )


class _Properties(NamedTuple):
    """Contact properties of two bodies, as far as they have any."""

    bodies: tuple[str, str]
    e: ContactProperties | None
    f: ContactProperties | None

    @property
    def are_missing(self) -> bool:
        """Whether neither body has any."""
        return self.e is None and self.f is None

    def pair(self, what: str, remedy: str) -> tuple[ContactProperties, ContactProperties] | None:
        """Those of both; None where neither has any. One side alone cannot be mixed."""
        if self.e is None and self.f is None:
            return None
        if self.e is None or self.f is None:
            has, lacks = self.bodies if self.f is None else self.bodies[::-1]
            raise ContactError(
                f"{has!r} has contact properties and {lacks!r} has none, so that {what} cannot be mixed; give "
                f"{lacks!r} contact_properties too, empty ones for the defaults, or {remedy}"
            )
        return self.e, self.f


def _both_properties(bodies: tuple[str, str], shapes: tuple[Shape, Shape]) -> _Properties:
    e, f = shapes
    return _Properties(bodies, e.contact_properties, f.contact_properties)


def _law_of_point(bodies: tuple[str, str], both: _Properties, method: object) -> ContactLaw:
    """Spring and damper of two bodies that touch in a point."""
    properties = both.pair("spring and damper", "the contact a law")
    if properties is None:
        raise ContactError(
            f"no stiffness: {type(method).__name__} finds points, for which layers, which count per area, say nothing; "
            f"give both bodies contact_properties, or the contact law=SpringDamperLaw(stiffness=…) in N/m, or another "
            f"law of a point"
        )
    return SpringDamperLaw.between(*properties)


def _law_of_area(layers: tuple[ElasticLayer, ElasticLayer], both: _Properties) -> LayerLaw:
    """The layer law, with a damping beside its stiffness as the contact properties have it: d_l/c_l = d/c."""
    if both.e is None or both.f is None:
        return LayerLaw()  # where one side alone has some, the friction tells of it
    return LayerLaw(damping=combined_stiffness(*layers) * both.e.mixed(both.f).damping_time)


def _mixed_friction(both: _Properties, is_point: bool) -> SpinFriction | None:
    """Friction of the contact properties of both bodies; an area resists spinning by itself, without a spin length."""
    properties = both.pair("friction", "the contact a friction, or friction=None (in a file the kind none)")
    if properties is None:
        return None
    made = SpinFriction.between(*properties)
    if not is_point:
        made = replace(made, spin_length=0.0)
    return made if made.coefficient > 0.0 or made.spin_length > 0.0 else None


def _tell_of_unpaired_materials(
    shapes: tuple[Shape, Shape], friction: SpinFriction | None, rules: ContactRules
) -> None:
    """Warn, once, of materials that no pair with a friction names, where other materials have such pairs."""
    if not any("friction" in options for options in rules.material_pairs.values()):
        return
    names = [shape.material_name or "no material" for shape in shapes]
    if frozenset(names) in rules.told:
        return
    rules.told.add(frozenset(names))
    what = "no friction" if friction is None else f"the mean of their contact properties, {friction.coefficient:g}"
    warnings.warn(
        f"no pair of materials says the friction of {names[0]!r} and {names[1]!r}: it is {what}; add such a pair "
        f"(pair_materials, in a file [[contact.material_pairs]]), or give all pairs a friction",
        ContactWarning,
        stacklevel=level_of_the_caller(),
    )


def _has_no_stiffness(law: ContactLaw | None) -> bool:
    return law is None or (isinstance(law, LAYER_LAWS) and law.stiffness is None)


def _layers_of(shapes: tuple[Shape, Shape], method: object) -> tuple[ElasticLayer, ElasticLayer]:
    """Layers of both shapes; a shape without one counts as rigid, but not both."""
    e, f = shapes
    if isinstance(method, POINT_METHODS):
        raise ContactError(
            f"no stiffness: {type(method).__name__} finds points, for which layers, which count per area, say nothing; "
            f"give law=SpringDamperLaw(stiffness=…) in N/m, or another law of a point"
        )
    if e.layer is None and f.layer is None:
        per_point = (
            "; the spring constant of contact_properties, in N/m, is that of a point (simple_response)"
            if e.contact_properties is not None and f.contact_properties is not None
            else ""
        )
        raise ContactError(
            f"no stiffness: give law=LayerLaw(stiffness=…) in N/m³, or a layer to one of the bodies{per_point}"
        )
    rigid = ElasticLayer.rigid()
    return e.layer or rigid, f.layer or rigid
