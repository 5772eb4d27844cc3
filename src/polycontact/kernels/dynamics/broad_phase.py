"""Which contact pairs may touch: world boxes of the shapes, and a broad phase that lists those that overlap (S2.4).

The broad phase is called by its address, so that it can be replaced; `sweep_and_prune`, `uniform_grid` and `all_pairs`
are here. Whatever the order in which it lists pairs, they are put in ascending order: the same pairs, the same bits.
What a broad phase of a user tells is checked: numbers that are no pairs, or come twice, end the evaluation.
"""

from __future__ import annotations

from polycontact.kernels.addresses import call_search
from polycontact.kernels.dynamics.evaluation_views import BodyState, Ending, NearSearch, PairContacts, PlacedShapes
from polycontact.kernels.dynamics.matrices import load_vector, product, rotation_of, store_matrix, store_vector
from polycontact.kernels.dynamics.setup_views import Pairs, Shapes
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.sorting import find_key, sort_rows
from polycontact.kernels.geometry.vectors import add, cross, row
from polycontact.kernels.jit import inline_kernel, kernel


@kernel
def place_shapes(shapes: Shapes, bodies: BodyState, placed: PlacedShapes) -> None:
    """Pose, velocity and box of every shape in the world."""
    low, high = placed.low, placed.high
    for i in range(shapes.n_shapes):
        b = shapes.body[i]
        velocity = bodies.velocity[b]
        R_b = rotation_of(bodies.rotation, b)
        w = load_vector(velocity, 0)
        arm = apply(R_b, row(shapes.position, i))
        R = product(R_b, rotation_of(shapes.rotation, i))
        r = add(row(bodies.position, b), arm)
        store_matrix(placed.rotation[i], 0, R)
        store_vector(placed.position[i], 0, r)
        store_vector(placed.velocity[i], 0, add(load_vector(velocity, 3), cross(w, arm)))
        store_vector(placed.angular_velocity[i], 0, w)
        middle = add(r, apply(R, row(shapes.box_centre, i)))
        half = row(shapes.box_half, i)
        for k in range(3):
            reach = abs(R[k][0]) * half[0] + abs(R[k][1]) * half[1] + abs(R[k][2]) * half[2]
            low[i, k] = middle[k] - reach
            high[i, k] = middle[k] + reach


@kernel
def find_near_pairs(search: NearSearch, contacts: PairContacts, ending: Ending) -> bool:
    """List, in ascending order, the pairs whose boxes overlap; False where the broad phase gave no list of pairs.

    Then ``ending`` is about the number that is no pair or was given twice, or about how many were given.
    """
    near, n_pairs = search.near, search.n_pairs
    n = call_search(search.entry, search.place)
    if not 0 <= n <= n_pairs:
        ending.about = n
        return False
    if not _ascends(search, n):
        _sort(search, n)
    for i in range(n):
        if not 0 <= near[i] < n_pairs or (i > 0 and near[i] == near[i - 1]):
            ending.about = near[i]
            return False
    contacts.n_near = n
    return True


@kernel
def _ascends(search: NearSearch, n: int) -> bool:
    """Whether the n pairs that were listed are in order."""
    near = search.near
    at = 1
    while at < n and near[at - 1] <= near[at]:
        at += 1
    return at >= n


@kernel
def _sort(search: NearSearch, n: int) -> None:
    """Put the n pairs that were listed in ascending order."""
    near, found = search.near, search.found
    for i in range(n):
        found[i, 0] = near[i]
    sort_rows(found, search.merged, n)
    for i in range(n):
        near[i] = found[i, 0]


# What broad phases share ------------------------------------------------------------------------------------


@inline_kernel
def boxes_overlap(placed: PlacedShapes, i: int, j: int, first: int) -> bool:
    """Whether two boxes overlap along the axes from ``first`` on."""
    low, high = placed.low, placed.high
    apart = False
    for k in range(first, 3):
        apart = apart or low[i, k] > high[j, k] or low[j, k] > high[i, k]
    return not apart


@kernel
def find_pair(pairs: Pairs, i: int, j: int) -> int:
    """Index of the pair of two shapes, -1 where they are no pair."""
    return find_key(pairs.key, pairs.n_pairs, min(i, j) * pairs.n_shapes + max(i, j))
