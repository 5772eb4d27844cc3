"""The other generator: penetration lines instead of intersection polygons (the PCM author's way of 2023).

Each base triangle carries a line from its barycentre into the body, as long as the largest penetration expected.
Where that line leaves the target, there is a contact element: no polygons, no active areas, so open and imperfect
meshes are tolerated; deeper contacts than the lines are long are not seen.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.detection import find_candidates
from polycontact.kernels.elements import add_element, base_line
from polycontact.kernels.frames import load_matrix, load_vector
from polycontact.kernels.jit import kernel
from polycontact.kernels.memory import (
    AREAS,
    CANDIDATES,
    INNER,
    LINE_BOXES,
    MARK,
    MAX_CANDIDATES,
    MAX_PENETRATION,
    N_CANDIDATES,
    N_INNER,
    N_PARAMETERS,
    N_TRIANGLES,
    ORIENTED_BOXES,
    OVERFLOW_CANDIDATES,
    PARAMETERS,
    POSE,
    POSE_LENGTH,
    POSITION,
    STAMP,
    STATUS,
    E,
    F,
    doubles,
    index_table,
    indices,
    stamps,
)
from polycontact.kernels.penetration import first_hit


@kernel
def generate_from_lines(p: Any, base: int) -> None:
    """Append an element for each base triangle whose penetration line leaves the target."""
    target = F if base == E else E
    if base == E:
        find_candidates(p, E + LINE_BOXES, F + ORIENTED_BOXES, 0.0)
    else:
        find_candidates(p, E + ORIENTED_BOXES, F + LINE_BOXES, 0.0)
    if p[STATUS] & OVERFLOW_CANDIDATES:
        return
    reach = doubles(p, PARAMETERS, N_PARAMETERS)[MAX_PENETRATION]
    n = p[base + N_TRIANGLES]
    areas = doubles(p, base + AREAS, n)
    mark = stamps(p, base + MARK, n)
    pairs = index_table(p, CANDIDATES, p[MAX_CANDIDATES], 2)
    near = indices(p, base + INNER, n)
    seen = 4 * p[STAMP] + 3
    count = 0
    for k in range(p[N_CANDIDATES]):
        t = pairs[k, 0 if base == E else 1]
        if mark[t] != seen:
            mark[t] = seen
            near[count] = t
            count += 1
    p[base + N_INNER] = 0
    pose = doubles(p, POSE, POSE_LENGTH)
    R = load_matrix(pose, 0)
    r = load_vector(pose, POSITION)
    for k in range(count):
        t = near[k]
        line = base_line(p, base, t, R, r)
        hit = first_hit(p, target, line[2], line[3], reach, False)
        if hit[0] >= 0:
            add_element(p, base, t, 0, areas[t], line, hit)
