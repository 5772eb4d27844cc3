"""Memory of surfaces given by formulas: what their code fills in, what contact needs of a place on them."""

from __future__ import annotations

import enum

from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints, longs, nested, number, reference


class SurfaceKind(enum.IntEnum):
    """Whether a smooth surface is parametric or implicit."""

    PARAMETRIC = 0  # r(α, β)
    IMPLICIT = 1  # 0 = h(r)


class Located(enum.IntEnum):
    """What was found at a place of a surface."""

    REGULAR = 0
    SINGULAR = 1  # no normal there: a tangent or the gradient vanishes, or both tangents are parallel
    NOT_FINITE = 2  # the surface's function gave no number
    OFF = 3  # no point of the surface was found nearby


class ParametricPoint(View):
    """A point of r(α, β) with its derivatives, in the frame of the surface; code fills in all but the first three."""

    chart = count("which of several functions, for surfaces that one alone does not cover")
    alpha = number("first parameter")
    beta = number("second parameter")
    point = inline(3, unit="m", doc="r")
    tangents = inline(2, 3, doc="e_α and e_β, m per unit of the parameter")
    bends = inline(3, 3, doc="second derivatives αα, αβ, ββ")


class ImplicitPoint(View):
    """h and its derivatives at a point, in the frame of the surface; code fills in all but the first."""

    place = inline(3, unit="m", doc="r")
    value = number("h(r), negative inside")
    gradient = inline(3, doc="its gradient, outward")
    hessian = inline(3, 3, doc="its second derivatives")


as_parametric_point = cast_to(ParametricPoint)
as_implicit_point = cast_to(ImplicitPoint)


class SmoothSurface(View):
    """A surface given by a formula, and samples of it from which searches start: it never changes."""

    kind = count("of SurfaceKind")
    code = count("address of code (parameters, point; by addresses) that fills in a point")
    parameters = count("address of its parameters, UserParameters")
    is_closed = count("1: it bounds a solid")
    size = number("diagonal of the box around it", "m")
    box = inline(2, 3, unit="m", doc="the box, lower and upper corner")
    n_charts = count("charts of a parametric surface")
    domain = doubles("n_charts", 2, 2, doc="of each chart and parameter: lower and upper end")
    periodic = longs("n_charts", 2, doc="of each chart and parameter: 1 where both ends are the same place")
    cover = number("no point is farther than this from the nearest sample", "m")
    n = count("samples")
    charts = ints("n", doc="of each sample: its chart")
    places = doubles("n", 3, doc="α and β, or the point itself")
    points = doubles("n", 3, unit="m", doc="their points")
    normals = doubles("n", 3, doc="their outward unit normals")


class SurfaceFrame(View):
    """A place on a surface with what its surroundings look like to first order; vectors in frame E."""

    chart = count("chart of a parametric surface")
    place = inline(3, doc="α and β, or the point in the frame of its surface")
    point = inline(3, unit="m", doc="the point")
    normal = inline(3, doc="outward unit normal")
    tangents = inline(2, 3, doc="two unit tangents, perpendicular to each other")
    turns = inline(2, 3, unit="1/m", doc="how the normal turns along each of them")
    to_place = inline(2, 2, unit="1/m", doc="change of α and β along each tangent; of parametric surfaces")


class SmoothSide(View):
    """One surface during an evaluation."""

    surface = reference(SmoothSurface)
    is_f = count("1: it moves with marker F")
    current = nested(SurfaceFrame)
    trial = nested(SurfaceFrame)
    parametric = nested(ParametricPoint)
    implicit = nested(ImplicitPoint)
    point_at = count("address of the point that its code fills in, of one kind or the other")
