"""Four floating-point numbers side by side, for kernels that do the same to four things at once.

The compiler finds such parallel work in loops over long arrays, but not among the nodes of a tree or the triangles of a
list. The few functions that need it are written once, with `Lanes` in place of floats, and translated operator by
operator in one of three ways: to vector instructions, to four scalar instructions each (their twins, which a GPU can
compile), or to plain Python where the JIT is off. Each lane gets the same bits as floats would, but where a function
lets a product and a sum be joined, rounded once.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any, ClassVar

from llvmlite import ir
from numba.core import cgutils, types

from polycontact.kernels.views import JIT_IS_OFF, intrinsic_of

WIDTH = 4
_DOUBLE = ir.DoubleType()
_FOUR = ir.VectorType(_DOUBLE, WIDTH)
_INDEX = ir.IntType(32)
_WORD = ir.IntType(64)


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
        """Square root."""
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


class _Instructions(Code):
    """Code that an LLVM builder writes; ``kind`` is what one value is there."""

    kind: Any = _DOUBLE

    def __init__(self, context: Any, builder: Any, joined: bool) -> None:
        self.context = context
        self.builder = builder
        self.joined = joined

    def _instruction(self, name: str, *values: Any) -> Any:
        builder, flags = self.builder, ("contract",) if self.joined else ()
        if name == "add":
            return builder.fadd(*values, flags=flags)
        if name == "sub":
            return builder.fsub(*values, flags=flags)
        if name == "mul":
            return builder.fmul(*values, flags=flags)
        if name == "truediv":
            return builder.fdiv(*values)
        if name == "neg":
            return builder.fneg(*values)
        if name == "gt":
            return builder.fcmp_ordered(">", *values)
        if name in ("and_", "or_"):
            return getattr(builder, name)(*values)
        if name == "invert":
            return builder.not_(*values)
        if name == "where":
            return builder.select(*values)
        suffix = f"v{WIDTH}f64" if self.kind is _FOUR else "f64"
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(self.kind, [self.kind]), f"llvm.{_LLVM_NAMES[name]}.{suffix}"
        )
        return builder.call(function, list(values))

    def _data(self, array: Any) -> Any:
        kind, value = array
        return self.context.make_array(kind)(self.context, self.builder, value).data

    def _starts(self, table: Any, width: int, numbers: Sequence[Any]) -> list[Any]:
        """Addresses of rows."""
        data, builder = self._data(table), self.builder
        return [builder.gep(data, [builder.mul(number, number.type(width))]) for number in numbers]

    def _load(self, start: Any, column: int) -> Any:
        return self.builder.load(self.builder.gep(start, [_INDEX(column)]))


_LLVM_NAMES = {"abs": "fabs", "sqrt": "sqrt"}


class VectorCode(_Instructions):
    """One vector instruction for four lanes, or several where the processor has none so wide."""

    kind = _FOUR

    def apply(self, name: str, *operands: Lanes) -> Lanes:
        """An operation, lane by lane."""
        return Lanes(self, self._instruction(name, *(each.value for each in operands)))

    def constant(self, value: float) -> Lanes:
        """One known number in all lanes."""
        return Lanes(self, ir.Constant(_FOUR, [value] * WIDTH))

    def same(self, value: Any) -> Lanes:
        """One number in all lanes."""
        single = self.builder.insert_element(ir.Constant(_FOUR, ir.Undefined), value, _INDEX(0))
        return Lanes(self, self._shuffled(single, single, (0, 0, 0, 0)))

    def rows(self, table: Any, width: int, numbers: Sequence[Any]) -> list[Lanes]:
        """Columns of a table, transposed four by four."""
        starts = self._starts(table, width, numbers)
        columns: list[Lanes] = []
        if width < WIDTH:
            for k in range(width):
                value = ir.Constant(_FOUR, ir.Undefined)
                for lane, start in enumerate(starts):
                    value = self.builder.insert_element(value, self._load(start, k), _INDEX(lane))
                columns.append(Lanes(self, value))
            return columns
        for column, added in self._blocks(width):
            a, b, c, d = (self._block(start, column) for start in starts)
            even = self._shuffled(a, b, (0, 4, 2, 6)), self._shuffled(c, d, (0, 4, 2, 6))
            odd = self._shuffled(a, b, (1, 5, 3, 7)), self._shuffled(c, d, (1, 5, 3, 7))
            four = [self._shuffled(*half, pattern) for pattern in ((0, 1, 4, 5), (2, 3, 6, 7)) for half in (even, odd)]
            columns += [Lanes(self, value) for value in four[WIDTH - added :]]
        return columns

    def row_pairs(self, table: Any, width: int, numbers: Sequence[Any], pattern: Sequence[int]) -> list[Lanes]:
        """Columns of a table from two rows."""
        first, second = self._starts(table, width, numbers)
        columns = []
        for column, added in self._blocks(width):
            a, b = self._block(first, column), self._block(second, column)
            for k in range(WIDTH - added, WIDTH):
                columns.append(Lanes(self, self._shuffled(a, b, [k + WIDTH * which for which in pattern])))
        return columns

    def entries(self, array: Any, n: int) -> list[Lanes]:
        """The first n numbers of an array, each in all lanes."""
        data = self._data(array)
        return [self.same(self._load(data, k)) for k in range(n)]

    def neighbours(self, table: Any, width: int, row: Any, column: int) -> Lanes:
        """Four neighbouring numbers of a row of a table."""
        return Lanes(self, self._block(self._starts(table, width, [row])[0], column))

    def put_neighbours(self, table: Any, width: int, row: Any, column: int, lanes: Lanes) -> None:
        """Write four neighbouring numbers of a row of a table."""
        place = self.builder.gep(self._starts(table, width, [row])[0], [_INDEX(column)])
        self.builder.store(lanes.value, self.builder.bitcast(place, _FOUR.as_pointer()), align=8)

    def store(self, array: Any, row: int, lanes: Lanes) -> None:
        """Write four numbers to a row."""
        place = self.builder.gep(self._data(array), [_INDEX(WIDTH * row)])
        self.builder.store(lanes.value, self.builder.bitcast(place, _FOUR.as_pointer()), align=8)

    def stored(self, array: Any, row: int) -> Lanes:
        """Four numbers of a row."""
        return Lanes(self, self._block(self._data(array), WIDTH * row))

    def bits(self, lanes: Lanes) -> Any:
        """Four truth values as an integer."""
        return self.builder.zext(self.builder.bitcast(lanes.value, ir.IntType(WIDTH)), _WORD)

    def _shuffled(self, first: Any, second: Any, pattern: Sequence[int]) -> Any:
        """Lanes 0 to 3 of ``first`` and 4 to 7 of ``second``, chosen by a pattern."""
        chosen = ir.Constant(ir.VectorType(_INDEX, WIDTH), list(pattern))
        return self.builder.shuffle_vector(first, second, chosen)

    def _block(self, start: Any, column: int) -> Any:
        """Four neighbouring numbers of a row."""
        place = self.builder.gep(start, [_INDEX(column)])
        return self.builder.load(self.builder.bitcast(place, _FOUR.as_pointer()), align=8)

    @staticmethod
    def _blocks(width: int) -> list[tuple[int, int]]:
        """Blocks of four columns that cover a row: (first column, how many columns it adds)."""
        blocks = [(column, WIDTH) for column in range(0, width - WIDTH + 1, WIDTH)]
        rest = width % WIDTH
        return [*blocks, (width - WIDTH, rest)] if rest else blocks


class ScalarCode(_Instructions):
    """Four scalar instructions for four lanes."""

    def apply(self, name: str, *operands: Lanes) -> Lanes:
        """An operation, lane by lane."""
        return Lanes(
            self, [self._instruction(name, *values) for values in zip(*(each.value for each in operands), strict=True)]
        )

    def constant(self, value: float) -> Lanes:
        """One known number in all lanes."""
        return Lanes(self, [ir.Constant(_DOUBLE, value)] * WIDTH)

    def same(self, value: Any) -> Lanes:
        """One number in all lanes."""
        return Lanes(self, [value] * WIDTH)

    def rows(self, table: Any, width: int, numbers: Sequence[Any]) -> list[Lanes]:
        """Columns of a table."""
        starts = self._starts(table, width, numbers)
        return [Lanes(self, [self._load(start, k) for start in starts]) for k in range(width)]

    def entries(self, array: Any, n: int) -> list[Lanes]:
        """The first n numbers of an array, each in all lanes."""
        data = self._data(array)
        return [self.same(self._load(data, k)) for k in range(n)]

    def neighbours(self, table: Any, width: int, row: Any, column: int) -> Lanes:
        """Four neighbouring numbers of a row of a table."""
        start = self._starts(table, width, [row])[0]
        return Lanes(self, [self._load(start, column + k) for k in range(WIDTH)])

    def put_neighbours(self, table: Any, width: int, row: Any, column: int, lanes: Lanes) -> None:
        """Write four neighbouring numbers of a row of a table."""
        start = self._starts(table, width, [row])[0]
        for k, value in enumerate(lanes.value):
            self.builder.store(value, self.builder.gep(start, [_INDEX(column + k)]))

    def store(self, array: Any, row: int, lanes: Lanes) -> None:
        """Write four numbers to a row."""
        data = self._data(array)
        for k, value in enumerate(lanes.value):
            self.builder.store(value, self.builder.gep(data, [_INDEX(WIDTH * row + k)]))

    def stored(self, array: Any, row: int) -> Lanes:
        """Four numbers of a row."""
        data = self._data(array)
        return Lanes(self, [self._load(data, WIDTH * row + k) for k in range(WIDTH)])

    def bits(self, lanes: Lanes) -> Any:
        """Four truth values as an integer."""
        words = [self.builder.zext(value, _WORD) for value in lanes.value]
        shifted = [self.builder.shl(word, _WORD(k)) for k, word in enumerate(words)]
        return reduce(self.builder.or_, shifted)


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
        """Columns of a table."""
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
        """Four numbers of a row."""
        return Lanes(self, [float(value) for value in array.reshape(-1, WIDTH)[row]])

    def bits(self, lanes: Lanes) -> Any:
        """Four truth values as an integer."""
        return sum(1 << k for k, value in enumerate(lanes.value) if value)


# How a function is made -------------------------------------------------------------------------------------

CHOSEN: type[_Instructions] = VectorCode
"""What compiled kernels are made of: the one place where it is chosen."""


def _wanted(kind: Any) -> Any:
    """Type of an argument: arrays, numbers and tuples of them as they are, indices and tuples of them in 64 bits."""
    if isinstance(kind, types.Array | types.Float):
        return kind
    if isinstance(kind, types.UniTuple) and isinstance(kind.dtype, types.Float):
        return kind
    return types.UniTuple(types.int64, len(kind)) if isinstance(kind, types.BaseTuple) else types.int64


def _argument(builder: Any, kind: Any, value: Any) -> Any:
    """An argument as bodies get it."""
    if isinstance(kind, types.Array):
        return kind, value
    return cgutils.unpack_tuple(builder, value) if isinstance(kind, types.BaseTuple) else value


def _compiled(body: Callable[..., Any], kind: type[_Instructions], joined: bool, result: Any) -> Any:
    """An intrinsic that writes ``body`` with code of some kind."""

    @intrinsic_of(list(inspect.signature(body).parameters)[1:])
    def four_at_once_code(typing_context: Any, *kinds: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            code = kind(context, builder, joined)
            made = body(code, *(_argument(builder, *each) for each in zip(signature.args, values, strict=True)))
            return context.get_dummy_value() if made is None else made

        return result(*map(_wanted, kinds)), generate

    return four_at_once_code


class FourAtOnce:
    """A function written with lanes, and its twins; ``chosen`` is what kernels call."""

    def __init__(self, body: Callable[..., Any], joined: bool, result: Any) -> None:
        self._body, self._joined, self._result = body, joined, result
        self.chosen = self.plain if JIT_IS_OFF else self.compiled(CHOSEN)

    @property
    def n_arguments(self) -> int:
        """How many arguments it takes."""
        return len(inspect.signature(self._body).parameters) - 1

    def plain(self, *arguments: Any) -> Any:
        """In Python."""
        return self._body(PlainCode(), *arguments)

    def compiled(self, kind: type[_Instructions]) -> Any:
        """For compiled callers, made of ``kind``."""
        return _compiled(self._body, kind, self._joined, self._result)


def four_at_once(*, joined: bool = False, result: Any = types.int64) -> Callable[[Callable[..., Any]], FourAtOnce]:
    """Make a function of a body (code, arguments …) that is written with `Lanes`.

    The body returns the bits of a test, or writes and returns None (``result`` types.void).
    """

    def decorate(body: Callable[..., Any]) -> FourAtOnce:
        return FourAtOnce(body, joined, result)

    return decorate


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
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross_product(a: Point, b: Point) -> Point:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def point_difference(a: Point, b: Point) -> Point:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def transposed_rows(R: list[Point]) -> list[Point]:
    """Rᵀ."""
    return [(R[0][k], R[1][k], R[2][k]) for k in range(3)]


def turned(R: list[Point], a: Point) -> Point:
    """R·a."""
    return (product(R[0], a), product(R[1], a), product(R[2], a))


def moved(R: list[Point], r: Point, a: Point) -> Point:
    """R·a + r."""
    b = turned(R, a)
    return (b[0] + r[0], b[1] + r[1], b[2] + r[2])


def largest_component(points: Sequence[Point]) -> Lanes:
    """Largest absolute component of several points."""
    return reduce(larger, [abs(x) for point in points for x in point])


def three_points(columns: Sequence[Lanes]) -> list[Point]:
    """Points from neighbouring columns."""
    return [(columns[k], columns[k + 1], columns[k + 2]) for k in range(0, len(columns), 3)]
