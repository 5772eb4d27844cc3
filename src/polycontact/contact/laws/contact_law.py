"""What a force law is: parameters, and `prepare`, which gives a compiled stage over the table of elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from polycontact.kernels.views import View


class LawWork(Protocol):
    """Work space of a law in one evaluation; its content means nothing from one evaluation to the next."""

    @property
    def view(self) -> View:
        """What the stage finds at the address `LawPart.work`."""

    def reserve_elements(self, n: int) -> None:
        """Room for n elements, as in the table."""

    def grow(self, needed: int) -> None:
        """Room for what the law has asked for with the status OVERFLOW_LAW."""


@dataclass(frozen=True)
class PreparedLaw:
    """The compiled stage of a law and its parameters.

    ``stage``: address of code that takes the addresses of an evaluation and of the law's own part of it (`LawPart`);
    ``parameters``: kept as long as the stage may run. ``n_states`` and ``memory_width``: as the law itself says.
    ``keeps``: how long (s) elements are remembered after they have left; see `element_memory`.
    ``n_work``: numbers of work space for an evaluation. A law that keeps elements looks for what it remembers itself.
    ``make_work``: makes the work space that each evaluation needs, if any.
    """

    stage: int
    parameters: View
    n_states: int = 0
    memory_width: int = 0
    keeps: float = 0.0
    n_work: int = 0
    make_work: Callable[[], LawWork] | None = None


@runtime_checkable
class ContactLaw(Protocol):
    """A normal or tangential law.

    A law with states that are integrated with the system says how many by an attribute ``n_states``, one that remembers
    elements between accepted steps by ``memory_width``, the numbers of each element. One whose attribute ``tells_loss``
    is true writes what its layers lose besides damping (`ElementTable.layer_loss`). A law with an attribute
    ``per_point`` that is true has no meaning per area, and is refused where elements are pieces of surface.
    """

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """Compile the stage; ``stiffness`` (N/m³) of the layers, or of the normal law, where there is one."""
