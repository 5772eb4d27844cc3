"""Methods, laws and layers by name: how a description becomes plain data in a file, and an object again.

A class that takes part is a frozen dataclass of plain fields, announced with `described`. A new one is known to run
files and pages from then on.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from polycontact.errors import ContactError

C = TypeVar("C", bound=type)
_classes: dict[str, type] = {}


def described(kind: str) -> Callable[[C], C]:
    """Announce a frozen dataclass under a name, which files carry as "kind"."""

    def announce(cls: C) -> C:
        known = _classes.setdefault(kind, cls)
        if known is not cls and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise ContactError(f"kind {kind!r} is {known.__qualname__} already; give {cls.__qualname__} another name")
        _classes[kind] = cls
        return cls

    return announce


def kind_of(thing: object) -> str:
    """Name under which the class of an object was announced."""
    for kind, cls in _classes.items():
        if type(thing) is cls:
            return kind
    raise ContactError(
        f"{type(thing).__qualname__} has no name in files; announce its class with polycontact.described('…')"
    )


def to_plain(thing: Any) -> Any:
    """An object of an announced class as a dictionary of plain values."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        values = {field.name: to_plain(getattr(thing, field.name)) for field in dataclasses.fields(thing)}
        return {"kind": kind_of(thing), **values}
    if isinstance(thing, enum.Enum):
        return thing.value
    if isinstance(thing, tuple | list):
        return [to_plain(each) for each in thing]
    return thing


def from_plain(content: Any) -> Any:
    """What `to_plain` wrote, as an object again; an unknown kind is refused by name."""
    if isinstance(content, list):
        return tuple(from_plain(each) for each in content)
    if not isinstance(content, Mapping):
        return content
    kind = content.get("kind")
    cls = _classes.get(str(kind))
    if cls is None:
        raise ContactError(
            f"kind {kind!r} is not known here ({', '.join(sorted(_classes))}); import the module that announces it"
        )
    names = {field.name for field in dataclasses.fields(cls)}
    unknown = sorted(set(content) - names - {"kind"})
    if unknown:
        raise ContactError(f"kind {kind!r} has no {', '.join(unknown)}; the file is from another version")
    return cls(**{name: from_plain(value) for name, value in content.items() if name != "kind"})
