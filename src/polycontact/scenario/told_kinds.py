"""Kinds of methods, laws and frictions that a scenario file leaves out, put in before the schema looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polycontact.contact.kinds import Part
from polycontact.scenario.raw_content import Raw, table, text
from polycontact.scenario.schema.contact_keys import PARTS
from polycontact.scenario.schema.described_keys import DEFAULT_KINDS, kind_tables


def with_kinds(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a file in which every table of a part tells its kind: its own, that of [contact], the default."""
    contact = raw.get("contact")
    if not isinstance(contact, dict):
        return dict(raw)
    usual = {part: told_kind(part, contact) or DEFAULT_KINDS[part] for part in PARTS}
    full = _with_kinds(contact, usual)
    known = {part: kind if kind in kind_tables(part) else DEFAULT_KINDS[part] for part, kind in usual.items()}
    for key in ("pairs", "material_pairs"):
        if isinstance(full.get(key), list):
            full[key] = [_with_kinds(pair, known) if isinstance(pair, dict) else pair for pair in full[key]]
    return {**raw, "contact": full}


def told_kind(part: Part, level: Raw) -> str | None:
    """The kind of a part that [contact] or a pair tells, by a table or by its name; None where it does not."""
    return text(table(level, part), "kind") if isinstance(level.get(part), dict) else text(level, part)


def _with_kinds(level: Raw, kinds: Mapping[Part, str]) -> dict[str, Any]:
    full = dict(level)
    for part, kind in kinds.items():
        if isinstance(full.get(part), dict):
            full[part] = {"kind": kind, **full[part]}
    return full
