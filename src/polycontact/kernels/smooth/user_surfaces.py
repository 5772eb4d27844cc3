"""Surfaces that users write: functions of numbers, compiled, with derivatives by hyper-dual numbers or as given.

def torus(alpha, beta, parameters): … return x, y, z           a point of a parametric surface
def globe(alpha, beta, parameters, chart): … return x, y, z    one of several charts
def heart(x, y, z, parameters): … return h                     negative inside an implicit surface
"""

from __future__ import annotations

import types as python_types
from collections.abc import Callable
from typing import Any

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.law_compilation import as_user_parameters
from polycontact.kernels.jit import uncached_entry, uncached_inline
from polycontact.kernels.smooth.hyper_dual import as_dual, hyper_dual, switched
from polycontact.kernels.smooth.surface_views import as_implicit_point, as_parametric_point
from polycontact.kernels.views import JIT_IS_OFF

_SIGNATURE = (types.int64, types.int64)


def compile_parametric(
    function: Callable[..., Any], *, has_charts: bool = False, derivatives: Callable[..., Any] | None = None
) -> int:
    """Address of code that fills in a `ParametricPoint` by a user's function.

    ``derivatives``: gives r_α, r_β, r_αα, r_αβ, r_ββ, three numbers each, instead of hyper-dual numbers.
    """
    surface: Any = _with_duals(function)
    call: Any = uncached_inline(_call_with_chart(surface) if has_charts else _call_without_chart(surface))
    if derivatives is None:
        return address_of(uncached_entry(_SIGNATURE)(_parametric_by_duals(call)))
    given: Any = uncached_inline(derivatives)
    call_given = uncached_inline(_call_with_chart(given) if has_charts else _call_without_chart(given))
    return address_of(uncached_entry(_SIGNATURE)(_parametric_as_given(call, call_given)))


def compile_implicit(function: Callable[..., Any], *, derivatives: Callable[..., Any] | None = None) -> int:
    """Address of code that fills in an `ImplicitPoint` by a user's function.

    ``derivatives``: gives h_x, h_y, h_z, h_xx, h_yy, h_zz, h_xy, h_xz, h_yz instead of hyper-dual numbers.
    """
    surface: Any = _with_duals(function)
    if derivatives is None:
        return address_of(uncached_entry(_SIGNATURE)(_implicit_by_duals(surface)))
    return address_of(uncached_entry(_SIGNATURE)(_implicit_as_given(surface, uncached_inline(derivatives))))


def _with_duals(function: Callable[..., Any]) -> Any:
    """A function that takes numbers with derivatives: compiled, or with the JIT off a copy that knows our rules."""
    if not JIT_IS_OFF:
        return uncached_inline(function)
    known = {name: switched(each) for name, each in function.__globals__.items()}
    known |= {name: switched(each) for name, each in (("abs", abs), ("max", max), ("min", min))}
    return python_types.FunctionType(
        function.__code__, known, function.__name__, function.__defaults__, function.__closure__
    )


def _call_with_chart(function: Any) -> Any:
    def call(alpha: Any, beta: Any, parameters: Any, chart: int) -> Any:
        return function(alpha, beta, parameters, chart)

    return call


def _call_without_chart(function: Any) -> Any:
    def call(alpha: Any, beta: Any, parameters: Any, chart: int) -> Any:
        return function(alpha, beta, parameters)

    return call


def _parametric_by_duals(function: Any) -> Any:
    def code(parameters: int, place: int) -> int:
        values = as_user_parameters(parameters).values
        at = as_parametric_point(place)
        for k in range(3):  # αα, αβ, ββ
            first = 1.0 if k < 2 else 0.0
            second = 1.0 if k == 0 else 0.0
            r = function(
                hyper_dual(at.alpha, first, second, 0.0),
                hyper_dual(at.beta, 1.0 - first, 1.0 - second, 0.0),
                values,
                at.chart,
            )
            x = as_dual(r[0])
            y = as_dual(r[1])
            z = as_dual(r[2])
            at.bends[k, 0], at.bends[k, 1], at.bends[k, 2] = x.f12, y.f12, z.f12
            if k == 1:
                at.point[0], at.point[1], at.point[2] = x.f, y.f, z.f
                at.tangents[0, 0], at.tangents[0, 1], at.tangents[0, 2] = x.f1, y.f1, z.f1
                at.tangents[1, 0], at.tangents[1, 1], at.tangents[1, 2] = x.f2, y.f2, z.f2
        return 0

    return code


def _parametric_as_given(function: Any, derivatives: Any) -> Any:
    def code(parameters: int, place: int) -> int:
        values = as_user_parameters(parameters).values
        at = as_parametric_point(place)
        r = function(at.alpha, at.beta, values, at.chart)
        r_a, r_b, r_aa, r_ab, r_bb = derivatives(at.alpha, at.beta, values, at.chart)
        for a in range(3):
            at.point[a] = r[a]
            at.tangents[0, a] = r_a[a]
            at.tangents[1, a] = r_b[a]
            at.bends[0, a] = r_aa[a]
            at.bends[1, a] = r_ab[a]
            at.bends[2, a] = r_bb[a]
        return 0

    return code


def _implicit_by_duals(function: Any) -> Any:
    def code(parameters: int, place: int) -> int:
        values = as_user_parameters(parameters).values
        at = as_implicit_point(place)
        x = at.place
        for i in range(3):
            for j in range(i, 3):
                h = as_dual(
                    function(
                        hyper_dual(x[0], 1.0 if i == 0 else 0.0, 1.0 if j == 0 else 0.0, 0.0),
                        hyper_dual(x[1], 1.0 if i == 1 else 0.0, 1.0 if j == 1 else 0.0, 0.0),
                        hyper_dual(x[2], 1.0 if i == 2 else 0.0, 1.0 if j == 2 else 0.0, 0.0),
                        values,
                    )
                )
                at.hessian[i, j] = h.f12
                at.hessian[j, i] = h.f12
                if i == j:
                    at.value = h.f
                    at.gradient[i] = h.f1
        return 0

    return code


def _implicit_as_given(function: Any, derivatives: Any) -> Any:
    def code(parameters: int, place: int) -> int:
        values = as_user_parameters(parameters).values
        at = as_implicit_point(place)
        x = at.place
        at.value = function(x[0], x[1], x[2], values)
        d = derivatives(x[0], x[1], x[2], values)
        g = at.gradient
        H = at.hessian
        g[0], g[1], g[2] = d[0], d[1], d[2]
        H[0, 0], H[1, 1], H[2, 2] = d[3], d[4], d[5]
        H[0, 1], H[0, 2], H[1, 2] = d[6], d[7], d[8]
        H[1, 0], H[2, 0], H[2, 1] = d[6], d[7], d[8]
        return 0

    return code
