"""How far the elements may be off, all together: which of them one sample is enough for (decision 0030).

Problem: an element with one sample at its mean misses a part of its load where the depth bends. Errors of one sign add
up over the elements, so that no limit for a single element bounds the error of the force. In: what each element
carries, and what one sample may miss of it. Out: a limit: elements that may miss more are integrated along the facets
of the target (`facet_cells`), the others keep their sample, and all of these together miss no more than a share of the
tolerance.

The limit is the root of an equation, so that it changes continuously with the pose. Elements without load count
nothing: faces that lie in each other come and go without a jump.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import Cells
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import (
    LARGE_ELEMENT,
    LIMIT_FOUND,
    LIMIT_RAMP,
    MISSED_OF_BEND,
    MISSED_OF_STEEP_BEND,
    NO_SHARE,
    SAMPLED_SHARE_OF_TOLERANCE,
    SHALLOW_CONTACT,
    SHARE_OF_ONE_CELL,
    SMALLEST_DIVISOR,
)

_STEPS = 40
"""Steps of the search for a limit, at most; it takes about ten."""


class Budget(NamedTuple):
    """``load``: ∫ φ dA over all elements, m³, a lower bound; ``inverse``: one over what an element may miss with one
    sample, 1/m³; what a cell may miss where it is not integrated exactly: ``depth``, m, times its area, or ``least``,
    m³, if that is more."""

    load: float
    inverse: float
    depth: float
    least: float


@inline_kernel
def smooth_step(x: float) -> float:
    """0 below 0, 1 above 1, smooth between; shares that rounding would hide are none."""
    s = min(max(x, 0.0), 1.0)
    share = s * s * (3.0 - 2.0 * s)
    if share < NO_SHARE:
        return 0.0
    return 1.0 if share > 1.0 - NO_SHARE else share


@inline_kernel
def missed_by_sample(area: float, depth: float, bend: float) -> float:
    """What an element of one sample may miss of its load, m³, whose depth deviates from linear by ``bend`` (m).

    Half of it is usual. Where the bend is a great part of the depth, as along the rim of flush faces, the error is
    nearly half of the bend.
    """
    share = bend / (depth + bend) if bend > 0.0 else 0.0
    return area * bend * (MISSED_OF_BEND + MISSED_OF_STEEP_BEND * share * share)


@inline_kernel
def share_above(missed: float, inverse: float) -> float:
    """How far, 0 to 1, an element misses more than the limit 1/``inverse``, m³."""
    return smooth_step((missed * inverse - 1.0) * (1.0 / LIMIT_RAMP))


@inline_kernel
def share_exact(load: float, missed: float, budget: Budget) -> float:
    """How far, 0 to 1, an element is to be integrated along facets.

    As it may miss more than the limit (m³), or carries a great part of the contact, so that what four depths do not
    tell would be seen in the force.
    """
    above = share_above(missed, budget.inverse)
    if not load > LARGE_ELEMENT * budget.load:
        return above
    return max(above, smooth_step(load / (LARGE_ELEMENT * budget.load) - 1.0))


@kernel
def _left_below(first: int, limit: float, elements: ElementTable, cells: Cells) -> float:
    """What the elements from row ``first`` on miss, all together, as far as they stay below a limit, m³."""
    left = 0.0
    inverse = 1.0 / limit
    for k in range(first, elements.n):
        left += (1.0 - share_above(cells.missed[k], inverse)) * cells.missed[k]
    return left


@kernel
def _find_limit(first: int, wanted: float, most: float, left: float, elements: ElementTable, cells: Cells) -> float:
    """The limit with which the elements below it miss ``wanted`` (m³), less than ``left``, which all of them miss.

    ``most``: what one of them misses at most. What is left rises with the limit, so that there is one such limit. It is
    first known to a factor of 4, by halving the interval of its logarithm. Then false positions find it (Illinois) to a
    share of what is wanted that cannot be seen in the force: those of the square root, which is nearly linear where one
    element fades in.
    """
    root = math.sqrt(wanted)
    # Elements that count below a limit miss less than 1 + LIMIT_RAMP of it each, so that this one is too low.
    low, high = min(wanted / ((1.0 + LIMIT_RAMP) * (elements.n - first)), most), most
    off_low, off_high = -root, math.sqrt(left) - root
    found = high
    side = 0
    for _ in range(_STEPS):
        if high > 4.0 * low:
            found = math.sqrt(low * high)
            side = 0
        else:
            found = low - (high - low) * off_low / (off_high - off_low)
        left = _left_below(first, found, elements, cells)
        if abs(left - wanted) < LIMIT_FOUND * wanted:
            break
        # An end that stays for the second time counts half as much, so that it moves next time.
        if left > wanted:
            high = found
            off_high = math.sqrt(left) - root
            if side == 1:
                off_low *= 0.5
            side = 1
        else:
            low = found
            off_low = math.sqrt(left) - root
            if side == -1:
                off_high *= 0.5
            side = -1
    return found


@kernel
def find_budget(first: int, tolerance: float, elements: ElementTable, cells: Cells) -> Budget:
    """What the elements from row ``first`` on may miss; ``tolerance``: share of their load, all together.

    Never less than a share of the load of a very shallow contact, whose elements would be divided for nothing.
    """
    load = 0.0
    squares = 0.0
    size = 0.0
    missed = 0.0
    most = 0.0
    for k in range(first, elements.n):
        area = elements.area[k]
        load += cells.load[k]
        squares += cells.load[k] * cells.load[k] / area if area > 0.0 else 0.0
        missed += cells.missed[k]
        most = max(most, cells.missed[k])
        size += area * math.sqrt(area)
    # The mean depth, weighted by load: where nothing is carried counts nothing.
    mean = squares / load if load > 0.0 else 0.0
    load = max(load, SHALLOW_CONTACT * size)
    wanted = SAMPLED_SHARE_OF_TOLERANCE * tolerance * load
    least = max(SHARE_OF_ONE_CELL * tolerance * load, SMALLEST_DIVISOR)
    depth = max((1.0 - SAMPLED_SHARE_OF_TOLERANCE) * tolerance * mean, SMALLEST_DIVISOR)
    if not missed > wanted or not wanted > 0.0:
        return Budget(load, 0.0, depth, least)
    return Budget(load, 1.0 / _find_limit(first, wanted, most, missed, elements, cells), depth, least)


@kernel
def with_known_load(budget: Budget, first: int, elements: ElementTable, cells: Cells) -> Budget:
    """The budget once elements that may miss much have been integrated: with them more of the load is known."""
    load = 0.0
    for k in range(first, elements.n):
        load += cells.load[k]
    if not load > budget.load:
        return budget
    more = load / budget.load if budget.load > 0.0 else 1.0
    return Budget(load, budget.inverse, more * budget.depth, more * budget.least)
