"""Drop what does not belong: faces without area, repeated faces and components, unused vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import build_half_edges
from polycontact.surfaces.inspection.coincidence import representatives
from polycontact.surfaces.inspection.faces import (
    FLAT_HEIGHT,
    find_copies,
    has_repeated_corner,
    smallest_heights,
)
from polycontact.surfaces.inspection.links import face_components
from polycontact.surfaces.mending.draft import Draft


def drop_flat_faces(draft: Draft) -> Draft:
    """Without triangles that name a vertex twice or whose corners lie on a line.

    Where a corner lay within the opposite side this leaves a T-junction, which stitching closes.
    """
    flat = has_repeated_corner(draft.triangles)
    flat |= smallest_heights(draft.points, draft.triangles) <= FLAT_HEIGHT
    return draft.with_triangles(draft.triangles[~flat], "removed {triangles} without area", int(np.count_nonzero(flat)))


def drop_repeated_faces(draft: Draft) -> Draft:
    """Without triangles on the same three vertices as another, but for two that are the two sides of a
    wall."""
    copies = find_copies(draft.triangles)
    # The first of each orientation stays for now: number groups apart by orientation.
    group = 2 * copies.first + copies.reversed
    _, kept = np.unique(group, return_index=True)
    kept = np.sort(kept)
    kept = kept[~_needless_backs(draft.triangles[kept])]
    kept = kept[~_copies_at_a_corner(draft, draft.triangles[kept])]
    return draft.with_triangles(
        draft.triangles[kept], "removed {triangles} that repeated others", len(draft.triangles) - len(kept)
    )


def _copies_at_a_corner(draft: Draft, triangles: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Triangles in the place of another one, facing as it does, that have a vertex in common with it: no solid has
    both."""
    result = np.zeros(len(triangles), dtype=bool)
    if not len(build_half_edges(triangles.astype(np.int32)).non_manifold_edges):
        return result
    labels = representatives(draft.points, draft.tolerance)[triangles]
    thick = np.flatnonzero(~has_repeated_corner(labels))
    copies = find_copies(labels[thick])
    first = triangles[thick[copies.first]]
    touches = (triangles[thick][:, :, None] == first[:, None, :]).any(axis=(1, 2))
    result[thick] = copies.is_copy & ~copies.reversed & touches
    return result


def _needless_backs(triangles: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Triangles that are the back of an earlier one, unless both together are a wall between two solids.

    At the rim of such a wall each edge also has one triangle of either solid. Where the rim has an odd
    number of others, or there is no rim at all, the sheet was written with both its sides.
    """
    copies = find_copies(triangles)
    backs = np.flatnonzero(copies.is_copy)
    result = np.zeros(len(triangles), dtype=bool)
    if len(backs) == 0:
        return result
    doubled = result.copy()
    doubled[backs] = doubled[copies.first[backs]] = True
    half_edges = build_half_edges(triangles.astype(np.int32))
    others = np.zeros(len(half_edges.edges), dtype=np.int64)
    np.add.at(others, half_edges.triangle_edges[~doubled], 1)
    edges = half_edges.triangle_edges[backs].astype(np.int64)
    # Sheets: doubled triangles joined across edges; nodes are the backs, then the edges.
    nodes = np.repeat(np.arange(len(backs)), 3)
    sheets = connected_labels(len(backs) + len(others), nodes, len(backs) + edges.ravel())[: len(backs)]
    odd_rim = np.zeros(int(sheets.max()) + 1, dtype=bool)
    odd_rim[sheets[(others[edges] % 2 == 1).any(axis=1)]] = True
    has_rim = np.zeros(len(odd_rim), dtype=bool)
    has_rim[sheets[(others[edges] > 0).any(axis=1)]] = True
    result[backs] = (odd_rim | ~has_rim)[sheets]
    return result


def drop_repeated_components(draft: Draft) -> Draft:
    """Without components of which every triangle lies on an equal one of another, facing the same way."""
    labels = representatives(draft.points, draft.tolerance)[draft.triangles]
    components = face_components(build_half_edges(draft.triangles.astype(np.int32)))
    copies = find_copies(labels)
    repeats = copies.is_copy & ~copies.reversed & (components != components[copies.first])
    unique = np.zeros(int(components.max(initial=-1)) + 1, dtype=bool)
    unique[components[~repeats]] = True
    n_dropped = int(np.count_nonzero(~unique))
    return draft.with_triangles(
        draft.triangles[unique[components]], "removed {components} that repeated others", n_dropped
    )


def drop_unused_vertices(draft: Draft) -> Draft:
    """Without vertices that no triangle names."""
    used, triangles = np.unique(draft.triangles, return_inverse=True)
    return draft.with_vertices(used).with_triangles(triangles.reshape(-1, 3))
