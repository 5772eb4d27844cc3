"""Meshes of an MJCF model as surfaces: read once, placed by their reference, scaled; and their convex hulls."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import RobotError, SurfaceError
from polycontact.robots.mesh_shelf import MeshShelf, scaled
from polycontact.robots.mjcf.mjcf_model import MjcfMesh
from polycontact.surfaces.reading.source import shown
from polycontact.surfaces.surface import Surface


@dataclass(eq=False)
class MeshSurfaces:
    """Surfaces of the meshes of the model ``file``, whose files lie in ``folder``; ``repair``: mend them."""

    file: str
    folder: Path
    repair: bool = False
    _surfaces: dict[str, Surface] = field(default_factory=dict)
    _hulls: dict[str, Surface] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._shelf = MeshShelf(self.repair)

    def path(self, mesh: MjcfMesh) -> Path:
        """Where the file of a mesh lies; a `RobotError` says where it was looked for."""
        path = self.folder / mesh.file
        try:
            found = path.is_file()
        except (OSError, ValueError):
            found = False
        if not found:
            raise RobotError(
                f"{self.file}: line {mesh.line}: mesh {shown(mesh.name)}: the file {shown(mesh.file)} was not found; "
                f"looked for {shown(str(path))}; copy it there, or correct file, or the compiler's meshdir"
            )
        return path

    def surface(self, mesh: MjcfMesh) -> Surface:
        """The mesh as it stands in its geom."""
        if mesh.name not in self._surfaces:
            with_reference = _referred(self._raw(mesh), mesh)
            made = scaled(with_reference, mesh.scale)
            made.name = mesh.name
            self._surfaces[mesh.name] = made
        return self._surfaces[mesh.name]

    def hull(self, mesh: MjcfMesh) -> Surface:
        """The convex hull of a mesh, computed once for each mesh."""
        if mesh.name not in self._hulls:
            self._hulls[mesh.name] = convex_hull(self.surface(mesh).vertices, mesh.name)
        return self._hulls[mesh.name]

    def _raw(self, mesh: MjcfMesh) -> Surface:
        try:
            if mesh.vertices is None:
                return self._shelf.surface(self.path(mesh))
            if mesh.faces is None:
                return convex_hull(mesh.vertices, mesh.name)
            return Surface(mesh.vertices, mesh.faces, name=mesh.name)
        except SurfaceError as error:
            mend = "" if self.repair else "; repair=True mends what can be mended"
            raise RobotError(f"{self.file}: line {mesh.line}: mesh {shown(mesh.name)}: {error}{mend}") from error


def _referred(surface: Surface, mesh: MjcfMesh) -> Surface:
    R, r = mesh.reference
    if np.array_equal(R, np.eye(3)) and not r.any():
        # with_vertices makes a surface of its own, which then can have the name of the asset
        return surface.with_vertices(surface.vertices)
    return surface.with_vertices((surface.vertices - r) @ R)


def convex_hull(points: NDArray[np.float64], name: str) -> Surface:
    """The hull of points as a surface, its triangles outwards."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise SurfaceError(f"{name}: its {len(points)} points enclose no volume, so that they have no hull") from error
    triangles = hull.simplices.copy()
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    kept, numbers = np.unique(triangles, return_inverse=True)
    return Surface(points[kept], numbers.reshape(-1, 3), name=name)
