"""df/dy of a multibody system: slopes of its contacts, found once, and differences of the dynamics alone.

A difference of all rates would evaluate each contact for each state. Here each is evaluated once, with its slope, and
the columns are differences of rates in which the wrenches follow these slopes (`dynamics.contact_slopes`).
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import doubles_at, longs_at
from polycontact.kernels.dynamics.contact_slopes import ContactSlopes, find_slopes
from polycontact.kernels.dynamics.evaluation_views import Status
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.right_hand_side import end, move
from polycontact.kernels.dynamics.system_row import system_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.stepping.difference_jacobian import Differences, write_differences
from polycontact.kernels.stepping.equations import Answer, Equations, call_help
from polycontact.kernels.stepping.linked_blocks import Blocks
from polycontact.kernels.views import View, cast_to, nested, reference


class SystemJacobian(View):
    """What df/dy of a system needs."""

    equations = reference(Equations)
    differences = reference(Differences)
    slopes = nested(ContactSlopes)
    blocks = nested(Blocks)


jacobian_at = cast_to(SystemJacobian)
"""``jacobian_at(place)``: the `SystemJacobian` at an address."""


@kernel
def find_slopes_at(equations: Equations, slopes: ContactSlopes, t: float, y: Array) -> int:
    """Slopes of the contacts at t (s) and y; Python gives memory to pairs that need it. An `Answer`."""
    s = system_at(equations.system)
    answer = Answer.WELL.value
    while answer == Answer.WELL:
        status = move(longs_at(equations.system, 1), t, y)
        if status == Status.WELL:
            pair = find_slopes(s.shapes, s.pairs, s.contacts, slopes)
            if pair < 0:
                s.ending.evaluations += slopes.calls
                return Answer.WELL.value
            status = end(s.ending, Status.HEED_PAIR, pair)
        answer = call_help(equations.help, equations.place, status, t)
    return answer


@entry_kernel((types.int64, types.float64, types.int64, types.int64, types.int64))
def system_jacobian(place: int, t: float, y: int, rates: int, out: int) -> int:
    """df/dy by the address of a `SystemJacobian`, see `JACOBIAN`."""
    jacobian = jacobian_at(place)
    n = jacobian.differences.n
    state = doubles_at(y, n)
    if math.isnan(doubles_at(rates, n)[0]):  # the attempt fails anyway
        return Answer.NOT_FINITE.value
    answer = find_slopes_at(jacobian.equations, jacobian.slopes, t, state)
    if answer != Answer.WELL:
        return answer
    differences, calls = jacobian.differences, jacobian.slopes.calls
    before = differences.evaluations
    answer = write_differences(differences, t, state, doubles_at(rates, n), doubles_at(out, n * n))
    differences.evaluations = before + calls  # those of the dynamics alone do not count
    jacobian.equations.evaluations += calls
    return answer
