"""The mesh under inspection, with the facts that the searches share, each worked out once.

Lengths are relative: the points are shifted and scaled so that the bounding box has the diagonal 1, which
keeps huge and tiny meshes from overflowing. Faces that have no topology (an index out of range, a corner
that is not finite, a corner named twice) and exact repetitions are set aside first; ``faces`` are the
others.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.half_edges import HalfEdges, build_half_edges
from polycontact.surfaces.inspection.coincidence import representatives
from polycontact.surfaces.inspection.faces import (
    FLAT_HEIGHT,
    Copies,
    find_copies,
    has_repeated_corner,
    smallest_heights,
)
from polycontact.surfaces.inspection.links import face_components
from polycontact.surfaces.inspection.surface_problems import ElementKind, ProblemExample
from polycontact.surfaces.inspection.unchecked_mesh import Mesh
from polycontact.tolerances import WELD_TOLERANCE


class Subject:
    """A mesh that is being checked: its indices, coordinates and topology may all be wrong."""

    def __init__(self, mesh: Mesh, tolerance: float | None = None) -> None:
        self.mesh = mesh
        self._tolerance = tolerance

    @cached_property
    def in_range(self) -> NDArray[np.bool_]:
        """(m,) Triangles whose indices name vertices."""
        t = self.mesh.triangles
        return np.asarray(((t >= 0) & (t < len(self.mesh.vertices))).all(axis=1))

    @cached_property
    def finite_vertices(self) -> NDArray[np.bool_]:
        """(n,) Vertices with finite coordinates."""
        return np.asarray(np.isfinite(self.mesh.vertices).all(axis=1))

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """(m,) Triangles in range with finite corners."""
        result = self.in_range.copy()
        result[result] = self.finite_vertices[self.mesh.triangles[result]].all(axis=1)
        return result

    @cached_property
    def used_vertices(self) -> NDArray[np.bool_]:
        """(n,) Vertices that a triangle names."""
        result = np.zeros(len(self.mesh.vertices), dtype=bool)
        result[self.mesh.triangles[self.in_range]] = True
        return result

    @cached_property
    def sound_vertices(self) -> NDArray[np.int64]:
        """Indices of the vertices that are used and finite."""
        return np.flatnonzero(self.used_vertices & self.finite_vertices)

    @cached_property
    def bounds(self) -> NDArray[np.float64] | None:
        """Bounding box of the sound vertices, rows (lower, upper), m; None if there are none."""
        points = self.mesh.vertices[self.sound_vertices]
        return np.stack((points.min(axis=0), points.max(axis=0))) if len(points) else None

    @cached_property
    def _frame(self) -> tuple[NDArray[np.float64], float, float]:
        """Centre of the bounding box, its largest half-extent (m) and its diagonal in such half-extents."""
        if self.bounds is None:
            return np.zeros(3), 1.0, 1.0
        half = 0.5 * self.bounds[1] - 0.5 * self.bounds[0]
        largest = float(half.max()) or 1.0
        diagonal = 2.0 * float(np.linalg.norm(half / largest)) or 1.0
        return 0.5 * self.bounds[0] + 0.5 * self.bounds[1], largest, diagonal

    @property
    def size(self) -> float:
        """Diagonal of the bounding box, m."""
        _, largest, diagonal = self._frame
        return largest * diagonal

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """(n, 3) Vertices in units of the size about the centre of the box; 0 where they are not finite or
        unused."""
        centre, largest, diagonal = self._frame
        result = np.zeros_like(self.mesh.vertices)
        result[self.sound_vertices] = (self.mesh.vertices[self.sound_vertices] - centre) / largest / diagonal
        return result

    @property
    def tolerance(self) -> float:
        """Distance, as a share of the size, within which positions count as the same."""
        return WELD_TOLERANCE if self._tolerance is None else self._tolerance / self.size

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """(n,) Vertex that stands for each vertex among those that coincide within the tolerance."""
        result = np.arange(len(self.mesh.vertices))
        sound = self.sound_vertices
        result[sound] = sound[representatives(self.points[sound], self.tolerance)]
        return result

    @cached_property
    def has_coincident_vertices(self) -> bool:
        """Whether some vertices have the same position as others."""
        return bool(np.any(self.labels != np.arange(len(self.labels))))

    @cached_property
    def heights(self) -> NDArray[np.float64]:
        """(m,) Smallest height of each usable triangle in units of the size, infinite for others."""
        result = np.full(len(self.mesh.triangles), np.inf)
        result[self.usable] = smallest_heights(self.points, self.mesh.triangles[self.usable])
        return result

    @cached_property
    def degenerate(self) -> NDArray[np.bool_]:
        """(m,) Triangles that have no area, among the usable ones; also what `Surface` would refuse in m²."""
        result = self.heights <= FLAT_HEIGHT
        a, b, c = (self.mesh.vertices[self.mesh.triangles[self.usable, i]] for i in range(3))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        result[self.usable] |= ~(areas > np.finfo(float).tiny) | ~np.isfinite(areas)
        return result

    @cached_property
    def _distinct(self) -> NDArray[np.int64]:
        """Usable triangles that name three different vertices."""
        return np.flatnonzero(self.usable)[~has_repeated_corner(self.mesh.triangles[self.usable])]

    @cached_property
    def copies(self) -> Copies:
        """Repetitions among the triangles ``_distinct``, by their vertices' indices."""
        return find_copies(self.mesh.triangles[self._distinct])

    @cached_property
    def repeated_faces(self) -> NDArray[np.int64]:
        """Triangles whose three vertices another triangle names before them."""
        return self._distinct[self.copies.is_copy]

    @cached_property
    def faces(self) -> NDArray[np.int64]:
        """(k,) Indices of the triangles that the searches below work on."""
        return self._distinct[~self.copies.is_copy]

    @cached_property
    def triangles(self) -> NDArray[np.int64]:
        """(k, 3) Vertices of ``faces``."""
        return self.mesh.triangles[self.faces]

    @cached_property
    def half_edges(self) -> HalfEdges:
        """Half-edges of ``faces``, by which their neighbours are found."""
        return build_half_edges(self.triangles.astype(np.int32))

    @cached_property
    def components(self) -> NDArray[np.int64]:
        """(k,) Number of the connected component of each of ``faces``."""
        return face_components(self.half_edges)

    @cached_property
    def coincident_faces(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Pairs (p, 2) of ``faces`` whose corners coincide, and which of them face each other (are
        reversed)."""
        if not self.has_coincident_vertices:
            return np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=bool)
        labels = self.labels[self.triangles]
        whole = np.flatnonzero(~has_repeated_corner(labels))
        copies = find_copies(labels[whole])
        later = np.flatnonzero(copies.is_copy)
        pairs = np.stack((whole[copies.first[later]], whole[later]), axis=1)
        return pairs, copies.reversed[later]

    # Examples: indices into the mesh as given, positions in m.

    def vertex_examples(self, vertices: NDArray[np.int64], limit: int) -> tuple[ProblemExample, ...]:
        """Examples that name vertices."""
        return tuple(self._example(ElementKind.VERTEX, [v], [v]) for v in vertices[:limit].tolist())

    def edge_examples(self, edges: NDArray[np.int64], limit: int) -> tuple[ProblemExample, ...]:
        """Examples that name edges of ``half_edges``, placed at their middle."""
        ends = self.half_edges.edges[edges[:limit]].tolist()
        return tuple(self._example(ElementKind.EDGE, pair, pair) for pair in ends)

    def face_examples(self, faces: NDArray[np.int64], limit: int) -> tuple[ProblemExample, ...]:
        """Examples that name triangles (rows of one or several indices into the mesh), placed at their
        middle."""
        rows = faces[:limit].reshape(min(limit, len(faces)), -1).tolist()
        return tuple(
            self._example(ElementKind.TRIANGLE, row, self.mesh.triangles[row].ravel().tolist()) for row in rows
        )

    def _example(self, element: ElementKind, indices: list[int], corners: list[int]) -> ProblemExample:
        x, y, z = (self.mesh.vertices[corners] / len(corners)).sum(axis=0).tolist()
        return ProblemExample(element, tuple(indices), (x, y, z))
