"""Small motions about a state, in independent displacements: masses, damping, stiffness, and what loops take away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator
from polycontact.statics.state_slopes import Slopes
from polycontact.statics.tangent_space import Freedom, TangentSpace
from polycontact.statics.tree_matrices import body_jacobians, constraint_rows, mass_matrix
from polycontact.tolerances import DEPENDENT_ROW

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SmallMotions:
    """Independent displacements x, with all others following: M ẍ + D ẋ + K x = forces along x.

    ``freedoms`` (m): the independent displacements; ``followers`` (n, m): all free displacements for a unit of each,
    loops and couplers kept; ``bodies`` (n_bodies, 6, m): rotation (rad) and displacement (m) of the origin of each body
    for a unit of each, world axes. ``mass``, ``damping``, ``stiffness`` (m, m). ``accelerations_of`` displacements,
    speeds and inner states; ``inner_of`` the same of the rates of inner states.
    """

    freedoms: tuple[Freedom, ...]
    independent: NDArray[np.intp]
    followers: Array
    bodies: Array
    mass: Array
    damping: Array
    stiffness: Array
    accelerations_of: tuple[Array, Array, Array]
    inner_of: tuple[Array, Array, Array]

    @property
    def held_stiffness(self) -> Array:
        """Stiffness (m, m) with inner states at rest: they follow the displacements, where they can."""
        inner = self.inner_of[2]
        if not len(inner):
            return self.stiffness
        following = np.linalg.lstsq(inner, self.inner_of[0], rcond=None)[0]
        a_q, _, a_z = self.accelerations_of
        return np.asarray(-self.mass @ (a_q - a_z @ following))


def small_motions(
    compiled: CompiledSystem, space: TangentSpace, evaluator: Evaluator, slopes: Slopes, t: float, y: Array
) -> SmallMotions:
    """Small motions about the state y at t (s), where ``slopes`` were found by the evaluator."""
    evaluator.rates(t, y, np.zeros(compiled.n_states))  # kinematics and constraints as they are at the state itself
    view = evaluator.view
    jacobians = body_jacobians(compiled.setup, view)
    free = space.columns
    full_mass = mass_matrix(compiled.setup, view, jacobians)[np.ix_(free, free)]
    independent, followers = independent_motions(constraint_rows(compiled.setup, view, jacobians)[:, free])
    mass = followers.T @ full_mass @ followers
    n = space.n

    def reduced(columns: Array, *, motion: bool) -> tuple[Array, Array]:
        """Rows of the independent accelerations, and of the inner states."""
        taken = columns @ followers if motion else columns
        return taken[:n][independent], taken[n:]

    a_q, z_q = reduced(slopes.of_displacements, motion=True)
    a_v, z_v = reduced(slopes.of_speeds, motion=True)
    a_z, z_z = reduced(slopes.of_inner, motion=False)
    return SmallMotions(
        freedoms=tuple(space.freedoms[i] for i in independent.tolist()),
        independent=independent,
        followers=followers,
        bodies=jacobians[:, :, free] @ followers,
        mass=mass,
        damping=-mass @ a_v,
        stiffness=-mass @ a_q,
        accelerations_of=(a_q, a_v, a_z),
        inner_of=(z_q, z_v, z_z),
    )


def independent_motions(rows: Array) -> tuple[NDArray[np.intp], Array]:
    """Which displacements are independent under constraints (rows), and all displacements for a unit of each.

    Dependent are those that the constraints hold most directly, by a QR factorisation with column pivots.
    """
    n = rows.shape[1]
    if not rows.shape[0]:
        return np.arange(n, dtype=np.intp), np.eye(n)
    from scipy.linalg import qr

    _, triangle, order = qr(rows, pivoting=True, mode="economic")
    sizes = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(sizes > DEPENDENT_ROW * max(float(sizes.max(initial=0.0)), 1e-300)))
    dependent, independent = np.sort(order[:rank]), np.sort(order[rank:])
    followers = np.zeros((n, n - rank))
    followers[independent, np.arange(n - rank)] = 1.0
    followers[dependent] = -np.linalg.lstsq(rows[:, dependent], rows[:, independent], rcond=None)[0]
    return np.asarray(independent, dtype=np.intp), followers
