"""Two bodies that approach each other along a line until they touch."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactWarning
from polycontact.surfaces.surface import Surface

STEP = 1.0 / 60.0
"""Way between two looks, in sizes of the smaller body."""


def random_direction(rng: np.random.Generator) -> NDArray[np.float64]:
    """A random unit vector (3,), uniform over all directions."""
    direction = rng.normal(size=3)
    return np.asarray(direction / np.linalg.norm(direction))


def way_to_contact(e: Surface, f: Surface, R: NDArray[np.float64], direction: NDArray[np.float64]) -> float | None:
    """How far F, turned by R, is from E along ``direction`` where it first touches it, m; None where it passes by."""
    pairing = ContactPairing(e, f, law=LayerLaw(stiffness=1.0))
    way, step = e.size + f.size, STEP * min(e.size, f.size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        while way > 0.0:
            if pairing.evaluate(RelativeKinematics(rotation=R, position=way * direction)).in_contact:
                return way
            way -= step
    return None
