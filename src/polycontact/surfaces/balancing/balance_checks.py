"""Where balancing does not apply, and whether its result is sound: refusals and warnings."""

from __future__ import annotations

import math
import warnings
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError, SurfaceWarning, level_of_the_caller
from polycontact.surfaces.balancing.chord_lift import ChordLift
from polycontact.surfaces.balancing.edge_bends import EdgeBends
from polycontact.surfaces.inspection.self_intersections import find_self_intersections
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import WELD_TOLERANCE

DOUBTFUL_BENDS: Final = (0.8, 1.25)
"""Edges whose bend is within these multiples of the feature angle may be meant smooth or sharp."""

WARNED_DOUBTFUL_SHARE: Final = 0.05
"""Share of doubtful edges among the smoothly bent ones that is worth a warning. The bubble of 950 triangles has 2.6 %
and is balanced well; a torus with 12 edges around its tube has 50 % and is not."""

REFUSED_UNCONFIRMED_SHARE: Final = 0.4
"""Share of the vertices whose curvature their neighbours do not confirm, beyond which a mesh is refused. Generated
shapes and rounded boxes with tips, fillets and uneven triangles have up to 4 %, a body of panels that meet in blunt
edges 27 %. A sphere whose vertices are off by the sagitta of its edges (standard deviation) has 8 % and gains from
balancing; off by two sagittae 30 %, by three 57 %, and noise then does more to the force than the chord error."""

WARNED_SLIVER_SHARE: Final = 0.1
"""Share of the moved vertices that slivers hold back which is worth a warning: the rest still gains most of it."""


def checked_angle(surface: Surface, feature_angle: float) -> float:
    """``feature_angle`` (rad), refused where it makes no sense."""
    if not (isinstance(feature_angle, int | float) and 0.0 < feature_angle <= 0.5 * math.pi):
        raise SurfaceError(
            f"{surface.name}: feature_angle = {feature_angle!r} rad; allowed is more than 0 and at most π/2, "
            f"for example math.radians(30)"
        )
    return float(feature_angle)


def refuse_balanced(surface: Surface) -> None:
    """Refuse to balance twice: the vertices of a balanced surface lie outside the body."""
    if surface.is_balanced:
        raise SurfaceError(
            f"{surface.name}: is balanced already, and a second time would add volume; balance the surface as it was "
            f"loaded or made, once"
        )


def warn_of_doubtful_edges(surface: Surface, bends: EdgeBends, feature_angle: float) -> None:
    """Warn of a mesh on which the feature angle does not tell smooth from sharp: mostly one that is too coarse."""
    low, high = (factor * feature_angle for factor in DOUBTFUL_BENDS)
    doubtful = (bends.angle > low) & (bends.angle < high)
    n_doubtful, n_bent = (np.count_nonzero(each) for each in (doubtful, ~bends.is_flat & (bends.angle < high)))
    if n_doubtful <= WARNED_DOUBTFUL_SHARE * n_bent:
        return
    triangle, side = (int(each[0]) for each in np.nonzero(doubtful))
    a, b = surface.triangles[triangle, [side, (side + 1) % 3]].tolist()
    _warn(
        f"{surface.name}: {n_doubtful // 2} edges bend by {_degrees(low)} to {_degrees(high)}, near the feature angle "
        f"of {_degrees(feature_angle)}, the first between vertices {a} and {b}: balancing cannot tell whether they are "
        f"sharp or belong to a curve of too few triangles; refine the mesh, or give another feature_angle"
    )


def refuse_unresolved(surface: Surface, lift: ChordLift) -> None:
    """Refuse a mesh whose normals do not tell its curvature: a scan with noise, or one that is far too coarse."""
    if lift.n_unconfirmed <= REFUSED_UNCONFIRMED_SHARE * len(surface.vertices):
        return
    raise SurfaceError(
        f"{surface.name}: cannot be balanced: at {lift.n_unconfirmed} of {len(surface.vertices)} vertices the "
        f"curvature is not what their neighbours see, as on a scan whose noise is larger than the bulge over a "
        f"triangle; smooth or remesh it, or use it as it is"
    )


def warn_of_nothing_moved(surface: Surface, feature_angle: float) -> None:
    """Warn where no vertex has a curved part around it."""
    _warn(
        f"{surface.name}: balancing moved nothing: there are only flat faces, borders, and edges that bend by "
        f"{_degrees(feature_angle)} or more, which stay as they are; where a round body is meant, refine the mesh or "
        f"give a larger feature_angle"
    )


def warn_of_slivers(surface: Surface, wanted: NDArray[np.float64], motion: NDArray[np.float64]) -> None:
    """Warn where many vertices move less than ``wanted`` (n, 3), because triangles there would turn over."""
    n_held, n_moved = (int(np.count_nonzero(each.any(axis=1))) for each in (wanted - motion, wanted))
    if n_held > WARNED_SLIVER_SHARE * n_moved:
        _warn(
            f"{surface.name}: {n_held} of {n_moved} vertices belong to slivers, triangles lower than the bulge over "
            f"their neighbours, and move less than they should; mesh anew with even triangles to balance all of it"
        )


def refuse_flipped(surface: Surface, moved: Surface) -> None:
    """Refuse a result in which a triangle has turned over; slivers are held back, so that there should be none."""
    flipped = np.flatnonzero(~(np.einsum("ij,ij->i", surface.normals, moved.normals) > 0.0))
    if len(flipped):
        raise SurfaceError(
            f"{surface.name}: cannot be balanced: {len(flipped)} triangles would turn over, the first is triangle "
            f"{int(flipped[0])}; mesh anew with even triangles, or use it as it is"
        )


def warn_of_new_crossings(surface: Surface, moved: Surface) -> None:
    """Warn where parts that were apart now cross: their gap was narrower than the bulge over their triangles."""
    after = _crossings(moved)
    new = sorted(after - _crossings(surface)) if after else []
    if not new:
        return
    a, b = new[0]
    x, y, z = moved.barycentres[a]
    _warn(
        f"{surface.name}: {len(new)} pairs of triangles cross after balancing that did not before, the first is "
        f"{a} and {b} near ({x:.4g}, {y:.4g}, {z:.4g}) m: the gap there is narrower than the bulge over a triangle; "
        f"refine the mesh there if it matters for the contact"
    )


def _crossings(surface: Surface) -> set[tuple[int, int]]:
    """Pairs of triangles that cross."""
    found = find_self_intersections(surface.vertices, surface.triangles.astype(np.int64), WELD_TOLERANCE * surface.size)
    return {(int(a), int(b)) for a, b in found.pairs}


def _degrees(angle: float) -> str:
    return f"{math.degrees(angle):.3g}°"


def _warn(text: str) -> None:
    warnings.warn(text, SurfaceWarning, stacklevel=level_of_the_caller())
