"""Checks of what a user gives: each names the thing, the value and the remedy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError, UnitError
from polycontact.tolerances import ROTATION_TOLERANCE
from polycontact.units import has_dimension, quantity


def checked_name(what: str, name: object, taken: Iterable[str]) -> str:
    """A name that is a non-empty text and not taken yet."""
    if not isinstance(name, str) or not name.strip():
        raise MultibodyError(f"{what}: the name is {name!r}; give a text that is not empty")
    if name in taken:
        raise MultibodyError(f"{what} {name!r} exists already; names must differ")
    return name


def known(what: str, name: object, names: Iterable[str], owner: str) -> str:
    """``name``, if it is one of ``names``; otherwise an error is raised that lists them."""
    names = list(names)
    if isinstance(name, str) and name in names:
        return name
    close = get_close_matches(str(name), names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    listed = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
    raise MultibodyError(f"{owner}: there is no {what} {name!r}; {hint}known: {listed or 'none'}")


def in_unit(owner: str, what: str, text: str, unit: str) -> float:
    """The number in ``unit`` that a text such as "12 mm" means."""
    if " or " in unit:
        if not any(_is_in(text, each) for each in unit.split(" or ")):
            raise MultibodyError(f"{owner}: {what} is {text!r}; expected a number in {unit}")
        raise MultibodyError(
            f"{owner}: {what} is {text!r}, but which unit it has depends on the joint; give a number in {unit}, such "
            f"as quantity({text!r})"
        )
    if not has_dimension(unit):
        raise MultibodyError(f"{owner}: {what} is {text!r}; expected a number: {unit}")
    try:
        return quantity(text, unit)
    except UnitError as error:
        raise MultibodyError(f"{owner}: {what} is {text!r}; {error}") from None


def _is_in(text: str, unit: str) -> bool:
    try:
        quantity(text, unit)
    except UnitError:
        return False
    return True


def number(owner: str, what: str, value: object, unit: str, *, positive: bool = False, signed: bool = False) -> float:
    """A finite number, or a text with a unit; not negative unless ``signed``, above zero if ``positive``."""
    if isinstance(value, str):
        value = in_unit(owner, what, value, unit)
    try:
        if isinstance(value, bool | bytes):
            raise TypeError
        result = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise MultibodyError(f"{owner}: {what} is {value!r}; expected a number in {unit}") from None
    low = result > 0 if positive else signed or result >= 0
    if not (math.isfinite(result) and low):
        kind = "positive and finite" if positive else "finite" if signed else "not negative and finite"
        raise MultibodyError(f"{owner}: {what} is {result} {unit}; it must be {kind}")
    return result


def set_numbers(thing: object, owner: str, units: dict[str, str], *, positive: bool = False) -> None:
    """Give fields of a frozen dataclass the numbers that they hold or, with a unit, mean."""
    for name, unit in units.items():
        object.__setattr__(thing, name, number(owner, name, getattr(thing, name), unit, positive=positive))


def floats(owner: str, what: str, value: ArrayLike, unit: str) -> NDArray[np.float64]:
    """A float array of any shape, a copy; texts with a unit may stand for numbers."""
    try:
        return np.array(_without_texts(owner, what, value, unit), dtype=np.float64)
    except (TypeError, ValueError):
        raise MultibodyError(f"{owner}: {what} is {value!r}; expected numbers in {unit}") from None


def _without_texts(owner: str, what: str, value: object, unit: str) -> object:
    if isinstance(value, str):
        return in_unit(owner, what, str(value), unit)
    if isinstance(value, np.ndarray) and value.dtype.kind in "UO":
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_without_texts(owner, what, each, unit) for each in value]
    return value


def array(owner: str, what: str, value: ArrayLike, shape: tuple[int, ...], unit: str) -> NDArray[np.float64]:
    """A finite, read-only float array of a given shape."""
    result = floats(owner, what, value, unit)
    if result.shape != shape:
        raise MultibodyError(f"{owner}: {what} has shape {result.shape}; expected {shape} in {unit}")
    if not np.isfinite(result).all():
        raise MultibodyError(f"{owner}: {what} is not finite: {result.tolist()} {unit}")
    result.flags.writeable = False
    return result


def rotation(owner: str, what: str, value: ArrayLike | None) -> NDArray[np.float64]:
    """A proper rotation matrix; the identity for None."""
    matrix = array(owner, what, np.eye(3) if value is None else value, (3, 3), "a 3×3 matrix")
    deviation = float(np.abs(matrix.T @ matrix - np.eye(3)).max())
    if deviation > ROTATION_TOLERANCE or np.linalg.det(matrix) < 0:
        raise MultibodyError(
            f"{owner}: {what} is not a rotation (RᵀR differs from the identity by {deviation:.3g}, determinant "
            f"{np.linalg.det(matrix):.6g}); normalise it"
        )
    if deviation < 1e-14:  # rounding
        return matrix
    left, _, right = np.linalg.svd(matrix)
    exact = left @ right  # the nearest rotation: errors of several in a chain would add up
    exact.flags.writeable = False
    return np.asarray(exact)


def unit_vector(owner: str, what: str, value: ArrayLike) -> NDArray[np.float64]:
    """A direction of length one."""
    vector = array(owner, what, value, (3,), "a direction")
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        raise MultibodyError(f"{owner}: {what} is zero; give a direction, such as (0, 0, 1)")
    return vector / length
