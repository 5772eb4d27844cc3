"""Integrators of ordinary differential equations behind one step-wise interface.

In: f(t, y, out), an initial state, an end time and settings. Out: an `Integrator` that makes one step at a time.
Nothing here knows of bodies or contacts.
"""

from __future__ import annotations

from importlib import import_module

from numpy.typing import ArrayLike

from polycontact.errors import SimulationError
from polycontact.simulation.integrator_names import INTEGRATORS, WITH_JACOBIAN
from polycontact.simulation.integrators.given_jacobian import JacobianFunction
from polycontact.simulation.integrators.integrator_settings import IntegratorSettings
from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics
from polycontact.simulation.integrators.interface import Integrator
from polycontact.simulation.integrators.problem import DerivativeFunction, InitialValueProblem, check_problem
from polycontact.simulation.integrators.stiffness_looks import Stiffness

__all__ = [
    "INTEGRATORS",
    "WITH_JACOBIAN",
    "Integrator",
    "IntegratorSettings",
    "IntegratorStatistics",
    "JacobianFunction",
    "Stiffness",
    "make_integrator",
]

_CLASSES = {
    "cvode-bdf": ("cvode", "CvodeBdf"),
    "cvode-adams": ("cvode", "CvodeAdams"),
    "ida": ("ida", "Ida"),
    "lsoda": ("lsoda", "Lsoda"),
    "dopri5": ("dopri5", "Dopri5"),
    "auto": ("auto", "Auto"),
}
"""Module and class of each integrator; imported when asked for, so that no library is needed that is not used."""

_BY_ADDRESS = {"cvode-bdf": "AddressedBdf", "cvode-adams": "AddressedAdams", "ida": "AddressedIda"}
"""Classes in `sundials_by_address` that take the places of these where SUNDIALS is found by addresses."""


def make_integrator(
    name: str,
    f: DerivativeFunction,
    t0: float,
    y0: ArrayLike,
    end_time: float,
    settings: IntegratorSettings | None = None,
    *,
    jacobian_size: int | None = None,
    sparsity: ArrayLike | None = None,
    jacobian: JacobianFunction | None = None,
) -> Integrator:
    """An integrator that stands at `t0`, ready for its first step; f is not called before that.

    Args:
        name: one of `INTEGRATORS`.
        f: f(t, y, out) writes dy/dt into `out`. `y` is read-only and, like `out`, valid during the call only.
        t0: start time, s.
        y0: initial state, N finite numbers.
        end_time: no step goes past it, s.
        settings: tolerances and step sizes.
        jacobian_size: only the first so many components of y influence f, the others are quadratures; all of
            them where None. A Jacobian costs that many evaluations.
        sparsity: where df/dy may differ from zero, booleans of shape (N, jacobian_size); columns that share no
            row are then perturbed together.
        jacobian: jacobian(t, y, out) writes df/dy into `out` (N, N), which holds zeros, or returns such an array;
            for `WITH_JACOBIAN` only.

    Raises:
        SimulationError: a name, a value or a length that makes no sense.
    """
    if name not in _CLASSES:
        raise SimulationError(f"there is no integrator {name!r}; choose one of {', '.join(INTEGRATORS)}")
    if jacobian is not None and name not in WITH_JACOBIAN:
        raise SimulationError(f"{name} has no use for a Jacobian; leave it out, or take {', '.join(WITH_JACOBIAN)}")
    problem = check_problem(f, t0, y0, end_time, settings or IntegratorSettings(), jacobian_size, sparsity, jacobian)
    return _made(name, problem)


def _made(name: str, problem: InitialValueProblem) -> Integrator:
    """The integrator of a name, where its library is installed."""
    module, class_name = _CLASSES[name]
    try:
        if name in _BY_ADDRESS and import_module(f"{__name__}.sundials_library").sundials_library() is not None:
            module, class_name = "sundials_by_address", _BY_ADDRESS[name]
        found = getattr(import_module(f"{__name__}.{module}"), class_name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sksundae":
            raise
        raise SimulationError(
            f"the integrator {name} needs scikit-sundae; run pip install scikit-sundae, or choose lsoda or dopri5"
        ) from error
    integrator: Integrator = found(problem, _made) if name == "auto" else found(problem)
    return integrator
