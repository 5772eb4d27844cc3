"""Which parts are near each other, and what joint a pair of them may be, by the shape of what lies near.

Of one part the triangles that lie within a gap of the other are looked at. Where their normals are perpendicular to one
axis and their lines meet it all around, one part is a pin in the other; where they meet in a point, a ball in its seat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.scenario.drafting.drafted_parts import DraftedPart

Array = NDArray[np.float64]

GAP_SHARE: Final = 0.01
"""Parts nearer than this part of the size of the smaller one may touch."""

MOST_ALONG: Final = 0.02
"""Mean square of the normals along the axis of a pin, at most: a cone of 8° has as much."""

LEAST_ACROSS: Final = 0.25
"""Mean square of the normals in each direction across the axis, at least: half of it would be all around evenly."""

LEAST_EVERYWHERE: Final = 0.1
"""Mean square of the normals of a ball in each direction, at least: a full ball has a third."""

MOST_RADIUS_SPREAD: Final = 0.03
"""Standard deviation of the radius of a pin or a ball, as a part of it; facets of 24 edges around make 0.3 %."""

MOST_ONE_SIDED: Final = 0.3
"""Length of the mean normal at most: a pin in a hole has none, a pin in a half shell 0.64."""


@dataclass(frozen=True)
class NearPair:
    """Two parts that may touch, by their numbers: ``kind`` of the joint that they may be, "" where none is clear;
    its ``centre`` (m) and ``axis`` in the world, and its ``radius`` (m).
    """

    a: int
    b: int
    gap: float
    kind: Literal["", "revolute", "spherical"] = ""
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    radius: float = 0.0


def near_pairs(parts: list[DraftedPart], gap: float | None) -> list[NearPair]:
    """Pairs of parts not farther apart than ``gap`` (m); 1 % of the smaller one's size if None."""
    boxes = [_box(part) for part in parts]
    found = []
    for i, a in enumerate(parts):
        for j in range(i + 1, len(parts)):
            reach = GAP_SHARE * min(a.size, parts[j].size) if gap is None else gap
            if np.any(boxes[i][0] > boxes[j][1] + reach) or np.any(boxes[j][0] > boxes[i][1] + reach):
                continue
            pair = _pair(parts, i, j, reach)
            if pair is not None:
                found.append(pair)
    return found


def _box(part: DraftedPart) -> tuple[Array, Array]:
    points = part.in_world(part.surface.vertices)
    return points.min(axis=0), points.max(axis=0)


def _pair(parts: list[DraftedPart], i: int, j: int, reach: float) -> NearPair | None:
    """The pair if it is near, with its joint if one is clear: by the smaller part's triangles."""
    small, large = (i, j) if parts[i].size <= parts[j].size else (j, i)
    part, other = parts[small], parts[large]
    pairing = ContactPairing(part.surface, other.surface, law=LayerLaw(stiffness=1.0))
    gap = pairing.distance(part.rotation.T @ other.rotation, (other.position - part.position) @ part.rotation).distance
    if gap > reach:
        return None
    near = np.flatnonzero(_distances(part, other, reach) <= 2.0 * reach)
    joint = _joint(part, near) if len(near) >= 8 else None
    return NearPair(i, j, float(gap), *(joint or ()))


def _distances(part: DraftedPart, other: DraftedPart, reach: float) -> Array:
    """Distance (m) of each triangle of a part to the surface of another, by its middle or its farthest corner,
    whichever is nearer; infinite where it is far.
    """
    surface = part.surface
    points = np.concatenate((surface.vertices[surface.triangles].mean(axis=1), surface.vertices))
    there = (part.in_world(points) - other.position) @ other.rotation
    low, high = other.surface.bounds
    inside = np.all((there > low - 4.0 * reach) & (there < high + 4.0 * reach), axis=1)
    found = np.full(len(points), np.inf)
    if inside.any():
        found[inside] = np.abs(other.surface.closest_points(there[inside]).distances)
    n = len(surface.triangles)
    return np.asarray(np.minimum(found[:n], found[n:][surface.triangles].max(axis=1)))


def _joint(
    part: DraftedPart, near: NDArray[np.intp]
) -> tuple[Literal["revolute", "spherical"], tuple[float, ...], tuple[float, ...], float] | None:
    """Kind, centre, axis and radius of the joint that near triangles show; None where none is clear."""
    surface = part.surface
    normals = surface.normals[near] @ part.rotation.T
    weight = surface.areas[near] / surface.areas[near].sum()
    points = part.in_world(surface.vertices[surface.triangles[near]].mean(axis=1))
    squares, directions = np.linalg.eigh(np.einsum("t,ti,tj->ij", weight, normals, normals))
    one_sided = float(np.linalg.norm(weight @ normals))
    if squares[0] < MOST_ALONG and squares[1] > LEAST_ACROSS and one_sided < MOST_ONE_SIDED:
        kind: Literal["revolute", "spherical"] = "revolute"
        axis = directions[:, 0] * np.sign(directions[np.argmax(np.abs(directions[:, 0])), 0])
    elif squares[0] > LEAST_EVERYWHERE:
        kind, axis = "spherical", np.array([0.0, 0.0, 1.0])
    else:
        return None
    across = np.eye(3) - np.einsum("ti,tj->tij", normals, normals)
    lines = np.einsum("t,tij->ij", weight, across)
    aims = np.einsum("t,tij,tj->i", weight, across, points)
    if kind == "revolute":
        lines, aims = lines - np.outer(axis, axis), aims - axis * (axis @ aims)
        centre = np.linalg.pinv(lines, rcond=1e-6) @ aims + axis * float(axis @ (weight @ points))
        offset = (points - centre) @ (np.eye(3) - np.outer(axis, axis))
    else:
        centre = np.linalg.solve(lines, aims)
        offset = points - centre
    radii = np.linalg.norm(offset, axis=1)
    radius = float(weight @ radii)
    if np.sqrt(weight @ (radii - radius) ** 2) > MOST_RADIUS_SPREAD * radius:
        return None
    return kind, tuple(centre.tolist()), tuple(axis.tolist()), radius
