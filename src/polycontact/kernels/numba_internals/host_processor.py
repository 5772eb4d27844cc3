"""What the processor of this machine can do, as LLVM names it."""

from __future__ import annotations

from collections.abc import Collection

import llvmlite.binding as llvm


def has_features(names: Collection[str]) -> bool:
    """Whether the processor has all of them, and the system lets programs use them."""
    found = llvm.get_host_cpu_features()
    return all(found.get(each) for each in names)


def processor_name() -> str:
    """The kind of processor, such as znver4."""
    return str(llvm.get_host_cpu_name())
