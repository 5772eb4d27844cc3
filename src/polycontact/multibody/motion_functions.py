"""Motions: prescribed functions of time for joints, targets of motors, and applied forces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError, UnitError
from polycontact.kernels.dynamics.dynamics_codes import MotionCode, Operation
from polycontact.multibody import checks
from polycontact.multibody.expressions import Expression, read_expression
from polycontact.units import quantity


class MotionData(NamedTuple):
    """A motion as the kernels see it: ``numbers`` as its kind demands, ``n_breaks`` if piecewise or an expression."""

    kind: MotionCode
    n_breaks: int
    numbers: NDArray[np.float64]


class Motion:
    """A function of time, in m or rad; of applied forces in N or N m. Use one of its kinds below."""

    looks_at_joint = False
    """Whether it needs the coordinate or the speed of a joint."""

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


@dataclass(frozen=True)
class ExpressionMotion(Motion):
    """A formula of the time ``t`` (s), such as ``"amplitude * sin(2 * pi * t)"``; velocity and acceleration follow.

    It may use + - * / ** and parentheses, sin, cos, tan, exp, log, sqrt, abs, min, max, ``step(x)`` (0 below zero, 1
    from there on), ``smoothstep(x)`` (x²(3 - 2x) from 0 to 1), ``pi``, and ``parameters`` by their names. Efforts and
    friction of joints may also use the joint's coordinate ``q`` (rad or m) and speed ``v``. The text is never run as
    code.
    """

    formula: str
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "expression", read_expression("expression", self.formula, self.parameters))

    @property
    def looks_at_joint(self) -> bool:  # type: ignore[override]  # here it depends on the formula
        """Whether it needs the coordinate or the speed of a joint."""
        return self.tree.looks_at(Operation.COORDINATE, Operation.SPEED)

    @property
    def tree(self) -> Expression:
        """The formula as it was read."""
        tree: Expression = self.expression  # type: ignore[attr-defined]  # set when it was made
        return tree

    def compiled(self) -> MotionData:
        """Kind, number of breaks and data for the kernels."""
        return MotionData(MotionCode.EXPRESSION, len(self.tree.nodes), self.tree.numbers())


FunctionOfTime = float | str | Motion
"""What may stand for a function of time: a constant, a formula, or a motion."""


def as_motion(owner: str, what: str, value: object, unit: str, *, of_joint: bool = False) -> Motion:
    """A number, a formula or a motion as a motion; ``of_joint``: it may look at a joint's coordinate and speed."""
    if isinstance(value, str):
        motion: Motion = _written(owner, what, value, unit)
    elif isinstance(value, Motion):
        motion = value
    else:
        motion = ConstantVelocity(0.0, constant(owner, what, value, unit, signed=True))
    return motion if of_joint else function_of_time(owner, what, motion)


def constant(owner: str, what: str, value: object, unit: str, *, signed: bool = False) -> float:
    """A number; what is none is told that a formula or a motion may stand there too."""
    is_number = isinstance(value, int | float | np.number)
    return checks.number(owner, what, value, unit if is_number else f"{unit}, a formula or a motion", signed=signed)


def _written(owner: str, what: str, text: str, unit: str) -> Motion:
    """A formula, or a number with a unit, as a motion; whose it is stands before what is wrong with it."""
    try:
        return ExpressionMotion(text)
    except MultibodyError as error:
        try:
            quantity(text)
        except UnitError:
            raise MultibodyError(f"{owner}: {what}: {error}") from None
    return ConstantVelocity(0.0, checks.in_unit(owner, what, text, unit))


def function_of_time(owner: str, what: str, motion: Motion) -> Motion:
    """The motion, if it depends on nothing but time."""
    if motion.looks_at_joint:
        raise MultibodyError(f"{owner}: {what} is a formula with q or v; they belong to efforts and friction of joints")
    return motion


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
        at = int(np.argmin(np.isfinite(t) & np.isfinite(x)))
        raise MultibodyError(f"{owner}: times and values must be finite; at index {at} {t[at]:g} s has {x[at]:g}")
    if not (np.diff(t) > 0).all():
        at = int(np.argmin(np.diff(t)))
        raise MultibodyError(f"{owner}: times must increase; {t[at]:g} s is followed by {t[at + 1]:g} s at index {at}")
