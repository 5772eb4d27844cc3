"""What compiled code needs of a surface, computed once and shared by all pairings of the surface.

Everything per triangle is in the leaf order of the bounding volume tree; ``order`` maps back to the user's. Topology
stays when vertices move; geometry is made anew, and the tree keeps its leaves and gets boxes that fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.surfaces.bounding_volume_tree import boxes_around, oriented_boxes_around
from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import HalfEdges, build_half_edges
from polycontact.surfaces.surface import Surface
from polycontact.surfaces.vertex_normals import angle_weighted_normals, corner_normals
from polycontact.tolerances import DUST, FLANK_FULL


@dataclass(frozen=True)
class SurfaceTopology:
    """What does not change when vertices move.

    ``order``: user's triangle of each leaf; ``triangles`` (nt, 3), ``component`` (nt,): connected component;
    ``border_vertex`` (nv,): 1 on the border of an open surface.
    """

    order: NDArray[np.int32]
    triangles: NDArray[np.int32]
    half_edges: HalfEdges
    component: NDArray[np.int32]
    border_vertex: NDArray[np.int32]
    closed: bool


@dataclass(frozen=True)
class ContactData:
    """A surface as contact needs it: arrays in leaf order, named as in `SurfaceMesh`."""

    topology: SurfaceTopology
    vertices: NDArray[np.float64]
    corners: NDArray[np.float64]
    barycentres: NDArray[np.float64]
    normals: NDArray[np.float64]
    areas: NDArray[np.float64]
    corner_normals: NDArray[np.float64]
    vertex_normals: NDArray[np.float64]
    boxes: NDArray[np.float64]
    oriented_boxes: NDArray[np.float64]
    component_vertices: NDArray[np.int32]
    mean_edge: float

    @property
    def order(self) -> NDArray[np.int32]:
        """User's triangle of each leaf."""
        return self.topology.order

    @property
    def triangles(self) -> NDArray[np.int32]:
        """Corners of each triangle (nt, 3)."""
        return self.topology.triangles

    @property
    def neighbours(self) -> NDArray[np.int32]:
        """Triangle across each side (nt, 3), -1 at a border."""
        return self.topology.half_edges.neighbours

    @property
    def triangle_edges(self) -> NDArray[np.int32]:
        """Undirected edge of each side (nt, 3)."""
        return self.topology.half_edges.triangle_edges

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
        return np.asarray(np.bincount(self.topology.component, weights=flux), dtype=np.float64)

    def line_boxes(self, length: float) -> NDArray[np.float64]:
        """Oriented boxes around the penetration lines: from each barycentre ``length`` m into the body."""
        end = self.barycentres - length * self.normals
        lines = np.stack((self.barycentres, end), axis=1)
        return oriented_boxes_around(lines)

    def __getstate__(self) -> dict[str, Any]:
        """A copy or a pickle has the arrays, and makes a view of its own: addresses are of this process and object."""
        return {name: value for name, value in vars(self).items() if name != "view"}

    @cached_property
    def view(self) -> SurfaceMesh:
        """The same arrays as kernels see them."""
        mesh = SurfaceMesh()
        mesh.n_vertices, mesh.n_triangles = len(self.vertices), len(self.triangles)
        mesh.n_nodes, mesh.n_components = len(self.boxes), len(self.component_vertices)
        mesh.closed = int(self.topology.closed)
        mesh.mean_edge = self.mean_edge
        angle = math.acos(FLANK_FULL) - self.normal_spread - 1e-6  # no interpolated normal can be beyond 60°
        mesh.facet_full = math.cos(angle) if angle > 0 else 2.0
        mesh.vertices, mesh.triangles = self.vertices, self.triangles
        mesh.neighbours, mesh.triangle_edges = self.neighbours, self.triangle_edges
        mesh.corners, mesh.barycentres = self.corners, self.barycentres
        mesh.normals, mesh.areas, mesh.corner_normals = self.normals, self.areas, self.corner_normals
        mesh.vertex_normals, mesh.border_vertex = self.vertex_normals, self.topology.border_vertex
        mesh.boxes, mesh.oriented_boxes = self.boxes, self.oriented_boxes
        mesh.component_vertices, mesh.triangle_component = self.component_vertices, self.topology.component
        return mesh


def build_contact_data(surface: Surface) -> ContactData:
    """Arrays of ``surface`` in the leaf order of its tree."""
    order = surface.tree.order
    triangles = np.ascontiguousarray(surface.triangles[order])
    half_edges = build_half_edges(triangles)
    border = np.zeros(len(surface.vertices), dtype=np.int32)
    border[half_edges.edges[half_edges.counts != 2]] = 1
    component = _components(half_edges.neighbours)
    topology = SurfaceTopology(order, triangles, half_edges, component, border, surface.is_closed)
    return fit_geometry(surface, topology, surface.tree.boxes)


def refit(data: ContactData, surface: Surface) -> ContactData:
    """The data of a surface that has the same triangles and other vertices: the tree keeps its leaves."""
    return fit_geometry(surface, data.topology, boxes_around(surface.vertices[data.triangles]))


def fit_geometry(surface: Surface, topology: SurfaceTopology, boxes: NDArray[np.float64]) -> ContactData:
    """All that depends on where the vertices are; ``boxes`` of the tree's nodes."""
    order, triangles, half_edges = topology.order, topology.triangles, topology.half_edges
    vertices = np.where(np.abs(surface.vertices) > DUST, surface.vertices, 0.0)
    edges = surface.vertices[half_edges.edges]
    return ContactData(
        topology=topology,
        vertices=vertices,
        corners=vertices[triangles].reshape(-1, 9),
        barycentres=np.ascontiguousarray(surface.barycentres[order]),
        normals=np.ascontiguousarray(surface.normals[order]),
        areas=np.ascontiguousarray(surface.areas[order]),
        corner_normals=corner_normals(surface.vertices, triangles, half_edges),
        vertex_normals=angle_weighted_normals(vertices, triangles),
        boxes=boxes,
        oriented_boxes=oriented_boxes_around(surface.vertices[triangles]),
        component_vertices=_outermost_vertices(surface.vertices, triangles, topology.component),
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
