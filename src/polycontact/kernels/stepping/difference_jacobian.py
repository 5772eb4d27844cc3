"""df/dy by forward differences: what an implicit integrator gets where nobody knows more.

Only the first n of N components influence f, so a Jacobian costs n evaluations, or fewer where a sparsity mask lets
several columns be perturbed at once (Curtis, Powell and Reid, On the estimation of sparse Jacobian matrices, 1974).
The matrix is written column by column, as SUNDIALS keeps it.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import Interface, doubles_at
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.stepping.equations import Answer, Equations, find_rates
from polycontact.kernels.views import View, cast_to, count, doubles, ints, number, reference
from polycontact.tolerances import DIFFERENCE_INCREMENT

JACOBIAN = Interface("long", ("long", "double", "long", "long", "long"))
"""jacobian(place, t, y, rates, out): writes df/dy at t (s) and y, where f is ``rates``, to the N×N numbers at ``out``,
column after column, which are zero before; an `Answer`. ``place``: address of whatever it needs."""

call_jacobian = JACOBIAN.caller()


class Differences(View):
    """What differences of the rates need."""

    equations = reference(Equations)
    n = count("states")
    n_columns = count("states that influence the rates: the first ones")
    n_groups = count("columns that are perturbed together count as one")
    is_sparse = count("1 where a mask tells which entries differ from zero")
    n_mask = count("numbers of the mask")
    evaluations = count("evaluations for Jacobians so far")
    from_time = number("end of the last accepted step: how far the states move sets the increments", unit="s")
    typical = doubles("n_columns", doc="sizes of the states below which they count as this large")
    increment = doubles("n_columns", doc="by how much each state is perturbed")
    group = ints("n_columns", doc="number of the group of each column, ascending from 0 by first columns")
    mask = ints("n_mask", doc="1 where df_i/dy_j may differ from zero, row by row")
    perturbed = doubles("n", doc="the state, perturbed")
    changed = doubles("n", doc="its rates")
    rates = doubles("n", doc="rates at the state that is not perturbed, of IDA")


differences_at = cast_to(Differences)
"""``differences_at(place)``: the `Differences` at an address."""


@inline_kernel
def increment_of(y: float, change: float, typical: float) -> float:
    """Relative to the largest of |y|, its typical size and its change in a step, and with that change's sign.

    A difference of two floating-point numbers, so that y + increment is exact.
    """
    size = max(max(abs(y), abs(change)), typical)
    return (y + math.copysign(DIFFERENCE_INCREMENT * size, change)) - y


@kernel
def _write_group(differences: Differences, group: int, rates: Array, out: Array) -> None:
    """Columns of a group from the rates that its perturbation has changed."""
    n = differences.n
    for j in range(differences.n_columns):
        if differences.group[j] != group:
            continue
        for i in range(n):
            if differences.is_sparse == 0 or differences.mask[i * differences.n_columns + j] != 0:
                out[j * n + i] = (differences.changed[i] - rates[i]) / differences.increment[j]


@kernel
def write_differences(differences: Differences, t: float, y: Array, rates: Array, out: Array) -> int:
    """df/dy at t (s) and y, where f is ``rates``, into the columns of ``out``; an `Answer`."""
    if math.isnan(rates[0]):  # the attempt fails anyway
        return Answer.NOT_FINITE.value
    step = t - differences.from_time
    perturbed = differences.perturbed
    perturbed[:] = y
    for j in range(differences.n_columns):
        differences.increment[j] = increment_of(y[j], step * rates[j], differences.typical[j])
    before = differences.equations.evaluations
    for group in range(differences.n_groups):
        for j in range(differences.n_columns):
            if differences.group[j] == group:
                perturbed[j] += differences.increment[j]
        answer = find_rates(differences.equations, t, perturbed, differences.changed)
        if answer != Answer.WELL:
            return answer
        _write_group(differences, group, rates, out)
        for j in range(differences.n_columns):
            if differences.group[j] == group:
                perturbed[j] = y[j]
    differences.evaluations += differences.equations.evaluations - before
    return Answer.WELL.value


@entry_kernel((types.int64, types.float64, types.int64, types.int64, types.int64))
def difference_jacobian(place: int, t: float, y: int, rates: int, out: int) -> int:
    """`write_differences` by the address of its `Differences`, see `JACOBIAN`."""
    differences = differences_at(place)
    n = differences.n
    return write_differences(differences, t, doubles_at(y, n), doubles_at(rates, n), doubles_at(out, n * n))
