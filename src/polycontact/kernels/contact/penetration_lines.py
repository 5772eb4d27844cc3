"""The other method for meshes: penetration lines instead of intersection polygons (the PCM author's way of 2023).

Problem: elements without polygons, so that open and imperfect meshes are tolerated.
In: candidates, pairs of a base triangle's line and a target triangle whose boxes overlap. Out: elements.

Each base triangle carries a line from its barycentre into the body, as long as the largest penetration expected.
Where that line first leaves the target there is a contact element, of the whole triangle. Contacts deeper than the
lines are long are not seen; all triangles of the target count, as active ones are not known.
"""

from __future__ import annotations

from polycontact.kernels.contact.base_lines import base_line
from polycontact.kernels.contact.elements import add_element
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.evaluation_view import Candidates, ContactSetup
from polycontact.kernels.contact.penetration import first_hit
from polycontact.kernels.jit import kernel

_SEEN_MARK = 3
"""Of base triangles that are listed already; see `Side.mark`."""


@kernel
def generate_from_lines(meeting: Encounter, setup: ContactSetup, candidates: Candidates) -> None:
    """Append an element for each base triangle near the target (in the candidates) whose line leaves it.

    ``base.inner`` is used as work space: there are no inner triangles here.
    """
    reach = setup.max_penetration
    base, target, pose, work, report = meeting.base, meeting.target, meeting.pose, meeting.work, meeting.report
    areas = base.mesh.areas
    mark = base.mark
    near = base.inner
    pairs = candidates.pairs
    column = base.is_f
    pad = 4.0 * pose.pad
    seen = 4 * base.stamp + _SEEN_MARK
    # Each base triangle once, however many candidates it is in.
    count = 0
    for k in range(candidates.n):
        t = pairs[k, column]
        if mark[t] != seen:
            mark[t] = seen
            near[count] = t
            count += 1
    base.n_inner = 0
    for k in range(count):
        t = near[k]
        line = base_line(base, pose, t)
        hit = first_hit(target, line.own_point, line.own_normal, reach, pad, False, work.stack, report)
        if hit.triangle >= 0:
            add_element(meeting, t, 0, areas[t], line, hit)
