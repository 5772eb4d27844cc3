"""Events of a run: start and end of contacts, and the roots of users' force elements (S4.11, S4.29)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics import memory as slots
from polycontact.kernels.memory import AREA
from polycontact.multibody.compiled import CompiledSystem
from polycontact.simulation.event_location import EventLocator
from polycontact.simulation.integrators import Integrator
from polycontact.simulation.recording.records import ContactEvent


@dataclass(frozen=True)
class Happened:
    """What happened in a step: contacts that began or ended, and the event of a user's element, if any."""

    contacts: tuple[ContactEvent, ...] = ()
    restart_at: float | None = None
    roots: tuple[int, ...] = ()


class Events:
    """Looks for events in each step. Contacts are only noted; users' elements may change their states.

    Root functions: for each pair -1 apart and +1 touching, then the users' roots in the order of their elements.
    """

    def __init__(self, compiled: CompiledSystem, *, contacts: bool) -> None:
        self._compiled = compiled
        self._n_pairs = len(compiled.contacts) if contacts else 0
        self._locator = EventLocator(self._roots)
        self._values = np.zeros(0)
        self._active = False

    def start(self, t: float, y: NDArray[np.float64]) -> None:
        """Values at the start of the run."""
        self._values = self._roots(t, y)
        self._active = len(self._values) > 0

    def look(self, integrator: Integrator) -> Happened:
        """Events of the last step, in order, up to the first one that restarts the integration."""
        if not self._active:
            return Happened()
        found: list[ContactEvent] = []
        values = self._values
        event = self._locator.locate(integrator, values)
        end_values = self._locator.end_values
        if event is None:
            self._values = end_values
            return Happened()
        users = tuple(i - self._n_pairs for i in event.indices if i >= self._n_pairs)
        for index, direction in zip(event.indices, event.directions, strict=True):
            if index < self._n_pairs:
                found.append(self._contact_event(event.time, index, direction))
        if users:
            return Happened(tuple(found), event.time, users)
        # Contacts only: several may follow in the same step; note those that remain at its end.
        changed = np.flatnonzero((values[: self._n_pairs] > 0) != (end_values[: self._n_pairs] > 0))
        for pair in changed.tolist():
            if pair not in event.indices:
                found.append(self._locate_contact(integrator, pair, event.time))
        self._values = end_values
        return Happened(tuple(sorted(found, key=lambda each: each.time)))

    def change_state(self, happened: Happened, integrator: Integrator) -> NDArray[np.float64]:
        """Let the users' elements act on their event; the state to go on from."""
        assert happened.restart_at is not None
        t = happened.restart_at
        y = np.array(integrator.interpolate(t))
        self._compiled.locate(t, y)
        first = 0
        for element, view, at in self._compiled.users:
            view.time = t
            view.states[:] = y[at : at + len(view.states)]
            count = len(element.roots(view))
            for root in happened.roots:
                if first <= root < first + count:
                    element.at_event(view, root - first)
            y[at : at + len(view.states)] = view.states
            first += count
        self._values = self._roots(t, y)
        return y

    def _roots(self, t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        compiled = self._compiled
        if not self._n_pairs and not compiled.users:
            return np.zeros(0)
        compiled.locate(t, y)
        values = np.zeros(0)
        if self._n_pairs:
            compiled.touch()
            area = compiled.memory.array(slots.PAIR_SUMMARY)[:, AREA]
            values = np.where(area > 0.0, 1.0, -1.0)
        parts = [values]
        for element, view, at in compiled.users:
            view.time = t
            view.states[:] = y[at : at + len(view.states)]
            parts.append(np.asarray(element.roots(view), dtype=np.float64))
        return np.concatenate(parts)

    def _locate_contact(self, integrator: Integrator, pair: int, after: float) -> ContactEvent:
        """Bisect the change of one pair between a time and the end of the step."""
        low, high = after, integrator.t
        touching = self._values[pair] > 0.0
        while high - low > 1e-9 * max(integrator.t - integrator.t_old, 1e-12):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            same = (self._roots(middle, integrator.interpolate(middle))[pair] > 0.0) == touching
            low, high = (middle, high) if same else (low, middle)
        return self._contact_event(high, pair, -1 if touching else 1)

    def _contact_event(self, time: float, pair: int, direction: int) -> ContactEvent:
        return ContactEvent(time, self._compiled.contacts[pair].name, "start" if direction > 0 else "end")
