"""Which kind of model a file of a robot holds: URDF or MJCF, by its name."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

MJCF_SUFFIXES: Final = (".xml", ".mjcf")
ROBOT_SUFFIXES: Final = (".urdf", *MJCF_SUFFIXES)
"""Endings of files of robots, in lower case."""


def is_mjcf(path: str | PurePath) -> bool:
    """Whether a file is read as MJCF; all others of robots are URDF."""
    return PurePath(path).suffix.lower() in MJCF_SUFFIXES
