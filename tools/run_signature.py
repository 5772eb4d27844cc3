"""Write signature, list of options and call of `simulate` from `RunOptions`: ``python -m tools.run_signature``.

An explicit signature is what editors show and type checkers know; a test compares it with what is written here.
"""

from __future__ import annotations

import dataclasses
import re
import textwrap
from pathlib import Path

import polycontact
from polycontact.simulation.run_options import RunOptions, run_options

FILE = Path(polycontact.__file__).parent / "simulation" / "simulate.py"
WIDTH = 120


def written(text: str) -> str:
    """The source of `simulate` with signature, list and call that follow from the options."""
    signature = "".join(f"    {line},\n" for line in _parameters())
    told = "".join(f"{line}\n" for line in _told())
    call = "".join(f"        {each.name}={each.name},\n" for each in run_options())
    for pattern, new in (
        (r"(?<=    \*,\n).*?(?=\) -> Run:)", signature),
        (r"(?<=\n\n)    - ``.*?(?=\n    [A-Z])", f"{told}"),
        (r"(?<=RunOptions\(\n).*?(?=    \)\n)", call),
    ):
        found = re.search(pattern, text, re.DOTALL)
        if found is None:
            raise ValueError(f"{FILE.name}: no place for {new!r}")
        text = text[: found.start()] + new + text[found.end() :]
    return text


def _parameters() -> list[str]:
    """Each option as a parameter, with annotation and default as they stand in the class."""
    lines = []
    for each in dataclasses.fields(RunOptions):
        default = "" if each.default is dataclasses.MISSING else f" = {_literal(each.default)}"
        annotation = str(each.type).replace("'", '"')
        lines.append(f"{each.name}: {annotation}{default}")
    return lines


def _told() -> list[str]:
    """Each option in words, with its unit."""
    lines = []
    for each in run_options():
        unit = f" ({each.about.unit})" if each.about.unit else ""
        besides = f"; {each.ways.python}" if each.ways.python else ""
        entry = f"- ``{each.name}``{unit}: {each.meaning}{besides}."
        lines += textwrap.wrap(entry, WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 6, break_on_hyphens=False)
    return lines


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    FILE.write_text(written(FILE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
