"""Take away fins: sheets that hang on a closed body by an edge, which then has three triangles."""

from __future__ import annotations

import numpy as np

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import build_half_edges
from polycontact.surfaces.inspection.links import linked_half_edges
from polycontact.surfaces.mending.draft import Draft


def drop_fins(draft: Draft) -> Draft:
    """Without patches that have a free border and hang on edges of which two other triangles are left.

    Patches are connected across edges of two triangles; a fin has one triangle at each edge that it hangs on. Where all
    that meet at an edge have free borders, none is more of a fin than the others, and all stay.
    """
    half_edges = build_half_edges(draft.triangles.astype(np.int32))
    edges, counts = half_edges.triangle_edges, half_edges.counts
    if not (counts > 2).any():
        return draft
    first, second = linked_half_edges(half_edges)
    manifold = counts[edges.ravel()[first]] == 2
    patch = connected_labels(len(draft.triangles), first[manifold] // 3, second[manifold] // 3)
    hangs = np.zeros(int(patch.max()) + 1, dtype=bool)
    hangs[patch[(counts[edges] == 1).any(axis=1)]] = True
    others = np.bincount(edges[~hangs[patch]].ravel(), minlength=len(counts))
    crowded = counts[edges] > 2
    stays = ~hangs
    stays[patch[(crowded & (others[edges] != 2)).any(axis=1)]] = True  # it would leave an edge undecided
    own = np.repeat(patch, 3)[crowded.ravel()] * len(counts) + edges[crowded]
    at_edges, times = np.unique(own, return_counts=True)
    stays[at_edges[times > 1] // len(counts)] = True  # it goes on beyond the edge: a body with a hole that touches
    touches = np.zeros(len(hangs), dtype=bool)
    touches[patch[crowded.any(axis=1)]] = True
    fins = touches & ~stays
    kept = ~fins[patch]
    n = int(np.count_nonzero(~kept))
    return draft.with_triangles(draft.triangles[kept], "removed {triangles} of fins that hang on an edge of a body", n)
