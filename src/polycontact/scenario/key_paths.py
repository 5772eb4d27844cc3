"""Keys of a scenario as a user names them: ``bodies."bubble 1".mass``, ``bodies[0].position[2]``, ``bodies.*.mass``."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from typing import Any, Final

from polycontact.errors import ScenarioError
from polycontact.scenario.file_problems import shown
from polycontact.scenario.reading import MAX_DEPTH

ALL: Final = "*"
"""Stands for every entry of an array, or every key of a table of tables such as [materials]."""

_NUMBER: Final = re.compile(r"\[\s*(\d{1,9}|\*)\s*\]")
_QUOTED: Final = re.compile(r'"([^"]*)"|\'([^\']*)\'')
_PLAIN: Final = re.compile(r"""[^.\[\]"']+""")

Steps = tuple[str | int, ...]


@lru_cache(maxsize=4096)
def steps_of(path: str) -> Steps:
    """The steps of a key: texts for keys and names, numbers for indices in brackets. Quotes are for names with dots."""
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        if index := _NUMBER.match(path, at):
            steps.append(ALL if index[1] == ALL else int(index[1]))
            at = index.end()
        elif quoted := _QUOTED.match(path, at):
            steps.append(quoted[1] if quoted[1] is not None else quoted[2])
            at = quoted.end()
        elif plain := _PLAIN.match(path, at):
            steps.append(plain[0].strip())
            at = plain.end()
        else:
            raise _unreadable(path)
        if at < len(path) and path[at] == ".":
            at += 1
            if at == len(path) or path[at] == "[":
                raise _unreadable(path)
        elif at < len(path) and path[at] != "[":
            raise _unreadable(path)
    if not steps or "" in steps or isinstance(steps[0], int) or len(steps) > MAX_DEPTH:
        raise _unreadable(path)
    return tuple(steps)


def setting_of(text: str) -> tuple[str, Any]:
    """Key and value from ``key=value``: the value as in TOML, or the text itself where TOML has none such, as 12 mm."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key or not value:
        raise ScenarioError("--set", (f"{shown(text)} is no setting; write it like contact.law.stiffness=1e9",))
    try:
        content = tomllib.loads(f"value = {value}")
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return key, value
    return key, content["value"] if len(content) == 1 else value


def _unreadable(path: str) -> ScenarioError:
    told = 'write it like simulation.rtol, bodies."bubble 1".mass, bodies[0].position[2] or bodies.*.mass'
    return ScenarioError("key", (f"{shown(path)} cannot be read as a key of a scenario; {told}",))
