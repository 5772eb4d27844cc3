"""What a library is named for, what its functions are called, and whether they were made from these sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from polycontact.kernels.first_use.kernel_sources import PARSED_BY, content_keys, letters_key

_KERNELS = "polycontact.kernels."


def entry_name(function: Callable[..., Any]) -> str:
    """Name of an entry in a library: of its module and its own, as ``polycontact_contact_evaluate_evaluate``."""
    words = f"{function.__module__.removeprefix(_KERNELS)}.{function.__qualname__}"
    return "polycontact_" + re.sub(r"\W+", "_", words)


def sources_key() -> str:
    """Of the sources, to the letter: memory that was laid out by some of them is read by the same ones only."""
    return letters_key()


def origin(memo: Path | None) -> dict[str, Any]:
    """From what a library that is built now is made, for its index."""
    return {"letters": letters_key(), "parsed_by": PARSED_BY, "modules": content_keys(memo)}


def fitting_modules(made_from: Mapping[str, Any], memo: Callable[[], Path | None]) -> Mapping[str, str] | None:
    """Keys of these sources to compare with those of a library, or None where all of it fits.

    What a wheel brings fits to the letter. In a clone a library may be older than a part of the sources: then what is
    made from the others is still good, which only the Python that it was built with can tell.
    """
    if made_from["letters"] == letters_key():
        return None
    return content_keys(memo()) if made_from["parsed_by"] == PARSED_BY else {}
