"""Numbers that carry their derivatives along: f + f₁ε₁ + f₂ε₂ + f₁₂ε₁ε₂ with ε₁² = ε₂² = 0 (Fike and Alonso 2011).

A user's function, called with them, gives its value, its derivatives along two directions and the mixed second
derivative, all to rounding: no differences are taken. The arithmetic is written once, for compiled code and, with the
JIT off, for Python.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from polycontact.kernels.jit import inline_kernel
from polycontact.kernels.numba_internals.hyper_dual_type import HyperDualType, hyper_dual_of_parts
from polycontact.kernels.views import JIT_IS_OFF


class HyperDual:
    """A number with derivatives, as Python sees it; compiled code has a type of its own."""

    __slots__ = ("f", "f1", "f2", "f12")

    def __init__(self, f: float, f1: float = 0.0, f2: float = 0.0, f12: float = 0.0) -> None:
        self.f, self.f1, self.f2, self.f12 = f, f1, f2, f12


hyper_dual: Any = HyperDual if JIT_IS_OFF else hyper_dual_of_parts
"""``hyper_dual(f, f1, f2, f12)``: a number from its parts."""


def _is_dual(kind: Any) -> bool:
    return isinstance(kind, HyperDualType)


# The rules ---------------------------------------------------------------------------------------------------


@inline_kernel
def chain(x: Any, g: float, g1: float, g2: float) -> Any:
    """g(x) from the value of g and its first and second derivative at x."""
    return hyper_dual(g, g1 * x.f1, g1 * x.f2, g1 * x.f12 + g2 * x.f1 * x.f2)


@inline_kernel
def _sum(x: Any, y: Any) -> Any:
    return hyper_dual(x.f + y.f, x.f1 + y.f1, x.f2 + y.f2, x.f12 + y.f12)


@inline_kernel
def _difference(x: Any, y: Any) -> Any:
    return hyper_dual(x.f - y.f, x.f1 - y.f1, x.f2 - y.f2, x.f12 - y.f12)


@inline_kernel
def _product(x: Any, y: Any) -> Any:
    return hyper_dual(
        x.f * y.f,
        x.f1 * y.f + x.f * y.f1,
        x.f2 * y.f + x.f * y.f2,
        x.f12 * y.f + x.f1 * y.f2 + x.f2 * y.f1 + x.f * y.f12,
    )


@inline_kernel
def _quotient(x: Any, y: Any) -> Any:
    return _product(x, chain(y, 1.0 / y.f, -1.0 / (y.f * y.f), 2.0 / (y.f * y.f * y.f)))


@inline_kernel
def _power(x: Any, y: Any) -> Any:
    """x**y; where y is a plain number x may be zero or negative."""
    p = y.f
    if y.f1 == 0.0 and y.f2 == 0.0 and y.f12 == 0.0:
        g1 = 0.0 if p == 0.0 else p * x.f ** (p - 1.0)
        g2 = 0.0 if p == 0.0 or p == 1.0 else p * (p - 1.0) * x.f ** (p - 2.0)
        return chain(x, x.f**p, g1, g2)
    logarithm = math.log(x.f)
    exponent = _product(y, chain(x, logarithm, 1.0 / x.f, -1.0 / (x.f * x.f)))
    whole = math.exp(exponent.f)
    return chain(exponent, whole, whole, whole)


@inline_kernel
def _atan2(y: Any, x: Any) -> Any:
    """Angle of (x, y): the chain rule in two variables."""
    square = x.f * x.f + y.f * y.f
    gy = x.f / square
    gx = -y.f / square
    gyy = -2.0 * x.f * y.f / (square * square)
    gxy = (y.f * y.f - x.f * x.f) / (square * square)
    return hyper_dual(
        math.atan2(y.f, x.f),
        gy * y.f1 + gx * x.f1,
        gy * y.f2 + gx * x.f2,
        gy * y.f12 + gx * x.f12 + gyy * (y.f1 * y.f2 - x.f1 * x.f2) + gxy * (y.f1 * x.f2 + x.f1 * y.f2),
    )


@inline_kernel
def _hypot(x: Any, y: Any) -> Any:
    return _sqrt(_sum(_product(x, x), _product(y, y)))


@inline_kernel
def _sqrt(x: Any) -> Any:
    g = math.sqrt(x.f)
    return chain(x, g, 0.5 / g, -0.25 / (g * x.f))


@inline_kernel
def _exp(x: Any) -> Any:
    g = math.exp(x.f)
    return chain(x, g, g, g)


@inline_kernel
def _log(x: Any) -> Any:
    return chain(x, math.log(x.f), 1.0 / x.f, -1.0 / (x.f * x.f))


@inline_kernel
def _sin(x: Any) -> Any:
    s = math.sin(x.f)
    return chain(x, s, math.cos(x.f), -s)


@inline_kernel
def _cos(x: Any) -> Any:
    c = math.cos(x.f)
    return chain(x, c, -math.sin(x.f), -c)


@inline_kernel
def _tan(x: Any) -> Any:
    t = math.tan(x.f)
    return chain(x, t, 1.0 + t * t, 2.0 * t * (1.0 + t * t))


@inline_kernel
def _asin(x: Any) -> Any:
    g = 1.0 / math.sqrt(1.0 - x.f * x.f)
    return chain(x, math.asin(x.f), g, x.f * g * g * g)


@inline_kernel
def _acos(x: Any) -> Any:
    g = 1.0 / math.sqrt(1.0 - x.f * x.f)
    return chain(x, math.acos(x.f), -g, -x.f * g * g * g)


@inline_kernel
def _atan(x: Any) -> Any:
    g = 1.0 / (1.0 + x.f * x.f)
    return chain(x, math.atan(x.f), g, -2.0 * x.f * g * g)


@inline_kernel
def _sinh(x: Any) -> Any:
    s = math.sinh(x.f)
    return chain(x, s, math.cosh(x.f), s)


@inline_kernel
def _cosh(x: Any) -> Any:
    c = math.cosh(x.f)
    return chain(x, c, math.sinh(x.f), c)


@inline_kernel
def _tanh(x: Any) -> Any:
    t = math.tanh(x.f)
    return chain(x, t, 1.0 - t * t, -2.0 * t * (1.0 - t * t))


@inline_kernel
def _absolute(x: Any) -> Any:
    return x if x.f >= 0.0 else hyper_dual(-x.f, -x.f1, -x.f2, -x.f12)


@inline_kernel
def _negative(x: Any) -> Any:
    return hyper_dual(-x.f, -x.f1, -x.f2, -x.f12)


@inline_kernel
def _larger(x: Any, y: Any) -> Any:
    return x if x.f >= y.f else y


@inline_kernel
def _smaller(x: Any, y: Any) -> Any:
    return x if x.f <= y.f else y


ONE_ARGUMENT: dict[Callable[..., Any], Any] = {
    math.sqrt: _sqrt,
    math.exp: _exp,
    math.log: _log,
    math.sin: _sin,
    math.cos: _cos,
    math.tan: _tan,
    math.asin: _asin,
    math.acos: _acos,
    math.atan: _atan,
    math.sinh: _sinh,
    math.cosh: _cosh,
    math.tanh: _tanh,
    math.fabs: _absolute,
    np.sqrt: _sqrt,
    np.exp: _exp,
    np.log: _log,
    np.sin: _sin,
    np.cos: _cos,
    np.tan: _tan,
    np.arcsin: _asin,
    np.arccos: _acos,
    np.arctan: _atan,
    np.sinh: _sinh,
    np.cosh: _cosh,
    np.tanh: _tanh,
    abs: _absolute,
    operator.neg: _negative,
}
"""What a user's function may call with one number, and our rule for it."""

TWO_ARGUMENTS: dict[Callable[..., Any], Any] = {
    math.atan2: _atan2,
    math.hypot: _hypot,
    math.pow: _power,
    np.arctan2: _atan2,
    np.hypot: _hypot,
    max: _larger,
    min: _smaller,
    operator.add: _sum,
    operator.sub: _difference,
    operator.mul: _product,
    operator.truediv: _quotient,
    operator.pow: _power,
}
"""The same with two numbers, one of which may be plain."""

COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def as_dual(x: Any) -> Any:
    """A number, with derivatives or plain, as one with derivatives."""
    return x if isinstance(x, HyperDual) else HyperDual(float(x))


def value_of(x: Any) -> Any:
    """A number without its derivatives."""
    return x.f if isinstance(x, HyperDual) else x


# Where the rules apply ---------------------------------------------------------------------------------------


# Numba compares the arguments of both functions of an overload, annotations included: lambdas have none.


def _teach_compiler() -> None:
    """Let compiled functions of users find the rules behind the names they use."""
    overload(as_dual)(lambda x: (lambda x: x) if _is_dual(x) else (lambda x: hyper_dual(float(x), 0.0, 0.0, 0.0)))
    overload(value_of)(lambda x: (lambda x: x.f) if _is_dual(x) else (lambda x: x))
    for function, rule in ONE_ARGUMENT.items():
        _overload_one(function, rule)
    for function, rule in TWO_ARGUMENTS.items():
        _overload_two(function, rule)
    for function in COMPARISONS:
        _overload_comparison(function)


def _overload_one(function: Any, rule: Any) -> None:
    overload(function)(lambda x: (lambda x: rule(x)) if _is_dual(x) else None)


def _overload_two(function: Any, rule: Any) -> None:
    overload(function)(lambda x, y: (lambda x, y: rule(as_dual(x), as_dual(y))) if _is_dual(x) or _is_dual(y) else None)


def _overload_comparison(function: Any) -> None:
    overload(function)(
        lambda x, y: (lambda x, y: function(value_of(x), value_of(y))) if _is_dual(x) or _is_dual(y) else None
    )


_OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "pow": operator.pow,
}


def _teach_python() -> None:
    """With the JIT off: operators of the class."""
    for name, function in _OPERATORS.items():
        rule = TWO_ARGUMENTS[function]
        setattr(HyperDual, f"__{name}__", lambda x, y, rule=rule: rule(x, as_dual(y)))
        setattr(HyperDual, f"__r{name}__", lambda x, y, rule=rule: rule(as_dual(y), x))
    for function in COMPARISONS[:4]:
        compare = lambda x, y, function=function: function(x.f, value_of(y))  # noqa: E731  # one of four alike
        setattr(HyperDual, f"__{function.__name__}__", compare)
    for name, rule in (("neg", _negative), ("abs", _absolute)):
        setattr(HyperDual, f"__{name}__", rule)


class _Switched:
    """Stands for math or numpy in a user's function with the JIT off: our rules for our numbers."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return switched(getattr(self._module, name))


def switched(thing: Any) -> Any:
    """A function of one or two numbers that follows our rules where one of them has derivatives; others as they are."""
    if thing is math or thing is np:
        return _Switched(thing)
    try:
        rule = ONE_ARGUMENT.get(thing) or TWO_ARGUMENTS.get(thing)
    except TypeError:  # not hashable: certainly no function
        return thing
    if rule is None:
        return thing

    def follow(*arguments: Any) -> Any:
        if any(isinstance(each, HyperDual) for each in arguments):
            return rule(*map(as_dual, arguments))
        return thing(*arguments)

    return follow


if JIT_IS_OFF:
    _teach_python()
else:
    _teach_compiler()
