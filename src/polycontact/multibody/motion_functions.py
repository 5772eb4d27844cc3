"""Motions: prescribed functions of time for joints and targets of motors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError
from polycontact.kernels.dynamics.setup_views import MotionCode
from polycontact.multibody import checks


class MotionData(NamedTuple):
    """A motion as the kernels see it: ``numbers`` as its kind demands, ``n_breaks`` where it is piecewise."""

    kind: MotionCode
    n_breaks: int
    numbers: NDArray[np.float64]


class Motion:
    """A function of time, in m or rad. Use one of its kinds below."""

    def compiled(self) -> MotionData:
        """Kind, number of breaks and data for the kernels."""
        raise NotImplementedError


@dataclass(frozen=True)
class ConstantVelocity(Motion):
    """``start + speed · t``: m and m/s, or rad and rad/s."""

    speed: float
    start: float = 0.0

    def __post_init__(self) -> None:
        checks.number("constant velocity", "speed", self.speed, "m/s or rad/s", signed=True)
        checks.number("constant velocity", "start", self.start, "m or rad", signed=True)

    def compiled(self) -> MotionData:
        """Kind, number of breaks and data for the kernels."""
        return MotionData(MotionCode.POLYNOMIAL, 0, np.array([self.start, self.speed]))


@dataclass(frozen=True)
class Harmonic(Motion):
    """``offset + amplitude · sin(2π frequency t + phase)``: m or rad, Hz, rad."""

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for name, unit in (
            ("amplitude", "m or rad"),
            ("frequency", "Hz"),
            ("phase", "rad"),
            ("offset", "m or rad"),
        ):
            value = checks.number("harmonic motion", name, getattr(self, name), unit, signed=True)
            object.__setattr__(self, name, value)

    def compiled(self) -> MotionData:
        """Kind, number of breaks and data for the kernels."""
        omega = 2.0 * math.pi * self.frequency
        return MotionData(MotionCode.HARMONIC, 0, np.array([self.amplitude, omega, self.phase, self.offset]))


@dataclass(frozen=True, eq=False)
class TableMotion(Motion):
    """A smooth curve through (time, value) that does not overshoot; held before the first and after the last.

    s, m or rad. Monotone cubic pieces (Fritsch and Carlson 1980), at rest at both ends: between two equal values it
    stands still, as a table is read. `SplineMotion` has continuous accelerations too, but swings beyond its points.
    """

    times: ArrayLike
    values: ArrayLike

    def __post_init__(self) -> None:
        _check_points("table motion", self.times, self.values)

    def compiled(self) -> MotionData:
        """Kind, number of breaks and data for the kernels."""
        from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

        t, x = np.asarray(self.times, dtype=np.float64), np.asarray(self.values, dtype=np.float64)
        slopes = PchipInterpolator(t, x).derivative()(t) if len(t) > 2 else np.zeros(2)
        slopes[[0, -1]] = 0.0
        return MotionData(
            MotionCode.PIECEWISE, len(t), np.concatenate([t, CubicHermiteSpline(t, x, slopes).c.T.ravel()])
        )


@dataclass(frozen=True, eq=False)
class SplineMotion(Motion):
    """Cubic spline through (time, value), at rest at both ends and held beyond them. s, m or rad."""

    times: ArrayLike
    values: ArrayLike

    def __post_init__(self) -> None:
        _check_points("spline motion", self.times, self.values)

    def compiled(self) -> MotionData:
        """Kind, number of breaks and data for the kernels."""
        from scipy.interpolate import CubicSpline

        t, x = np.asarray(self.times, dtype=np.float64), np.asarray(self.values, dtype=np.float64)
        spline = CubicSpline(t, x, bc_type="clamped")
        return MotionData(MotionCode.PIECEWISE, len(t), np.concatenate([t, spline.c.T.ravel()]))


def _check_points(owner: str, times: ArrayLike, values: ArrayLike) -> None:
    try:
        t, x = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise MultibodyError(f"{owner}: times and values must be numbers") from None
    if t.ndim != 1 or t.shape != x.shape or len(t) < 2:
        raise MultibodyError(
            f"{owner}: times {t.shape} and values {x.shape} must be two lists of the same length, at least 2"
        )
    if not (np.isfinite(t).all() and np.isfinite(x).all()):
        raise MultibodyError(f"{owner}: times and values must be finite")
    if not (np.diff(t) > 0).all():
        at = int(np.argmin(np.diff(t)))
        raise MultibodyError(f"{owner}: times must increase; {t[at]} s is followed by {t[at + 1]} s at index {at}")
