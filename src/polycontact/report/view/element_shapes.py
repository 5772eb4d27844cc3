"""The shapes of contact elements: base triangles, clipped at the intersection polygons where the pairing clips."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactElements, ContactResult, IntersectionPolygon
from polycontact.report.view.inside_parts import Loop, inside_parts


class ElementShapes(NamedTuple):
    """``triangles`` (k, 3, 3) m in the frame of the base surface, and the row of its ``element`` (k,)."""

    triangles: NDArray[np.float64]
    element: NDArray[np.int64]


class _Crossings(NamedTuple):
    """How intersection polygons cross one triangle: open polylines and closed loops."""

    polylines: list[Loop]
    loops: list[Loop]


def element_shapes(pairing: ContactPairing, result: ContactResult, side: int) -> ElementShapes:
    """Shapes of the elements whose base is E (``side`` 0) or F (1), in the frame of that surface."""
    elements = result.elements
    rows = np.flatnonzero(elements.side == side)
    surface = pairing.f if side else pairing.e
    whole = surface.vertices[surface.triangles[elements.base_triangle[rows]]]
    if pairing.elements == "whole" or not len(rows):
        return ElementShapes(whole, rows)
    R, r, _, _ = result.kinematics.arrays()
    crossings = _crossings(result.polygons, side)
    uncut = np.array([int(t) not in crossings for t in elements.base_triangle[rows]])
    triangles, owner = [whole[uncut]], [rows[uncut]]
    by_triangle: dict[int, list[int]] = defaultdict(list)
    for row in rows[~uncut].tolist():
        by_triangle[int(elements.base_triangle[row])].append(row)
    for t, members in by_triangle.items():
        corners = surface.vertices[surface.triangles[t]]
        own = crossings[t]
        if side:
            own = _Crossings([(p - r) @ R for p in own.polylines], [(p - r) @ R for p in own.loops])
        centres = elements.base_point[members]
        centres = (centres - r) @ R if side else centres
        for pieces, row in _matched(inside_parts(corners, *own), members, centres, elements):
            triangles.append(pieces)
            owner.append(np.full(len(pieces), row))
    return ElementShapes(np.concatenate(triangles), np.concatenate(owner))


def _crossings(polygons: tuple[IntersectionPolygon, ...], side: int) -> dict[int, _Crossings]:
    """For each triangle of a surface the stretches of polygons on it, with the overlap to their left."""
    found: dict[int, _Crossings] = defaultdict(lambda: _Crossings([], []))
    for polygon in polygons:
        ids, points = polygon.triangles[:, side], polygon.points
        if polygon.is_closed:
            changes = np.flatnonzero(ids != np.roll(ids, 1))
            if not len(changes):
                found[int(ids[0])].loops.append(points[::-1] if side else points)
                continue
            ids, points = np.roll(ids, -changes[0]), np.roll(points, -changes[0], axis=0)
            points = np.concatenate((points, points[:1]))
        starts = np.flatnonzero(np.diff(ids, prepend=-1))
        ends = np.append(starts[1:], len(ids))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            stretch = points[start : end + 1]
            found[int(ids[start])].polylines.append(stretch[::-1] if side else stretch)
    return dict(found)


def _matched(
    parts: list[NDArray[np.float64]], rows: list[int], centres: NDArray[np.float64], elements: ContactElements
) -> list[tuple[NDArray[np.float64], int]]:
    """Each part of a triangle with the element that stands for it: the one with the nearest barycentre."""
    if len(parts) == 1 and len(rows) == 1:
        return [(parts[0], rows[0])]
    matched = []
    for pieces in parts:
        area = np.linalg.norm(np.cross(pieces[:, 1] - pieces[:, 0], pieces[:, 2] - pieces[:, 0]), axis=1)
        total = area.sum()
        centre = (area @ pieces.mean(axis=1)) / total if total > 0.0 else pieces.mean(axis=(0, 1))
        matched.append((pieces, rows[int(np.argmin(np.linalg.norm(centres - centre, axis=1)))]))
    return matched
