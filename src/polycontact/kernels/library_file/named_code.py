"""Which entries of the package are at the addresses that were given away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polycontact.kernels import addresses
from polycontact.kernels.library_file.library_key import entry_name
from polycontact.kernels.numba_internals.address_code import code_address


def named_code() -> Iterator[tuple[int, str]]:
    """Addresses with the names that their entries have in a library; code of users has none."""
    for function in addresses._functions:
        python: Any = getattr(function, "py_func", None)
        if python is not None and python.__module__.startswith("polycontact.") and python.__qualname__.isidentifier():
            yield code_address(function), entry_name(python)
