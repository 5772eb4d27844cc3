"""Evaluates a system, in memory of its own: dy/dt for an integrator, or all that there is to know of a state."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.contact_memory import LawMemories
from polycontact.contact.lost_contact import LOST_CONTACT
from polycontact.contact.methods import EvaluationMemory
from polycontact.contact.shared_work import SharedWork
from polycontact.errors import MultibodyError
from polycontact.kernels.contact.contact_report import OVERFLOW
from polycontact.kernels.contact.contact_report import Status as ContactStatus
from polycontact.kernels.contact.evaluate import evaluate
from polycontact.kernels.dynamics.energy import measure
from polycontact.kernels.dynamics.evaluation_views import Status, SystemView
from polycontact.kernels.dynamics.peaks import Peaks, note_loads
from polycontact.kernels.dynamics.reactions import Reactions as ReactionsView
from polycontact.kernels.dynamics.reactions import find_reactions
from polycontact.kernels.dynamics.right_hand_side import (
    accelerate,
    move,
    relate_pair,
    right_hand_side,
    touch,
    touch_parallel,
)
from polycontact.kernels.dynamics.step_length import longest_step
from polycontact.multibody.evaluation import ContactsFound, ContactsSeen, Evaluation, SystemMemory
from polycontact.multibody.named_reactions import Reactions, make_reactions
from polycontact.multibody.placement import Placement, ShapePlaces
from polycontact.multibody.pressure_centres import centre_of_pressure
from polycontact.multibody.system_setup import SystemSetup
from polycontact.multibody.thread_choice import ThreadChoice
from polycontact.multibody.user_elements import UserElements

Array = NDArray[np.float64]


class NotFiniteError(MultibodyError, FloatingPointError):
    """A state of which nothing can be evaluated: a number that is none; an integrator tries a shorter step."""


class Outlook(NamedTuple):
    """Where the shapes are, and how long (s) a step from there may be."""

    shapes: ShapePlaces
    longest_step: float


class Evaluator:
    """Evaluates a system at states: functions of time, state, discrete states and what contact laws remember alone.

    It has memory of its own, also for contacts, so that several evaluators of a system do not disturb each other; one
    evaluator serves one thread at a time. ``discrete``: values of the discrete states of users' elements, which may be
    shared and change at events. ``parallel``: contacts may be evaluated in several threads, where that is quicker.
    """

    def __init__(self, setup: SystemSetup, discrete: Array, *, parallel: bool = False) -> None:
        self._setup = setup
        self._memory = SystemMemory(setup)
        self._view = self._memory.view
        self._row = self._view.row
        self._users = UserElements(setup, self._view, discrete)
        self._threads = ThreadChoice()
        self.parallel = parallel
        self.discrete = discrete
        self._contact_memory: dict[int, EvaluationMemory] = {}
        """Memory of the contacts whose bodies have come near each other."""
        self._shared_work = None if parallel else SharedWork()
        self._parted: set[int] = set()
        """Pairs with memory whose bodies were far apart when `release_parted` was last called."""
        self._imposed: Array | None = None

    @property
    def view(self) -> SystemView:
        """The memory of the last evaluation, for those who go on from there."""
        return self._view

    @property
    def is_compiled(self) -> bool:
        """Whether the right-hand side needs no Python: no users' elements, given wrenches or choice of threads."""
        return not self._users and self._imposed is None and not self.parallel

    # The right-hand side ------------------------------------------------------------------------------------

    def rates(self, t: float, y: Array, out: Array) -> None:
        """dy/dt at time t (s) into ``out``: the light way, for integrators."""
        if self._imposed is not None:
            self._move(t, y)
            self.apply_users(t, y, out)
            self._touch()
            self._take_imposed(self._imposed)
            self._finish(t, out)
            return
        if self._users:
            self.staged_rates(t, y, out, lambda stage: None)
            return
        while True:
            if self.parallel:
                status = self._threads.run(
                    lambda: right_hand_side(self._row, t, y, out), lambda: self._rates_in_threads(t, y, out)
                )
            else:
                status = right_hand_side(self._row, t, y, out)
            if status == Status.WELL:
                return
            self.heed(status, t)

    def rates_without_contact(self, t: float, y: Array, out: Array) -> None:
        """dy/dt at time t (s) into ``out`` as if no bodies touched; contacts are not looked at."""
        self._move(t, y)
        self.apply_users(t, y, out)
        self._finish(t, out)

    @property
    def has_users(self) -> bool:
        """Whether there are users' elements, whose forces are Python."""
        return bool(self._users)

    def touch_near(self) -> None:
        """Contacts of the near pairs at the last kinematics, in several threads where that is quicker."""
        self._touch()

    def apply_users(self, t: float, y: Array, out: Array) -> None:
        """Forces of users' elements at the state of the last kinematics; rates of their states into ``out``."""
        if self._users:
            self._users.apply(t, y, out)

    def impose(self, wrenches: Array | None) -> None:
        """Let contacts exert given wrenches instead of those of their laws, or those again (None).

        ``wrenches`` (n_pairs, 6): force (N) and torque (N m) on E at marker F in the axes of E, read at each
        evaluation. Areas and depths stay those of the geometry; there are no pressures and no energies of layers.
        """
        self._imposed = wrenches

    @property
    def is_imposed(self) -> bool:
        """Whether contacts exert given wrenches."""
        return self._imposed is not None

    def _take_imposed(self, wrenches: Array) -> None:
        contacts = self._view.contacts
        near = contacts.near[: contacts.n_near]
        contacts.wrench[near] = wrenches[near]
        for column in (contacts.pressure, contacts.energy, contacts.damping_power, contacts.friction_power):
            column[near] = 0.0

    def _finish(self, t: float, out: Array) -> None:
        """Dynamics with the wrenches that the contacts have now."""
        status = accelerate(self._row, t, out)
        if status != Status.WELL:
            self.heed(status, t)

    def _rates_in_threads(self, t: float, y: Array, out: Array) -> int:
        """`right_hand_side` with contacts evaluated in several threads: the same bits, and a status."""
        status = move(self._row, t, y)
        if status == Status.WELL:
            touch_parallel(self._row)
            status = accelerate(self._row, t, out)
        return status

    def staged_rates(self, t: float, y: Array, out: Array, done: Callable[[str], None]) -> None:
        """The same bits in stages, with Python functions between them.

        ``done`` is called after each, with "kinematics", "contacts" and "dynamics".
        """
        self._move(t, y)
        self._users.apply(t, y, out)
        done("kinematics")
        self._touch()
        done("contacts")
        while (status := accelerate(self._row, t, out)) != Status.WELL:
            self.heed(status, t)
            self._touch()
        done("dynamics")

    @property
    def acceleration(self) -> Array:
        """Accelerations (n_bodies, 6) of the bodies at the last call of `rates`; the next one overwrites them."""
        return self._memory.acceleration

    @property
    def contact_bits(self) -> int:
        """Status bits of all contacts together at the last call of `rates`."""
        return self._view.contacts.seen

    @property
    def n_touching(self) -> int:
        """Contacts that touched at the last evaluation."""
        return int(np.count_nonzero(self._memory.touching))

    @property
    def touching_last(self) -> NDArray[np.bool_]:
        """Which pairs touched at the last evaluation."""
        return self._memory.touching

    def contact_areas(self) -> Array:
        """Area of every contact at the last evaluation, m²; 0 where the bodies did not touch."""
        areas = np.zeros(len(self._setup.contacts))
        for pair in np.flatnonzero(self._memory.touching).tolist():
            areas[pair] = self._contact_memory[pair].report.area
        return areas

    def contact_forces(self) -> Array:
        """Magnitude of the force of every contact at the last evaluation, N; 0 where the bodies did not touch."""
        return np.asarray(np.linalg.norm(self._memory.view.contacts.wrench[:, :3], axis=1))

    def note_loads(self, peaks: Peaks, t: float) -> None:
        """Hand all loads at the last call of `rates`, which was at t (s), to those who look for peaks."""
        note_loads(self._row, self._reaction_memory.row, peaks.row, t)

    @property
    def reaction_place(self) -> int:
        """Where compiled code writes what joints, loops, drives and force elements transmit."""
        return self._reaction_memory.address

    # All about a state --------------------------------------------------------------------------------------

    def evaluate(self, t: float, y: Array) -> Evaluation:
        """All that there is to know of the system at time t (s) and state y."""
        rates = np.zeros(self._setup.tree.n_states)
        self.rates(t, y, rates)
        measure(self._row)
        return self._memory.evaluation(t, y, self.discrete, rates, self._reactions(t), self._centres())

    @cached_property
    def _reaction_memory(self) -> ReactionsView:
        return make_reactions(self._setup)

    def _reactions(self, t: float) -> Reactions:
        """What joints, loops, drives and force elements transmit at the last call of `rates`, which was at t (s)."""
        view = self._reaction_memory
        find_reactions(self._row, view.row, t)
        return Reactions.copied(self._setup, view)

    def _centres(self) -> Array:
        """Centre of pressure (n_pairs, 3) of each contact in the world, m; nan where nothing presses."""
        centres = np.full((len(self._setup.contacts), 3), np.nan)
        for pair in np.flatnonzero(self._memory.touching).tolist():
            shape = self._setup.pairs.shape_e[pair]
            R, r = self._memory.shapes.rotation[shape], self._memory.shapes.position[shape]
            centres[pair] = R @ centre_of_pressure(self._contact_memory[pair].elements) + r
        return centres

    def look_ahead(self, t: float, y: Array, acceleration: Array, part: float) -> Outlook:
        """Shapes at a state, and the time in which no pair closes its gap and ``part`` of the thinner one's thickness.

        ``acceleration`` (n_bodies, 6) of the bodies, taken as constant.
        """
        self._move(t, y)
        longest = float(longest_step(self._row, acceleration, part))
        return Outlook(self._memory.shapes.copy(), longest)

    def place(self, t: float, y: Array) -> Placement:
        """Where the bodies are and how they move at a state, without forces; the next evaluation overwrites it."""
        self._move(t, y)
        return self._memory.bodies

    def contacts(self, t: float, y: Array) -> ContactsFound:
        """Contacts at a state, without dynamics."""
        self._move(t, y)
        self._touch()
        return self._memory.contacts()

    @property
    def shapes(self) -> ShapePlaces:
        """Where the shapes were at the last evaluation; the next one overwrites it."""
        return self._memory.shapes

    @property
    def n_element_forces(self) -> int:
        """Numbers that tell what force elements and couplers transmit."""
        return int(self._reaction_memory.n_numbers)

    def contacts_seen(self, t: float) -> ContactsSeen:
        """Contacts at the last evaluation, which was at t (s)."""
        return ContactsSeen(t, self._memory.contacts())

    def touching(self, t: float, y: Array) -> NDArray[np.bool_]:
        """Whether each pair touches at the state y and the time t (s)."""
        self._move(t, y)
        self._touch()
        return self._memory.touching

    def touches(self, pair: int, t: float, y: Array) -> bool:
        """Whether one pair touches at a state; the others are not looked at."""
        return self._evaluate_pair(pair, t, y, np.empty(6)) and self.contact_memory(pair).report.area > 0.0

    def _evaluate_pair(self, pair: int, t: float, y: Array, wrench: Array) -> bool:
        """Evaluate one pair at a state; False where its boxes are apart."""
        self._move(t, y)
        contacts, memory = self._view.contacts, self.contact_memory(pair)
        if pair not in contacts.near[: contacts.n_near]:
            return False
        while (status := self._call(pair, self._setup.pairing(pair).entry, wrench)) & OVERFLOW:
            memory.grow(status)
        return True

    def pair_loads(self, pair: int, t: float, y: Array) -> Array:
        """Force (N), greatest pressure (Pa) and greatest depth (m) of one pair at a state; zeros if not near."""
        if not self._evaluate_pair(pair, t, y, wrench := np.zeros(6)):
            return np.zeros(3)
        report = self.contact_memory(pair).report
        return np.array([np.linalg.norm(wrench[:3]), report.pressure, report.depth])

    def has_gap(self, pair: int) -> bool:
        """Whether the method of a pair knows the signed distance of its bodies in compiled code."""
        return self._setup.pairing(pair).gap_entry != 0

    def gap(self, pair: int, t: float, y: Array) -> float:
        """Signed distance (m) of the bodies of a pair at a state, near or not; nan where none is found."""
        self._move(t, y)
        out = np.empty(6)
        self._call(pair, self._setup.pairing(pair).gap_entry, out)
        return float(out[0])

    def kinematics(self, pair: int) -> Array:
        """Rotation, position, velocity and angular velocity of F in E (18,) at the last kinematics, near or not."""
        relate_pair(self._row, pair)
        kinematics: Array = self._view.contacts.kinematics[pair]
        return kinematics

    def _call(self, pair: int, entry: int, out: Array) -> int:
        """Call an entry of a pair's method at the state of the last `_move`; its status."""
        kinematics = self.kinematics(pair)
        R, (r, v, w) = kinematics[:9].reshape(3, 3), kinematics[9:].reshape(3, 3)
        return int(evaluate(entry, self.contact_memory(pair).address, R, r, v, w, out))

    # What contact laws remember -------------------------------------------------------------------------------

    @property
    def has_memory(self) -> bool:
        """Whether a contact law remembers elements from one accepted step to the next."""
        return bool(self._setup.remembering)

    def commit(self, t: float, y: Array) -> None:
        """State y at t (s) ends an accepted step: contact laws remember their elements as they are there."""
        if math.isnan(self.step_start):
            self.step_start = t
        self._move(t, y)
        self._touch()
        near = set(self._view.contacts.near[: self._view.contacts.n_near].tolist())
        for pair in self._setup.remembering:
            if pair in near:
                self.contact_memory(pair).commit()
            elif pair in self._contact_memory:
                self._contact_memory[pair].leave()
        self.step_start = t

    @property
    def step_start(self) -> float:
        """Time of the last accepted step, s, from which laws with a memory look back; nan before the first."""
        return self._view.contacts.step_start

    @step_start.setter
    def step_start(self, t: float) -> None:
        self._view.contacts.step_start = t

    def remembered(self) -> dict[int, LawMemories]:
        """Copies of what the laws of each pair remember of elements now."""
        pairs = [pair for pair in self._setup.remembering if pair in self._contact_memory]
        return {pair: self._contact_memory[pair].remembered() for pair in pairs}

    def remember(self, remembered: Mapping[int, LawMemories]) -> None:
        """Take over what `remembered` gave, maybe by another evaluator; pairs that it leaves out stay as they are."""
        for pair, memories in remembered.items():
            self.contact_memory(pair).remember(memories)

    # Events -------------------------------------------------------------------------------------------------

    @property
    def has_roots(self) -> bool:
        """Whether users' elements take part, which may have root functions."""
        return bool(self._users)

    def roots(self, t: float, y: Array) -> Array:
        """Root functions of users' elements at a state."""
        if not self._users:
            return np.zeros(0)
        self._move(t, y)
        return self._users.roots(t, y)

    def react(self, t: float, y: Array, roots: Sequence[int], directions: Sequence[int]) -> Array:
        """State after users' elements have acted on roots (by number) that rose (+1) or fell (-1) through zero.

        They may change their discrete states too.
        """
        changed = np.array(y)
        self._move(t, changed)
        self._users.react(t, changed, roots, directions)
        return changed

    # Stages -------------------------------------------------------------------------------------------------

    def _move(self, t: float, y: Array) -> None:
        """Kinematics: poses, velocities, near pairs."""
        while (status := move(self._row, t, y)) != Status.WELL:
            self.heed(status, t)

    def _touch(self) -> None:
        """Contacts of the near pairs, with more memory where it does not suffice."""
        while True:
            if self.parallel:
                self._threads.run(lambda: touch(self._row), lambda: touch_parallel(self._row))
            else:
                touch(self._row)
            if not self._grow_full():
                return

    def contact_memory(self, pair: int) -> EvaluationMemory:
        """Memory in which a contact is evaluated; it is made when it is first asked for."""
        if pair not in self._contact_memory:
            made = self._setup.pairing(pair)
            memory = made.make_memory(self._shared_work)
            planned, found = int(self._setup.pairs.state_count[pair]), memory.report.states.n
            if planned != found:
                raise MultibodyError(
                    f"contact {made.name!r}: its memory has {found} states, its description {planned}; let the method "
                    f"hand n_states to its memory, and do not announce a law anew after compile()"
                )
            self._contact_memory[pair] = memory
            self._view.contacts.method[pair] = made.entry
            self._view.contacts.pairing[pair] = memory.address
        return self._contact_memory[pair]

    def release_parted(self) -> None:
        """Give back the memory of pairs whose bodies are far apart, now and when this was last called.

        Pairs with states, and those whose laws remember elements, keep theirs; the others get it again when their
        bodies come near, and results are the same.
        """
        contacts, remembering = self._view.contacts, set(self._setup.remembering)
        near = set(contacts.near[: contacts.n_near].tolist())
        parted = {
            pair
            for pair, memory in self._contact_memory.items()
            if pair not in near | remembering and memory.report.states.n == 0 and not self.has_gap(pair)
        }
        for pair in parted & self._parted:
            del self._contact_memory[pair]
            contacts.pairing[pair] = contacts.method[pair] = 0
        self._parted = parted - self._parted

    def heed(self, status: int, t: float) -> None:
        """Do what the kernels ask for, or say why they cannot go on."""
        about = self._view.ending.about
        if status == Status.PREPARE_PAIR:
            self._prepare_near()
        elif status == Status.HEED_PAIR:
            self._heed_pair(about, t)
        elif status == Status.NOT_FINITE:
            joint = self._setup.joints[about - 1]
            raise NotFiniteError(
                f"body {joint.child!r}: its coordinates or speeds are not finite at t = {t:.9g} s; look for a division "
                "by zero, a root or a logarithm in forces and motions"
            )
        elif status == Status.NO_PAIRS:
            raise MultibodyError(
                f"broad phase {self._setup.broad_phase.name!r} gave {about} at t = {t:.6g} s: more pairs than there "
                f"are, no pair, or one given twice; pairs are numbered 0 to {self._setup.pairs.n_pairs - 1}; list each "
                f"once, and return how many"
            )
        else:
            joint = self._setup.joints[about - 1]
            raise MultibodyError(
                f"joint {joint.name!r} moves no mass (body {joint.child!r}, t = {t:.6g} s): give that body, or one "
                f"that it carries, mass and inertia along the joint's freedom"
            )

    def _prepare_near(self) -> None:
        """Memory for all near pairs that have none, so that the evaluation is repeated once and not for each."""
        contacts = self._view.contacts
        for pair in contacts.near[: contacts.n_near].tolist():
            if contacts.pairing[pair] == 0:
                self.contact_memory(pair)

    def _grow_full(self) -> bool:
        """More memory for all near pairs whose last evaluation had too little; whether there were any."""
        contacts = self._view.contacts
        near = contacts.near[: contacts.n_near]
        full = near[(contacts.status[near] & OVERFLOW) != 0].tolist()
        for pair in full:
            self.contact_memory(pair).grow(int(contacts.status[pair]))
        return bool(full)

    def _heed_pair(self, pair: int, t: float) -> None:
        status = int(self._view.contacts.status[pair])
        if status & OVERFLOW:
            self._grow_full()
            return
        if status & ContactStatus.SURFACE_NOT_FINITE:
            message = LOST_CONTACT[ContactStatus.SURFACE_NOT_FINITE]
            raise NotFiniteError(f"contact {self._setup.contacts[pair].name!r} at t = {t:.9g} s: {message}")
        raise NotFiniteError(f"contact {self._setup.contacts[pair].name!r}: bad kinematics at t = {t:.9g} s")
