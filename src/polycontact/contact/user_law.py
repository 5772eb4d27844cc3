"""Laws of users: a jitted function of ten lines over the table of elements."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.laws import PreparedLaw, is_number
from polycontact.errors import ContactError

_functions: dict[str, Callable[..., None]] = {}
_stages: dict[str, int] = {}


@described("user_law")
@dataclass(frozen=True)
class UserLaw:
    """A law made of a function, announced with `contact_law`, and its parameters.

    ``name`` of the function in files; ``parameters``: the numbers it gets; ``n_states`` and ``memory_width``: states
    that are integrated with the system, and numbers remembered of each element between accepted steps.
    """

    name: str
    parameters: tuple[float, ...] = field(default=())
    n_states: int = 0
    memory_width: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(self.parameters))
        for i, value in enumerate(self.parameters):
            if not is_number(value) or not math.isfinite(value):
                raise ContactError(f"law {self.name!r}: parameter {i} is {value!r}; it must be a finite number")
        for what in ("n_states", "memory_width"):
            count = getattr(self, what)
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise ContactError(f"law {self.name!r}: {what} is {count!r}; give a whole number, 0 for none")

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled stage."""
        from polycontact.kernels.contact.law_compilation import UserParameters, compile_law

        if self.name not in _functions:
            raise ContactError(f"law {self.name!r} is not known here; import the module that announces it")
        if self.name not in _stages:
            _stages[self.name] = compile_law(_functions[self.name])
        values = UserParameters()
        values.reserve(n=len(self.parameters))
        values.values[:] = self.parameters
        return PreparedLaw(_stages[self.name], values, self.n_states, self.memory_width)


def contact_law(
    name: str, *, n_states: int = 0, memory_width: int = 0
) -> Callable[[Callable[..., None]], Callable[..., UserLaw]]:
    """Announce a function as a law, normal or tangential; what it becomes makes laws of parameters.

        @pc.contact_law("cubic")
        def cubic(elements, parameters):
            for k in range(elements.n):
                force = elements.share * elements.area[k] * parameters[0] * elements.depth[k] ** 3
                elements.normal_force[k] = elements.elastic_force[k] = force
                elements.energy[k] = force * elements.depth[k] / 4

        pc.ContactPairing(e, f, law=cubic(1e12))

    The function is compiled and runs over the table of elements (`ElementTable`). As a normal law it writes
    ``normal_force``, ``elastic_force`` (N, the part that is not lost) and ``energy`` (J) of every element; as a
    tangential law it adds to ``force`` (N, on E) and writes ``friction_force`` (N), the part that is lost where the
    element slips. The area of a point is 1: a law per area is then one per point.

    With two more arguments, ``states`` and ``memory``, it has states of its own, which start at zero: it reads
    ``states.values`` and writes ``states.rates`` (per s). And it remembers ``memory_width`` numbers of each element
    from one accepted step to the next: ``memory.trial[k]`` is what was remembered of element k (zeros where
    ``memory.known[k]`` is 0), and what the law writes there is remembered when the step is accepted. Evaluated again at
    the accepted state, with what it remembers then, a law should give the same force. A fifth argument ``pose`` is
    `Pose`: rotation, position and velocities of F in E.
    """

    def announce(function: Callable[..., None]) -> Callable[..., UserLaw]:
        n_arguments = len(inspect.signature(function).parameters)
        if n_arguments not in (2, 4, 5):
            raise ContactError(
                f"law {name!r}: its function has {n_arguments} arguments; expected (elements, parameters), "
                f"(elements, parameters, states, memory) or (elements, parameters, states, memory, pose)"
            )
        _functions[name] = function
        _stages.pop(name, None)

        def make(*parameters: float) -> UserLaw:
            return UserLaw(name, parameters, n_states, memory_width)

        make.__name__, make.__doc__ = function.__name__, function.__doc__
        return make

    return announce
