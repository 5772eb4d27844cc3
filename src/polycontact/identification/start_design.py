"""Points at which a search begins: spread evenly over all ranges by a scrambled Sobol' sequence (Sobol' 1967)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.identification.fit_parameter import ParameterSpace


def spread_points(space: ParameterSpace, n: int, seed: int) -> NDArray[np.float64]:
    """Points (n, np) in the coordinates of the ``space``; the same for the same ``seed``."""
    from scipy.stats import qmc

    sequence = qmc.Sobol(len(space), scramble=True, rng=np.random.default_rng(seed))
    unit = sequence.random_base2(max(0, int(np.ceil(np.log2(max(n, 1))))))[:n]
    return np.asarray(space.lower + unit * space.width)
