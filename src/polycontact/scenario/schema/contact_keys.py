"""Contact: how surfaces respond to each other, and which bodies may touch.

A contact has a method, a law and maybe friction, each a table with a kind. The flat keys are a shorthand for options of
the usual kinds.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from polycontact.contact.description import METHOD_OPTIONS
from polycontact.contact.kinds import Part
from polycontact.scenario.schema.base import (
    MAX_ENTRIES,
    Name,
    Switch,
    Table,
    at_most,
    optional,
    required,
)
from polycontact.scenario.schema.described_keys import PartTable, ShortKey, option_of_any
from polycontact.scenario.schema.surface_keys import WearTable

TwoBodies = tuple[Name, Name]

PARTS: Final[tuple[Part, ...]] = ("method", "law", "friction")
"""Keys of a contact whose tables name a kind with options of its own."""

FLAT_KEYS: Final[dict[Part, tuple[str, ...]]] = {
    "method": METHOD_OPTIONS,
    "law": ("stiffness", "damping", "transition_depth"),
    "friction": (),
}
"""Keys beside the tables of parts, each of which says the same as a key of its part's table."""


def _shorthand_key(part: Part, name: str) -> Any:
    """A key that stands for the key ``name`` of the table ``part``."""
    found = option_of_any(name)
    return optional(f"short for {part}.{name}: {found.meaning}", found.unit)


class ContactOptions(Table):
    """How two bodies touch: a method, a law and friction, or in short some keys of the usual ones."""

    method: Annotated[Any, PartTable("method", or_name=True)] | None = optional(
        "how contact elements are found: a table, or a name with the flat keys beside it; if left out the method for "
        'the geometry of both shapes, "polygonal" for meshes'
    )
    law: Annotated[Any, PartTable("law")] | None = optional('what presses; of kind "layer" if left out')
    friction: Annotated[Any, PartTable("friction")] | None = optional("what rubs; no friction if left out")
    wear: WearTable | None = optional("how the surfaces wear, which maps of a run show; no wear if left out")
    base: Annotated[Any, ShortKey("base")] | None = _shorthand_key("method", "base")
    elements: Annotated[Any, ShortKey("elements")] | None = _shorthand_key("method", "elements")
    depth: Annotated[Any, ShortKey("depth")] | None = _shorthand_key("method", "depth")
    containment: Annotated[Any, ShortKey("containment")] | None = _shorthand_key("method", "containment")
    max_penetration: Annotated[Any, ShortKey("max_penetration")] | None = _shorthand_key("method", "max_penetration")
    stiffness: Annotated[Any, ShortKey("stiffness")] | None = _shorthand_key("law", "stiffness")
    damping: Annotated[Any, ShortKey("damping")] | None = _shorthand_key("law", "damping")
    transition_depth: Annotated[Any, ShortKey("transition_depth")] | None = _shorthand_key("law", "transition_depth")


class Pair(ContactOptions):
    """Two bodies that may touch, with what differs from [contact].

    A key of a pair comes before the same key of [contact], also within the tables of method, law and friction. A table
    without a kind is of the kind that [contact] has; one of another kind takes none of its keys.
    """

    bodies: TwoBodies = required("names of body E and body F")
    name: Name | None = optional("name of the contact in results")
    method: Annotated[Any, PartTable("method", changes=True, or_name=True)] | None = optional(
        "what differs in the method, or the name of another one"
    )
    law: Annotated[Any, PartTable("law", changes=True)] | None = optional("what differs in the law")
    friction: Annotated[Any, PartTable("friction", changes=True)] | None = optional("what differs in the friction")


class MaterialPair(Table):
    """How shapes of two materials touch each other: what differs from [contact], before what it says for all pairs.

    A pair of bodies under [[contact.pairs]] comes before the pair of their materials.
    """

    materials: TwoBodies = required("names of the two materials, which may be the same")
    friction: Annotated[Any, PartTable("friction", changes=True)] | None = optional("what rubs between them")
    law: Annotated[Any, PartTable("law", changes=True)] | None = optional("what presses between them")
    wear: WearTable | None = optional("how they wear")


class Contact(ContactOptions):
    """Contact of the whole scenario: what holds for all pairs, and pairs found or listed."""

    automatic: Switch = optional(
        "true: every two bodies with contact shapes may touch, except neighbours by a joint", "", False
    )
    simple_response: Switch | None = optional(
        "one switch for all pairs. true: they touch in points, as convex bodies, with the springs of their "
        "contact_properties. false: they touch over areas, as meshes, with the layers of their materials. If left out "
        "each pair touches as its shapes do"
    )
    exclude: Annotated[tuple[TwoBodies, ...], at_most(MAX_ENTRIES)] = optional(
        "pairs of bodies that automatic = true leaves out", "", ()
    )
    pairs: Annotated[tuple[Pair, ...], at_most(MAX_ENTRIES)] = optional(
        "pairs that may touch, each with its own options", "", ()
    )
    material_pairs: Annotated[tuple[MaterialPair, ...], at_most(MAX_ENTRIES)] = optional(
        "friction and law by pairs of materials", "", ()
    )
