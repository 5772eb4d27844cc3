"""Hitting nodes against the blocks of the defence surface: which penetrate, how deep, in which direction (S3.5, S3.6).

Problem: for each vertex of a body (hitting node) the signed distance to the surface of the other (defence surface).
In: nodes in groups that stand together, with a sphere around each group; the defence surface with its grid of blocks.
Out: an element for each node inside, or for each smooth sheet of surface that meets at it.

A node is settled as early as possible:

    (1) the sphere of its group touches nothing, by the clearance of the block of its centre -> the whole group is free
    (2) its block touches nothing at that distance from its centre                          -> free
    (3) its block has a list of triangles -> the nearest of these; else a search of the tree
    (4) an element whose sheet faces along the way out, not against it, lies on the far side of a thin body: the status
        tells PRESSED_THROUGH

The depth of a node is its distance to the nearest point of the defence surface. Which side it is on, the normal there
tells: at edges and vertices the sum of those around it, weighted by angle, which is right at convex and concave ones
(Bærentzen and Aanæs 2005).
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.element_table import Element, ElementTable, append_element
from polycontact.kernels.contact.node_views import Defence, HittingNodes
from polycontact.kernels.geometry.blocks import Blocks, block_at, nearest_in_block
from polycontact.kernels.geometry.frames import Matrix, apply, apply_transposed, as_matrix, as_vector, transposed
from polycontact.kernels.geometry.nearest import Offset, near_at, search_nearest, signed_offset
from polycontact.kernels.geometry.vectors import Vector, add, dot, norm, row, scale
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Ints
from polycontact.tolerances import BOX_ROUNDING, FAR_SIDE_COSINE, SHORT_GRADIENT


@inline_kernel
def _group_is_free(blocks: Blocks, sphere: Vector, radius: float) -> bool:
    """Whether nothing in a sphere (contact frame) touches the surface, by the block of its centre or the whole grid."""
    b, beside = block_at(blocks, sphere)
    if b >= 0:
        return bool(blocks.clearance[b] > (radius + beside) * (1.0 + BOX_ROUNDING))
    if not blocks.is_all:
        return False
    corner = blocks.corner
    size = blocks.size
    beyond = (
        max(corner[0] - sphere[0], max(sphere[0] - corner[0] - blocks.n_x * size, 0.0)),
        max(corner[1] - sphere[1], max(sphere[1] - corner[1] - blocks.n_y * size, 0.0)),
        max(corner[2] - sphere[2], max(sphere[2] - corner[2] - blocks.n_z * size, 0.0)),
    )
    return norm(beyond) > radius


@inline_kernel
def _patch_of(defence: Defence, p: Vector, stack: Ints, report: ContactReport) -> int:
    """The triangle that is nearest to a node (contact frame), by its block; -1: the node touches nothing. (2), (3)."""
    blocks = defence.blocks
    b, beside = block_at(blocks, p)
    guess = 0
    if b >= 0:
        guess = blocks.near[b]
        if guess < 0 or blocks.clearance[b] > beside * (1.0 + BOX_ROUNDING):
            return -1
        if blocks.first[b + 1] > blocks.first[b]:
            t, looked_at = nearest_in_block(defence.mesh, blocks, b, beside, p)
            report.triangle_checks += looked_at
            return t
    elif blocks.is_all:
        return -1
    report.line_checks += 1
    return search_nearest(defence.mesh, p, near_at(defence.mesh, p, guess), stack).triangle


class PressedIn(NamedTuple):
    """A node inside the other body, frame E: ``side`` 0 of E, 1 of F; nearest triangle of the defence surface (the
    user's number) and its depth there (m); where the node is (m); the defence surface's outward unit normal."""

    side: int
    patch: int
    depth: float
    point: Vector
    away: Vector


@inline_kernel
def _add(
    elements: ElementTable,
    vertex: int,
    part: int,
    area: float,
    node: PressedIn,
    n: Vector,
    cosine: float,
    report: ContactReport,
) -> None:
    """Append an element of a node along the normal n; ``cosine`` between it and the defence surface's normal."""
    place = (0.0, 0.0)
    element = Element(node.side, vertex, part, node.patch, area, node.depth, 1.0, cosine, node.point, n, place)
    append_element(elements, element, report)


@kernel
def _append_sheets(
    elements: ElementTable, nodes: HittingNodes, i: int, node: PressedIn, R: Matrix, least: float, report: ContactReport
) -> None:
    """Append the elements of the sheets at node i, along their own normals.

    ``R``: rotation of F in E. ``least`` (m): smaller depths are made of rounding, and tell nothing of the far side.
    """
    first = nodes.first[i]
    for s in range(first, nodes.first[i + 1]):
        outward = row(nodes.sheet_normals, s)
        normal = scale(-1.0, apply(R, outward) if node.side == 1 else outward)
        cosine = min(max(dot(normal, node.away), -1.0), 1.0)
        if cosine < -FAR_SIDE_COSINE and node.depth > least:  # (4)
            if not report.status & Status.PRESSED_THROUGH or node.depth > report.far_depth:
                report.far_triangle = nodes.vertex[i]
                report.far_side = node.side
                report.far_of_target = 0
                report.far_thickness = 0.0
                report.far_depth = node.depth
            report.status |= Status.PRESSED_THROUGH
        _add(elements, nodes.vertex[i], s - first, nodes.sheet_areas[s], node, normal, cosine, report)


@inline_kernel
def _unit_outward(offset: Offset, normal: Vector) -> Vector:
    """The direction in which a node leaves the surface: against the gradient of its depth, which is longer beside a
    border, and vanishes by rounding on the surface, where it is the ``normal`` of the patch."""
    length = norm(offset.gradient)
    return scale(-1.0 / length, offset.gradient) if length > SHORT_GRADIENT else normal


@kernel
def find_hitting_nodes(
    nodes: HittingNodes,
    defence: Defence,
    pose: Pose,
    side: int,
    by_target: bool,
    elements: ElementTable,
    stack: Ints,
    report: ContactReport,
) -> None:
    """Append the elements of each node of body E (``side`` 0) or F (1) that lies inside the other.

    ``by_target``: one element a node, along the defence surface's normal; else one a sheet, along its own. Nodes behind
    the border of an open surface count up to the distance ``limit`` of its blocks.
    """
    mesh = defence.mesh
    limit = defence.blocks.limit
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    turn: Matrix = R if side == 1 else transposed(R)  # the hitting body in the contact frame
    shift: Vector = r if side == 1 else scale(-1.0, apply_transposed(R, r))
    for group in range(nodes.n_groups):
        spheres = nodes.spheres
        centre = add(apply(turn, (spheres[group, 0], spheres[group, 1], spheres[group, 2])), shift)
        report.bv_checks += 1
        if _group_is_free(defence.blocks, centre, spheres[group, 3] + pose.pad):
            continue  # (1)
        first = group * nodes.group_size
        for i in range(first, min(first + nodes.group_size, nodes.n)):
            x = row(nodes.points, i)
            p = add(apply(turn, x), shift)
            t = _patch_of(defence, p, stack, report)
            if t < 0:
                continue
            near = near_at(mesh, p, t)
            offset = signed_offset(mesh, p, near)
            if not (offset.depth > 0.0 and near.foot.square <= limit * limit):
                continue
            away = _unit_outward(offset, row(mesh.normals, t))
            point = p if side == 1 else x
            if side == 0:
                away = apply(R, away)
            node = PressedIn(side, defence.order[t], offset.depth, point, away)
            if by_target:
                _add(elements, nodes.vertex[i], 0, nodes.areas[i], node, away, 1.0, report)
            else:
                _append_sheets(elements, nodes, i, node, R, 4.0 * pose.pad, report)
