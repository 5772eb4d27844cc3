"""Every place of every problem of a mesh, where `check_surface` names a few examples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.check import SEARCHES
from polycontact.surfaces.inspection.component_orientation import consistent_flips
from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.surface_problems import ElementKind, ProblemExample, ProblemKind, SurfaceProblem
from polycontact.surfaces.inspection.unchecked_mesh import Mesh


@dataclass(frozen=True, eq=False)
class ProblemPlaces:
    """A problem and the places where it is: ``indices`` (n, k) of vertices, edges (by two vertices) or triangles."""

    problem: SurfaceProblem
    element: ElementKind
    indices: NDArray[np.int64]


class _AllPlaces(Subject):
    """A subject that notes every place of which the searches of `check_surface` ask for examples."""

    def __init__(self, mesh: Mesh) -> None:
        super().__init__(mesh)
        self.noted: tuple[ElementKind, NDArray[np.int64]] | None = None

    def vertex_examples(self, vertices: NDArray[np.int64], limit: int) -> tuple[ProblemExample, ...]:
        """Note the vertices, and return no examples."""
        self.noted = ElementKind.VERTEX, vertices.reshape(-1, 1)
        return ()

    def edge_examples(self, edges: NDArray[np.int64], limit: int) -> tuple[ProblemExample, ...]:
        """Note the edges, by their vertices."""
        self.noted = ElementKind.EDGE, self.half_edges.edges[edges].astype(np.int64)
        return ()

    def face_examples(self, faces: NDArray[np.int64], limit: int) -> tuple[ProblemExample, ...]:
        """Note the triangles, or pairs of them."""
        self.noted = ElementKind.TRIANGLE, faces.reshape(len(faces), -1)
        return ()


def find_places(mesh: Mesh) -> tuple[ProblemPlaces, ...]:
    """All problems of ``mesh`` with all their places, in the order in which they are searched."""
    subject = _AllPlaces(mesh)
    found = []
    for problem in chain.from_iterable(search(subject) for search in SEARCHES):
        element, indices = subject.noted or (ElementKind.VERTEX, np.empty((0, 1), dtype=np.int64))
        subject.noted = None
        if problem.kind is ProblemKind.INWARD_ORIENTATION:  # one triangle of each component was noted
            indices = _whole_components(subject, indices)
        found.append(ProblemPlaces(problem, element, indices))
    return tuple(found)


def reversed_faces(mesh: Mesh) -> NDArray[np.int64]:
    """Triangles that face the other way than most of their neighbours: the fewest to turn."""
    subject = Subject(mesh)
    if not np.any(subject.half_edges.same_direction):
        return np.empty(0, dtype=np.int64)
    return subject.faces[np.flatnonzero(consistent_flips(subject.half_edges).flip)]


def _whole_components(subject: Subject, faces: NDArray[np.int64]) -> NDArray[np.int64]:
    position = np.searchsorted(subject.faces, faces.ravel())
    inward = np.isin(subject.components, subject.components[position])
    return subject.faces[inward].reshape(-1, 1)
