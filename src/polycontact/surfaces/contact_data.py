"""What compiled code needs of a surface, computed once and shared by all pairings of the surface.

Everything per triangle is in the leaf order of the bounding volume tree; ``order`` maps back to the user's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.bounding_volume_tree import oriented_boxes_around
from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import build_half_edges
from polycontact.surfaces.surface import Surface
from polycontact.surfaces.vertex_normals import corner_normals


@dataclass(frozen=True)
class ContactData:
    """Arrays of a surface in leaf order: see the fields of `polycontact.kernels.memory`."""

    order: NDArray[np.int32]
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    triangle_edges: NDArray[np.int32]
    corners: NDArray[np.float64]
    barycentres: NDArray[np.float64]
    normals: NDArray[np.float64]
    areas: NDArray[np.float64]
    corner_normals: NDArray[np.float64]
    boxes: NDArray[np.float64]
    oriented_boxes: NDArray[np.float64]
    component_vertices: NDArray[np.int32]
    triangle_component: NDArray[np.int32]
    closed: bool
    mean_edge: float

    @cached_property
    def normal_spread(self) -> float:
        """Largest angle between a triangle's normal and the smooth normals at its corners, rad."""
        cosine = np.einsum("tij,tj->ti", self.corner_normals.reshape(-1, 3, 3), self.normals).min()
        return float(np.arccos(np.clip(cosine, -1.0, 1.0)))

    @cached_property
    def component_volumes(self) -> NDArray[np.float64]:
        """Signed volume enclosed by each connected component, m³; negative for a cavity."""
        a, b, c = np.moveaxis((self.corners.reshape(-1, 3, 3) - self.barycentres.mean(axis=0)), 1, 0)
        flux = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
        return np.asarray(np.bincount(self.triangle_component, weights=flux), dtype=np.float64)

    def line_boxes(self, length: float) -> NDArray[np.float64]:
        """Oriented boxes around the penetration lines: from each barycentre ``length`` m into the body."""
        end = self.barycentres - length * self.normals
        lines = np.stack((self.barycentres, end), axis=1)
        return oriented_boxes_around(lines)


def build_contact_data(surface: Surface) -> ContactData:
    """Arrays of ``surface`` in the leaf order of its tree."""
    from polycontact.kernels.memory import DUST

    vertices = np.where(np.abs(surface.vertices) > DUST, surface.vertices, 0.0)
    order = surface.tree.order
    triangles = np.ascontiguousarray(surface.triangles[order])
    half_edges = build_half_edges(triangles)
    component = _components(half_edges.neighbours)
    edges = surface.vertices[half_edges.edges]
    return ContactData(
        order=order,
        vertices=vertices,
        triangles=triangles,
        neighbours=half_edges.neighbours,
        triangle_edges=half_edges.triangle_edges,
        corners=vertices[triangles].reshape(-1, 9),
        barycentres=np.ascontiguousarray(surface.barycentres[order]),
        normals=np.ascontiguousarray(surface.normals[order]),
        areas=np.ascontiguousarray(surface.areas[order]),
        corner_normals=corner_normals(surface.vertices, triangles, half_edges),
        boxes=surface.tree.boxes,
        oriented_boxes=oriented_boxes_around(surface.vertices[triangles]),
        component_vertices=_outermost_vertices(surface.vertices, triangles, component),
        triangle_component=component,
        closed=surface.is_closed,
        mean_edge=float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).mean()),
    )


def _components(neighbours: NDArray[np.int32]) -> NDArray[np.int32]:
    """Connected component of each triangle."""
    t, i = np.nonzero(neighbours >= 0)
    return connected_labels(len(neighbours), t, neighbours[t, i]).astype(np.int32)


def _outermost_vertices(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], component: NDArray[np.int32]
) -> NDArray[np.int32]:
    """For each component the six vertices that reach farthest along the axes, lowest index first among equals."""
    n = int(component.max()) + 1
    owner = np.repeat(component, 3)
    corner = triangles.ravel()
    out = np.empty((n, 6), dtype=np.int32)
    for axis in range(3):
        for end, sign in enumerate((1.0, -1.0)):
            order = np.lexsort((corner, sign * vertices[corner, axis], owner))
            first = np.searchsorted(owner[order], np.arange(n))
            out[:, 2 * axis + end] = corner[order[first]]
    return out
