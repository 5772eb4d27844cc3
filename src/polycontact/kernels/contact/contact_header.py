"""What every evaluation begins with, whatever the method: report, pose, laws with what they own, table of elements.

Laws, dynamics, ledger, recording and pages see this header and know no method. The memory of a method is a view whose
first field is ``header = nested(ContactHeader)``.
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_report import ContactReport, ContactStates
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints, longs, nested, number


class Pose(View):
    """Relative kinematics of this evaluation: marker F in E."""

    rotation = inline(3, 3, doc="rotation of F in E")
    position = inline(3, unit="m", doc="position of F in E")
    velocity = inline(3, unit="m/s", doc="velocity of F in E")
    angular_velocity = inline(3, unit="rad/s", doc="angular velocity of F in E")
    drift = number("how far the rotation is from a proper one")
    pad = number("boxes grow by this, so that neither rounding nor drift hides an intersection", "m")


class ElementMemory(View):
    """What a law remembers of elements from the last accepted step, by keys that outlive rows of the table."""

    width = count("numbers an element; 0: nothing is remembered")
    room = count("elements that fit, at least as many as in the table")
    keeps = number("how long what is no zero in column 0 is remembered after its element has left", "s")
    known = ints("room", doc="by row of the table: 1 where the element was there when the last step was accepted")
    trial = doubles(
        "room",
        "width",
        doc="by row of the table: what was remembered of the element, zeros where it is new; what a law writes here is "
        "remembered when the step is accepted",
    )
    n = count("elements remembered")
    keys = longs("room", doc="their keys, ascending, see element_memory")
    values = doubles("room", "width", doc="what is remembered of them; changes only when a step was accepted")
    n_work = count("numbers of work space")
    work = doubles("n_work", doc="work space of the law, which an evaluation leaves to nobody")
    order = longs("room", 2, doc="elements to be sorted, as (key, row)")
    order_room = longs("room", 2, doc="second buffer of the sort")


class LawPart(View):
    """One law of a pair: its code, and what it has for itself."""

    stage = count("address of the stage that finds its forces; 0: there is no such law")
    place = count("address of this view, which the stage gets")
    parameters = count("address of its parameters")
    work = count("address of its work space; 0: it needs none")
    states = nested(ContactStates)
    memory = nested(ElementMemory)


class Laws(View):
    """The normal and the tangential law of a pair."""

    split_e = number("share of the depth that E's layer takes, eq. (13)")
    normal = nested(LawPart)
    tangential = nested(LawPart)


class ContactHeader(View):
    """The part of an evaluation that all methods share."""

    report = nested(ContactReport)
    pose = nested(Pose)
    laws = nested(Laws)
    elements = nested(ElementTable)


as_header = cast_to(ContactHeader)
as_law = cast_to(LawPart)
