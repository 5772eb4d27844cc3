"""Where the normal forces of a contact act together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.contact.element_table import ElementTable


def centre_of_pressure(elements: ElementTable) -> NDArray[np.float64]:
    """Mean of the elements' positions (3,) m in frame E, weighted by their normal forces; nan where nothing presses."""
    n = elements.n
    weight = elements.normal_force[:n]
    total = float(weight.sum())
    return weight @ elements.position[:n] / total if total > 0.0 else np.full(3, np.nan)
