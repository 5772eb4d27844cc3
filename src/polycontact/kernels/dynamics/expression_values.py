"""Values of formulas of time, with their first two derivatives: operations one after the other, arguments first.

An operation takes its one or two arguments from the top of a stack and leaves its result there. What lies on the stack
are jets (f, f', f''): the chain and product rules carry them on, without truncation.

Where a function is not defined its value is no number (nan); where it is, but has no derivative (√ at 0, log at 0), the
derivatives are none. |x|, min, max and step have the derivatives of one side.
"""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.dynamics_codes import STACK_HEIGHT, Operation
from polycontact.kernels.dynamics.matrices import Array, store_vector
from polycontact.kernels.geometry.vectors import Vector, row
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.local_arrays import local_doubles
from polycontact.tolerances import LARGEST_EXPONENT

_stack = local_doubles(STACK_HEIGHT, 3)


@kernel
def expression_at(data: Array, first: int, n: int, t: float, x: float, rate: float) -> Vector:
    """Jet of a formula of n operations at time t (s), with the coordinate and speed of a joint taken as constant.

    ``data[first:]``: an operation and the value of a constant, n times; whoever writes them keeps the stack low. Where
    a function is not defined, such as log(-1), the value is no number; 1/0 is infinite.
    """
    stack, top = _stack(), -1
    for k in range(n):
        operation = int(data[first + 2 * k])
        if operation <= Operation.SPEED:
            top += 1
            jet = _leaf(operation, data[first + 2 * k + 1], t, x, rate)
        elif operation >= Operation.SIN or operation == Operation.NEGATE:
            jet = _of_one(operation, row(stack, top))
        else:
            top -= 1
            jet = _of_two(operation, row(stack, top), row(stack, top + 1))
        store_vector(stack[top], 0, jet)
    return row(stack, 0)


@inline_kernel
def _leaf(operation: int, value: float, t: float, x: float, rate: float) -> Vector:
    """Jet of a constant, the time, or the coordinate or speed of a joint."""
    if operation == Operation.TIME:
        return (t, 1.0, 0.0)
    if operation == Operation.COORDINATE:
        return (x, 0.0, 0.0)
    if operation == Operation.SPEED:
        return (rate, 0.0, 0.0)
    return (value, 0.0, 0.0)


@kernel
def _of_two(operation: int, a: Vector, b: Vector) -> Vector:
    """Jet of an operation with two arguments."""
    if operation == Operation.ADD:
        return (a[0] + b[0], a[1] + b[1], a[2] + b[2])
    if operation == Operation.SUBTRACT:
        return (a[0] - b[0], a[1] - b[1], a[2] - b[2])
    if operation == Operation.MULTIPLY:
        return _times(a, b)
    if operation == Operation.DIVIDE:
        return _over(a, b)
    if operation == Operation.POWER:
        return _power(a, b)
    if math.isnan(a[0]) or math.isnan(b[0]):
        return (math.nan, math.nan, math.nan)
    if operation == Operation.MIN:
        return a if a[0] <= b[0] else b
    return a if a[0] >= b[0] else b


@kernel
def _of_one(operation: int, a: Vector) -> Vector:
    """Jet of an operation with one argument: f(a) by the chain rule, with value, slope and curvature of f."""
    x = a[0]
    # Piecewise linear and constant functions.
    if operation == Operation.NEGATE:
        return (-x, -a[1], -a[2])
    if operation == Operation.ABS:
        return a if x >= 0.0 else (-x, -a[1], -a[2])
    if operation == Operation.STEP:
        return (1.0 if x >= 0.0 else (0.0 if x < 0.0 else math.nan), 0.0, 0.0)
    if operation == Operation.SMOOTHSTEP:
        if 0.0 < x < 1.0:
            return _chain(a, x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x), 6.0 - 12.0 * x)
        return (1.0 if x >= 1.0 else (0.0 if x <= 0.0 else math.nan), 0.0, 0.0)
    # Functions with a limited domain or range.
    if operation == Operation.EXP:
        e = math.exp(x) if x < LARGEST_EXPONENT else math.inf + x
        return _chain(a, e, e, e)
    if operation == Operation.LOG:
        if x > 0.0:
            return _chain(a, math.log(x), 1.0 / x, -1.0 / (x * x))
        return (-math.inf if x == 0.0 else math.nan, math.nan, math.nan)
    if operation == Operation.SQRT:
        if x > 0.0:
            root = math.sqrt(x)
            return _chain(a, root, 0.5 / root, -0.25 / (x * root))
        if x == 0.0 and a[1] == 0.0 and a[2] == 0.0:
            return (0.0, 0.0, 0.0)
        return (0.0 if x == 0.0 else math.nan, math.nan, math.nan)
    # Sine, cosine, tangent.
    if not math.isfinite(x):
        return (math.nan, math.nan, math.nan)
    s, c = math.sin(x), math.cos(x)
    if operation == Operation.SIN:
        return _chain(a, s, c, -s)
    if operation == Operation.COS:
        return _chain(a, c, -s, -c)
    if c == 0.0:
        return (math.inf, math.nan, math.nan)
    slope = 1.0 / (c * c)
    return _chain(a, s / c, slope, 2.0 * slope * s / c)


@inline_kernel
def _chain(a: Vector, f: float, slope: float, curvature: float) -> Vector:
    """Jet of f(a): (f, f' a', f'' a'² + f' a'')."""
    return (f, slope * a[1], curvature * a[1] * a[1] + slope * a[2])


@inline_kernel
def _times(a: Vector, b: Vector) -> Vector:
    return (a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2])


@kernel
def _over(a: Vector, b: Vector) -> Vector:
    """Jet of a quotient q: q' = (a' - q b')/b, q'' = (a'' - 2 q' b' - q b'')/b."""
    if b[0] == 0.0:
        value = math.nan if a[0] == 0.0 or math.isnan(a[0]) else math.copysign(math.inf, a[0])
        return (value, math.nan, math.nan)
    q = a[0] / b[0]
    rate = (a[1] - q * b[1]) / b[0]
    return (q, rate, (a[2] - 2.0 * rate * b[1] - q * b[2]) / b[0])


@kernel
def _power(a: Vector, b: Vector) -> Vector:
    """Jet of a power: by the rule of powers where the exponent does not change, else of exp(b log a)."""
    value = _real_power(a[0], b[0])
    if b[1] == 0.0 and b[2] == 0.0:
        n = b[0]
        slope = 0.0 if n == 0.0 else n * _real_power(a[0], n - 1.0)
        curvature = 0.0 if n == 0.0 or n == 1.0 else n * (n - 1.0) * _real_power(a[0], n - 2.0)
        if a[1] == 0.0 and a[2] == 0.0:
            return (value, 0.0, 0.0)
        return _chain(a, value, slope, curvature)
    if not a[0] > 0.0:
        return (value, math.nan, math.nan)
    log_a = _chain(a, math.log(a[0]), 1.0 / a[0], -1.0 / (a[0] * a[0]))
    u = _times(b, log_a)
    return (value, value * u[1], value * (u[2] + u[1] * u[1]))


@inline_kernel
def _real_power(a: float, n: float) -> float:
    """aⁿ as a real number; no number where there is none, infinite where it overflows."""
    if a < 0.0 and n != math.floor(n):
        return math.nan
    if a == 0.0:
        return 0.0 if n > 0.0 else (1.0 if n == 0.0 else math.inf)
    if n * math.log(abs(a)) > LARGEST_EXPONENT:
        return math.inf
    return float(a**n)
