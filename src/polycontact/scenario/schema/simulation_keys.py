"""How long and how precisely a scenario is simulated: the options of a run that a file may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import create_model

from polycontact.scenario.schema.base import OneOf, Table, at_most, optional, required
from polycontact.scenario.schema.described_keys import PartTable, value_type
from polycontact.scenario.schema.stop_keys import StopTable
from polycontact.simulation.run_options import RunOption, run_options

_TABLES: Final[dict[str, Any]] = {
    "response": Annotated[Any, PartTable("response", or_name=True)],
    "stop_when": Annotated[tuple[StopTable, ...], at_most(1000)],
}
"""Types of the options that are tables in a file."""


def _type_of(option: RunOption) -> Any:
    """What a file may give for an option."""
    if option.name in _TABLES:
        return _TABLES[option.name]
    return Annotated[str, OneOf(option.ways.choices)] if option.ways.choices else value_type(option.in_files)


def _keys() -> dict[str, Any]:
    """Each option of a run that is a key of a file: its type, and its meaning, unit and default."""
    keys = {}
    for each in run_options():
        if not each.ways.key:
            continue
        about = each.about
        kind = _type_of(each)
        meaning = f"{each.meaning}; {each.ways.file}" if each.ways.file else each.meaning
        if about.is_required:
            keys[each.name] = (kind, required(meaning, about.unit))
        else:
            left_open = kind | None if about.default is None else kind
            keys[each.name] = (left_open, optional(meaning, about.unit, about.default))
    return keys


if TYPE_CHECKING:
    _Keys = Table
else:
    _Keys = create_model("_Keys", __base__=Table, **_keys())


class Simulation(_Keys):
    """The settings of `simulate`; a run begins at 0 s, and what is left out has its default."""

    def settings(self) -> dict[str, Any]:
        """Keyword arguments of `simulate`: what the file gives, and the integrator in any case."""
        given = {"integrator", *self.model_fields_set}
        values = self.model_dump(exclude_none=True, exclude={"stop_when"})
        settings = {name: value for name, value in values.items() if name in given}
        if isinstance(settings.get("response"), str):
            settings["response"] = {"kind": settings["response"]}
        stops = getattr(self, "stop_when", ())
        return settings | ({"stop_when": tuple(each.build() for each in stops)} if stops else {})
