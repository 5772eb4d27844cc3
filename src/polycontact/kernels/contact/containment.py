"""A body wholly inside the other has no intersection line: find it instead of returning a silent zero.

Problem: surfaces that do not intersect are apart, or one lies inside the other. In: both surfaces, with their cut
triangles. Out: for each connected component whether it lies inside, and a status bit. From cheap to dear:

    (1) the other surface is open               -> nothing lies inside it
    (2) the component is cut                    -> it is in the contact already
    (3) one of its outermost vertices, along the axes of its frame, lies outside the other surface's box -> not inside
    (4) else the winding number of one vertex   -> inside where it is positive (`inside`)
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.evaluation_view import Side, Work
from polycontact.kernels.contact.inside import winding_number
from polycontact.kernels.contact.sides import to_own_frame, vertex_in_e
from polycontact.kernels.jit import kernel


@kernel
def _is_cut(side: Side, component: int) -> bool:
    """Whether an intersection polygon runs over a component of a surface."""
    if side.n_components == 1:
        return bool(side.n_cut > 0)
    cut = side.cut
    member = side.mesh.triangle_component
    met = False
    for k in range(side.n_cut):
        met = met or member[cut[k]] == component
    return bool(met)


@kernel
def _could_be_inside(side: Side, other: Side, pose: Pose, component: int) -> bool:
    """Whether the outermost vertices of a component (along the axes of its frame) lie in the other surface's box."""
    around = other.mesh.boxes
    outermost = side.mesh.component_vertices
    for i in range(6):
        local = to_own_frame(other, pose, vertex_in_e(side, pose, outermost[component, i]))
        for a in range(3):
            if abs(local[a] - around[0, a]) > around[0, 3 + a]:
                return False
    return True


@kernel
def find_contained(side: Side, other: Side, pose: Pose, bit: int, work: Work, report: ContactReport) -> None:
    """Set status ``bit`` where a component of ``side`` without intersections lies inside the other, closed surface.

    ``side.contained`` tells which components. Before: `collect_cut_triangles` of this surface.
    """
    if not other.mesh.closed:  # (1)
        return
    outermost = side.mesh.component_vertices
    contained = side.contained
    for component in range(side.n_components):
        contained[component] = 0
        if _is_cut(side, component) or not _could_be_inside(side, other, pose, component):  # (2), (3)
            continue
        # (4)
        point = vertex_in_e(side, pose, outermost[component, 0])
        if winding_number(other, pose, point, work, report) > 0:
            contained[component] = 1
            report.status |= bit
