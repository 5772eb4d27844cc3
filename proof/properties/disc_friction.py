"""Friction of a flat disc under even pressure that slides and spins at once: exact, and with regularised friction.

Shares of the greatest force μN and of the greatest torque (2/3)μNR; ``ratio``: v/(Rω), speed of the centre over that of
the rim about it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class FrictionShares(NamedTuple):
    """Force over μN and torque over (2/3)μNR."""

    force: float
    torque: float


def coulomb_shares(ratio: float) -> FrictionShares:
    """Coulomb friction, by complete elliptic integrals: Farkas, Bartels, Unger and Wolf, Phys. Rev. Lett. 90 (2003)."""
    from scipy.special import ellipe, ellipk

    e = ratio
    if math.isinf(e):
        return FrictionShares(1.0, 0.0)
    if e == 0.0:
        return FrictionShares(0.0, 1.0)
    if e == 1.0:
        return FrictionShares(8.0 / (3.0 * math.pi), 4.0 / (3.0 * math.pi))
    if e < 1.0:
        K, E = float(ellipk(e * e)), float(ellipe(e * e))
        force = 4.0 / (3.0 * math.pi * e) * ((e * e + 1.0) * E + (e * e - 1.0) * K)
        torque = 2.0 / (3.0 * math.pi) * ((4.0 - 2.0 * e * e) * E + (e * e - 1.0) * K)
    else:
        K, E = float(ellipk(1.0 / (e * e))), float(ellipe(1.0 / (e * e)))
        force = 4.0 / (3.0 * math.pi) * ((e * e + 1.0) * E - (e * e - 1.0) * K)
        torque = 2.0 * e / (3.0 * math.pi) * ((4.0 - 2.0 * e * e) * E + (2.0 * e * e - 5.0 + 3.0 / (e * e)) * K)
    return FrictionShares(force, torque)


def regularised_shares(speed: float, rim_speed: float, velocity: float) -> FrictionShares:
    """Friction that fades out below the slip ``velocity`` v_ε, eq. (20), by quadrature; all in m/s.

    Gauss points along the radius, equal angles around: errors below 1e-4 also where the slip passes through v_ε.
    """
    nodes, weights = np.polynomial.legendre.leggauss(160)
    r, dr = 0.5 * (nodes + 1.0), 0.5 * weights
    angle = (np.arange(720) + 0.5) * 2.0 * np.pi / 720
    x, y = np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle))
    slip_x, slip_y = speed - rim_speed * y, rim_speed * x
    slip = np.hypot(slip_x, slip_y)
    share = np.where(slip < velocity, slip / velocity * (2.0 - slip / velocity), 1.0)
    along = share / np.maximum(slip, np.finfo(float).tiny)
    area = (r * dr)[:, None] * (2.0 * np.pi / 720) / np.pi
    force = float((along * slip_x * area).sum())
    torque = float((along * (x * slip_y - y * slip_x) * area).sum())
    return FrictionShares(force, 1.5 * torque)
