"""dy/dt as an integrator sees it: counted, with one answer to everything that is not finite, and what was seen.

The rates come by an address: of compiled code for a system, of a function that calls Python where users' elements take
part, or of any function of (t, y, out). Where a system needs Python in between (memory for a pair that has come near),
it is asked for by an address too, and the evaluation is repeated.
"""

from __future__ import annotations

import math
from enum import IntEnum

from polycontact.kernels.addresses import Interface, data_address
from polycontact.kernels.dynamics.evaluation_views import PairContacts, Status
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.system_row import system_at
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, count, doubles, ints, number

RATES = Interface("long", ("long", "double", "long", "long"))
"""rates(system, t, y, out): writes dy/dt to the numbers at ``out``; a `Status` of the dynamics, or `RAISED`."""
HELP = Interface("long", ("long", "long", "double"))
"""help(equations, what, t): Python does what a status, or `TELL_TROUBLE`, asks for; an `Answer`."""

RAISED = -1
"""Python has raised an error, which it keeps until it is in control again."""
TELL_TROUBLE = -2
"""The first call since the last accepted step whose result was not finite: Python notes why."""
LOOK_UP = -3
"""Python is called for nothing but to hear interrupts: a step with many evaluations may take long."""


class Answer(IntEnum):
    """How an evaluation goes on."""

    RAISED = RAISED  # not at all
    WELL = 0  # it is repeated
    NOT_FINITE = 1  # there are no rates here: a shorter step may avoid it


call_rates = RATES.caller()
call_help = HELP.caller()


class Equations(View):
    """What an integrator integrates, and what its calls have shown."""

    place = count("address of this view")
    n = count("states")
    n_influencing = count("first states, on which alone the rates depend")
    system = count("address of the `SystemView`; 0 where there is none or Python evaluates it")
    entry = count("address of the rates, see `RATES`")
    help = count("address of what Python does, see `HELP`")
    evaluations = count("calls")
    is_not_finite = count("1 where a state or a rate was not finite since this was last set to 0")
    has_raised = count("1 where Python has raised an error, which it keeps")
    is_told = count("1 where Python knows why since the last accepted step")
    look_every = count("evaluations after which Python looks up in the middle of a step; 0: never")
    look_at = count("number of evaluations at which it does so next")
    n_watched = count("pairs of which is noted whether they touched")
    last_time = number("time of the last call", unit="s")
    last_rates = doubles("n", doc="what it found")
    touched = ints("n_watched", doc="1 for pairs that touched at a call since these were last set to 0")
    parted = ints("n_watched", doc="1 for pairs that did not")


equations_at = cast_to(Equations)
"""``equations_at(place)``: the `Equations` at an address."""


@inline_kernel
def all_finite(values: Array) -> bool:
    """Whether all numbers are finite: their sum of squares is, or where only that is too large, each of them."""
    total = 0.0
    for i in range(len(values)):
        total += values[i] * values[i]
    finite = math.isfinite(total)
    if not finite:
        finite = True
        for i in range(len(values)):
            finite = finite and math.isfinite(values[i])
    return finite


@kernel
def _watch(contacts: PairContacts, equations: Equations) -> None:
    """Note which pairs touched at this call, and which did not."""
    for pair in range(equations.n_watched):
        if contacts.area[pair] > 0.0:
            equations.touched[pair] = 1
        else:
            equations.parted[pair] = 1


@inline_kernel
def _is_interrupted(equations: Equations, t: float) -> bool:
    """Let Python look up, where it is time for that; whether it has raised an error, such as an interrupt."""
    if equations.look_every == 0 or equations.evaluations < equations.look_at:
        return False
    equations.look_at = equations.evaluations + equations.look_every
    return bool(call_help(equations.help, equations.place, LOOK_UP, t) == Answer.RAISED)


@kernel
def find_rates(equations: Equations, t: float, y: Array, out: Array) -> int:
    """dy/dt at t (s) into ``out``, not a number where there is none; an `Answer`, `Answer.RAISED` of an interrupt too.

    A state that is not finite comes from such rates, inside an attempt that fails anyway: it is not evaluated.
    """
    answer = Answer.NOT_FINITE.value
    if _is_interrupted(equations, t):
        answer = Answer.RAISED.value
    elif all_finite(y):
        equations.evaluations += 1
        equations.last_time = t
        answer = call_rates(equations.entry, equations.system, t, data_address(y), data_address(out))
        # Where the evaluation needs memory or attention, Python gives it, and the evaluation is repeated.
        while answer > Status.WELL:
            answer = call_help(equations.help, equations.place, answer, t)
            if answer != Answer.WELL:
                break
            answer = call_rates(equations.entry, equations.system, t, data_address(y), data_address(out))
        if answer == Answer.WELL and not all_finite(out):
            answer = Answer.NOT_FINITE.value
            if equations.is_told == 0:
                call_help(equations.help, equations.place, TELL_TROUBLE, t)
                equations.is_told = 1
        if equations.n_watched > 0 and equations.system != 0:
            _watch(system_at(equations.system).contacts, equations)
    if answer == Answer.NOT_FINITE:
        equations.is_not_finite = 1
        out[:] = math.nan
    elif answer == Answer.RAISED:
        equations.has_raised = 1
    equations.last_rates[:] = out
    return answer
