"""Hyper-dual numbers: derivatives of every function that users may call, against differences of the plain function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import types

from polycontact.kernels.addresses import call_law
from polycontact.kernels.contact.law_compilation import UserParameters
from polycontact.kernels.jit import uncached_entry
from polycontact.kernels.smooth.hyper_dual import ONE_ARGUMENT
from polycontact.kernels.smooth.surface_views import ImplicitPoint, ParametricPoint
from polycontact.kernels.smooth.user_surfaces import compile_implicit, compile_parametric


@uncached_entry((types.int64, types.int64, types.int64))
def call(code: int, parameters: int, place: int) -> int:
    """Call a surface's code from Python."""
    return call_law(code, parameters, place)  # type: ignore[no-any-return]


def parameters(*values: float) -> UserParameters:
    made = UserParameters()
    made.reserve(n=len(values))
    made.values[:] = values
    return made


def every_function(a: Any, b: Any, p: Any) -> Any:
    """All rules at once, at places where all of them are smooth."""
    x = math.sin(a * b) + math.cos(a) * math.tan(b) + math.exp(-a) + math.log(a + 2) - math.sqrt(b + a**2)
    x = x + math.asin(a / 3) + math.acos(b / 3) + math.atan(a * b) + math.sinh(a) + math.cosh(b) + math.tanh(a - b)
    y = np.sin(a) * np.cos(b) + np.sqrt(a) + np.exp(b) + np.log(a) + np.tan(a) + np.arctan(b) + np.arcsin(a / 2)
    y = y + np.arccos(b / 2) + np.sinh(a * b) + np.cosh(a) + np.tanh(b) + np.arctan2(a, b) + np.hypot(a, b)
    z = math.atan2(b, a) + math.hypot(a, b) + math.pow(a, 2.5) + a**b + 2.0**a + (a - 5) ** 3 + abs(-b) + max(a, b)
    z = z + min(a, 0.1) + math.fabs(a - 2) - 1 / b + p[0] * a - (-b) + (1 - a) / (2 + b)
    total = 0.0
    for k in range(4):
        total = total + a**k * b
    return x, y, z + total if a > 0 else z


def differences(f: Callable[[float, float], Any], a: float, b: float) -> tuple[np.ndarray, ...]:
    """Central differences: r_α, r_β, r_αα, r_αβ, r_ββ; errors of the second ones about 1e-16/h² + h²."""
    h = 1e-4

    def at(i: int, j: int) -> np.ndarray:
        return np.array(f(a + i * h, b + j * h), dtype=float)

    return (
        (at(1, 0) - at(-1, 0)) / (2 * h),
        (at(0, 1) - at(0, -1)) / (2 * h),
        (at(1, 0) - 2 * at(0, 0) + at(-1, 0)) / h**2,
        (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h**2),
        (at(0, 1) - 2 * at(0, 0) + at(0, -1)) / h**2,
    )


def test_every_rule_against_differences() -> None:
    values = parameters(0.7)
    code = compile_parametric(every_function)
    place = ParametricPoint()
    for a, b in ((0.4, 0.3), (0.9, 0.5), (0.35, 1.1)):
        place.alpha, place.beta = a, b
        call(code, values.address, place.address)
        first_a, first_b, aa, ab, bb = differences(lambda x, y: every_function(x, y, [0.7]), a, b)
        np.testing.assert_allclose(place.point, every_function(a, b, [0.7]), rtol=1e-14)
        np.testing.assert_allclose(place.tangents, [first_a, first_b], rtol=1e-6)
        np.testing.assert_allclose(place.bends, [aa, ab, bb], rtol=1e-5, atol=1e-5)


def test_all_rules_were_tried() -> None:
    names = {function.__name__ for function in ONE_ARGUMENT} - {"neg"}
    tried = set(every_function.__code__.co_names)
    assert names <= tried, names - tried


def test_a_polynomial_is_exact() -> None:
    """Small whole numbers: every operation is exact, and so are the derivatives."""

    def h(x: Any, y: Any, z: Any, p: Any) -> Any:
        return x**3 * y + 2 * y**2 * z - x * y * z + p[0]

    code = compile_implicit(h)
    values = parameters(5.0)
    at = ImplicitPoint()
    at.place[:] = 2.0, 3.0, 5.0
    call(code, values.address, at.address)
    assert at.value == 24 + 90 - 30 + 5
    np.testing.assert_array_equal(at.gradient, [36 - 15, 8 + 60 - 10, 18 - 6])
    np.testing.assert_array_equal(at.hessian, [[36, 12 - 5, -3], [7, 20, 12 - 2], [-3, 10, 0]])


def test_given_derivatives_are_used() -> None:
    def h(x: Any, y: Any, z: Any, p: Any) -> Any:
        return x + y + z

    def derivatives(x: Any, y: Any, z: Any, p: Any) -> Any:
        return 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0

    at = ImplicitPoint()
    values = parameters()
    call(compile_implicit(h, derivatives=derivatives), values.address, at.address)
    np.testing.assert_array_equal(at.gradient, [1, 2, 3])
    np.testing.assert_array_equal(at.hessian, [[4, 7, 8], [7, 5, 9], [8, 9, 6]])


@pytest.mark.parametrize("power", [0, 1, 2, 3, 1.0, 2.0])
def test_powers_at_zero(power: float) -> None:
    def h(x: Any, y: Any, z: Any, p: Any) -> Any:
        return x**power

    at = ImplicitPoint()
    values = parameters()
    call(compile_implicit(h), values.address, at.address)
    assert at.gradient[0] == (1.0 if power == 1 else 0.0)
    assert at.hessian[0, 0] == (2.0 if power == 2 else 0.0)
