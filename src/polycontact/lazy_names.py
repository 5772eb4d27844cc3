"""Public names of a package that are loaded when they are first used, so that importing the package is quick.

Each name stands once, in the package's ``__init__.pyi``, which editors and type checkers read:
``from polycontact.surfaces.surface import Surface as Surface``. Here the same lines tell where to find it.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

LINE = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


@cache
def homes(package: str) -> dict[str, str]:
    """Module of each public name of a package."""
    stub = pkgutil.get_data(package, "__init__.pyi")
    assert stub is not None, f"{package} has no __init__.pyi"
    return {name: module for module, name in LINE.findall(stub.decode())}


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package that loads its public names when they are first used."""

    def load(name: str) -> Any:
        if name == "__all__":
            return sorted(homes(package))
        if name.startswith("_") or name not in homes(package):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = homes(package)[name]
        value = _found(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(homes(package))

    return load, names


def _found(module: str, name: str) -> Any:
    """What a module defines under a name, or the module of that name in a package."""
    loaded = importlib.import_module(module)
    if name in vars(loaded):
        return vars(loaded)[name]
    return importlib.import_module(f"{module}.{name}")
