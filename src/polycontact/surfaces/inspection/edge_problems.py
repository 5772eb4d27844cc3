"""Problems of edges: cracks, open borders, edges with more than two triangles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from polycontact.surfaces.inspection.cracks import find_cracks
from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.surface_problems import (
    MAX_EXAMPLES,
    ProblemKind,
    Severity,
    SurfaceProblem,
    search_stopped,
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
