"""Four floating-point numbers side by side, for kernels that do the same to four things at once.

The compiler finds such parallel work in loops over long arrays, but not among the nodes of a tree or the triangles of a
list. The few functions that need it are written once, with `Lanes` in place of floats, and translated operator by
operator in one of three ways: to vector instructions, to four scalar instructions each (their twins, which a GPU can
compile), or to plain Python where the JIT is off: `four_at_once.py`. Each lane gets the same bits as floats would, but
where a function lets a product and a sum be joined, rounded once.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any, ClassVar

WIDTH = 4


class Lanes:
    """Four numbers, or four truth values, in code of some kind."""

    def __init__(self, code: Code, value: Any) -> None:
        self.code = code
        self.value = value

    def __add__(self, other: Lanes) -> Lanes:
        return self.code.apply("add", self, other)

    def __sub__(self, other: Lanes) -> Lanes:
        return self.code.apply("sub", self, other)

    def __mul__(self, other: Lanes) -> Lanes:
        return self.code.apply("mul", self, other)

    def __truediv__(self, other: Lanes) -> Lanes:
        return self.code.apply("truediv", self, other)

    def __neg__(self) -> Lanes:
        return self.code.apply("neg", self)

    def __abs__(self) -> Lanes:
        return self.code.apply("abs", self)

    def __gt__(self, other: Lanes) -> Lanes:
        return self.code.apply("gt", self, other)

    def __and__(self, other: Lanes) -> Lanes:
        return self.code.apply("and_", self, other)

    def __or__(self, other: Lanes) -> Lanes:
        return self.code.apply("or_", self, other)

    def __invert__(self) -> Lanes:
        return self.code.apply("invert", self)

    def where(self, yes: Lanes, no: Lanes) -> Lanes:
        """``yes`` in the lanes that are true, ``no`` in the others."""
        return self.code.apply("where", self, yes, no)

    def sqrt(self) -> Lanes:
        """Square root in each lane."""
        return self.code.apply("sqrt", self)


Point = tuple[Lanes, Lanes, Lanes]
"""Four points or directions."""


class Code:
    """How lanes are translated: what a four-at-once function is written with, besides their operators.

    Arrays, numbers and indices are the function's arguments, whatever they are to this kind of code. ``joined``:
    products and sums may become one instruction, rounded once.
    """

    joined = False

    def apply(self, name: str, *operands: Lanes) -> Lanes:
        """An operation, lane by lane."""
        raise NotImplementedError

    def constant(self, value: float) -> Lanes:
        """One known number in all lanes."""
        raise NotImplementedError

    def same(self, value: Any) -> Lanes:
        """One number in all lanes."""
        raise NotImplementedError

    def rows(self, table: Any, width: int, numbers: Sequence[Any]) -> list[Lanes]:
        """Columns of a table of ``width``: lane k from row ``numbers[k]``."""
        raise NotImplementedError

    def row_pairs(self, table: Any, width: int, numbers: Sequence[Any], pattern: Sequence[int]) -> list[Lanes]:
        """Columns of a table: lane k from the first of two rows where ``pattern[k]`` is 0, else from the second."""
        return self.rows(table, width, [numbers[which] for which in pattern])

    def entries(self, array: Any, n: int) -> list[Lanes]:
        """The first n numbers of an array, each in all lanes."""
        raise NotImplementedError

    def neighbours(self, table: Any, width: int, row: Any, column: int) -> Lanes:
        """Four neighbouring numbers of a row of a table of ``width``, from ``column`` on."""
        raise NotImplementedError

    def put_neighbours(self, table: Any, width: int, row: Any, column: int, lanes: Lanes) -> None:
        """Write four neighbouring numbers of a row of a table of ``width``, from ``column`` on."""
        raise NotImplementedError

    def store(self, array: Any, row: int, lanes: Lanes) -> None:
        """Write four numbers to row ``row`` of an array of four columns."""
        raise NotImplementedError

    def stored(self, array: Any, row: int) -> Lanes:
        """Four numbers of row ``row`` of an array of four columns."""
        raise NotImplementedError

    def bits(self, lanes: Lanes) -> Any:
        """Four truth values as an integer, bit k from lane k."""
        raise NotImplementedError

    def motion(self, rotation: Any, position: Any) -> tuple[list[Point], Point]:
        """Rotation (its rows) and position of F in E."""
        n = self.entries(rotation, 9)
        r = self.entries(position, 3)
        return [(n[0], n[1], n[2]), (n[3], n[4], n[5]), (n[6], n[7], n[8])], (r[0], r[1], r[2])


class PlainCode(Code):
    """No code at all: the numbers themselves, in Python."""

    _OPERATIONS: ClassVar[dict[str, Callable[..., Any]]] = {
        "invert": operator.not_,
        "where": lambda condition, yes, no: yes if condition else no,
        "sqrt": math.sqrt,
        "truediv": lambda a, b: a / b if b != 0.0 else math.copysign(math.inf, b) * a if a != 0.0 else math.nan,
    }

    def apply(self, name: str, *operands: Lanes) -> Lanes:
        """An operation, lane by lane."""
        operation = self._OPERATIONS.get(name) or getattr(operator, name)
        return Lanes(self, [operation(*values) for values in zip(*(each.value for each in operands), strict=True)])

    def constant(self, value: float) -> Lanes:
        """One known number in all lanes."""
        return self.same(value)

    def same(self, value: Any) -> Lanes:
        """One number in all lanes."""
        return Lanes(self, [float(value)] * WIDTH)

    def rows(self, table: Any, width: int, numbers: Sequence[Any]) -> list[Lanes]:
        """Columns 0 to ``width`` - 1 of four rows: lane i of each is of row ``numbers[i]``."""
        return [Lanes(self, [float(table[row, k]) for row in numbers]) for k in range(width)]

    def entries(self, array: Any, n: int) -> list[Lanes]:
        """The first n numbers of an array, each in all lanes."""
        return [self.same(value) for value in array.ravel()[:n]]

    def neighbours(self, table: Any, width: int, row: Any, column: int) -> Lanes:
        """Four neighbouring numbers of a row of a table."""
        return Lanes(self, [float(value) for value in table[int(row), column : column + WIDTH]])

    def put_neighbours(self, table: Any, width: int, row: Any, column: int, lanes: Lanes) -> None:
        """Write four neighbouring numbers of a row of a table."""
        table[int(row), column : column + WIDTH] = lanes.value

    def store(self, array: Any, row: int, lanes: Lanes) -> None:
        """Write four numbers to a row."""
        array.reshape(-1, WIDTH)[row] = lanes.value

    def stored(self, array: Any, row: int) -> Lanes:
        """The four numbers that `store` wrote to a row."""
        return Lanes(self, [float(value) for value in array.reshape(-1, WIDTH)[row]])

    def bits(self, lanes: Lanes) -> Any:
        """Four truth values as an integer."""
        return sum(1 << k for k, value in enumerate(lanes.value) if value)


# Geometry with lanes -----------------------------------------------------------------------------------------


def larger(a: Lanes, b: Lanes) -> Lanes:
    """The larger of two, lane by lane."""
    return (a > b).where(a, b)


def smaller(a: Lanes, b: Lanes) -> Lanes:
    """The smaller of two, lane by lane."""
    return (b > a).where(a, b)


def any_of(tests: Sequence[Lanes]) -> Lanes:
    """Whether one of several is true, lane by lane."""
    return reduce(or_, tests)


def all_of(tests: Sequence[Lanes]) -> Lanes:
    """Whether all of several are true, lane by lane."""
    return reduce(and_, tests)


def product(a: Point, b: Point) -> Lanes:
    """Scalar product a·b, lane by lane."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross_product(a: Point, b: Point) -> Point:
    """Vector product a × b, lane by lane."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def point_difference(a: Point, b: Point) -> Point:
    """Difference a - b of points, lane by lane."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def transposed_rows(R: list[Point]) -> list[Point]:
    """Rows of the transposed matrix Rᵀ."""
    return [(R[0][k], R[1][k], R[2][k]) for k in range(3)]


def turned(R: list[Point], a: Point) -> Point:
    """R·a, lane by lane: a direction in the axes of the other frame."""
    return (product(R[0], a), product(R[1], a), product(R[2], a))


def moved(R: list[Point], r: Point, a: Point) -> Point:
    """R·a + r, lane by lane: a point in the other frame."""
    b = turned(R, a)
    return (b[0] + r[0], b[1] + r[1], b[2] + r[2])


def largest_component(points: Sequence[Point]) -> Lanes:
    """Largest absolute component of several points."""
    return reduce(larger, [abs(x) for point in points for x in point])


def three_points(columns: Sequence[Lanes]) -> list[Point]:
    """Points from neighbouring columns."""
    return [(columns[k], columns[k + 1], columns[k + 2]) for k in range(0, len(columns), 3)]
