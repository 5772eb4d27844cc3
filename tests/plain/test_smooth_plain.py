"""Surfaces given by formulas, compiled and, with NUMBA_DISABLE_JIT=1, in plain Python: built in and users' own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import polycontact as pc

LAW = pc.LayerLaw(stiffness=1e4)


def globe(alpha: Any, beta: Any, parameters: Any) -> Any:
    a, b, c = parameters
    return a * math.cos(alpha) * math.cos(beta), b * math.sin(alpha) * math.cos(beta), c * np.sin(beta)


def ball(x: Any, y: Any, z: Any, parameters: Any) -> Any:
    return math.sqrt(x**2 + y**2 + abs(z) ** 2) / parameters[0] - 1


LATITUDES = ((-math.pi, math.pi), (-0.5 * math.pi, 0.5 * math.pi))
make_globe = pc.surfaces.parametric_surface(
    "plain: globe", domain=LATITUDES, periodic=(True, False), divisions=(12, 8)
)(globe)
make_ball = pc.surfaces.implicit_surface("plain: ball", box=((-0.11,) * 3, (0.11,) * 3), divisions=5)(ball)


def test_own_parametric_surface() -> None:
    """An ellipsoid by longitude and latitude on a plane, tilted off its pole by 45°."""
    c = math.sqrt(0.5)
    R = np.array([[1.0, 0.0, 0.0], [0.0, c, -c], [0.0, c, c]])
    pair = pc.ContactPairing(
        pc.parametric.Plane(0.5), make_globe(0.1, 0.2, 0.3), method=pc.contact.ParametricMethod(), law=LAW
    )
    height = math.sqrt(0.5 * (0.04 + 0.09))
    assert pair.distance(R, (0.0, 0.0, 0.3)).distance == pytest.approx(0.3 - height, abs=1e-12)
    assert pair.wrench(R, (0.0, 0.0, height - 0.001))[2] == pytest.approx(-10.0, rel=1e-9)


def test_own_implicit_surface() -> None:
    pair = pc.ContactPairing(pc.implicit.HalfSpace(0.5), make_ball(0.1), method=pc.contact.ImplicitMethod(), law=LAW)
    assert pair.distance(np.eye(3), (0.01, 0.02, 0.15)).distance == pytest.approx(0.05, abs=1e-12)
    assert pair.wrench(np.eye(3), (0.01, 0.02, 0.099))[2] == pytest.approx(-10.0, rel=1e-9)
