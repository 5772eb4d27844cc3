"""Functions that are written with lanes, as instructions of the compiler; `kernels/lanes.py` has the lanes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from polycontact.kernels.lanes import WIDTH, Code, Lanes
from polycontact.kernels.numba_internals.named_intrinsics import intrinsic_of

_DOUBLE = ir.DoubleType()
_FOUR = ir.VectorType(_DOUBLE, WIDTH)
_INDEX = ir.IntType(32)
_WORD = ir.IntType(64)


class Instructions(Code):
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
        """Addresses at which the rows ``numbers`` of a table of ``width`` columns begin."""
        data, builder = self._data(table), self.builder
        return [builder.gep(data, [builder.mul(number, number.type(width))]) for number in numbers]

    def _load(self, start: Any, column: int) -> Any:
        return self.builder.load(self.builder.gep(start, [_INDEX(column)]))


_LLVM_NAMES = {"abs": "fabs", "sqrt": "sqrt"}


class VectorCode(Instructions):
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
        """The four numbers that `store` wrote to a row."""
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


class ScalarCode(Instructions):
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
        """Columns 0 to ``width`` - 1 of four rows: lane i of each is of row ``numbers[i]``."""
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
        """The four numbers that `store` wrote to a row."""
        data = self._data(array)
        return Lanes(self, [self._load(data, WIDTH * row + k) for k in range(WIDTH)])

    def bits(self, lanes: Lanes) -> Any:
        """Four truth values as an integer."""
        words = [self.builder.zext(value, _WORD) for value in lanes.value]
        shifted = [self.builder.shl(word, _WORD(k)) for k, word in enumerate(words)]
        return reduce(self.builder.or_, shifted)


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


def lane_function(body: Callable[..., Any], kind: type[Instructions], joined: bool, result: Any) -> Any:
    """An intrinsic that writes ``body`` with code of some kind."""

    @intrinsic_of(list(inspect.signature(body).parameters)[1:])
    def four_at_once_code(typing_context: Any, *kinds: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            code = kind(context, builder, joined)
            made = body(code, *(_argument(builder, *each) for each in zip(signature.args, values, strict=True)))
            return context.get_dummy_value() if made is None else made

        return result(*map(_wanted, kinds)), generate

    return four_at_once_code
