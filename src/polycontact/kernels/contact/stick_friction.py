"""Friction that sticks: springs to anchors that slip at Coulomb's limit (S2.15, S2.16; decision 0021).

Problem: a body on a slope must stay where it is for as long as one likes, let go under slip and spin at once as
Coulomb's friction has it, and roll freely. In: elements with normal forces and slip velocities, and what is remembered
of each. Out: tangential forces added to those of the elements, torques about their normals, elastic energy.

         body F             Of each element a point on E (in E) and one on F (in F) are remembered, which would lie on
      ------o f ------      each other were the spring relaxed; also the normal there in both frames, and, where spin
          ~~~~ q            is resisted, a direction on each. The stretch q is how far f has moved over e, along the
      --o e ----------      element, and its twist times the spin radius: one vector of three numbers, so that slip
         body E             and spin share one limit.

For each element:

    (1) it is known from the last accepted step -> its stretch
    (2) it is new, another part of its triangle was in contact -> the stretch of that
    (3) it is new -> relaxed
    (4) the stretch is longer than Coulomb's limit μ F_n / stiffness -> it is shortened to that: the anchor slips
    (5) a damper acts beside the spring; the sum is limited again

The anchor slips before the damper is added, so that an accepted state, evaluated again, gives the same force. Anchors
are taken anew at every accepted step, where the element is then, with the same stretch: so bodies may roll on each
other without stretching a spring between points that roll apart.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import ElementMemory, Pose, as_header, as_law
from polycontact.kernels.contact.element_memory import element_key, find_sibling
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.frames import Matrix, apply, apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles, View, cast_to, number
from polycontact.tolerances import ASIDE, AT_THE_LIMIT, NO_WAY_OF_A_STEP, SMALL_ARC

Stretch = tuple[Vector, float]
"""Slip of F against E since the spring was relaxed, along the element, m, and its twist times the spin radius, m."""


class StickParameters(View):
    """Parameters of friction that sticks."""

    coefficient = number("μ")
    stiffness = number("S", "N/m³ per area, N/m for a point")
    damping = number("damping of what sticks", "N s/m³ per area, N s/m for a point")
    spin_radius = number("ρ; 0: spin is not resisted", "m")


as_stick_parameters = cast_to(StickParameters)


@inline_kernel
def _three(values: Doubles, i: int, first: int) -> Vector:
    """Three numbers of row i from a column on."""
    return (values[i, first], values[i, first + 1], values[i, first + 2])


@inline_kernel
def _store(values: Doubles, i: int, first: int, a: Vector) -> None:
    """Write three numbers of row i from a column on."""
    for c in range(3):
        values[i, first + c] = a[c]


@inline_kernel
def _along(a: Vector, n: Vector) -> Vector:
    """The part of a that is square to the unit vector n."""
    return sub(a, scale(dot(a, n), n))


@inline_kernel
def _some_tangent(n: Vector) -> Vector:
    """A unit vector square to the unit vector n: the same for the same n, whatever came before."""
    t = (1.0, 0.0, 0.0) if abs(n[0]) < ASIDE else (0.0, 1.0, 0.0)
    t = _along(t, n)
    return scale(1.0 / norm(t), t)


@inline_kernel
def _length(q: Stretch) -> float:
    """Length of a stretch, slip and twist together, m."""
    return math.sqrt(dot(q[0], q[0]) + q[1] * q[1])


@inline_kernel
def _inner(p: Stretch, q: Stretch) -> float:
    """Inner product of two stretches, or of a force and a rate."""
    return dot(p[0], q[0]) + p[1] * q[1]


@inline_kernel
def _within(q: Stretch, limit: float) -> Stretch:
    """q, shortened to a length where it is longer; forces are limited by it too."""
    length = _length(q)
    if length <= limit:
        return q
    return (scale(limit / length, q[0]), limit / length * q[1])


@inline_kernel
def _arc_over_chord(before: Vector, now: Vector) -> float:
    """How much longer the way of a contact over a round body is than the part of its chord in the plane, less 1.

    φ/sin φ − 1 for unit normals of the body at both ends, φ apart; the first term of its series for a small φ. 0 where
    they are more than 60° apart: that is no way of one step but a jump to another face.
    """
    if dot(before, now) < NO_WAY_OF_A_STEP:
        return 0.0
    sine = norm(cross(before, now))
    return sine * sine / 6.0 if sine < SMALL_ARC else math.asin(min(sine, 1.0)) / sine - 1.0


@kernel
def _stretch_of(values: Doubles, i: int, R: Matrix, r: Vector, n: Vector, rho: float, x: Vector) -> Stretch:
    """Stretch of the spring with the anchors of row i, at the pose R, r of F in E, for an element at x with normal n.

    The slip of a step is the way of the contact over E less that over F. Ways are computed from chords, and lengthened
    where a body is round: otherwise a ball that rolls by θ in a step would seem to slip by θ²/6 of its way.
    """
    on_e, on_f = _three(values, i, 0), _three(values, i, 3)
    slip = sub(add(apply(R, on_f), r), on_e)
    over_e = scale(_arc_over_chord(_three(values, i, 6), n), sub(x, on_e))
    moved = sub(sub(x, r), apply(R, on_f))
    over_f = scale(_arc_over_chord(_three(values, i, 9), apply_transposed(R, n)), moved)
    slip = _along(add(slip, sub(over_e, over_f)), n)
    if rho == 0.0:
        return (slip, 0.0)
    on_e = _along(_three(values, i, 12), n)
    on_f = _along(apply(R, _three(values, i, 15)), n)
    return (slip, rho * math.atan2(dot(n, cross(on_e, on_f)), dot(on_e, on_f)))


@kernel
def _anchor(values: Doubles, i: int, R: Matrix, r: Vector, n: Vector, rho: float, x: Vector, q: Stretch) -> None:
    """Write anchors at the point x (frame E) of an element whose spring is stretched by q: `_stretch_of` gives q back.

    Columns: point on E, point on F, normal in E, normal in F; where spin is resisted, a direction on E and one on F.
    """
    _store(values, i, 0, sub(x, q[0]))
    _store(values, i, 3, apply_transposed(R, sub(x, r)))
    _store(values, i, 6, n)
    _store(values, i, 9, apply_transposed(R, n))
    if rho > 0.0:
        t = _some_tangent(n)
        twist = q[1] / rho
        _store(values, i, 12, sub(scale(math.cos(twist), t), scale(math.sin(twist), cross(n, t))))
        _store(values, i, 15, apply_transposed(R, t))


@kernel
def stick(elements: ElementTable, parameters: StickParameters, memory: ElementMemory, pose: Pose) -> None:
    """Friction of every element, added to its force; torques where spin is resisted; energy of the springs.

    Cases (1) to (5) of the head of this file. After `find_motion` and the normal law; ``memory.trial`` gets anchors.
    """
    mu = parameters.coefficient
    rho = parameters.spin_radius
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    w = as_vector(pose.angular_velocity)
    force = elements.force
    elements.spins = 1 if rho > 0.0 else 0
    for k in range(elements.n):
        n_k = row(elements.common_normal, k)
        x_k = row(elements.position, k)
        # Of a flank only a part rubs: its springs are as much weaker as its load is smaller.
        pressed = elements.normal_force[k]
        rubs = elements.friction_load[k] / pressed if pressed > 0.0 else 0.0
        area = rubs * elements.share * elements.weight[k] * elements.area[k]
        spring = parameters.stiffness * area
        limit = mu * elements.friction_load[k]
        q = ((0.0, 0.0, 0.0), 0.0)
        if memory.known[k] != 0:  # (1)
            q = _stretch_of(memory.trial, k, R, r, n_k, rho, x_k)
        else:
            sibling = find_sibling(memory, element_key(elements, k))
            if sibling >= 0:  # (2), else (3)
                q = _stretch_of(memory.values, sibling, R, r, n_k, rho, x_k)
        q = _within(q, limit / spring if spring > 0.0 else 0.0)  # (4) (S2.16)
        _anchor(memory.trial, k, R, r, n_k, rho, x_k, q)

        # (5)
        slip = row(elements.slip, k)
        rate = (slip, rho * dot(w, n_k))
        damper = parameters.damping * area
        pull = (add(scale(spring, q[0]), scale(damper, slip)), spring * q[1] + damper * rate[1])
        pull = _within(pull, limit)
        for a in range(3):
            force[k, a] += pull[0][a]
        elements.energy[k] += 0.5 * spring * _inner(q, q)

        # What the spring does not take is lost: all of it where the anchor slips.
        into_spring = spring * _inner(q, rate)
        if into_spring > 0.0 and spring * _length(q) >= limit * (1.0 - AT_THE_LIMIT):
            into_spring = 0.0
        lost = _inner(pull, rate) - into_spring
        speed = norm(slip)
        if rho > 0.0:
            elements.spin_torque[k] = rho * pull[1]
            elements.spin_loss[k] = lost
        elif speed > 0.0:
            elements.friction_force[k] = lost / speed


@entry_kernel((types.int64, types.int64))
def stick_at(row: int, law: int) -> int:
    """`stick`, called with the addresses of a contact header and of a law's part."""
    header, own = as_header(row), as_law(law)
    stick(header.elements, as_stick_parameters(own.parameters), own.memory, header.pose)
    return 0


STICK_AT = address_of(stick_at)
