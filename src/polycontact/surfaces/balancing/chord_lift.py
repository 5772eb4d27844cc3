"""How high the smooth body stands above the triangles whose corners lie on it.

With the sagitta s of each side (the height of the body above its middle) and the barycentric coordinates b, the body
is 4 Σ s_ij b_i b_j above the triangle, over its three sides: exact for a body of second order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.balancing.sheets import Sheets, sums_by
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import WELD_TOLERANCE

SAGITTA_AGREEMENT: Final = 1.0 / 3.0
"""Two ends of a side whose sagittae differ by up to this factor are averaged, as on any curve whose curvature changes
along the side. Beyond it the mean fades, down to nothing where one end sees no bend: next to a tip or a flat part."""


@dataclass(frozen=True)
class ChordLift:
    """``sagitta`` (n_triangles, 3): of the sides of each triangle, m, outwards positive.

    ``n_unconfirmed``: number of inner sheets that see a curve most of which their neighbours do not see, as where noise
    is larger than the sagittae.
    """

    sagitta: NDArray[np.float64]
    n_unconfirmed: int

    def moments(self, surface: Surface) -> NDArray[np.float64]:
        """Volume between triangle and body, m³, weighted with the barycentric coordinate of each corner (n, 3)."""
        next_side, last_side = self.sagitta, np.roll(self.sagitta, 1, axis=1)
        opposite_side = np.roll(self.sagitta, -1, axis=1)
        return surface.areas[:, None] * (2.0 * (next_side + last_side) + opposite_side) / 15.0


def find_chord_lift(surface: Surface, sheets: Sheets) -> ChordLift:
    """Sagittae of all sides, from the normals at their two ends."""
    corners = surface.vertices[surface.triangles]
    side = np.roll(corners, -1, axis=1) - corners
    following = np.roll(sheets.of_corner, -1, axis=1)
    from_start = -_seen(sheets, sheets.of_corner, sheets.cosine, side)
    from_stop = _seen(sheets, following, np.roll(sheets.cosine, -1, axis=1), side)

    magnitudes = np.abs(from_start), np.abs(from_stop)
    smaller, larger = np.minimum(*magnitudes), np.maximum(*magnitudes)
    agreed = np.where(from_start * from_stop > 0.0, smaller, 0.0)
    share = agreed / np.maximum(larger, np.finfo(float).tiny)
    sagitta = 0.5 * (from_start + from_stop) * np.minimum(1.0, share / SAGITTA_AGREEMENT)

    claimed, missing = np.zeros(len(sheets.vertex)), np.zeros(len(sheets.vertex))
    for sheet, magnitude in zip((sheets.of_corner, following), magnitudes, strict=True):
        counts = sheets.is_curved[:, None] & (magnitude > WELD_TOLERANCE * surface.size)
        claimed += sums_by(sheet, np.where(counts, magnitude, 0.0), len(claimed))
        missing += sums_by(sheet, np.where(counts, magnitude - agreed, 0.0), len(claimed))
    return ChordLift(
        sagitta=np.where(sheets.is_curved[:, None], sagitta, 0.0),
        n_unconfirmed=int(np.count_nonzero(sheets.is_inner & (missing > 0.5 * claimed))),
    )


def _seen(
    sheets: Sheets, sheet: NDArray[np.int64], cosine: NDArray[np.float64], side: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sagitta (n, 3), m, of each side of a triangle as the tangent plane of ``sheet`` at its end has it; 0 at tips."""
    height = np.einsum("tij,tij->ti", sheets.normal[sheet], side)
    usable = ~sheets.is_tip[sheet]
    return np.where(usable, 0.25 * height / np.where(usable, cosine, 1.0), 0.0)
