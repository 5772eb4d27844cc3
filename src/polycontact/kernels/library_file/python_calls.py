"""The table by which a library calls Python, and the methods of Python that are made of its functions.

A library is linked neither to Python nor to NumPy: it has a table of addresses, and reads arrays where NumPy 2 keeps
what they are. Whether they lie so is looked at before anything is called.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from functools import cache
from typing import Any, Final

import numpy as np

TABLE: Final = "polycontact_python_calls"
"""The symbol of the table."""

_API: Final = (
    "PyLong_AsLongLong",
    "PyFloat_AsDouble",
    "PyObject_IsTrue",
    "PyErr_Occurred",
    "PyErr_SetString",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "PyLong_FromLongLong",
    "PyFloat_FromDouble",
    "PyBool_FromLong",
    "PyTuple_Size",
    "PyTuple_GetItem",
    "Py_IncRef",
)
_NUMBERS: Final = {
    "float64": np.double,
    "float32": np.single,
    "int64": np.int_ if np.dtype(np.int_).itemsize == 8 else np.longlong,
    "other int64": np.longlong,
    "int32": np.intc,
    "other int32": np.dtype("l").type if np.dtype("l").itemsize == 4 else np.intc,
    "uint8": np.ubyte,
    "int8": np.byte,
    "bool": np.bool_,
    "uint32": np.uintc,
}
CALLS: Final = ("ndarray", "None", "PyExc_TypeError", *_API, *(f"number of {name}" for name in _NUMBERS))
"""What the slots of the table hold, in order: addresses, and NumPy's numbers of types."""

_FASTCALL: Final = 0x80


class _Definition(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("kind", ctypes.c_int), ("doc", ctypes.c_char_p))


_definitions: list[_Definition] = []
"""They must live as long as the methods."""


@cache
def layout_fits() -> bool:
    """Whether objects and arrays of this Python and this NumPy lie as a library reads them."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") or sys.maxsize < 2**32:
        return False
    array = np.zeros((3, 5), dtype=np.float32)
    start = id(array)

    def long_at(place: int) -> int:
        return ctypes.c_int64.from_address(place).value

    def int_at(place: int) -> int:
        return ctypes.c_int32.from_address(place).value

    description = id(array.dtype)
    return bool(
        array.itemsize == 4
        and type(array).__basicsize__ >= 72
        and long_at(start + 8) == id(np.ndarray)
        and long_at(start + 16) == array.ctypes.data
        and int_at(start + 24) == 2
        and [long_at(long_at(start + 32) + 8 * k) for k in range(2)] == [3, 5]
        and long_at(start + 56) == description
        and int_at(start + 64) & 0x501 == 0x501
        and ctypes.c_char.from_address(description + 26).value == b"="
        and int_at(description + 28) == array.dtype.num
    )


def fill_table(library: ctypes.CDLL) -> None:
    """Give a library the addresses by which it calls Python."""
    known = {
        "ndarray": id(np.ndarray),
        "None": id(None),
        "PyExc_TypeError": id(TypeError),
        **{name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _API},
        **{f"number of {name}": np.dtype(kind).num for name, kind in _NUMBERS.items()},
    }
    table = (ctypes.c_int64 * len(CALLS)).in_dll(library, TABLE)
    for i, name in enumerate(CALLS):
        table[i] = known[name] or 0


def method_at(address: int, name: str) -> Any:
    """The function of Python whose code (METH_FASTCALL) is at an address."""
    definition = _Definition(name.encode(), address, _FASTCALL, None)
    _definitions.append(definition)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return make(ctypes.addressof(definition), None, None)
