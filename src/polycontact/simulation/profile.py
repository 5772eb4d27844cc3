"""Where the time of a run goes: contacts, dynamics, recording, integrator."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time


class StageTimes:
    """A clock between the stages of evaluations."""

    def __init__(self) -> None:
        self._last = 0.0
        self.contacts = 0.0
        """Seconds in the evaluation of contacts so far."""
        self.dynamics = 0.0
        """Seconds in kinematics, broad phase, force elements and accelerations so far."""

    def start(self) -> Callable[[str], None]:
        """Begin an evaluation; to be called after each of its stages with the stage's name."""
        self._last = process_time()
        return self._done

    def _done(self, stage: str) -> None:
        now = process_time()
        if stage == "contacts":
            self.contacts += now - self._last
        else:
            self.dynamics += now - self._last
        self._last = now
