"""Problems of faces: none at all, bad indices, without area, twice, crossing each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.inspection.faces import has_repeated_corner
from polycontact.surfaces.inspection.self_intersections import find_self_intersections
from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.surface_problems import (
    MAX_EXAMPLES,
    ProblemKind,
    Severity,
    SurfaceProblem,
    search_stopped,
)


def find_unusable_faces(subject: Subject) -> Iterator[SurfaceProblem]:
    """No triangles, or triangles that name vertices which do not exist."""
    n = len(subject.mesh.triangles)
    if n == 0:
        yield SurfaceProblem(
            kind=ProblemKind.NO_TRIANGLES,
            severity=Severity.ERROR,
            count=1,
            examples=(),
            message="the mesh has no triangles",
            remedy="export the part as a surface mesh, not as points or lines",
        )
    bad = np.flatnonzero(~subject.in_range)
    if len(bad):
        first = subject.mesh.triangles[bad[0]].tolist()
        yield SurfaceProblem(
            kind=ProblemKind.INVALID_INDICES,
            severity=Severity.ERROR,
            count=len(bad),
            examples=(),
            message=(
                f"triangles name vertices that do not exist; the first is triangle {int(bad[0])} with "
                f"vertices {first}, but there are {len(subject.mesh.vertices)}, counted from 0"
            ),
            remedy="correct the indices (do they count from 1?); repairing drops these triangles",
        )


def find_degenerate(subject: Subject) -> Iterator[SurfaceProblem]:
    """Triangles without area, and triangles that are nearly so."""
    flat = np.flatnonzero(subject.degenerate)
    if len(flat):
        yield SurfaceProblem(
            kind=ProblemKind.DEGENERATE_FACES,
            severity=Severity.ERROR,
            count=len(flat),
            examples=subject.face_examples(flat, MAX_EXAMPLES),
            message="triangles have no area: corners coincide or lie on a line, so that they have no normal",
            remedy="remove them with repair_surface or 'polycontact repair'",
        )
    needles = np.flatnonzero((subject.heights <= subject.tolerance) & ~subject.degenerate)
    if len(needles):
        limit = subject.tolerance * subject.size
        yield SurfaceProblem(
            kind=ProblemKind.NEEDLE_FACES,
            severity=Severity.WARNING,
            count=len(needles),
            examples=subject.face_examples(needles, MAX_EXAMPLES),
            message=f"triangles are needles, less than {limit:.3g} m high: their normals are unreliable",
            remedy="export with a finer file precision or a coarser tessellation, or remesh the part",
        )


def find_duplicate_faces(subject: Subject) -> Iterator[SurfaceProblem]:
    """Triangles on the same three vertices, or on vertices in the same three places facing the same way."""
    pairs, opposed = subject.coincident_faces
    bad = np.union1d(subject.repeated_faces, subject.faces[pairs[~opposed, 1]])
    if len(bad):
        yield SurfaceProblem(
            kind=ProblemKind.DUPLICATE_FACES,
            severity=Severity.ERROR,
            count=len(bad),
            examples=subject.face_examples(bad, MAX_EXAMPLES),
            message="triangles repeat others: the same patch of surface would carry load twice",
            remedy="remove the copies with repair_surface or 'polycontact repair'",
        )


def find_intersections(subject: Subject) -> Iterator[SurfaceProblem]:
    """Triangles that cross, fold over or lie on each other."""
    pairs, opposed = subject.coincident_faces
    copies = pairs[~opposed, 1]
    touching = [np.sort(subject.faces[pairs[opposed]], axis=1)]
    corners = subject.labels[subject.triangles]
    thick = (subject.heights[subject.faces] > subject.tolerance) & ~has_repeated_corner(corners)
    thick[copies] = False
    thick[pairs[opposed].ravel()] = False
    kept = np.flatnonzero(thick)
    result = find_self_intersections(subject.points, corners[kept], subject.tolerance)
    found = subject.faces[kept[result.pairs]]
    rests = result.overlap & _only_rest_on_each_other(subject, found)
    yield from _self_intersections(subject, found[~rests], result.complete)
    touching.append(found[rests])
    yield from _touching(subject, np.concatenate(touching))
    if not result.complete:
        yield search_stopped("self-intersections", len(found))


def _only_rest_on_each_other(subject: Subject, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Pairs (k, 2) of triangles without a common vertex that face each other."""
    a, b = (subject.mesh.triangles[pairs[:, i]] for i in (0, 1))
    shared = (a[:, :, None] == b[:, None, :]).any(axis=(1, 2))
    p, q = subject.points[a], subject.points[b]
    normals = [np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]) for x in (p, q)]
    return np.asarray(~shared & (np.einsum("ij,ij->i", normals[0], normals[1]) < 0.0))


def _self_intersections(subject: Subject, pairs: NDArray[np.int64], complete: bool) -> Iterator[SurfaceProblem]:
    if len(pairs):
        yield SurfaceProblem(
            kind=ProblemKind.SELF_INTERSECTIONS,
            severity=Severity.ERROR,
            count=len(pairs),
            examples=subject.face_examples(pairs, MAX_EXAMPLES),
            message=(
                f"{'' if complete else 'at least '}{len(pairs)} pairs of triangles cross or fold over each "
                f"other: parts of the surface lie inside the solid"
            ),
            remedy="unite the overlapping solids or mend the folds in the CAD program; repairing leaves them",
        )


def _touching(subject: Subject, pairs: NDArray[np.int64]) -> Iterator[SurfaceProblem]:
    if len(pairs):
        yield SurfaceProblem(
            kind=ProblemKind.TOUCHING_FACES,
            severity=Severity.WARNING,
            count=len(pairs),
            examples=subject.face_examples(pairs, MAX_EXAMPLES),
            message="pairs of triangles lie face to face: parts of the mesh rest on each other",
            remedy="unite the solids in the CAD program if they are one body",
        )
