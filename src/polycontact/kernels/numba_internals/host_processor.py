"""What the processor of this machine can do, as LLVM names it."""

from __future__ import annotations

from collections.abc import Collection

import llvmlite.binding as llvm


def has_features(names: Collection[str]) -> bool:
    """Whether the processor has all of them, and the system lets programs use them."""
    found = llvm.get_host_cpu_features()
    return all(found.get(each) for each in names)
