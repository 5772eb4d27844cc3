"""Problems of orientation: neighbours that contradict each other, closed components inside out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from polycontact.surfaces.inspection.component_orientation import ClosedComponents, consistent_flips
from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.surface_problems import MAX_EXAMPLES, ProblemKind, Severity, SurfaceProblem


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
