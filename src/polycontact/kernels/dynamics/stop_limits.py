"""Limits that end a run, looked at in compiled code: whether a body has tilted, sunk or gone too far.

In: places of the bodies. Out: whether any limit is passed; Python then finds the time inside the step
(`simulation/stop_watch.py`).
"""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.evaluation_views import BodyState
from polycontact.kernels.dynamics.stop_kinds import StopKind
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import View, count, doubles, ints


class StopLimits(View):
    """Limits of a run, each of a body."""

    n = count("limits")
    kind = ints("n", doc="a `StopKind`")
    body = ints("n", doc="number of the body")
    vector = doubles("n", 3, doc="axis, or point (m), in the body's frame")
    place = doubles("n", 3, doc="place in the world", unit="m")
    limit = doubles("n", doc="the value at which the run ends", unit="rad, m")


@kernel
def is_beyond(limits: StopLimits, bodies: BodyState) -> bool:
    """Whether a limit is reached where the bodies are."""
    for i in range(limits.n):
        b = limits.body[i]
        R, v = bodies.rotation[b], limits.vector[i]
        x = R[0] * v[0] + R[1] * v[1] + R[2] * v[2]
        y = R[3] * v[0] + R[4] * v[1] + R[5] * v[2]
        z = R[6] * v[0] + R[7] * v[1] + R[8] * v[2]
        if limits.kind[i] == StopKind.TILT:
            excess = math.atan2(math.hypot(x, y), z) - limits.limit[i]
        elif limits.kind[i] == StopKind.HEIGHT:
            excess = limits.limit[i] - (bodies.position[b, 2] + z)
        else:
            x += bodies.position[b, 0] - limits.place[i, 0]
            y += bodies.position[b, 1] - limits.place[i, 1]
            z += bodies.position[b, 2] - limits.place[i, 2]
            excess = math.sqrt(x * x + y * y + z * z) - limits.limit[i]
        if excess >= 0.0:
            return True
    return False
