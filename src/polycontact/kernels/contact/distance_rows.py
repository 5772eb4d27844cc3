"""Rows of the table of elements with a depth that varies: mean depth at the centre of pressure.

In: φ over a part of the base, from one sample, from three, or from shares of both (`Part`: means of φ, φ·x and
φ²·∇φ·n). Out: a row: mean depth, centre of pressure, peak over mean, energy over that of the mean, slope. Parts of one
element add up by their shares.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.distance_samples import Sample
from polycontact.kernels.contact.element_table import ElementTable, new_row
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.plane_moments import ROOT3, Linear, Point, Region
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, as_index, dot, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import MOST_BEND_TAKEN, MOST_SPREAD

Samples3 = tuple[Sample, Sample, Sample]

SETTLED = -2
"""State of an element that is not looked at again."""
WHOLE = -1
"""State of an element that is a whole inner triangle; that of a cut one is not negative."""

_MIDDLE: Point = (0.5, 0.5 / ROOT3)
"""Of the reference triangle."""


class Part(NamedTuple):
    """φ over a part of the base: mean (m), mean of φ·x (m², frame E), mean of φ²·∇φ·n (m²), greatest φ (m), square of
    its slope along the part, and a triangle of the target nearby."""

    depth: float
    moment: Vector
    energy: float
    deepest: float
    slope: float
    triangle: int


@inline_kernel
def _slope_of(s: Samples3) -> float:
    """Square of the slope of φ along the plane of three samples, at most 1: φ rises by 1 along its gradient."""
    e1 = sub(s[1].point, s[0].point)
    e2 = sub(s[2].point, s[0].point)
    a = dot(e1, e1)
    b = dot(e1, e2)
    c = dot(e2, e2)
    d1 = s[1].depth - s[0].depth
    d2 = s[2].depth - s[0].depth
    square = a * c - b * b
    if not square > 0.0:
        return 0.0
    return min((d1 * d1 * c - 2.0 * d1 * d2 * b + d2 * d2 * a) / square, 1.0)


@kernel
def part_of_samples(s: Samples3, own_normal: Vector) -> Part:
    """φ from three samples of equal weight; ``own_normal`` of the element, into the base, in the target's frame."""
    third = 1.0 / 3.0
    d0 = max(s[0].depth, 0.0)
    d1 = max(s[1].depth, 0.0)
    d2 = max(s[2].depth, 0.0)
    moment = add(scale(d0, s[0].point), add(scale(d1, s[1].point), scale(d2, s[2].point)))
    turned = (
        d0 * d0 * dot(own_normal, s[0].gradient)
        + d1 * d1 * dot(own_normal, s[1].gradient)
        + d2 * d2 * dot(own_normal, s[2].gradient)
    )
    deepest = d0
    nearest = s[0].triangle
    if d1 > deepest:
        deepest = d1
        nearest = s[1].triangle
    if d2 > deepest:
        deepest = d2
        nearest = s[2].triangle
    return Part(third * (d0 + d1 + d2), scale(third, moment), -third * turned, deepest, _slope_of(s), nearest)


@inline_kernel
def part_of_centre(
    x: Triangle, u: Vector, region: Region, s: Sample, linear: Linear, bend: float, own_normal: Vector
) -> Part:
    """φ over a region of triangle x from a sample at its mean and ``u`` at the corners, ``linear`` between them.

    ``bend``: by how much that misses the sample. As much of it is taken off the mean as belongs to a quadratic that is
    zero at the corners and bends alike in all directions: a quarter for a whole triangle, which makes its mean exact
    for every quadratic.
    """
    from_middle = (region.x - _MIDDLE[0], region.y - _MIDDLE[1])
    rest = 1.0 / 3.0 - (from_middle[0] * from_middle[0] + from_middle[1] * from_middle[1])
    share = (region.xx + region.yy) / rest if rest > 0.0 else 0.0
    depth = max(s.depth, 0.0)
    most = MOST_BEND_TAKEN * depth
    deepest = max(max(depth, u[0]), max(u[1], u[2]))
    mean = min(depth - min(max(share * bend, -most), most), deepest)
    x_moment = region.xx * linear.x + region.xy * linear.y
    y_moment = region.xy * linear.x + region.yy * linear.y
    variance = max(linear.x * x_moment + linear.y * y_moment, 0.0)
    widest = MOST_SPREAD * mean
    while variance > widest * widest:  # once: after an `if` the compiler takes the root for every element, and chooses
        less = widest / math.sqrt(variance)
        x_moment *= less
        y_moment *= less
        variance = widest * widest
    along_x = sub(x[1], x[0])
    along_y = scale(2.0 / ROOT3, sub(sub(x[2], x[0]), scale(0.5, along_x)))
    moment = add(scale(mean, s.point), add(scale(x_moment, along_x), scale(y_moment, along_y)))
    a = dot(along_x, along_x)
    b = dot(along_x, along_y)
    c = dot(along_y, along_y)
    square = a * c - b * b
    slope = 0.0
    if square > 0.0:
        slope = (linear.x * linear.x * c - 2.0 * linear.x * linear.y * b + linear.y * linear.y * a) / square
    energy = -(mean * mean + variance) * dot(own_normal, s.gradient)
    return Part(mean, moment, energy, deepest, min(slope, 1.0), s.triangle)


@inline_kernel
def add_part(part: Part, more: Part, share: float) -> Part:
    """A part and a share of another one: what they say of an element together, as their shares add up to 1."""
    return Part(
        part.depth + share * more.depth,
        add(part.moment, scale(share, more.moment)),
        part.energy + share * more.energy,
        part.deepest + share * more.deepest,
        part.slope + share * more.slope,
        more.triangle if share > 0.5 else part.triangle,
    )


@inline_kernel
def share_of_row(elements: ElementTable, k: int, share: float) -> Part:
    """A share of what is known of the element in row k."""
    depth = elements.depth[k]
    return Part(
        share * depth,
        scale(share * depth, row(elements.base_point, k)),
        share * depth * depth * (elements.energy_rise[k] + 1.0),
        share * depth * elements.peak[k],
        share * elements.turned[k],
        as_index(elements.target_triangle[k]),
    )


@inline_kernel
def write_part(elements: ElementTable, k: int, part: Part) -> None:
    """Write φ over an element to its row k."""
    depth = max(part.depth, 0.0)
    elements.depth[k] = depth
    inverse = 1.0 / depth if depth > 0.0 else 0.0
    for a in range(3):
        elements.base_point[k, a] = inverse * part.moment[a]
    elements.peak[k] = max(inverse * part.deepest, 1.0)
    elements.energy_rise[k] = inverse * inverse * part.energy - 1.0
    elements.turned[k] = part.slope
    elements.target_triangle[k] = part.triangle


@inline_kernel
def write_share(elements: ElementTable, k: int, part: Part, share: float) -> None:
    """Write what is left of the element in row k where cells have taken over the rest: ``share`` of its area, with the
    sum ``part`` of what is known of it."""
    elements.area[k] *= share
    inverse = 1.0 / share if share > 0.0 else 0.0
    write_part(elements, k, add_part(nothing_known(part.triangle), part, inverse))


@inline_kernel
def nothing_known(triangle: int) -> Part:
    """No share of anything yet; ``triangle`` of the target nearby."""
    return Part(0.0, (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, triangle)


@inline_kernel
def write_row(meeting: Encounter, k: int, t: int, cell: int, area: float, normal: Vector, part: Part) -> None:
    """Write an element to row k of the table; nothing is missed of it, and it is not looked at again."""
    elements = meeting.elements
    cells = meeting.cells
    for a in range(3):
        elements.normal[k, a] = normal[a]
    elements.area[k] = area
    elements.weight[k] = 1.0
    elements.base_triangle[k] = t
    elements.side[k] = meeting.base.is_f
    elements.part[k] = cell
    elements.target_place[k, 0] = 1.0 / 3.0
    elements.target_place[k, 1] = 1.0 / 3.0
    write_part(elements, k, part)
    cells.state[k] = SETTLED
    cells.missed[k] = 0.0
    cells.load[k] = area * elements.depth[k]


@kernel
def append_row(meeting: Encounter, t: int, cell: int, area: float, normal: Vector, part: Part) -> int:
    """Write an element to the end of the table; its row, or -1 where there is none left."""
    k = new_row(meeting.elements, meeting.report)
    if k >= 0:
        write_row(meeting, k, t, cell, area, normal, part)
    return k
