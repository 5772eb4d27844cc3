"""What friction is limited by: the part of each normal force that acts along the normal both bodies share there.

Problem: pressure acts along the normals of the base. A block that is pressed into a plane has submerged side faces, and
their pressures, which push it from all sides and cancel, must not rub: friction would be greater than μ times the load.
But the faces of a wedge in a groove, whose pressures cancel too, do rub. What tells them apart is the surface opposite.
In: normals n of the elements, their angles γ to the target, normal forces F. Out: for each element the common normal q,
the load L that limits friction, and the slip across q.

      (1) n is the target's normal       (2) n is across it             (3) n is across it, but along the load N
                                                                            of the contact
         \\ base        / target              base |
          \\  \\        /                      ______|____  target         base ____________
           \\  n       /                            |                           ^ n      |  target: its side is
            \\________/                       n <---|                           |        |  nearer than its top
                                              _____|
         L = F, q = n                      L = 0                          L = F n·N/|N|, q = N/|N|

Between these, with the share c = cos² γ, of which damping is left too, and the share h = n·N/|N| along the load N of
all elements of the same base:

    L = F max(c, h, 0)        q along (c − h) n + h (1 − c) N/|N|, and along N where c < h

It follows that a body of any shape that slides on a plane is braked by μ |N|, at any depth and with either body as the
base: h is its share of the load then. Where elements lie on the target (c = 1) nothing changes, as in a groove, in a
hole or in a fit with interference. Where the loads of the faces cancel, N has no direction that matters: h fades out
with |N| over the sum of F c, so that friction is continuous where N vanishes.
"""

from __future__ import annotations

from polycontact.kernels.contact.element_motion import into_e
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.vectors import Vector, add, dot, norm, row, scale, sub
from polycontact.kernels.jit import kernel


@kernel
def _load_direction(elements: ElementTable, side: int) -> Vector:
    """Direction in which the elements on one base push E: a unit vector, or shorter where most of the load cancels."""
    load: Vector = (0.0, 0.0, 0.0)
    facing = 0.0
    for k in range(elements.n):
        if elements.side[k] == side:
            load = add(load, scale(elements.normal_force[k], into_e(elements, k)))
            facing += elements.normal_force[k] * (1.0 - elements.turned[k])
    size = max(facing, norm(load))
    return scale(1.0 / size, load) if size > 0.0 else load


@kernel
def find_friction_loads(elements: ElementTable) -> None:
    """Friction load, common normal and slip across it of every element; after `find_motion` and the normal law."""
    of_e = _load_direction(elements, 0)
    of_f = _load_direction(elements, 1)
    for k in range(elements.n):
        pressed = elements.normal_force[k]
        elements.friction_load[k] = pressed
        if elements.turned[k] <= 0.0:  # (1), exactly
            continue
        c = max(1.0 - elements.turned[k], 0.0)
        direction = of_e if elements.side[k] == 0 else of_f
        n_k = into_e(elements, k)
        h = max(dot(n_k, direction), 0.0)
        elements.friction_load[k] = pressed * max(c, h)
        if h == 0.0:  # between (1) and (2)
            continue
        q = add(scale(max(c - h, 0.0), n_k), scale(h * (1.0 - c) / norm(direction), direction))
        length = norm(q)
        if not length > 0.0:
            continue
        q = scale(1.0 / length, q)
        v_k = add(row(elements.slip, k), scale(elements.approach[k], n_k))
        slip = sub(v_k, scale(dot(v_k, q), q))
        for a in range(3):
            elements.common_normal[k, a] = q[a]
            elements.slip[k, a] = slip[a]
