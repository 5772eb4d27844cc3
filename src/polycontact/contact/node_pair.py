"""Two surfaces prepared for the node–block method: nodes of the base, blocks of the target (S3.1–S3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.base_choice import with_base
from polycontact.contact.block_grid import BlockGrid, blocks_of, grid_of
from polycontact.contact.contact_memory import ContactMemory
from polycontact.contact.description import ContactDescription
from polycontact.contact.distance import Distance
from polycontact.contact.laws import PreparedLaw
from polycontact.contact.mesh_pair import BASES, checked_reach
from polycontact.contact.methods import Base
from polycontact.contact.node_block_options import NodeBlockMethod
from polycontact.contact.node_cells import NodeCells, node_cells
from polycontact.kernels.contact.node_views import Defence, HittingNodes, NodeEvaluation, NodeSetup
from polycontact.surfaces.surface import Surface

_GROUP_SIZE = 16
"""Nodes that are looked at together before each is looked at: fewer make more spheres, more make larger ones."""


@dataclass(frozen=True)
class NodePair:
    """The set-up of two surfaces: shared by all evaluations, never changed.

    ``grids``: blocks of the surfaces that defend, by "E" and "F"; ``cells``: what nodes of the surfaces that hit stand
    for, by side.
    """

    entry: int
    setup: NodeSetup
    laws: tuple[PreparedLaw, ...]
    depth_share: float
    grids: dict[str, BlockGrid]
    cells: dict[int, NodeCells]

    def make_memory(self) -> NodeMemory:
        """Memory for one evaluation at a time."""
        return NodeMemory(self)

    def distance(self, R: NDArray[np.float64], r: NDArray[np.float64]) -> Distance:
        """Signed distance of the surfaces, see `ContactPairing.distance`."""
        from polycontact.contact.mesh_distance import mesh_distance

        return mesh_distance(self.setup.e, self.setup.f, R, r)


class NodeMemory(ContactMemory):
    """Working memory of one evaluation by the node method."""

    def __init__(self, pair: NodePair) -> None:
        self.evaluation = NodeEvaluation()
        super().__init__(self.evaluation.header, pair.laws, pair.depth_share)
        self.evaluation.setup = pair.setup
        self.evaluation.allocate("stack")


def prepare_nodes(
    method: NodeBlockMethod, e: Surface, f: Surface, description: ContactDescription, name: str
) -> NodePair:
    """Data of a pair whose contact is found from nodes that hit the other surface."""
    from polycontact.kernels.contact.node_block_method import EVALUATE_NODES

    method, _ = with_base(method, e, f)
    setup = NodeSetup()
    setup.reach = checked_reach(e, f, name)
    setup.e, setup.f = e.contact_data.view, f.contact_data.view
    setup.base = BASES[method.base]
    setup.by_target = int(method.normal == "target")
    setup.margin = method.margin(e, f)
    depth = method.deepest(e, f)
    grids, cells = {}, {}
    if method.base is not Base.F:
        cells[0] = node_cells(e.contact_data)
        _attach_nodes(setup.nodes_e, cells[0])
        grids["F"] = _attach_defence(setup.defence_f, f, method.block_size, depth, name)
    if method.base is not Base.E:
        cells[1] = node_cells(f.contact_data)
        _attach_nodes(setup.nodes_f, cells[1])
        grids["E"] = _attach_defence(setup.defence_e, e, method.block_size, depth, name)
    return NodePair(EVALUATE_NODES, setup, description.prepare_laws(), description.depth_share, grids, cells)


def _attach_defence(defence: Defence, surface: Surface, block_size: float | None, depth: float, name: str) -> BlockGrid:
    data = surface.contact_data
    blocks = blocks_of(surface, block_size, depth, name)
    defence.n_triangles = len(data.order)
    defence.mesh, defence.blocks, defence.order = data.view, blocks, data.order
    return grid_of(blocks)


def _attach_nodes(nodes: HittingNodes, cells: NodeCells) -> None:
    """Vertices of all triangles, and the sheets that meet there."""
    points = np.ascontiguousarray(cells.data.vertices[cells.vertex])
    spheres = _spheres(points)
    n = len(points)
    nodes.n, nodes.n_and_1, nodes.n_groups, nodes.group_size = n, n + 1, len(spheres), _GROUP_SIZE
    nodes.points, nodes.areas, nodes.spheres = points, cells.areas, spheres
    nodes.vertex, nodes.first = cells.vertex.astype(np.int32), cells.first.astype(np.int32)
    areas = np.linalg.norm(cells.area_vectors, axis=1)
    nodes.n_sheets = cells.n_sheets
    nodes.sheet_areas = areas
    normals = cells.area_vectors / np.maximum(areas, np.finfo(float).tiny)[:, None]
    nodes.sheet_normals = np.ascontiguousarray(normals)


def _spheres(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre and radius (m, 4) of a sphere around each group of points (n, 3) that stand together."""
    spheres = np.empty((-(-len(points) // _GROUP_SIZE), 4))
    for k in range(len(spheres)):
        group = points[k * _GROUP_SIZE : (k + 1) * _GROUP_SIZE]
        spheres[k, :3] = 0.5 * (group.min(axis=0) + group.max(axis=0))
        spheres[k, 3] = np.linalg.norm(group - spheres[k, :3], axis=1).max()
    return spheres
