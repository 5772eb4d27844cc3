"""What is refined: the meshes, the tolerances of the run, the integration over contacts, samples; and the base.

Each aspect is a row of levels, the given one first, of which each sets some keys of the scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from polycontact.contact.methods import Base, PolygonalMethod, has_distance_depth
from polycontact.convergence.mesh_levels import mesh_levels
from polycontact.errors import PolycontactError, StudyError
from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.scenario.changed_values import value_at
from polycontact.scenario.file_problems import listed
from polycontact.scenario.parsing import Scenario
from polycontact.scenario.schema.contact_keys import FLAT_KEYS
from polycontact.simulation.contact_tolerance import default_atol
from polycontact.simulation.run_options import DEFAULT_SAMPLES, run_option
from polycontact.studies.results import Result

ASPECTS: Final = {
    "mesh": "meshes",
    "tolerances": "tolerances of the run",
    "integration": "integration over contacts",
    "samples": "time between samples",
    "base": "base of contacts",
}
"""What may be refined or changed, with its words."""

MESH_ORDER: Final = 2.0
"""The height of a smooth body above a facet falls with the square of the edges."""

TOLERANCE_ORDER: Final = 1.0
"""Errors of a run are about proportional to its tolerances."""

STEP_ORDER: Final = 1.0
"""Moreau's steps have an error of first order."""

TOLERANCE_RATIO: Final = 10.0
INTEGRATION_RATIO: Final = 4.0

LEAST_TOLERANCE: Final = 1e-12
"""Tolerances below it are near rounding."""

SAMPLED: Final = ("max", "min", "mean", "rms", "range", "peak")
"""Results that hang on where samples are; "peak" of loads of contacts and joints does not."""


@dataclass(frozen=True)
class Level:
    """One setting: ``label`` as shown, and ``values`` of keys."""

    label: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Aspect:
    """What is refined: ``levels``, the given one first, each finer by ``ratio``, with an error of the ``order``.

    ``is_choice``: no refinement, but other choices, none of which is better than the given one by itself.
    """

    name: str
    levels: tuple[Level, ...]
    ratio: float = 2.0
    order: float = 1.0
    is_choice: bool = False

    @property
    def title(self) -> str:
        """What it is, in words."""
        return ASPECTS[self.name]


@dataclass(frozen=True)
class Aspects:
    """What can be refined in a scenario, and ``notes`` on what cannot."""

    found: tuple[Aspect, ...]
    notes: tuple[str, ...]

    def named(self, name: str) -> Aspect | None:
        """The aspect of this name, None where the scenario has none."""
        return next((each for each in self.found if each.name == name), None)


def find_aspects(scenario: Scenario, results: Sequence[Result], names: Iterable[str], levels: int) -> Aspects:
    """What of ``names`` can be refined in a scenario, each on ``levels`` levels."""
    wanted = _checked_names(names)
    try:
        system = scenario.build()
        contacts = list(system.compile().contacts)
    except PolycontactError as error:
        raise StudyError(f"the scenario cannot be built: {error}") from error
    makers: Mapping[str, Callable[[], tuple[Aspect | None, tuple[str, ...]]]] = {
        "mesh": lambda: _meshes(scenario, system, contacts, levels),
        "tolerances": lambda: (_tolerances(scenario, levels), ()),
        "integration": lambda: _integration(scenario, contacts, levels),
        "samples": lambda: (_samples(scenario, levels) if any(map(hangs_on_samples, results)) else None, ()),
        "base": lambda: _bases(scenario, contacts),
    }
    found: list[Aspect] = []
    notes: list[str] = []
    for name in wanted:
        aspect, told = makers[name]()
        notes += told
        if aspect is not None:
            found.append(aspect)
    if not found:
        raise StudyError(f"nothing of {listed(wanted)} can be refined here{': ' if notes else ''}{'; '.join(notes)}")
    return Aspects(tuple(found), tuple(notes))


def hangs_on_samples(result: Result) -> bool:
    """Whether a result is read off the samples as they lie."""
    searched = result.how == "peak" and result.component is None and result.kind in ("contact", "reaction")
    return result.how in SAMPLED and not (searched or result.kind == "all contacts")


def _checked_names(names: Iterable[str]) -> tuple[str, ...]:
    given = tuple(dict.fromkeys(names))
    unknown = [each for each in given if each not in ASPECTS]
    if unknown or not given:
        told = f"{unknown[0]!r} cannot be refined" if unknown else "nothing is to be refined"
        raise StudyError(f"{told}; give some of {', '.join(ASPECTS)}")
    return tuple(each for each in ASPECTS if each in given)


def _meshes(
    scenario: Scenario, system: MultibodySystem, contacts: Sequence[Contact], levels: int
) -> tuple[Aspect | None, tuple[str, ...]]:
    touching = {name for each in contacts for name in (each.e, each.f)}
    found = mesh_levels(scenario, system, touching, levels)
    if len(found.values) < 2:
        return None, found.notes
    made = tuple(
        Level(f"{'given' if i == 0 else f'edges / {2**i}'}, about {n:,} triangles", values)
        for i, (values, n) in enumerate(zip(found.values, found.n_triangles, strict=True))
    )
    return Aspect("mesh", made, 2.0, MESH_ORDER), found.notes


def _tolerances(scenario: Scenario, levels: int) -> Aspect | None:
    """Tolerances, or the step of a response that has no tolerances."""
    settings = scenario.settings
    response = settings.get("response", "compliant")
    kind = response["kind"] if isinstance(response, Mapping) else response
    if kind == "multipliers":
        step = float(response.get("step", 1e-3)) if isinstance(response, Mapping) else 1e-3
        table = dict(value_at(scenario, "simulation.response")) if _is_table(scenario) else {"kind": kind}
        steps = [
            Level(f"step {step / 2**i:g} s", {} if i == 0 else {"simulation.response": {**table, "step": step / 2**i}})
            for i in range(levels)
        ]
        return Aspect("tolerances", tuple(steps), 2.0, STEP_ORDER)
    names = ["rtol", "atol"] + ["velocity_atol"] * (settings.get("velocity_atol") is not None)
    given = {name: float(settings.get(name) or run_option(name).about.default or 0.0) for name in names}
    given["atol"] = given["atol"] or default_atol(scenario.build().compile())
    made = [Level(f"rtol {given['rtol']:g}, atol {given['atol']:g}")]
    for i in range(1, levels):
        finer = {name: value / TOLERANCE_RATIO**i for name, value in given.items()}
        if min(finer.values()) < LEAST_TOLERANCE:
            break
        values = {f"simulation.{name}": value for name, value in finer.items()}
        made.append(Level(f"rtol {finer['rtol']:g}, atol {finer['atol']:g}", values))
    return Aspect("tolerances", tuple(made), TOLERANCE_RATIO, TOLERANCE_ORDER) if len(made) > 1 else None


def _is_table(scenario: Scenario) -> bool:
    return isinstance(value_at(scenario, "simulation.response"), Mapping)


def _integration(scenario: Scenario, contacts: Sequence[Contact], levels: int) -> tuple[Aspect | None, tuple[str, ...]]:
    """The tolerance of depths as distances."""
    given = [each.description.method for each in contacts if has_distance_depth(each.description.method)]
    if not given:
        return None, ()
    coarsest = max(each.tolerance for each in given if isinstance(each, PolygonalMethod))
    made = [Level(f"tolerance {coarsest:g}")]
    for i in range(1, levels):
        tolerance = coarsest / INTEGRATION_RATIO**i
        values = _method_values(scenario, contacts, "tolerance", tolerance)
        if values is None:
            return None, ("the tolerance of contacts cannot be set for all of them at once; it stays as it is",)
        made.append(Level(f"tolerance {tolerance:g}", values))
    return Aspect("integration", tuple(made), INTEGRATION_RATIO, 1.0), ()


def _samples(scenario: Scenario, levels: int) -> Aspect | None:
    settings = scenario.settings
    step = settings.get("output_step") or settings["end_time"] / DEFAULT_SAMPLES
    made = [Level("given" if i == 0 else f"every {step / 2**i:.4g} s") for i in range(levels)]
    values = [{} if i == 0 else {"simulation.output_step": step / 2**i} for i in range(levels)]
    finer = tuple(replace(each, values=more) for each, more in zip(made, values, strict=True))
    return Aspect("samples", finer, 2.0, 2.0)


def _bases(scenario: Scenario, contacts: Sequence[Contact]) -> tuple[Aspect | None, tuple[str, ...]]:
    """The other bases, for all contacts whose method has one."""
    with_base = [each for each in contacts if hasattr(each.description.method, "base")]
    if not with_base:
        return None, ()
    now = {_base_of(each) for each in with_base}
    made = [Level("given: " + ", ".join(sorted(each.value for each in now)))]
    for base in (Base.E, Base.F, Base.BOTH):
        values = _method_values(scenario, contacts, "base", base.value)
        if values is None:
            return None, ("the base cannot be set for all contacts at once; it stays as it is",)
        if now != {base}:
            made.append(Level(base.value, values))
    return Aspect("base", tuple(made), is_choice=True), ()


def _base_of(contact: Contact) -> Base:
    base: Base = contact.description.method.base  # type: ignore[attr-defined]
    return base


def _method_values(scenario: Scenario, contacts: Sequence[Contact], option: str, value: Any) -> dict[str, Any] | None:
    """Values of keys that set an option of the method of every contact; None where no keys do."""
    told = scenario.model.contact
    flat = f"contact.{option}" if option in FLAT_KEYS["method"] else ""
    pairs = "contact.pairs.*" if told is not None and told.pairs else ""
    attempts: list[dict[str, Any]] = [{f"contact.method.{option}": value}]
    if flat:
        attempts.insert(0, {flat: value})
    if pairs:
        attempts += [{**each, f"{pairs}.method.{option}": value} for each in attempts]
        attempts += [{**each, f"{pairs}.{option}": value} for each in attempts[:1]] if flat else []
    for values in attempts:
        try:
            built = scenario.with_values(values).build()
        except PolycontactError:
            continue
        if all(_has(each, option, value) for each in built.contacts.values()):
            return values
    return None


def _has(contact: Contact, option: str, value: Any) -> bool:
    """Whether a contact has a value for an option of its method, or its method has no such option."""
    given = getattr(contact.description.method, option, value)
    return bool((given.value if isinstance(given, Base) else given) == value)
