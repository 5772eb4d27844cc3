"""Small problems with known solutions for the tests of the integrators, and how they are run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from polycontact.simulation.integrators import INTEGRATORS, Integrator, IntegratorSettings

Array = NDArray[np.float64]
IMPLICIT = ("cvode-bdf", "ida", "lsoda")
every_integrator = pytest.mark.parametrize("name", INTEGRATORS)


def decay(t: float, y: Array, out: Array) -> None:
    out[:] = -y


def oscillator(t: float, y: Array, out: Array) -> None:
    """Position and velocity; further components integrate the square of the position."""
    out[0] = y[1]
    out[1] = -y[0]
    out[2:] = y[0] ** 2


def van_der_pol(t: float, y: Array, out: Array) -> None:
    out[0] = y[1]
    out[1] = 1000.0 * (1.0 - y[0] ** 2) * y[1] - y[0]


def robertson(t: float, y: Array, out: Array) -> None:
    out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2]
    out[2] = 3e7 * y[1] ** 2
    out[1] = -out[0] - out[2]


def tolerances(rtol: float, **others: float) -> IntegratorSettings:
    return IntegratorSettings(rtol=rtol, atol=others.pop("atol", rtol), **others)


def run(integrator: Integrator, limit: float = math.inf) -> Integrator:
    while integrator.t < integrator.end_time:
        integrator.step(limit)
    return integrator
