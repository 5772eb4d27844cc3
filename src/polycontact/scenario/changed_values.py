"""A scenario with some of its values changed: what studies, identification and ``run --set`` do to a scenario.

The content of the file is changed at the keys that are named and checked like any file; what is not on the way to such
a key is shared with the scenario that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polycontact.scenario.file_problems import Location, Problem, listed, refuse, shown, suggestion
from polycontact.scenario.key_paths import ALL, Steps, steps_of
from polycontact.scenario.old_names import new_steps, with_new_names
from polycontact.scenario.reading import parse_toml
from polycontact.scenario.schema.json_schema import model_schema
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema_nodes import Schema, child, child_schema, resolved
from polycontact.scenario.source_names import steps_with_our_names, with_names_of_source
from polycontact.scenario.told_kinds import with_kinds
from polycontact.scenario.toml_text import toml_text
from polycontact.simulation.run_options import unused

if TYPE_CHECKING:
    from polycontact.scenario.parsing import Scenario


def with_values(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    """A new scenario in which the ``values`` stand at their keys, checked as a whole; its source is TOML again.

    Keys are dotted; entries of arrays go by their name or their index, ``*`` means all of them: ``simulation.rtol``,
    ``bodies."bubble 1".mass``, ``bodies[0].position[2]``, ``contact.pairs."a-b".damping``. Names need quotes only where
    they have dots, brackets or quotes. A value is what TOML may have there: a number in the unit of the key, a text
    such as "12 mm", an array, a table. A key that the schema does not know, an entry that is not there and a value that
    is forbidden raise a `ScenarioError`. With another response, settings that only the old one uses are left out.
    """
    from polycontact.scenario.parsing import Scenario, check_content

    content = _without_unused(changed_content(scenario, values), values)
    model = check_content(content, scenario.folder, scenario.file)
    return Scenario(model, toml_text(content), scenario.folder, scenario.file)


def _without_unused(content: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The content without settings that the file made for another response than the one that is among ``values``."""
    given = [steps[1] for steps in map(steps_of, values) if len(steps) > 1 and steps[0] == "simulation"]
    if "response" not in given:
        return content
    left_out = set(unused(content["simulation"])) - set(given)
    kept = {name: value for name, value in content["simulation"].items() if name not in left_out}
    return content | {"simulation": kept}


def changed_content(scenario: Scenario, values: Mapping[str, Any]) -> dict[str, Any]:
    """Content of the scenario's file with ``values`` at their keys, not yet checked by the schema."""
    content = _content(scenario.source, scenario.file)
    schema = model_schema(ScenarioModel)
    for key, value in values.items():
        change = _Change(scenario.file, schema, content, plain(value))
        content = change.made(content, with_kinds(content), schema, steps_with_our_names(new_steps(steps_of(key))), ())
    return content


def locations(scenario: Scenario, key: str) -> list[Location]:
    """Where ``key`` leads in the scenario's file, with indices for names: one place, or several for a ``*``."""
    schema = model_schema(ScenarioModel)
    content = _content(scenario.source, scenario.file)
    change = _Change(scenario.file, schema, content, None)
    return list(change.places(with_kinds(content), schema, steps_with_our_names(new_steps(steps_of(key))), ()))


def value_at(scenario: Scenario, key: str) -> Any:
    """What the scenario's file has at ``key``, at the first place if there are several; None where it says nothing."""
    value: Any = _content(scenario.source, scenario.file)
    for step in locations(scenario, key)[0]:
        value = child(value, step)
    return value


def plain(value: Any) -> Any:
    """``value`` in the types that TOML has: numpy's numbers and arrays and tuples become numbers and lists."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    return value


@lru_cache(maxsize=16)
def _content(source: str, file: str) -> dict[str, Any]:
    """Content of a scenario's text; not to be changed."""
    return with_names_of_source(with_new_names(parse_toml(source, file)))


class _Change(NamedTuple):
    """A value for a key, with what is needed to find its places in the content."""

    file: str
    schema: Schema
    content: dict[str, Any]
    value: Any

    def made(self, old: Any, full: Any, node: Schema, steps: Steps, at: Location) -> Any:
        """``old`` with the value behind ``steps``; ``full`` is the same with all kinds, ``node`` its schema."""
        if not steps:
            return self.value
        node = resolved(node, full, self.schema)
        old = _or_default(old, node)
        changed = dict(old) if isinstance(old, dict) else list(old) if isinstance(old, list) else old
        for step in self.steps_at(changed, node, steps, at):
            inner = child(full, step)
            changed[step] = self.made(child(changed, step), inner, child_schema(node, step), steps[1:], (*at, step))
        return changed

    def places(self, old: Any, node: Schema, steps: Steps, at: Location) -> Iterator[Location]:
        """Every location in the file to which ``steps`` lead from ``old``, which lies ``at`` a location itself."""
        if not steps:
            yield at
            return
        node = resolved(node, old, self.schema)
        old = _or_default(old, node)
        for step in self.steps_at(old, node, steps, at):
            yield from self.places(child(old, step), child_schema(node, step), steps[1:], (*at, step))

    def steps_at(self, value: Any, node: Schema, steps: Steps, at: Location) -> list[Any]:
        """Keys or indices of ``value`` that the first step means."""
        step = steps[0]
        if isinstance(value, dict):
            known = node.get("properties")
            if known and len(steps) > 1 and isinstance(step, str) and step not in known:  # the schema tells the last
                told = suggestion(step, known) or f"; allowed are {', '.join(known)}"
                raise self._refused((*at, step), f"unknown key{told}")
            return self._keys(value, node, step, at)
        if isinstance(value, list):
            return self._indices(value, step, at)
        raise self._refused(
            at, f"{shown(value)} is no {'array' if isinstance(step, int) else 'table'}, so it has no {shown(step)}"
        )

    def _keys(self, table: dict[str, Any], node: Schema, step: str | int, at: Location) -> list[str]:
        if isinstance(step, int):
            raise self._refused(at, f"is a table: give a key of it instead of [{step}]")
        names = isinstance(node.get("additionalProperties"), dict)
        if names and step == ALL and table:
            return list(table)
        if names and step not in table:
            raise self._refused(at, f"there is no {shown(step)}{suggestion(step, table) or _known(table)}")
        return [step]

    def _indices(self, array: list[Any], step: str | int, at: Location) -> list[int]:
        if step == ALL and array:
            return list(range(len(array)))
        names = [_names(each) for each in array]
        found = [i for i, each in enumerate(names) if step in each]
        if not found and isinstance(step, str) and step.isdecimal():
            step = int(step)
        if isinstance(step, int):
            if step < len(array):
                return [step]
            told = f"the last is [{len(array) - 1}]" if array else "there are none"
            raise self._refused(at, f"there is no entry [{step}]; {told}")
        if len(found) == 1:
            return found
        if found:
            raise self._refused(at, f"{len(found)} entries are called {shown(step)}; give the index")
        known = [each[0] for each in names if each]
        raise self._refused(at, f"there is no {shown(step)}{suggestion(step, known) or _known(known)}")

    def _refused(self, at: Location, text: str) -> Exception:
        return refuse(self.file, self.content, [Problem(at, text)])


def _or_default(value: Any, node: Schema) -> Any:
    """What a key has that the file leaves out: an array's default, which may be changed in part, or an empty table."""
    if value is not None:
        return value
    default = node.get("default")
    return plain(default) if isinstance(default, list | tuple) else [] if node.get("type") == "array" else {}


def _names(entry: Any) -> tuple[str, ...]:
    """What an entry of an array may be called: its name, or its two bodies."""
    if not isinstance(entry, dict):
        return ()
    name = (entry["name"],) if isinstance(entry.get("name"), str) else ()
    bodies = entry.get("bodies")
    pair = isinstance(bodies, list) and len(bodies) == 2 and all(isinstance(each, str) for each in bodies)
    return (*name, "-".join(bodies), "–".join(bodies)) if pair and isinstance(bodies, list) else name


def _known(names: Any) -> str:
    return "; known: " + (listed(names) or "none")
