"""Contact data of a surface, mixed with those of the other surface of a pair (S4.14, S4.38), and wear of a pair."""

from __future__ import annotations

from typing import Any

from polycontact.contact.laws import ContactProperties
from polycontact.contact.options import options_of
from polycontact.contact.wear import ArchardWear
from polycontact.scenario.schema.base import NotNegative, Positive, Share, Table, optional, required


def _key(name: str, cls: type = ContactProperties) -> Any:
    """The key of a field of a class, with its meaning, unit and default."""
    found = next(each for each in options_of(cls) if each.name == name)
    if found.is_required:
        return required(found.meaning, found.unit)
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


class WearTable(Table):
    """How two surfaces wear by Archard's law: maps of a run show how deep (maps = true), forces do not change."""

    coefficient: NotNegative = _key("coefficient", ArchardWear)
    hardness: Positive = _key("hardness", ArchardWear)
    share_e: Share = _key("share_e", ArchardWear)

    def build(self) -> ArchardWear:
        """The wear as contacts take it."""
        return ArchardWear(**self.model_dump())
