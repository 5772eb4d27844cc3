"""Where the flat end of a cylinder or a cone meets a point of the other shape: its direction is known beforehand.

Problem: in the direction of its axis a cap is a whole disc of support points, and its height h(n) has a peak like that
of a cone: Newton's method, which needs second derivatives, does not come to it.

        ____a____   cap of E, axis n     In: a trial direction. If it is within 6° of an axis, the direction is taken as
       |    |    |                       the axis; the point of the other shape is projected on the cap, and if it comes
            | h                          to lie on the disc, the cap against that point is the answer. The apex of a
            b       point of F           cone is no cap.
"""

from __future__ import annotations

from polycontact.kernels.geometry.convex_pair import ConvexPair, Meeting, add_support
from polycontact.kernels.geometry.convex_shape import ConvexShape, ShapeKind
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.vectors import Vector, add, dot, norm, row, scale, sub
from polycontact.kernels.jit import kernel
from polycontact.tolerances import NEAR_THE_AXIS


@kernel
def put_meeting(meeting: Meeting, a: Vector, b: Vector) -> None:
    """Note a meeting as settled, at a on the core of E and b on that of F (frame E, m)."""
    meeting.is_settled = 1
    for k in range(3):
        meeting.on_e[k] = a[k]
        meeting.on_f[k] = b[k]


@kernel
def _cap_side(shape: ConvexShape, along: float) -> float:
    """1 or -1: the end of the axis whose cap a direction is near to; 0 where there is none. ``along``: its cosine."""
    if abs(along) < NEAR_THE_AXIS or not (shape.kind == ShapeKind.CYLINDER or shape.kind == ShapeKind.CONE):
        return 0.0
    side = 1.0 if along > 0.0 else -1.0
    if shape.kind == ShapeKind.CONE and side * (shape.size[2] - shape.size[1]) < 0.0:
        return 0.0  # the apex
    return side


@kernel
def _is_on_disc(shape: ConvexShape, axis: Vector, foot: Vector) -> bool:
    """Whether a point, from the centre of a shape's frame, is no farther from the axis than the rim."""
    return bool(norm(sub(foot, scale(dot(axis, foot), axis))) <= shape.size[0])


@kernel
def settle_on_cap(pair: ConvexPair, spare: int) -> bool:
    """Whether the trial is a cap of E, or else of F, against a point: then the trial becomes that, settled.

    ``spare``: a row of the points that may be written over.
    """
    points, trial = pair.points, pair.trial
    n = as_vector(trial.normal)
    R = pair.rotation
    axis = (R[0, 2], R[1, 2], R[2, 2])
    side = _cap_side(pair.e, n[2])
    if side != 0.0:  # a cap of E against the point of F that lies farthest into it
        n = (0.0, 0.0, side)
        height = add_support(pair, spare, n)
        b = row(points.on_f, spare)
        a = add(b, scale(height, n))
        is_met = _is_on_disc(pair.e, n, a)
    else:  # a cap of F against the point of E
        side = _cap_side(pair.f, -dot(axis, n))
        if side == 0.0:
            return False
        n = scale(-side / norm(axis), axis)
        height = add_support(pair, spare, n)
        a = row(points.on_e, spare)
        b = sub(a, scale(height, n))
        is_met = _is_on_disc(pair.f, n, sub(b, as_vector(pair.position)))
    if not is_met:
        return False
    trial.height = height
    for k in range(3):
        trial.normal[k] = n[k]
    put_meeting(trial, a, b)
    return True
