"""Hitting nodes against the blocks of the defence surface: which penetrate, how deep, in which direction (S3.5, S3.6).

The depth of a node is its distance to the nearest point of the defence surface. Which side it is on, the normal there
tells: at edges and vertices the sum of those around it, weighted by angle, which is right at convex and concave ones.
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.element_table import ElementTable, new_row
from polycontact.kernels.contact.node_views import Defence, HittingNodes
from polycontact.kernels.geometry.blocks import Blocks, block_at, nearest_in_block
from polycontact.kernels.geometry.frames import Matrix, apply, apply_transposed, as_matrix, as_vector, transposed
from polycontact.kernels.geometry.nearest import Offset, near_at, search_nearest, signed_offset
from polycontact.kernels.geometry.vectors import Vector, add, dot, norm, row, scale
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Ints
from polycontact.tolerances import BOX_ROUNDING

_FAR_SIDE = 0.9
"""Cosine from which on a sheet that is inside faces away from where it would leave: it lies on the far side."""

_NO_GRADIENT = 0.5
"""A gradient of the depth that is shorter, and not of length 1 or more, is made of rounding."""


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
    """The triangle that is nearest to a node (contact frame), by its block; -1: the node touches nothing."""
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


@inline_kernel
def _append(
    elements: ElementTable,
    side: int,
    vertex: int,
    part: int,
    patch: int,
    area: float,
    depth: float,
    point: Vector,
    normal: Vector,
    cosine: float,
    report: ContactReport,
) -> None:
    """Write an element, point and normal in frame E, to the end of the table; ``cosine`` between it and the target.

    In the potential c ∫ φ dV over what is inside, the element has ½ c A u² times the cosine.
    """
    k = new_row(elements, report)
    if k < 0:
        return
    for a in range(3):
        elements.base_point[k, a] = point[a]
        elements.normal[k, a] = normal[a]
    elements.area[k] = area
    elements.depth[k] = depth
    elements.weight[k] = 1.0
    elements.peak[k] = 1.0
    elements.turned[k] = 1.0 - cosine * cosine
    elements.energy_rise[k] = cosine - 1.0
    elements.base_triangle[k] = vertex
    elements.target_triangle[k] = patch
    elements.side[k] = side
    elements.part[k] = part
    elements.target_place[k, 0] = 0.0
    elements.target_place[k, 1] = 0.0


@kernel
def _append_sheets(
    elements: ElementTable,
    nodes: HittingNodes,
    i: int,
    side: int,
    patch: int,
    depth: float,
    point: Vector,
    away: Vector,
    R: Matrix,
    least: float,
    report: ContactReport,
) -> None:
    """Elements of the sheets at node i, along their own normals; the target's outward normal is ``away`` (frame E).

    ``least`` (m): depths below are made of rounding, and tell nothing of the far side.
    """
    first = nodes.first[i]
    for s in range(first, nodes.first[i + 1]):
        outward = row(nodes.sheet_normals, s)
        normal = scale(-1.0, apply(R, outward) if side == 1 else outward)
        cosine = min(max(dot(normal, away), -1.0), 1.0)
        if cosine < -_FAR_SIDE and depth > least:
            report.status |= Status.PRESSED_THROUGH
        area = nodes.sheet_areas[s]
        _append(elements, side, nodes.vertex[i], s - first, patch, area, depth, point, normal, cosine, report)


@inline_kernel
def _unit_outward(offset: Offset, normal: Vector) -> Vector:
    """The direction in which a node leaves the surface: against the gradient of its depth, which is longer beside a
    border, and vanishes by rounding on the surface, where it is the ``normal`` of the patch."""
    length = norm(offset.gradient)
    return scale(-1.0 / length, offset.gradient) if length > _NO_GRADIENT else normal


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
    """Append the elements of each node of body E (``side`` 0) or F (1) that lies inside the other."""
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
            continue
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
            patch = defence.order[t]
            depth = offset.depth
            if by_target:
                _append(elements, side, nodes.vertex[i], 0, patch, nodes.areas[i], depth, point, away, 1.0, report)
            else:
                _append_sheets(elements, nodes, i, side, patch, depth, point, away, R, 4.0 * pose.pad, report)
