"""Intrinsics of functions whose number of arguments is known only when they are made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from numba.extending import intrinsic


def intrinsic_of(names: Sequence[str]) -> Callable[[Callable[..., Any]], Any]:
    """Make an intrinsic of a function (typing context, *types) whose arguments have the given names."""

    def decorate(function: Callable[..., Any]) -> Any:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(name, kind) for name in ("typing_context", *names)]
        vars(function)["__signature__"] = inspect.Signature(parameters)
        return intrinsic(function)

    return decorate
