"""The options of a run on the command line; they follow from `RunOptions`, where each stands once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polycontact.cli.usage_errors import whole_number
from polycontact.simulation.run_options import RunOption, run_option, run_options


def flag_of(name: str) -> Parameter:
    """How the option ``name`` of a run is given to a command: its flag and its words in the help."""
    option = run_option(name)
    about, on = option.about, f"--{option.flag}"
    told = f"{_sentence(option.meaning)}{f' ({about.unit})' if about.unit else ''}."
    if option.is_switch:
        off = "" if about.default is False else f"--no-{option.flag}"
        return Parameter(name=on, help=told, negative=off, show_default=False)
    return Parameter(name=on, help=told, converter=whole_number if about.values is int else None)


def _type_of(option: RunOption) -> Any:
    kind = bool if option.is_switch else option.about.values if option.about.values in (float, int) else str
    return Annotated[kind | None, flag_of(option.name)]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _on_command_line() -> tuple[RunOption, ...]:
    return tuple(each for each in run_options() if each.flag)


if TYPE_CHECKING:

    class RunFlags:
        """A field for each option of a run, None where it is not given."""

        def __init__(self, **given: Any) -> None: ...

else:
    RunFlags = make_dataclass(
        "RunFlags",
        [(each.name, _type_of(each), field(default=None)) for each in _on_command_line()],
        frozen=True,
        kw_only=True,
        namespace={"__module__": __name__},
    )


def given_options(flags: RunFlags) -> dict[str, Any]:
    """The options of a run that the command line gives."""
    values = {each.name: getattr(flags, each.name) for each in _on_command_line()}
    return {name: value for name, value in values.items() if value is not None}


def flags_of(given: Mapping[str, Any]) -> list[str]:
    """The words that give options on the command line again."""
    words = []
    for name, value in given.items():
        flag = run_option(name).flag
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", str(value)]
    return words
