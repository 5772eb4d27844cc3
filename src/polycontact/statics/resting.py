"""`equilibrium`: where a system rests, with its contacts, and whether it stays there."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.contact_memory import LawMemories
from polycontact.contact.laws import StickFriction
from polycontact.errors import EquilibriumError, EquilibriumWarning, MultibodyError, level_of_the_caller
from polycontact.multibody import checks
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.statics.held_system import FrictionAtRest, held_system, started_at
from polycontact.statics.rest_motions import RestMotion, direction_words, rest_motions
from polycontact.statics.rest_search import Found, RestSearch
from polycontact.statics.small_motions import SmallMotions, small_motions
from polycontact.tolerances import REST_RESIDUAL
from polycontact.wording import counted

Array = NDArray[np.float64]

MOST_STEPS = 300
"""Steps after which the search gives up unless something else is asked."""


@dataclass(frozen=True, eq=False)
class RestContact:
    """A contact at rest. World axes: ``force`` (N) and ``torque`` (N m, about ``point``, m) on the first body, E.

    ``point``: centre of pressure; ``depth`` m and ``pressure`` Pa: the greatest; ``area`` m².
    """

    name: str
    e: str
    f: str
    force: Array
    torque: Array
    point: Array
    depth: float
    pressure: float
    area: float

    @property
    def magnitude(self) -> float:
        """Size of the force, N."""
        return float(np.linalg.norm(self.force))


@dataclass(frozen=True)
class Residual:
    """What is left of the forces: the largest force (N) and torque (N m), and along which displacements."""

    force: float
    force_at: str
    torque: float
    torque_at: str


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state of rest. ``state`` y has the speeds zero; ``time`` (s): when loads and motions have their values.

    ``evaluation`` has bodies, contacts, energies and reactions; ``residual``: forces that are left; ``load`` (N): the
    largest force that acts. ``motions``: motions about the state, the slowest first, without damping. ``steps`` of the
    search, ``corrections`` of Newton's method in them, ``evaluations`` of the system. ``notes``: what one should know.
    ``remembered``: what friction that sticks remembers of elements, by contact.
    """

    system: MultibodySystem
    time: float
    state: Array
    evaluation: Evaluation
    residual: Residual
    load: float
    size: float
    motions: tuple[RestMotion, ...]
    small: SmallMotions
    friction: FrictionAtRest
    steps: int
    corrections: int
    evaluations: int
    notes: tuple[str, ...]
    remembered: dict[int, LawMemories]

    def __repr__(self) -> str:
        return (
            f"Equilibrium({self.system.name!r}, {'stable' if self.is_stable else 'not stable'}, "
            f"{counted(len(self.contacts), 'contact')}, {counted(len(self.free_motions), 'free motion')}, "
            f"residual {self.residual.force:.2g} N)"
        )

    @property
    def is_stable(self) -> bool:
        """Whether no motion about the state runs away; free motions may be there."""
        return not self.unstable_motions

    @property
    def unstable_motions(self) -> tuple[RestMotion, ...]:
        """Motions that the smallest push lets go on."""
        return tuple(each for each in self.motions if each.runs_away)

    @property
    def free_motions(self) -> tuple[RestMotion, ...]:
        """Motions that nothing holds: along them the state was left where the search came to it."""
        return tuple(each for each in self.motions if each.is_free)

    @property
    def stiffness_squares(self) -> Array:
        """Eigenvalues of K x = ω² M x, 1/s², ascending: negative where a motion runs away."""
        return np.array([each.square for each in self.motions])

    @cached_property
    def contacts(self) -> tuple[RestContact, ...]:
        """The contacts that touch, in the order of the system."""
        found, shapes = self.evaluation.contacts, self.evaluation.shapes
        setup = self.evaluation.bodies.setup
        rows = []
        for pair in np.flatnonzero(found.area > 0.0).tolist():
            contact = setup.contacts[pair]
            e = int(setup.pairs.shape_e[pair])
            R = shapes.rotation[e]
            force, torque_f = R @ found.wrench[pair, :3], R @ found.wrench[pair, 3:]
            marker_f = shapes.position[int(setup.pairs.shape_f[pair])]
            point = self.evaluation.centres_of_pressure[pair]
            about = marker_f if np.isnan(point).any() else point
            torque = torque_f + np.cross(marker_f - about, force)
            numbers = (float(each[pair]) for each in (found.depth, found.pressure, found.area))
            rows.append(RestContact(contact.name, contact.e, contact.f, force, torque, about, *numbers))
        return tuple(rows)

    def contact(self, name: str) -> RestContact | None:
        """A contact by name; None where it does not touch."""
        checks.known("contact", name, self.system.contacts, "system")
        return next((each for each in self.contacts if each.name == name), None)

    def position(self, body: str) -> Array:
        """Position (3,) of a body's or marker's origin in the world, m."""
        return np.array(self.evaluation.bodies.pose(body)[1])

    def rotation(self, body: str) -> Array:
        """Rotation (3, 3) of a body or marker in the world."""
        return np.array(self.evaluation.bodies.pose(body)[0])

    def system_at_rest(self) -> MultibodySystem:
        """A copy of the system that starts here, with its prescribed motions held: to look at it, or to go on."""
        return started_at(held_system(self.system, self.time, "as_described"), self.state)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: state by names, residual, contacts, reactions, motions and notes; SI units."""
        reactions = self.evaluation.reactions
        names = self.system.compile().state_names
        n = self.evaluation.bodies.setup.tree.ledger
        joints = {name: reactions.joint(name) for name in self.system.joints}
        loops = {name: reactions.loop(name) for name in self.system.loops}
        return {
            "system": self.system.name,
            "time": self.time,
            "friction": self.friction,
            "state": dict(zip(names[:n], self.state[:n].tolist(), strict=False)),
            "residual": asdict(self.residual),
            "load": self.load,
            "stable": self.is_stable,
            "motions": [
                {
                    "moves": each.words,
                    "square": each.square,
                    "frequency": None if each.runs_away else each.frequency,
                    "kind": "runs away" if each.runs_away else "free" if each.is_free else "held",
                }
                for each in self.motions
            ],
            "contacts": [
                {
                    "name": each.name,
                    "force": each.force.tolist(),
                    "magnitude": each.magnitude,
                    "torque": each.torque.tolist(),
                    "point": each.point.tolist(),
                    "depth": each.depth,
                    "pressure": each.pressure,
                    "area": each.area,
                }
                for each in self.contacts
            ],
            "reactions": {
                name: {"force": each.force.tolist(), "torque": each.torque.tolist(), "point": each.point.tolist()}
                for name, each in (joints | loops).items()
            },
            "steps": self.steps,
            "corrections": self.corrections,
            "evaluations": self.evaluations,
            "notes": list(self.notes),
        }


def equilibrium(
    system: MultibodySystem,
    *,
    time: float = 0.0,
    state: ArrayLike | None = None,
    friction: FrictionAtRest = "as_described",
    tolerance: float = REST_RESIDUAL,
    max_steps: int = MOST_STEPS,
    progress: Callable[[int, float], object] | None = None,
) -> Equilibrium:
    """Find where a system rests under its loads and contacts, from its start on or from a ``state`` y.

    Bodies fall, meet and settle without velocity; the search ends with Newton's method. Of several equilibria it finds
    the one into which the system would settle from the start if it moved slowly.

    - ``time`` (s): motions are held at their values at this time, forces that depend on time have those.
    - ``state``: where to begin, in the order of ``system.compile().state_names``; speeds count as zero.
    - ``friction``: "as_described": what the laws say at rest, which is nothing but for `StickFriction`; "sticking":
      friction of all contacts sticks, with the coefficients of their laws; "none": no friction.
    - ``tolerance``: residual, in parts of the largest load, with which a state counts as rest.
    - ``max_steps``: steps after which the search gives up.
    - ``progress``: called after each step with its number and the residual in parts of the largest load.

    Raises `EquilibriumError` where no rest is found; it names what falls, slides or is pushed. An equilibrium that is
    not stable is returned with a warning.
    """
    found = find_equilibrium(
        system,
        time=time,
        state=state,
        friction=friction,
        tolerance=tolerance,
        max_steps=max_steps,
        progress=progress,
    )
    if found.unstable_motions:
        told = "; ".join(each.words for each in found.unstable_motions[:3])
        warnings.warn(
            f"{system.name or 'the system'} is in equilibrium but does not stay there: {told}; start a little beside "
            f"it to find where it goes",
            EquilibriumWarning,
            stacklevel=level_of_the_caller(),
        )
    return found


def find_equilibrium(
    system: MultibodySystem,
    *,
    time: float,
    state: ArrayLike | None = None,
    before: Equilibrium | None = None,
    friction: FrictionAtRest,
    tolerance: float,
    max_steps: int,
    progress: Callable[[int, float], object] | None = None,
) -> Equilibrium:
    """As `equilibrium`, without warnings; ``before``: an equilibrium of the system from which it goes on."""
    at = checks.number("equilibrium", "time", time, "s", signed=True)
    if not 0.0 < checks.number("equilibrium", "tolerance", tolerance, "") < 1.0:
        raise MultibodyError(f"equilibrium: tolerance is {tolerance!r}; give a number between 0 and 1, such as 1e-8")
    if isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1:
        raise MultibodyError(f"equilibrium: max_steps is {max_steps!r}; give a whole number, at least 1")
    held = held_system(system, at, friction)
    compiled = held.compile()
    start = _start_of(system, compiled, before.state if before is not None else state, at)
    search = RestSearch(compiled, at, float(tolerance), max_steps, progress)
    if before is not None:
        search.evaluator.remember(before.remembered)
    found = search.run(start)
    if not found.settled:
        raise EquilibriumError(_why_not(held, search, found, friction), state=found.state)
    return _described(system, search, found, friction)


def _start_of(system: MultibodySystem, compiled: CompiledSystem, state: ArrayLike | None, time: float) -> Array:
    """The state to begin with: the system's start, or what was given."""
    if state is None:
        return compiled.start_state(time)
    given = np.array(checks.floats("equilibrium", "state", state, "SI units"), dtype=np.float64)
    if given.shape != (compiled.n_states,):
        raise MultibodyError(
            f"equilibrium: state has shape {given.shape}; give {compiled.n_states} numbers, in the order of "
            f"system.compile().state_names"
        )
    if not np.isfinite(given).all():
        name = system.compile().state_names[int(np.argmin(np.isfinite(given)))]
        raise MultibodyError(f"equilibrium: {name} of the state is not finite; give numbers for all states")
    return given


def _described(system: MultibodySystem, search: RestSearch, found: Found, friction: FrictionAtRest) -> Equilibrium:
    """The result: all about the state, and the motions about it."""
    compiled, evaluator, t, y = search.compiled, search.evaluator, search.time, found.state
    slopes = search.slopes.at(t, y)
    small = small_motions(compiled, search.space, evaluator, slopes, t, y)
    motions = rest_motions(small, found.size)
    evaluation = evaluator.evaluate(t, y)
    return Equilibrium(
        system=system,
        time=t,
        state=y,
        evaluation=evaluation,
        residual=_residual(search, found),
        load=found.load,
        size=found.size,
        motions=motions,
        small=small,
        friction=friction,
        steps=found.steps,
        corrections=found.corrections,
        evaluations=search.slopes.evaluations,
        notes=tuple(_notes(evaluation, motions)),
        remembered=evaluator.remembered() if evaluator.has_memory else {},
    )


def _residual(search: RestSearch, found: Found) -> Residual:
    def largest(turns: bool) -> tuple[float, str]:
        best, at = 0.0, ""
        for value, each in zip(np.abs(found.residual).tolist(), search.space.freedoms, strict=True):
            if (each.unit == "rad") == turns and (value > best or not at):
                best, at = value, each.name
        return best, at

    return Residual(*largest(False), *largest(True))


def _notes(evaluation: Evaluation, motions: tuple[RestMotion, ...]) -> list[str]:
    """What one should know of an equilibrium: friction that does nothing at rest, motions that nothing holds."""
    notes = []
    if idle := _idle_friction(evaluation, evaluation.contacts.area > 0.0):
        notes.append(
            f"friction of {_listed(idle)} vanishes at rest, as its law has it; friction='sticking' lets it hold"
        )
    free = [each.words for each in motions if each.is_free]
    if free:
        notes.append(f"nothing holds these motions, which were left where they are: {'; '.join(free)}")
    return notes


def _idle_friction(evaluation: Evaluation, touching: NDArray[np.bool_]) -> list[str]:
    """Contacts among those that touch whose friction does nothing at rest."""
    setup = evaluation.bodies.setup
    descriptions = {setup.contacts[pair].name: setup.contacts[pair].description for pair in np.flatnonzero(touching)}
    return [
        name
        for name, each in descriptions.items()
        if each.friction is not None and not isinstance(each.friction, StickFriction)
    ]


def _sticking(evaluation: Evaluation, touching: NDArray[np.bool_]) -> list[str]:
    """Contacts among those that touch whose friction sticks."""
    contacts = evaluation.bodies.setup.contacts
    pairs = np.flatnonzero(touching).tolist()
    return [contacts[i].name for i in pairs if isinstance(contacts[i].description.friction, StickFriction)]


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(each) for each in names[:3])
    return f"{shown} and {len(names) - 3} others" if len(names) > 3 else shown


def _why_not(held: MultibodySystem, search: RestSearch, found: Found, friction: FrictionAtRest) -> str:
    """Why no rest was found, and what to do."""
    name = held.name or "the system"
    evaluation = search.evaluator.evaluate(search.time, found.state)
    residual = _residual(search, found)
    left = f"{residual.force:.3g} N at {residual.force_at}" if residual.force_at else ""
    if residual.torque_at:
        left += f"{' and ' if left else ''}{residual.torque:.3g} N m at {residual.torque_at}"
    hints = []
    idle = _idle_friction(evaluation, search.touched)
    if idle and friction == "as_described":
        hints.append(f"friction of {_listed(idle)} vanishes at rest: ask for friction='sticking' if it shall hold")
    if found.why == "fallen":
        start = search.compiled.start_state(search.time)
        before = search.evaluator.place(search.time, start).position.copy()
        ways = search.evaluator.place(search.time, found.state).position - before
        body = int(np.argmax(np.linalg.norm(ways, axis=1)))
        moved = search.compiled.setup.joints[body - 1].child
        support = "a contact, a joint or a spring"
        hints.append(f"or support it: {support}" if hints else f"give it {support}")
        return (
            f"{name} has no equilibrium that is reached from its start: body {moved!r} falls away along "
            f"{direction_words(ways[body])}, {np.linalg.norm(ways[body]):.3g} m so far, and nothing holds it "
            f"({left} are left); {'; '.join(hints)}"
        )
    pushed = _pushed_along(search, found)
    if pushed:
        hints.insert(0, f"a load pushes where nothing holds: {pushed}")
    if slipping := _sticking(evaluation, search.touched):
        hints.append(f"friction of {_listed(slipping)} slips where the load is more than it can hold")
    if not np.isfinite(found.load) or (len(found.inner_rates) and float(np.abs(found.inner_rates).max()) > 1e-3):
        hints.append("states of contact laws or force elements do not come to rest")
    hints.append("start nearer to the rest, or give max_steps and tolerance for which it can be found")
    steps = "it stopped moving" if found.why == "stuck" else f"{counted(found.steps, 'step')} did not suffice"
    return f"{name} was not brought to rest: {steps}, {left} are left; {'; '.join(hints)}"


def _pushed_along(search: RestSearch, found: Found) -> str:
    """Free motions along which a force is left, in words."""
    slopes = search.slopes.at(search.time, found.state)
    small = small_motions(search.compiled, search.space, search.evaluator, slopes, search.time, found.state)
    along = small.followers.T @ found.residual
    told = []
    for each in rest_motions(small, found.size):
        force = abs(float(each.shape @ along))
        if each.is_free and force > 0.1 * math.sqrt(float(along @ along)):
            told.append(each.words)
    return "; ".join(told[:3])
