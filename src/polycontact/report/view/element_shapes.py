"""The shapes of contact elements as triangles to draw: their outlines, as the kernels give them, filled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.depth_at_points import distances_to
from polycontact.contact.methods import PolygonalMethod, has_distance_depth
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.report.view.filled_outlines import fill
from polycontact.report.view.relief import relief


class ElementShapes(NamedTuple):
    """``triangles`` (k, 3, 3) m in the frame of the base surface, and the row of its ``element`` (k,).

    Of several elements on one piece of surface, cells of a triangle, it is the first. ``share`` (k,): the depth at the
    middle of each triangle over the mean of its piece, where that varies; else 1.
    """

    triangles: NDArray[np.float64]
    element: NDArray[np.int64]
    share: NDArray[np.float64]


def element_shapes(pairing: ContactPairing, result: ContactResult, side: int) -> ElementShapes:
    """Shapes of the elements whose base is E (``side`` 0) or F (1), in the frame of that surface."""
    pieces = result._pieces
    _, first = np.unique(pieces.piece, return_index=True)
    triangles, owner = [np.empty((0, 3, 3))], [np.empty(0, dtype=np.int64)]
    for row in np.sort(first[result.elements.side[first] == side]).tolist():
        filled = fill(pieces.loops[pieces.piece[row]], -result.elements.normal[row])
        triangles.append(filled)
        owner.append(np.full(len(filled), row))
    shapes = ElementShapes(np.concatenate(triangles), np.concatenate(owner), np.ones(sum(map(len, owner))))
    R, r, _, _ = result.kinematics.arrays()
    if _has_relief(pairing.method) and len(shapes.element):
        shapes = ElementShapes(
            *relief(
                shapes.triangles,
                shapes.element,
                lambda points: distances_to(pairing, 1 - side, points if side else (points - r) @ R),
            )
        )
    return shapes._replace(triangles=(shapes.triangles - r) @ R) if side else shapes


def _has_relief(method: object) -> bool:
    """Whether the depth is known inside elements; whole triangles reach out of the target, where there is none."""
    return isinstance(method, PolygonalMethod) and has_distance_depth(method) and method.elements == "clipped"


def element_values_on(shapes: ElementShapes, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of elements (n, 3), pressure, depth and slip speed, on their triangles (k, 3)."""
    found = values[shapes.element]
    found[:, :2] *= shapes.share[:, None]
    return found


def means(values: NDArray[np.float64], area: NDArray[np.float64], group: NDArray[np.int64]) -> NDArray[np.float64]:
    """Values (n,) or (n, m) of elements, each replaced by the mean of its ``group`` (n,), weighted by ``area`` (n,) m².

    Groups are numbered from 0 without a gap.
    """
    n = int(group.max(initial=-1)) + 1
    if n == len(values):
        return values  # each in a group of its own
    columns = values.reshape(len(values), -1).T
    total = np.bincount(group, area, n)
    mean = np.stack([np.bincount(group, area * column, n) / total for column in columns], axis=-1)
    return np.asarray(mean[group].reshape(values.shape))


def triangle_groups(side: NDArray[np.integer], triangle: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number (n,) of the base triangle of elements, given by side and id, without a gap."""
    _, group = np.unique(np.column_stack((side, triangle)), axis=0, return_inverse=True)
    return np.asarray(group.reshape(-1), dtype=np.int64)
