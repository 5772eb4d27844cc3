"""The connected patches of a contact, as a page names them: which elements, what force, and how wide.

In: the result of an evaluation. Out: the number of the patch of each element, patches with their forces, and polygons
with the width of the patch that they bound.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.methods import PolygonalMethod
from polycontact.contact.result import ContactPatch, ContactResult, IntersectionPolygon
from polycontact.report.view.viewer_scene import LinePiece, PatchForce


def patch_numbers(result: ContactResult) -> NDArray[np.int64]:
    """Number (n,) of the patch of each element; zeros where the method does not tell which elements hang together.

    Where both surfaces are the base, a patch of F has the number of the patch of E that lies nearest.
    """
    number = np.zeros(len(result.elements), dtype=np.int64)
    if not isinstance(result.pairing.method, PolygonalMethod):
        return number
    patches = [patch for patch in result.patches if len(patch.elements)]
    on_e = [patch for patch in patches if patch.side == 0]
    for i, patch in enumerate(patches):
        number[patch.elements] = i if patch.side == 0 or not on_e else _nearest(patch, on_e)
    return number


def _nearest(patch: ContactPatch, others: list[ContactPatch]) -> int:
    return int(np.argmin([np.linalg.norm(other.centroid - patch.centroid) for other in others]))


def patch_forces(
    result: ContactResult, number: NDArray[np.int64], force: NDArray[np.float64]
) -> tuple[PatchForce, ...]:
    """Force of each patch on E, frame E, with its centre of pressure; none where nothing presses.

    They add up to ``force`` (3,) N, what was recorded of the pairing: where the law remembers elements, what an
    evaluation of the pose alone cannot know is shared out by normal force.
    """
    elements = result.elements
    load = np.maximum(elements.pressure * elements.area, 0.0)
    total = float(load.sum())
    if not total > 0.0:
        return ()
    unknown = force - elements.force.sum(axis=0)
    found = []
    for k in range(int(number.max(initial=-1)) + 1):
        rows = np.flatnonzero(number == k)
        share = float(load[rows].sum()) / total
        centre = load[rows] @ elements.position[rows] / load[rows].sum() if share > 0.0 else np.zeros(3)
        own = elements.force[rows].sum(axis=0) + share * unknown
        found.append(PatchForce(centre, np.where(share > 0.0, own, 0.0), float(elements.area[rows].sum())))
    return tuple(found)


def borders(result: ContactResult, number: NDArray[np.int64], body: int) -> list[LinePiece]:
    """Intersection polygons by patch, in frame E, with the mean width of their patch: twice the area over the border.

    A polygon belongs to the patch that most of its triangles carry elements of.
    """
    groups: dict[int, list[NDArray[np.float64]]] = {}
    owner = _owners(result, number)
    for polygon in result.polygons:
        groups.setdefault(_patch_of(polygon, owner), []).append(polygon_segments(polygon))
    area = np.bincount(number, result.elements.area) if len(number) else np.zeros(0)
    sides = max(1, len(np.unique(result.elements.side)))
    pieces = []
    for k, segments in groups.items():
        together = np.concatenate(segments)
        border = float(np.linalg.norm(together[:, 1] - together[:, 0], axis=1).sum())
        known = 0 <= k < len(area) and border > 0.0
        pieces.append(LinePiece(body, together, 2.0 * float(area[k]) / sides / border if known else math.inf))
    return pieces


def polygon_segments(polygon: IntersectionPolygon) -> NDArray[np.float64]:
    """A polygon as segments (n, 2, 3) m."""
    points = np.concatenate((polygon.points, polygon.points[:1])) if polygon.is_closed else polygon.points
    return np.stack((points[:-1], points[1:]), axis=1)


def _owners(result: ContactResult, number: NDArray[np.int64]) -> dict[tuple[int, int], int]:
    """Number of the patch for each side and base triangle."""
    elements = result.elements
    rows = zip(elements.side.tolist(), elements.base_triangle.tolist(), number.tolist(), strict=True)
    return {(side, triangle): patch for side, triangle, patch in rows}


def _patch_of(polygon: IntersectionPolygon, owner: dict[tuple[int, int], int]) -> int:
    """The patch that most triangles of a polygon belong to; -1 where none does."""
    votes: dict[int, int] = {}
    for pair in polygon.triangles.tolist():
        for side in (0, 1):
            patch = owner.get((side, pair[side]))
            if patch is not None:
                votes[patch] = votes.get(patch, 0) + 1
    return max(votes, key=lambda patch: votes[patch], default=-1)
