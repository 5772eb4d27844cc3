"""Steps with rigid contact as Python calls them: their memory, and what they ask for on the way."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.evaluation_views import Status
from polycontact.kernels.dynamics.stop_limits import StopLimits
from polycontact.kernels.response.codes import StepsEnd, StepStatus
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.following_steps import MOST_HALVINGS
from polycontact.kernels.response.moreau_step import finish_step, go_to_middle, moreau_step
from polycontact.kernels.response.response_views import SolverSettings, response_memory
from polycontact.kernels.response.step_series import limit_next_step, look_whether_held, make_steps
from polycontact.kernels.response.step_views import RigidStep
from polycontact.kernels.response.touched_groups import Groups
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_points import chooser_of, make_point_work_in, reach_of_points
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.rigid_contacts import RigidContacts
from polycontact.simulation.responses.response import RigidResponse
from polycontact.simulation.responses.rigid_properties import RigidProperties
from polycontact.simulation.responses.step_made import StepMade

Array = NDArray[np.float64]

UNPRESSED_SPEED = 1e-7
"""Speed (m/s) that counts as none where bodies touch without being pressed together: rounding."""

FIRST_POINTS = 16
"""Contact points that fit at first."""

UNKNOWN = -1
"""It is not known yet whether bodies overlap at the start."""


class CompiledStep:
    """Makes steps of one system, each in one compiled call unless Python is needed on the way.

    ``contacts`` and ``evaluator``: of the same system, and nobody else's meanwhile.
    """

    def __init__(
        self,
        compiled: CompiledSystem,
        contacts: RigidContacts,
        evaluator: Evaluator,
        response: RigidResponse,
        properties: RigidProperties,
        settings: SolverSettings,
    ) -> None:
        self._contacts = contacts
        self._evaluator = evaluator
        self._system_row = evaluator.view.row
        self._n_coordinates = compiled.n_coordinates
        setup = compiled.setup
        self.view = view = RigidStep()
        n_pairs, tree = setup.pairs.n_pairs, setup.tree
        view.rules.reserve(n_pairs=n_pairs, n_speeds=tree.n_speeds)
        view.rules.rest_speed, view.rules.slop = response.rest_speed, properties.slop
        view.rules.friction[:], view.rules.restitution[:] = properties.friction, properties.restitution
        view.rules.stiffness[:], view.rules.small[:] = properties.stiffness, reach_of_points(setup)
        view.rules.unpressed_speed = UNPRESSED_SPEED
        view.rules.driven[:] = 1
        view.rules.driven[contacts.in_joints] = 0
        view.rules.some_driven = int(view.rules.driven.any())
        view.rules.in_threads = int(evaluator.parallel)
        make_point_work_in(view.choosing)
        view.gaps.reserve(n_pairs=n_pairs)
        length = view.length
        length.reserve(n_pairs=n_pairs)
        length.longest = length.next = response.step
        length.shortest, length.rest_speed = response.step / 2**MOST_HALVINGS, response.rest_speed
        work = view.work
        work.reserve(n_states=tree.n_states, n_speeds=tree.n_speeds, n_bodies=tree.n_bodies, n_pairs=n_pairs)
        work.first_state = compiled.n_coordinates + compiled.n_speeds
        work.overlapped = UNKNOWN
        view.groups, view.settings = contacts.groups, settings
        view.contacts = ContactSystem()
        view.series.stops = StopLimits()
        self._make_room(FIRST_POINTS)

    def stop_at(self, limits: StopLimits) -> None:
        """Let a series end where a limit is reached."""
        self.view.series.stops = limits

    def _make_room(self, n: int) -> None:
        """Memory for n contact points."""
        view = self.view
        groups: Groups = self._contacts.groups
        known = view.solves.n_last
        names = ("last", "last_point", "last_pair")
        last = {name: getattr(view.solves, name)[:known].copy() for name in names} if known else {}
        view.points.reserve(room=n, triple=3 * n)
        view.work.reserve(room=n, triple=3 * n)
        view.solves.reserve(room=n, triple=3 * n)
        for name, values in last.items():  # where the next search begins
            getattr(view.solves, name)[:known] = values
        view.contacts.reserve(room=n, triple=3 * n, most=2 * groups.most)
        width = max(groups.n_speeds, 1)
        view.memory = response_memory(n, width, min(width * (width + 1) // 2, 50 * width))

    def make(self, t: float, y: Array, whole: float, longest: float, *, rebounds: bool) -> tuple[float, StepMade]:
        """One step from y at t (s), one of equal ones that make up the ``whole`` time (s), none longer than ``longest``
        (s), and shorter where the motion of bodies in contact asks for that: its length (s), and what it made.

        Where nothing ``rebounds``, also so short that no points meet in its middle faster than the rest speed: they
        meet after it.
        """
        work = self.view.work
        self._look_for_overlaps(t, y)
        work.t, work.rebounds = t, int(rebounds)
        work.start[:] = y
        row = self.view.row
        if self._evaluator.has_users:
            self._complete(lambda resume: go_to_middle(self._system_row, row, whole, longest, resume))
            self._evaluator.apply_users(t + 0.5 * work.h, work.halfway, work.rates)
            self._complete(lambda resume: finish_step(self._system_row, row))
        else:
            self._complete(lambda resume: moreau_step(self._system_row, row, whole, longest, resume))
        return work.h, self.last()

    def begin_series(self, t: float, y: Array, lost: float, *, is_limited: bool, rebounds: bool) -> None:
        """Begin a series of steps at t (s) and y, after steps that have ``lost`` energy (J) by their rule.

        ``is_limited``: steps are so short that no body moves through another. Where nothing ``rebounds``, the series
        ends where contacts do not hold bodies together any more, see `stays_held`.
        """
        series, row, work = self.view.series, self.view.row, self.view.work
        self._look_for_overlaps(t, y)
        series.t = series.t_old = t
        series.lost = series.lost_old = lost
        series.step, series.is_limited = self.view.length.longest, int(is_limited)
        work.reached[:], work.rebounds = y, int(rebounds)
        self._contacts.touch(t, y)
        self._contacts.free_rates(t, y)
        self._complete(lambda resume: limit_next_step(self._system_row, row, t, 0.0))

    def go_on(self, until: float, stop_at: float, most: int) -> StepsEnd:
        """Steps of the series until a time ``stop_at`` (s) is reached, ``most`` at most, none past ``until`` (s).

        Returns why they ended. With users' forces, which are Python, there is no series.
        """
        series, row = self.view.series, self.view.row
        series.until, series.stop_at, series.most = until, stop_at, most
        series.made = series.limited = series.ended = series.seen = 0
        self._complete(lambda resume: make_steps(self._system_row, row, resume))
        return StepsEnd(series.ended)

    def stays_held(self, t: float) -> bool:
        """Whether contacts hold bodies together at the state that the last step has reached, at t (s)."""
        view = self.view
        view.work.touched = view.gaps.known = 0
        self._complete(lambda resume: look_whether_held(self._system_row, view.row, t))
        return bool(view.series.stays)

    def last(self) -> StepMade:
        """The step that was made last."""
        work = self.view.work
        return StepMade(
            work.reached.copy(), work.halfway, work.drift, bool(work.pushed), work.lost, self._n_coordinates
        )

    def _look_for_overlaps(self, t: float, y: Array) -> None:
        """Note whether bodies overlap where the first step begins."""
        work = self.view.work
        if work.overlapped == UNKNOWN:
            work.overlapped = int((self._contacts.touch(t, y).depth > self.view.rules.slop).any())

    def _complete(self, call: Callable[[int], int]) -> None:
        """Call compiled code, again and again where it needs Python on the way."""
        status = call(0)
        while status != Status.WELL:
            self._heed(status)
            status = call(1)

    def _heed(self, status: int) -> None:
        """Do what a step asks for, or say why it cannot go on."""
        view, about = self.view, self._evaluator.view.ending.about
        if status == StepStatus.UNKNOWN_POINTS:
            view.rules.choose[about] = chooser_of(self._evaluator.contact_memory(about))
        elif status == StepStatus.MORE_ELEMENTS:
            view.choosing.elements.reserve(room=2 * about, room_of_border=2 * about)
        elif status == StepStatus.MORE_POINTS:
            self._make_room(2 * about)
        elif status == StepStatus.MORE_ENVELOPE:
            view.memory.work.envelope.reserve(size=2 * about)
        elif status == StepStatus.TOUCH:
            self._evaluator.touch_near()
            view.work.touched = 1
        elif status == StepStatus.GAPS:
            self._find_gaps()
        elif status == StepStatus.NO_IMPULSES:
            raise FloatingPointError("contact forces are not finite")
        elif status == StepStatus.BAD_STATE:
            raise FloatingPointError(
                f"the state is not finite at {view.work.t + view.work.h:.9g} s; take shorter steps"
            )
        else:
            self._evaluator.heed(status, view.work.t + 0.5 * view.work.h)

    def _find_gaps(self) -> None:
        """Nearest points of the contacts that are held and gape in the middle of the step."""
        gaps, length = self.view.gaps, self.view.length
        gaps.found[:], gaps.known = 0, 1
        gaping = (length.held == 1) & ~(self._evaluator.view.contacts.area > 0.0)
        for pair in np.flatnonzero(gaping).tolist():
            row = self._contacts.nearest(pair, self.reach)
            if len(row):
                gaps.support[pair], gaps.found[pair] = row[0], 1

    # Contacts that are held -----------------------------------------------------------------------------------------

    @property
    def reach(self) -> float:
        """How far (m) contacts that are held may gape in the middle of a step and still count as closed."""
        return self.view.length.rest_speed * self.view.length.longest

    @property
    def held(self) -> NDArray[np.bool_]:
        """Contacts that pushed in the last step and stayed closed, (n_pairs,)."""
        return np.asarray(self.view.length.held == 1)

    def forget(self) -> None:
        """Begin anew: no contact is held, and the next step may be as long as steps may be."""
        self.view.length.held[:] = 0
        self.view.length.next = self.view.length.longest

    def begin(self, held: NDArray[np.bool_], pairs: NDArray[np.int64], normal_speeds: Array) -> None:
        """Go on from another state, in which these contacts are ``held``; ``pairs`` and normal speeds of its points."""
        length = self.view.length
        length.held[:] = held
        length.low[held], length.high[held] = math.inf, -math.inf
        np.minimum.at(length.low, pairs, normal_speeds)
        np.maximum.at(length.high, pairs, normal_speeds)
        length.next = length.longest
