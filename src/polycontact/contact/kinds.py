"""Methods, laws and layers by name: how a description becomes plain data in a file, and an object again.

A class that takes part is a frozen dataclass of plain fields, announced with `described`. From then on run files,
scenario files, their schema and reference, and the tables of reports know it. What a field means stands beside it, see
`option`. Installed packages announce their classes by an entry point of the group "polycontact.contacts" that names
the module; it is imported when a scenario or a run file needs to know. Geometries that files of runs name are told by
module and class (`described_in`) and imported when a file names them.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Literal, TypeVar

from polycontact.contact.options import told_options
from polycontact.errors import ContactError, ContactWarning, level_of_the_caller

Part = Literal["method", "law", "friction", "response"]
"""Parts of a description of which there are several kinds; the response is one of a whole run."""

GROUP = "polycontact.contacts"
"""Entry points of installed packages that announce kinds."""

C = TypeVar("C", bound=type)
_classes: dict[str, type] = {}
_only_part: dict[str, Part] = {}
_asked: list[str] = []
_places: dict[str, str] = {}
"""Kinds that are imported when asked for: "module:class" within the package."""


def described_in(places: Mapping[str, str]) -> None:
    """Announce classes of this package by kind, each as "module:class", without importing them."""
    _places.update(places)


def described(kind: str, *, part: Part | None = None) -> Callable[[C], C]:
    """Announce a frozen dataclass under a name, which files carry as "kind".

    ``part``: the only part of a contact that it can be; by default a class with ``prepare`` and ``margin`` is a method,
    one with ``prepare`` alone a law, normal or tangential.
    """

    def announce(cls: C) -> C:
        names = [each.name for each in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else ["kind"]
        if "kind" in names:
            raise ContactError(f"kind {kind!r}: {cls.__qualname__} must be a dataclass without a field named kind")
        known = _place(_classes[kind]) if kind in _classes else _places.get(kind)
        if known not in (None, _place(cls)):
            taken = str(known).partition(":")[2]
            raise ContactError(f"kind {kind!r} is {taken} already; give {cls.__qualname__} another name")
        _classes[kind] = cls
        if part is not None:
            _only_part[kind] = part
        _known_kinds.cache_clear()
        cls.__doc__ = f"{inspect.getdoc(cls) or cls.__name__}\n\n{told_options(cls)}".rstrip()
        return cls

    return announce


def kinds_of(part: Part) -> dict[str, type]:
    """The classes that may be a part of a contact, by kind: those of this package first, in an order of their own.

    The order does not depend on what was imported first.
    """
    import_installed()
    return dict(_known_kinds(part))


@cache
def _known_kinds(part: Part) -> dict[str, type]:
    from polycontact.contact.description import BUILT_IN

    places = {cls: place for place, cls in enumerate(BUILT_IN)}
    found = {kind: cls for kind, cls in _classes.items() if part in _parts(kind, cls)}
    return dict(sorted(found.items(), key=lambda each: places.get(each[1], len(places))))


def _parts(kind: str, cls: type) -> tuple[Part, ...]:
    if kind in _only_part:
        return (_only_part[kind],)
    if not callable(getattr(cls, "prepare", None)):
        return ()
    return ("method",) if callable(getattr(cls, "margin", None)) else ("law", "friction")


def import_installed() -> None:
    """Import, once, what installed packages announce kinds with; what cannot be imported is warned of."""
    if _asked:
        return
    from importlib.metadata import entry_points

    _asked.append(GROUP)
    for found in entry_points(group=GROUP):
        try:
            found.load()
        except Exception as error:  # whatever another package does wrong, ours goes on without it
            warnings.warn(
                f"{found.value}, entry point {found.name!r} of {GROUP}, cannot be imported: {error!r}; its kinds of "
                f"contact are not known",
                ContactWarning,
                stacklevel=level_of_the_caller(),
            )


def summary(cls: type) -> str:
    """The first paragraph of a class's documentation."""
    return " ".join((inspect.getdoc(cls) or cls.__name__).partition("\n\n")[0].split())


def kind_of(thing: object) -> str:
    """Name under which the class of an object was announced."""
    for kind, cls in _classes.items():
        if type(thing) is cls:
            return kind
    for kind, place in _places.items():
        if _place(type(thing)) == place:
            return kind
    raise ContactError(
        f"{type(thing).__qualname__} has no name in files; announce its class with polycontact.contact.described('…')"
    )


def class_of(kind: object) -> type | None:
    """The class that was announced under a name, if any was, here or by an installed package."""
    name = str(kind)
    if name in _places and name not in _classes:
        module, _, class_name = _places[name].partition(":")
        described(name)(getattr(import_module(module), class_name))
    if name not in _classes:
        import_installed()
    return _classes.get(name)


def _place(cls: type) -> str:
    """Module and name of a class."""
    return f"{cls.__module__}:{cls.__qualname__}"


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
    cls = class_of(kind)
    if cls is None:
        known = ", ".join(sorted({*_classes, *_places}))
        raise ContactError(f"kind {kind!r} is not known here ({known}); import the module that announces it")
    names = {field.name for field in dataclasses.fields(cls)}
    unknown = sorted(set(content) - names - {"kind"})
    if unknown:
        raise ContactError(f"kind {kind!r} has no {', '.join(unknown)}; the file is from another version")
    return cls(**{name: from_plain(value) for name, value in content.items() if name != "kind"})
