"""Contact data of a surface, which those of the other surface of a pair are mixed with (S4.14, S4.38)."""

from __future__ import annotations

from typing import Any

from polycontact.contact.laws import ContactProperties
from polycontact.contact.options import options_of
from polycontact.scenario.schema.base import NotNegative, Positive, Table, optional


def _key(name: str) -> Any:
    """The key of a field of `ContactProperties`, with its meaning, unit and default."""
    found = next(each for each in options_of(ContactProperties) if each.name == name)
    return optional(found.meaning, found.unit, found.default)


class ContactPropertiesTable(Table):
    """Spring, damper and friction of a surface: two in contact are springs in series, and the mean of all else.

    An empty table has the defaults of the source. Its symbols (c, d, d_w, mu, v_min, w_min) are read too.
    """

    stiffness: Positive = _key("stiffness")
    damping: NotNegative = _key("damping")
    spin_length: NotNegative = _key("spin_length")
    friction: NotNegative = _key("friction")
    slip_velocity: Positive = _key("slip_velocity")
    spin_velocity: Positive = _key("spin_velocity")

    def build(self) -> ContactProperties:
        """The contact data as laws take them."""
        return ContactProperties(**self.model_dump())
