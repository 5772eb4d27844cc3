"""Which method, law and friction a scenario file gives to a contact: the keys of a pair over those of [contact].

Works on the content as TOML gives it or as a validated model is dumped, with tables or in shorthand. A key of a pair
comes before the same key of [contact]. A table of another kind starts afresh, because a key of the same name may mean
something else there; flat keys go on to a pair that changes the method in shorthand, as far as its method has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from polycontact.contact.kinds import Part, class_of
from polycontact.contact.laws import RegularisedCoulomb
from polycontact.scenario.schema.contact_keys import FLAT_KEYS
from polycontact.scenario.schema.described_keys import DEFAULT_KINDS, NONE, kind_tables

PARTS: Final[tuple[Part, ...]] = ("method", "law", "friction")
"""Parts of a contact: method, law, friction."""

Level = Mapping[str, Any]
"""The keys of [contact] or of a pair."""


@dataclass(frozen=True)
class Given:
    """What one table of the file says of a part; ``kind`` is None where it does not tell."""

    kind: str | None
    keys: dict[str, Any]
    is_table: bool

    @property
    def says_something(self) -> bool:
        """Whether there is any key."""
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


def given_part(part: Part, level: Level) -> Given:
    """What [contact] or a pair says of a part, as a table or in shorthand."""
    table = level.get(part)
    if isinstance(table, Mapping):
        return Given(_text(table.get("kind")), {key: table[key] for key in table if key != "kind"}, True)
    keys = {key: level[key] for key in FLAT_KEYS[part] if key in level}
    return Given(_text(table), keys, False)  # a name, or nothing


def chosen_part(part: Part, contact: Level, pair: Level | None = None) -> ChosenPart | None:
    """A part of the contact of a pair, or of those found automatically; None where there is no such part."""
    common, own = given_part(part, contact), given_part(part, pair or {})
    if part == "friction" and not common.says_something and not own.says_something:
        return None
    usual = common.kind or DEFAULT_KINDS[part]
    kind = own.kind or usual
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


def contact_options(contact: Level, pair: Level | None = None) -> dict[str, Any] | None:
    """Options of `ContactPairing` that a file amounts to; None for no contact at all."""
    chosen = {part: chosen_part(part, contact, pair) for part in PARTS}
    method = chosen["method"]
    if method is None or method.is_off:
        return None
    options: dict[str, Any] = {
        part: None if each is None or each.is_off else make_part(each) for part, each in chosen.items()
    }
    if not any(given_part("method", level).says_something for level in (contact, pair or {})):
        options["method"] = None  # the one that fits the geometries of the bodies
    friction = options["friction"]
    if isinstance(friction, RegularisedCoulomb) and friction.coefficient == 0:
        options["friction"] = None
    return options


def with_kinds(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a file in which every table of a part tells its kind: its own, that of [contact], the default."""
    contact = raw.get("contact")
    if not isinstance(contact, dict):
        return dict(raw)
    usual = {part: given_part(part, contact).kind or DEFAULT_KINDS[part] for part in PARTS}
    full = _with_kinds(contact, usual)
    if isinstance(full.get("pairs"), list):
        known = {part: kind if kind in kind_tables(part) else DEFAULT_KINDS[part] for part, kind in usual.items()}
        full["pairs"] = [_with_kinds(pair, known) if isinstance(pair, dict) else pair for pair in full["pairs"]]
    return {**raw, "contact": full}


def _with_kinds(level: Level, kinds: Mapping[Part, str]) -> dict[str, Any]:
    full = dict(level)
    for part, kind in kinds.items():
        if isinstance(full.get(part), dict):
            full[part] = {"kind": kind, **full[part]}
    return full


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
