"""What a wheel brings besides Python: the kernels that `python3 dev.py library` has built for one platform.

``POLYCONTACT_WHEEL`` names the platform and the tag of the wheel, such as "linux-x86_64 linux_x86_64"; without it the
wheel has no library, fits everywhere, and its kernels are compiled when they are first used.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "polycontact/kernels/library_file/built"


class LibraryHook(BuildHookInterface[Any]):
    """Puts the libraries of a platform into a wheel, and names the wheel for it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before a wheel is built."""
        platform, _, tag = os.environ.get("POLYCONTACT_WHEEL", "").partition(" ")
        if not platform or version == "editable":
            return
        built = Path(self.root) / "src" / FOLDER
        libraries = sorted(each for each in built.glob(f"polycontact-{platform}*") if each.suffix != ".o")
        if not libraries:
            raise ValueError(f"no library is built for {platform}: python3 dev.py library {platform}")
        build_data["tag"] = f"py3-none-{tag}"
        build_data["pure_python"] = False
        build_data["force_include"].update({str(each): f"{FOLDER}/{each.name}" for each in libraries})
