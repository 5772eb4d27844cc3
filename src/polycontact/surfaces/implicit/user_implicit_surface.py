"""Implicit surfaces of users: a function of x, y, z and parameters that is zero on the surface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

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
from polycontact.surfaces.implicit.implicit_geometry import ImplicitGeometry
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.smooth_surface import Array, OpenedSurface, prepare_surface
from polycontact.surfaces.surface import Surface

Box = tuple[tuple[float, float, float], tuple[float, float, float]]
_MOST_DIVISIONS = 128


@dataclass(frozen=True)
class UserSurface(ImplicitGeometry):
    """An implicit surface made of a function, announced with `implicit_surface`, and its parameters.

    - ``function``: name under which the function was announced.
    - ``parameters``: the numbers that the function gets, in order.
    - ``box`` (m): lower and upper corner of the box that holds the surface; as announced where left out.
    - ``name``: how messages and pages call it.
    """

    function: str
    parameters: tuple[float, ...] = ()
    box: Box | None = None
    name: str = ""

    def __post_init__(self) -> None:
        owner = f"implicit surface {self.function!r}"
        options = announced_as("implicit", self.function).options
        object.__setattr__(self, "parameters", checked_parameters(owner, self.parameters))
        object.__setattr__(self, "box", _checked_box(owner, options["box"] if self.box is None else self.box))
        object.__setattr__(self, "name", self.name or self.function)
        if self.is_closed and self.picture.volume < 0.0:
            raise SurfaceError(f"{owner}: h is positive inside; it must be negative there, give -h")
        prepare_surface(self)

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        return code_of("implicit", self.function)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The parameters that the user's function gets."""
        return self.parameters

    @property
    def bounds(self) -> Array:
        """The box around its mesh, with a cell to spare, m."""
        given, found = np.array(self.box), self.picture.bounds
        cell = (given[1] - given[0]) / announced_as("implicit", self.function).options["divisions"]
        return np.array([found[0] - cell, found[1] + cell])

    @property
    def picture(self) -> Surface:
        """A triangle mesh of the surface inside its bounds."""
        return _marched(self, self.code)


@lru_cache(maxsize=64)
def _marched(geometry: UserSurface, code: int) -> Surface:
    from polycontact.surfaces.implicit.marching_tetrahedra import march

    bounds = np.array(geometry.box)
    opened = OpenedSurface(geometry, float(np.linalg.norm(bounds[1] - bounds[0])))
    return march(opened, bounds, announced_as("implicit", geometry.function).options["divisions"], geometry.name)


def _checked_box(owner: str, box: Any) -> Box:
    try:
        corners = np.array(box, dtype=np.float64)
    except (TypeError, ValueError):
        corners = np.zeros(0)
    if corners.shape != (2, 3) or not np.isfinite(corners).all() or not (corners[0] < corners[1]).all():
        raise SurfaceError(f"{owner}: box is {box!r} m; give two finite corners (x, y, z), lower and upper")
    (a, b, c), (d, e, f) = corners.tolist()
    return (a, b, c), (d, e, f)


def implicit_surface(
    name: str, *, box: Box, divisions: int = 24, derivatives: Callable[..., Any] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., UserSurface]]:
    """Announce a function as an implicit surface 0 = h(r); what it becomes makes surfaces of parameters.

        @pc.surfaces.implicit_surface("ball", box=((-1.2, -1.2, -1.2), (1.2, 1.2, 1.2)))
        def ball(x, y, z, parameters):
            return x**2 + y**2 + z**2 - parameters[0] ** 2

    The function is compiled; it gets a point in m and returns h, negative inside, whose gradient vanishes nowhere on
    the surface. Its derivatives are exact, by hyper-dual numbers: it may use +, -, *, /, **, comparisons, abs, min,
    max, loops, branches, and functions of math or numpy. Or ``derivatives``, a function of the same arguments, returns
    h_x, h_y, h_z, h_xx, h_yy, h_zz, h_xy, h_xz, h_yz.

    ``box`` (m): lower and upper corner of a box that holds the surface; ``divisions``: cells along each side of it, in
    which the surface is found first. A part smaller than a cell may be missed.
    """
    owner = f"implicit surface {name!r}"
    options = {
        "box": _checked_box(owner, box),
        "divisions": check.count(owner, "divisions", divisions, 4, _MOST_DIVISIONS),
    }

    def announced(function: Callable[..., Any]) -> Callable[..., UserSurface]:
        check_arguments("implicit", name, function, {4: "(x, y, z, parameters)"})

        def compile_now() -> int:
            from polycontact.kernels.smooth.user_surfaces import compile_implicit

            return compile_implicit(function, derivatives=derivatives)

        announce("implicit", name, Announced(function, derivatives, options, compile_now))
        return maker_of(UserSurface, name, function)

    return announced
