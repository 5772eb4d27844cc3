"""The points at which bodies meet in the middle of a step, from what the evaluation of their contacts has left."""

from __future__ import annotations

from polycontact.kernels.addresses import call_law
from polycontact.kernels.dynamics.evaluation_views import Ending, PairContacts, Status
from polycontact.kernels.dynamics.pair_report import NEEDS_ATTENTION
from polycontact.kernels.dynamics.right_hand_side import end
from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import StepStatus
from polycontact.kernels.response.following_steps import StepLength
from polycontact.kernels.response.point_work import PointWork
from polycontact.kernels.response.step_views import Gaps, RigidPoints, RigidRules
from polycontact.kernels.views import Doubles


@kernel
def gather_points(
    contacts: PairContacts,
    rules: RigidRules,
    length: StepLength,
    choosing: PointWork,
    gaps: Gaps,
    points: RigidPoints,
    ending: Ending,
) -> int:
    """Points of all pairs that touch, then of those that are held and gape; a `Status` or `StepStatus`.

    They are left as rows in the frames of E (`RigidPoints.support`).
    """
    points.n = 0
    # Pairs that touch: what chooses the points of their kind is called by its address.
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        if contacts.status[pair] & NEEDS_ATTENTION:
            return end(ending, Status.HEED_PAIR, pair)
        if contacts.area[pair] > 0.0:
            if rules.choose[pair] == 0:
                return end(ending, StepStatus.UNKNOWN_POINTS, pair)
            choosing.elements.small = rules.small[pair]
            found = call_law(rules.choose[pair], contacts.pairing[pair], choosing.place)
            if found < 0:
                return end(ending, StepStatus.MORE_ELEMENTS, -found)
            if points.n + found > points.room:
                return end(ending, StepStatus.MORE_POINTS, points.n + found)
            for j in range(found):
                _append(points, pair, choosing.found[j])
    # Pairs that were held and gape now: Python has found the points that are nearest to each other.
    for pair in range(length.n_pairs):
        if length.held[pair] == 1 and not contacts.area[pair] > 0.0:
            if gaps.known == 0:
                return end(ending, StepStatus.GAPS, pair)
            if gaps.found[pair] == 1:
                if points.n == points.room:
                    return end(ending, StepStatus.MORE_POINTS, points.n + 1)
                _append(points, pair, gaps.support[pair])
    return end(ending, Status.WELL, 0)


@kernel
def _append(points: RigidPoints, pair: int, support: Doubles) -> None:
    """Add a point of a pair."""
    points.pair[points.n] = pair
    for k in range(8):
        points.support[points.n, k] = support[k]
    points.n += 1
