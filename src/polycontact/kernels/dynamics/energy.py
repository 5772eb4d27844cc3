"""Kinetic energy and momentum of the system."""

from __future__ import annotations

from polycontact.kernels.dynamics.articulated import own_inertia
from polycontact.kernels.dynamics.evaluation_views import BodyState, Ledger
from polycontact.kernels.dynamics.matrices import Array, add_vector, load_vector, rotation_of
from polycontact.kernels.dynamics.setup_views import Tree
from polycontact.kernels.dynamics.system_row import ROW, Row, system_at
from polycontact.kernels.geometry.frames import apply, apply_transposed
from polycontact.kernels.geometry.vectors import Vector, cross, dot, row
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel


@inline_kernel
def _momentum_of(tree: Tree, b: int, w: Vector, v: Vector) -> tuple[Vector, Vector]:
    """Angular momentum and momentum of a body at its origin for its velocity, all in its axes."""
    h = row(tree.first_moment, b)
    spin = apply(own_inertia(tree, b), w)
    turn = cross(h, v)
    drag = cross(w, h)
    m = tree.mass[b]
    p = (m * v[0] + drag[0], m * v[1] + drag[1], m * v[2] + drag[2])
    return (spin[0] + turn[0], spin[1] + turn[1], spin[2] + turn[2]), p


@kernel
def shared_energy(tree: Tree, bodies: BodyState, velocity: Array, other: Array) -> float:
    """Twice the kinetic energy that two fields of velocities (n_bodies, 6) of the bodies have in common, J."""
    energy = 0.0
    for b in range(1, tree.n_bodies):
        R = rotation_of(bodies.rotation, b)
        w = apply_transposed(R, load_vector(velocity[b], 0))
        v = apply_transposed(R, load_vector(velocity[b], 3))
        spin, p = _momentum_of(tree, b, w, v)
        energy += dot(apply(R, spin), load_vector(other[b], 0)) + dot(apply(R, p), load_vector(other[b], 3))
    return energy


@kernel
def _sum_up_bodies(tree: Tree, bodies: BodyState, speeds: Array, ledger: Ledger) -> None:
    """Of the bodies, and the energy of rotors along the speeds of joints."""
    momentum = ledger.momentum
    momentum[:] = 0.0
    energy = 0.0
    for b in range(1, tree.n_bodies):
        R = rotation_of(bodies.rotation, b)
        w = apply_transposed(R, load_vector(bodies.velocity[b], 0))
        v = apply_transposed(R, load_vector(bodies.velocity[b], 3))
        spin, p = _momentum_of(tree, b, w, v)
        energy += 0.5 * (dot(w, spin) + dot(v, p))
        p_world = apply(R, p)
        add_vector(momentum, 0, p_world)
        add_vector(momentum, 3, apply(R, spin))
        add_vector(momentum, 3, cross(row(bodies.position, b), p_world))
    for i in range(tree.n_speeds):
        energy += 0.5 * tree.rotor_inertia[i] * speeds[i] * speeds[i]
    ledger.energies.kinetic = energy


@entry_kernel((ROW,))
def measure(system_row: Row) -> None:
    """Kinetic energy and momentum into the ledger; after `move`."""
    system = system_at(system_row)
    _sum_up_bodies(system.tree, system.bodies, system.joints.v, system.ledger)
