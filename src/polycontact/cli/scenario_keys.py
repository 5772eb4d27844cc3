"""The keys of a table of scenario files, as text."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from polycontact.cli.output import BAD_INPUT, WELL, complain, console

if TYPE_CHECKING:
    from polycontact.scenario.schema.key_reference import KeyRow, KeySection


def print_keys(name: str) -> int:
    """Print a section of the reference: ``joints``, ``joint`` or ``[[joints]]``."""
    from polycontact.scenario.schema.key_reference import key_sections

    sections = {each.name: each for each in key_sections(_see)}
    names = {word: each for each in sections.values() for word in _words_for(each)}
    wanted = name.strip("[] ").lower()
    if wanted not in names:
        close = get_close_matches(wanted, names, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"give one of {', '.join(sections)}"
        complain(f"scenario files have no table '{name}'; {hint}")
        return BAD_INPUT
    _print_section(names[wanted])
    return WELL


def _see(words: str, section: str) -> str:
    """Words that lead to another section name it."""
    return words if words == section else f"{words} ({section})"


def _words_for(section: KeySection) -> set[str]:
    """What a section may be called: its name, in singular and plural, and how it is written."""
    written = section.written.strip("[]").partition(" ")[0].removesuffix(".name")
    single = section.name.removesuffix("s") if section.kinds else section.name
    return {section.name, single, f"{single}s", written.lower(), written.lower().rpartition(".")[2]}


def _print_section(section: KeySection) -> None:
    out = console()
    out.print(section.written, style="bold", markup=False)
    if section.text:
        out.print(_plain(section.text), markup=False)
    if section.rows:
        if section.kinds:
            out.print("All kinds have these keys:")
        _print_rows(section.rows)
    for kind, text, rows in section.kinds:
        out.print()
        out.print(f'kind = "{kind}"', style="bold", markup=False)
        out.print(_plain(text), markup=False)
        if rows:
            _print_rows(rows)


def _print_rows(rows: Sequence[KeyRow]) -> None:
    """Each key with its meaning, and below it what its value is."""
    from rich.table import Column, Table
    from rich.text import Text

    table = Table.grid(Column(no_wrap=True), Column(), padding=(0, 2, 0, 0), pad_edge=True)
    for row in rows:
        value = f"{_plain(row.value)}, {row.unit}" if row.unit else _plain(row.value)
        left_out = _plain(row.left_out)
        if left_out and left_out != "required":
            left_out = f"if left out {left_out}"
        about = f"{value}; {left_out}" if left_out else value
        words = Text(_plain(row.meaning))
        words.append(f"\n{about}", style="dim")
        table.add_row(Text(f"  {_plain(row.key)}", style="bold"), words)
    console().print(table)


def _plain(words: str) -> str:
    """Words without the marks of Markdown."""
    return words.replace("`", "").replace("**", "")
