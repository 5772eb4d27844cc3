"""How joints, limits, springs, drives and gravity are drawn in the picture of a model: as lines in the world."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.built_in_forces import EndStop, SpringDamper, SwingTwistStop
from polycontact.multibody.bushing import Bushing
from polycontact.multibody.joint_types import Joint, JointKind, Loop
from polycontact.multibody.placement import Placement
from polycontact.report.view import strokes
from polycontact.report.view.joint_axes import Frame, JointAxis, joint_axes, marker_in_world
from polycontact.report.view.strokes import Segments, Vector

COUPLER_RADIUS, LIMIT_RADIUS, DRIVE_RADIUS, SPRING_RADIUS = 0.75, 0.6, 0.42, 0.3
"""Of arcs about an axis, as parts of the size in which a joint is drawn: none lies over another."""

COSINE_TOLERANCE = 1e-6
"""Cosine, or its difference to one, up to which axes count as perpendicular or parallel."""


def draw_joint(placed: Placement, joint: Joint, size: float) -> Segments:
    """The axes of a joint, ``size`` (m) to both sides; rings where it has none; a cross where it is fixed."""
    R, at = marker_in_world(placed, joint.child, joint.child_marker)
    return _draw_kind(joint.kind.value, joint_axes(placed, joint), R, at, size)


def draw_loop(placed: Placement, loop: Loop, size: float) -> Segments:
    """A joint that closes a loop, or the rod."""
    (R, at), (_, end) = (
        marker_in_world(placed, loop.body_a, loop.marker_a),
        marker_in_world(placed, loop.body_b, loop.marker_b),
    )
    if loop.kind == "distance":
        return strokes.line(at, end)
    return _draw_kind(loop.kind, (), R, at, size)


def _draw_kind(kind: str, axes: tuple[JointAxis, ...], frame: NDArray[np.float64], at: Vector, size: float) -> Segments:
    x, y, z = frame.T
    if kind == JointKind.SPHERICAL.value:
        rings = [strokes.arc(at, a, b, 0.0, 2.0 * math.pi, 0.3 * size) for a, b in ((x, y), (y, z), (z, x))]
        return np.concatenate(rings)
    if kind == JointKind.FIXED.value:
        return np.array([[at - 0.2 * size * axis, at + 0.2 * size * axis] for axis in (x, y, z)])
    drawn = [strokes.NONE]
    if kind == JointKind.PLANAR.value:
        corners = [at + 0.5 * size * (a * x + b * y) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1))]
        drawn.append(strokes.polyline(np.array(corners)))
    directions = [axis.direction for axis in axes] or ([x, y] if kind == JointKind.UNIVERSAL.value else [z])
    for direction in directions:
        drawn.append(strokes.line(at - size * direction, at + size * direction))
    for axis in axes:
        if not axis.turns:
            drawn.append(strokes.arrow_head(at + size * axis.direction, axis.direction, 0.18 * size))
    return np.concatenate(drawn)


def draw_limits(placed: Placement, joint: Joint, stop: EndStop | SwingTwistStop, size: float) -> Segments:
    """The range between end stops, with a pointer to where the joint is now; the cone of a spherical joint."""
    if isinstance(stop, SwingTwistStop):
        P, _ = marker_in_world(placed, joint.parent, joint.parent_marker)
        C, at = marker_in_world(placed, joint.child, joint.child_marker)
        pointer = strokes.line(at, at + size * (C @ np.asarray(stop.axis)))
        return np.concatenate((strokes.cone(at, P @ np.asarray(stop.cone), stop.swing, 0.9 * size), pointer))
    axis = joint_axes(placed, joint)[stop.coordinate]
    limits = [limit for limit in stop.limits() if math.isfinite(limit)]
    if not axis.turns:
        return np.concatenate(
            [strokes.cross_stroke(axis.origin + limit * axis.direction, axis.direction, 0.3 * size) for limit in limits]
        )
    low, high = min(*limits, axis.value), max(*limits, axis.value)
    radius = LIMIT_RADIUS * size
    drawn = [strokes.arc(axis.origin, axis.direction, axis.zero, low, high, radius)]
    for limit in limits:
        end = strokes.turned(axis.direction, axis.zero, limit)
        drawn.append(strokes.line(axis.origin, axis.origin + radius * end))
    now = strokes.turned(axis.direction, axis.zero, axis.value)
    drawn.append(strokes.arrow(axis.origin, axis.origin + 1.25 * radius * now))
    return np.concatenate(drawn)


def draw_drive(axis: JointAxis, at: Vector, size: float) -> Segments:
    """A bent arrow about the axis, or one beside it."""
    if axis.turns:
        return _bent_arrow(axis, DRIVE_RADIUS * size, 1.5 * math.pi)
    beside = at + DRIVE_RADIUS * 0.6 * size * axis.zero
    return strokes.arrow(beside - 0.5 * size * axis.direction, beside + 0.5 * size * axis.direction)


def _bent_arrow(axis: JointAxis, radius: float, angle: float) -> Segments:
    tip = axis.origin + radius * strokes.turned(axis.direction, axis.zero, angle)
    along = strokes.turned(axis.direction, axis.zero, angle + 0.5 * math.pi - 0.2)
    head = strokes.arrow_head(tip, along, 0.35 * radius)
    return np.concatenate((strokes.arc(axis.origin, axis.direction, axis.zero, 0.0, angle, radius), head))


def draw_spring(placed: Placement, spring: SpringDamper) -> Segments:
    """A coil between the two points."""
    start, end = spring_ends(placed, spring)
    return strokes.coil(start, end, 0.07 * float(np.linalg.norm(end - start)))


def spring_ends(placed: Placement, spring: SpringDamper) -> tuple[Vector, Vector]:
    """Where a spring is held, (3,) m in the world each."""
    ends = []
    for name, point in ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b)):
        R, r = placed.pose(name)
        ends.append(r + R @ np.asarray(point))
    return ends[0], ends[1]


def bushing_frames(placed: Placement, bushing: Bushing) -> tuple[Frame, Frame]:
    """Frames a and b of a bushing in the world: rotation (3, 3) and origin (3,) m."""
    a, b = (
        marker_in_world(placed, body, (np.asarray(rotation), np.asarray(point)))
        for body, rotation, point in (
            (bushing.body_a, bushing.rotation_a, bushing.point_a),
            (bushing.body_b, bushing.rotation_b, bushing.point_b),
        )
    )
    return a, b


def draw_bushing(placed: Placement, bushing: Bushing, size: float) -> Segments:
    """A box in the axes of frame a about its origin, and a line to frame b where that is elsewhere."""
    (A, start), (_, end) = bushing_frames(placed, bushing)
    half = 0.15 * size * A.T
    corner = {key: start + (2.0 * np.asarray(key) - 1.0) @ half for key in np.ndindex(2, 2, 2)}
    edges = [
        strokes.line(at, corner[*key[:axis], 1, *key[axis + 1 :]])
        for key, at in corner.items()
        for axis in range(3)
        if key[axis] == 0
    ]
    return np.concatenate([*edges, strokes.line(start, end)])


def draw_coupler(axes: list[JointAxis], factors: list[float], places: list[Vector], size: float) -> Segments:
    """A line through the joints that are coupled, and a ring about each axis that turns: the pitch circle of a gear or
    pinion where its axes show it.
    """
    radii = _pitch_radii(axes, factors, places) or [COUPLER_RADIUS * size] * len(axes)
    drawn = [strokes.polyline(np.array(places))] if len(places) > 1 else [strokes.NONE]
    for axis, at, radius in zip(axes, places, radii, strict=True):
        if axis.turns:
            drawn.append(strokes.arc(at, axis.direction, axis.zero, 0.0, 2.0 * math.pi, radius))
    return np.concatenate(drawn)


def _pitch_radii(axes: list[JointAxis], factors: list[float], places: list[Vector]) -> list[float]:
    """Radii of two wheels that roll on each other outside, or of a wheel on a rack; empty for other couplers."""
    if len(axes) != 2 or not (axes[0].turns or axes[1].turns):
        return []
    along, sizes = float(axes[0].direction @ axes[1].direction), [abs(factor) for factor in factors]
    if axes[0].turns and axes[1].turns:
        apart = places[1] - places[0]
        distance = float(np.linalg.norm(np.cross(axes[0].direction, apart)))
        roll_outside = (
            abs(abs(along) - 1.0) < COSINE_TOLERANCE and along * factors[0] * factors[1] > 0.0 and distance > 0.0
        )
        return [distance * each / sum(sizes) for each in sizes] if roll_outside else []
    return [sizes[0] / sizes[1], sizes[1] / sizes[0]] if abs(along) < COSINE_TOLERANCE else []


def draw_joint_spring(axis: JointAxis, at: Vector, size: float) -> Segments:
    """A spiral about the axis, or a coil along it."""
    if not axis.turns:
        half = 0.5 * size * axis.direction
        return strokes.coil(at - half, at + half, 0.1 * size)
    angle = np.linspace(0.0, 4.0 * math.pi, 97)
    radius = SPRING_RADIUS * size * np.linspace(0.3, 1.0, 97)[:, None]
    return strokes.polyline(axis.origin + radius * strokes.turned(axis.direction, axis.zero, angle))
