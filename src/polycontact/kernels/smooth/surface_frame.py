"""A place on a surface and what its surroundings look like: point, normal, tangents, how the normal turns.

Parametric and implicit surfaces look the same from here on. In: α and β, or a point near the surface. Out: a
`SurfaceFrame`, in frame E.
"""

from __future__ import annotations

import math

from polycontact.kernels.addresses import call_law
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.geometry.frames import apply, as_matrix, as_vector
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.smooth.surface_views import (
    ImplicitPoint,
    Located,
    ParametricPoint,
    SmoothSide,
    SmoothSurface,
    SurfaceFrame,
    SurfaceKind,
)
from polycontact.kernels.views import Doubles
from polycontact.tolerances import ON_THE_SURFACE, SINGULAR_PLACE

_MOST_PROJECTIONS = 40
"""Newton steps towards an implicit surface: a sum of 20th powers, met from outside, needs about twenty."""


@inline_kernel
def _write(array: Doubles, i: int, vector: Vector) -> None:
    """Write a vector to row i."""
    array[i, 0], array[i, 1], array[i, 2] = vector


@inline_kernel
def _set(array: Doubles, vector: Vector) -> None:
    array[0], array[1], array[2] = vector


@kernel
def frame_of_parametric(at: ParametricPoint, frame: SurfaceFrame) -> int:
    """Frame, in the axes of the surface, from a point with its derivatives; n = e_α × e_β (S4.22).

    NOT_FINITE where a number is none; SINGULAR where both tangents are nearly parallel, or one vanishes: the point is
    written all the same.
    """
    e_a = row(at.tangents, 0)
    e_b = row(at.tangents, 1)
    r_aa = row(at.bends, 0)
    r_ab = row(at.bends, 1)
    r_bb = row(at.bends, 2)
    n = cross(e_a, e_b)
    length = norm(n)
    together = norm(r_aa) + norm(r_ab) + norm(r_bb) + norm(e_a) * norm(e_b) + norm(as_vector(at.point))
    if not math.isfinite(together):
        return Located.NOT_FINITE
    _set(frame.point, as_vector(at.point))
    stretch = max(norm(e_a), norm(e_b))
    if not length > SINGULAR_PLACE * stretch * stretch:
        return Located.SINGULAR
    unit = scale(1.0 / length, n)
    t1 = scale(1.0 / norm(e_a), e_a)
    t2 = cross(unit, t1)
    # How the unit normal turns with α and β: the change of e_α × e_β, without its part along n, over its length.
    n_a = add(cross(r_aa, e_b), cross(e_a, r_ab))
    n_b = add(cross(r_ab, e_b), cross(e_a, r_bb))
    n_a = scale(1.0 / length, sub(n_a, scale(dot(n_a, unit), unit)))
    n_b = scale(1.0 / length, sub(n_b, scale(dot(n_b, unit), unit)))
    # α alone moves along t1; β moves along both.
    a_1 = 1.0 / norm(e_a)
    b_2 = 1.0 / dot(t2, e_b)
    a_2 = -dot(t1, e_b) * a_1 * b_2
    to_place = frame.to_place
    to_place[0, 0], to_place[0, 1], to_place[1, 0], to_place[1, 1] = a_1, 0.0, a_2, b_2
    _set(frame.normal, unit)
    _write(frame.tangents, 0, t1)
    _write(frame.tangents, 1, t2)
    _write(frame.turns, 0, scale(a_1, n_a))
    _write(frame.turns, 1, add(scale(a_2, n_a), scale(b_2, n_b)))
    return Located.REGULAR


@kernel
def frame_of_implicit(at: ImplicitPoint, frame: SurfaceFrame) -> int:
    """Frame, in the axes of the surface, from a point with h, gradient and second derivatives; n = grad h (S4.25)."""
    g = as_vector(at.gradient)
    H = as_matrix(at.hessian)
    length = norm(g)
    if not math.isfinite(length + norm(H[0]) + norm(H[1]) + norm(H[2]) + norm(as_vector(at.place))):
        return Located.NOT_FINITE
    if not length > 0.0:
        return Located.SINGULAR
    unit = scale(1.0 / length, g)
    t1 = cross(unit, (0.0, 0.0, 1.0) if abs(unit[2]) < 0.7 else (1.0, 0.0, 0.0))  # any tangent does
    t1 = scale(1.0 / norm(t1), t1)
    t2 = cross(unit, t1)
    turn_1 = scale(1.0 / length, apply(H, t1))
    turn_2 = scale(1.0 / length, apply(H, t2))
    _set(frame.point, as_vector(at.place))
    _set(frame.normal, unit)
    _write(frame.tangents, 0, t1)
    _write(frame.tangents, 1, t2)
    _write(frame.turns, 0, sub(turn_1, scale(dot(turn_1, unit), unit)))
    _write(frame.turns, 1, sub(turn_2, scale(dot(turn_2, unit), unit)))
    return Located.REGULAR


@kernel
def project(surface: SmoothSurface, at: ImplicitPoint, point_at: int, longest: float) -> int:
    """Move a point along the gradient onto the surface h = 0, by at most ``longest`` (m)."""
    place = at.place
    moved = 0.0
    for _ in range(_MOST_PROJECTIONS):
        call_law(surface.code, surface.parameters, point_at)
        g = as_vector(at.gradient)
        square = dot(g, g)
        if not math.isfinite(at.value + square):
            return Located.NOT_FINITE
        if square == 0.0:
            return Located.SINGULAR
        step = -at.value / square
        length = abs(at.value) / math.sqrt(square)
        if length <= ON_THE_SURFACE * surface.size:
            return Located.REGULAR
        moved += length
        if moved > longest:
            return Located.OFF
        for a in range(3):
            place[a] += step * g[a]
    return Located.OFF


@kernel
def locate(side: SmoothSide, frame: SurfaceFrame, pose: Pose, longest: float) -> int:
    """Fill in a frame at its place; a place beside an implicit surface moves onto it, by at most ``longest`` (m)."""
    surface = side.surface
    if surface.kind == SurfaceKind.PARAMETRIC:
        at = side.parametric
        at.chart = frame.chart
        at.alpha = frame.place[0]
        at.beta = frame.place[1]
        call_law(surface.code, surface.parameters, side.point_at)
        found = frame_of_parametric(at, frame)
    else:
        _set(side.implicit.place, as_vector(frame.place))
        found = project(surface, side.implicit, side.point_at, longest)
        if found == Located.REGULAR:
            _set(frame.place, as_vector(side.implicit.place))
            found = frame_of_implicit(side.implicit, frame)
    if found == Located.REGULAR and side.is_f == 1:
        R = as_matrix(pose.rotation)
        _set(frame.point, add(apply(R, as_vector(frame.point)), as_vector(pose.position)))
        _set(frame.normal, apply(R, as_vector(frame.normal)))
        for i in range(2):
            _write(frame.tangents, i, apply(R, row(frame.tangents, i)))
            _write(frame.turns, i, apply(R, row(frame.turns, i)))
    return found


@kernel
def step_aside(side: SmoothSide, pose: Pose, u: float, v: float) -> int:
    """Trial frame: the place from the current one by u and v (m) along its tangents, kept in the domain."""
    surface = side.surface
    now = side.current
    trial = side.trial
    trial.chart = now.chart
    if surface.kind == SurfaceKind.PARAMETRIC:
        for k in range(2):
            moved = now.place[k] + u * now.to_place[0, k] + v * now.to_place[1, k]
            lower = surface.domain[now.chart, k, 0]
            upper = surface.domain[now.chart, k, 1]
            if not math.isfinite(moved):
                return Located.NOT_FINITE
            if surface.periodic[now.chart, k] == 1:
                moved -= math.floor((moved - lower) / (upper - lower)) * (upper - lower)
            trial.place[k] = min(max(moved, lower), upper)
    else:
        step = add(scale(u, row(now.tangents, 0)), scale(v, row(now.tangents, 1)))
        if side.is_f == 1:
            R = pose.rotation
            for a in range(3):
                trial.place[a] = now.place[a] + R[0, a] * step[0] + R[1, a] * step[1] + R[2, a] * step[2]
        else:
            for a in range(3):
                trial.place[a] = now.place[a] + step[a]
    return locate(side, trial, pose, math.hypot(u, v))


@kernel
def accept(side: SmoothSide) -> None:
    """The trial frame becomes the current one."""
    now = side.current
    trial = side.trial
    now.chart = trial.chart
    for a in range(3):
        now.place[a] = trial.place[a]
        now.point[a] = trial.point[a]
        now.normal[a] = trial.normal[a]
        for i in range(2):
            now.tangents[i, a] = trial.tangents[i, a]
            now.turns[i, a] = trial.turns[i, a]
    for i in range(2):
        for j in range(2):
            now.to_place[i, j] = trial.to_place[i, j]
