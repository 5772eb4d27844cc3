"""Old names of keys in the text of a scenario file, written anew: comments, order and numbers stay as they are.

Places where an old name may stand are tried in the text, and what comes out is read: it must be the content that the
file has with new names. So a name in a text or a comment is never changed.
"""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any, Final, NamedTuple

from polycontact.errors import ScenarioError
from polycontact.scenario.file_problems import refuse
from polycontact.scenario.old_names import NEW, OLD, told_of_old_names, with_new_names
from polycontact.scenario.reading import parse_toml

_PLACE: Final = re.compile(rf"(?<![\w-]){OLD}(?=[ \t]*=|\"[ \t]*=|'[ \t]*=)")
"""Where a key of the old name may stand, also as the last of dotted ones."""

MOST_PLACES: Final = 200
"""Places in a file that are looked at: each is tried by reading the file."""


class Upgraded(NamedTuple):
    """The text of a file with new names, and the ``lines`` (from 1 on) that have changed."""

    text: str
    lines: tuple[int, ...]


def upgraded(text: str, name: str) -> Upgraded:
    """The text of the scenario file ``name`` with the new names of its keys."""
    content = parse_toml(text, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        doubled = told_of_old_names(content, name)
    if doubled:
        raise refuse(name, content, doubled)
    wanted = with_new_names(content)
    if wanted is content:
        return Upgraded(text, ())
    places = [match.span() for match in itertools.islice(_PLACE.finditer(text), MOST_PLACES)]
    chosen: list[tuple[int, int]] = []
    left = _n_old(content)
    for place in places:
        less = _n_old(parse_toml(_written(text, [*chosen, place]), name))
        if less < left:
            chosen.append(place)
            left = less
    changed = _written(text, chosen)
    if parse_toml(changed, name) != wanted:
        told = f"has the key {OLD} at a place that is not found in the text; write {NEW} there by hand"
        raise ScenarioError(name, (told,))
    return Upgraded(changed, tuple(text.count("\n", 0, begin) + 1 for begin, _ in chosen))


def _written(text: str, places: list[tuple[int, int]]) -> str:
    """The text with the new name at some places, which are in order."""
    parts, end = [], 0
    for begin, after in places:
        parts += [text[end:begin], NEW]
        end = after
    return "".join([*parts, text[end:]])


def _n_old(content: dict[str, Any]) -> int:
    """How many tables of contacts have the old name."""
    contact = content.get("contact")
    if not isinstance(contact, dict):
        return 0
    pairs = contact.get("pairs")
    levels = [contact, *(pairs if isinstance(pairs, list) else ())]
    return sum(1 for each in levels if isinstance(each, dict) and OLD in each)
