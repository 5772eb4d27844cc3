"""What every evaluation begins with, whatever the method: report, pose, laws, table of elements, memory of elements.

Laws, dynamics, ledger, recording and pages see this header and know no method. The memory of a method is a view whose
first field is ``header = nested(ContactHeader)``.
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.views import View, cast_to, count, doubles, inline, longs, nested, number


class Pose(View):
    """Relative kinematics of this evaluation: marker F in E."""

    rotation = inline(3, 3, doc="rotation of F in E")
    position = inline(3, unit="m", doc="position of F in E")
    velocity = inline(3, unit="m/s", doc="velocity of F in E")
    angular_velocity = inline(3, unit="rad/s", doc="angular velocity of F in E")
    drift = number("how far the rotation is from a proper one")
    pad = number("boxes grow by this, so that neither rounding nor drift hides an intersection", "m")


class Laws(View):
    """The laws of a pair, by address."""

    split_e = number("share of the depth that E's layer takes, eq. (13)")
    normal = count("address of the stage that finds normal forces")
    normal_parameters = count("address of its parameters")
    tangential = count("address of the stage that finds tangential forces; 0: none")
    tangential_parameters = count("address of its parameters")


class ElementMemory(View):
    """What a law remembers of elements from the last accepted step, by keys that outlive rows of the table."""

    width = count("numbers an element; 0: nothing is remembered")
    room = count("elements that fit")
    n = count("elements remembered")
    keys = longs("room", doc="keys of the remembered elements, ascending, see element_memory")
    values = doubles("room", "width", doc="what is remembered; changes when a step was accepted")
    trial_room = count("elements that fit into the table")
    trial = doubles("trial_room", "width", doc="of this evaluation's elements: taken over when the step is accepted")
    order = longs("trial_room", 2, doc="elements to be sorted, as (key, row)")
    order_room = longs("trial_room", 2, doc="second buffer of the sort")


class ContactHeader(View):
    """The part of an evaluation that all methods share."""

    report = nested(ContactReport)
    pose = nested(Pose)
    laws = nested(Laws)
    elements = nested(ElementTable)
    memory = nested(ElementMemory)


as_header = cast_to(ContactHeader)
