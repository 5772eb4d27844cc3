"""Which elements on a half-space carry, and what: p ≥ 0, gap ≥ 0, and one of them zero at each element.

Problem: forces f ≥ 0 with gap = G f − u ≥ 0 and f · gap = 0, G the flexibility (symmetric, positive definite), u the
depths by which bodies would overlap. It is a linear complementarity problem with one solution, which changes
continuously with G and u. In: elements and their matrix. Out: forces and gaps.

    (1) the elements that carried in the evaluation before are taken to carry again: where all forces and gaps are then
        well above zero, this is the solution
    (2) else those deeper than half of the deepest are taken first: exact for Hertz's contacts
    (3) G f = u for those that carry, gaps of the others; those that pull are let go, those that overlap are taken in,
        all at once (block principal pivoting, Júdice and Pires, Comput. Oper. Res. 21, 1994)
    (4) where their number does not fall for a few rounds, only the last one is changed, which ends after finitely
        many rounds (Murty, Linear Algebra Appl. 7, 1974); as soon as it falls, all at once again

Rough forces, by conjugate gradients, do in (3) until nothing is to be changed; then the forces are found as in (1), by
the factor of the matrix of those that carry, or where these are many by conjugate gradients from zero. So the result is
a function of the set alone, and the same bits whatever was evaluated before: a guess that (1) accepts is the set that
(2) to (4) end with, as forces and gaps farther from zero than rounding have one sign only.
"""

from __future__ import annotations

from polycontact.kernels.contact.half_space_factor import factorise, solve_with_factor
from polycontact.kernels.contact.half_space_flexibility import least_gap_aside
from polycontact.kernels.contact.half_space_work import Flexibility, HalfSpaceWork
from polycontact.kernels.geometry.vectors import as_index
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import (
    CARRIES_AT_FIRST,
    HALF_SPACE_FINE,
    HALF_SPACE_ROUGH,
    HALF_SPACE_ROUNDING,
    MOST_FACTORISED,
    MOST_GRADIENT_STEPS,
    MOST_PIVOT_ROUNDS,
    PIVOT_PATIENCE,
)


@kernel
def _multiply(work: HalfSpaceWork, matrix: Flexibility, forces: Doubles, out: Doubles) -> None:
    """Displacements of all elements that may carry by the forces of those that do."""
    n = matrix.n
    entries, bearing = matrix.entries, work.bearing
    for i in range(n):
        out[i] = 0.0
    # Four rows at once, so that the sums are read and written a quarter as often.
    k = 0
    while k + 4 <= work.n_bearing:
        j_0, j_1 = as_index(bearing[k]), as_index(bearing[k + 1])
        j_2, j_3 = as_index(bearing[k + 2]), as_index(bearing[k + 3])
        f_0, f_1, f_2, f_3 = forces[j_0], forces[j_1], forces[j_2], forces[j_3]
        row_0 = entries[j_0 * n : (j_0 + 1) * n]
        row_1 = entries[j_1 * n : (j_1 + 1) * n]
        row_2 = entries[j_2 * n : (j_2 + 1) * n]
        row_3 = entries[j_3 * n : (j_3 + 1) * n]
        for i in range(n):
            out[i] += row_0[i] * f_0 + row_1[i] * f_1 + row_2[i] * f_2 + row_3[i] * f_3
        k += 4
    while k < work.n_bearing:
        j = as_index(bearing[k])
        f = forces[j]
        row_j = entries[j * n : (j + 1) * n]
        for i in range(n):
            out[i] += row_j[i] * f
        k += 1


@kernel
def _list_bearing(work: HalfSpaceWork) -> None:
    """List the elements that carry; the others get no force."""
    work.n_bearing = 0
    for i in range(work.n):
        if i < work.n_front and work.carries[i] == 1:
            work.bearing[work.n_bearing] = i
            work.n_bearing += 1
        else:
            work.force[i] = 0.0


@kernel
def _iterate(work: HalfSpaceWork, matrix: Flexibility, tolerance: float) -> bool:
    """Forces of those that carry, from those at hand, by conjugate gradients, scaled by the diagonal.

    Up to a residual of ``tolerance`` times the depths. False where it is not reached, or the matrix not definite.
    """
    bearing, n_bearing, n = work.bearing, work.n_bearing, matrix.n
    force, residual, direction, image = work.force, work.residual, work.direction, work.image
    _multiply(work, matrix, force, image)
    wanted = 0.0
    left = 0.0
    for k in range(n_bearing):
        i = as_index(bearing[k])
        own = matrix.entries[i * n + i]
        residual[i] = work.depth[i] - image[i]
        wanted += work.depth[i] * work.depth[i] / own
        left += residual[i] * residual[i] / own
        direction[i] = residual[i] / own
    # steps along directions that are conjugate in the matrix
    limit = tolerance * tolerance * wanted
    for _ in range(MOST_GRADIENT_STEPS):
        if not left > limit:
            return True
        _multiply(work, matrix, direction, image)
        curvature = 0.0
        for k in range(n_bearing):
            i = as_index(bearing[k])
            curvature += direction[i] * image[i]
        if not curvature > 0.0:
            return False
        step = left / curvature
        now = 0.0
        for k in range(n_bearing):
            i = as_index(bearing[k])
            force[i] += step * direction[i]
            residual[i] -= step * image[i]
            now += residual[i] * residual[i] / matrix.entries[i * n + i]
        more = now / left
        left = now
        for k in range(n_bearing):
            i = as_index(bearing[k])
            direction[i] = residual[i] / matrix.entries[i * n + i] + more * direction[i]
    return not left > limit


@kernel
def _has_factor(work: HalfSpaceWork, matrix: Flexibility) -> bool:
    """Whether the factor is that of the elements that carry: all of them whole triangles, the same as then."""
    same = work.factor.n == work.n_bearing
    for k in range(work.n_bearing):
        same = same and matrix.key[work.bearing[k]] >= 0 and work.factor.key[k] == matrix.key[work.bearing[k]]
        if not same:
            return False
    return same


@kernel
def _solve_directly(work: HalfSpaceWork, matrix: Flexibility) -> bool:
    """Forces of those that carry by the factor of their matrix; False where it is not definite."""
    m, n, bearing, factor = work.n_bearing, matrix.n, work.bearing, work.factor
    if not _has_factor(work, matrix):
        for k in range(m):
            i = as_index(bearing[k])
            factor.key[k] = matrix.key[i]
            for j in range(k, m):
                factor.entries[k * m + j] = matrix.entries[i * n + bearing[j]]
        factor.n = m
        if not factorise(factor.entries, m):
            factor.n = 0
            return False
    for k in range(m):
        work.residual[k] = work.depth[bearing[k]]
    solve_with_factor(factor.entries, m, work.residual)
    for k in range(m):
        work.force[bearing[k]] = work.residual[k]
    return True


@kernel
def _solve_well(work: HalfSpaceWork, matrix: Flexibility) -> bool:
    """Forces of those that carry, a function of which these are and of the depths; False where they are not found."""
    if work.n_bearing <= MOST_FACTORISED:
        return _solve_directly(work, matrix)
    for k in range(work.n_bearing):
        work.force[work.bearing[k]] = 0.0
    return _iterate(work, matrix, HALF_SPACE_FINE)


@kernel
def _find_gaps(work: HalfSpaceWork, matrix: Flexibility) -> None:
    """Gaps of all elements that may carry."""
    _multiply(work, matrix, work.force, work.gap)
    for i in range(matrix.n):
        work.gap[i] -= work.depth[i]


@inline_kernel
def _slack(work: HalfSpaceWork, matrix: Flexibility, i: int) -> float:
    """How far an element is from being wrong, m: the displacement by its own force, or its gap."""
    if work.carries[i] == 1:
        return float(work.force[i] * matrix.entries[i * matrix.n + i])
    return float(work.gap[i])


@kernel
def _least_slack(work: HalfSpaceWork, matrix: Flexibility) -> float:
    """The least slack of all elements that may carry, m: negative where one is wrong."""
    least = float(work.depth[0])
    for i in range(matrix.n):
        least = min(least, _slack(work, matrix, i))
    return least


@kernel
def _guess_last(work: HalfSpaceWork, matrix: Flexibility) -> bool:
    """Take those to carry that carried the last time; False where they are not all here, or nothing is known: (1)."""
    found = 0
    for i in range(matrix.n):
        work.carries[i] = 0
        while found < work.n_last and work.last[found] < matrix.key[i]:
            return False
        if found < work.n_last and work.last[found] == matrix.key[i]:
            work.carries[i] = 1
            found += 1
    return found > 0 and found == work.n_last


@kernel
def _remember(work: HalfSpaceWork, matrix: Flexibility) -> None:
    """Note which triangles carry, where all of them are whole."""
    work.n_last = 0
    for k in range(work.n_bearing):
        if matrix.key[work.bearing[k]] < 0:
            work.n_last = 0
            return
        work.last[k] = matrix.key[work.bearing[k]]
        work.n_last = k + 1


@kernel
def _change(work: HalfSpaceWork, matrix: Flexibility, allowed: float, only_last: bool) -> None:
    """Let go what pulls and take in what overlaps: all at once, or the last one alone."""
    for k in range(matrix.n):
        i = matrix.n - 1 - k
        if _slack(work, matrix, i) < -allowed:
            work.carries[i] = 1 - work.carries[i]
            if only_last:
                return


@kernel
def _pivot(work: HalfSpaceWork, matrix: Flexibility, deepest: float) -> bool:
    """Elements that carry, and their forces: (2) to (4); False where they are not found."""
    n = matrix.n
    for i in range(n):
        work.force[i] = 0.0
        work.carries[i] = 1 if work.depth[i] >= CARRIES_AT_FIRST * deepest else 0  # (2)
    fine = False
    fewest = n + 1
    patience = PIVOT_PATIENCE
    for _ in range(MOST_PIVOT_ROUNDS):
        # (3)
        _list_bearing(work)
        if fine:
            if not _solve_well(work, matrix):
                return False
        else:
            _iterate(work, matrix, HALF_SPACE_ROUGH)
        _find_gaps(work, matrix)
        allowed = (HALF_SPACE_ROUNDING if fine else HALF_SPACE_ROUGH) * deepest
        wrong = 0
        for i in range(n):
            if _slack(work, matrix, i) < -allowed:
                wrong += 1
        if wrong == 0:
            if fine:
                return True
            fine = True
            continue
        # (4)
        if wrong < fewest:
            fewest = wrong
            patience = PIVOT_PATIENCE
        else:
            patience -= 1
        fine = fine or patience < 0
        _change(work, matrix, allowed, patience < 0)
    return False


@kernel
def find_bearing(work: HalfSpaceWork, matrix: Flexibility) -> float:
    """Forces of all elements at E* = 1 Pa; the least slack over the greatest depth, as far as it is negative.

    That is 0 where all conditions hold to rounding, and below -`HALF_SPACE_ROUNDING` where they do not, also for an
    element that was left out of the matrix as it is shallow.
    """
    deepest = 0.0
    for i in range(work.n_front):
        deepest = max(deepest, work.depth[i])
    margin = HALF_SPACE_ROUNDING * deepest
    if _guess_last(work, matrix):  # (1)
        _list_bearing(work)
        if _solve_well(work, matrix):
            _find_gaps(work, matrix)
            if _least_slack(work, matrix) > margin and least_gap_aside(work) > margin:
                return 0.0
    if not _pivot(work, matrix, deepest):
        work.n_last = 0
        return -1.0
    _remember(work, matrix)
    for k in range(work.n_bearing):
        work.force[work.bearing[k]] = max(work.force[work.bearing[k]], 0.0)
    least = least_gap_aside(work)
    return least / deepest if not least > margin else 0.0
