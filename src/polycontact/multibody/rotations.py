"""Rotation matrices and quaternions (w, x, y, z) outside compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def frame_with_z(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """A rotation whose third column is the unit vector ``axis``; the identity for (0, 0, 1)."""
    helper = np.zeros(3)
    helper[0 if abs(axis[0]) < 0.9 else 1] = 1.0
    x = helper - axis * (helper @ axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def to_quaternion(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit quaternion of a rotation matrix, with w ≥ 0 (Shepperd 1978: the largest component first)."""
    R = rotation.tolist()  # plain numbers: several times quicker than nine elements of an array
    trace = R[0][0] + R[1][1] + R[2][2]
    squares = [trace, R[0][0], R[1][1], R[2][2]]
    largest = squares.index(max(squares))
    if largest == 0:
        parts = [1.0 + trace, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        parts = [R[k][j] - R[j][k], 0.0, 0.0, 0.0]
        parts[1 + i] = 1.0 + R[i][i] - R[j][j] - R[k][k]
        parts[1 + j] = R[j][i] + R[i][j]
        parts[1 + k] = R[k][i] + R[i][k]
    q = np.array(parts)
    q /= np.linalg.norm(q)
    return -q if q[0] < 0 else q


def to_quaternions(rotations: NDArray[np.float64]) -> NDArray[np.float64]:
    """`to_quaternion` for each of (n, 3, 3)."""
    return np.array([to_quaternion(rotation) for rotation in rotations]).reshape(len(rotations), 4)


def from_quaternion(quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotation matrices (…, 3, 3) of quaternions (…, 4) of any length but zero."""
    unit = quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(unit, -1, 0)
    rows: Any = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def shortest_turn(start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit quaternion of the shortest rotation that takes one unit vector to another."""
    q = np.array([1.0 + start @ end, *np.cross(start, end)])
    if q[0] < 1e-12:  # opposite: half a turn about any perpendicular axis
        q = np.array([0.0, *frame_with_z(start)[:, 0]])
    return np.asarray(q / np.linalg.norm(q))
