"""A body wholly inside the base, or a closed part of one, whose own surface is no base: it is pushed out all the same.

The base's surface does not reach it, so that the potential of the base knows no force. The contained part serves as a
base then. It takes over as it sinks in: at first, where it has just gone under, not at all, so that nothing jumps.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.contact.distance_elements import add_whole, settle_elements
from polycontact.kernels.contact.distance_samples import ask_once
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.error_budget import smooth_step
from polycontact.kernels.contact.sides import vertex_in_e
from polycontact.kernels.geometry.vectors import as_index
from polycontact.kernels.jit import apart_kernel, kernel
from polycontact.tolerances import CONTAINED_IN_FULL


@kernel
def _share_of(meeting: Encounter, component: int) -> float:
    """How far a contained component has sunk in, 0 to 1: by the depth of the vertex that is nearest to the surface."""
    side = meeting.base
    member = side.mesh.triangle_component
    triangles = side.mesh.triangles
    area = 0.0
    least = math.inf
    guess = 0
    for t in range(side.n_triangles):
        if member[t] == component:
            area += side.mesh.areas[t]
            for i in range(3):
                sample = ask_once(meeting, vertex_in_e(side, meeting.pose, triangles[t, i]), guess)
                guess = sample.triangle
                least = min(least, sample.depth)
    return smooth_step(least / (CONTAINED_IN_FULL * math.sqrt(area)))


@apart_kernel
def push_contained(meeting: Encounter, tolerance: float) -> None:
    """Append elements of the components of the base of ``meeting`` that lie wholly inside its target."""
    side, elements = meeting.base, meeting.elements
    for component in range(side.n_components):
        if side.contained[component] != 1:
            continue
        share = _share_of(meeting, component)
        if not share > 0.0:
            continue
        first = as_index(elements.n)
        meeting.cells.n_border = 0
        guess = 0
        for t in range(side.n_triangles):
            if side.mesh.triangle_component[t] == component:
                add_whole(meeting, t, guess)
                guess = as_index(side.hit[t])
        if meeting.report.status & Status.OVERFLOW_ELEMENTS:
            return
        settle_elements(meeting, tolerance, first)
        for k in range(first, min(elements.n, elements.room)):
            elements.area[k] *= share
