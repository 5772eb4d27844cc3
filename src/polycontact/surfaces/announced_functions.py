"""Functions of users that were announced as surfaces, by name: run files carry names, never code."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypeVar

from polycontact.errors import SurfaceError

Family = Literal["parametric", "implicit"]
S = TypeVar("S")


@dataclass
class Announced:
    """A function of a user, its derivatives where given, what is known of its domain; and its code once compiled."""

    function: Callable[..., Any]
    derivatives: Callable[..., Any] | None
    options: dict[str, Any]
    compile: Callable[[], int]
    code: int = 0


_known: dict[tuple[Family, str], Announced] = {}


def announce(family: Family, name: str, announced: Announced) -> None:
    """Make a function known under a name; announced anew it takes the place of the old one."""
    if not isinstance(name, str) or not name:
        raise SurfaceError(f"a {family} surface is announced under a name, not {name!r}")
    _known[family, name] = announced


def announced_as(family: Family, name: str) -> Announced:
    """The function announced under ``name``; an unknown name raises an error that lists the known ones."""
    found = _known.get((family, name))
    if found is None:
        names = ", ".join(repr(known) for kind, known in sorted(_known) if kind == family) or "none"
        raise SurfaceError(
            f"{family} surface {name!r} is not known here (known: {names}); import the module that announces it"
        )
    return found


def code_of(family: Family, name: str) -> int:
    """Address of the compiled code; an error says what the compiler could not do."""
    announced = announced_as(family, name)
    if not announced.code:
        from numba import NumbaError

        try:
            announced.code = announced.compile()
        except NumbaError as error:
            raise SurfaceError(
                f"{family} surface {name!r}: its function cannot be compiled with derivatives: "
                f"{str(error).strip().splitlines()[0]} … ; use numbers, +, -, *, /, ** and functions of math or "
                f"numpy, or give its derivatives"
            ) from error
    return announced.code


def check_arguments(family: Family, name: str, function: Callable[..., Any], allowed: dict[int, str]) -> int:
    """How many arguments a function has; refused where it has others than allowed."""
    n = len(inspect.signature(function).parameters)
    if n not in allowed:
        raise SurfaceError(
            f"{family} surface {name!r}: its function {function.__name__} has {n} arguments; expected "
            f"{' or '.join(allowed.values())}"
        )
    return n


def maker_of(cls: Callable[..., S], name: str, function: Callable[..., Any]) -> Callable[..., S]:
    """What an announced function becomes: it makes surfaces of parameters, named and documented as the function is."""

    def make(*parameters: float, **options: Any) -> S:
        return cls(name, parameters, **options)

    make.__name__, make.__doc__ = function.__name__, function.__doc__
    return make


def checked_parameters(owner: str, parameters: Any) -> tuple[float, ...]:
    """Parameters as floats; what is not a sequence of finite numbers raises an error about ``owner``."""
    try:
        values = tuple(parameters)
    except TypeError:
        raise SurfaceError(f"{owner}: parameters is {parameters!r}; give a sequence of numbers") from None
    for i, value in enumerate(values):
        if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(value):
            raise SurfaceError(f"{owner}: parameter {i} is {value!r}; it must be a finite number")
    return tuple(float(value) for value in values)
