"""Which contact pairs may touch: world boxes of the shapes, and a sweep over them along x (S2.4, S4.30)."""

from __future__ import annotations

from polycontact.kernels.dynamics.evaluation_views import BodyState, PairContacts, PlacedShapes, Sweep
from polycontact.kernels.dynamics.matrices import load_vector, product, rotation_of, store_matrix, store_vector
from polycontact.kernels.dynamics.setup_views import Pairs, Shapes
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.sorting import find_key, sort_rows
from polycontact.kernels.geometry.vectors import add, cross, row
from polycontact.kernels.jit import inline_kernel, kernel

_FEW = 4  # up to this many pairs a shape, testing each pair is quicker than a sweep


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
def find_near_pairs(pairs: Pairs, placed: PlacedShapes, sweep: Sweep, contacts: PairContacts) -> None:
    """List, in ascending order, the pairs whose boxes overlap."""
    if pairs.n_pairs <= _FEW * pairs.n_shapes:
        _test_each_pair(pairs, placed, contacts)
        return
    _sort_along_x(placed, sweep)
    n = _sweep(pairs, placed, sweep)
    sort_rows(sweep.found, sweep.merged, n)
    for i in range(n):
        contacts.near[i] = sweep.found[i, 0]
    contacts.n_near = n


@inline_kernel
def _overlap(placed: PlacedShapes, i: int, j: int, first: int) -> bool:
    """Whether two boxes overlap along the axes from ``first`` on."""
    low, high = placed.low, placed.high
    apart = False
    for k in range(first, 3):
        apart = apart or low[i, k] > high[j, k] or low[j, k] > high[i, k]
    return not apart


@kernel
def _test_each_pair(pairs: Pairs, placed: PlacedShapes, contacts: PairContacts) -> None:
    near = contacts.near
    count = 0
    for i in range(pairs.n_pairs):
        if _overlap(placed, pairs.shape_e[i], pairs.shape_f[i], 0):
            near[count] = i
            count += 1
    contacts.n_near = count


@kernel
def _sort_along_x(placed: PlacedShapes, sweep: Sweep) -> None:
    """Shapes by their lower x, an order that changes little between two calls: insertion sort is nearly linear."""
    order, low = sweep.order, placed.low
    for k in range(1, sweep.n_shapes):
        shape = order[k]
        x = low[shape, 0]
        at = k
        while at > 0 and low[order[at - 1], 0] > x:
            order[at] = order[at - 1]
            at -= 1
        order[at] = shape


@kernel
def _sweep(pairs: Pairs, placed: PlacedShapes, sweep: Sweep) -> int:
    """Sweep and prune: number of pairs found, in the order of the sweep."""
    order, found, low = sweep.order, sweep.found, placed.low
    n = sweep.n_shapes
    count = 0
    for k in range(n):
        i = order[k]
        end = placed.high[i, 0]
        for m in range(k + 1, n):
            j = order[m]
            if low[j, 0] > end:
                break
            if _overlap(placed, i, j, 1):
                pair = _find_pair(pairs, i, j)
                if pair >= 0:
                    found[count, 0] = pair
                    count += 1
    return count


@kernel
def _find_pair(pairs: Pairs, i: int, j: int) -> int:
    """Index of the pair of two shapes, -1 where they are no pair."""
    return find_key(pairs.key, pairs.n_pairs, min(i, j) * pairs.n_shapes + max(i, j))
