"""The parts of a scenario that is drafted: what files hold, in m, with names and masses."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import PolycontactError, ScenarioError
from polycontact.surfaces.assembly_suffixes import ASSEMBLY_SUFFIXES
from polycontact.surfaces.file_units import UNITS
from polycontact.surfaces.surface import Surface

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DraftedPart:
    """A part by its ``name``: ``surface`` in its own frame, which stands at ``position`` (m), ``rotation`` (3, 3).

    ``path``: its file as the scenario names it; ``unit`` as it has to be written there, empty where the file says it;
    ``mass`` in kg, None where its surface encloses nothing.
    """

    name: str
    surface: Surface
    rotation: Array
    position: Array
    path: str
    unit: str
    mass: float | None

    @property
    def size(self) -> float:
        """Longest edge of the box around it, m."""
        return float(np.max(self.surface.bounds[1] - self.surface.bounds[0]))

    def in_world(self, points: Array) -> Array:
        """Points (n, 3) m of its frame in the world's."""
        return np.asarray(points @ self.rotation.T + self.position)


def is_assembly(files: Sequence[Path]) -> bool:
    """Whether files are one that holds an assembly."""
    return len(files) == 1 and files[0].suffix.lower() in ASSEMBLY_SUFFIXES


def needs_unit(file: Path) -> bool:
    """Whether a mesh file says nothing of its unit."""
    from polycontact.surfaces.reading import read_mesh

    return file.suffix.lower() not in (".step", ".stp") and read_mesh(file).unit is None


def read_parts(files: Sequence[Path], folder: Path, unit: str | None, density: float) -> list[DraftedPart]:
    """The parts in mesh files, or of an assembly, for a scenario in ``folder``; ``density`` in kg/m³."""
    if is_assembly(files):
        return _of_assembly(files[0], folder, density)
    names: list[str] = []
    parts = []
    for file in files:
        own = unit if needs_unit(file) else None
        if own is None and needs_unit(file):
            raise wrong(f"{file}: it does not say its unit; give one of {', '.join(UNITS)} with --unit")
        surface = _loaded(file, own)
        name = _unused(re.sub(r"[\[\].\"*]", " ", file.stem).strip() or "body", names)
        path = Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
        parts.append(DraftedPart(name, surface, np.eye(3), np.zeros(3), path, own or "", _mass(surface, density)))
        names.append(name)
    return parts


def wrong(text: str) -> ScenarioError:
    """An error about a scenario that cannot be drafted, to be raised."""
    return ScenarioError("new scenario", (text,))


def _of_assembly(file: Path, folder: Path, density: float) -> list[DraftedPart]:
    from polycontact.multibody.assembly_bodies import load_assembly

    found = load_assembly(file)
    path = Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
    return [
        DraftedPart(part.name, part.surface, part.rotation, part.position, path, "", _mass(part.surface, density))
        for part in found.parts.values()
    ]


def _loaded(file: Path, unit: str | None) -> Surface:
    from polycontact.surfaces.mesh_loading import load_surface

    return load_surface(file, unit=unit)


def _mass(surface: Surface, density: float) -> float | None:
    try:
        return float(surface.mass_properties(density).mass)
    except PolycontactError:
        return None


def _unused(name: str, taken: Sequence[str]) -> str:
    n, found = 1, name
    while found in taken:
        n += 1
        found = f"{name} {n}"
    return found
