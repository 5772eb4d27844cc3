"""Versions of Numba: those that are tested, and what is done with others."""

from __future__ import annotations

import os

import numba

TESTED = ("0.61", "0.62", "0.63", "0.64", "0.65", "0.66", "0.67", "0.68")
"""Versions with which entries were linked and tests of kernels, golden results and a run passed; the first is the bound
in ``pyproject.toml``."""
SWITCH = "POLYCONTACT_LINKS"
"""Environment variable, for tests: "no" compiles as with a Numba that is not in `TESTED`, "yes" as with one that is."""


def minor_version(version: str) -> str:
    """Of a version, what decides about internals: "0.68" of "0.68.1"."""
    return ".".join(version.split(".")[:2])


def is_tested(version: str) -> bool:
    """Whether a version of Numba is one whose internals `linking.py` knows."""
    return minor_version(version) in TESTED


LINKS = {"yes": True, "no": False}.get(os.environ.get(SWITCH, ""), is_tested(numba.__version__))
"""Whether the parts of an entry are linked to one piece of code. Otherwise each kernel is compiled by itself, with all
that it calls: the same results, but the first use takes longer."""

MADE_BY = f"numba {numba.__version__}, {'linked' if LINKS else 'each by itself'}"
"""What compiled the kernels, for the keys of what is kept of them."""


def remark() -> str:
    """What a user should know about this version while kernels compile; empty where there is nothing to say."""
    if LINKS:
        return ""
    return (
        f"Numba {numba.__version__} has not been tested with this polycontact (tested: {', '.join(TESTED)}); "
        "each kernel is compiled by itself, which takes longer"
    )
