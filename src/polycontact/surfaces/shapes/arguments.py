"""Checks of the arguments of shapes: each error names the shape, the argument, its value, unit and range."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError, UnitError
from polycontact.tolerances import MAX_TRIANGLES
from polycontact.units import has_dimension, quantity

LENGTH_RANGE = (1e-50, 1e50)
"""Lengths in m that are accepted: their fifth power, the inertia, still is a normal double."""


def real_number(shape: str, name: str, value: object, unit: str, low: float, high: float) -> float:
    """``value`` as a finite float in the closed range from ``low`` to ``high``, given in ``unit`` or with its own."""
    if isinstance(value, str) and has_dimension(unit):
        try:
            value = quantity(value, unit)
        except UnitError as error:
            raise SurfaceError(f"{shape}: {name} = {value!r} is not a number in {unit}; {error}") from None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        raise SurfaceError(f"{shape}: {name} = {value!r} is not a number in {unit}") from error
    if isinstance(value, str) or not (low <= number <= high and math.isfinite(number)):
        raise SurfaceError(f"{shape}: {name} = {value!r} {unit}; allowed is {low:g} to {high:g} {unit}")
    return number


def length(shape: str, name: str, value: object) -> float:
    """``value`` as a positive length in m."""
    return real_number(shape, name, value, "m", *LENGTH_RANGE)


def lengths(shape: str, name: str, value: ArrayLike, n: int) -> tuple[float, ...]:
    """``n`` positive lengths in m from ``value``, one for all or ``n`` of them."""
    values = _listed(shape, name, value, n, "length in m", "lengths in m")
    return tuple(length(shape, name, each) for each in values)


def count(shape: str, name: str, value: object, low: int, high: int = MAX_TRIANGLES) -> int:
    """``value`` as an integer in the closed range from ``low`` to ``high``."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError as error:
        raise SurfaceError(f"{shape}: {name} = {value!r} is not an integer; allowed is {low} to {high}") from error
    if isinstance(value, bool) or not low <= number <= high:
        raise SurfaceError(f"{shape}: {name} = {value!r}; allowed is {low} to {high}")
    return number


def counts(shape: str, name: str, value: ArrayLike, n: int) -> tuple[int, ...]:
    """``n`` positive integers from ``value``, one for all or ``n`` of them."""
    values = _listed(shape, name, value, n, "count", "counts")
    return tuple(count(shape, name, each, 1) for each in values)


def points_2d(shape: str, name: str, value: ArrayLike, low: int) -> NDArray[np.float64]:
    """``value`` as an array (n, 2) of finite coordinates in m with at least ``low`` points."""
    try:
        points = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SurfaceError(f"{shape}: {name} is not an array of numbers in m: {error}") from error
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < low:
        raise SurfaceError(f"{shape}: {name} has shape {points.shape}; allowed is (n, 2), in m, with n = {low} or more")
    bad = np.flatnonzero(~(np.abs(points) <= LENGTH_RANGE[1]).all(axis=1))
    if len(bad):
        raise SurfaceError(
            f"{shape}: {name}[{int(bad[0])}] = {points[bad[0]].tolist()} m; allowed are finite coordinates "
            f"of at most {LENGTH_RANGE[1]:g} m"
        )
    return points


def refuse_too_many(shape: str, n_triangles: float, remedy: str) -> None:
    """Refuse a shape of more than ``MAX_TRIANGLES`` triangles before any memory is taken."""
    if not n_triangles <= MAX_TRIANGLES:
        raise SurfaceError(
            f"{shape}: the arguments ask for about {n_triangles:.4g} triangles; "
            f"allowed is up to {MAX_TRIANGLES}; {remedy}"
        )


def _listed(shape: str, name: str, value: ArrayLike, n: int, one: str, many: str) -> Sequence[object]:
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        return [value] * n
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return [value.item()] * n
    if len(value) != n:
        raise SurfaceError(f"{shape}: {name} = {value!r}; allowed is one {one} or {n} {many}")
    return list(value)
