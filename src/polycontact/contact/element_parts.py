"""On which connected part of its base triangle each contact element lies, worked out when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.methods import has_distance_depth
from polycontact.contact.result import ContactElements
from polycontact.kernels.contact.evaluation_view import Evaluation, Side
from polycontact.kernels.contact.triangle_parts import assign_parts
from polycontact.surfaces.contact_data import ContactData
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing


def parts_of_segments(
    side: Side, their_edges: NDArray[np.int32], evaluation: Evaluation
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Part of its triangle to which each segment, in the order of segments, and each corner of a cut triangle belongs.

    Both are 0 where a triangle has one part; ``their_edges``: edges of the other surface's triangles.
    """
    segments = evaluation.segments
    segment_part = np.zeros(segments.n, dtype=np.int32)
    corner_part = np.zeros((side.n_cut, 3), dtype=np.int32)
    if segments.n:
        assign_parts(side, their_edges, evaluation.header.pose, segments, evaluation.parts, segment_part, corner_part)
        segment_part = segment_part[segments.order[: segments.n]]
    return segment_part, corner_part


def parts_of_elements(
    pairing: ContactPairing, elements: ContactElements, surfaces: tuple[Surface, Surface], evaluation: Evaluation
) -> NDArray[np.int32]:
    """Number of the connected part of its base triangle that each element lies on.

    Where elements are cells, this is the part whose border is nearest: from a point inside a part no other border can
    be reached before its own. A cell that reaches over several parts is counted to the one nearest to its centre.
    """
    if not has_distance_depth(pairing.method):
        return elements.part
    found = np.zeros_like(elements.part)
    data = (surfaces[0].contact_data, surfaces[1].contact_data)
    for number, side in enumerate((evaluation.e, evaluation.f)):
        if np.any(elements.side == number):
            _find_nearest(found, elements, number, data[number], side, data[1 - number].triangle_edges, evaluation)
    return found


def _find_nearest(
    found: NDArray[np.int32],
    elements: ContactElements,
    number: int,
    data: ContactData,
    side: Side,
    their_edges: NDArray[np.int32],
    evaluation: Evaluation,
) -> None:
    """Write the parts of the elements of one side, where their triangle has several."""
    segment_part, _ = parts_of_segments(side, their_edges, evaluation)
    segments = evaluation.segments
    order = segments.order[: segments.n]
    triangle = data.order[segments.triangles[order, number]]
    ends = segments.ends[order]
    for t in np.unique(triangle[segment_part > 0]):
        own = np.flatnonzero(triangle == t)
        rows = np.flatnonzero((elements.side == number) & (elements.base_triangle == t))
        distance = _distances(elements.base_point[rows], ends[own, :3], ends[own, 3:])
        if len(rows):
            found[rows] = segment_part[own[distance.argmin(axis=1)]]


def _distances(
    points: NDArray[np.float64], starts: NDArray[np.float64], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distances (n, m) of points (n, 3) from segments (m, 3), m."""
    along = ends - starts
    to_point = points[:, None] - starts
    square = np.einsum("mi,mi->m", along, along)
    share = np.einsum("nmi,mi->nm", to_point, along) / np.where(square > 0.0, square, 1.0)
    return np.asarray(np.linalg.norm(to_point - np.clip(share, 0.0, 1.0)[..., None] * along, axis=2))
