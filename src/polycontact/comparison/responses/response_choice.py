"""Which responses are compared: by name, or as they are."""

from __future__ import annotations

from collections.abc import Sequence

from polycontact.errors import SimulationError
from polycontact.simulation.responses.response import (
    CompliantResponse,
    ImpulseResponse,
    MultiplierResponse,
    Response,
)

NAMED: dict[str, Response] = {
    "compliant": CompliantResponse(),
    "propagation": ImpulseResponse(update="propagation"),
    "simultaneous": ImpulseResponse(update="simultaneous"),
    "multipliers": MultiplierResponse(),
    "yielding": MultiplierResponse(yielding=True),
}
"""Forces, impulses one by one and all at once, multipliers of rigid bodies and of bodies that yield."""

USUAL = ("compliant", "propagation", "simultaneous", "multipliers")
"""What a comparison has if nothing is chosen; where stiffness matters, all."""

ALIASES = {"impulses": "propagation"}
"""Other names: that of the family stands for its default."""


def chosen_responses(given: Sequence[str | Response] | None, *, yields: bool = False) -> dict[str, Response]:
    """Responses by the labels of their rows; those of a kind that is there already are numbered.

    ``yields``: whether multipliers that yield are among what nobody chose.
    """
    if given is None:
        return {label_of(NAMED[name]): NAMED[name] for name in (NAMED if yields else USUAL)}
    if isinstance(given, str) or not len(given):
        raise SimulationError(f"responses is {given!r}; give a list, of {', '.join(NAMED)} or of responses")
    chosen: dict[str, Response] = {}
    for each in map(_named, given):
        if each in chosen.values():
            continue
        label, n = label_of(each), 2
        while label in chosen:
            label, n = f"{label_of(each)} ({n})", n + 1
        chosen[label] = each
    return chosen


def label_of(response: Response) -> str:
    """A response in a few words."""
    match response:
        case ImpulseResponse():
            hypothesis = "" if response.hypothesis == "energetic" else f", {response.hypothesis}"
            return f"impulses, {response.update}{hypothesis}"
        case MultiplierResponse():
            words = ["multipliers"] + ["yielding"] * response.yielding
            if response.step != MultiplierResponse().step:
                words.append(f"steps of {1e3 * response.step:g} ms")
            return ", ".join(words)
    return "compliant"


def has_stiffness(response: Response) -> bool:
    """Whether the stiffness of contact laws matters to a response."""
    return isinstance(response, CompliantResponse) or (isinstance(response, MultiplierResponse) and response.yielding)


def _named(given: str | Response) -> Response:
    if isinstance(given, CompliantResponse | ImpulseResponse | MultiplierResponse):
        return given
    found = NAMED.get(ALIASES.get(given, given)) if isinstance(given, str) else None
    if found is None:
        raise SimulationError(
            f"responses has {given!r}; there are {', '.join((*NAMED, *ALIASES))}, and ImpulseResponse(…) and "
            f"MultiplierResponse(…) for other options"
        )
    return found
