"""Contact after contact is given the impulse that obeys Coulomb's law while the others keep theirs.

A block Gauss–Seidel method (Jean, The non-smooth contact dynamics method, 1999): it passes impulses on from neighbour
to neighbour, so that a stack needs thousands of sweeps; but it finds who sticks and slips in a few where contacts are
few and friction is strong, where slips that follow from each other may go round in circles.
"""

from __future__ import annotations

from polycontact.kernels.geometry.frames import Matrix
from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem, block_entry, find_coordinates, push, velocity_by
from polycontact.kernels.response.local_contact import solve_contact
from polycontact.kernels.response.response_views import SolverWork


@kernel
def own_block(system: ContactSystem, i: int) -> Matrix:
    """The 3×3 block of W + soft of a contact."""
    k = 3 * i
    xy, xz, yz = block_entry(system, k, k + 1), block_entry(system, k, k + 2), block_entry(system, k + 1, k + 2)
    return (
        (block_entry(system, k, k) + system.soft[k], xy, xz),
        (xy, block_entry(system, k + 1, k + 1) + system.soft[k + 1], yz),
        (xz, yz, block_entry(system, k + 2, k + 2) + system.soft[k + 2]),
    )


@kernel
def sweep_impulses(system: ContactSystem, work: SolverWork, sweeps: int) -> None:
    """Sweeps from those of the last time; the impulses at hand, and their coordinates in ``other``."""
    for k in range(3 * system.n):
        work.impulse[k] = work.swept[k]
    find_coordinates(system, work.impulse, work.other)
    for _ in range(sweeps):
        for i in range(system.n):
            if system.own[i] == 0.0:
                continue
            k, W = 3 * i, own_block(system, i)
            old = (work.impulse[k], work.impulse[k + 1], work.impulse[k + 2])
            push(system, i, (-old[0], -old[1], -old[2]), work.other)
            u = velocity_by(system, work.other, i)
            c = (work.b[k] + u[0], work.b[k + 1] + u[1], work.b[k + 2] + u[2])
            new = solve_contact(W, c, work.mu[i], work.floor[i])
            push(system, i, new, work.other)
            for a in range(3):
                work.impulse[k + a] = new[a]
    for k in range(3 * system.n):
        work.swept[k] = work.impulse[k]
