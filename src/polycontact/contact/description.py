"""The description of a contact: all about it but the two bodies. Built once, checked once, written and read whole."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from polycontact.contact.convex_kinds import ConvexMethod
from polycontact.contact.kinds import class_of, described, from_plain, kinds_of, to_plain
from polycontact.contact.laws import (
    BUILT_IN_LAWS,
    LAYER_LAWS,
    ContactLaw,
    HalfSpaceLaw,
    LayerLaw,
    PreparedLaw,
    StickFriction,
)
from polycontact.contact.layers import ElasticLayer, combined_stiffness, depth_share
from polycontact.contact.layers_in_series import law_of_layers
from polycontact.contact.methods import ContactMethod, PenetrationLines, PolygonalMethod
from polycontact.contact.node_block_options import NodeBlockMethod
from polycontact.contact.options import options_of
from polycontact.contact.rheological_layer import RheologicalLayer
from polycontact.contact.smooth_methods import ImplicitMethod, ParametricMethod
from polycontact.contact.user_law import UserLaw
from polycontact.contact.wear import ArchardWear
from polycontact.errors import ContactError, level_of_the_caller


@described("contact")
@dataclass(frozen=True, kw_only=True)
class ContactDescription:
    """How two bodies touch.

    - ``method``: how contact elements are found, `PolygonalMethod` by default.
    - ``law``: the normal law, `LayerLaw` by default. Leave out its stiffness if you give ``layers`` (of E, of F): they
      determine the combined stiffness (12) and each body's share of the depth (13). With a stiffness alone each body
      takes half of the depth.
    - ``friction``: the tangential law, or None.
    - ``wear``: how the surfaces wear, or None; it changes no force.
    - ``base_reason``: why the program took this base, in words (see `base_choice`); empty where it was said.
    """

    method: ContactMethod = field(default_factory=PolygonalMethod)
    law: ContactLaw = field(default_factory=LayerLaw)
    layers: tuple[ElasticLayer, ElasticLayer] | None = None
    friction: ContactLaw | None = None
    base_reason: str = ""
    wear: ArchardWear | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.method, ContactMethod) or isinstance(self.method, type):
            raise ContactError(f"method is {self.method!r}; expected a method such as PolygonalMethod(…)")
        if not isinstance(self.law, ContactLaw) or isinstance(self.law, type):
            raise ContactError(f"law is {self.law!r}; expected LayerLaw(…) or a law of your own")
        if self.friction is not None and (not isinstance(self.friction, ContactLaw) or isinstance(self.friction, type)):
            raise ContactError(f"friction is {self.friction!r}; expected RegularisedCoulomb(…) or None")
        if self.wear is not None and not isinstance(self.wear, ArchardWear):
            raise ContactError(f"wear is {self.wear!r}; expected ArchardWear(…) or None")
        if getattr(self.law, "per_point", False) and isinstance(self.method, PolygonalMethod | PenetrationLines):
            raise ContactError(
                f"{type(self.law).__name__} is a law of one point, but elements of {type(self.method).__name__} are "
                f"pieces of surface; take a law per area such as LayerLaw, or a method that finds points"
            )
        if isinstance(self.law, HalfSpaceLaw) and not isinstance(self.method, PolygonalMethod | PenetrationLines):
            raise ContactError(
                f"HalfSpaceLaw needs elements that are pieces of triangles, and {type(self.method).__name__} finds "
                f"none; take PolygonalMethod, or another law, such as HertzPoint of a point"
            )
        self._check_stiffness()

    def _check_stiffness(self) -> None:
        given = getattr(self.law, "stiffness", None)
        if self.layers is None:
            if isinstance(self.law, LAYER_LAWS) and given is None:
                name = type(self.law).__name__
                raise ContactError(f"no stiffness: give {name}(stiffness=…) in N/m³, or layers=(…, …)")
            return
        if isinstance(self.law, BUILT_IN_LAWS) and not isinstance(self.law, LAYER_LAWS):
            name = type(self.law).__name__
            raise ContactError(f"{name} takes no stiffness from layers; leave the layers out, or take LayerLaw")
        if isinstance(self.method, POINT_METHODS):
            raise ContactError(
                f"{type(self.method).__name__} finds points, and the stiffness of layers counts per area; leave the "
                f"layers out and take SpringDamperLaw(stiffness=…) in N/m, or another law of a point"
            )
        if given is not None:
            raise ContactError(f"both layers and a stiffness of {given} N/m³ are given; leave one out")
        pair = isinstance(self.layers, tuple | list) and len(self.layers) == 2
        if not pair or not all(isinstance(layer, ElasticLayer) for layer in self.layers):
            raise ContactError(f"layers must be two ElasticLayer, of E and of F, not {self.layers!r}")
        combined_stiffness(*self.layers)
        law_of_layers(self.law, self.layers)

    @property
    def stiffness(self) -> float | None:
        """c_l of the layers (12) or of the law, N/m³; None for a law without one."""
        if self.layers is not None:
            return combined_stiffness(*self.layers)
        given = getattr(self.law, "stiffness", None)
        return None if given is None else float(given)

    @property
    def depth_share(self) -> float:
        """Share of the depth that E's layer takes, eq. (13)."""
        if self.layers is None:
            return self.law.depth_share if isinstance(self.law, HalfSpaceLaw) else 0.5
        return depth_share(*self.layers)

    def prepare_laws(self) -> tuple[PreparedLaw, ...]:
        """The compiled stages: normal, and tangential where there is one."""
        return tuple(_prepared(law, self.stiffness) for law in self._laws())

    def _laws(self) -> tuple[ContactLaw, ...]:
        law = law_of_layers(self.law, self.layers)
        if isinstance(self.friction, StickFriction):
            return (law, self.friction.beside(law))
        return (law,) if self.friction is None else (law, self.friction)

    @property
    def n_states(self) -> int:
        """States of the method and of the laws, which are integrated with a system."""
        return sum(getattr(each, "n_states", 0) for each in (self.method, *self._laws()))

    @property
    def memory_widths(self) -> tuple[int, ...]:
        """Numbers that each law, normal and tangential, remembers of an element between accepted steps."""
        return tuple(getattr(law, "memory_width", 0) for law in self._laws())

    @property
    def keeps(self) -> tuple[float, ...]:
        """How long each law, normal and tangential, remembers an element after it has left, s."""
        return tuple(float(getattr(law, "keeps", 0.0)) for law in self._laws())

    @property
    def tells_loss(self) -> bool:
        """Whether a law tells what its layers lose besides damping."""
        return any(getattr(law, "tells_loss", False) for law in self._laws())

    def to_plain(self) -> dict[str, Any]:
        """Plain data, as files have it."""
        content: dict[str, Any] = to_plain(self)
        return content

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> ContactDescription:
        """The description again from the plain data of `to_plain`."""
        made = from_plain(content)
        if not isinstance(made, cls):
            raise ContactError(f"{content.get('kind')!r} is no description of a contact")
        return made


POINT_METHODS = (ConvexMethod, ParametricMethod, ImplicitMethod)
"""Methods whose elements are points without an area: laws count per point there."""


def finds_points(content: Mapping[str, Any]) -> bool:
    """Whether the method of a description, as plain data, is one of `POINT_METHODS`."""
    cls = class_of(content.get("method", {}).get("kind"))
    return cls is not None and issubclass(cls, POINT_METHODS)


BUILT_IN = (
    PolygonalMethod,
    PenetrationLines,
    NodeBlockMethod,
    ConvexMethod,
    ParametricMethod,
    ImplicitMethod,
    *BUILT_IN_LAWS,
    UserLaw,
    ElasticLayer,
    RheologicalLayer,
    ArchardWear,
)
"""The kinds of this package: files know them as soon as this module is imported."""


def _prepared(law: ContactLaw, stiffness: float | None) -> PreparedLaw:
    """The compiled stage of a law; an error where it asks for other states or memory than the law says it has."""
    made = law.prepare(stiffness)
    for what in ("n_states", "memory_width"):
        said, asked = getattr(law, what, 0), getattr(made, what)
        if said != asked:
            raise ContactError(f"law {law!r} has {what} = {said}, its prepare() gives {asked}; make them the same")
    return made


METHOD_OPTIONS = ("base", "elements", "depth", "containment", "max_penetration")
"""Options of methods for meshes that may be given beside the method, or the name of one."""
OPTIONS = ("method", "law", "layers", "friction", "wear", "description", *METHOD_OPTIONS, "generator")
"""All that a contact can be given."""


def describe_contact(
    *,
    description: ContactDescription | None = None,
    method: ContactMethod | str | None = None,
    law: ContactLaw | None = None,
    layers: tuple[ElasticLayer, ElasticLayer] | None = None,
    friction: ContactLaw | None = None,
    wear: ArchardWear | None = None,
    **method_options: Any,
) -> ContactDescription:
    """The description that some options amount to; those that are None count as not given."""
    given = {name: value for name, value in method_options.items() if value is not None}
    if description is not None:
        others = {"method": method, "law": law, "layers": layers, "friction": friction, "wear": wear, **given}
        double = [name for name, value in others.items() if value is not None]
        if not isinstance(description, ContactDescription):
            raise ContactError(f"description is {description!r}; expected a ContactDescription")
        if double:
            raise ContactError(f"both a description and {', '.join(double)} are given; leave one out")
        return description
    found = chosen_method(method, **given)
    return ContactDescription(
        method=PolygonalMethod() if found is None else found,
        law=LayerLaw() if law is None else law,
        layers=layers,
        friction=friction,
        wear=wear,
    )


def chosen_method(
    method: ContactMethod | str | None = None, generator: str | None = None, **options: Any
) -> ContactMethod | None:
    """The method that is given itself, by its name or by options alone; None where nothing is said of it."""
    if generator is not None:
        method = _method_of_generator(generator, method)
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(method, str):
        return _method_of_name(method, given)
    if method is None:
        return _method_of_name("polygonal", given) if given else None
    if given:
        raise ContactError(f"{', '.join(given)} and a method are given; give these to the method instead")
    return method


def _method_of_name(name: str, options: Mapping[str, Any]) -> ContactMethod:
    """The method that files call ``name``, with some options."""
    kinds = kinds_of("method")
    if name not in kinds:
        raise ContactError(f"method is {name!r}; allowed: {', '.join(map(repr, kinds))}, or a method itself")
    kind = kinds[name]
    known = {each.name for each in fields(kind)}
    required = [each.name for each in options_of(kind) if each.is_required and each.name not in options]
    if required:
        raise ContactError(f"method={name!r} needs {', '.join(required)}; give the method itself, {kind.__name__}(…)")
    if kind is PenetrationLines and options.get("elements") == "clipped":
        raise ContactError("penetration lines have no polygons to clip at; use elements='whole' or method='polygonal'")
    if options.get("elements") == "whole" and "elements" not in known:
        options = {option: value for option, value in options.items() if option != "elements"}  # they are whole anyway
    for option, value in options.items():
        if option not in known:
            raise ContactError(f"{option} = {value!r} means nothing to method={name!r}; leave it out")
    made: ContactMethod = kind(**options)
    return made


def _method_of_generator(generator: str, method: ContactMethod | str | None) -> str:
    """The method that the argument ``generator`` of earlier releases names; a warning tells its new name."""
    names = {"intersection": "polygonal", "penetration_lines": "penetration_lines"}
    if generator not in names:
        raise ContactError(f"generator is {generator!r}; leave it out, and give method={_or(names.values())} instead")
    if method is not None:
        raise ContactError(f"both a method and generator={generator!r}, its old name, are given; leave generator out")
    warnings.warn(
        f"generator={generator!r} is called method={names[generator]!r} now; the old name goes with version 0.4",
        DeprecationWarning,
        stacklevel=level_of_the_caller(),
    )
    return names[generator]


def _or(words: Iterable[str]) -> str:
    return " or ".join(map(repr, words))
