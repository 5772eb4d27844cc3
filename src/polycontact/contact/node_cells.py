"""The piece of surface for which a hitting node stands: of each triangle around it the third nearest to its corner."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.contact_data import ContactData
from polycontact.surfaces.vertex_normals import smooth_corner_groups


@dataclass(frozen=True)
class NodeCells:
    """Corners of triangles by node and smooth sheet of surface.

    ``vertex`` (n,) of each node; ``first`` (n + 1,): where its sheets begin; ``sheet`` (3 nt,): of each corner.
    """

    data: ContactData
    vertex: NDArray[np.int64]
    first: NDArray[np.int64]
    sheet: NDArray[np.int64]

    @property
    def n_sheets(self) -> int:
        """Number of sheets at all nodes together."""
        return int(self.first[-1])

    @cached_property
    def area_vectors(self) -> NDArray[np.float64]:
        """A third of the area vectors of the triangles of each sheet, outward, m²."""
        thirds = np.repeat(self.data.areas[:, None] * self.data.normals / 3.0, 3, axis=0)
        return np.stack([np.bincount(self.sheet, thirds[:, a], self.n_sheets) for a in range(3)], axis=1)

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """A third of the areas of the triangles around each node, m²."""
        corners = self.data.triangles.ravel()
        around = np.bincount(corners, np.repeat(self.data.areas / 3.0, 3), len(self.data.vertices))
        return np.asarray(around[self.vertex], dtype=np.float64)

    @cached_property
    def _node_of(self) -> dict[int, int]:
        return {int(vertex): node for node, vertex in enumerate(self.vertex)}

    @cached_property
    def _corners(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Corners by sheet, and where those of each sheet begin."""
        order = np.argsort(self.sheet, kind="stable")
        return order, np.searchsorted(self.sheet[order], np.arange(self.n_sheets + 1))

    def outlines(self, vertex: int, part: int | None) -> list[NDArray[np.float64]]:
        """Quadrilaterals (4, 3) m of a sheet at a vertex, or of all (None): corner, middles of sides, barycentre."""
        node = self._node_of[vertex]
        begin, end = int(self.first[node]), int(self.first[node + 1])
        if part is not None:
            begin, end = begin + part, begin + part + 1
        order, starts = self._corners
        found = []
        for corner in order[starts[begin] : starts[end]].tolist():
            a, b, c = np.roll(self.data.corners[corner // 3].reshape(3, 3), -(corner % 3), axis=0)
            found.append(np.stack((a, 0.5 * (a + b), (a + b + c) / 3.0, 0.5 * (a + c))))
        return found


def node_cells(data: ContactData) -> NodeCells:
    """Nodes in the order in which the leaves of the tree come to them, sheets in the order of their nodes."""
    corners = data.triangles.ravel()
    vertices, first = np.unique(corners, return_index=True)
    vertex = vertices[np.argsort(first)].astype(np.int64)
    node_of = np.empty(len(data.vertices), dtype=np.int64)
    node_of[vertex] = np.arange(len(vertex))
    group = smooth_corner_groups(data.vertices, data.triangles, data.topology.half_edges)
    _, representative, sheet = np.unique(group, return_index=True, return_inverse=True)
    node = node_of[corners[representative]]
    order = np.lexsort((representative, node))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return NodeCells(data, vertex, np.searchsorted(node[order], np.arange(len(vertex) + 1)), place[sheet.reshape(-1)])
