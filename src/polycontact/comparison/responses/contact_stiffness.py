"""The same system with another stiffness of its contacts (S2.23)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from polycontact.contact.options import is_number
from polycontact.errors import SimulationError
from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.multibody_system import MultibodySystem


def check_stiffnesses(given: Sequence[float]) -> tuple[float, ...]:
    """The stiffnesses, or an error that names the first that is none."""
    for each in given:
        if not (is_number(each) and math.isfinite(each) and each > 0.0):
            raise SimulationError(f"stiffness is {each!r}; give positive numbers, N/m for points, N/m³ for areas")
    return tuple(dict.fromkeys(float(each) for each in given))


def set_stiffness(system: MultibodySystem, stiffness: float) -> None:
    """Give the law of every contact a ``stiffness`` (N/m for points, N/m³ for areas); before the system is compiled."""
    if not system.contacts:
        raise SimulationError("stiffness: the scenario has no contacts")
    system.contacts.update({name: _with(contact, stiffness) for name, contact in system.contacts.items()})


def _with(contact: Contact, stiffness: float) -> Contact:
    description = contact.description
    if getattr(description.law, "stiffness", None) is None:
        raise SimulationError(
            f"contact {contact.name!r}: its law, {type(description.law).__name__}, has no stiffness of its own that "
            f"could be varied; leave stiffness out"
        )
    law = replace(description.law, stiffness=stiffness)  # type: ignore[type-var]
    return replace(contact, description=replace(description, law=law))
