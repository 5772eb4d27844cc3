"""Several pairings evaluated in one compiled call, as a simulator needs them."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.pairing import ContactPairing, is_writable_to
from polycontact.errors import ContactError
from polycontact.kernels.contact.evaluate import evaluate_many


class PairingBatch:
    """Pairings that are evaluated together."""

    def __init__(self, pairings: Sequence[ContactPairing]) -> None:
        self.pairings = tuple(pairings)
        for i, pairing in enumerate(self.pairings):
            if not isinstance(pairing, ContactPairing):
                raise ContactError(f"batch: entry {i} is {pairing!r}; expected a ContactPairing")
        self._memories = [pairing.make_memory() for pairing in self.pairings]
        self._methods = np.array([pairing._entry for pairing in self.pairings], dtype=np.int64)
        self._rows = np.array([memory.address for memory in self._memories], dtype=np.int64)
        self._lock = threading.Lock()
        self._kinematics = np.zeros((len(self.pairings), 18))

    def wrenches(
        self,
        R: NDArray[np.float64],
        r: NDArray[np.float64],
        v: NDArray[np.float64] | None = None,
        w: NDArray[np.float64] | None = None,
        out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Force and torque on each E at its marker F: (n, 6), N and N m.

        ``R`` (n, 3, 3), ``r``, ``v``, ``w`` (n, 3): kinematics of each marker F in its E, as for
        `ContactPairing.wrench`.
        """
        n = len(self.pairings)
        R, r, v, w = (
            _stacked("rotation", R, (n, 3, 3)),
            _stacked("position", r, (n, 3)),
            _stacked("velocity", np.zeros((n, 3)) if v is None else v, (n, 3)),
            _stacked("angular_velocity", np.zeros((n, 3)) if w is None else w, (n, 3)),
        )
        if out is None:
            out = np.empty((n, 6))
        elif not is_writable_to(out, (n, 6)):
            raise ContactError(f"batch: out must be a writeable, contiguous float64 array of shape ({n}, 6)")
        with self._lock:
            self._kinematics[:, :9] = R.reshape(n, 9)
            self._kinematics[:, 9:12] = r
            self._kinematics[:, 12:15] = v
            self._kinematics[:, 15:] = w
            evaluate_many(self._methods, self._rows, self._kinematics, out)
            for i, memory in enumerate(self._memories):
                status = memory.report.status
                if status:
                    self.pairings[i]._heed(memory, status, R[i], r[i], v[i], w[i], out[i])
        return out


def _stacked(name: str, value: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ContactError(f"batch: {name} is not an array of numbers: {error}") from error
    if array.shape != shape:
        raise ContactError(f"batch: {name} has shape {array.shape}; expected {shape}, one row a pairing")
    return array
