"""A bushing: stiffness and damping in all six directions between two frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.tolerances import SEMIDEFINITE
from polycontact.wording import short_repr

STIFFNESS = ("N/m", "N", "N m/rad")
"""Units of a stiffness matrix: force per displacement, force per angle or torque per displacement, torque per angle."""

DAMPING = ("N s/m", "N s", "N m s/rad")
"""Units of a damping matrix, likewise."""


@dataclass(frozen=True, eq=False, repr=False)
class Bushing:
    """Springs and dampers in all six directions between a frame on ``body_a`` and one on ``body_b``.

    With x = (r, θ), position (m) and rotation vector (rad, up to half a turn) of frame b in frame a, it exerts
    F = ``preload`` - ``stiffness`` x - ``damping`` ẋ on body b along x. For finite rotations the torque is the one that
    derives from the potential ½ xᵀKx - preload·x.

    Both bodies may be names of markers. ``point_a``, ``point_b`` (m) and ``rotation_a``, ``rotation_b`` (3, 3): the
    frames in those of the bodies or markers. ``stiffness``: six numbers, three in N/m and three in N m/rad, or a
    symmetric 6×6 matrix without negative eigenvalues, whose couplings are in N (per rad, or N m per m); ``damping``
    likewise, in N s/m, N s and N m s/rad. ``preload``: three forces (N) and three torques (N m) on body b at x = 0, in
    the axes of frame a.
    """

    name: str
    body_a: str
    body_b: str
    stiffness: ArrayLike
    damping: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    preload: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    point_a: ArrayLike = (0.0, 0.0, 0.0)
    point_b: ArrayLike = (0.0, 0.0, 0.0)
    rotation_a: ArrayLike | None = None
    rotation_b: ArrayLike | None = None

    __repr__ = short_repr

    def __post_init__(self) -> None:
        owner = f"bushing {self.name!r}"
        for what in ("point_a", "point_b"):
            object.__setattr__(self, what, checks.array(owner, what, getattr(self, what), (3,), "m"))
        for what in ("rotation_a", "rotation_b"):
            object.__setattr__(self, what, checks.rotation(owner, what, getattr(self, what)))
        for what, units in (("stiffness", STIFFNESS), ("damping", DAMPING)):
            object.__setattr__(self, what, _matrix(owner, what, getattr(self, what), units))
        preload = _in_units(owner, "preload", self.preload, ("N", "N m"))
        object.__setattr__(self, "preload", checks.array(owner, "preload", preload, (6,), "N, N m"))


def _in_units(owner: str, what: str, value: Any, units: tuple[str, ...], after: int = 0) -> Any:
    """Values in SI units; the unit of each follows from how many of its indices belong to rotations."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "UO":
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_in_units(owner, what, each, units, after + (i >= 3)) for i, each in enumerate(value)]
    return checks.in_unit(owner, what, value, units[after]) if isinstance(value, str) else value


def _matrix(owner: str, what: str, value: ArrayLike, units: tuple[str, ...]) -> NDArray[np.float64]:
    """A symmetric, positive semidefinite matrix (6, 6) from its diagonal or all of it."""
    given = value.tolist() if isinstance(value, np.ndarray) else value
    is_diagonal = isinstance(given, list | tuple) and not any(isinstance(each, list | tuple) for each in given)
    own = (units[0], units[2]) if is_diagonal else units
    told = ", ".join(own)
    numbers = checks.floats(owner, what, _in_units(owner, what, given, own), told)
    if numbers.shape not in ((6,), (6, 6)):
        raise MultibodyError(f"{owner}: {what} has shape {numbers.shape}; give six numbers, or a 6×6 matrix, in {told}")
    if not np.isfinite(numbers).all():
        raise MultibodyError(f"{owner}: {what} is not finite: {numbers.tolist()} {told}")
    matrix = np.diag(numbers) if is_diagonal else numbers
    if np.abs(matrix - matrix.T).max() > SEMIDEFINITE * np.abs(matrix).max():
        i, j = np.unravel_index(int(np.abs(matrix - matrix.T).argmax()), (6, 6))
        raise MultibodyError(
            f"{owner}: {what} is not symmetric: {matrix[i, j]:g} in row {i} and {matrix[j, i]:g} in column {i}; give a "
            f"symmetric matrix"
        )
    _refuse_negative(owner, what, matrix)
    matrix = 0.5 * (matrix + matrix.T)
    matrix.flags.writeable = False
    return matrix


def _refuse_negative(owner: str, what: str, matrix: NDArray[np.float64]) -> None:
    """Refuse a matrix that would give energy away; scaled, for its units differ."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    scale = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    if values[0] < -SEMIDEFINITE * max(float(values[-1]), 1.0):
        direction = vectors[:, 0] / scale
        worst = direction / np.abs(direction).max()
        raise MultibodyError(
            f"{owner}: {what} is negative along ({', '.join(f'{each:.3g}' for each in worst)}): it would give energy "
            f"away there; give a positive semidefinite matrix"
        )
