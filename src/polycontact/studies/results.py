"""Results: numbers that a study keeps of each run, named in the language of `result_words` or made by a function.

`parse_result` takes a text apart and finds the things it names in the system, before any run; `Result.value` reads the
number off a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from polycontact.errors import SimulationError, StudyError, UnitError
from polycontact.scenario.file_problems import shown, suggestion
from polycontact.simulation.recording.histories import Names, PairingNames
from polycontact.simulation.recording.records import RunDescription
from polycontact.simulation.recording.sample_quantities import effort_unit, variable_unit
from polycontact.studies.result_windows import Window, split_window
from polycontact.studies.result_words import (
    COMPONENTS,
    ENERGY_WORDS,
    HOW,
    OF_BODIES,
    OF_CONTACTS,
    OF_ELEMENTS,
    OF_JOINTS,
    OF_REACTIONS,
    OF_RUN,
    PERCENTILE,
    TIMES_OF_CONTACTS,
    WITH_TIME,
    Quantity,
)
from polycontact.units import quantity as number_with_unit

if TYPE_CHECKING:
    from polycontact.simulation.run_result import Run

KINDS: Final[dict[str, Mapping[str, Quantity]]] = {
    "reaction": OF_REACTIONS,
    "element": OF_ELEMENTS,
    "body": OF_BODIES,
    "contact": OF_CONTACTS,
    "joint": OF_JOINTS,
    "contact time": TIMES_OF_CONTACTS,
}
"""Quantities of things, by the kind of thing."""

OF_ALL_CONTACTS: Final = ("force", "pressure", "depth")
"""Loads whose peak over all contacts may be asked for."""

PLAIN_HOW: Final = "the value itself"
LIST_COMMAND: Final = "'polycontact study results' for all words"

_HEAD: Final = re.compile(rf"(?P<when>time of )?(?:(?P<how>{'|'.join(HOW)}|{PERCENTILE}) )?(?P<rest>.+)", re.DOTALL)
_AT: Final = re.compile(r"(?P<rest>.+?) at (?P<time>[-+.\d].*)", re.DOTALL)
_COMPONENT: Final = re.compile(r"(?P<thing>.+?)(?:\.(?P<axis>[xyz])|\[(?P<number>\d{1,6})\])", re.DOTALL)


@dataclass(frozen=True)
class Result:
    """One number of a run: ``how`` of which quantity of which thing; or what ``function`` makes of the run."""

    name: str
    text: str
    kind: str
    quantity: str = ""
    how: str = PLAIN_HOW
    thing: str = ""
    component: int | None = None
    gives_time: bool = False
    at: float | None = None
    unit: str = ""
    function: Callable[[Run], float] | None = None
    window: Window | None = None

    def value(self, run: Run) -> float:
        """The number, SI units; not a number where the run has none, such as the time of a contact that never was."""
        from polycontact.studies.read_results import read_number

        return float(self.function(run)) if self.function is not None else read_number(self, run)

    @property
    def may_be_missing(self) -> bool:
        """Whether a run may have no such number: the time of something that never was."""
        return self.gives_time or self.kind == "contact time"

    def to_plain(self) -> dict[str, Any]:
        """Name, text and unit of the result, as a study's file stores them."""
        return {"name": self.name, "text": self.text, "unit": self.unit}


def own_result(name: str, function: Callable[[Run], float]) -> Result:
    """A result that a user's function makes of a `Run`."""
    told = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(function))}"
    return Result(name, told, "function", function=function)


def parse_result(name: str, text: str, system: RunDescription) -> Result:
    """The result that ``text`` asks for in a run of ``system``; what it cannot mean raises a `StudyError`."""
    words, window = split_window(" ".join(text.split()), lambda told: _time(name, text, told))
    found = _without_window(name, text, words, system)
    return found if window is None else replace(found, window=_checked_window(found, window, system))


def _checked_window(found: Result, window: Window, system: RunDescription) -> Window:
    """A window that makes sense for a result, with the full name of its joint."""
    name, text = found.name, found.text
    if found.kind in ("run", "contact time") or found.at is not None:
        raise _wrong(name, text, "it is one number of the whole run or of one time; leave the window out")
    if window.end <= window.start or (window.last is not None and not window.last > 0.0):
        raise _wrong(name, text, "its window has no length; give an end after its start, or a positive time")
    if window.joint is None:
        return window
    try:
        return replace(window, joint=_found("joint", window.joint, system))
    except SimulationError as error:
        raise _wrong(name, text, str(error).removeprefix("the system: ")) from error


def _without_window(name: str, text: str, words: str, system: RunDescription) -> Result:
    """The result that ``words`` ask for in the whole run."""
    when = _HEAD.fullmatch(words)
    if when is None:
        raise _wrong(name, text, f"it is empty; see {LIST_COMMAND}")
    how, rest, gives_time, at = when["how"], when["rest"], bool(when["when"]), None
    if how is None and (found := _AT.fullmatch(rest)):
        rest, at = found["rest"], _time(name, text, found["time"])
    if gives_time and how is not None and how not in WITH_TIME:
        raise _wrong(name, text, f"{how} is there at no one time; 'time of' goes with {', '.join(WITH_TIME)}")
    quantity, of, thing = rest.partition(" of ")
    if quantity == "centre" and thing.startswith("mass of "):
        quantity, thing = "centre of mass", thing.removeprefix("mass of ")
    if not of:
        return _of_run(Result(name, text, "", quantity, how or PLAIN_HOW, gives_time=gives_time, at=at))
    kind = _kind(name, text, quantity, thing, system)
    found_quantity = KINDS[kind][quantity]
    if kind == "contact time":
        if how or gives_time or at is not None:
            raise _wrong(name, text, f"{quantity} is a number already; leave {how or 'the time'} out")
    elif how is None and at is None:
        raise _wrong(name, text, f"say how: one of {', '.join(HOW)}, or 'at 0.5 s' behind it")
    whole, component = _thing(name, text, kind, thing, system, found_quantity)
    unit = "s" if gives_time else _unit(kind, found_quantity, whole, component, system)
    return Result(name, text, kind, found_quantity.name, how or PLAIN_HOW, whole, component, gives_time, at, unit)


def _of_run(asked: Result) -> Result:
    """A number of the whole run: a counter, an energy, or a peak of all contacts."""
    name, text, words = asked.name, asked.text, asked.quantity
    asks_how = asked.how != PLAIN_HOW
    if words in OF_RUN:
        if asks_how or asked.gives_time or asked.at is not None:
            raise _wrong(name, text, f"{words} is a number already; write just {words!r}")
        return Result(name, text, "run", OF_RUN[words].name, unit=OF_RUN[words].unit)
    unit = "s" if asked.gives_time else "J"
    if words in ENERGY_WORDS:
        if not asks_how and asked.at is None:
            raise _wrong(name, text, f"say how: one of {', '.join(HOW)}, or 'at 0.5 s' behind it")
        column = ENERGY_WORDS[words]
        return Result(name, text, "energy", column, asked.how, gives_time=asked.gives_time, at=asked.at, unit=unit)
    if words in OF_ALL_CONTACTS and asked.how == "peak":
        unit = "s" if asked.gives_time else OF_CONTACTS[words].unit
        return Result(name, text, "all contacts", words, "peak", gives_time=asked.gives_time, unit=unit)
    known = [*OF_RUN, *ENERGY_WORDS, *(word for quantities in KINDS.values() for word in quantities)]
    if words in known:
        raise _wrong(name, text, f"say of what, such as '{words} of NAME'")
    raise _wrong(name, text, f"there is no quantity {shown(words)}{_hint(words, known)}")


def _kind(name: str, text: str, quantity: str, thing: str, system: RunDescription) -> str:
    """What kind of thing has the quantity."""
    kinds = [kind for kind, quantities in KINDS.items() if quantity in quantities]
    if kinds:
        return kinds[0]
    known = [word for quantities in KINDS.values() for word in quantities]
    raise _wrong(name, text, f"there is no quantity {shown(quantity)}{_hint(quantity, known)}")


def _thing(
    name: str, text: str, kind: str, words: str, system: RunDescription, quantity: Quantity
) -> tuple[str, int | None]:
    """Name of the thing that is meant, and the component of its vector if one is."""
    try:
        return _found(kind, words, system), None
    except SimulationError as error:
        cut = _COMPONENT.fullmatch(words)
        if cut is None:
            raise _wrong(name, text, _told(error, kind, words, system)) from error
    try:
        thing = _found(kind, cut["thing"], system)
    except SimulationError as error:
        raise _wrong(name, text, _told(error, kind, cut["thing"], system)) from error
    component = COMPONENTS[cut["axis"]] if cut["axis"] else int(cut["number"])
    n = _components(kind, quantity, thing, system)
    if component >= n:
        has = f"{n} components, [0] to [{n - 1}]" if n > 1 else "one number, no components" if n == 0 else "just [0]"
        raise _wrong(name, text, f"it has {has}")
    return thing, component


def _found(kind: str, words: str, system: RunDescription) -> str:
    """The full name of a thing; raises a `SimulationError` that lists what there is."""
    if kind in ("contact", "contact time"):
        pairs = PairingNames(system.pairings, "the system")
        return pairs.all[pairs.find_pair(words)]
    joints = [each.name for each in system.joints]
    names = {
        "body": [each.name for each in system.bodies],
        "joint": joints,
        "reaction": joints + [each.name for each in system.loops],
        "element": [each.name for each in system.forces],
    }[kind]
    found = Names(
        {"reaction": "joint or loop", "element": "built-in force element"}.get(kind, kind), names, "the system"
    )
    return found.all[found.find(words)]


def _components(kind: str, quantity: Quantity, thing: str, system: RunDescription) -> int:
    """Number of components of the quantity's vector; 0 for a plain number."""
    if kind == "joint":
        joint = next(each for each in system.joints if each.name == thing)
        return len(joint.coordinates if quantity.name == "coordinates" else joint.speeds)
    if kind == "element":
        return len(next(each for each in system.forces if each.name == thing).numbers)
    return 3 if quantity.is_vector else 0


def _unit(kind: str, quantity: Quantity, thing: str, component: int | None, system: RunDescription) -> str:
    if kind == "joint":
        joint = next(each for each in system.joints if each.name == thing)
        names = joint.coordinates if quantity.name == "coordinates" else joint.speeds
        unit_of = effort_unit if quantity.name == "drive" else variable_unit
        units = {unit_of(each) for each in names} if component is None else {unit_of(names[component])}
        return units.pop() if len(units) == 1 else ""
    if kind == "element":
        record = next(each for each in system.forces if each.name == thing)
        return record.unit_of(component or 0)
    return quantity.unit


def _time(name: str, text: str, words: str) -> float:
    try:
        return float(words) if re.fullmatch(r"[-+.\deE]+", words) else number_with_unit(words, "s")
    except (UnitError, ValueError) as error:
        raise _wrong(name, text, f"the time cannot be read: {error}") from error


def _told(error: SimulationError, kind: str, thing: str, system: RunDescription) -> str:
    """Why a thing is not there; the force of a spring or a bushing has words of its own, since others touch."""
    if kind == "contact" and thing in [each.name for each in system.forces]:
        return f"{shown(thing)} is a force element, no contact; write 'element force of {thing}', or '… of {thing}[0]'"
    return str(error).removeprefix("the system: ")


def _hint(word: str, known: Iterable[str]) -> str:
    """What may be meant, and where all words are listed."""
    meant = suggestion(word, known)
    return f"{meant} See {LIST_COMMAND}" if meant else f"; see {LIST_COMMAND}"


def _wrong(name: str, text: str, told: str) -> StudyError:
    return StudyError(
        f"result {shown(name)}: {shown(text)}: {told}" if name != text else f"result {shown(text)}: {told}"
    )
