"""Mend a mesh without changing its shape beyond a stated tolerance.

In: a file, a surface or arrays. Out: a valid `Surface` and what was done, in order:

1. drop triangles that name missing or non-finite vertices;
2. weld border vertices, drop triangles without area and repetitions, stitch T-junctions, until nothing
   changes;
3. remove fins, make neighbours agree on the orientation, separate parts that only touch; fill holes, if asked to;
4. drop components that occur twice, turn closed components outward, but for cavities.

Self-intersections are not resolved, nothing is made convex.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polycontact.errors import SurfaceError
from polycontact.surfaces.check import checked_tolerance
from polycontact.surfaces.half_edges import build_half_edges
from polycontact.surfaces.inspection.component_orientation import consistent_flips
from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.surface_problems import Point
from polycontact.surfaces.inspection.unchecked_mesh import SurfaceSource, mesh_from
from polycontact.surfaces.mending.draft import Draft
from polycontact.surfaces.mending.drop import (
    drop_flat_faces,
    drop_repeated_components,
    drop_repeated_faces,
    drop_unused_vertices,
)
from polycontact.surfaces.mending.fill import fill_holes as add_lids
from polycontact.surfaces.mending.fins import drop_fins
from polycontact.surfaces.mending.orient import orient_neighbours, orient_outward
from polycontact.surfaces.mending.separate import separate_parts
from polycontact.surfaces.mending.weld import stitch_borders, weld_borders
from polycontact.surfaces.surface import Surface
from polycontact.wording import format_vector

MAX_ROUNDS = 20
"""Welding, dropping and stitching each other's leftovers ends after two or three rounds; this ends it for
sure."""


@dataclass(frozen=True)
class RepairResult:
    """A mended ``surface``, what had to be done (``actions``, in order) and the ``tolerance`` (m) of it."""

    surface: Surface
    actions: tuple[str, ...]
    tolerance: float


def repair_surface(
    source: SurfaceSource, *, tolerance: float | None = None, fill_holes: float | None = None
) -> Surface:
    """A valid surface from a broken mesh; see `repair_with_log`, which also says what was done."""
    return repair_with_log(source, tolerance=tolerance, fill_holes=fill_holes).surface


def repair_with_log(
    source: SurfaceSource, *, tolerance: float | None = None, fill_holes: float | None = None
) -> RepairResult:
    """Weld, stitch, clean, separate and orient a mesh, remove its fins; fill its holes if asked to.

    ``source``: a path, a `Surface`, a mesh as read or (vertices (n, 3) in m, triangles (m, 3)).
    ``tolerance`` (m): vertices are welded only onto others, and edges split only at vertices, within this
    of them; by default 1e-6 of the diagonal of the bounding box. ``fill_holes`` (m): holes whose bounding
    box has a diagonal of at most this get a lid of the least area on their rim; by default none. Raises a
    `SurfaceError` that says what remains where the result still is no valid surface.
    """
    mesh = mesh_from(source)
    subject = Subject(mesh, checked_tolerance(tolerance))
    widest = checked_hole(fill_holes)
    draft = _usable_part(subject)
    for _ in range(MAX_ROUNDS):
        before = draft
        for step in (weld_borders, drop_flat_faces, drop_repeated_faces, stitch_borders):
            draft = step(draft)
        if draft.record == before.record:
            break
    draft = separate_parts(orient_neighbours(drop_fins(draft)))
    if widest > 0.0:
        draft = add_lids(draft, widest)
    for _ in range(MAX_ROUNDS):  # what was turned may lie on another now, facing the same way
        before = draft
        draft = orient_outward(drop_repeated_components(draft))
        if draft.record == before.record:
            break
    draft = drop_unused_vertices(draft)
    _refuse_remains(mesh.name, draft)
    surface = Surface(draft.vertices, draft.triangles, name=mesh.name)
    return RepairResult(surface, draft.sentences(), subject.tolerance * subject.size)


def checked_hole(fill_holes: float | None) -> float:
    """Diagonal (m) of the holes that are filled, 0 where none are."""
    if fill_holes is None:
        return 0.0
    if not fill_holes >= 0.0:
        raise SurfaceError(f"fill_holes is {fill_holes} m; give the diagonal of the widest hole to fill, or inf")
    return float(fill_holes)


def _usable_part(subject: Subject) -> Draft:
    """The triangles that name existing vertices with finite coordinates."""
    draft = Draft(
        vertices=subject.mesh.vertices,
        points=subject.points,
        triangles=subject.mesh.triangles[subject.usable],
        tolerance=subject.tolerance,
    )
    n_out = int(np.count_nonzero(~subject.in_range))
    n_infinite = int(np.count_nonzero(subject.in_range & ~subject.usable))
    n_unused = int(np.count_nonzero(~subject.used_vertices))
    draft = draft.with_triangles(draft.triangles, "removed {triangles} on missing vertices", n_out)
    draft = draft.with_triangles(draft.triangles, "removed {triangles} with corners that are not finite", n_infinite)
    return draft.with_triangles(draft.triangles, "removed {vertices} that no triangle used", n_unused)


def _refuse_remains(name: str, draft: Draft) -> None:
    """Raise a `SurfaceError` for what could not be mended."""
    remains = _remains(draft)
    if remains:
        raise SurfaceError(f"{name}: cannot be repaired: " + "; ".join(remains))


def _remains(draft: Draft) -> list[str]:
    if len(draft.triangles) == 0:
        return ["no triangle with area is left; export the part as a surface mesh"]
    half_edges = build_half_edges(draft.triangles.astype(np.int32))
    remains = []

    def place(edge: int) -> str:
        x, y, z = (0.5 * draft.vertices[half_edges.edges[edge]]).sum(axis=0).tolist()
        point: Point = (x, y, z)
        return f"the first at {format_vector(point)} m"

    crowded = half_edges.non_manifold_edges
    if len(crowded):
        have = "edge has" if len(crowded) == 1 else "edges have"
        remains.append(
            f"{len(crowded)} {have} more than two triangles ({place(int(crowded[0]))}), an inner wall or "
            f"sheets that meet; remove them in the CAD program (unite the solids) and export again"
        )
    contrary = np.flatnonzero(half_edges.same_direction)
    if len(contrary):
        one_sided = bool(np.any(consistent_flips(half_edges).one_sided))
        why = "the surface has one side only, like a Möbius band" if one_sided else "neighbours contradict each other"
        remains.append(f"{why} ({place(int(contrary[0]))}); model it with a thickness, or cut it open")
    return remains
