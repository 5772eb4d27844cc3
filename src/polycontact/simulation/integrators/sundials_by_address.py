"""CVODE and IDA by the addresses of their C functions: steps without Python, besides what f itself takes.

CVODE: variable-order BDF with Newton's method for stiff problems, Adams with functional iteration for others. IDA:
variable-order BDF for implicit systems, here with the residual y' - f(t, y). The steps are in
`kernels/stepping/sundials_steps.py`; here is what makes the library ready, and the interface of all integrators.

Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, 2005.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError
from polycontact.kernels.addresses import c_address_of
from polycontact.kernels.stepping.difference_jacobian import JACOBIAN, Differences, difference_jacobian
from polycontact.kernels.stepping.equations import Answer
from polycontact.kernels.stepping.sundials_calls import (
    ERROR_CALL,
    IDA_JACOBIAN_CALL,
    JACOBIAN_CALL,
    MATRIX_CALL,
    RATES_CALL,
    RESIDUAL_CALL,
    SET_UP,
    SOLVE,
    cvode_jacobian,
    cvode_matrix,
    cvode_rates,
    ida_jacobian,
    ida_residual,
    keep_message,
    set_up_blocks,
    solve_by_blocks,
)
from polycontact.kernels.stepping.sundials_steps import (
    StepEnd,
    SundialsSolver,
    count_all,
    go_on_from,
    state_at,
    step_once,
)
from polycontact.simulation.integrators.failure_reasons import FailureReason
from polycontact.simulation.integrators.given_jacobian import GivenJacobian
from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics
from polycontact.simulation.integrators.interface import Integrator
from polycontact.simulation.integrators.jacobian import UNKNOWN_SIZE, column_groups
from polycontact.simulation.integrators.problem import InitialValueProblem, shortest_step
from polycontact.simulation.integrators.rates_by_address import RatesByAddress, numbers_in, state_in
from polycontact.simulation.integrators.stiffness_looks import StiffnessLooks
from polycontact.simulation.integrators.sundials import MAX_CONVERGENCE_FAILURES, REASONS
from polycontact.simulation.integrators.sundials_library import SundialsMemory, sundials_library
from polycontact.simulation.weak_calls import weakly

Array = NDArray[np.float64]

LONGEST_MESSAGE = 400
"""Characters of a message of SUNDIALS that are kept."""

_ADDRESS, _DOUBLE, _INT = ctypes.c_void_p, ctypes.c_double, ctypes.c_int


class AddressedIntegrator(Integrator):
    """One step of CVODE or IDA at a time, made by compiled code."""

    keeps_jacobian = True
    by_address = True
    prefix: ClassVar[str]
    step_function: ClassVar[str]
    greatest_order: ClassVar[int]

    def __init__(self, problem: InitialValueProblem) -> None:
        self._problem = problem
        library = sundials_library()
        assert library is not None
        own_rates = getattr(problem.function, "by_address", None)
        self.rates: RatesByAddress = (
            RatesByAddress(len(problem.state), problem.jacobian_size, problem.function)
            if own_rates is None
            else own_rates
        )
        self._library = SundialsMemory(library, self.prefix)
        self.view = view = SundialsSolver()
        view.place = view.address
        view.equations = self.rates.view
        view.differences = _differences(problem, self.rates)
        view.reserve(n=len(problem.state), n_scratch=1, n_said=LONGEST_MESSAGE)
        view.y[:] = view.y_old[:] = view.reached[:] = problem.state
        view.t = view.t_old = problem.start_time
        view.end_time = problem.end_time
        view.growing_part = self._growing_part
        view.relative, view.absolute[:] = problem.mean_square_tolerances()
        self._jacobian_states: dict[int, Array] = {}
        self._jacobian_outs: dict[int, Array] = {}
        self._choose_jacobian()
        self._set_up()
        super().__init__(problem)

    # Making it ready --------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        """Let the library allocate its memory, and tell it tolerances, limits and what to call."""
        view, own, problem = self.view, self._library, self._problem
        settings = problem.settings
        view.reached_vector = own.vector(view.reached)
        view.slope_vector = own.vector(view.slope)
        view.looked_vector = own.vector(view.looked)
        own.tell_errors(c_address_of(keep_message, ERROR_CALL), view.place)
        self._create()
        own.call("SetUserData", _ADDRESS(view.place))
        own.call("SVtolerances", _DOUBLE(view.relative), _ADDRESS(own.vector(view.absolute)))
        if view.blocks == 0:
            own.add_dense_solver(view.n, view.reached_vector)
        else:
            own.add_own_solver(view.blocks, c_address_of(set_up_blocks, SET_UP), c_address_of(solve_by_blocks, SOLVE))
        self._set_jacobian()
        longest = min(settings.max_step, problem.end_time - problem.start_time)
        view.longest_step, view.first_step = longest, settings.first_step or 0.0
        own.call("SetInitStep", _DOUBLE(view.first_step))
        own.call("SetMinStep", _DOUBLE(shortest_step(problem.start_time, problem.end_time)))
        own.call("SetMaxStep", _DOUBLE(longest))
        order = settings.order
        own.call("SetMaxOrd", _INT(self.greatest_order if order is None else min(order, self.greatest_order)))
        own.call("SetMaxConvFails", _INT(MAX_CONVERGENCE_FAILURES))
        functions = view.functions
        functions.step = own.library.address(self.step_function)
        functions.next_step = own.address("GetCurrentStep")
        functions.set_stop = own.address("SetStopTime")
        functions.clear_stop = own.address("ClearStopTime")
        functions.look_back = own.address("GetDky")
        functions.restart = own.address("ReInit")
        functions.set_first_step = own.address("SetInitStep")
        functions.error_failures = own.address("GetNumErrTestFails")
        functions.solver_failures = own.address("GetNumStepSolveFails")
        functions.iterations = own.address("GetNumNonlinSolvIters")
        functions.order = own.address("GetLastOrder")
        functions.data_of_vector = own.library.address("N_VGetArrayPointer")
        functions.data_of_matrix = own.library.address("SUNDenseMatrix_Data")

    def _create(self) -> None:
        """Make the library's integrator at the start."""
        raise NotImplementedError

    def _set_jacobian(self) -> None:
        """Give the library what it calls for df/dy."""
        raise NotImplementedError

    def _choose_jacobian(self) -> None:
        """The function of a user, what the rates know, or differences of them."""
        view, problem = self.view, self._problem
        view.jacobian = c_address_of(difference_jacobian, JACOBIAN)
        view.jacobian_place = view.differences.address
        if problem.jacobian is None and self.rates.jacobian is not None:
            library = self._library.library
            data_of_vector = library.address("N_VGetArrayPointer") if self._library.takes_own_solvers else 0
            view.jacobian, view.jacobian_place, view.blocks = self.rates.jacobian.prepare(
                self.rates.view, view.differences, self.rates.raised, data_of_vector=data_of_vector
            )
        if problem.jacobian is not None:
            self._given = GivenJacobian(problem.jacobian, view.n, IntegratorStatistics())
            view.jacobian = self.rates.raised.callback(weakly(self._write_given), JACOBIAN)

    def _write_given(self, place: int, t: float, y: int, rates: int, out: int) -> int:
        n = self.view.n
        derivative = numbers_in(self._jacobian_states, rates, n)
        if not np.isfinite(derivative).all():
            return int(Answer.NOT_FINITE)
        columns = numbers_in(self._jacobian_outs, out, n * n).reshape(n, n)
        self._given.write(t, state_in({}, y, n), derivative, t - self.view.t, columns.T)
        return int(Answer.WELL)

    # Steps ------------------------------------------------------------------------------------------------------

    def step(self, limit: float = math.inf, *, until: float = math.inf) -> None:
        """Make one step, as `Integrator.step` does."""
        self._stop_time(limit, until)
        end = StepEnd.STIFF.value
        while end == StepEnd.STIFF:  # told once, before a step is made
            with self.rates.raised:
                end = step_once(self.view.row, limit, until)
            self.after(end)

    def after(self, end: int) -> None:
        """Stand where compiled steps have come to, and raise what has ended the last one, a `StepEnd`."""
        view = self.view
        self.take_over()
        if end == StepEnd.STIFF and self._watch is not None:
            self._watch.tell(self.t, self.rates.view.evaluations)
        if end in (StepEnd.MADE, StepEnd.STIFF):
            return
        self.rates.view.has_raised = 0
        self.rates.raised.raise_kept()
        if end == StepEnd.NO_TIME:
            raise self._error(FailureReason.STEP_TOO_SMALL, "the limit of the step was too short")
        said = "".join(map(chr, itertools.takewhile(bool, view.said.tolist()))) if view.flag < 0 else ""
        raise self._error(REASONS.get(view.flag, FailureReason.NO_CONVERGENCE), " ".join(said.split()))

    def take_over(self) -> None:
        """Stand where compiled steps have come to."""
        view = self.view
        if view.t_old == self.t:
            self.y_old = self.y
        elif view.t_old != self.t_old:
            self.y_old = _kept(view.y_old)
        if view.t != self.t:
            self.y = _kept(view.y)
        self.t, self.t_old = view.t, view.t_old

    def restart(self, t: float, y: Any) -> None:
        """Go on from `t` (s) and `y`, as `Integrator.restart` does."""
        super().restart(t, y)
        go_on_from(self.view.row, self.t, self.y)

    @property
    def statistics(self) -> IntegratorStatistics:
        """Counters since the start."""
        view, equations = self.view, self.rates.view
        failures, iterations = map(int, count_all(view.row))
        return IntegratorStatistics(
            steps=view.steps,
            evaluations=equations.evaluations,
            jacobians=view.jacobians,
            jacobian_evaluations=view.differences.evaluations,
            rejected_steps=failures,
            nonlinear_iterations=iterations,
            limited_steps=view.limited_steps,
            restarts=view.restarts,
            last_step=view.t - view.t_old,
            order=view.order or None,
        )

    @statistics.setter
    def statistics(self, statistics: IntegratorStatistics) -> None:
        """Counters are those of the compiled steps; the base class begins with others."""

    def go_on_counting(self, earlier: IntegratorStatistics) -> None:
        """Count on from those of an integrator before this one, which may share the rates."""
        view, equations = self.view, self.rates.view
        equations.evaluations = max(equations.evaluations, earlier.evaluations)
        view.jacobians, view.differences.evaluations = earlier.jacobians, earlier.jacobian_evaluations
        view.steps, view.limited_steps, view.restarts = earlier.steps, earlier.limited_steps, earlier.restarts
        view.error_failures, view.iterations = earlier.rejected_steps, earlier.nonlinear_iterations

    def _start(self, stop: float) -> None:
        """Nothing: `step` begins by itself where it has to."""

    def _advance(self, stop: float) -> tuple[float, Array]:
        """Never called: `step` advances by itself."""
        raise NotImplementedError

    def _interpolate(self, t: float) -> Array:
        out = np.empty(self.view.n)
        state_at(self.view.row, t, out)
        return out

    def _error(self, reason: FailureReason, detail: str = "") -> IntegrationError:
        self._function.not_finite = bool(self.rates.view.is_not_finite)
        tried = self.rates.view.last_time - self.view.t
        self._tried_step = tried if tried > 0.0 else math.nan
        return super()._error(reason, detail)


class AddressedBdf(AddressedIntegrator):
    """CVODE with backward differentiation formulas of order 1 to 5, for stiff problems."""

    name = "cvode-bdf"
    prefix = "CVode"
    step_function = "CVode"
    greatest_order = 5
    method: ClassVar[int] = 2

    def _create(self) -> None:
        own, view = self._library, self.view
        view.memory = own.create(_INT(self.method))
        rates = _ADDRESS(c_address_of(cvode_rates, RATES_CALL))
        own.call("Init", rates, _DOUBLE(view.t), _ADDRESS(view.reached_vector))

    def _set_jacobian(self) -> None:
        if self.view.blocks == 0:
            self._library.call("SetJacFn", _ADDRESS(c_address_of(cvode_jacobian, JACOBIAN_CALL)))
        else:
            self._library.call("SetLinSysFn", _ADDRESS(c_address_of(cvode_matrix, MATRIX_CALL)))


class AddressedAdams(AddressedBdf):
    """CVODE with Adams-Moulton formulas of order 1 to 12, for problems that are not stiff.

    With a Jacobian of zeros its matrix I - γ J is the identity, and Newton's method becomes functional iteration, the
    right one for Adams; as with the Python objects of scikit-sundae, which have no other.
    """

    name = "cvode-adams"
    greatest_order = 12
    method = 1

    def __init__(self, problem: InitialValueProblem) -> None:
        super().__init__(problem)
        self._watch = StiffnessLooks(problem)
        self.view.watch, self.view.is_explicit = self._watch.view, 1

    def _choose_jacobian(self) -> None:
        """None: see the class."""


class AddressedIda(AddressedIntegrator):
    """IDA with backward differentiation formulas of order 1 to 5, for stiff problems."""

    name = "ida"
    prefix = "IDA"
    step_function = "IDASolve"
    greatest_order = 5
    _growing_part = 1e-4

    def _create(self) -> None:
        own, view = self._library, self.view
        view.is_ida = 1
        view.memory = own.create()
        residual = _ADDRESS(c_address_of(ida_residual, RESIDUAL_CALL))
        vectors = _ADDRESS(view.reached_vector), _ADDRESS(view.slope_vector)
        own.call("Init", residual, _DOUBLE(view.t), *vectors)

    def _set_jacobian(self) -> None:
        self._library.call("SetJacFn", _ADDRESS(c_address_of(ida_jacobian, IDA_JACOBIAN_CALL)))


def _kept(y: Array) -> Array:
    """A copy that nobody writes to."""
    copy = y.copy()
    copy.flags.writeable = False
    return copy


def _differences(problem: InitialValueProblem, rates: RatesByAddress) -> Differences:
    """Memory for differences of the rates."""
    view = Differences()
    size, mask = problem.jacobian_size, problem.sparsity
    groups = column_groups(mask, size)
    view.equations = rates.view
    view.reserve(n=len(problem.state), n_columns=size, n_mask=0 if mask is None else mask.size)
    view.n_groups = len(groups)
    view.is_sparse = mask is not None
    for number, columns in enumerate(groups):
        view.group[columns] = number
    if mask is not None:
        view.mask[:] = mask.ravel()
    atol = problem.atol[:size]
    # Where |y| is below atol / rtol, the absolute tolerance takes over: that is the typical size.
    view.typical[:] = np.where(np.isfinite(atol), atol / problem.rtol, UNKNOWN_SIZE)
    return view
