"""Parametric surfaces of users: a function of α, β and parameters that gives a point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polycontact.errors import SurfaceError
from polycontact.surfaces.announced_functions import (
    Announced,
    announce,
    announced_as,
    check_arguments,
    checked_parameters,
    code_of,
    maker_of,
)
from polycontact.surfaces.parametric.parametric_geometry import ParametricGeometry
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.smooth_surface import Chart, prepare_surface

Domain = tuple[tuple[float, float], tuple[float, float]]
_MOST_DIVISIONS = 4096


@dataclass(frozen=True)
class UserSurface(ParametricGeometry):
    """A parametric surface made of a function, announced with `parametric_surface`, and its parameters.

    - ``function``: name under which the function was announced.
    - ``parameters``: the numbers that the function gets, in order.
    - ``domain``: lower and upper end of α, and of β; as announced where left out.
    - ``name``: how messages and pages call it.
    """

    function: str
    parameters: tuple[float, ...] = ()
    domain: Domain | None = None
    name: str = ""

    def __post_init__(self) -> None:
        owner = f"parametric surface {self.function!r}"
        options = announced_as("parametric", self.function).options
        object.__setattr__(self, "parameters", checked_parameters(owner, self.parameters))
        domain = _checked_domain(owner, options["domain"] if self.domain is None else self.domain)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "name", self.name or self.function)
        prepare_surface(self)  # sampled now: a function that gives no numbers is refused where it is made
        if self.is_closed and self.picture.volume < 0.0:
            raise SurfaceError(f"{owner}: e_α × e_β points inward; it must point outward, exchange α and β")

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        return code_of("parametric", self.function)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The parameters that the user's function gets."""
        return self.parameters

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The announced number of charts, all over the same domain."""
        options = announced_as("parametric", self.function).options
        assert self.domain is not None
        return tuple(Chart(self.domain, options["periodic"], options["divisions"]) for _ in range(options["n_charts"]))


def _checked_domain(owner: str, domain: Any) -> Domain:
    try:
        (a, b), (c, d) = ((float(low), float(high)) for low, high in domain)
    except (TypeError, ValueError):
        raise SurfaceError(f"{owner}: domain is {domain!r}; give ((lower, upper), (lower, upper)) of α and β") from None
    if not (math.isfinite(a + b + c + d) and a < b and c < d):
        raise SurfaceError(f"{owner}: domain is {domain!r}; ends must be finite and ascend")
    return (a, b), (c, d)


def parametric_surface(
    name: str,
    *,
    domain: Domain,
    periodic: tuple[bool, bool] = (False, False),
    divisions: tuple[int, int] = (64, 64),
    n_charts: int = 1,
    derivatives: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., UserSurface]]:
    """Announce a function as a parametric surface r(α, β); what it becomes makes surfaces of parameters.

        @pc.surfaces.parametric_surface("torus", domain=((-math.pi, math.pi),) * 2, periodic=(True, True))
        def torus(alpha, beta, parameters):
            rim = parameters[0] + parameters[1] * math.cos(beta)
            return rim * math.cos(alpha), rim * math.sin(alpha), parameters[1] * math.sin(beta)

        ring = torus(0.2, 0.05)

    The function is compiled; it returns x, y, z in m. Outward is e_α × e_β. Its derivatives are exact, by hyper-dual
    numbers: it may use +, -, *, /, **, comparisons, abs, min, max, loops, branches, and functions of math or numpy. Or
    ``derivatives``, a function of the same arguments, returns r_α, r_β, r_αα, r_αβ, r_ββ, three numbers each.

    ``domain`` of α and of β; ``periodic``: whether both ends are the same place; ``divisions``: of the grid from which
    searches start, fine enough that normals of neighbours differ by less than 20°. Where a place has no normal (the
    poles of a globe), a contact there is not found: give a fourth argument ``chart`` (0, 1, …) and ``n_charts``, so
    that every place is regular in one of them; the first one covers the surface, for its picture.
    """
    owner = f"parametric surface {name!r}"
    options = {
        "domain": _checked_domain(owner, domain),
        "periodic": (bool(periodic[0]), bool(periodic[1])),
        "divisions": tuple(check.count(owner, "divisions", each, 4, _MOST_DIVISIONS) for each in divisions),
        "n_charts": check.count(owner, "n_charts", n_charts, 1, 16),
    }

    def announced(function: Callable[..., Any]) -> Callable[..., UserSurface]:
        allowed = {3: "(alpha, beta, parameters)", 4: "(alpha, beta, parameters, chart)"}
        has_charts = check_arguments("parametric", name, function, allowed) == 4
        if n_charts > 1 and not has_charts:
            raise SurfaceError(f"{owner}: n_charts is {n_charts}, but its function has no argument chart")

        def compile_now() -> int:
            from polycontact.kernels.smooth.user_surfaces import compile_parametric

            return compile_parametric(function, has_charts=has_charts, derivatives=derivatives)

        announce("parametric", name, Announced(function, derivatives, options, compile_now))
        return maker_of(UserSurface, name, function)

    return announced
