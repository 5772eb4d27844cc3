"""What libraries are built for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Target:
    """A system and a processor. All that is compiled for one target is the same on every machine of its kind.

    Products and sums are joined to one operation, rounded once, where a kernel allows it (`lanes.py`) and the
    processors of the target have the operation: always, or never.
    """

    name: str
    """As in the names of files: ``sys.platform`` and what `level` says."""
    triple: str
    """For LLVM."""
    cpu: str
    """The least processor."""
    zig: str
    """For the linker of Zig."""
    joins: bool
    """Whether products and sums are joined where a kernel allows it."""
    wheel: str
    """Platform tag of wheels."""

    @property
    def system(self) -> str:
        """As ``sys.platform`` names it."""
        return self.name.partition("-")[0]


TARGETS: Final = {
    target.name: target
    for target in (
        Target(
            "linux-x86_64",
            "x86_64-unknown-linux-gnu",
            "x86-64-v2",
            "x86_64-linux-gnu.2.17",
            False,
            "manylinux_2_17_x86_64.manylinux2014_x86_64",
        ),
        Target(
            "linux-x86_64-v3",
            "x86_64-unknown-linux-gnu",
            "x86-64-v3",
            "x86_64-linux-gnu.2.17",
            True,
            "manylinux_2_17_x86_64.manylinux2014_x86_64",
        ),
        Target(
            "linux-arm64",
            "aarch64-unknown-linux-gnu",
            "generic",
            "aarch64-linux-gnu.2.17",
            True,
            "manylinux_2_17_aarch64.manylinux2014_aarch64",
        ),
        Target("win32-x86_64", "x86_64-pc-windows-gnu", "x86-64-v2", "x86_64-windows-gnu", False, "win_amd64"),
        Target("win32-x86_64-v3", "x86_64-pc-windows-gnu", "x86-64-v3", "x86_64-windows-gnu", True, "win_amd64"),
        Target("darwin-arm64", "arm64-apple-macosx11.0.0", "apple-m1", "aarch64-macos.11.0", True, "macosx_11_0_arm64"),
    )
}
