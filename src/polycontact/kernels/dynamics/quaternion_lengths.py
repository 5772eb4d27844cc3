"""Unit length for the quaternions of a state."""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.joint_kinematics import has_quaternion
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.system_row import OUT, ROW, Row, system_at
from polycontact.kernels.jit import entry_kernel, kernel


@kernel
def normalise(kind: int, q: Array) -> None:
    """Unit length for the quaternion of a joint that has one."""
    if has_quaternion(kind):
        first = len(q) - 4
        total = 0.0
        for k in range(4):
            total += q[first + k] * q[first + k]
        for k in range(4):
            q[first + k] /= math.sqrt(total)


@entry_kernel((ROW, OUT))
def normalise_quaternions(row: Row, y: Array) -> None:
    """Unit length for all quaternions in y: what they drift by changes no rotation."""
    tree = system_at(row).tree
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0:
            at = tree.state_q[b]
            normalise(tree.kind[b], y[at : at + tree.count_q[b]])
