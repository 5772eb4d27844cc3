"""Kinetic energy and momentum of the system."""

from __future__ import annotations

from typing import Any

from numba.core import types

from polycontact.kernels.dynamics.articulated import own_inertia
from polycontact.kernels.dynamics.matrices import add_vector
from polycontact.kernels.dynamics.system_slots import (
    BODY_DATA,
    DATA_COLUMNS,
    E_KINETIC,
    ENERGIES,
    FIRST_MOMENT,
    MASS,
    N_BODIES,
    N_ENERGIES,
    POSES,
    VELOCITIES,
)
from polycontact.kernels.frames import apply, apply_transposed, load_matrix, load_vector
from polycontact.kernels.jit import entry_kernel
from polycontact.kernels.memory import doubles, table
from polycontact.kernels.vectors import cross, dot

_ROW = types.Array(types.int64, 1, "C")
_OUT = types.Array(types.float64, 1, "C")


@entry_kernel((_ROW, _OUT))
def measure(s: Any, momentum: Any) -> None:
    """Kinetic energy into ENERGIES and momentum (3) and moment of momentum at the world's origin (3); after `move`."""
    n = s[N_BODIES]
    data = table(s, BODY_DATA, n, DATA_COLUMNS)
    poses = table(s, POSES, n, 12)
    velocities = table(s, VELOCITIES, n, 6)
    momentum[:] = 0.0
    energy = 0.0
    for b in range(1, n):
        R = load_matrix(poses[b], 0)
        r = load_vector(poses[b], 9)
        w = apply_transposed(R, load_vector(velocities[b], 0))
        v = apply_transposed(R, load_vector(velocities[b], 3))
        h = load_vector(data[b], FIRST_MOMENT)
        spin = apply(own_inertia(data[b]), w)
        turn = cross(h, v)
        drag = cross(w, h)
        m = data[b, MASS]
        p = (m * v[0] + drag[0], m * v[1] + drag[1], m * v[2] + drag[2])
        spin = (spin[0] + turn[0], spin[1] + turn[1], spin[2] + turn[2])
        energy += 0.5 * (dot(w, spin) + dot(v, p))
        p_world = apply(R, p)
        add_vector(momentum, 0, p_world)
        add_vector(momentum, 3, apply(R, spin))
        add_vector(momentum, 3, cross(r, p_world))
    doubles(s, ENERGIES, N_ENERGIES)[E_KINETIC] = energy
