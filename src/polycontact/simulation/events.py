"""Events of a run: contacts that start and end, roots of users' force elements (S4.11, S4.29), and what ends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.contact_times import find_brief, find_change
from polycontact.simulation.event_location import EventLocator
from polycontact.simulation.integrated_rates import IntegratedRates
from polycontact.simulation.recording.records import ContactEvent
from polycontact.simulation.stepper import Stepper
from polycontact.simulation.stop_conditions import StopCondition, StopFound
from polycontact.simulation.stop_watch import StopWatch


@dataclass(frozen=True)
class Happened:
    """What happened in a step: contacts that began or ended, and the event of a user's element, if any.

    ``restart_at``: time (s) at which the integration begins anew; None where it goes on. ``stop``: the condition that
    ends the run, if one came to hold.
    """

    contacts: tuple[ContactEvent, ...] = ()
    restart_at: float | None = None
    roots: tuple[int, ...] = ()
    directions: tuple[int, ...] = ()
    stop: StopFound | None = None


class Events:
    """Looks for events in each step. Contacts are noted; users' elements may change their states.

    ``contacts``: all of the system where their start and end are looked for, else none; ``restarts``: the integration
    begins anew there; ``stop_when``: conditions that end the run. A contact that starts and ends, or ends and starts
    again, within one step is seen where the integrator met it in one of its calls; where it did not, it has felt
    nothing of it either.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        contacts: Sequence[Contact],
        *,
        restarts: bool = False,
        stop_when: Sequence[StopCondition] = (),
    ) -> None:
        self._evaluator = evaluator
        self._watched = contacts
        self._restarts = restarts
        self._locator = EventLocator(evaluator.roots)
        self.watch = StopWatch(evaluator, stop_when)
        self._values = np.zeros(0)
        self._touching = np.zeros(0, np.bool_)

    @property
    def awaits_roots(self) -> bool:
        """Whether there are root functions of users' elements to look at after each step."""
        return bool(self._evaluator.has_roots)

    @property
    def touching(self) -> NDArray[np.bool_]:
        """Whether each pair touched where the last step ended; empty where contacts are not watched."""
        return self._touching

    def start(self, t: float, y: NDArray[np.float64]) -> None:
        """Begin at a state, also after a restart."""
        self._values = self._evaluator.roots(t, y)
        self._touching = self._contacts(t, y)
        self.watch.start(t, y)

    def look(self, stepper: Stepper, calls: IntegratedRates) -> Happened:
        """Events of the last step, in order, up to the first one that restarts the integration or ends the run.

        ``calls`` of the step.
        """
        stop = self.watch.look(stepper)
        event = self._locator.locate(stepper, self._values) if len(self._values) else None
        self._values = self._locator.end_values
        reached = min((each.time for each in (stop, event) if each is not None), default=stepper.t)
        contacts = self._contact_changes(stepper, reached, calls) if self._watched else ()
        if self._restarts and contacts and contacts[0].time < reached:
            first = contacts[0].time
            return Happened(tuple(each for each in contacts if each.time == first), first)
        if stop is not None and stop.time == reached:
            return Happened(contacts, stop=stop)
        if event is None:
            return Happened(contacts, reached if self._restarts and contacts else None)
        return Happened(contacts, event.time, event.indices, event.directions)

    def _contact_changes(self, stepper: Stepper, reached: float, calls: IntegratedRates) -> tuple[ContactEvent, ...]:
        """Contacts that started or ended between the start of the last step and the time ``reached`` (s) in it."""
        before = self._touching
        after = self._touching = self._contacts(reached, stepper.interpolate(reached))
        found: list[ContactEvent] = []
        for pair in np.flatnonzero(before != after).tolist():
            found.append(self._locate(stepper, pair, stepper.t_old, reached, touched=bool(before[pair])))
        for pair in np.flatnonzero((before == after) & np.where(before, calls.parted, calls.touched)).tolist():
            touched = bool(before[pair])
            inner = find_brief(self._evaluator, pair, stepper, reached, touched=touched)
            if inner is not None:
                found.append(self._locate(stepper, pair, stepper.t_old, inner, touched=touched))
                found.append(self._locate(stepper, pair, inner, reached, touched=not touched))
        return tuple(sorted(found, key=lambda each: each.time))

    def change_state(self, happened: Happened, stepper: Stepper) -> NDArray[np.float64]:
        """Let the users' elements act on their event, if it is one; the state to go on from."""
        assert happened.restart_at is not None
        t = happened.restart_at
        y = self._evaluator.react(t, stepper.interpolate(t), happened.roots, happened.directions)
        self.start(t, y)
        return y

    def _contacts(self, t: float, y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each pair touches; empty where contact events are not watched."""
        return self._evaluator.touching(t, y) if self._watched else np.zeros(0, np.bool_)

    def _locate(self, stepper: Stepper, pair: int, low: float, high: float, *, touched: bool) -> ContactEvent:
        """The change of one pair between two times (s) in the last step."""
        time = find_change(self._evaluator, pair, stepper, low, high, touched=touched)
        return ContactEvent(time, self._watched[pair].name, "end" if touched else "start")
