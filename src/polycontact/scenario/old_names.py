"""Keys of scenario files that have another name since the last release: they are read for one release more, and told.

``response`` of [contact], and of its pairs, is ``method``; ``response`` of [simulation] is what contacts do.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Final

from polycontact.errors import ContactWarning, level_of_the_caller
from polycontact.scenario.file_problems import Location, Problem, shown, written_path
from polycontact.scenario.key_paths import Steps

OLD: Final = "response"
NEW: Final = "method"


def with_new_names(content: dict[str, Any]) -> dict[str, Any]:
    """The content of a file with the new names of its keys."""
    contact = content.get("contact")
    if not isinstance(contact, dict) or not any(OLD in level for _, level in _levels(content)):
        return content
    renamed = _renamed(contact)
    if isinstance(contact.get("pairs"), list):
        renamed["pairs"] = [_renamed(pair) if isinstance(pair, dict) else pair for pair in contact["pairs"]]
    return {**content, "contact": renamed}


def told_of_old_names(content: dict[str, Any], file: str) -> list[Problem]:
    """Warn of the old names in a file; problems where the new name is given too."""
    problems = []
    for where, level in _levels(content):
        if OLD not in level:
            continue
        if NEW in level:
            told = f"is called {NEW} now, which is given too; leave {OLD} out"
            problems.append(Problem((*where, OLD), told))
        else:
            _warn(f"{file}: {written_path(content, (*where, OLD))}", f"write {NEW} = {shown(level[OLD])}")
    return problems


def new_steps(steps: Steps) -> Steps:
    """The steps to a key by its new name; a warning where they had the old one."""
    if steps[0] != "contact" or steps[-1] != OLD:
        return steps
    _warn(".".join(map(str, steps)), f"name the key {NEW}")
    return (*steps[:-1], NEW)


def _warn(key: str, remedy: str) -> None:
    warnings.warn(
        f"{key} is called {NEW} now: {remedy}; the old name goes with version 0.4",
        ContactWarning,
        stacklevel=level_of_the_caller(),
    )


def _levels(content: Mapping[str, Any]) -> Iterator[tuple[Location, Mapping[str, Any]]]:
    """[contact] and its pairs, with their places."""
    contact = content.get("contact")
    if not isinstance(contact, dict):
        return
    yield ("contact",), contact
    pairs = contact.get("pairs")
    for i, pair in enumerate(pairs if isinstance(pairs, list) else ()):
        if isinstance(pair, dict):
            yield ("contact", "pairs", i), pair


def _renamed(level: dict[str, Any]) -> dict[str, Any]:
    """The keys of a table in their order, with the new name."""
    if NEW in level:
        return {key: value for key, value in level.items() if key != OLD}
    return {NEW if key == OLD else key: value for key, value in level.items()}
