"""What rigid contact takes from the description of each pair: friction and restitution."""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError, SimulationWarning
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_pairs import Contact
from polycontact.simulation.responses.response import RigidResponse

DEFAULT_SLOP_SHARE = 1e-4
"""Depth that bodies keep in each other, in thicknesses of the thinnest body in contact."""


class RigidProperties(NamedTuple):
    """``friction``, ``restitution`` and ``stiffness`` of each pair; ``slop`` (m): depth that is left alone.

    ``stiffness``: N/m³, of points N/m; infinite where contacts are rigid.
    """

    friction: NDArray[np.float64]
    restitution: NDArray[np.float64]
    stiffness: NDArray[np.float64]
    slop: float


def rigid_properties(compiled: CompiledSystem, response: RigidResponse) -> RigidProperties:
    """Coefficients of friction of the friction laws; restitution as the response says, or as the normal law has it."""
    if compiled.setup.pairs.n_states:
        names = [c.name for c in compiled.contacts if c.description.n_states]
        raise SimulationError(
            f"contact {names[0]!r}: its law or method has states that are integrated, which rigid contact cannot do; "
            f"take another law, or response='compliant'"
        )
    friction = [_friction(c) for c in compiled.contacts]
    restitution = [_restitution(c, response) for c in compiled.contacts]
    thickness = compiled.setup.shapes.thickness
    thinnest = float(np.min(thickness[np.isfinite(thickness)], initial=1.0)) if len(thickness) else 1.0
    slop = DEFAULT_SLOP_SHARE * thinnest if response.slop is None else response.slop
    stiffness = [_stiffness(c) if getattr(response, "yielding", False) else math.inf for c in compiled.contacts]
    return RigidProperties(np.array(friction), np.array(restitution), np.array(stiffness), slop)


def _friction(contact: Contact) -> float:
    """Coefficient of friction; a law without one warns, and the contact has no friction."""
    law = contact.description.friction
    coefficient = getattr(law, "coefficient", None)
    if law is not None and coefficient is None:
        warnings.warn(
            f"contact {contact.name!r}: its friction law {type(law).__name__} has no coefficient, so that rigid "
            f"contact is without friction there; take RegularisedCoulomb, or response='compliant'",
            SimulationWarning,
            stacklevel=2,
        )
    return float(coefficient or 0.0)


def _restitution(contact: Contact, response: RigidResponse) -> float:
    if response.restitution is not None:
        return response.restitution
    return float(getattr(contact.description.law, "restitution", 0.0))


def _stiffness(contact: Contact) -> float:
    stiffness = contact.description.stiffness
    if stiffness is None:
        raise SimulationError(
            f"contact {contact.name!r}: its law {type(contact.description.law).__name__} has no stiffness by which "
            f"multipliers could yield; take LayerLaw, RestitutionLaw or SpringDamperLaw, or yielding=False"
        )
    return stiffness
