"""The search for problems of a mesh: of vertices, edges, faces and orientation; each function yields what it finds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.inspection.component_orientation import ClosedComponents, consistent_flips
from polycontact.surfaces.inspection.cracks import find_cracks
from polycontact.surfaces.inspection.faces import has_repeated_corner
from polycontact.surfaces.inspection.links import corner_fans, linked_half_edges
from polycontact.surfaces.inspection.self_intersections import find_self_intersections
from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.surface_problems import (
    MAX_EXAMPLES,
    ProblemKind,
    Severity,
    SurfaceProblem,
    search_stopped,
)


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


def find_borders(subject: Subject) -> Iterator[SurfaceProblem]:
    """Cracks, and the borders of an open surface."""
    edges = subject.half_edges
    border = edges.border_edges
    if len(border) == 0:
        return
    cracks = find_cracks(subject.points, edges, subject.labels, subject.tolerance)
    if len(cracks.edges):
        yield SurfaceProblem(
            kind=ProblemKind.CRACKS,
            severity=Severity.ERROR,
            count=len(cracks.edges),
            examples=subject.edge_examples(cracks.edges, MAX_EXAMPLES),
            message=_crack_message(len(cracks.split_edges)),
            remedy="weld and stitch them with repair_surface or 'polycontact repair'",
        )
    if not cracks.complete:
        yield search_stopped("cracks", len(cracks.edges))
    free = np.setdiff1d(border, cracks.edges)
    if len(free):
        yield SurfaceProblem(
            kind=ProblemKind.BORDER_EDGES,
            severity=Severity.NOTE,
            count=len(free),
            examples=subject.edge_examples(free, MAX_EXAMPLES),
            message="the surface is open: these edges have a triangle on one side only",
            remedy=(
                "none needed if a sheet is meant; otherwise close the holes in the CAD program, or small ones with "
                "fill_holes of repair_surface ('polycontact repair --fill-holes')"
            ),
        )


def _crack_message(n_junctions: int) -> str:
    message = "border edges lie on other border edges: the surface looks closed there, but is torn"
    if n_junctions:
        message += f"; vertices lie within edges of the other side (T-junctions: {n_junctions})"
    return message


def find_non_manifold_edges(subject: Subject) -> Iterator[SurfaceProblem]:
    """Edges with more than two triangles."""
    bad = subject.half_edges.non_manifold_edges
    if len(bad):
        most = int(subject.half_edges.counts[bad].max())
        yield SurfaceProblem(
            kind=ProblemKind.NON_MANIFOLD_EDGES,
            severity=Severity.ERROR,
            count=len(bad),
            examples=subject.edge_examples(bad, MAX_EXAMPLES),
            message=(
                f"edges have up to {most} triangles instead of two: parts touch along an edge, or there is a "
                f"fin or an inner wall; which side is inside is undecided there"
            ),
            remedy=(
                "repair_surface or 'polycontact repair' separates parts that touch, in another format than STL, where "
                "they fall together again, and removes fins of closed bodies; remove inner walls in the CAD program "
                "(unite the solids)"
            ),
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


def find_contradictions(subject: Subject) -> Iterator[SurfaceProblem]:
    """Neighbouring triangles of which one shows its front and the other its back."""
    bad = np.flatnonzero(subject.half_edges.same_direction)
    if len(bad) == 0:
        return
    flips = consistent_flips(subject.half_edges)
    n_flips = int(np.count_nonzero(flips.flip))
    if np.any(flips.one_sided):
        message = "the surface has one side only, like a Möbius band: it has no inside and no outside"
        remedy = "cut it open or model it with a thickness; no reversal of triangles can mend it"
    else:
        message = f"triangles on the two sides of these edges face opposite ways; {n_flips} triangles are reversed"
        remedy = "orient them with repair_surface or 'polycontact repair'"
    yield SurfaceProblem(
        kind=ProblemKind.INCONSISTENT_ORIENTATION,
        severity=Severity.ERROR,
        count=len(bad),
        examples=subject.edge_examples(bad, MAX_EXAMPLES),
        message=message,
        remedy=remedy,
    )


def find_inward(subject: Subject) -> Iterator[SurfaceProblem]:
    """Closed components whose normals point into the material."""
    parts = ClosedComponents(subject.points, subject.triangles, subject.half_edges, subject.components)
    inward = parts.inward()
    if len(inward) == 0:
        return
    first = np.array([np.flatnonzero(subject.components == c)[0] for c in inward[:MAX_EXAMPLES]])
    yield SurfaceProblem(
        kind=ProblemKind.INWARD_ORIENTATION,
        severity=Severity.ERROR,
        count=len(inward),
        examples=subject.face_examples(subject.faces[first], MAX_EXAMPLES),
        message="closed components are inside out: their normals point into the material",
        remedy="turn them with repair_surface or 'polycontact repair', or load the mesh with flip=True",
    )


def find_several_components(subject: Subject) -> Iterator[SurfaceProblem]:
    """A mesh of several pieces that share no edge."""
    _, first = np.unique(subject.components, return_index=True)
    if len(first) > 1:
        yield SurfaceProblem(
            kind=ProblemKind.SEVERAL_COMPONENTS,
            severity=Severity.NOTE,
            count=len(first),
            examples=subject.face_examples(subject.faces[first], MAX_EXAMPLES),
            message="the mesh consists of pieces that share no edge; together they act as one rigid surface",
            remedy="none needed if this is meant; pieces that move by themselves need surfaces of their own",
        )
