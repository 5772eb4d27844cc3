"""Meshes of a model file, read once each: equal files with equal scales are one surface."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from polycontact.surfaces.mesh_loading import load_surface
from polycontact.surfaces.repair import repair_surface
from polycontact.surfaces.surface import Surface

Scale = tuple[float, float, float]


@dataclass(eq=False)
class MeshShelf:
    """Surfaces by path and scale; ``repair``: mend them as `repair_surface` does."""

    repair: bool = False
    _surfaces: dict[tuple[Path, Scale], Surface] = field(default_factory=dict)

    def surface(self, path: Path, scale: Scale = (1.0, 1.0, 1.0)) -> Surface:
        """The mesh of a file, scaled along x, y and z; a mirrored one is turned right side out."""
        key = (path, scale)
        if key not in self._surfaces:
            mesh = repair_surface(path) if self.repair else load_surface(path)
            mesh.name = path.stem
            self._surfaces[key] = scaled(mesh, scale)
        return self._surfaces[key]


def scaled(mesh: Surface, scale: Scale) -> Surface:
    """A surface scaled along x, y and z; a mirrored one is turned right side out."""
    if scale == (1.0, 1.0, 1.0):
        return mesh
    factors = np.array(scale)
    larger = mesh.with_vertices(mesh.vertices * factors)
    return larger.flipped() if factors.prod() < 0.0 else larger
