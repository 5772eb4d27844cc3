"""Relative kinematics of the two markers of a pairing (S0.22)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import ContactError
from polycontact.tolerances import ROTATION_TOLERANCE
from polycontact.wording import short_repr


@dataclass(frozen=True, kw_only=True, repr=False)
class RelativeKinematics:
    """Pose and velocity of marker F with respect to marker E, all in frame E.

    ``rotation`` R_EF (3, 3) takes vectors of F to E; ``position`` r_EF (m); ``velocity`` v_EF (m/s) and
    ``angular_velocity`` w_EF (rad/s) of F as seen from E.
    """

    rotation: ArrayLike = field(default_factory=lambda: np.eye(3))
    position: ArrayLike = (0.0, 0.0, 0.0)
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)

    __repr__ = short_repr

    def __post_init__(self) -> None:
        for name, shape in (
            ("rotation", (3, 3)),
            ("position", (3,)),
            ("velocity", (3,)),
            ("angular_velocity", (3,)),
        ):
            array = as_array(getattr(self, name), shape, name).copy()
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        check_rotation(self.arrays()[0])

    def arrays(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Arrays R_EF (3, 3), r_EF (m), v_EF (m/s) and w_EF (rad/s), in this order."""
        return (
            np.asarray(self.rotation, dtype=np.float64),
            np.asarray(self.position, dtype=np.float64),
            np.asarray(self.velocity, dtype=np.float64),
            np.asarray(self.angular_velocity, dtype=np.float64),
        )


def as_array(value: ArrayLike, shape: tuple[int, ...], name: str) -> NDArray[np.float64]:
    """``value`` as a finite float array of the given shape, or a `ContactError` that names it."""
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers")
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ContactError(f"relative kinematics: {name} is not an array of numbers: {error}") from error
    if array.shape != shape:
        raise ContactError(f"relative kinematics: {name} has shape {array.shape}; expected {shape}")
    if not np.isfinite(array).all():
        raise ContactError(f"relative kinematics: {name} is not finite: {array.tolist()}")
    return array


def check_rotation(rotation: NDArray[np.float64]) -> None:
    """Refuse a matrix that is not a proper rotation."""
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(np.abs(rotation.T @ rotation - np.eye(3)).max())
    if not deviation <= ROTATION_TOLERANCE or np.linalg.det(rotation) < 0:
        raise ContactError(
            f"relative kinematics: rotation is not a proper rotation matrix (RᵀR differs from the identity by "
            f"{deviation:.3g}, determinant {np.linalg.det(rotation):.6g}); normalise it"
        )
