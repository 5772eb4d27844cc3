"""The shapes of contact elements as triangles to draw: their outlines, as the kernels give them, filled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.report.view.filled_outlines import fill


class ElementShapes(NamedTuple):
    """``triangles`` (k, 3, 3) m in the frame of the base surface, and the row of its ``element`` (k,).

    Of several elements on one piece of surface, cells of a triangle, it is the first.
    """

    triangles: NDArray[np.float64]
    element: NDArray[np.int64]


def element_shapes(pairing: ContactPairing, result: ContactResult, side: int) -> ElementShapes:
    """Shapes of the elements whose base is E (``side`` 0) or F (1), in the frame of that surface."""
    pieces = result._pieces
    _, first = np.unique(pieces.piece, return_index=True)
    triangles, owner = [np.empty((0, 3, 3))], [np.empty(0, dtype=np.int64)]
    for row in np.sort(first[result.elements.side[first] == side]).tolist():
        filled = fill(pieces.loops[pieces.piece[row]], -result.elements.normal[row])
        triangles.append(filled)
        owner.append(np.full(len(filled), row))
    corners = np.concatenate(triangles)
    if side:
        R, r, _, _ = result.kinematics.arrays()
        corners = (corners - r) @ R
    return ElementShapes(corners, np.concatenate(owner))


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
