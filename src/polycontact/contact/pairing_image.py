"""A pairing in a file that programs without Python evaluate: its set-up and the memory of an evaluation as they lie.

Views form a graph of blocks of memory whose every address is known: arrays, nested and referenced views, code. An image
is a copy of the blocks, in which addresses are places in the image, and a list of the slots that hold one. Code is
named. `polycontact.h` reads it (`docs/howto/use_from_c.md`); the order of what stands in it is that of `write` below.
"""

from __future__ import annotations

import bisect
import ctypes
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from polycontact.contact.contact_memory import ContactMemory
from polycontact.contact.mesh_pair import MeshMemory
from polycontact.contact.methods import PenetrationLines, PolygonalMethod, has_distance_depth
from polycontact.errors import ContactError
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.library_file.library_key import sources_key
from polycontact.kernels.library_file.named_code import named_code
from polycontact.kernels.views import JIT_IS_OFF, Field, View
from polycontact.replacing import write_whole
from polycontact.surfaces.geometry import size_of

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing

VERSION: Final = 1
_MAGIC: Final = b"PCPAIR\r\n"
_BYTE_ORDER: Final = 0x0102030405060708
_LINE: Final = 64
"""Blocks begin at multiples of this many bytes."""
_COMMIT: Final = "polycontact_contact_element_memory_commit_at"
_FIELDS: Final = (
    *("report.status", "report.needed", "report.in_full", "report.area", "report.depth", "report.pressure"),
    *("report.energy", "report.damping_power", "report.friction_power", "report.slope_state", "report.slope_size"),
    *("report.slope", "report.kinematics", "report.states.n", "report.states.values", "report.states.rates"),
    "elements.n",
)
"""Fields of the header of an evaluation that C reads and writes, in the order of its enum."""


@dataclass(frozen=True)
class _Block:
    """A stretch of memory, and where it stands in the image."""

    address: int
    length: int
    place: int


@dataclass(frozen=True)
class _Slot:
    """A field of a view that holds an address; ``is_shared``: of the set-up."""

    view: View
    field: Field
    is_shared: bool

    @property
    def address(self) -> int:
        """Of the slot itself."""
        return self.view.address + 8 * self.field.slot

    @property
    def value(self) -> int:
        """The address in it."""
        return int(self.view.row[self.view.first_slot + self.field.slot])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array there."""
        return self.view._shape(self.field)


def save_pairing(pairing: ContactPairing, path: str | os.PathLike[str]) -> None:
    """Write the image of a pairing to a file, whole or not at all."""
    write_whole(path, pairing_image(pairing))


def pairing_image(pairing: ContactPairing) -> bytes:
    """The image of a pairing; `ContactError` where it has code that no library has."""
    if JIT_IS_OFF:
        raise ContactError(f"{pairing.name}: without the JIT there is no compiled code whose memory could be saved")
    memory = pairing.make_memory()
    if not isinstance(memory, ContactMemory) or type(memory).grow not in (ContactMemory.grow, MeshMemory.grow):
        raise ContactError(f"{pairing.name}: the memory of {type(pairing.method).__name__} cannot be saved")
    return _Image(pairing, memory).written()


class _Image:
    """What is known of an image while it is made."""

    def __init__(self, pairing: ContactPairing, memory: ContactMemory) -> None:
        self.pairing, self.memory = pairing, memory
        self.names: list[str] = []
        self.codes = dict(named_code())
        self.slots: list[_Slot] = []
        self.ranges: list[tuple[int, int, bool]] = []
        self.evaluation: View = vars(memory)["evaluation"]
        self.known = {view.address: view for view in _views_of(pairing.prepared, memory)}
        self._walk(self.evaluation, is_shared=False)
        self.blocks, self.n_shared, self.n_bytes = _laid_out(self.ranges)
        self.starts = [block.address for block in self.blocks]

    def _walk(self, view: View, *, is_shared: bool) -> None:
        """Note the memory of a view, and of what it holds addresses of."""
        self.ranges.append((view.row.ctypes.data, view.row.nbytes, is_shared))
        for field in view.fields.values():
            slot = _Slot(view, field, is_shared)
            if field.kind == "nested":
                self._walk(getattr(view, field.name), is_shared=is_shared)
            elif field.kind == "reference" and slot.value:
                self.slots.append(slot)
                self._once(getattr(view, field.name))
            elif field.kind == "array" and slot.value and prod(slot.shape):
                self.slots.append(slot)
                self.ranges.append((slot.value, prod(slot.shape) * np.dtype(field.dtype).itemsize, is_shared))
            elif field.kind == "count" and field.doc.startswith("address") and slot.value:
                self.slots.append(slot)
                if slot.value not in self.codes and not self._is_inside(slot.value):
                    self._once(self._found(slot))

    def _is_inside(self, address: int) -> bool:
        """Whether an address is of the evaluation itself."""
        row = self.evaluation.row
        return bool(row.ctypes.data <= address < row.ctypes.data + row.nbytes)

    def _once(self, view: View) -> None:
        if not any(start == view.row.ctypes.data for start, _, _ in self.ranges):
            self._walk(view, is_shared=True)

    def _found(self, slot: _Slot) -> View:
        """The view at an address; the code of a user is at none that is known."""
        view = self.known.get(slot.value)
        if view is None:
            owner = f"{type(slot.view).__name__}.{slot.field.name}"
            raise ContactError(
                f"{self.pairing.name}: a law or a surface of yours ({owner}) is compiled here and is in no library of "
                f"kernels; a pairing is saved with the package's own laws, methods and shapes"
            )
        return view

    def place(self, address: int) -> int:
        """Where something of the blocks stands in the image."""
        block = self.blocks[bisect.bisect_right(self.starts, address) - 1]
        if not block.address <= address < block.address + block.length:
            raise AssertionError(f"address {address:#x} lies in no block of the image")
        return block.place + address - block.address

    def _name(self, address: int) -> int:
        name = self.codes.get(address)
        if name is None:
            method = type(self.pairing.method).__name__
            raise ContactError(f"{self.pairing.name}: {method} is compiled here and is in no library of kernels")
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def written(self) -> bytes:
        """The image: header, tables of whole numbers, names, blocks."""
        entry = self._name(self.pairing.entry)
        header = self.memory.header
        own = [slot for slot in self.slots if slot.field.kind == "array" and not slot.is_shared]
        codes = [(slot.address, self._name(slot.value)) for slot in self.slots if slot.value in self.codes]
        moved = [slot for slot in self.slots if slot.value not in self.codes]
        tables = (
            [[self.place(_slot_of(header, name)) for name in _FIELDS]],
            [[self.place(slot.address), self.place(slot.value)] for slot in moved],
            [[self.place(address), name] for address, name in codes],
            [self._array(slot) for slot in own],
            [list(rule) for rule in self._rules()],
            [self._column(name, field) for name, field in header.elements.fields.items() if field.kind == "array"],
        )
        texts = [self.pairing.name, *self.names, *self.columns]
        names = b"".join(each.encode() + b"\0" for each in texts)
        names += bytes(-len(names) % 8)
        content = b"".join(struct.pack(f"<{len(row)}q", *row) for table in tables for row in table) + names
        content += bytes(-(len(content) + _HEADER.size) % _LINE) + self._memory()
        size = min(size_of(self.pairing.e), size_of(self.pairing.f))
        method = self.pairing.method
        knows_slope = isinstance(method, PolygonalMethod | PenetrationLines) and has_distance_depth(method)
        counts = [len(self.names), *(len(table) for table in tables[1:])]
        head = _HEADER.pack(
            *(_MAGIC, VERSION, _BYTE_ORDER, _HEADER.size + len(content), zlib.crc32(content)),
            *(sources_key().encode(), self.n_shared, self.n_bytes - self.n_shared, entry),
            *(self.place(self.memory.address), len(names), *counts, int(knows_slope), size),
        )
        return head + content

    def _memory(self) -> bytes:
        """The blocks, with zeros where addresses were."""
        made = bytearray(self.n_bytes)
        for block in self.blocks:
            made[block.place : block.place + block.length] = ctypes.string_at(block.address, block.length)
        for slot in self.slots:
            place = self.place(slot.address)
            made[place : place + 8] = bytes(8)
        return bytes(made)

    def _array(self, slot: _Slot) -> list[int]:
        """An array that may have to grow: its slot, bytes an item, and lengths, negative where a count says them."""
        lengths = [
            size if isinstance(size, int) else -self.place(slot.view.address + 8 * slot.view.fields[size].slot)
            for size in slot.field.shape
        ]
        return [self.place(slot.address), np.dtype(slot.field.dtype).itemsize, *lengths, *[1] * (3 - len(lengths))]

    def _rules(self) -> Iterator[tuple[int, int, int, int, int, int]]:
        """How counts grow: (bit of the status, count whose size it tells, count, times, plus, at least)."""

        def place(view: View, name: str) -> int:
            return self.place(view.address + 8 * view.fields[name].slot)

        header: Any = self.memory.header
        room = place(header.elements, "room")
        bit = int(Status.OVERFLOW_ELEMENTS)
        yield bit, room, room, 1, 0, 0
        for part in (header.laws.normal, header.laws.tangential):
            if part.memory.width:
                yield bit, room, place(part.memory, "room"), 1, 0, 0
        if isinstance(self.memory, MeshMemory):
            yield from mesh_rules(self.evaluation, place)

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the table of elements."""
        return [name for name, field in self.memory.header.elements.fields.items() if field.kind == "array"]

    def _column(self, name: str, field: Field) -> list[int]:
        """A column: the slot of its array, numbers a row, and whether they are whole."""
        place = self.place(_slot_of(self.memory.header, f"elements.{name}"))
        return [place, prod(int(size) for size in field.shape[1:]), int(field.dtype == np.int32)]


_HEADER = struct.Struct("<8s4q24s12qd")


def mesh_rules(evaluation: Any, place: Any) -> Iterator[tuple[int, int, int, int, int, int]]:
    """What grows besides the table in the memory of two meshes, as `MeshMemory.grow` and `SharedWork` have it."""
    from polycontact.contact.shared_work import EDGES_PER_SEGMENT, LEAST_EDGES

    bit, room = int(Status.OVERFLOW_ELEMENTS), place(evaluation.header.elements, "room")
    yield bit, room, place(evaluation.cells, "room_of_rows"), 1, 0, 0
    bit, room = int(Status.OVERFLOW_SEGMENTS), place(evaluation.segments, "room")
    yield bit, room, room, 1, 0, 0
    yield bit, room, place(evaluation.cells, "room"), EDGES_PER_SEGMENT, 0, LEAST_EDGES
    yield bit, room, place(evaluation.parts, "room"), 1, 1, 0
    yield bit, room, place(evaluation.parts, "room_of_crossings"), 2, 0, 0
    bit, room = int(Status.OVERFLOW_CANDIDATES), place(evaluation.candidates, "room")
    yield bit, room, room, 1, 0, 0
    yield bit, room, place(evaluation.candidates, "room_and_4"), 1, 4, 0
    age = place(evaluation.candidates, "age")
    for any_bit in (Status.OVERFLOW_ELEMENTS, Status.OVERFLOW_SEGMENTS, Status.OVERFLOW_CANDIDATES):
        yield int(any_bit), room, age, 0, 0, 0


def _slot_of(view: View, path: str) -> int:
    """Address of a field of a view, or of one nested in it."""
    name, _, rest = path.partition(".")
    return _slot_of(getattr(view, name), rest) if rest else view.address + 8 * view.fields[name].slot


def _views_of(*owners: object) -> Iterator[View]:
    """Views that objects hold, directly or through others: what the addresses in counts may be of."""
    seen: set[int] = set()
    waiting = list(owners)
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, View):
            yield each
            waiting += [getattr(each, field.name) for field in each.fields.values() if field.kind == "nested"]
            waiting += [held for held in each._held.values() if isinstance(held, View)]
        elif isinstance(each, tuple | list):
            waiting += each
        elif is_dataclass(each) and not isinstance(each, type):
            waiting += [getattr(each, field.name) for field in fields(each)]
        elif type(each).__module__.startswith("polycontact."):
            waiting += list(getattr(each, "__dict__", {}).values())


def _laid_out(ranges: list[tuple[int, int, bool]]) -> tuple[list[_Block], int, int]:
    """Blocks of the ranges (address, length, whether shared), each byte once and the shared ones first; how long these
    are in the image, and all of them. Ranges that overlap are one block."""
    merged: list[list[Any]] = []
    for address, length, is_shared in sorted(ranges):
        if merged and address < merged[-1][0] + merged[-1][1]:
            last = merged[-1]
            last[1] = max(last[1], address + length - last[0])
            last[2] = last[2] or is_shared
        else:
            merged.append([address, length, is_shared])
    blocks: list[_Block] = []
    place = n_shared = 0
    for wanted in (True, False):
        for address, length, is_shared in merged:
            if is_shared is wanted:
                blocks.append(_Block(address, length, place))
                place += -(-length // _LINE) * _LINE
        n_shared = place if wanted else n_shared
    return sorted(blocks, key=lambda block: block.address), n_shared, place
