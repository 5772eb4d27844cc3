"""The method by which Python calls an entry: it takes what the compiled entry of Numba takes, and checks it.

It reads arrays where NumPy 2 keeps what they are, and calls Python by the addresses in a table that whoever loads the
library fills, so that the library is linked to neither. `kernels/library_file/python_calls.py` has the table, and looks
whether arrays lie as they are read here. Other threads of Python run while the entry does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.np import numpy_support

from polycontact.kernels.library_file.python_calls import CALLS, TABLE

_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_ADDRESS = _BYTE.as_pointer()
_DOUBLE = ir.DoubleType()
_METHOD = ir.FunctionType(_ADDRESS, [_ADDRESS, _ADDRESS.as_pointer(), _LONG])

# Where things lie in a PyArrayObject and a PyArray_Descr, bytes
_TYPE, _DATA, _N_DIMENSIONS, _LENGTHS, _DESCRIPTION, _FLAGS = 8, 16, 24, 32, 56, 64
_BYTE_ORDER, _TYPE_NUMBER = 26, 28
_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400
_NATIVE = (ord("="), ord("|"))


def write_python_function(context: Any, module: Any, called: Any, description: Any, name: str) -> None:
    """Add the method of an entry to a module."""
    _Method(context, module, name).write(called, description)


class _Method:
    """The method of an entry while it is written."""

    def __init__(self, context: Any, module: Any, name: str) -> None:
        self.context, self.module, self.name = context, module, name
        self.function = ir.Function(module, _METHOD, name)
        self.builder = ir.IRBuilder(self.function.append_basic_block())
        self.table = ir.GlobalVariable(module, ir.ArrayType(_LONG, len(CALLS)), TABLE)
        self.failed = self.function.append_basic_block("failed")
        ir.IRBuilder(self.failed).ret(ir.Constant(_ADDRESS, None))

    def write(self, called: Any, description: Any) -> None:
        """Check and take the arguments, call, and hand the result to Python."""
        builder = self.builder
        _, objects, n = self.function.args
        kinds = description.argtypes
        self._demand(builder.icmp_signed("==", n, _LONG(len(kinds))), f"takes {len(kinds)} arguments")
        values: list[Any] = []
        for i, kind in enumerate(kinds):
            given = builder.load(builder.gep(objects, [_LONG(i)]))
            if isinstance(kind, types.Array):
                values += self._array(given, kind, i)
            elif isinstance(kind, types.UniTuple):
                values += self._tuple(given, kind, i)
            else:
                values.append(self._number(given, kind))
        thread = self._call("PyEval_SaveThread", _ADDRESS)
        found = builder.call(called, values)
        self._call("PyEval_RestoreThread", ir.VoidType(), thread)
        builder.ret(self._result(found, description.restype))

    def _slot(self, name: str) -> Any:
        place = self.builder.gep(self.table, [_INT(0), _INT(CALLS.index(name))])
        return self.builder.load(place)

    def _call(self, name: str, result: Any, *values: Any) -> Any:
        kind = ir.FunctionType(result, [each.type for each in values])
        return self.builder.call(self.builder.inttoptr(self._slot(name), kind.as_pointer()), values)

    def _demand(self, condition: Any, message: str) -> None:
        """Raise a TypeError unless a condition holds."""
        with self.builder.if_then(self.builder.not_(condition), likely=False):
            text = bytearray(f"{self.name.removesuffix('_py')}: {message}\0".encode())
            constant = ir.GlobalVariable(
                self.module, ir.ArrayType(_BYTE, len(text)), self.module.get_unique_name("text")
            )
            constant.initializer = ir.Constant(ir.ArrayType(_BYTE, len(text)), text)
            constant.linkage, constant.global_constant = "internal", True
            error = self.builder.inttoptr(self._slot("PyExc_TypeError"), _ADDRESS)
            self._call("PyErr_SetString", ir.VoidType(), error, self.builder.bitcast(constant, _ADDRESS))
            self.builder.branch(self.failed)

    def _go_on_unless_raised(self, suspicious: Any) -> None:
        """Leave where a conversion has raised; ``suspicious``: it gave what it gives then."""
        with self.builder.if_then(suspicious, likely=False):
            error = self._call("PyErr_Occurred", _ADDRESS)
            is_one = self.builder.icmp_unsigned("!=", self.builder.ptrtoint(error, _LONG), _LONG(0))
            with self.builder.if_then(is_one, likely=False):
                self.builder.branch(self.failed)

    def _number(self, given: Any, kind: Any) -> Any:
        builder = self.builder
        wanted = _flat_number(self.context, kind)
        if isinstance(kind, types.Float):
            value = self._call("PyFloat_AsDouble", _DOUBLE, given)
            self._go_on_unless_raised(builder.fcmp_ordered("==", value, _DOUBLE(-1.0)))
            return value if wanted == _DOUBLE else builder.fptrunc(value, wanted)
        if isinstance(kind, types.Boolean):
            truth = self._call("PyObject_IsTrue", _INT, given)
            self._go_on_unless_raised(builder.icmp_signed("==", truth, _INT(-1)))
            return builder.trunc(truth, wanted)
        whole = self._call("PyLong_AsLongLong", _LONG, given)
        self._go_on_unless_raised(builder.icmp_signed("==", whole, _LONG(-1)))
        return whole if wanted == _LONG else builder.trunc(whole, wanted)

    def _tuple(self, given: Any, kind: Any, i: int) -> list[Any]:
        size = self._call("PyTuple_Size", _LONG, given)
        self._go_on_unless_raised(self.builder.icmp_signed("==", size, _LONG(-1)))
        fits = self.builder.icmp_signed("==", size, _LONG(kind.count))
        self._demand(fits, f"argument {i + 1} must be a tuple of {kind.count}")
        items = [self._call("PyTuple_GetItem", _ADDRESS, given, _LONG(k)) for k in range(kind.count)]
        return [self._number(item, kind.dtype) for item in items]

    def _read(self, start: Any, offset: int, kind: Any) -> Any:
        place = self.builder.gep(start, [_LONG(offset)])
        return self.builder.load(self.builder.bitcast(place, kind.as_pointer()))

    def _array(self, given: Any, kind: Any, i: int) -> list[Any]:
        """Address and lengths of an array that is as declared."""
        builder = self.builder
        access = "writeable " if kind.mutable else ""
        message = f"argument {i + 1} must be a contiguous {access}array of {kind.dtype}, {kind.ndim}-dimensional"
        is_array = builder.icmp_unsigned("==", self._read(given, _TYPE, _LONG), self._slot("ndarray"))
        self._demand(is_array, message)
        flags = _CONTIGUOUS | _ALIGNED | (_WRITEABLE if kind.mutable else 0)
        found = builder.and_(self._read(given, _FLAGS, _INT), _INT(flags))
        described = self._read(given, _DESCRIPTION, _ADDRESS)
        order, number = self._read(described, _BYTE_ORDER, _BYTE), self._read(described, _TYPE_NUMBER, _INT)
        fits = builder.icmp_unsigned("==", found, _INT(flags))
        fits = builder.and_(fits, builder.icmp_signed("==", self._read(given, _N_DIMENSIONS, _INT), _INT(kind.ndim)))
        fits = builder.and_(fits, self._is_one_of(order, [_BYTE(each) for each in _NATIVE]))
        numbers = [self._slot(f"number of {each}") for each in _type_names(kind.dtype)]
        fits = builder.and_(fits, self._is_one_of(builder.sext(number, _LONG), numbers))
        self._demand(fits, message)
        lengths = self._read(given, _LENGTHS, _LONG.as_pointer())
        data = self._read(given, _DATA, _ADDRESS)
        place = builder.bitcast(data, self.context.get_data_type(kind.dtype).as_pointer())
        return [place, *(builder.load(builder.gep(lengths, [_LONG(k)])) for k in range(kind.ndim))]

    def _is_one_of(self, value: Any, known: list[Any]) -> Any:
        same = [self.builder.icmp_unsigned("==", value, each) for each in known]
        return same[0] if len(same) == 1 else self.builder.or_(same[0], same[1])

    def _result(self, found: Any, kind: Any) -> Any:
        builder = self.builder
        if isinstance(kind, types.NoneType):
            none = builder.inttoptr(self._slot("None"), _ADDRESS)
            self._call("Py_IncRef", ir.VoidType(), none)
            return none
        if isinstance(kind, types.Float):
            return self._call(
                "PyFloat_FromDouble", _ADDRESS, found if found.type == _DOUBLE else builder.fpext(found, _DOUBLE)
            )
        if isinstance(kind, types.Boolean):
            return self._call("PyBool_FromLong", _ADDRESS, builder.zext(found, _LONG))
        return self._call("PyLong_FromLongLong", _ADDRESS, found if found.type == _LONG else builder.sext(found, _LONG))


def _flat_number(context: Any, kind: Any) -> Any:
    return context.get_data_type(kind) if isinstance(kind, types.Boolean) else context.get_value_type(kind)


def _type_names(kind: Any) -> tuple[str, ...]:
    """Names in the table of the type numbers that NumPy may give to a type: integers of C have several names."""
    name = np.dtype(numpy_support.as_dtype(kind)).name
    return (name, f"other {name}") if name in ("int32", "int64") else (name,)
