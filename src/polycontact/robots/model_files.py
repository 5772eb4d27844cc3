"""Which kind of model a file of a robot holds, URDF or MJCF, by its name; and what of it can touch, and as what."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

MJCF_SUFFIXES: Final = (".xml", ".mjcf")
ROBOT_SUFFIXES: Final = (".urdf", *MJCF_SUFFIXES)
"""Endings of files of robots, in lower case."""

CONTACTS: Final = ("collision", "visual")
"""Elements that can take part in contact."""

GEOMETRIES: Final = ("mesh", "convex")
"""As what these elements can take part in it: as meshes, or as exact convex shapes."""


def is_mjcf(path: str | PurePath) -> bool:
    """Whether a file is read as MJCF; all others of robots are URDF."""
    return PurePath(path).suffix.lower() in MJCF_SUFFIXES
