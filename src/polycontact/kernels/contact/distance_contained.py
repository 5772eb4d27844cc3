"""A body wholly inside the base, or a closed part of one, whose own surface is no base: it is pushed out all the same.

The base's surface does not reach it, so that the potential of the base knows no force. The contained part serves as a
base then. It takes over as it sinks in: at first, where it has just gone under, not at all, so that nothing jumps.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.distance_cells import smooth_step
from polycontact.kernels.contact.distance_rows import NEVER, append_row, part_of_samples
from polycontact.kernels.contact.distance_samples import ask_once
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import Cells, Side, Work
from polycontact.kernels.contact.sides import corners_of, to_own_direction, vertex_in_e
from polycontact.kernels.geometry.vectors import Vector, add, scale
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.tolerances import CONTAINED_IN_FULL


@kernel
def _share_of(side: Side, other: Side, pose: Pose, component: int, work: Work, report: ContactReport) -> float:
    """How far a contained component has sunk in, 0 to 1: by the depth of the vertex that is nearest to the surface."""
    member = side.mesh.triangle_component
    triangles = side.mesh.triangles
    area = 0.0
    least = math.inf
    guess = 0
    for t in range(side.n_triangles):
        if member[t] == component:
            area += side.mesh.areas[t]
            for i in range(3):
                sample = ask_once(other, pose, vertex_in_e(side, pose, triangles[t, i]), guess, work, report)
                guess = sample.triangle
                least = min(least, sample.depth)
    return smooth_step(least / (CONTAINED_IN_FULL * math.sqrt(area)))


@inline_kernel
def _between(a: Vector, b: Vector, c: Vector) -> Vector:
    """Point with barycentric coordinates (2/3, 1/6, 1/6): three of these integrate quadratics over a triangle."""
    return scale(1.0 / 6.0, add(scale(4.0, a), add(b, c)))


@apart_kernel
def push_contained(
    side: Side, other: Side, pose: Pose, elements: ElementTable, cells: Cells, work: Work, report: ContactReport
) -> None:
    """Append elements of the components of ``side`` that lie wholly inside the other surface, which is the base."""
    for component in range(side.n_components):
        if side.contained[component] != 1:
            continue
        share = _share_of(side, other, pose, component, work, report)
        if not share > 0.0:
            continue
        guess = 0
        for t in range(side.n_triangles):
            if side.mesh.triangle_component[t] != component:
                continue
            x = corners_of(side, pose, t)
            s0 = ask_once(other, pose, _between(x[0], x[1], x[2]), guess, work, report)
            s1 = ask_once(other, pose, _between(x[1], x[2], x[0]), s0.triangle, work, report)
            s2 = ask_once(other, pose, _between(x[2], x[0], x[1]), s1.triangle, work, report)
            guess = s0.triangle
            normal = base_direction(side, pose, t)
            s = (s0, s1, s2)
            part = part_of_samples(s, to_own_direction(other, pose, normal))
            append_row(side, t, 0, share * side.mesh.areas[t], normal, part, 0.0, NEVER, elements, cells, report)
