"""The impact of one contact: compression, then restitution, with Coulomb friction all along.

Compression ends where the normal velocity is zero, restitution by one of three hypotheses: the work of the normal
impulse in restitution is -e² times that of compression (Stronge 1990), the normal velocity is -e times the first one
(Newton), or the normal impulse of restitution is e times that of compression (Poisson). Friction takes energy or none
at every instant, so that with Stronge's hypothesis the energy never grows; with the others it may (Kane and Levinson
1985). Friction along the way is followed by `slip_path`.
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.frames import Matrix
from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import Hypothesis
from polycontact.kernels.response.slip_path import (
    UNTIL_IMPULSE,
    UNTIL_SPEED,
    UNTIL_WORK,
    Goal,
    Impact,
    follow_impact,
)


@kernel
def resolve_single_impact(W: Matrix, u: Vector, mu: float, e: float, hypothesis: int) -> Vector:
    """Impulse (N s; normal, two tangents) of a contact that approaches with u (m/s), u_n < 0.

    W (1/kg) is its block of the Delassus matrix. The impulse is zero where u_n is not negative, where W_nn is not
    positive and where a number is not finite.
    """
    size = W[0][0] + W[1][1] + W[2][2] + mu + e
    if not (u[0] < 0.0 and W[0][0] > 0.0 and math.isfinite(size + u[0] + u[1] + u[2])):
        return (0.0, 0.0, 0.0)
    impact = Impact(W, u, mu)
    compressed = follow_impact(impact, (0.0, 0.0, 0.0, 0.0), Goal(UNTIL_SPEED, 0.0))
    if hypothesis == Hypothesis.NEWTON:
        goal = Goal(UNTIL_SPEED, -e * u[0])
    elif hypothesis == Hypothesis.POISSON:
        goal = Goal(UNTIL_IMPULSE, (1.0 + e) * compressed[0])
    else:
        goal = Goal(UNTIL_WORK, (1.0 - e * e) * compressed[3])
    end = follow_impact(impact, compressed, goal)
    return (end[0], end[1], end[2])
