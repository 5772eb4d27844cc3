"""Checks of the method, the law and the friction of a contact: keys that exclude each other, miss or mean nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from polycontact.contact.kinds import Part, class_of
from polycontact.contact.laws import LAYER_LAWS
from polycontact.scenario.contact_parts import AnyLevel, ChosenPart, chosen_part, given_part, keys_of, make_part
from polycontact.scenario.file_problems import Location, Problem, shown
from polycontact.scenario.readable_tables import given
from polycontact.scenario.schema.contact_keys import FLAT_KEYS, PARTS, ContactOptions
from polycontact.scenario.schema.described_keys import kind_tables


def check_parts(
    where: Location, contact: ContactOptions, pair: AnyLevel | None = None, *, is_used: bool = True
) -> Iterator[Problem]:
    """Problems of the parts that [contact], or a pair of bodies or materials, gives.

    ``is_used``: some contact has them as they are.
    """
    level = contact if pair is None else pair
    for part in PARTS:
        own = given_part(part, level)
        chosen = chosen_part(part, contact, pair)
        if chosen is None or not own.says_something:
            continue
        double = [key for key in FLAT_KEYS[part] if given(level, key)] if own.is_table else []
        if double:
            keys, place = " and ".join(double), ".".join(str(each) for each in where)
            remedy = f"give the table or the short keys, {place}.KEY without {part}"
            yield Problem((*where, part), f"is given, and in short by {keys} too; {remedy}")
        elif own.is_table or is_used:
            wrong = [] if own.is_table else list(_meaningless(where, chosen, tuple(own.keys)))
            yield from wrong
            if not wrong and not chosen.is_off:
                yield from _check_making(where, chosen, contact, is_pair=pair is not None, is_table=own.is_table)


def _meaningless(where: Location, chosen: ChosenPart, keys: tuple[str, ...]) -> Iterator[Problem]:
    """Short keys that the kind does not have."""
    known = keys_of(chosen.part, chosen.kind)
    if chosen.is_off or chosen.kind not in kind_tables(chosen.part):
        return
    for key in keys:
        if key in chosen.keys and key not in known:
            yield Problem(
                (*where, key),
                f"{_told(chosen.keys[key])} means nothing to the {chosen.part} {shown(chosen.kind)}, which has "
                f"{', '.join(known) or 'no keys'}; leave it out",
            )


def _check_making(
    where: Location, chosen: ChosenPart, contact: ContactOptions, *, is_pair: bool, is_table: bool
) -> Iterator[Problem]:
    """Keys that miss once the keys of a pair and of [contact] are put together, and what the class itself finds."""
    tables = kind_tables(chosen.part)
    if chosen.kind not in tables:
        return
    table = (*where, chosen.part) if is_table else where
    try:
        make_part(chosen)
    except ValidationError as error:
        is_told = not is_pair or (chosen.inherits and given_part(chosen.part, contact).says_something)
        for each in error.errors(include_url=False, include_input=False):
            if each["type"] == "missing" and len(each["loc"]) == 1 and not is_told:
                key = str(each["loc"][0])
                yield Problem((*table, key), f"is missing; give {tables[chosen.kind].model_fields[key].description}")
    except (ValueError, TypeError) as error:
        yield Problem(table, str(error).replace("\n", " "))


def _told(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else shown(value)


def is_off(part: Part, contact: ContactOptions, pair: ContactOptions | None = None) -> bool:
    """Whether a part is switched off."""
    chosen = chosen_part(part, contact, pair)
    return chosen is not None and chosen.is_off


def needs_stiffness(contact: ContactOptions, pair: ContactOptions | None = None) -> bool:
    """Whether the stiffness has to come from elastic layers: the law may be that of a layer, and has none."""
    law = chosen_part("law", contact, pair)
    return law is not None and class_of(law.kind) in LAYER_LAWS and "stiffness" not in law.keys
