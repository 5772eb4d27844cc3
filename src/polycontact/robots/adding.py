"""What all ways of adding a model file to a system share: errors with lines, names that are taken, one warning."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from numpy.typing import ArrayLike

from polycontact.errors import MultibodyError, RobotError, RobotWarning, level_of_the_caller
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.surfaces.reading.source import shown

StartValues = Mapping[str, float | ArrayLike]
"""Start values of joints by the names in the file; a number where a joint has one coordinate."""

_MAX_LISTED_LEFTOVERS: Final = 20


@contextmanager
def told_at(file: Path, line: int | None = None) -> Iterator[None]:
    """Errors within get the name of the file and the line."""
    try:
        yield
    except MultibodyError as error:
        where = file.name if line is None else f"{file.name}: line {line}"
        raise RobotError(f"{where}: {error}") from error


def refuse_taken(system: MultibodySystem, file: Path, prefix: str, names: Mapping[str, Iterable[str]]) -> None:
    """Refuse names, with their prefix, that the system has already.

    ``names`` by what they are: "body", "joint", "marker", "loop", "coupler" or "force element".
    """
    frames = {*system.bodies, *system.markers, WORLD}
    taken = {
        "body": frames,
        "marker": frames,
        "joint": {*system.joints},
        "loop": {*system.loops, *system.couplers},
        "coupler": {*system.couplers, *system.loops, *system.forces},
        "force element": {*system.forces, *system.couplers},
    }
    for what, wanted in names.items():
        for name in wanted:
            if name in taken[what]:
                raise RobotError(
                    f"{file.name}: the system has a {what} {shown(name)} already; give a prefix for all names, "
                    f"such as {prefix + 'left_'!r}"
                )


def warn_of_leftovers(file: Path, ignored: Iterable[str]) -> None:
    """One warning for all that was not understood."""
    found = list(ignored)
    if not found:
        return
    listed = "\n".join(f"  {each}" for each in found[:_MAX_LISTED_LEFTOVERS])
    more = f"\n  … and {len(found) - _MAX_LISTED_LEFTOVERS} more" if len(found) > _MAX_LISTED_LEFTOVERS else ""
    told = f"{file.name}: not understood and left out:\n{listed}{more}"
    warnings.warn(told, RobotWarning, stacklevel=level_of_the_caller())
