"""The common normal of two surfaces: the equations of variants 1 and 2 (S4.22, S4.25), solved from a given start.

    n^a + λ₁ n^b = 0,  r^b − r^a = λ₂ n^a

are six equations for two parametric surfaces, with unknowns α, β of both and λ₁, λ₂, and eight for implicit ones, with
unknowns r^a, r^b, λ₁, λ₂ and h^a = h^b = 0 besides. Multiplied by two tangents of a they lose λ₁ and λ₂, and an
implicit surface keeps h = 0 by projection: what is left for either kind are four equations in two displacements along
each surface,

    t_i · (r^b − r^a) / s = 0,  t_i · n^b = 0,  i = 1, 2

with unit vectors throughout, so that neither the parameters' units nor the steepness of h matter; s is a length of the
smaller body. They are solved by least squares as Levenberg and Marquardt do, Newton's method with damping: also where
the solution is not unique (a face on a face) or far away.

In: places on both surfaces. Out: places with a common normal, or why there are none. A step is

    (1) taken where it lowers the mismatch: the damping falls, longer steps are allowed
    (2) shortened and damped more where it does not, where it leaves a surface, or where the surfaces no longer face
        each other (the mismatch is infinite there)

and the search ends (a) where the mismatch is rounding, (b) where it is small and no step lowers it, (c) where even the
shortest step lowers nothing, or (d) after too many steps; it has succeeded where the mismatch is then small enough.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.vectors import dot, row, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.smooth.surface_frame import accept, step_aside
from polycontact.kernels.smooth.surface_views import Located, SmoothSide, SurfaceFrame
from polycontact.kernels.views import View, inline
from polycontact.tolerances import (
    COMMON_NORMAL,
    COMMON_NORMAL_ROUNDING,
    DAMPING_AFTER_SUCCESS,
    FIRST_DAMPING,
    LEAST_DAMPING,
    ROUNDED_MISMATCH,
    SHORTEST_STEP,
    STILL_FACING,
)

_MOST_STEPS = 60
"""Trials of the damped method; a dozen suffice nearly always."""


class NormalEquations(View):
    """Work space: residual, Jacobian by displacements over s, normal equations of a damped step."""

    residual = inline(4, doc="of the current places")
    jacobian = inline(4, 4, doc="its derivatives")
    matrix = inline(4, 4, doc="JᵀJ, damped; then its factor")
    step = inline(4, doc="right-hand side; then displacements over s: two of E, two of F")


@inline_kernel
def _mismatch(a: SurfaceFrame, b: SurfaceFrame, s: float) -> float:
    """Sum of squares of the four equations; infinite where the surfaces do not face each other."""
    if not dot(as_vector(a.normal), as_vector(b.normal)) < STILL_FACING:
        return math.inf
    apart = sub(as_vector(b.point), as_vector(a.point))
    total = 0.0
    for i in range(2):
        t = row(a.tangents, i)
        total += (dot(t, apart) / s) ** 2 + dot(t, as_vector(b.normal)) ** 2
    return total


@kernel
def _linearise(a: SurfaceFrame, b: SurfaceFrame, s: float, work: NormalEquations) -> None:
    """The four equations and their derivatives; tangents of a turn with its normal and not about it."""
    F = work.residual
    J = work.jacobian
    n_a = as_vector(a.normal)
    n_b = as_vector(b.normal)
    apart = sub(as_vector(b.point), as_vector(a.point))
    for i in range(2):
        t = row(a.tangents, i)
        F[i] = dot(t, apart) / s
        F[2 + i] = dot(t, n_b)
        for j in range(2):
            turn = dot(t, row(a.turns, j))
            J[i, j] = (-1.0 if i == j else 0.0) - turn * dot(n_a, apart)
            J[i, 2 + j] = dot(t, row(b.tangents, j))
            J[2 + i, j] = -s * turn * dot(n_a, n_b)
            J[2 + i, 2 + j] = s * dot(t, row(b.turns, j))


@kernel
def _solve_damped(work: NormalEquations, damping: float) -> bool:
    """(JᵀJ + damping · its diagonal) step = −JᵀF by Cholesky; False where the matrix is not positive.

    The normal equations of weighted least squares: lower parts are filled, factored in place, and solved.
    """
    A = work.matrix
    x = work.step
    J = work.jacobian
    F = work.residual
    for i in range(4):
        x[i] = -(J[0, i] * F[0] + J[1, i] * F[1] + J[2, i] * F[2] + J[3, i] * F[3])
        for j in range(i + 1):
            A[i, j] = J[0, i] * J[0, j] + J[1, i] * J[1, j] + J[2, i] * J[2, j] + J[3, i] * J[3, j]
        A[i, i] *= 1.0 + damping
    # Cholesky in place, then forward and back substitution.
    for i in range(4):
        for j in range(i + 1):
            rest = A[i, j]
            for k in range(j):
                rest -= A[i, k] * A[j, k]
            if i == j:
                if not rest > 0.0:
                    return False
                A[i, i] = math.sqrt(rest)
            else:
                A[i, j] = rest / A[j, j]
    for i in range(4):
        for k in range(i):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]
    for i in range(3, -1, -1):
        for k in range(i + 1, 4):
            x[i] -= A[k, i] * x[k]
        x[i] /= A[i, i]
    return True


@kernel
def find_common_normal(e: SmoothSide, f: SmoothSide, pose: Pose, s: float, work: NormalEquations) -> int:
    """From the current places to a common normal nearby; REGULAR where one was found, else why not."""
    mismatch = _mismatch(e.current, f.current, s)
    damping = FIRST_DAMPING
    longest = 1.0  # over s; on a flat face Newton's own steps go to infinity
    trouble: int = Located.OFF
    there = math.inf
    _linearise(e.current, f.current, s, work)
    for _ in range(_MOST_STEPS):
        if mismatch <= COMMON_NORMAL_ROUNDING**2 or longest < SHORTEST_STEP:
            break  # (a), (c)
        better = False
        if _solve_damped(work, damping):
            step = work.step
            length = max(max(abs(step[0]), abs(step[1])), max(abs(step[2]), abs(step[3])))
            if length > longest:
                for i in range(4):
                    step[i] *= longest / length
            else:
                longest = length
            found = step_aside(e, pose, s * step[0], s * step[1])
            if found == Located.REGULAR:
                found = step_aside(f, pose, s * step[2], s * step[3])
            if found == Located.REGULAR:
                there = _mismatch(e.trial, f.trial, s)
                better = there < mismatch
            elif found != Located.OFF:
                trouble = found
        if better:  # (1)
            accept(e)
            accept(f)
            mismatch = there
            _linearise(e.current, f.current, s, work)
            damping = max(DAMPING_AFTER_SUCCESS * damping, LEAST_DAMPING)
            longest = min(4.0 * longest, 1.0)
        elif mismatch <= COMMON_NORMAL**2 * ROUNDED_MISMATCH:
            break  # (b)
        else:  # (2)
            damping *= 8.0
            longest *= 0.25
    return Located.REGULAR if mismatch <= COMMON_NORMAL**2 else trouble
