"""The shapes of contact elements as triangles to draw: their outlines, as the kernels give them, filled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.report.view.filled_outlines import fill


class ElementShapes(NamedTuple):
    """``triangles`` (k, 3, 3) m in the frame of the base surface, and the row of its ``element`` (k,)."""

    triangles: NDArray[np.float64]
    element: NDArray[np.int64]


def element_shapes(pairing: ContactPairing, result: ContactResult, side: int) -> ElementShapes:
    """Shapes of the elements whose base is E (``side`` 0) or F (1), in the frame of that surface."""
    rows = np.flatnonzero(result.elements.side == side)
    triangles, owner = [np.empty((0, 3, 3))], [np.empty(0, dtype=np.int64)]
    for row in rows.tolist():
        pieces = fill(result.outlines[row], -result.elements.normal[row])
        triangles.append(pieces)
        owner.append(np.full(len(pieces), row))
    corners = np.concatenate(triangles)
    if side:
        R, r, _, _ = result.kinematics.arrays()
        corners = (corners - r) @ R
    return ElementShapes(corners, np.concatenate(owner))
