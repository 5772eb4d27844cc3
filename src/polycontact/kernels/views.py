"""Views: memory that kernels touch by attribute, declared once.

A class body is layout, documentation, mypy type, allocation and compiled type at once:

    class Candidates(View):
        \"\"\"Pairs of triangles that may intersect.\"\"\"

        room = count("pairs that fit")
        n = count("pairs found")
        pairs = ints("room", 2, doc="triangle of E, triangle of F")
        gaps = doubles("room", unit="m", doc="least distance of the two when they were found")

To compiled code a view is one address; ``candidates.n`` is read and written there, ``candidates.pairs`` is an array of
``room`` rows. Python owns the memory through an object of the class: counts and numbers stand in a row of 64-bit slots,
an array's slot holds its address. A row crosses from Python; inside an entry it is cast (`cast_to`) to the outermost
view, and every kernel below takes the views that it reads and writes. Bodies touch views by attribute only, so they run
on the Python objects too (with the JIT off).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.numba_internals.view_types import accept_views, compiled_cast

JIT_IS_OFF = bool(vars(numba.config)["DISABLE_JIT"])
"""Kernels are plain Python (NUMBA_DISABLE_JIT): slow, for coverage and debugging."""

Doubles = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
V = TypeVar("V", bound="View")
Shape = tuple["int | str", ...]


# The fields of a class body ---------------------------------------------------------------------------------


@dataclass
class Field:
    """One line of a class body: what stands in a slot, or in several."""

    kind: Literal["count", "number", "array", "inline", "nested", "reference"]
    doc: str
    dtype: Any = None
    shape: Shape = ()
    view: Any = None
    name: str = ""
    slot: int = 0

    @property
    def n_slots(self) -> int:
        """Slots that it takes in the row of its view."""
        if self.kind == "nested":
            return cast(int, self.view.n_slots)
        return prod(cast(tuple[int, ...], self.shape)) if self.kind == "inline" else 1


def _documented(doc: str, unit: str) -> str:
    return f"{doc}, {unit}" if unit else doc


def count(doc: str) -> int:
    """A whole number, read and written by kernels: a count, a flag, a mode."""
    return cast(int, Field("count", doc))


def number(doc: str, unit: str = "") -> float:
    """A floating-point number, read and written by kernels."""
    return cast(float, Field("number", _documented(doc, unit)))


def doubles(*shape: int | str, doc: str, unit: str = "") -> Doubles:
    """An array of numbers; its shape: integers, or names of counts of the same view."""
    return cast(Doubles, Field("array", _documented(doc, unit), np.float64, shape))


def ints(*shape: int | str, doc: str) -> Ints:
    """A field for an array of 32-bit integers of this shape; a name in it is that of a count."""
    return cast(Ints, Field("array", doc, np.int32, shape))


def longs(*shape: int | str, doc: str) -> Longs:
    """An array of whole numbers of 64 bits: keys, stamps, addresses."""
    return cast(Longs, Field("array", doc, np.int64, shape))


def inline(*shape: int, doc: str, unit: str = "") -> Doubles:
    """A small array of numbers of fixed shape that lies in the row itself; neighbours lie side by side."""
    return cast(Doubles, Field("inline", _documented(doc, unit), np.float64, shape))


def nested(view: type[V]) -> V:
    """Another view whose slots lie in the row of this one."""
    return cast(V, Field("nested", view.__doc__ or "", view=view))


def reference(view: type[V]) -> V:
    """Another view that lies elsewhere and may be shared: this one holds its address."""
    return cast(V, Field("reference", view.__doc__ or "", view=view))


# The Python side: who owns the memory ------------------------------------------------------------------------

_owners: weakref.WeakValueDictionary[tuple[type, int], View] = weakref.WeakValueDictionary()
"""Views by class and address of the first slot, for casts with the JIT off."""


_LINE = 64
"""Arrays begin at multiples of this many bytes within their block, a line of the cache."""


class _Place(NamedTuple):
    """Where an array lies that compiled code uses, and Python has not looked at."""

    block: NDArray[np.uint8]
    at: int
    shape: tuple[int, ...]


class View:
    """Memory of one kind. Attributes are the fields of the class body; subclasses declare them."""

    fields: ClassVar[dict[str, Field]] = {}
    n_slots: ClassVar[int] = 0
    _arrays: ClassVar[tuple[Field, ...]] = ()
    _sizes: ClassVar[tuple[str, ...]] = ()
    _digest: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if any(base.fields for base in cls.__bases__ if issubclass(base, View)):
            raise TypeError(f"{cls.__name__}: a view has no heirs; nest the other one in it")
        fields: dict[str, Field] = {}
        slot = 0
        for name, field in list(vars(cls).items()):
            if isinstance(field, Field):
                if hasattr(View, name) or name in ("row", "first_slot"):
                    raise TypeError(f"{cls.__name__}.{name}: every view has this attribute already; name it otherwise")
                field.name, field.slot = name, slot
                slot += field.n_slots
                fields[name] = field
                setattr(cls, name, _Access(field))
        cls.fields, cls.n_slots = fields, slot
        cls._arrays = tuple(field for field in fields.values() if field.kind == "array")
        cls._sizes = tuple({size for field in cls._arrays for size in field.shape if isinstance(size, str)})

    def __init__(self, row: NDArray[np.int64] | None = None, first: int = 0, address: int | None = None) -> None:
        self.row: NDArray[np.int64] = np.zeros(self.n_slots, dtype=np.int64) if row is None else row
        """The slots, of the outermost view; what crosses into compiled code where this view is that one."""
        self.first_slot = first
        """Where this view begins in the row."""
        self.address: int = self.row.ctypes.data + 8 * first if address is None else address
        """Where the slots of this view begin."""
        self._numbers = self.row.view(np.float64)
        self._held: dict[str, Any] = {}  # of arrays that no Python code has looked at, where they lie: `_Place`
        if JIT_IS_OFF:
            _owners[type(self), self.address] = self
            for field in self.fields.values():
                if field.kind == "nested":
                    self._read(field)

    def reserve(self, **counts: int) -> None:
        """Set counts and allocate, filled with zeros, every array whose shape depends on one of them.

        They lie in one block, which lives as long as one of them is needed. Where memory runs out nothing has changed.
        """
        made = []
        end = 0
        for field in self._arrays:
            if not counts.keys().isdisjoint(field.shape):
                shape = self._shape(field, counts)
                made.append((field, end, shape))
                end += -(-prod(shape) * np.dtype(field.dtype).itemsize // _LINE) * _LINE
        block = np.zeros(end, dtype=np.uint8)
        start, first = int(block.ctypes.data), self.first_slot
        for name, value in counts.items():
            self.row[first + self.fields[name].slot] = value
        for field, at, shape in made:
            self._held[field.name] = _Place(block, at, shape)
            self.row[first + field.slot] = start + at

    def borrow(self, other: View) -> None:
        """Take over the arrays of another view of this class, with their sizes; other counts stay as they are."""
        for name in self._sizes:
            slot = self.fields[name].slot
            self.row[self.first_slot + slot] = other.row[other.first_slot + slot]
        for field in self._arrays:
            self.row[self.first_slot + field.slot] = other.row[other.first_slot + field.slot]
            if field.name in other._held:
                self._held[field.name] = other._held[field.name]

    @classmethod
    def slots(cls, *names: str) -> NDArray[np.int64]:
        """Where some counts stand, for `read_counts`."""
        return np.array([cls.fields[name].slot for name in names])

    def read_counts(self, slots: NDArray[np.int64]) -> list[int]:
        """Values of the counts at ``slots``, which `slots` found, in one read."""
        return cast(list[int], self.row[slots + self.first_slot].tolist())

    def allocate(self, *names: str) -> None:
        """Zeros for arrays whose counts are set."""
        for name in names:
            field = self.fields[name]
            setattr(self, name, np.zeros(self._shape(field), dtype=field.dtype))

    def _shape(self, field: Field, counts: Mapping[str, int] | None = None) -> tuple[int, ...]:
        """Shape of an array, with the counts of the view or those given in their place."""
        given = counts or {}
        return tuple(
            size if isinstance(size, int) else int(given[size] if size in given else getattr(self, size))
            for size in field.shape
        )

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__} holds addresses of this process: it is never copied, pickled or sent")

    def _read(self, field: Field) -> Any:
        if field.kind == "count":
            return int(self.row[self.first_slot + field.slot])
        if field.kind == "number":
            return float(self._numbers[self.first_slot + field.slot])
        held = self._held.get(field.name)
        if held is None or type(held) is _Place:
            held = self._held[field.name] = self._found(field, held)
        return held

    def _found(self, field: Field, place: _Place | None) -> Any:
        """What Python sees of a field when it looks at it for the first time."""
        at = self.first_slot + field.slot
        if field.kind == "nested":
            return field.view(self.row, at, self.address + 8 * field.slot)
        if field.kind == "inline":
            return self._numbers[at : at + field.n_slots].reshape(cast(tuple[int, ...], field.shape))
        if place is None:
            raise KeyError(field.name)
        count = prod(place.shape)
        return (
            np.frombuffer(place.block, field.dtype, count, place.at).reshape(place.shape)
            if count
            else np.zeros(place.shape, field.dtype)
        )

    def _write(self, field: Field, value: Any) -> None:
        at = self.first_slot + field.slot
        if field.kind == "count":
            self.row[at] = value
        elif field.kind == "number":
            self._numbers[at] = value
        elif field.kind == "array":
            self._hold(field, self._checked(field, value))
        elif field.kind == "reference":
            if not isinstance(value, field.view):
                raise TypeError(f"{type(self).__name__}.{field.name} is {value!r}; expected a {field.view.__name__}")
            self._held[field.name] = value
            self.row[at] = value.address
        else:
            raise AttributeError(f"{type(self).__name__}.{field.name} lies in its view; change what is in it")

    def _hold(self, field: Field, array: NDArray[Any]) -> None:
        self._held[field.name] = array
        self.row[self.first_slot + field.slot] = array.ctypes.data

    def _checked(self, field: Field, array: NDArray[Any]) -> NDArray[Any]:
        """An array that compiled code may open as declared."""
        expected = self._shape(field)
        fits = array.dtype == field.dtype and array.shape == expected and array.flags.c_contiguous
        if not fits:
            raise TypeError(
                f"{type(self).__name__}.{field.name} got {array.dtype} {array.shape}; declared is a contiguous "
                f"{np.dtype(field.dtype)} {expected} ({', '.join(map(str, field.shape))})"
            )
        return array


class _Access:
    """Attribute of a view in Python."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.__doc__ = field.doc

    def __get__(self, view: View | None, owner: type[View]) -> Any:
        return self if view is None else view._read(self.field)

    def __set__(self, view: View, value: Any) -> None:
        view._write(self.field, value)


# The compiled side: numba_internals/view_types.py ------------------------------------------------------------

accept_views(View)


def cast_to(view: type[V]) -> Callable[[Any], V]:
    """Maker of a function that takes a row of slots (int64), or its address, and gives the view that lies there."""
    if JIT_IS_OFF:

        def found(row: Any) -> V:
            return cast(V, _owners[view, int(row) if isinstance(row, int | np.integer) else row.ctypes.data])

        return found
    return cast(Callable[[Any], V], compiled_cast(view))
