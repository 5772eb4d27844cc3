"""Two triangles laid out for their intersection."""

from __future__ import annotations

from polycontact.kernels.views import View, count, inline


class TrianglePair(View):
    """Corners of a triangle of E and one of F in a common frame, and what is known of their sides."""

    three = count("3: a bound read at run time, so that the compiler keeps one copy of the predicates")
    corners = inline(6, 3, unit="m", doc="corners of e, then of f")
    sides = inline(2, 3, unit="m³", doc="determinants of e's corners against f, and of f's against e")
    bounds = inline(2, unit="m³", doc="error bounds of the two rows of sides")
