"""How high the smooth body stands above the facets of its mesh: what a contact of that mesh cannot know."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.surface import Surface
from polycontact.tolerances import FEATURE_ANGLE


class FacetLift(NamedTuple):
    """Of each triangle (n,), m: mean ``height`` of the smooth body above it, negative in hollows, 0 where flat; and
    ``spread``, the standard deviation of that height over the triangle.

    The body is estimated from the normals at the vertices, within the feature angle. A balanced mesh has the height 0.
    """

    height: NDArray[np.float64]
    spread: NDArray[np.float64]


_known: WeakKeyDictionary[Surface, FacetLift] = WeakKeyDictionary()


def facet_lift(surface: Surface) -> FacetLift:
    """The lift of a surface's facets, found once."""
    if surface not in _known:
        _known[surface] = _find(surface)
    return _known[surface]


def _find(surface: Surface) -> FacetLift:
    """With the sagittae s of its sides the body is 4 Σ s_ij b_i b_j above a triangle: mean and deviation of that.

    Means over a triangle of b_i b_j: 1/12, of (b_i b_j)²: 1/90, of b_i² b_j b_k: 1/180.
    """
    from polycontact.surfaces.balancing.chord_lift import find_chord_lift
    from polycontact.surfaces.balancing.edge_bends import find_edge_bends
    from polycontact.surfaces.balancing.flat_regions import find_flat_faces
    from polycontact.surfaces.balancing.sheets import find_sheets

    bends = find_edge_bends(surface, FEATURE_ANGLE)
    sheets = find_sheets(surface, bends, find_flat_faces(surface, bends), FEATURE_ANGLE)
    s = find_chord_lift(surface, sheets).sagitta
    total = s.sum(axis=1)
    squares = np.einsum("ti,ti->t", s, s)
    mean = total / 3.0
    mean_square = 16.0 * (squares / 90.0 + (total * total - squares) / 180.0)
    spread = np.sqrt(np.maximum(mean_square - mean * mean, 0.0))
    return FacetLift(np.zeros_like(mean) if surface.is_balanced else mean, spread)
