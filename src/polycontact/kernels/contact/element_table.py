"""The table of contact elements: every method ends in it, every law starts from it."""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel
from polycontact.kernels.views import View, count, doubles, ints, number


class ElementTable(View):
    """One row a contact element, in frame E. Methods fill the first half, laws the second.

    An element is a piece of surface, or a point of a method that knows no areas: its area is then 1, so that the same
    law serves both. What it takes per area (N/m³, N s/m³), it takes per point there (N/m, N s/m), and what is called
    pressure is the force of the point.
    """

    room = count("elements that fit")
    n = count("elements")
    share = number("1, or ½ where both surfaces are bases")
    base_point = doubles("room", 3, unit="m", doc="C_e, on the base")
    normal = doubles("room", 3, doc="n_k, into the base body")
    area = doubles("room", unit="m²", doc="area of the element; 1 for a point")
    depth = doubles("room", unit="m", doc="penetration depth u")
    weight = doubles("room", doc="share of the element that counts: flanks fade out")
    peak = doubles("room", doc="greatest depth in the element over its depth; at most 1 for elements of one depth")
    turned = doubles("room", doc="sin² of the angle between the element and the nearest target: what damping loses")
    energy_rise = doubles("room", doc="elastic energy over that of one depth against a parallel target, less 1")
    target_place = doubles("room", 2, doc="barycentric coordinates of the point opposite on the target triangle")
    base_triangle = ints("room", doc="triangle of the base, leaf order; of other geometry what the element lies on")
    target_triangle = ints("room", doc="triangle of the target, leaf order; of other geometry what lies opposite")
    side = ints("room", doc="0: E is the base, 1: F")
    part = ints("room", doc="number of the connected part of the base triangle")

    position = doubles("room", 3, unit="m", doc="C_k between the layers, eq. (13)")
    approach = doubles("room", unit="m/s", doc="normal approach speed v_nk, eq. (16)")
    slip = doubles("room", 3, unit="m/s", doc="tangential velocity v_tk, eq. (19)")
    common_normal = doubles("room", 3, doc="normal that both bodies share at the element, into E; slip is across it")
    normal_force = doubles("room", unit="N", doc="F_nk, at least 0")
    friction_load = doubles("room", unit="N", doc="part of F_nk along the common normal: what friction is limited by")
    elastic_force = doubles("room", unit="N", doc="the part of it that is not lost")
    energy = doubles("room", unit="J", doc="elastic energy")
    friction_force = doubles("room", unit="N", doc="|F_tk|")
    force = doubles("room", 3, unit="N", doc="on E")
    loses = count("1 where a law has written the column below, 0 where nothing but damping and friction is lost")
    layer_loss = doubles("room", unit="W", doc="power lost in the layers besides damping, as in dents")
    is_even = count(
        "1 where a law's pressure is the same all over an element, 0 where it is greatest where it is deepest"
    )
    spins = count("1 where a law has written the two columns below, 0 where elements only push and rub")
    spin_torque = doubles("room", unit="N m", doc="torque on E about the normal into E, besides that of the force")
    spin_loss = doubles("room", unit="W", doc="power lost besides that of friction_force")


@inline_kernel
def new_row(elements: ElementTable, report: ContactReport) -> int:
    """The row for one more element; -1, and a status, where the table is full."""
    k = elements.n
    elements.n = k + 1
    if k >= elements.room:
        report.status |= Status.OVERFLOW_ELEMENTS
        report.needed = k + 1
        return -1
    return k


class Element(NamedTuple):
    """One element of a single depth, as a method hands it to the table; frame E, SI units.

    ``triangle``, ``target_triangle``: leaf order; ``normal``: unit, into the base body; ``cosine``: between the element
    and the target's surface opposite, 1 where they are parallel; ``place``: barycentric coordinates of corners 0 and 1.
    """

    side: int
    triangle: int
    part: int
    target_triangle: int
    area: float
    depth: float
    weight: float
    cosine: float
    point: Vector
    normal: Vector
    place: tuple[float, float]


@inline_kernel
def append_element(elements: ElementTable, element: Element, report: ContactReport) -> None:
    """Write an element to the end of the table, or a status where it is full.

    An element that is turned against the target by an angle γ has the energy ½ c A u² cos γ in the potential c ∫ φ dV
    over what is inside, and damping loses sin² γ.
    """
    k = new_row(elements, report)
    if k < 0:
        return
    for a in range(3):
        elements.base_point[k, a] = element.point[a]
        elements.normal[k, a] = element.normal[a]
    elements.area[k] = element.area
    elements.depth[k] = element.depth
    elements.weight[k] = element.weight
    elements.peak[k] = 1.0
    elements.turned[k] = 1.0 - element.cosine * element.cosine
    elements.energy_rise[k] = element.cosine - 1.0
    elements.base_triangle[k] = element.triangle
    elements.target_triangle[k] = element.target_triangle
    elements.side[k] = element.side
    elements.part[k] = element.part
    elements.target_place[k, 0] = element.place[0]
    elements.target_place[k, 1] = element.place[1]


@inline_kernel
def copy_row(elements: ElementTable, k: int, to: int) -> None:
    """Copy what a method has written to row k to another row."""
    for a in range(3):
        elements.base_point[to, a] = elements.base_point[k, a]
        elements.normal[to, a] = elements.normal[k, a]
    elements.area[to] = elements.area[k]
    elements.depth[to] = elements.depth[k]
    elements.weight[to] = elements.weight[k]
    elements.peak[to] = elements.peak[k]
    elements.turned[to] = elements.turned[k]
    elements.energy_rise[to] = elements.energy_rise[k]
    elements.base_triangle[to] = elements.base_triangle[k]
    elements.target_triangle[to] = elements.target_triangle[k]
    elements.side[to] = elements.side[k]
    elements.part[to] = elements.part[k]
    elements.target_place[to, 0] = elements.target_place[k, 0]
    elements.target_place[to, 1] = elements.target_place[k, 1]
