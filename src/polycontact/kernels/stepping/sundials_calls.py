"""What CVODE and IDA call while they make a step: rates, residuals and Jacobians, by the address of the solver's view.

Each returns an `Answer`, which is what SUNDIALS expects: 0, or 1 where a shorter step is to be tried, or -1.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import Interface, bytes_at, data_address, doubles_at, ints_at, longs_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.stepping.block_solver import factorise_blocks, solve_blocks
from polycontact.kernels.stepping.difference_jacobian import call_jacobian
from polycontact.kernels.stepping.equations import Answer, find_rates
from polycontact.kernels.stepping.linked_blocks import Blocks, blocks_at
from polycontact.kernels.stepping.sundials_steps import SundialsSolver, goes_too_far, solver_at

RATES_CALL = Interface("int", ("double", "long", "long", "long"))
"""f(t, y, out, solver)"""
JACOBIAN_CALL = Interface("int", ("double", *7 * ("long",)))
"""jacobian(t, y, rates, matrix, solver, three vectors for work)"""
RESIDUAL_CALL = Interface("int", ("double", *4 * ("long",)))
"""residual(t, y, slope, out, solver)"""
IDA_JACOBIAN_CALL = Interface("int", ("double", "double", *8 * ("long",)))
"""jacobian(t, cj, y, slope, residual, matrix, solver, three vectors for work)"""
MATRIX_CALL = Interface("int", ("double", "long", "long", "long", "int", "long", "double", *4 * ("long",)))
"""matrix(t, y, rates, matrix, is_jacobian_kept, is_new, gamma, solver, three vectors for work)"""
SET_UP = Interface("int", ("long", "long"))
"""set_up(linear solver, matrix)"""
SOLVE = Interface("int", ("long", "long", "long", "long", "double"))
"""solve(linear solver, matrix, solution, right-hand side, tolerance)"""
ERROR_CALL = Interface("long", ("int", "long", "long", "long", "int", "long", "long"))
"""handler(line, function, file, message, code, solver, context)"""

_long = types.int64
_data_of = Interface("long", ("long",)).caller()


@kernel
def _write_jacobian(solver: SundialsSolver, t: float, y: int, rates: int, out: int) -> int:
    """df/dy at t (s), for addresses of the numbers of y, of f there, and of a matrix of zeros."""
    if solver.jacobian == 0:
        return Answer.WELL.value
    answer = call_jacobian(solver.jacobian, solver.jacobian_place, t, y, rates, out)
    if answer == Answer.WELL:
        solver.jacobians += 1
    elif answer == Answer.RAISED:
        solver.equations.has_raised = 1
    return int(answer)


@entry_kernel((types.float64, _long, _long, _long))
def cvode_rates(t: float, y: int, out: int, place: int) -> int:
    """dy/dt for CVODE; an attempt that goes too far is broken off, which CVODE undoes as after any failed one."""
    solver = solver_at(place)
    if goes_too_far(solver, t):
        return Answer.RAISED.value
    data = solver.functions.data_of_vector
    return find_rates(
        solver.equations, t, doubles_at(_data_of(data, y), solver.n), doubles_at(_data_of(data, out), solver.n)
    )


@entry_kernel((types.float64, *7 * (_long,)))
def cvode_jacobian(t: float, y: int, rates: int, matrix: int, place: int, first: int, second: int, third: int) -> int:
    """df/dy for CVODE, in a matrix of zeros."""
    solver = solver_at(place)
    data = solver.functions.data_of_vector
    out = _data_of(solver.functions.data_of_matrix, matrix)
    return _write_jacobian(solver, t, _data_of(data, y), _data_of(data, rates), out)


@entry_kernel((types.float64, *4 * (_long,)))
def ida_residual(t: float, y: int, slope: int, out: int, place: int) -> int:
    """y' - f(t, y) for IDA."""
    solver = solver_at(place)
    data, n = solver.functions.data_of_vector, solver.n
    residual, given = doubles_at(_data_of(data, out), n), doubles_at(_data_of(data, slope), n)
    answer = find_rates(solver.equations, t, doubles_at(_data_of(data, y), n), residual)
    for i in range(n):
        residual[i] = given[i] - residual[i]
    return answer


@entry_kernel((types.float64, types.float64, *8 * (_long,)))
def ida_jacobian(
    t: float, cj: float, y: int, slope: int, residual: int, matrix: int, place: int, first: int, second: int, third: int
) -> int:
    """cj I - df/dy for IDA, where cj is the derivative of the slope by the state, 1/s.

    IDA has just evaluated the residual here: f is known, without the rounding of slope - residual.
    """
    solver = solver_at(place)
    data, n = solver.functions.data_of_vector, solver.n
    rates = solver.differences.rates
    rates[:] = solver.equations.last_rates
    if solver.equations.last_time != t:
        given, left = doubles_at(_data_of(data, slope), n), doubles_at(_data_of(data, residual), n)
        for i in range(n):
            rates[i] = given[i] - left[i]
    if solver.blocks != 0:
        blocks = blocks_at(solver.blocks)
        blocks.gamma, blocks.scale = 1.0 / cj, cj
        return _write_jacobian(solver, t, _data_of(data, y), data_address(rates), 0)
    place_out = _data_of(solver.functions.data_of_matrix, matrix)
    answer = _write_jacobian(solver, t, _data_of(data, y), data_address(rates), place_out)
    out = doubles_at(place_out, n * n)
    for i in range(n * n):
        out[i] = -out[i]
    for i in range(n):
        out[i * (n + 1)] += cj
    return answer


# Solutions by blocks ---------------------------------------------------------------------------------------------


@entry_kernel((types.float64, _long, _long, _long, types.int32, _long, types.float64, *4 * (_long,)))
def cvode_matrix(
    t: float,
    y: int,
    rates: int,
    matrix: int,
    is_kept: int,
    is_new: int,
    gamma: float,
    place: int,
    first: int,
    second: int,
    third: int,
) -> int:
    """I - γ df/dy for CVODE, by blocks; ``is_kept``: with the last df/dy. ``is_new``: whether that is new."""
    solver = solver_at(place)
    data = solver.functions.data_of_vector
    blocks_at(solver.blocks).gamma = gamma
    told = ints_at(is_new, 1)
    told[0] = 0
    if is_kept != 0:
        return Answer.WELL.value
    told[0] = 1
    return _write_jacobian(solver, t, _data_of(data, y), _data_of(data, rates), 0)


@kernel
def _blocks_of(linear_solver: int) -> Blocks:
    """The `Blocks` of a linear solver of our own: it begins with the address of its content."""
    return blocks_at(longs_at(linear_solver, 1)[0])


@entry_kernel((_long, _long))
def set_up_blocks(linear_solver: int, matrix: int) -> int:
    """Factors of I - γ df/dy; 1 where there are none, with which a shorter step is tried."""
    return 0 if factorise_blocks(_blocks_of(linear_solver)) else 1


@entry_kernel((_long, _long, _long, _long, types.float64))
def solve_by_blocks(linear_solver: int, matrix: int, solution: int, given: int, tolerance: float) -> int:
    """Solve with these factors."""
    blocks = _blocks_of(linear_solver)
    data, n = blocks.data_of_vector, blocks.n
    solve_blocks(blocks, doubles_at(_data_of(data, given), n), doubles_at(_data_of(data, solution), n))
    return 0


@entry_kernel((types.int32, _long, _long, _long, types.int32, _long, _long))
def keep_message(line: int, function: int, file: int, message: int, code: int, place: int, context: int) -> int:
    """Keep what the library says of an error."""
    solver = solver_at(place)
    n = 0
    while n < solver.n_said - 1:
        character = bytes_at(message + n, 1)[0]
        if character == 0:
            break
        solver.said[n] = character
        n += 1
    solver.said[n] = 0
    return n
