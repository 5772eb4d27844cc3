"""Laws of users: a jitted function of ten lines over the table of elements."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from polycontact.contact.kinds import described, import_installed
from polycontact.contact.laws import PreparedLaw
from polycontact.contact.options import is_number, option
from polycontact.errors import ContactError


@dataclass(frozen=True)
class _Announced:
    """A function of a user, and what it needs: numbers of states and of values remembered of each element.

    ``tells_loss``: whether it writes what layers lose.
    """

    function: Callable[..., None]
    n_states: int
    memory_width: int
    tells_loss: bool


_announced: dict[str, _Announced] = {}
_stages: dict[str, int] = {}


@described("user_law")
@dataclass(frozen=True)
class UserLaw:
    """A law made of a function, announced with `contact_law`, and its parameters."""

    name: str = field(metadata=option("name under which the function was announced"))
    parameters: tuple[float, ...] = field(default=(), metadata=option("the numbers that the function gets, in order"))

    def __post_init__(self) -> None:
        if self.name not in _announced:
            import_installed()
        if self.name not in _announced:
            known = ", ".join(map(repr, sorted(_announced))) or "none"
            raise ContactError(
                f"law {self.name!r} is not known here (known: {known}); import the module that announces it"
            )
        object.__setattr__(self, "parameters", tuple(self.parameters))
        for i, value in enumerate(self.parameters):
            if not is_number(value) or not math.isfinite(value):
                raise ContactError(f"law {self.name!r}: parameter {i} is {value!r}; it must be a finite number")

    @property
    def n_states(self) -> int:
        """States that are integrated with the system."""
        return _announced[self.name].n_states

    @property
    def memory_width(self) -> int:
        """Numbers remembered of each element between accepted steps."""
        return _announced[self.name].memory_width

    @property
    def tells_loss(self) -> bool:
        """Whether the function tells what the layers lose."""
        return _announced[self.name].tells_loss

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law; its function is compiled when it is first used, not again for other parameters."""
        from polycontact.kernels.contact.law_compilation import UserParameters, compile_law

        announced = _announced[self.name]
        if self.name not in _stages:
            _stages[self.name] = compile_law(announced.function)
        values = UserParameters()
        values.reserve(n=len(self.parameters))
        values.values[:] = self.parameters
        return PreparedLaw(_stages[self.name], values, announced.n_states, announced.memory_width)


def contact_law(
    name: str, *, n_states: int = 0, memory_width: int = 0, tells_loss: bool = False
) -> Callable[[Callable[..., None]], Callable[..., UserLaw]]:
    """Announce a function as a law, normal or tangential; what it becomes makes laws of parameters.

        @pc.laws.contact_law("cubic")
        def cubic(elements, parameters):
            for k in range(elements.n):
                force = elements.share * elements.area[k] * parameters[0] * elements.depth[k] ** 3
                elements.normal_force[k] = elements.elastic_force[k] = force
                elements.energy[k] = force * elements.depth[k] / 4

        pc.ContactPairing(e, f, law=cubic(1e12))

    The function is compiled and runs over the table of elements (`ElementTable`). As a normal law it writes
    ``normal_force``, ``elastic_force`` (N, the part that is not lost) and ``energy`` (J) of every element; as a
    tangential law it adds to ``force`` (N, on E), in proportion to ``friction_load`` (N, the part of the normal force
    along the normal that both bodies share: submerged side faces do not rub), and writes ``friction_force`` (N), the
    part that is lost where the element slips. The area of a point is 1: a law per area is then one per point. A law
    that turns elements about their normals sets ``elements.spins`` to 1 and writes ``spin_torque`` (N m, on E about
    ``common_normal``) and ``spin_loss`` (W). In a scenario file it is `kind = "user_law"` with its `name` and
    `parameters`.

    With two more arguments, ``states`` and ``memory``, it has ``n_states`` states of its own, which start at zero: it
    reads ``states.values`` and writes ``states.rates`` (per s). And it remembers ``memory_width`` numbers of each
    element from one accepted step to the next: ``memory.trial[k]`` is what was remembered of element k (zeros where
    ``memory.known[k]`` is 0), and what the law writes there is remembered when the step is accepted. Evaluated again at
    the accepted state, with what it remembers then, a law should give the same force. A fifth argument ``pose`` is
    `Pose`: rotation, position and velocities of F in E.

    A normal law with ``tells_loss=True`` sets ``elements.loses`` to 1 and writes ``elements.layer_loss`` (W) of every
    element: power that layers lose besides damping, as in a dent. The ledger has it in the column "layers".
    """

    def announce(function: Callable[..., None]) -> Callable[..., UserLaw]:
        n_arguments = len(inspect.signature(function).parameters)
        if n_arguments not in (2, 4, 5):
            raise ContactError(
                f"law {name!r}: its function has {n_arguments} arguments; expected (elements, parameters), "
                f"(elements, parameters, states, memory) or (elements, parameters, states, memory, pose)"
            )
        for what, given in (("n_states", n_states), ("memory_width", memory_width)):
            if isinstance(given, bool) or not isinstance(given, int) or given < 0:
                raise ContactError(f"law {name!r}: {what} is {given!r}; give a whole number, 0 for none")
        if not isinstance(tells_loss, bool):
            raise ContactError(f"law {name!r}: tells_loss is {tells_loss!r}; give True or False")
        _announced[name] = _Announced(function, n_states, memory_width, tells_loss)
        _stages.pop(name, None)

        def make(*parameters: float) -> UserLaw:
            return UserLaw(name, parameters)

        make.__name__, make.__doc__ = function.__name__, function.__doc__
        return make

    return announce
