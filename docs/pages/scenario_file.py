"""The reference of scenario files, from the schema that checks them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pages.tables import table

if TYPE_CHECKING:
    from polycontact.scenario.schema.key_reference import KeyRow, KeySection

INTRODUCTION = """\
# Scenario files

Every key of a scenario file, with its unit and what happens when it is left out. The page is made from the schema
that checks the files; `polycontact schema joints` prints a part of it. For an introduction see
[write a scenario file](../howto/scenario_file.md).

Editors can check a file while you write it: [scenario.schema.json](scenario.schema.json) is the JSON schema, which
`polycontact schema` prints too. With the TOML extensions of common editors, put `#:schema scenario.schema.json` into
the first line of your file.
"""

TITLES = {"ends": "Ends of a run"}


def schema() -> str:
    """The JSON schema itself."""
    from polycontact.scenario.schema.scenario import export_schema

    return json.dumps(export_schema(), indent=1, ensure_ascii=False) + "\n"


def page() -> str:
    """All tables of a scenario file."""
    from polycontact.scenario.schema.key_reference import key_sections

    sections = key_sections(lambda words, section: f"[{words}](#{section})")
    return "\n".join([INTRODUCTION, *map(_section, sections)])


def _section(section: KeySection) -> str:
    if not section.kinds:
        heading = "## The file" if section.name == "file" else f"## `{section.written}` {{#{section.name}}}"
        return f"{heading}\n\n{section.text}\n\n{_keys(section.rows)}\n"
    title = TITLES.get(section.name, section.name.capitalize())
    parts = [f"## {title} {{#{section.name}}}\n\n{f'Written as `{section.written}`. {section.text}'.strip()}\n"]
    if section.rows:
        parts.append(f"All kinds have these keys:\n\n{_keys(section.rows)}\n")
    for kind, text, rows in section.kinds:
        keys = _keys(rows) if rows else "No keys of its own."
        parts.append(f'### `kind = "{kind}"`\n\n{text}\n\n{keys}\n')
    return "\n".join(parts)


def _keys(rows: Sequence[KeyRow]) -> str:
    return table(["key", "value", "unit", "if left out", "meaning"], rows)
