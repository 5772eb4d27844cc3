"""Where the points that bear a contact are chosen, whatever its method: work space and the points."""

from __future__ import annotations

from polycontact.kernels.geometry.shared_faces import SharedFaces
from polycontact.kernels.response.support_points import GROUPS, POINTS, SupportWork
from polycontact.kernels.views import View, cast_to, count, inline, nested


class PointWork(View):
    """Work space of every kind of contact, and the points found."""

    place = count("address of this view, which a kernel that chooses points gets")
    elements = nested(SupportWork)
    faces = nested(SharedFaces)
    found = inline(GROUPS * POINTS, 8, doc="points, directions that push E, depths, areas")


point_work_at = cast_to(PointWork)
