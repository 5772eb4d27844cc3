"""A body wholly inside the other has no intersection line: find it instead of returning a silent zero."""

from __future__ import annotations

from typing import Any

from polycontact.kernels.inside import corner, to_own_frame, winding_number
from polycontact.kernels.jit import kernel
from polycontact.kernels.memory import (
    BOXES,
    CLOSED,
    COMPONENT_VERTICES,
    CONTAINED,
    CUT,
    E_INSIDE_F,
    F_INSIDE_E,
    N_COMPONENTS,
    N_CUT,
    N_TRIANGLES,
    N_VERTICES,
    STATUS,
    TRIANGLE_COMPONENT,
    VERTEX_STAMP,
    VERTICES,
    E,
    F,
    X,
    index_table,
    indices,
    stamps,
    table,
    vectors,
)


@kernel
def _is_cut(p: Any, side: int, component: int) -> bool:
    """Whether an intersection polygon runs over a component of a surface."""
    if p[side + N_COMPONENTS] == 1:
        return bool(p[side + N_CUT] > 0)
    cut = indices(p, side + CUT, p[side + N_TRIANGLES])
    member = indices(p, side + TRIANGLE_COMPONENT, p[side + N_TRIANGLES])
    met = False
    for k in range(p[side + N_CUT]):
        met = met or member[cut[k]] == component
    return bool(met)


@kernel
def _could_be_inside(p: Any, side: int, component: int) -> bool:
    """Whether the outermost vertices of a component (along the axes of its frame) lie in the other surface's box."""
    other = F if side == E else E
    around = table(p, other + BOXES, 1, 6)
    own = vectors(p, side + VERTICES, p[side + N_VERTICES])
    x = vectors(p, side + X, p[side + N_VERTICES])
    fresh = stamps(p, side + VERTEX_STAMP, p[side + N_VERTICES])
    outermost = index_table(p, side + COMPONENT_VERTICES, p[side + N_COMPONENTS], 6)
    for i in range(6):
        local = to_own_frame(p, other, corner(p, side, own, x, fresh, outermost[component, i]))
        for a in range(3):
            if abs(local[a] - around[0, a]) > around[0, 3 + a]:
                return False
    return True


@kernel
def find_contained(p: Any) -> None:
    """Set E_INSIDE_F or F_INSIDE_E where a component without intersections lies inside the other, closed surface."""
    for which in range(2):
        side = E if which == 0 else F
        other = F if which == 0 else E
        if not p[other + CLOSED]:
            continue
        own = vectors(p, side + VERTICES, p[side + N_VERTICES])
        x = vectors(p, side + X, p[side + N_VERTICES])
        fresh = stamps(p, side + VERTEX_STAMP, p[side + N_VERTICES])
        outermost = index_table(p, side + COMPONENT_VERTICES, p[side + N_COMPONENTS], 6)
        contained = indices(p, side + CONTAINED, p[side + N_COMPONENTS])
        for component in range(p[side + N_COMPONENTS]):
            contained[component] = 0
            if _is_cut(p, side, component) or not _could_be_inside(p, side, component):
                continue
            if winding_number(p, other, corner(p, side, own, x, fresh, outermost[component, 0])) > 0:
                contained[component] = 1
                p[STATUS] |= E_INSIDE_F if which == 0 else F_INSIDE_E
