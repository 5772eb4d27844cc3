"""The distance of two bodies, with the points where it is attained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.result import ContactStatus


@dataclass(frozen=True)
class Distance:
    """How far apart two bodies are, in frame E.

    ``distance`` (m), negative where they overlap: then how far one must move to be free; ``point_e`` and ``point_f``
    (3,) on either surface, m; ``normal`` (3,): unit vector out of E towards F; ``status``: what was special. Where no
    distance was found all numbers are nan and the status tells why.
    """

    distance: float
    point_e: NDArray[np.float64]
    point_f: NDArray[np.float64]
    normal: NDArray[np.float64]
    status: ContactStatus
