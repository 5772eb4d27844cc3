"""Maps on the triangles of a surface: what its contact elements leave there, added up over the time of a run.

In: the table of elements of an evaluation, and for how long it stands. Out: on each triangle of both surfaces the means
over its area of contact time, sliding distance, friction energy per area and wear depth, and the greatest pressure.

    base      an element is a piece of one triangle of the base: all of it goes there
    target    only the triangle opposite its middle is known. Where that is smaller than the element, the element is
              shared out, in proportion to their areas, over the triangles around it whose barycentres lie in a disc of
              the element's area: so integrals over the surface stay as they are, and no triangle between is left out

What a step leaves is kept apart until the whole step is known: its friction energy is then scaled (`mapped_steps`).
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import dot, norm, row, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, count, doubles, ints, number, reference
from polycontact.tolerances import SAME_SIDE

TIME, SLIDING, ENERGY, WEAR = range(4)
"""Columns of `TriangleMap.sums`."""

N_SUMS = 4


class TriangleMap(View):
    """Maps of one surface, in leaf order."""

    n = count("triangles")
    n_touched = count("triangles that the present step has touched")
    n_found = count("triangles over which an element is shared out")
    stamp = count("number of the present element")
    mesh = reference(SurfaceMesh)
    pressure = doubles("n", doc="greatest pressure so far", unit="Pa")
    sums = doubles("n", N_SUMS, doc="contact time s, sliding m, friction energy J/m², wear depth m: of accepted steps")
    fresh = doubles("n", N_SUMS, doc="the same of the present step, as integrals over the area of the triangle")
    touched = ints("n", doc="triangles that the present step has touched")
    is_touched = ints("n", doc="1 for those")
    found = ints("n", doc="triangles over which an element is shared out")
    stamped = ints("n", doc="number of the last element for which a triangle was looked at")


triangle_map_at = cast_to(TriangleMap)
"""``triangle_map_at(place)``: the `TriangleMap` at an address."""


class Share(View):
    """What elements of one evaluation leave on one of the two surfaces."""

    span = number("time for which the evaluation stands", "s")
    wear_rate = number("wear depth over pressure and sliding distance", "1/Pa")
    side = count("elements of this side have the surface as their base: 0 of E, 1 of F")


@inline_kernel
def _leave(surface: TriangleMap, triangle: int, part: float, left: tuple[float, float, float, float]) -> None:
    """Add a part of what an element leaves to a triangle."""
    if surface.is_touched[triangle] == 0:
        surface.is_touched[triangle] = 1
        surface.touched[surface.n_touched] = triangle
        surface.n_touched += 1
    for c in range(N_SUMS):
        surface.fresh[triangle, c] += part * left[c]


@kernel
def _find_footprint(surface: TriangleMap, first: int, area: float) -> float:
    """The triangles in a disc of some area (m²) around a triangle, into ``found``; their area, m².

    They are connected, and look to the same side; the first one is always among them.
    """
    mesh = surface.mesh
    surface.stamp += 1
    surface.stamped[first] = surface.stamp
    surface.found[0] = first
    surface.n_found = 1
    total = mesh.areas[first]
    if not total < area:
        return float(total)
    middle, normal = row(mesh.barycentres, first), row(mesh.normals, first)
    radius = math.sqrt(area / math.pi)
    # Spread over the neighbours, breadth first, as far as barycentres are in the disc.
    i = 0
    while i < surface.n_found:
        t = surface.found[i]
        for side in range(3):
            other = mesh.neighbours[t, side]
            if other < 0 or surface.stamped[other] == surface.stamp:
                continue
            surface.stamped[other] = surface.stamp
            is_near = norm(sub(row(mesh.barycentres, other), middle)) < radius
            if is_near and dot(row(mesh.normals, other), normal) > SAME_SIDE:
                surface.found[surface.n_found] = other
                surface.n_found += 1
                total += mesh.areas[other]
        i += 1
    return float(total)


@kernel
def add_elements(surface: TriangleMap, elements: ElementTable, share: Share) -> float:
    """What the elements of an evaluation leave on one of the two surfaces; normal force times sliding distance, N m.

    The normal force is that across the sliding, which limits friction: submerged flanks have none. Areas count by the
    share of their side, ½ where both surfaces are bases; forces have it already.
    """
    span, rate = share.span, share.wear_rate
    rubbed = 0.0
    for k in range(elements.n):
        area = elements.share * elements.area[k]
        speed = norm(row(elements.slip, k))
        power = elements.friction_force[k] * speed
        if elements.spins != 0:
            power += elements.spin_loss[k]
        rubbing = span * elements.friction_load[k] * speed
        rubbed += rubbing
        left = (span * area, span * area * speed, span * power, rate * rubbing)
        peak = max(elements.peak[k], 1.0) * elements.normal_force[k] / area
        if elements.side[k] == share.side:
            triangle = int(elements.base_triangle[k])
            surface.pressure[triangle] = max(surface.pressure[triangle], peak)
            _leave(surface, triangle, 1.0, left)
            continue
        total = _find_footprint(surface, int(elements.target_triangle[k]), elements.area[k])
        for i in range(surface.n_found):
            triangle = int(surface.found[i])
            surface.pressure[triangle] = max(surface.pressure[triangle], peak)
            _leave(surface, triangle, surface.mesh.areas[triangle] / total, left)
    return rubbed


@kernel
def forget_step(surface: TriangleMap) -> None:
    """Nothing is left of the present step but the greatest pressures."""
    for i in range(surface.n_touched):
        t = surface.touched[i]
        surface.is_touched[t] = 0
        for c in range(N_SUMS):
            surface.fresh[t, c] = 0.0
    surface.n_touched = 0


@kernel
def accept_step(surface: TriangleMap, energy_factor: float) -> None:
    """The present step is known: its sums count, as means over the triangles, its friction energy times a factor."""
    areas = surface.mesh.areas
    for i in range(surface.n_touched):
        t = surface.touched[i]
        for c in range(N_SUMS):
            factor = energy_factor if c == ENERGY else 1.0
            surface.sums[t, c] += factor * surface.fresh[t, c] / areas[t]
    forget_step(surface)
