"""Memory of evaluations, as far as all methods share it: report, table of elements, what laws own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws import PreparedLaw
from polycontact.kernels.contact.contact_header import ContactHeader, LawPart
from polycontact.kernels.contact.contact_report import ContactReport, ContactStates, Status
from polycontact.kernels.contact.element_memory import commit_at
from polycontact.kernels.contact.element_table import ElementTable

_FIRST_ELEMENTS = 128
"""Elements that fit at first, where the method says nothing else."""


PARTS_BITS: Final = 20
"""Bits of a key that tell the connected part of a triangle, see `kernels.contact.element_memory`."""


def faces_of_keys(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Triangle of the base (leaf order) and side, 0 of E and 1 of F, of the elements with some keys."""
    face = keys >> PARTS_BITS
    return face >> 1, face & 1


class Remembered(NamedTuple):
    """What a law remembers of elements: their ``keys`` (n,), ascending, and ``values`` (n, width)."""

    keys: NDArray[np.int64]
    values: NDArray[np.float64]


LawMemories = Mapping[int, Remembered]
"""What the laws of a pair remember: 0 the normal law, 1 the tangential one, where they remember something."""


class ContactMemory:
    """Memory of one evaluation. It grows when an evaluation asks for more and never shrinks; see also `SharedWork`.

    ``header``: the first field of a method's view, in whose row everything lies; ``laws``: normal, and tangential where
    there is one; ``depth_share``: of the depth, that E's layer takes; ``n_states``: states of the method itself, the
    first of ``header.report.states``; ``room``: elements that fit at first.
    """

    def __init__(
        self,
        header: ContactHeader,
        laws: tuple[PreparedLaw, ...],
        depth_share: float,
        n_states: int = 0,
        *,
        room: int = _FIRST_ELEMENTS,
    ) -> None:
        self.header = header
        self.address = header.address
        """Address of the row that the method's entry gets; it does not change."""
        self._laws = laws  # their parameters live as long as this memory
        header.laws.split_e = depth_share
        header.report.states.reserve(n=n_states + sum(law.n_states for law in laws))
        first = n_states
        self._parts = (header.laws.normal, header.laws.tangential)[: len(laws)]
        for part, law in zip(self._parts, laws, strict=True):
            part.stage, part.parameters, part.place = law.stage, law.parameters.address, part.address
            _share_states(part.states, header.report.states, first, law.n_states)
            part.memory.width, part.memory.keeps = law.memory_width, law.keeps
            part.memory.reserve(n_work=law.n_work)
            first += law.n_states
        self._works = []
        for part, law in zip(self._parts, laws, strict=True):
            if law.make_work is not None:
                work = law.make_work()
                part.work = work.view.address
                self._works.append(work)
        self.reserve_elements(room)

    @property
    def report(self) -> ContactReport:
        """The result of the last evaluation."""
        return self.header.report

    @property
    def elements(self) -> ElementTable:
        """Elements of the last evaluation."""
        return self.header.elements

    def grow(self, status: int) -> None:
        """Make room for what overflowed, with as much again to spare."""
        if status & Status.OVERFLOW_ELEMENTS:
            self.reserve_elements(2 * max(self.report.needed, self.elements.room))
        elif status & Status.OVERFLOW_LAW:
            for work in self._works:
                work.grow(self.report.needed)

    def reserve_elements(self, n: int) -> None:
        """Room for n contact elements; what laws remember stays."""
        for part in self._remembering().values():
            _reserve(part, n)
        for work in self._works:
            work.reserve_elements(n)
        self.header.elements.reserve(room=n)  # last: what laws remember has room for all that is in the table

    def commit(self) -> None:
        """The last evaluation belongs to an accepted step: what laws remember of its elements changes now."""
        while needed := commit_at(self.address):
            for part in self._remembering().values():
                _reserve(part, 2 * needed)

    def leave(self) -> None:
        """The bodies are far apart: what laws do not keep of elements that have left is forgotten."""
        for part in self._remembering().values():
            if part.memory.keeps == 0.0:
                part.memory.n = 0

    def remembered(self) -> LawMemories:
        """Copies of what the contact laws remember of elements."""
        return {law: _remembered(part) for law, part in self._remembering().items()}

    def remember(self, remembered: LawMemories) -> None:
        """Take over what `remembered` gave, maybe of another evaluation of the pair; other laws remember nothing."""
        for law, part in self._remembering().items():
            part.memory.n = 0
            if law in remembered:
                if len(remembered[law].keys) > part.memory.room:
                    _reserve(part, 2 * len(remembered[law].keys))
                _remember(part, remembered[law])

    def _remembering(self) -> dict[int, LawPart]:
        """The laws with a memory, by their numbers."""
        return {law: part for law, part in enumerate(self._parts) if part.memory.width}


def _share_states(own: ContactStates, states: ContactStates, first: int, n: int) -> None:
    """Let ``own``, the states of one law, be the ``n`` states of the contact from ``first`` on, without a copy."""
    own.n = n
    own.values = states.values[first : first + n]
    own.rates = states.rates[first : first + n]


def _reserve(part: LawPart, n: int) -> None:
    """Room for what a law remembers of n elements, and of as many as it remembers now."""
    memory, kept = part.memory, _remembered(part)
    trial = memory.trial if memory.room else np.zeros((0, memory.width))
    memory.reserve(room=max(n, len(kept.keys)))
    stays = min(len(trial), memory.room)  # of an evaluation that is to be remembered
    memory.trial[:stays] = trial[:stays]
    _remember(part, kept)


def _remembered(part: LawPart) -> Remembered:
    memory = part.memory
    if not memory.room:
        return Remembered(np.zeros(0, np.int64), np.zeros((0, memory.width)))
    return Remembered(memory.keys[: memory.n].copy(), memory.values[: memory.n].copy())


def _remember(part: LawPart, remembered: Remembered) -> None:
    memory = part.memory
    n = memory.n = len(remembered.keys)
    memory.keys[:n], memory.values[:n] = remembered
