"""Which way triangles face: agreement between neighbours, and inside or outside of closed components."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import HalfEdges
from polycontact.surfaces.inspection.links import linked_half_edges
from polycontact.tolerances import EPS

NO_VOLUME = 64.0 * EPS
"""Times the area of a component and the size of the surface: volumes below are rounding."""

N_SAMPLES = 3
"""Points of a component that are asked where it lies; odd, so that a majority decides if one of them
touches."""


@dataclass(frozen=True)
class Flips:
    """Which triangles to reverse (``flip``, (m,)) so that neighbours agree; patches that have one side
    only."""

    flip: NDArray[np.bool_]
    one_sided: NDArray[np.bool_]


def consistent_flips(half_edges: HalfEdges) -> Flips:
    """Fewest reversals, in each patch of triangles joined across edges of two triangles, that make it
    consistent.

    Each triangle is two nodes, as it is and reversed; an edge joins those that agree. In a patch that can
    be oriented the nodes fall into two mirrored groups; in a Möbius band into one, and it is left as it is.
    """
    n = len(half_edges.triangle_edges)
    first, second = linked_half_edges(half_edges)
    edge = half_edges.triangle_edges.ravel()[first]
    manifold = half_edges.counts[edge] == 2
    t, u = first[manifold] // 3, second[manifold] // 3
    shift = n * half_edges.same_direction[edge[manifold]].astype(np.int64)
    groups = connected_labels(2 * n, np.concatenate((t, t + n)), np.concatenate((u + shift, u + n - shift)))
    as_is, reversed_ = groups[:n], groups[n:]
    one_sided = as_is == reversed_
    patch = np.minimum(as_is, reversed_)
    flip = as_is != patch
    surplus = np.bincount(patch, weights=np.where(flip, 1.0, -1.0))
    flip ^= surplus[patch] > 0.0
    flip[one_sided] = False
    return Flips(flip=flip, one_sided=one_sided)


class ClosedComponents:
    """The closed components of a mesh, with their volumes and how they lie in each other.

    ``ids`` (k,): their numbers in ``components``; ``volumes`` (k,): signed, in the unit of ``points``
    cubed, 0 where it is rounding only.
    """

    def __init__(
        self,
        points: NDArray[np.float64],
        triangles: NDArray[np.int64],
        half_edges: HalfEdges,
        components: NDArray[np.int64],
    ) -> None:
        open_edges = (half_edges.counts != 2) | half_edges.same_direction
        is_open = np.zeros(int(components.max(initial=-1)) + 1, dtype=bool)
        is_open[components[open_edges[half_edges.triangle_edges].any(axis=1)]] = True
        self.ids = np.flatnonzero(~is_open)
        closed = np.flatnonzero(~is_open[components])
        order = closed[np.argsort(components[closed], kind="stable")]
        self._corners = points[triangles[order]]
        self._starts = np.searchsorted(components[order], self.ids)
        self.volumes = self._volumes()

    def _volumes(self) -> NDArray[np.float64]:
        if len(self.ids) == 0:
            return np.empty(0)
        sizes = np.diff(np.append(self._starts, len(self._corners)))
        a, b, c = np.moveaxis(self._corners, 1, 0)
        normals = np.cross(b - a, c - a)
        heights = a - np.repeat(self._corners[self._starts, 0], sizes, axis=0)
        volumes = np.add.reduceat(np.einsum("ij,ij->i", heights, normals), self._starts) / 6.0
        areas = np.add.reduceat(np.linalg.norm(normals, axis=1), self._starts)
        return np.where(np.abs(volumes) > NO_VOLUME * areas, volumes, 0.0)

    @cached_property
    def _boxes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper corners (k, 3) of the bounding boxes."""
        lower, upper = self._corners.min(axis=1), self._corners.max(axis=1)
        return np.minimum.reduceat(lower, self._starts), np.maximum.reduceat(upper, self._starts)

    def _part(self, k: int) -> NDArray[np.float64]:
        """Corners (n, 3, 3) of the triangles of the k-th closed component."""
        end = self._starts[k + 1] if k + 1 < len(self._starts) else len(self._corners)
        return self._corners[self._starts[k] : end]

    def inward(self) -> NDArray[np.int64]:
        """Components with negative volume that are no cavities: what lies around them is not solid."""
        negative = np.flatnonzero(self.volumes < 0.0).tolist()
        return self.ids[[k for k in negative if sum(self._windings_around(k).values()) <= 0]]

    def to_reverse(self) -> NDArray[np.int64]:
        """Components to turn inside out so that solids face outward and cavities inward.

        The largest come first. What lies in a component that is turned is turned with it, so that a mesh
        that is inside out as a whole keeps its cavities; then whatever is inward without being a cavity is
        turned.
        """
        turned = np.zeros(len(self.ids), dtype=bool)
        if not np.any(self.volumes < 0.0):
            return self.ids[turned]
        sign = np.sign(self.volumes).astype(int)
        lower, upper = self._boxes
        rank = np.argsort(-np.prod(upper - lower, axis=1), kind="stable")
        for k in rank.tolist():
            if sign[k] >= 0 and not np.any(turned):
                continue
            around = list(self._windings_around(k))
            innermost = min(around, key=lambda j: float(np.prod(upper[j] - lower[j])), default=None)
            if innermost is not None and turned[innermost]:
                turned[k], sign[k] = True, -sign[k]
            if sign[k] < 0 and sum(sign[j] for j in around) <= 0:
                turned[k], sign[k] = not turned[k], 1
        return self.ids[turned]

    def _windings_around(self, k: int) -> dict[int, int]:
        """Closed components that enclose the k-th one: 1 for each that faces outward, -1 for one that is
        inward."""
        lower, upper = self._boxes
        holds = np.all((lower <= lower[k]) & (upper >= upper[k]), axis=1)
        holds[k] = False
        windings = {j: self._winding(j, k) for j in np.flatnonzero(holds).tolist()}
        return {j: winding for j, winding in windings.items() if winding != 0}

    def _winding(self, outer: int, inner: int) -> int:
        """How often one component winds around another: 1 inside, 0 outside, -1 inside one that is inward."""
        part = self._part(inner)
        chosen = part[np.linspace(0, len(part) - 1, N_SAMPLES).astype(int)]
        # Uneven weights: not on a symmetry line of the mesh, where a ray would meet edges.
        samples = chosen[:, 0] * 0.4142 + chosen[:, 1] * 0.3178 + chosen[:, 2] * 0.2680
        return int(np.median([_ray_winding(self._part(outer), x) for x in samples]))


def _ray_winding(corners: NDArray[np.float64], x: NDArray[np.float64]) -> int:
    """Signed crossings of the ray from x along the first axis with triangles ``corners`` (k, 3, 3)."""
    flat = corners[:, :, 1:]
    near = np.all((flat.min(axis=1) <= x[1:]) & (flat.max(axis=1) > x[1:]), axis=1)
    local = corners[near] - x
    y, z = local[:, :, 1], local[:, :, 2]
    weights = np.roll(y, -1, axis=1) * np.roll(z, -2, axis=1) - np.roll(z, -1, axis=1) * np.roll(y, -2, axis=1)
    total = weights.sum(axis=1)
    inside = ((weights >= 0.0).all(axis=1) | (weights <= 0.0).all(axis=1)) & (total != 0.0)
    ahead = (weights * local[:, :, 0]).sum(axis=1) * np.sign(total) > 0.0
    return int(np.sign(total[inside & ahead]).sum())
