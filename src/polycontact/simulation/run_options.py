"""The options of a run: each stands here once, with its name, type, default, unit, range and meaning.

What is written here appears in the signature and the documentation of `simulate` (``python -m tools.run_signature``
writes them into its source), as a key of [simulation] in scenario files, as an option of ``polycontact run``, in the
settings of run files and in the table of settings of reports. A new option is a new field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_type_hints

from polycontact.contact.kinds import kind_of, to_plain
from polycontact.contact.options import Option, is_number, option, option_of_field
from polycontact.errors import SimulationError, UnitError
from polycontact.simulation.integrator_names import INTEGRATORS, WITH_JACOBIAN
from polycontact.simulation.responses.response import RESPONSES, CompliantResponse, Response, response_of
from polycontact.units import has_dimension, quantity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from polycontact.simulation.integrators import JacobianFunction
    from polycontact.simulation.run_result import Progress
    from polycontact.simulation.stepper import Stepper
    from polycontact.simulation.stop_conditions import StopCondition

SHORTEST_RUN = 1e-100
"""Simulated time that a run must exceed, s."""

TIME_RESOLUTION = 1e-9
"""Simulated time relative to the time itself that a run must exceed: far above rounding."""

DEFAULT_ATOL: Final = 1e-4
"""Absolute tolerance (m or rad) where none is given and no contact asks for less, see `contact_tolerance`."""

DEFAULT_SAMPLES = 300
"""Samples of a run whose output times are not given."""

MOST_SAMPLES = 1e7
"""Samples of equal distance that a run may be asked for."""

_WAYS_KEY: Final = "polycontact run"
"""Where the metadata of a field keeps its `Ways`."""

STEPPER: Final = "stepper"
"""Who makes the steps of a compliant run with a stepper of the user's own."""

STARTS: Final = ("as_given", "equilibrium")
"""Where a run may begin."""

STEP_MAKERS: Final = (*RESPONSES, STEPPER)
"""Who may make the steps of a run: each response, and a stepper of the user's own."""

_STEP_MAKER_WORDS: Final = {
    "compliant": "compliant contacts",
    "impulses": "impulses",
    "multipliers": "multipliers",
    STEPPER: "steppers of your own",
}

_BY_INTEGRATION: Final = ("compliant", "impulses", STEPPER)
"""Step makers with tolerances: multipliers have an error of first order and no estimate of it."""

_OWN_STEP: Final = {
    "multipliers": 'set their step with MultiplierResponse(step=…) or { kind = "multipliers", step = … }'
}

_NO_MAPS: Final = {
    "impulses": "read peaks and the ledger's friction, which rigid contacts have too; their pressures are not known",
    "multipliers": "read peaks and the ledger's friction, which rigid contacts have too; their pressures are not known",
    STEPPER: "take an integrator: only it tells the rates at the ends of its steps",
}
"""What there is in the place of maps."""

_RESTART: Final = '"restart": also begin the integration anew there, so that no step goes across'


@dataclass(frozen=True)
class Ways:
    """Where an option of a run can be given, besides Python, and where it is told.

    - ``key``: whether it is a key of [simulation] in scenario files; ``bounds``: what is allowed there at most, which
      is less than in Python ("above", "at_most").
    - ``flag``: its name on the command line; empty for none.
    - ``recorded``: whether run files hold it, and reports show it; ``kept``: whether ``polycontact run --resume`` goes
      on with it.
    - ``choices``: the allowed words.
    - ``used_by``: the step makers, of `STEP_MAKERS`, that use the option; for others it is refused unless it has its
      default. ``integrators``: those that use it. ``instead``: what to do for a step maker that does not use it.
    - ``python``, ``file``: what may be given in Python, and in scenario files, besides.
    """

    key: bool = True
    bounds: Mapping[str, Any] = field(default_factory=dict)
    flag: str | None = None
    recorded: bool = True
    kept: bool = True
    choices: tuple[str, ...] = ()
    used_by: tuple[str, ...] = STEP_MAKERS
    integrators: tuple[str, ...] = INTEGRATORS
    instead: Mapping[str, str] = field(default_factory=dict)
    python: str = ""
    file: str = ""


def _ways(**ways: Any) -> dict[str, Any]:
    return {_WAYS_KEY: Ways(**ways)}


def _in_python(meaning: str, unit: str = "", **ways: Any) -> dict[str, Any]:
    """Metadata of an option that takes an object, or is about one call, and not about the run."""
    return option(meaning, unit) | _ways(key=False, flag="", recorded=False, kept=False, **ways)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What `simulate` is asked for; times in s, tolerances in m and rad, or m/s and rad/s."""

    end_time: float = field(metadata=option("when the run ends", "s", title="end") | _ways(bounds={"above": 0.0}))
    start_time: float = field(
        default=0.0,
        metadata=option("when the run begins", "s", title="start") | _ways(key=False, flag="", kept=False),
    )
    start: str = field(
        default="as_given",
        metadata=option(
            "where the run begins: as_given by coordinates and speeds, or equilibrium, at rest where the system rests "
            "under its loads at the start time, see `equilibrium`",
            title="begins",
        )
        | _ways(choices=STARTS, kept=False, used_by=("compliant", STEPPER)),
    )
    integrator: str = field(
        default="cvode-bdf",
        metadata=option(f"method of integration, one of {', '.join(INTEGRATORS)}")
        | _ways(choices=INTEGRATORS, used_by=("compliant", "impulses")),
    )
    stepper: Stepper | None = field(
        default=None,
        metadata=_in_python(
            "a `Stepper` of your own, which takes the place of the integrator", used_by=("compliant", STEPPER)
        ),
    )
    response: Response | Mapping[str, Any] | str = field(
        default="compliant",
        metadata=option(
            "what contacts do: compliant (forces of laws), impulses (rigid bodies whose speeds jump at collisions) or "
            "multipliers (rigid bodies in time steps, without the integrator); friction coefficients "
            "of the contacts count for all of them",
            title="response of contacts",
        )
        | _ways(
            choices=RESPONSES,
            python="with options of its own an `ImpulseResponse` or a `MultiplierResponse`",
            file="or a table, with options of its own",
        ),
    )
    rtol: float = field(
        default=1e-4,
        metadata=option("relative tolerance of the local error", title="relative tolerance", above=0.0)
        | _ways(bounds={"at_most": 0.1}, used_by=_BY_INTEGRATION, instead=_OWN_STEP),
    )
    atol: float | None = field(
        default=None,
        metadata=option(
            "absolute tolerance of positions; if left out 1e-4, or the depth to which a stiffer contact yields under "
            "the weight of its lighter body",
            "m or rad",
            title="absolute tolerance",
            above=0.0,
        )
        | _ways(bounds={"at_most": 1.0}, used_by=_BY_INTEGRATION, instead=_OWN_STEP),
    )
    velocity_atol: float | None = field(
        default=None,
        metadata=option(
            "absolute tolerance of velocities, as atol if left out; where friction matters keep it below a tenth of "
            "the friction law's velocity",
            "m/s or rad/s",
            title="absolute tolerance of velocities",
            above=0.0,
        )
        | _ways(used_by=_BY_INTEGRATION, instead=_OWN_STEP),
    )
    max_step: float | None = field(
        default=None,
        metadata=option("longest step of the integrator", "s", title="longest step", above=0.0)
        | _ways(used_by=_BY_INTEGRATION, instead=_OWN_STEP),
    )
    first_step: float | None = field(
        default=None,
        metadata=option("first step of the integrator", "s", title="first step", above=0.0)
        | _ways(kept=False, used_by=_BY_INTEGRATION, instead=_OWN_STEP),
    )
    output_step: float | None = field(
        default=None,
        metadata=option(
            f"time between samples, {DEFAULT_SAMPLES} in all if left out",
            "s",
            title="time between samples",
            above=0.0,
        )
        | _ways(),
    )
    output_times: Sequence[float] | None = field(
        default=None,
        metadata=option("increasing times of the samples, instead of output_step", "s", title="times of samples")
        | _ways(key=False, flag="", kept=False),
    )
    contact_events: bool | Literal["restart"] = field(
        default=False,
        metadata=option(
            "locate when each contact starts and ends, as a root of the signed distance where the method knows one",
            title="contact events located",
        )
        | _ways(flag="events", python=_RESTART, file=_RESTART),
    )
    step_limit: bool = field(
        default=True,
        metadata=option(
            "make no step so long that a body could move through another", title="steps limited before contact"
        )
        | _ways(),
    )
    stop_when: Sequence[StopCondition] = field(
        default=(),
        metadata=option(
            'conditions that end the run before its end time, with status "ended" and a message that says which one '
            "held",
            title="ends early where",
        )
        | _ways(flag="", kept=False, python="each a `TiltedBeyond`, `BelowHeight` or `FartherThan`"),
    )
    jacobian: JacobianFunction | None = field(
        default=None,
        metadata=_in_python(
            "a function (t, y, out) that writes df/dy into ``out`` (n, n), which holds zeros, or returns it; one row "
            "and one column for each state, in the order of ``system.compile().state_names``; rows of the ledger may "
            'stay zero; for "cvode-bdf", "ida" and "lsoda", which otherwise take differences, an evaluation for each '
            "state",
            used_by=("compliant",),
            integrators=WITH_JACOBIAN,
            instead={STEPPER: "give it to your stepper"},
        ),
    )
    workers: int = field(
        default=1,
        metadata=option("threads that evaluate contacts; the results are the same bits", title="threads", at_least=1)
        | _ways(bounds={"at_most": 256}, kept=False),
    )
    record: str | Path | None = field(default=None, metadata=_in_python("an HDF5 file to write as the run goes"))
    elements: bool = field(
        default=False,
        metadata=option("record the contact elements of every sample too", title="contact elements recorded")
        | _ways(kept=False),
    )
    maps: bool = field(
        default=False,
        metadata=option(
            "keep maps of what the surfaces go through, on the triangles of the shapes in contact: greatest pressure, "
            "contact time, sliding distance, friction energy and wear, added up in every step; costs two evaluations "
            "or more a step; a run that goes on in its file does as before",
            title="maps of the surfaces",
        )
        | _ways(used_by=("compliant",), instead=_NO_MAPS),
    )
    reactions: bool | None = field(
        default=None,
        metadata=option(
            "samples also hold forces and torques in joints, loops and force elements, what drives joints, "
            "accelerations and centres of pressure; if left out where that is at most 5,000 numbers a sample, and a "
            "run that goes on in its file does as before",
            title="reactions recorded",
        )
        | _ways(kept=False),
    )
    progress: Callable[[Progress], None] | bool | None = field(
        default=None,
        metadata=_in_python(
            "called after steps with a `Progress`; without it, terminals and notebooks show a line with the time left "
            "where the run takes longer than a second; False: never, True: always"
        ),
    )
    profile: bool = field(
        default=False,
        metadata=option("measure where the time goes; contacts and dynamics apart for compliant contacts only")
        | _ways(key=False, recorded=False, kept=False),
    )
    continue_from: str | Path | None = field(
        default=None,
        metadata=_in_python(
            "go on from the end of a recorded run of the same system; into the same file where ``record`` is None or "
            "that file"
        ),
    )
    scenario: str | None = field(
        default=None,
        metadata=_in_python("text of the scenario, which the run file keeps"),
    )
    scenario_folder: str | None = field(
        default=None, metadata=_in_python("folder to which the paths in the scenario are relative")
    )

    def __post_init__(self) -> None:
        for each in run_options():
            object.__setattr__(self, each.name, each.checked(getattr(self, each.name)))
        object.__setattr__(self, "response", response_of(self.response))
        if self.integrator not in INTEGRATORS:
            raise SimulationError(f"there is no integrator {self.integrator!r}; choose one of {', '.join(INTEGRATORS)}")
        if self.start not in STARTS:
            raise SimulationError(f"start is {self.start!r}; give {_listed(STARTS)}")
        if self.output_times is not None:
            object.__setattr__(self, "output_times", _checked_times(self.output_times))
        self._refuse_contradictions()
        if self.continue_from is None:
            self.check_times()

    def _refuse_contradictions(self) -> None:
        """Options that exclude each other, by name."""
        if self.output_times is not None and self.output_step is not None:
            raise SimulationError("both output_times and output_step are given; leave one out")
        if self.start != "as_given" and self.continue_from is not None:
            raise SimulationError(
                f"start is {self.start!r}, but the run goes on from the end of {self.continue_from}; leave one out"
            )
        refuse_unused({each.name: getattr(self, each.name) for each in run_options()})

    def check_times(self) -> None:
        """Refuse an end that is not after the start, and samples that are outside; a continued run knows its start
        only when the run before is open.
        """
        if not self.end_time > self.start_time:
            raise SimulationError(
                f"end_time {self.end_time} s is not after the start at {self.start_time} s; give a later one"
            )
        span = self.end_time - self.start_time
        if not span > max(SHORTEST_RUN, TIME_RESOLUTION * max(abs(self.start_time), abs(self.end_time))):
            raise SimulationError(
                f"from {self.start_time} s to {self.end_time} s is too short a time to tell steps apart; give a later "
                f"end_time"
            )
        if self.output_step is not None and span / self.output_step > MOST_SAMPLES:
            raise SimulationError(
                f"an output_step of {self.output_step} s gives {span / self.output_step:.3g} samples; give a longer one"
            )
        times = self.output_times
        if times and not (times[0] >= self.start_time and times[-1] <= self.end_time):
            raise SimulationError(
                f"output_times reach from {times[0]} s to {times[-1]} s; the run goes from {self.start_time} s to "
                f"{self.end_time} s"
            )

    @property
    def position_atol(self) -> float:
        """The absolute tolerance of positions (m or rad); the usual one where nobody has said another."""
        return DEFAULT_ATOL if self.atol is None else self.atol

    @property
    def own_stepper(self) -> bool:
        """Whether a stepper of the user's own takes the place of the integrator."""
        return self.stepper is not None

    @property
    def steps_are_own(self) -> bool:
        """Whether steps are made by other means than an integrator of the rates with compliant contacts."""
        return self.own_stepper or not isinstance(self.response, CompliantResponse)

    def uses(self, name: str) -> bool:
        """Whether the option ``name`` matters to who makes the steps."""
        return run_option(name).is_used(step_maker(self.response, self.stepper), self.integrator)

    def sample_times(self) -> NDArray[np.float64]:
        """Times of the samples: increasing, the start and the end among them, s."""
        import numpy as np

        if self.output_times is not None:
            times = np.array(self.output_times)
            inside = times[(times > self.start_time) & (times < self.end_time)]
        else:
            span = self.end_time - self.start_time
            step = span / DEFAULT_SAMPLES if self.output_step is None else self.output_step
            inside = self.start_time + step * np.arange(1.0, math.ceil(span / step - 1e-9))
        return np.concatenate([[self.start_time], inside, [self.end_time]])

    def to_plain(self) -> dict[str, Any]:
        """What run files keep: the recorded options as plain values, and whether the stepper is the user's own."""
        plain = {each.name: getattr(self, each.name) for each in run_options() if each.ways.recorded}
        conditions = [condition.to_plain() for condition in self.stop_when]
        own = {"own_stepper": self.own_stepper, "response": to_plain(self.response), "stop_when": conditions}
        if self.stepper is not None:
            from polycontact.simulation.stepper import name_of

            own["integrator"] = name_of(self.stepper)
        return plain | own


@dataclass(frozen=True)
class RunOption:
    """An option of a run: what it means, see `Option`, and where it can be given."""

    about: Option
    ways: Ways

    @property
    def name(self) -> str:
        """Name of the option in Python, in scenario files and in run files."""
        return self.about.name

    @property
    def flag(self) -> str:
        """Name of the option on the command line, without dashes; empty where the command line does not have it."""
        return self.name.replace("_", "-") if self.ways.flag is None else self.ways.flag

    @property
    def in_files(self) -> Option:
        """The option as scenario files may have it."""
        return replace(self.about, **self.ways.bounds)

    @property
    def is_switch(self) -> bool:
        """Whether the option is a switch, on the command line given without a value."""
        return self.about.values is bool or True in self.about.choices

    @property
    def meaning(self) -> str:
        """What the option means, and who uses it where not all do."""
        users = self.ways.used_by
        others = [each for each in STEP_MAKERS if each not in users]
        if not others:
            return self.about.meaning
        use = f"used by {_users(users)} only" if len(users) < len(others) else f"not used by {_users(others)}"
        return f"{self.about.meaning}; {use}"

    def is_used(self, maker: str, integrator: str) -> bool:
        """Whether who makes the steps uses the option: a step maker of `STEP_MAKERS`, by an integrator."""
        able = self.ways.integrators
        return maker in self.ways.used_by and (integrator in able or integrator not in INTEGRATORS)

    def refusal(self, value: Any, maker: str, integrator: str) -> str:
        """Why a value of the option is refused for a step maker that does not use it, and what to do."""
        shown = f"{value:g}" if isinstance(value, float) else repr(value)
        unit = f" {self.about.unit}" if isinstance(value, float) and self.about.unit else ""
        if maker in self.ways.used_by:
            able = ", ".join(self.ways.integrators)
            return f"{self.name} is {shown}{unit}, which {integrator} does not use; leave it out, or take {able}"
        instead = f", or {self.ways.instead[maker]}" if maker in self.ways.instead else ""
        return f"{self.name} is {shown}{unit}, which {_STEP_MAKER_WORDS[maker]} do not use; leave it out{instead}"

    def has_default(self, value: Any) -> bool:
        """Whether a value is that of an option that is left out."""
        return value is self.about.default or (isinstance(value, str | int | float) and value == self.about.default)

    def checked(self, value: Any) -> Any:
        """A value as it counts, a number for a text such as "1 ms"; one that is not allowed is refused."""
        if value is None and self.about.may_be_left_open:
            return value
        if self.about.values in (float, int):
            return self._checked_number(value)
        if self.is_switch and not any(value is each or value == each for each in (True, False, *self.about.choices)):
            words = dict.fromkeys((True, False, *self.about.choices))
            raise SimulationError(f"{self.name} is {value!r}; give {_listed(words)}{self._if_left_out()}")
        return value

    def _checked_number(self, value: Any) -> Any:
        if isinstance(value, str) and has_dimension(self.about.unit):
            try:
                value = quantity(value, self.about.unit)
            except UnitError as error:
                raise SimulationError(f"{self.name} is {value!r}; {error}") from None
        fits = is_number(value) and (self.about.values is float or isinstance(value, Integral))
        if not fits or not self.about.allows(value):
            whole = "whole number" if self.about.values is int else "number"
            unit = f", in {self.about.unit}" if self.about.unit else ""
            wanted = self.about.range.removeprefix("a ").removesuffix("finite number").strip()
            wanted = f"a finite {whole}" if not wanted else f"a {whole}, {wanted}"
            raise SimulationError(f"{self.name} is {value!r}; give {wanted}{unit}{self._if_left_out()}")
        return value

    def _if_left_out(self) -> str:
        return ", or leave it out" if self.about.may_be_left_open else ""


def _users(makers: Sequence[str]) -> str:
    """Step makers in words."""
    *others, last = (_STEP_MAKER_WORDS[each] for each in makers)
    return f"{', '.join(others)} and {last}" if others else last


def step_maker(response: Response | Mapping[str, Any] | str | None, stepper: object = None) -> str:
    """Who makes the steps of a run, of `STEP_MAKERS`: the response, or a stepper of the user's own.

    Of a response that has mistakes, only the kind counts; an empty text where that is unknown.
    """
    kind = response.get("kind") if isinstance(response, Mapping) else response
    kind = kind_of(kind) if isinstance(kind, Response) else kind
    if kind not in RESPONSES:
        return ""
    return STEPPER if kind == "compliant" and stepper is not None else str(kind)


def unused(settings: Mapping[str, Any]) -> dict[str, str]:
    """Why each option is refused that has another value than its default and that nobody uses; by name.

    ``settings``: options of `simulate` by name; those left out have their defaults.
    """
    maker = step_maker(settings.get("response", "compliant"), settings.get("stepper"))
    integrator = settings.get("integrator", run_option("integrator").about.default)
    return {
        each.name: each.refusal(settings[each.name], maker, integrator)
        for each in run_options()
        if maker
        and each.name in settings
        and not each.has_default(settings[each.name])
        and not each.is_used(maker, integrator)
    }


def refuse_unused(settings: Mapping[str, Any]) -> None:
    """Raise an error that names all options of ``settings`` that nobody uses, with the remedy."""
    if found := unused(settings):
        raise SimulationError("; ".join(found.values()))


def without_unused(settings: Mapping[str, Any]) -> dict[str, Any]:
    """``settings`` without the options that nobody uses: those of a scenario for another response than its own."""
    left_out = unused(settings)
    return {name: value for name, value in settings.items() if name not in left_out}


@cache
def run_options() -> tuple[RunOption, ...]:
    """Every option of a run, in the order of the signature of `simulate`."""
    return tuple(
        RunOption(option_of_field(each, _type_of(each)), each.metadata[_WAYS_KEY]) for each in fields(RunOptions)
    )


def run_option(name: str) -> RunOption:
    """The option of `simulate` with this name, which must exist."""
    return next(each for each in run_options() if each.name == name)


def _type_of(each: Any) -> Any:
    """The annotation of a field; anything where it names what is imported for type checkers only."""
    alone = type("Alone", (), {"__annotations__": {each.name: each.type}, "__module__": __name__})
    try:
        return get_type_hints(alone)[each.name]
    except NameError:
        return Any


def _listed(values: Any) -> str:
    *others, last = map(repr, values)
    return f"{', '.join(others)} or {last}"


def _checked_times(given: Any) -> tuple[float, ...]:
    import numpy as np

    try:
        times = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        times = np.full((1, 1), math.nan)
    if times.ndim != 1 or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        raise SimulationError(f"output_times are {given!r}; give increasing, finite numbers in s")
    return tuple(times.tolist())
