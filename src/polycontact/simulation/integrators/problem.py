"""The initial value problem an integrator gets: checked once, the same for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.integrators.given_jacobian import JacobianFunction
from polycontact.simulation.integrators.integrator_settings import SMALLEST_RTOL, IntegratorSettings

DerivativeFunction = Callable[[float, NDArray[np.float64], NDArray[np.float64]], object]
"""f(t, y, out): writes dy/dt at t (s) into `out`; `y` is read-only and valid during the call only."""

EXCLUDED = 1e100
"""Stands for an infinite absolute tolerance: a weighted error so small that its square vanishes."""


@dataclass(frozen=True, eq=False)
class InitialValueProblem:
    """dy/dt = f(t, y) from `start_time` to `end_time` (s), with its tolerances.

    Invariants: `state` is finite and read-only; `atol` has one positive number for each component, infinite where
    the component is excluded from the error control; only the first `jacobian_size` components influence f.
    `jacobian` gives df/dy where it is not None.
    """

    function: DerivativeFunction
    start_time: float
    state: NDArray[np.float64]
    end_time: float
    settings: IntegratorSettings
    atol: NDArray[np.float64]
    jacobian_size: int
    sparsity: NDArray[np.bool_] | None
    jacobian: JacobianFunction | None = None

    @property
    def rtol(self) -> float:
        """Relative tolerance of the local error."""
        return self.settings.rtol

    def bounded_tolerances(self) -> tuple[float, NDArray[np.float64]]:
        """Rtol and atol without infinities, for integrators with a maximum norm."""
        return self.rtol, np.minimum(self.atol, EXCLUDED)

    def mean_square_tolerances(self) -> tuple[float, NDArray[np.float64]]:
        """Rtol and atol without infinities, for integrators with a root-mean-square norm.

        Excluded components add nothing to the sum of squares, but the mean is still taken over all N. With m
        controlled components, both tolerances are therefore multiplied by sqrt(m / N): the norm is then that of
        the controlled components alone, and quadratures make nothing less accurate.
        """
        controlled = int(np.count_nonzero(np.isfinite(self.atol)))
        factor = math.sqrt(controlled / len(self.atol))
        return max(factor * self.rtol, SMALLEST_RTOL), np.minimum(factor * self.atol, EXCLUDED)


def check_problem(
    function: DerivativeFunction,
    start_time: float,
    state: ArrayLike,
    end_time: float,
    settings: IntegratorSettings,
    jacobian_size: int | None,
    sparsity: ArrayLike | None,
    jacobian: JacobianFunction | None = None,
) -> InitialValueProblem:
    """Check all of it; a bad value raises SimulationError."""
    if not (math.isfinite(start_time) and math.isfinite(end_time) and end_time > start_time):
        raise SimulationError(f"end_time is {end_time} s and t0 {start_time} s; end after the start, both finite")
    y = checked_state(state)
    if settings.max_step <= shortest_step(start_time, end_time):
        raise SimulationError(f"max_step is {settings.max_step} s, below the resolution of time; make it longer")
    size = len(y) if jacobian_size is None else jacobian_size
    if not 0 <= size <= len(y):
        raise SimulationError(f"jacobian_size is {size}; y has {len(y)} components, give a number from 0 to {len(y)}")
    return InitialValueProblem(
        function,
        float(start_time),
        y,
        float(end_time),
        settings,
        _spread_atol(settings, len(y)),
        size,
        _checked_sparsity(sparsity, len(y), size),
        _checked_jacobian(jacobian),
    )


def checked_state(state: ArrayLike, size: int | None = None) -> NDArray[np.float64]:
    """A read-only copy of `state`, a vector of finite numbers, of length `size` if that is given."""
    y = np.array(state, dtype=np.float64)
    if y.ndim != 1 or y.size == 0:
        raise SimulationError(f"the state has shape {y.shape}; give a vector with at least one component")
    if size is not None and len(y) != size:
        raise SimulationError(f"the state has {len(y)} components instead of {size}; restart with the same number")
    bad = np.flatnonzero(~np.isfinite(y))
    if bad.size:
        raise SimulationError(f"component {bad[0]} of the state is {y[bad[0]]}; give finite numbers")
    y.flags.writeable = False
    return y


def shortest_step(start_time: float, end_time: float) -> float:
    """The shortest step (s) worth trying: a few units in the last place of the times."""
    return 4.0 * float(np.finfo(np.float64).eps) * max(abs(start_time), abs(end_time))


def _spread_atol(settings: IntegratorSettings, size: int) -> NDArray[np.float64]:
    atol = np.asarray(settings.atol, dtype=np.float64)
    if atol.ndim == 1 and len(atol) != size:
        raise SimulationError(f"atol has {len(atol)} numbers and y {size} components; give as many, or one for all")
    spread = np.array(np.broadcast_to(atol, (size,)))
    spread.flags.writeable = False
    return spread


def _checked_jacobian(jacobian: JacobianFunction | None) -> JacobianFunction | None:
    if jacobian is not None and not callable(jacobian):
        raise SimulationError(f"jacobian is {jacobian!r}; give a function (t, y, out) that writes df/dy into out")
    return jacobian


def _checked_sparsity(sparsity: ArrayLike | None, rows: int, columns: int) -> NDArray[np.bool_] | None:
    if sparsity is None:
        return None
    mask = np.array(sparsity, dtype=np.bool_)
    if mask.shape != (rows, columns):
        raise SimulationError(
            f"sparsity has shape {mask.shape}; give one of ({rows}, {columns}): len(y), jacobian_size"
        )
    mask.flags.writeable = False
    return mask
