"""Problems of vertices: not finite, twice in the same place, unused, joining fans that only touch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.inspection.links import corner_fans, linked_half_edges
from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.surface_problems import MAX_EXAMPLES, ProblemKind, Severity, SurfaceProblem


def find_non_finite(subject: Subject) -> Iterator[SurfaceProblem]:
    """Coordinates that are infinite or no numbers."""
    bad = np.flatnonzero(~subject.finite_vertices)
    if len(bad):
        n_faces = int(np.count_nonzero(subject.in_range & ~subject.usable))
        yield SurfaceProblem(
            kind=ProblemKind.NON_FINITE_COORDINATES,
            severity=Severity.ERROR,
            count=len(bad),
            examples=subject.vertex_examples(bad, MAX_EXAMPLES),
            message=f"vertices have coordinates that are not finite numbers; {n_faces} triangles use them",
            remedy="mend them in the source of the mesh; repairing drops these triangles and leaves holes",
        )


def find_duplicate_vertices(subject: Subject) -> Iterator[SurfaceProblem]:
    """Vertices that coincide within the weld tolerance."""
    labels = subject.labels
    copies = np.flatnonzero(labels != np.arange(len(labels)))
    if len(copies) == 0:
        return
    joined = _at_border_or_joined(subject, copies)
    within = f"within {subject.tolerance * subject.size:.3g} m"
    yield SurfaceProblem(
        kind=ProblemKind.DUPLICATE_VERTICES,
        severity=Severity.WARNING if joined else Severity.NOTE,
        count=len(copies),
        examples=subject.vertex_examples(copies, MAX_EXAMPLES),
        message=(
            f"vertices lie {within} of another one: triangles there may not know that they are neighbours"
            if joined
            else f"vertices lie {within} of another one: closed parts touch each other there"
        ),
        remedy="weld them with repair_surface or 'polycontact repair'" if joined else "none needed if this is meant",
    )


def _at_border_or_joined(subject: Subject, copies: NDArray[np.int64]) -> bool:
    """Some of the coincident vertices lie on a border, or are the two ends of an edge."""
    edges = subject.half_edges
    on_border = np.zeros(len(subject.labels), dtype=bool)
    on_border[edges.edges[edges.border_edges]] = True
    ends = subject.labels[edges.edges]
    short = bool(np.any(ends[:, 0] == ends[:, 1]))
    return short or bool(np.any(on_border[copies] | on_border[subject.labels[copies]]))


def find_non_manifold_vertices(subject: Subject) -> Iterator[SurfaceProblem]:
    """Vertices at which several fans of triangles touch without sharing an edge."""
    first, second = linked_half_edges(subject.half_edges)
    fans = corner_fans(subject.triangles, first, second).ravel()
    corners = subject.triangles.ravel()
    # The corners of one fan share their vertex: count the fans of each vertex by their first corners.
    n_fans = int(fans.max(initial=-1)) + 1
    vertex_of_fan = np.empty(n_fans, dtype=np.int64)
    vertex_of_fan[fans] = corners
    bad = np.flatnonzero(np.bincount(vertex_of_fan, minlength=1) > 1)
    if len(bad):
        yield SurfaceProblem(
            kind=ProblemKind.NON_MANIFOLD_VERTICES,
            severity=Severity.WARNING,
            count=len(bad),
            examples=subject.vertex_examples(bad, MAX_EXAMPLES),
            message="pieces of the surface touch in these single points, like the cones of an hourglass",
            remedy=(
                "none needed; repair_surface or 'polycontact repair' gives each piece its own vertex, in another "
                "format than STL, where they fall together again"
            ),
        )


def find_unused(subject: Subject) -> Iterator[SurfaceProblem]:
    """Vertices that no triangle names."""
    unused = np.flatnonzero(~subject.used_vertices)
    if len(unused):
        yield SurfaceProblem(
            kind=ProblemKind.UNUSED_VERTICES,
            severity=Severity.NOTE,
            count=len(unused),
            examples=subject.vertex_examples(unused, MAX_EXAMPLES),
            message="vertices belong to no triangle; they have no effect",
            remedy="none needed; repairing drops them",
        )
