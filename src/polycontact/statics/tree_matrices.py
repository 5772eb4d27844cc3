"""Mass matrix, Jacobians of bodies and rows of constraints at the last kinematics of an evaluation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.dynamics_codes import ConstraintCode
from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.multibody.system_setup import SystemSetup

Array = NDArray[np.float64]


def body_jacobians(setup: SystemSetup, view: SystemView) -> Array:
    """Angular velocity and velocity of the origin of each body for each unit speed: (n_bodies, 6, n_speeds)."""
    tree, bodies = setup.tree, view.bodies
    found = np.zeros((tree.n_bodies, 6, tree.n_speeds))
    for b in range(1, tree.n_bodies):
        parent = int(tree.parent[b])
        found[b] = found[parent]
        apart = bodies.position[b] - bodies.position[parent]
        found[b, 3:] += _crossed(found[parent, :3].T, apart).T
        first, count = int(tree.first_v[b]), int(tree.count_v[b])
        found[b][:, first : first + count] += bodies.columns[b].reshape(6, 6)[:count].T
    return found


def _crossed(rows: Array, vector: Array) -> Array:
    """Each row × vector."""
    return np.asarray(np.cross(rows, vector))


def mass_matrix(setup: SystemSetup, view: SystemView, jacobians: Array) -> Array:
    """Mass matrix (n_speeds, n_speeds) of all joint speeds, kg, kg m and kg m²; rotors included."""
    tree = setup.tree
    total = np.diag(tree.rotor_inertia).astype(np.float64)
    for b in range(1, tree.n_bodies):
        R = view.bodies.rotation[b].reshape(3, 3)
        xx, yy, zz, xy, xz, yz = tree.inertia[b]
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        x, y, z = R @ tree.first_moment[b]
        moment = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        spatial = np.block([[inertia, moment], [moment.T, tree.mass[b] * np.eye(3)]])
        total += jacobians[b].T @ spatial @ jacobians[b]
    return np.asarray(total)


def constraint_rows(setup: SystemSetup, view: SystemView, jacobians: Array) -> Array:
    """Rates of all constraints of loops and couplers for each unit speed: (n, n_speeds); after an evaluation."""
    loops, directions = setup.loops, view.loop_forces.directions
    rows = np.zeros((loops.n, setup.tree.n_speeds))
    for i in range(loops.n):
        if loops.kind[i] == ConstraintCode.COUPLER:
            first = int(loops.first_term[i])
            for k in range(first, first + int(loops.term_count[i])):
                rows[i, loops.speed[k]] += loops.factor[k]
        else:
            a, b = int(loops.body_a[i]), int(loops.body_b[i])
            rows[i] = directions[i, :6] @ jacobians[a] + directions[i, 6:] @ jacobians[b]
    return rows
