"""Make triangles face the right way: neighbours alike, solids outward, cavities inward."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.half_edges import build_half_edges
from polycontact.surfaces.inspection.component_orientation import ClosedComponents, consistent_flips
from polycontact.surfaces.inspection.links import face_components
from polycontact.surfaces.mending.draft import Draft


def orient_neighbours(draft: Draft) -> Draft:
    """Reverse the fewest triangles so that neighbours agree; one-sided patches stay as they are."""
    half_edges = build_half_edges(draft.triangles.astype(np.int32))
    if not np.any(half_edges.same_direction):
        return draft
    flip = consistent_flips(half_edges).flip
    return draft.with_triangles(
        _reversed(draft.triangles, flip),
        "reversed {triangles} against their neighbours",
        int(flip.sum()),
    )


def orient_outward(draft: Draft) -> Draft:
    """Turn closed components so that they enclose solid, but for cavities inside others."""
    half_edges = build_half_edges(draft.triangles.astype(np.int32))
    components = face_components(half_edges)
    inward = ClosedComponents(draft.points, draft.triangles, half_edges, components).to_reverse()
    return draft.with_triangles(
        _reversed(draft.triangles, np.isin(components, inward)),
        "turned {components} inside out",
        len(inward),
    )


def _reversed(triangles: NDArray[np.int64], flip: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The triangles (m, 3), those with ``flip`` in the opposite orientation."""
    result = triangles.copy()
    result[flip] = triangles[flip][:, ::-1]
    return result
