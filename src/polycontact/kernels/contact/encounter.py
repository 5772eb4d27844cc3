"""What travels together through the generation of elements: a base, the target that it meets, and where to write.

Both surfaces can be the base: with `BaseKind.BOTH` the same pair of surfaces has two encounters at one pose. All fields
are views, that is addresses: a tuple of them costs what the single arguments would.
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import Cells, Side, Work


class Encounter(NamedTuple):
    """A base whose triangles become elements, and the target that their depths are measured against.

    ``depth_kind``: a `DepthKind`. ``cells``: work space where the depth is a distance.
    """

    base: Side
    target: Side
    pose: Pose
    depth_kind: int
    elements: ElementTable
    cells: Cells
    work: Work
    report: ContactReport
