"""How long compiling has taken on this machine: kept beside the compiled kernels, from one first use to the next.

Another version of polycontact compiles anew what has changed, and takes about as long for it as the one before.
"""

from __future__ import annotations

import json
import os
from typing import Final

from polycontact.kernels.first_use.kernel_cache import cache_folder
from polycontact.kernels.numba_internals.versions import LINKS

NAME: Final = "compile-times.json" if LINKS else "compile-times-apart.json"
"""The file; where each kernel is compiled by itself it takes longer."""

A_PART: Final = 0.5
"""A time below this part of the one that is kept is of a part of the kernels, and is not kept."""


def read_times() -> dict[str, float]:
    """Times (s) that compiling took, by the names of the entries; none where none was measured or can be kept."""
    folder = cache_folder()
    if folder is None:
        return {}
    try:
        content = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return {str(names): float(seconds) for names, seconds in content.items() if 0.0 < float(seconds) < 1e5}
    except (OSError, ValueError, TypeError, AttributeError):  # not there yet, or damaged: it is made again
        return {}


def keep_time(names: str, seconds: float) -> None:
    """Keep how long the entries with these ``names`` took, unless that was a part of them only."""
    folder, known = cache_folder(), read_times()
    if folder is None or seconds <= A_PART * known.get(names, 0.0):
        return
    aside = folder / f"{NAME}.{os.getpid()}"
    try:
        aside.write_text(json.dumps({**known, names: seconds}), encoding="utf-8")
        os.replace(aside, folder / NAME)
    except OSError:  # it is only for the next estimate
        aside.unlink(missing_ok=True)
