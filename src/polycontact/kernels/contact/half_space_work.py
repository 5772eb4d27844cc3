"""What the half-space law works in: the elements of one side as small triangles, and how they press each other down.

Lengths are those of an evaluation, places those of the frame of the base, in which its triangles stay where they are.
The contact modulus is left out of all forces until the end: they are solved for E* = 1 Pa.

From one evaluation to the next a matrix, its factor and the list of elements that carried are kept. They save work and
change no result: entries and factors are functions of the triangles alone, and the list is a guess that is proved.
"""

from __future__ import annotations

from polycontact.kernels.views import View, cast_to, count, doubles, ints, longs, nested, number


class HalfSpaceParameters(View):
    """Parameters of the half-space law."""

    modulus = number("contact modulus E*", "Pa")
    damping = number("a: damping force over elastic force, per speed of approach", "s/m")


class Flexibility(View):
    """Displacements (m) of elements by a force of 1 N on each other, at E* = 1 Pa: a symmetric matrix."""

    room = count("elements that fit")
    room_of_entries = count("numbers that fit")
    n = count("elements; 0: there is no matrix")
    key = longs("room", doc="which triangle of the base an element is, all of it; -1: a part of one")
    entries = doubles("room_of_entries", unit="m/N", doc="the matrix, row by row")


class HalfSpaceWork(View):
    """Elements of one side: whole triangles that may carry, by number, then parts that may, then all others."""

    room = count("elements that fit, as in the table")
    n = count("elements of this side")
    n_front = count("elements that may carry: these have a matrix")
    n_bearing = count("elements that are taken to carry")
    element = ints("room", doc="row of the table")
    corners = doubles("room", 9, unit="m", doc="triangle of the element: its base triangle, as large as the element")
    middle_x = doubles("room", unit="m", doc="its middle")
    middle_y = doubles("room", unit="m", doc="its middle")
    middle_z = doubles("room", unit="m", doc="its middle")
    normal_x = doubles("room", doc="its outward normal")
    normal_y = doubles("room", doc="its outward normal")
    normal_z = doubles("room", doc="its outward normal")
    area = doubles("room", unit="m²", doc="area that carries")
    spread = doubles("room", unit="m²", doc="mean square distance from its middle")
    reach = doubles("room", unit="m²", doc="square of its longest edge")
    depth = doubles("room", unit="m", doc="how far it has to give way, at least")
    force = doubles("room", unit="N", doc="what it carries, at E* = 1 Pa")
    gap = doubles("room", unit="m", doc="how far it gives way more than it has to")
    carries = ints("room", doc="1 where it is taken to carry")
    bearing = ints("room", doc="the elements that are taken to carry, ascending")
    residual = doubles("room", unit="m", doc="of conjugate gradients: what the displacement lacks")
    direction = doubles("room", unit="N", doc="of conjugate gradients")
    image = doubles("room", unit="m", doc="displacement by the direction")
    order = longs("room", 2, doc="elements to be sorted, as (key, row of the table)")
    order_room = longs("room", 2, doc="second buffer of the sort")
    known_at = longs("room", doc="place of an element in the matrix of the evaluation before; -1: it has none")
    latest = count("which of the two matrices is the latest")
    first = nested(Flexibility)
    second = nested(Flexibility)
    factor = nested(Flexibility)
    n_last = count("elements that carried in the evaluation before; 0: nothing is known")
    last = longs("room", doc="their triangles, ascending")


as_half_space_parameters = cast_to(HalfSpaceParameters)
as_half_space_work = cast_to(HalfSpaceWork)
