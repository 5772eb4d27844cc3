"""A contact inside another simulator, which tries steps, rejects some, and tells which ones count."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.contact_memory import LawMemories
from polycontact.contact.options import is_number
from polycontact.errors import ContactError
from polycontact.tolerances import PROJECTED_ROTATION, ROTATION_TOLERANCE

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing

_ZERO = np.zeros(3)


@dataclass(frozen=True)
class ContactSnapshot:
    """What a `SteppedContact` remembers at a time (s), to go back to."""

    time: float
    memories: LawMemories


class SteppedContact:
    """A pairing that remembers accepted steps; `ContactPairing.stepped` makes it.

    Sticking friction, restitution and layers that remember depend on what came before. `wrench` is for every state that
    an integrator tries and leaves no trace; `accept` tells that a step has been accepted. For one thread.
    """

    def __init__(self, pairing: ContactPairing, *, time: float = 0.0) -> None:
        self.pairing = pairing
        self._memory = pairing.make_memory()
        self.time = _checked_time(pairing.name, time)
        """Time of the last accepted step, s; at first that of the start."""

    def __repr__(self) -> str:
        return f"SteppedContact({self.pairing.name!r}, accepted up to {self.time:g} s)"

    def wrench(
        self,
        time: float,
        R: ArrayLike,
        r: ArrayLike,
        v: ArrayLike = _ZERO,
        w: ArrayLike = _ZERO,
        *,
        states: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Force (N) and torque (N m) on E at marker F, in frame E, of a trial state at ``time`` (s).

        ``R``, ``r`` (m), ``v`` (m/s), ``w`` (rad/s) as for `ContactPairing.wrench`. A rotation that is off by up to
        1e-3, as stages of Runge–Kutta methods make them, is replaced by the nearest one. ``states``: those of the laws,
        if they have any; then `state_rates` has their rates.
        """
        now = _checked_time(self.pairing.name, time)
        if now < self.time:
            raise ContactError(
                f"{self.pairing.name}: time {now:g} s is before the last accepted step at {self.time:g} s; restore a "
                f"snapshot to go back"
            )
        report = self._memory.report
        report.time, report.step_start = now, self.time
        return self.pairing.wrench_in(self._memory, nearest_rotation(R), r, v, w, states=states)

    def accept(
        self,
        time: float,
        R: ArrayLike,
        r: ArrayLike,
        v: ArrayLike = _ZERO,
        w: ArrayLike = _ZERO,
        *,
        states: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """The step that ends at ``time`` (s) in this state is accepted; returns its wrench, as `wrench` does.

        Call it once a step, at the start of the simulation too.
        """
        wrench = self.wrench(time, R, r, v, w, states=states)
        self._memory.commit()
        self.time = float(time)
        return wrench

    @property
    def state_rates(self) -> NDArray[np.float64]:
        """Rates of the states of the laws (per s), of the last evaluation."""
        return np.array(self._memory.report.states.rates, dtype=np.float64)

    def snapshot(self) -> ContactSnapshot:
        """What is remembered now."""
        return ContactSnapshot(self.time, self._memory.remembered())

    def restore(self, snapshot: ContactSnapshot) -> None:
        """Go back to a snapshot of this contact, or of another one of the same pairing."""
        if not isinstance(snapshot, ContactSnapshot):
            raise ContactError(f"{self.pairing.name}: restore needs what snapshot() gave, not {snapshot!r}")
        self._memory.remember(snapshot.memories)
        self.time = snapshot.time


def nearest_rotation(R: ArrayLike) -> NDArray[np.float64]:
    """The rotation nearest to a matrix (polar decomposition) that is off by at most 1e-3; the same one within 1e-6."""
    matrix = np.asarray(R, dtype=np.float64)
    if matrix.shape != (3, 3) or not np.all(np.isfinite(matrix)):
        return matrix  # the pairing says what is wrong with it
    deviation = float(np.abs(matrix.T @ matrix - np.eye(3)).max())
    if deviation <= ROTATION_TOLERANCE or deviation > PROJECTED_ROTATION or np.linalg.det(matrix) < 0.0:
        return matrix
    left, _, right = np.linalg.svd(matrix)
    nearest: NDArray[np.float64] = np.ascontiguousarray(left @ right)
    return nearest


def _checked_time(name: str, time: object) -> float:
    if not is_number(time) or not math.isfinite(time):  # type: ignore[arg-type]
        raise ContactError(f"{name}: time is {time!r}; give a finite number, s")
    return float(time)  # type: ignore[arg-type]
