"""Diagnose a mesh: everything that keeps it from being a good surface, in an engineer's words.

In: a file, a surface or arrays, however broken. Out: a `SurfaceReport`. Nothing is changed; see
`repair_surface`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from polycontact.errors import SurfaceError
from polycontact.surfaces.inspection.problem_search import (
    find_borders,
    find_contradictions,
    find_degenerate,
    find_duplicate_faces,
    find_duplicate_vertices,
    find_intersections,
    find_inward,
    find_non_finite,
    find_non_manifold_edges,
    find_non_manifold_vertices,
    find_several_components,
    find_unusable_faces,
    find_unused,
)
from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.surface_problems import (
    ElementKind,
    Point,
    ProblemExample,
    ProblemKind,
    Severity,
    SurfaceProblem,
    SurfaceReport,
)
from polycontact.surfaces.inspection.unchecked_mesh import SurfaceSource, mesh_from

__all__ = [
    "ElementKind",
    "ProblemExample",
    "ProblemKind",
    "Severity",
    "SurfaceProblem",
    "SurfaceReport",
    "SurfaceSource",
    "check_surface",
]

SEARCHES: tuple[Callable[[Subject], Iterator[SurfaceProblem]], ...] = (
    find_unusable_faces,
    find_non_finite,
    find_duplicate_vertices,
    find_borders,
    find_non_manifold_edges,
    find_non_manifold_vertices,
    find_contradictions,
    find_inward,
    find_degenerate,
    find_duplicate_faces,
    find_intersections,
    find_several_components,
    find_unused,
)


def check_surface(source: SurfaceSource, *, tolerance: float | None = None) -> SurfaceReport:
    """Everything that is wrong, doubtful or worth knowing about a mesh.

    ``source``: a path, a `Surface`, a mesh as read or (vertices (n, 3) in m, triangles (m, 3)).
    ``tolerance`` (m): positions nearer than this are the same; by default 1e-6 of the diagonal of the
    bounding box. Bad geometry is reported, never raised; a file that cannot be read raises a
    `SurfaceError`.
    """
    subject = Subject(mesh_from(source), checked_tolerance(tolerance))
    problems = chain.from_iterable(search(subject) for search in SEARCHES)
    severities, kinds = list(Severity), list(ProblemKind)
    closed = len(subject.faces) > 0 and subject.half_edges.is_closed
    return SurfaceReport(
        name=subject.mesh.name,
        problems=tuple(sorted(problems, key=lambda p: (severities.index(p.severity), kinds.index(p.kind)))),
        n_vertices=len(subject.mesh.vertices),
        n_triangles=len(subject.mesh.triangles),
        n_components=int(subject.components.max(initial=-1)) + 1,
        is_closed=closed,
        volume=_volume(subject) if closed else None,
        area=_area(subject),
        bounds=_bounds(subject),
        notes=subject.mesh.notes,
    )


def checked_tolerance(tolerance: float | None) -> float | None:
    """A tolerance (m) as given, refused where it makes no sense."""
    if tolerance is not None and not (np.isfinite(tolerance) and tolerance >= 0.0):
        raise SurfaceError(f"tolerance {tolerance} m must be a finite length, not negative")
    return tolerance


def _area(subject: Subject) -> float:
    """Area of the usable triangles, m²."""
    a, b, c = (subject.points[subject.mesh.triangles[subject.usable, i]] for i in range(3))
    relative = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    return relative * subject.size * subject.size


def _volume(subject: Subject) -> float:
    """Enclosed volume, m³, signed."""
    a, b, c = (subject.points[subject.triangles[:, i]] for i in range(3))
    relative = float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0
    return relative * subject.size * subject.size * subject.size


def _bounds(subject: Subject) -> tuple[Point, Point] | None:
    if subject.bounds is None:
        return None
    (x0, y0, z0), (x1, y1, z1) = subject.bounds.tolist()
    return (x0, y0, z0), (x1, y1, z1)
