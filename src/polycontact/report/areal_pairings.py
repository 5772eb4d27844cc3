"""Which pairings of a run have patches to colour: points have no area and no pressure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.description import finds_points
from polycontact.simulation.recording.records import RunDescription


def areal_pairings(description: RunDescription) -> NDArray[np.bool_]:
    """Whether each pairing has an area, (n pairings,)."""
    contacts = [each.contact for each in description.pairings]
    distinct = {id(contact): contact for contact in contacts}
    areal = {number: not finds_points(contact) for number, contact in distinct.items()}
    return np.array([areal[id(contact)] for contact in contacts], dtype=bool)
