"""Memory of one evaluation of two surfaces given by formulas: header, sides, starts, what was found."""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import ContactHeader
from polycontact.kernels.smooth.common_normal import NormalEquations
from polycontact.kernels.smooth.corner_planes import TangentPlanes
from polycontact.kernels.smooth.surface_views import SmoothSide
from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints, nested, number

FIRST_STARTS, MOST_STARTS = 12, 36
"""Places from which common normals are searched: so many, and more where no contact can be vouched for."""


MOST_FOUND = MOST_STARTS + 2
"""Common normals of all starts, and the contact of a tip or an edge of either body."""


class Partners(View):
    """For each sample of one surface the one of the other with which it nearly has a common normal."""

    room = count("samples")
    mismatch = doubles("room", doc="how far from one they are; infinite where there is no partner, or it was used")
    partner = ints("room", doc="sample of the other surface")


class StartSearch(View):
    """Pairs of samples that nearly have a common normal."""

    of_e = nested(Partners)
    of_f = nested(Partners)
    room_f = count("samples of F")
    n_near = count("samples of F that are looked at")
    near = ints("room_f", doc="these")
    points = doubles("room_f", 3, unit="m", doc="their points in frame E")
    normals = doubles("room_f", 3, doc="their normals in frame E")
    closest_e = count("sample of E of the closest pair that faces each other; -1: there is none")
    closest_f = count("its sample of F")
    closest = number("square of their distance: the bodies are not farther apart", "m²")
    n = count("starts so far")
    height = number("height of the lowest sample of either body over the other, where no start led anywhere", "m")


class CommonNormals(View):
    """Common normals that were found, in frame E."""

    n = count("common normals")
    distance = inline(MOST_FOUND, unit="m", doc="signed: negative where the bodies overlap along it")
    point_e = inline(MOST_FOUND, 3, unit="m", doc="end on E")
    point_f = inline(MOST_FOUND, 3, unit="m", doc="end on F")
    normal = inline(MOST_FOUND, 3, doc="out of E")
    trouble = count("of Located: why a start led nowhere, the worst of them")
    chosen = count("the one that is the contact; -1: none")
    is_overlap = count("1: an end of one lies inside the other body")
    is_doubtful = count("1: another part of a surface is nearer than the end of every one that could be chosen")


class SmoothEvaluation(View):
    """Memory of one evaluation."""

    header = nested(ContactHeader)
    reach = number("how far coordinates of both bodies reach", "m")
    scale = number("a length of the smaller body", "m")
    e = nested(SmoothSide)
    f = nested(SmoothSide)
    search = nested(StartSearch)
    equations = nested(NormalEquations)
    planes = nested(TangentPlanes)
    found = nested(CommonNormals)


as_smooth = cast_to(SmoothEvaluation)
