"""Memory of evaluations, as far as all methods share it: report, table of elements, what laws remember."""

from __future__ import annotations

from polycontact.contact.laws import PreparedLaw
from polycontact.kernels.contact.contact_header import ContactHeader
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.element_memory import commit_at
from polycontact.kernels.contact.element_table import ElementTable

_FIRST_ELEMENTS = 512
"""Elements that fit at first."""


class ContactMemory:
    """Memory of one evaluation. It grows when an evaluation asks for more and never shrinks.

    ``header``: the first field of a method's view, in whose row everything lies; ``laws``: normal, and tangential where
    there is one; ``depth_share``: of the depth, that E's layer takes.
    """

    def __init__(self, header: ContactHeader, laws: tuple[PreparedLaw, ...], depth_share: float) -> None:
        self.header = header
        self.address = header.address
        """Address of the row that the method's entry gets; it does not change."""
        self._laws = laws  # their parameters live as long as this memory
        header.laws.split_e = depth_share
        header.laws.normal, header.laws.normal_parameters = laws[0].stage, laws[0].parameters.address
        if len(laws) > 1:
            header.laws.tangential, header.laws.tangential_parameters = laws[1].stage, laws[1].parameters.address
        header.report.states.reserve(n=sum(law.n_states for law in laws))
        header.memory.width = max(law.memory_width for law in laws)
        self.reserve_elements(_FIRST_ELEMENTS)

    @property
    def report(self) -> ContactReport:
        """Results of the last evaluation."""
        return self.header.report

    @property
    def elements(self) -> ElementTable:
        """Elements of the last evaluation."""
        return self.header.elements

    def grow(self, status: int) -> None:
        """Make room for what overflowed, with as much again to spare."""
        if status & Status.OVERFLOW_ELEMENTS:
            self.reserve_elements(2 * self.report.needed)

    def reserve_elements(self, n: int) -> None:
        """Room for n contact elements."""
        self.header.elements.reserve(room=n)
        if self.header.memory.width:
            self.header.memory.reserve(trial_room=n)

    def commit(self) -> None:
        """The last evaluation belongs to an accepted step: what laws remember of its elements changes now."""
        if self.header.memory.width:
            needed = commit_at(self.address)
            if needed:
                self.header.memory.reserve(room=2 * needed)
                commit_at(self.address)
