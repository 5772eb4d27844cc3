"""Points that bear a contact, from the memory of its evaluation, whatever the method."""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import as_header
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import as_evaluation
from polycontact.kernels.contact.node_views import as_node_evaluation
from polycontact.kernels.geometry.frames import apply, as_matrix
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import row, scale
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.response.point_work import PointWork, point_work_at
from polycontact.kernels.response.support_points import SupportWork, choose_supports
from polycontact.kernels.views import Doubles
from polycontact.tolerances import STEEP


@kernel
def _weigh(elements: ElementTable, work: SupportWork) -> None:
    """Directions and weights of the elements; flanks weigh nothing, unless there is nothing else, as at a corner."""
    bearing = 0.0
    for k in range(elements.n):
        sign = 1.0 if elements.side[k] == 0 else -1.0
        for i in range(3):
            work.push[k, i] = sign * elements.normal[k, i]
        work.load[k] = elements.area[k] * elements.depth[k] * elements.weight[k]
        if elements.turned[k] <= STEEP:
            bearing += work.load[k]
    for k in range(elements.n):
        if bearing > 0.0 and elements.turned[k] > STEEP:
            work.load[k] = 0.0


@kernel
def _face_targets(elements: ElementTable, e: SurfaceMesh, f: SurfaceMesh, rotation: Doubles, work: SupportWork) -> None:
    """Directions in which the triangles opposite each element push E."""
    R = as_matrix(rotation)
    for k in range(elements.n):
        triangle = elements.target_triangle[k]
        if elements.side[k] == 0:
            n = apply(R, row(f.normals, triangle))
        else:
            n = scale(-1.0, row(e.normals, triangle))
        for i in range(3):
            work.other_push[k, i] = n[i]


@kernel
def _choose(elements: ElementTable, knows_target: int, n_border: int, work: PointWork) -> int:
    """`choose_supports` with what is known: ``knows_target`` 1 where the target's normals are, points of a border."""
    work.elements.knows_target = knows_target
    work.elements.n_border = n_border
    return choose_supports(elements, work.elements, work.found)


@entry_kernel((types.int64, types.int64))
def supports_of_elements(address: int, place: int) -> int:
    """Points that bear a contact, from its elements alone; how many, or minus the elements that do not fit."""
    elements, chosen = as_header(address).elements, point_work_at(place)
    work = chosen.elements
    if elements.n > work.room:
        return -elements.n
    if elements.n == 0:
        return 0
    _weigh(elements, work)
    return _choose(elements, 0, 0, chosen)


@entry_kernel((types.int64, types.int64))
def supports_of_nodes(address: int, place: int) -> int:
    """As `supports_of_elements` for hitting nodes, where the normals on both sides are known."""
    evaluation, chosen = as_node_evaluation(address), point_work_at(place)
    work = chosen.elements
    elements = evaluation.header.elements
    if elements.n > work.room:
        return -elements.n
    if elements.n == 0:
        return 0
    _weigh(elements, work)
    _face_targets(elements, evaluation.setup.e, evaluation.setup.f, evaluation.header.pose.rotation, work)
    return _choose(elements, 1, 0, chosen)


@entry_kernel((types.int64, types.int64))
def supports_of_meshes(address: int, place: int) -> int:
    """As `supports_of_elements` for two meshes, whose border and whose normals on both sides are known too."""
    evaluation, chosen = as_evaluation(address), point_work_at(place)
    work = chosen.elements
    elements, segments = evaluation.header.elements, evaluation.segments
    n_border = evaluation.header.report.n_segments
    needed = max(elements.n, n_border)
    if elements.n > work.room or n_border > work.room_of_border:
        return -needed
    if elements.n == 0:
        return 0
    _weigh(elements, work)
    _face_targets(elements, evaluation.setup.e, evaluation.setup.f, evaluation.header.pose.rotation, work)
    for j in range(n_border):
        for i in range(3):
            work.border[j, i] = segments.ends[j, i]
    return _choose(elements, 1, n_border, chosen)


CHOOSE_OF_ELEMENTS = address_of(supports_of_elements)
CHOOSE_OF_NODES = address_of(supports_of_nodes)
CHOOSE_OF_MESHES = address_of(supports_of_meshes)
