"""Four floating-point numbers side by side, for kernels that do the same to four things at once.

The compiler finds such parallel work in loops over long arrays, but not among the nodes of a tree or the triangles of a
list. The few functions that need it are written with `Lanes` in place of floats and translated, operator by operator,
to vector instructions: one each where the processor has them for four doubles, several where it has not. Each lane
gets the same bits as floats would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

WIDTH = 4
_DOUBLE = ir.DoubleType()
_FOUR = ir.VectorType(_DOUBLE, WIDTH)
_INDEX = ir.IntType(32)


def lane_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that writes its own code: it gets types, and returns a signature and a code generator."""
    return intrinsic(function)


class Lanes:
    """Four numbers, or four truth values, in the code that ``builder`` is writing.

    ``joined``: products and sums that follow may become one instruction, rounded once.
    """

    def __init__(self, builder: Any, value: Any, joined: bool = False) -> None:
        self.builder = builder
        self.value = value
        self.joined = joined
        self._flags = ("contract",) if joined else ()

    def __add__(self, other: Lanes) -> Lanes:
        return self._made(self.builder.fadd(self.value, other.value, flags=self._flags))

    def __sub__(self, other: Lanes) -> Lanes:
        return self._made(self.builder.fsub(self.value, other.value, flags=self._flags))

    def __mul__(self, other: Lanes) -> Lanes:
        return self._made(self.builder.fmul(self.value, other.value, flags=self._flags))

    def __truediv__(self, other: Lanes) -> Lanes:
        return self._made(self.builder.fdiv(self.value, other.value))

    def __neg__(self) -> Lanes:
        return self._made(self.builder.fneg(self.value))

    def __abs__(self) -> Lanes:
        return self._call("fabs")

    def __gt__(self, other: Lanes) -> Lanes:
        return self._made(self.builder.fcmp_ordered(">", self.value, other.value))

    def __and__(self, other: Lanes) -> Lanes:
        return self._made(self.builder.and_(self.value, other.value))

    def __or__(self, other: Lanes) -> Lanes:
        return self._made(self.builder.or_(self.value, other.value))

    def __invert__(self) -> Lanes:
        return self._made(self.builder.not_(self.value))

    def where(self, yes: Lanes, no: Lanes) -> Lanes:
        """``yes`` in the lanes that are true, ``no`` in the others."""
        return yes._made(self.builder.select(self.value, yes.value, no.value))

    def sqrt(self) -> Lanes:
        """Square root."""
        return self._call("sqrt")

    def bits(self) -> Any:
        """Four truth values as an integer, bit k from lane k."""
        word = self.builder.bitcast(self.value, ir.IntType(WIDTH))
        return self.builder.zext(word, ir.IntType(64))

    def _made(self, value: Any) -> Lanes:
        return Lanes(self.builder, value, self.joined)

    def _call(self, name: str) -> Lanes:
        kind = ir.FunctionType(_FOUR, [_FOUR])
        function = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.{name}.v{WIDTH}f64")
        return self._made(self.builder.call(function, [self.value]))


Point = tuple[Lanes, Lanes, Lanes]
"""Four points or directions."""


def same(builder: Any, value: Any, joined: bool = False) -> Lanes:
    """One number in all lanes."""
    single = builder.insert_element(ir.Constant(_FOUR, ir.Undefined), value, _INDEX(0))
    return Lanes(builder, _shuffled(builder, single, single, (0, 0, 0, 0)), joined)


def _shuffled(builder: Any, first: Any, second: Any, pattern: Sequence[int]) -> Any:
    """Lanes 0 to 3 of ``first`` and 4 to 7 of ``second``, chosen by a pattern."""
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INDEX, WIDTH), list(pattern)))


def _starts(context: Any, builder: Any, kind: Any, array: Any, width: int, numbers: Sequence[Any]) -> list[Any]:
    """Addresses of rows of a table of ``width`` columns."""
    data = context.make_array(kind)(context, builder, array).data
    return [builder.gep(data, [builder.mul(number, number.type(width))]) for number in numbers]


def _block(builder: Any, start: Any, column: int) -> Any:
    """Four neighbouring numbers of a row."""
    place = builder.gep(start, [_INDEX(column)])
    return builder.load(builder.bitcast(place, _FOUR.as_pointer()), align=8)


def _blocks(width: int) -> list[tuple[int, int]]:
    """Blocks of four columns that cover a row: (first column, how many columns it adds)."""
    blocks = [(column, WIDTH) for column in range(0, width - WIDTH + 1, WIDTH)]
    rest = width % WIDTH
    return [*blocks, (width - WIDTH, rest)] if rest else blocks


def two_rows(
    context: Any,
    builder: Any,
    kind: Any,
    array: Any,
    width: int,
    numbers: Sequence[Any],
    pattern: Sequence[int],
    joined: bool = False,
) -> list[Lanes]:
    """Columns of a table: lane k from the first of two rows where ``pattern[k]`` is 0, else from the second."""
    first, second = _starts(context, builder, kind, array, width, numbers)
    columns = []
    for column, added in _blocks(width):
        a, b = _block(builder, first, column), _block(builder, second, column)
        for k in range(WIDTH - added, WIDTH):
            columns.append(Lanes(builder, _shuffled(builder, a, b, [k + WIDTH * which for which in pattern]), joined))
    return columns


def four_rows(context: Any, builder: Any, kind: Any, array: Any, width: int, numbers: Sequence[Any]) -> list[Lanes]:
    """Columns of a table: lane k from row ``numbers[k]``."""
    starts = _starts(context, builder, kind, array, width, numbers)
    columns: list[Lanes] = []
    if width < WIDTH:
        for k in range(width):
            value = ir.Constant(_FOUR, ir.Undefined)
            for lane, start in enumerate(starts):
                number = builder.load(builder.gep(start, [_INDEX(k)]))
                value = builder.insert_element(value, number, _INDEX(lane))
            columns.append(Lanes(builder, value))
        return columns
    for column, added in _blocks(width):
        a, b, c, d = (_block(builder, start, column) for start in starts)
        even = _shuffled(builder, a, b, (0, 4, 2, 6)), _shuffled(builder, c, d, (0, 4, 2, 6))
        odd = _shuffled(builder, a, b, (1, 5, 3, 7)), _shuffled(builder, c, d, (1, 5, 3, 7))
        four = [_shuffled(builder, *half, pattern) for pattern in ((0, 1, 4, 5), (2, 3, 6, 7)) for half in (even, odd)]
        columns += [Lanes(builder, value) for value in four[WIDTH - added :]]
    return columns


def motion(context: Any, builder: Any, kind: Any, pose: Any, joined: bool = False) -> tuple[list[Point], Point]:
    """Rotation (its rows) and position of F in E, from the start of POSE."""
    data = context.make_array(kind)(context, builder, pose).data
    n = [same(builder, builder.load(builder.gep(data, [_INDEX(k)])), joined) for k in range(12)]
    return [(n[0], n[1], n[2]), (n[3], n[4], n[5]), (n[6], n[7], n[8])], (n[9], n[10], n[11])


def store(builder: Any, lanes: Lanes, data: Any, at: int) -> None:
    """Write four numbers to ``data[at:at + 4]``."""
    place = builder.gep(data, [_INDEX(at)])
    builder.store(lanes.value, builder.bitcast(place, _FOUR.as_pointer()), align=8)


def constant(builder: Any, value: float) -> Lanes:
    """One known number in all lanes."""
    return Lanes(builder, ir.Constant(_FOUR, [value] * WIDTH))


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


def difference(a: Point, b: Point) -> Point:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def transposed(R: list[Point]) -> list[Point]:
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
