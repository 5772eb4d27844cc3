"""Mistakes in a scenario file, and how they are told: the key path as it is written, the value and a remedy."""

from __future__ import annotations

import difflib
import json
import re
import reprlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from polycontact.errors import ScenarioError

Location = tuple[str | int, ...]

MAX_TOLD: Final = 50
"""Most problems that one message lists."""

_SHOWN_CHARACTERS: Final = 60
_COMPARED: Final = 1000
"""Most names that a misspelt one is compared with."""


class Problem(NamedTuple):
    """A mistake: the keys and indices that lead to it, and what is wrong."""

    location: Location
    text: str


def refuse(source: str, raw: object, problems: Sequence[Problem], n_more: int = 0) -> ScenarioError:
    """The one error that lists all ``problems`` of the file with the content ``raw``, in the order of the file."""
    lines = dict.fromkeys(told(raw, problem) for problem in _in_order(raw, problems))
    return ScenarioError(source, tuple(lines)[:MAX_TOLD], max(0, len(lines) - MAX_TOLD) + n_more)


def told(raw: object, problem: Problem) -> str:
    """One line: path and text."""
    path = written_path(raw, problem.location)
    return f"{path}: {problem.text}" if path else problem.text


def written_path(raw: object, location: Location) -> str:
    """The path as the user thinks of it: ``bodies[2] "crank": shape.radius``."""
    path, separator, node = "", "", raw
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
            node = node[step] if isinstance(node, list) and step < len(node) else None
            label = _label(node)
            path, separator = (f"{path} {label}", ": ") if label else (path, ".")
        else:
            path += separator + (step if re.fullmatch(r"[\w-]{1,60}", step) else shown(step))
            node = node.get(step) if isinstance(node, dict) else None
            separator = "."
    return path


def shown(value: object) -> str:
    """A value as TOML writes it, cut to a readable length."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = json.dumps(value[: 2 * _SHOWN_CHARACTERS], ensure_ascii=False)
    elif isinstance(value, int) and abs(value) >= 10**_SHOWN_CHARACTERS:
        return "an integer of more than 60 digits"
    elif isinstance(value, dict):
        text = "a table" if value else "an empty table"
    elif isinstance(value, int | float | list | tuple):
        text = reprlib.repr(_plain(value))
    else:
        text = str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"


def suggestion(word: object, known: Iterable[str]) -> str:
    """``; did you mean "mass"?`` where a known word is close, else nothing."""
    if not isinstance(word, str):
        return ""
    lower = {each.casefold(): each for each in islice(known, _COMPARED)}
    close = difflib.get_close_matches(word[:100].casefold(), lower, 1)
    return f"; did you mean {shown(lower[close[0]])}?" if close else ""


def listed(words: Iterable[object]) -> str:
    """``"a", "b" and 3 more``."""
    words = list(words)
    most = 30
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(shown(word) for word in words[:most]) + more


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """The text for a name that nothing has."""
    known = list(known)
    hint = suggestion(word, known)
    return f"there is no {what} {shown(word)}{hint or '; known: ' + (listed(known) or 'none')}"


def _label(node: object) -> str:
    """What tells an entry of an array from others: its name, or the bodies or materials of a pair."""
    if not isinstance(node, dict):
        return ""
    if isinstance(node.get("name"), str):
        return shown(node["name"])
    bodies = node.get("bodies", node.get("materials"))
    if isinstance(bodies, list) and len(bodies) == 2 and all(isinstance(each, str) for each in bodies):
        return f"{shown(bodies[0])}–{shown(bodies[1])}"
    return ""


def _plain(value: Any) -> Any:
    """Nested arrays for a message, with what is deep inside replaced."""
    if not isinstance(value, list | tuple):
        return value
    return [each if isinstance(each, int | float | str) else "…" for each in value[:6]] + ["…"] * (len(value) > 6)


def _in_order(raw: object, problems: Sequence[Problem]) -> list[Problem]:
    """Sorted by where they stand in the file; keys that are not there come last in their table."""

    def rank(problem: Problem) -> tuple[int, ...]:
        ranks, node = [], raw
        for step in problem.location:
            if isinstance(node, dict):
                keys = list(node)
                ranks.append(keys.index(step) if step in node else len(keys))
                node = node.get(step)
            else:
                ranks.append(step if isinstance(step, int) else 0)
                node = node[step] if isinstance(node, list) and isinstance(step, int) and step < len(node) else None
        return tuple(ranks)

    return sorted(problems, key=rank)
