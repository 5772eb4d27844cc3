"""How something is turned: a table with one of four ways to say it, and the rotation matrix it means."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from polycontact.multibody.rotations import from_quaternion
from polycontact.scenario.schema.base import Matrix, Number, Quaternion, Table, Vector, optional
from polycontact.tolerances import ROTATION_TOLERANCE

WAYS = ("quaternion", "axis", "matrix", "angles_degrees")
_SHORTEST = 1e-9


class Orientation(Table):
    """A rotation: a quaternion, an axis with an angle, a matrix, or angles about x, y and z; exactly one of them."""

    quaternion: Quaternion | None = optional("rotation as quaternion [w, x, y, z]; it need not have length 1")
    axis: Vector | None = optional("axis of the rotation, of any length; needs angle_degrees or angle_radians")
    angle_degrees: Number | None = optional("angle about the axis", "degrees")
    angle_radians: Number | None = optional("angle about the axis", "rad")
    matrix: Matrix | None = optional("rotation matrix, row by row")
    angles_degrees: Vector | None = optional(
        "angles of turns about the own x, then the turned y, then the turned z axis", "degrees"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [way for way in WAYS if getattr(self, way) is not None]
        angles = [self.angle_degrees, self.angle_radians]
        n_angles = sum(angle is not None for angle in angles)
        if len(given) != 1:
            found = f"both {' and '.join(given)}" if given else "none of them"
            raise ValueError(f"needs exactly one of {', '.join(WAYS)}; found {found}")
        if given == ["axis"] and n_angles != 1:
            raise ValueError("axis needs exactly one of angle_degrees and angle_radians")
        if given != ["axis"] and n_angles:
            raise ValueError(f"an angle belongs to axis, not to {given[0]}")
        self.rotation()
        return self

    def rotation(self) -> NDArray[np.float64]:
        """The rotation matrix (3, 3): from the turned frame to the one it is turned in."""
        if self.quaternion is not None:
            quaternion = np.array(self.quaternion)
            return from_quaternion(quaternion / _length(quaternion, "quaternion"))
        if self.matrix is not None:
            return _checked_matrix(np.array(self.matrix))
        if self.axis is not None:
            angle = self.angle_radians if self.angle_degrees is None else math.radians(self.angle_degrees)
            return _about(np.array(self.axis), angle or 0.0)
        about_x, about_y, about_z = (
            _about(axis, math.radians(angle))
            for axis, angle in zip(np.eye(3), self.angles_degrees or (0.0, 0.0, 0.0), strict=True)
        )
        return about_x @ about_y @ about_z


def _about(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """Rotation by ``angle`` (rad) about ``axis``; quarter turns are exact."""
    unit = axis / _length(axis, "axis")
    quarters = 2.0 * angle / math.pi
    if quarters == round(quarters):
        cosine, sine = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarters) % 4]
    else:
        cosine, sine = math.cos(angle), math.sin(angle)
    x, y, z = unit
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return cosine * np.eye(3) + sine * cross + (1.0 - cosine) * np.outer(unit, unit)


def _length(vector: NDArray[np.float64], what: str) -> float:
    length = float(np.linalg.norm(vector))
    if length < _SHORTEST:
        raise ValueError(f"the {what} {vector.tolist()} has no direction; give one that is not zero")
    return length


def _checked_matrix(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    deviation = float(np.abs(matrix @ matrix.T - np.eye(3)).max())
    if not deviation <= ROTATION_TOLERANCE:
        raise ValueError(
            f"the matrix is no rotation: its rows deviate from perpendicular unit vectors by {deviation:.3g}; "
            f"allowed is {ROTATION_TOLERANCE:g}"
        )
    if np.linalg.det(matrix) < 0.0:
        raise ValueError("the matrix is a reflection (determinant -1), not a rotation; reverse one row")
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)
