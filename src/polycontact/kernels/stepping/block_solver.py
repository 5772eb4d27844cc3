"""(I - γ J) x = b for a Jacobian by blocks: coordinates first, then speeds block by block.

Problem: a dense solution takes the cube of the number of states. In: J in linked blocks, an order of elimination
(`linked_blocks`). Out: the solution, exact but for rounding.

    (1) rates of coordinates depend on the own block alone: (I - γ J_qq) x_q = b_q + γ J_qv x_v is solved block by
        block, and what is left is a system of the speeds, linked as the blocks are
    (2) blocks of speeds are eliminated in their order, as Gauss did; only linked blocks are touched
    (3) back: speeds, coordinates, and the ledger, which nothing depends on

Rows are exchanged within a block, never between blocks: without friction the matrix of the speeds is M + γ D + γ² K
over the masses, whose blocks are never worse than the whole. Where a block cannot be divided by, the step is tried
again with another γ.
"""

from __future__ import annotations

from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.jit import kernel
from polycontact.kernels.stepping.linked_blocks import Blocks
from polycontact.kernels.views import Doubles, Longs


@kernel
def factorise_in_place(a: Doubles, first: int, n: int, pivots: Longs) -> bool:
    """LU factors of the n×n block of ``a`` that begins at row and column ``first``; whether there are any.

    Rows are exchanged to the right of the diagonal only: a solution exchanges and eliminates in turns.
    """
    for k in range(first, first + n):
        best = k
        for i in range(k + 1, first + n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        pivots[k] = best
        if not abs(a[best, k]) > 0.0:
            return False
        if best != k:
            for j in range(k, first + n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        inverse = 1.0 / a[k, k]
        for i in range(k + 1, first + n):
            a[i, k] *= inverse
            share = a[i, k]
            if share != 0.0:
                for j in range(k + 1, first + n):
                    a[i, j] -= share * a[k, j]
    return True


@kernel
def solve_columns(lu: Doubles, first: int, n: int, pivots: Longs, a: Doubles, column: int, m: int) -> None:
    """Solve with the factors of a block for m columns of rows ``first`` to ``first + n`` of ``a``, in place."""
    end = column + m
    for k in range(first, first + n):
        best = pivots[k]
        if best != k:
            for j in range(column, end):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        for i in range(k + 1, first + n):
            share = lu[i, k]
            if share != 0.0:
                for j in range(column, end):
                    a[i, j] -= share * a[k, j]
    for k in range(first + n - 1, first - 1, -1):
        inverse = 1.0 / lu[k, k]
        for j in range(column, end):
            a[k, j] *= inverse
        for i in range(first, k):
            share = lu[i, k]
            if share != 0.0:
                for j in range(column, end):
                    a[i, j] -= share * a[k, j]


@kernel
def solve_vector(lu: Doubles, first: int, n: int, pivots: Longs, x: Array) -> None:
    """Solve with the factors of a block for its numbers of ``x``, in place."""
    for k in range(first, first + n):
        best = pivots[k]
        if best != k:
            x[k], x[best] = x[best], x[k]
        for i in range(k + 1, first + n):
            x[i] -= lu[i, k] * x[k]
    for k in range(first + n - 1, first - 1, -1):
        x[k] /= lu[k, k]
        for i in range(first, k):
            x[i] -= lu[i, k] * x[k]


@kernel
def _n_coordinates(blocks: Blocks, b: int) -> int:
    """Coordinates of a block."""
    return int(blocks.first[b + 1] - blocks.first[b] - (blocks.first_speed[b + 1] - blocks.first_speed[b]))


@kernel
def _factorise_coordinates(blocks: Blocks, b: int) -> bool:
    """I - γ J_qq of a block, factorised, and behind it (I - γ J_qq)⁻¹ (-γ J_qv): (1)."""
    own, jacobian, first = blocks.own, blocks.jacobian, blocks.first[b]
    size, n_q = blocks.first[b + 1] - first, _n_coordinates(blocks, b)
    for i in range(first, first + n_q):
        for j in range(first, first + size):
            own[i, j] = -blocks.gamma * jacobian[i, j]
        own[i, i] += 1.0
    if not factorise_in_place(own, first, n_q, blocks.pivots):
        return False
    solve_columns(own, first, n_q, blocks.pivots, own, first + n_q, size - n_q)
    return True


@kernel
def _reduce(blocks: Blocks, a: int, b: int) -> None:
    """What is left of rows of speeds of block a over those of block b: (1)."""
    own, jacobian, reduced, gamma = blocks.own, blocks.jacobian, blocks.reduced, blocks.gamma
    n_a, n_b = _n_coordinates(blocks, a), _n_coordinates(blocks, b)
    row, column = blocks.first_speed[a], blocks.first_speed[b]
    first = blocks.first[b]
    m = blocks.first_speed[b + 1] - column
    for i in range(blocks.first_speed[a + 1] - row):
        at = blocks.first[a] + n_a + i
        for j in range(m):
            reduced[row + i, column + j] = -gamma * jacobian[at, first + n_b + j]
        for k in range(n_b):
            share = gamma * jacobian[at, first + k]
            if share != 0.0:
                for j in range(m):
                    reduced[row + i, column + j] += share * own[first + k, first + n_b + j]
        if a == b:
            reduced[row + i, row + i] += 1.0


@kernel
def _subtract_product(a: Doubles, row: int, n: int, middle: int, m: int, column: int, n_columns: int) -> None:
    """Subtract from the block of ``a`` at (row, column) the product of those at (row, middle) and (middle, column)."""
    for i in range(row, row + n):
        for k in range(middle, middle + m):
            share = a[i, k]
            if share != 0.0:
                for j in range(column, column + n_columns):
                    a[i, j] -= share * a[k, j]


@kernel
def _list_later(blocks: Blocks, step: int) -> int:
    """How many blocks are linked to the one eliminated at a step and eliminated later; they are listed in ``later``."""
    n = 0
    for other in range(step + 1, blocks.n_blocks):
        if blocks.filled[blocks.order[step], blocks.order[other]] == 1:
            blocks.later[n] = blocks.order[other]
            n += 1
    return n


@kernel
def factorise_blocks(blocks: Blocks) -> bool:
    """Make (I - γ J) ready for `solve_blocks`; whether it can be."""
    s, at = blocks.reduced, blocks.first_speed
    for b in range(blocks.n_blocks):
        if not _factorise_coordinates(blocks, b):  # (1)
            return False
    for a in range(blocks.n_blocks):
        for b in range(blocks.n_blocks):
            if blocks.linked[a, b] == 1:
                _reduce(blocks, a, b)
            elif blocks.filled[a, b] == 1:
                s[at[a] : at[a + 1], at[b] : at[b + 1]] = 0.0
    for step in range(blocks.n_blocks):  # (2)
        p = blocks.order[step]
        first, n = at[p], at[p + 1] - at[p]
        if not factorise_in_place(s, first, n, blocks.speed_pivots):
            return False
        n_later = _list_later(blocks, step)
        for k in range(n_later):
            b = blocks.later[k]
            solve_columns(s, first, n, blocks.speed_pivots, s, at[b], at[b + 1] - at[b])
        for i in range(n_later):
            a = blocks.later[i]
            for k in range(n_later):
                b = blocks.later[k]
                _subtract_product(s, at[a], at[a + 1] - at[a], first, n, at[b], at[b + 1] - at[b])
    return True


@kernel
def _solve_speeds(blocks: Blocks) -> None:
    """The speeds, from their right-hand side, in place: (2) and (3)."""
    s, at, y = blocks.reduced, blocks.first_speed, blocks.solved
    for step in range(blocks.n_blocks):
        p = blocks.order[step]
        solve_vector(s, at[p], at[p + 1] - at[p], blocks.speed_pivots, y)
        n_later = _list_later(blocks, step)
        for k in range(n_later):
            for i in range(at[blocks.later[k]], at[blocks.later[k] + 1]):
                for j in range(at[p], at[p + 1]):
                    y[i] -= s[i, j] * y[j]
    for step in range(blocks.n_blocks - 1, -1, -1):
        p = blocks.order[step]
        n_later = _list_later(blocks, step)
        for k in range(n_later):
            for j in range(at[blocks.later[k]], at[blocks.later[k] + 1]):
                for i in range(at[p], at[p + 1]):
                    y[i] -= s[i, j] * y[j]


@kernel
def solve_blocks(blocks: Blocks, b: Array, x: Array) -> None:
    """x of (I - γ J) x = b, divided by ``scale``; both in the order of y."""
    z, states, first, at = blocks.solution, blocks.states, blocks.first, blocks.first_speed
    for i in range(blocks.n_columns):
        z[i] = b[states[i]]
    # (1) what is known of the coordinates, and the right-hand side of the speeds
    for a in range(blocks.n_blocks):
        solve_vector(blocks.own, first[a], _n_coordinates(blocks, a), blocks.pivots, z)
    for a in range(blocks.n_blocks):
        n_a = first[a] + _n_coordinates(blocks, a)
        for i in range(at[a + 1] - at[a]):
            total = z[n_a + i]
            for c in range(blocks.n_blocks):
                if blocks.linked[a, c] == 1:
                    for j in range(first[c], first[c] + _n_coordinates(blocks, c)):
                        total += blocks.gamma * blocks.jacobian[n_a + i, j] * z[j]
            blocks.solved[at[a] + i] = total
    _solve_speeds(blocks)  # (2)
    # (3)
    for a in range(blocks.n_blocks):
        n_a = _n_coordinates(blocks, a)
        for k in range(at[a + 1] - at[a]):
            z[first[a] + n_a + k] = blocks.solved[at[a] + k]
        for i in range(first[a], first[a] + n_a):
            for k in range(at[a + 1] - at[a]):
                z[i] -= blocks.own[i, first[a] + n_a + k] * blocks.solved[at[a] + k]
    inverse = 1.0 / blocks.scale
    for k in range(blocks.n_rest):
        total = b[blocks.n_columns + k]
        for j in range(blocks.n_columns):
            total += blocks.gamma * blocks.rest[k, j] * z[j]
        x[blocks.n_columns + k] = inverse * total
    for i in range(blocks.n_columns):
        x[states[i]] = inverse * z[i]
