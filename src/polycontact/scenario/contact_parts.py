"""Which method, law and friction a scenario file gives to a contact: the keys of a pair over those of [contact].

A table or shorthand keys say it. A key of a pair, of bodies or of materials, comes before the same key of [contact].
A table of another kind starts afresh, because a key of the same name may mean something else there; flat keys go on to
a pair that changes the method in shorthand, as far as its method has them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from polycontact.contact.kinds import Part, class_of
from polycontact.contact.laws import RegularisedCoulomb
from polycontact.scenario.readable_tables import given
from polycontact.scenario.schema.base import Table
from polycontact.scenario.schema.contact_keys import FLAT_KEYS, PARTS, ContactOptions, MaterialPair
from polycontact.scenario.schema.described_keys import DEFAULT_KINDS, NONE, kind_tables

AnyLevel = ContactOptions | MaterialPair
"""What may say how bodies touch."""


@dataclass(frozen=True)
class Given:
    """What one table of the file says of a part; ``kind`` is None where it does not tell, empty where none is known."""

    kind: str | None
    keys: dict[str, Any]
    is_table: bool

    @property
    def says_something(self) -> bool:
        """Whether the file gives anything about this part of a contact."""
        return self.is_table or bool(self.keys) or self.kind is not None


@dataclass(frozen=True)
class ChosenPart:
    """A part of a contact with all keys that count; ``inherits``: those of [contact] are among them."""

    part: Part
    kind: str
    keys: dict[str, Any]
    inherits: bool

    @property
    def is_off(self) -> bool:
        """Whether the file switches it off."""
        return self.kind == NONE


def given_part(part: Part, level: AnyLevel | None) -> Given:
    """What [contact], a pair or a pair of materials says of a part, as a table or in shorthand."""
    if level is None:
        return Given(None, {}, False)
    told = getattr(level, part) if given(level, part) else None
    if isinstance(told, Table):
        keys = {key: getattr(told, key) for key in type(told).model_fields if given(told, key)}
        return Given(keys.pop("kind", None), keys, True)
    keys = {key: getattr(level, key) for key in FLAT_KEYS[part] if given(level, key)}
    return Given((told or "") if given(level, part) else None, keys, False)  # a name, what cannot be read, or nothing


def chosen_part(part: Part, contact: ContactOptions, pair: AnyLevel | None = None) -> ChosenPart | None:
    """A part of the contact of a pair, of bodies or materials, or of all contacts; None where there is no such part."""
    common, own = given_part(part, contact), given_part(part, pair)
    if part == "friction" and not common.says_something and not own.says_something:
        return None
    usual = DEFAULT_KINDS[part] if common.kind is None else common.kind
    kind = usual if own.kind is None else own.kind
    inherited: dict[str, Any] = {}
    if kind == usual:
        inherited = common.keys
    elif not common.is_table and not own.is_table:
        inherited = {key: value for key, value in common.keys.items() if key in keys_of(part, kind)}
    keys = inherited | own.keys
    if keys.get("elements") == "whole" and "elements" not in keys_of(part, kind):
        del keys["elements"]  # a method without this option has whole elements anyway
    return ChosenPart(part, kind, keys, kind == usual)


def keys_of(part: Part, kind: str) -> tuple[str, ...]:
    """Keys of a kind's table; none where the kind is not known."""
    table = kind_tables(part).get(kind)
    return () if table is None else tuple(key for key in table.model_fields if key != "kind")


def make_part(chosen: ChosenPart) -> Any:
    """The method, law or friction itself; raises pydantic's ValidationError, or what its class complains of."""
    table = kind_tables(chosen.part)[chosen.kind].model_validate({"kind": chosen.kind, **chosen.keys})
    cls = class_of(chosen.kind)
    assert cls is not None  # it has a table
    return cls(**table.model_dump(exclude={"kind"}, exclude_unset=True))


def has_contact(contact: ContactOptions, pair: ContactOptions | None = None) -> bool:
    """Whether there is any contact: a method "none" switches it off."""
    method = chosen_part("method", contact, pair)
    return method is not None and not method.is_off


def contact_options(
    contact: ContactOptions, level: AnyLevel | None = None, *, without: Collection[str] = ()
) -> dict[str, Any]:
    """Options of `ContactPairing` that [contact] says, or a pair of bodies or materials, with what it takes from there.

    What is not said is left out, and so are parts ``without`` which it is wanted; a friction that is switched off is
    None.
    """
    options: dict[str, Any] = {}
    for part in PARTS:
        if part in without:
            continue
        chosen = chosen_part(part, contact, level)
        if chosen is not None and given_part(part, contact if level is None else level).says_something:
            if not chosen.is_off:
                options[part] = make_part(chosen)
            elif part == "friction":
                options[part] = None
    wear = (contact if level is None else level).wear
    if wear is not None and "wear" not in without:
        options["wear"] = wear.build()
    friction = options.get("friction")
    if isinstance(friction, RegularisedCoulomb) and friction.coefficient == 0:
        options["friction"] = None
    return options
