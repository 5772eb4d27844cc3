"""Which elements are divided along the target's facets, and how far: shares from 0 to 1, continuous in the pose.

Only contacts of about 10 to 60 elements are divided along facets, and in them only the elements that carry most of the
load (decision 0026). With fewer, damping and friction would lack points to act at; with more, plain sampling is
cheaper.

In: elements with one sample each, how much they carry and how much their depth bends. Out: for each element shares of

    facets  cells along the target's facets (`facet_cells`): exact
    four    one sample and three more
    rest    as in larger contacts
    (left)  its one sample

It is a budget: elements are left with one sample, or with four, as long as all of them together miss no more than a
share of the tolerance. Two limits of "area times depth and bend" follow from that, found by bisection and, in the last
intervals, interpolation, so that they change continuously with the pose.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.distance_cells import share_scattered, smooth_step
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import Cells, Side
from polycontact.kernels.contact.facet_cells import FacetCells
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import (
    CENTRE_WEIGHT,
    CENTRE_WEIGHT_DIFFERING,
    COARSE_ELEMENT,
    DIFFERING_DEPTHS,
    FACETS_FROM_ELEMENTS,
    FACETS_UP_TO_ELEMENTS,
    IMPORTANCE_RAMP,
    LOWEST_IMPORTANCE,
    MANY_CELLS,
    MISSED_BY_FOUR_SAMPLES,
    MISSED_BY_ONE_SAMPLE,
    MISSED_OF_BEND,
    MISSED_OF_STEEP_BEND,
    UNCOVERED,
)

_HALVINGS = 3
_STEPS = 5
"""The search for a limit takes _STEPS steps: the first _HALVINGS halve its interval in octaves, the others
interpolate."""


class Important(NamedTuple):
    """One over the load and bend (1/m³) from which on an element gets four samples, and from which on it is divided
    along facets; 0 where none is."""

    four: float
    facets: float


@kernel
def facet_share_by_element_count(target: Side, first: int, elements: ElementTable) -> float:
    """How far, 0 to 1, elements are several but few, and no coarser than the target, so that its facets divide them.

    Elements from row ``first`` on are counted by their areas, as those that come and go have none.
    """
    total = 0.0
    squares = 0.0
    for k in range(first, elements.n):
        total += elements.area[k]
        squares += elements.area[k] * elements.area[k]
    if not squares > 0.0:
        return 0.0
    facet = 0.5 * target.mesh.mean_edge * target.mesh.mean_edge
    number = total * total / squares
    several = smooth_step((number - FACETS_FROM_ELEMENTS[0]) / (FACETS_FROM_ELEMENTS[1] - FACETS_FROM_ELEMENTS[0]))
    many = smooth_step((number - FACETS_UP_TO_ELEMENTS[0]) / (FACETS_UP_TO_ELEMENTS[1] - FACETS_UP_TO_ELEMENTS[0]))
    coarse = smooth_step(squares / total / (COARSE_ELEMENT * facet) - 1.0)
    return several * (1.0 - many) * (1.0 - coarse)


@inline_kernel
def share_important(carried: float, inverse: float) -> float:
    """How far an element matters that carries and bends so much (m³), where 1/``inverse`` is the limit."""
    return smooth_step((carried * inverse - 1.0) * (1.0 / IMPORTANCE_RAMP))


@inline_kernel
def _weight_of(area: float, depth: float, bend: float) -> float:
    """What an element carries and bends by, m³: by this, it matters."""
    return area * (depth + bend)


@inline_kernel
def _share_of_bend(depth: float, bend: float) -> float:
    """Bend over depth and bend, 0 to 1."""
    return bend / (depth + bend) if bend > 0.0 else 0.0


@inline_kernel
def three_point_weight(depth: float, bend: float, of_three: float) -> float:
    """Weight of the three samples of an element that gets four; ``of_three``: the mean depth by them, m.

    One sample and three err in opposite directions between the facets of a target, so that their mean misses less than
    either. The three weigh more where they tell of less depth than the one, or of much more, as where meshes are
    aligned; and more where the depth bends much, as along the rim of flush faces, where the corners tell nothing.
    """
    share = _share_of_bend(depth, bend)
    differs = min((of_three - depth) / (of_three + depth) / DIFFERING_DEPTHS, 1.0) if of_three > depth else 1.0
    one = CENTRE_WEIGHT + differs * (CENTRE_WEIGHT_DIFFERING - CENTRE_WEIGHT)
    return 1.0 - one * max(1.0 - 2.0 * share * share, 0.0)


@inline_kernel
def _missed_by(area: float, depth: float, bend: float) -> float:
    """What an element of one sample misses, in the mean, m³."""
    share = _share_of_bend(depth, bend)
    return area * bend * (MISSED_OF_BEND + MISSED_OF_STEEP_BEND * share * share)


@kernel
def _left_below(first: int, limit: float, elements: ElementTable, cells: Cells) -> float:
    """What the elements miss, all together, as far as they do not matter with a given limit, m³."""
    left = 0.0
    inverse = 1.0 / limit
    for k in range(first, elements.n):
        left += (1.0 - share_important(cells.carried[k], inverse)) * cells.missed[k]
    return left


@kernel
def _find_limit_with(
    first: int,
    wanted: float,
    low: float,
    left_low: float,
    high: float,
    left_high: float,
    elements: ElementTable,
    cells: Cells,
) -> float:
    """The limit between ``low`` and ``high`` with which the elements that do not matter miss ``wanted``, m³.

    In the last intervals of the search it is interpolated, and below ``low`` it goes with what is wanted, so that it is
    continuous.
    """
    if not left_low < wanted:
        return low * wanted / left_low
    if not left_high > wanted:
        return math.inf
    found = high
    for i in range(_STEPS):
        found = math.sqrt(low * high)
        if i >= _HALVINGS:
            found = low + (high - low) * (wanted - left_low) / (left_high - left_low)
        left = _left_below(first, found, elements, cells)
        if left > wanted:
            high = found
            left_high = left
        else:
            low = found
            left_low = left
    return found


@kernel
def find_important(first: int, missed: float, elements: ElementTable, cells: Cells) -> Important:
    """Limits with which the elements below them miss no more than a share of what cells may miss (``missed``, m³).

    None where one sample is enough for all.
    """
    left = 0.0
    most = 0.0
    for k in range(first, elements.n):
        area = elements.area[k]
        depth = elements.depth[k]
        bend = cells.bend[k]
        cells.missed[k] = _missed_by(area, depth, bend)
        cells.carried[k] = _weight_of(area, depth, bend)
        left += cells.missed[k]
        most = max(most, cells.carried[k])
    if not left > MISSED_BY_ONE_SAMPLE * missed:
        return Important(0.0, 0.0)
    low = LOWEST_IMPORTANCE * most
    left_low = _left_below(first, low, elements, cells)
    four = _find_limit_with(first, MISSED_BY_ONE_SAMPLE * missed, low, left_low, most, left, elements, cells)
    facets = _find_limit_with(first, MISSED_BY_FOUR_SAMPLES * missed, low, left_low, most, left, elements, cells)
    return Important(1.0 / min(four, facets), 1.0 / facets)


class Shares(NamedTuple):
    """How an element of a small contact is treated: what share of it is divided along facets, what share has three
    samples, and what share is treated as in larger contacts. What is left keeps its one sample."""

    facets: float
    four: float
    rest: float


@inline_kernel
def shares_of_small(
    facet_share: float, round_share: float, area: float, depth: float, bend: float, important: Important
) -> Shares:
    """Shares of an element of given `roundness`, area (m²), depth and bend (m).

    ``facet_share``: of `facet_share_by_element_count`.

    What lies apart within one triangle is to have elements of its own, so that it is not divided here.
    """
    small = facet_share * (1.0 - share_scattered(round_share))
    weight = _weight_of(area, depth, bend)
    facets = small * share_important(weight, important.facets)
    four = small * share_important(weight, important.four) - facets
    return Shares(facets, four, 1.0 - small)


@inline_kernel
def share_covered(found: FacetCells, area: float) -> float:
    """How far the cells of an element can stand for it; its area in squares of the reference coordinates.

    Wholly where their areas add up to that of the element, and they are not very many.
    """
    covered = 1.0 - smooth_step(abs(found.area / area - 1.0) / UNCOVERED)
    return covered * (1.0 - smooth_step(found.number / MANY_CELLS - 1.0))
