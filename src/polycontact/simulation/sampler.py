"""Samples of a run: at each the state, and what the system is and does there.

Compiled code writes them to rows (`kernels/stepping/sample_rows.py`); here the rows become what a recorder takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.kernels.stepping.run_steps import Need, RunSteps, sample_of
from polycontact.kernels.stepping.sample_rows import SampleRows
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluation import StoredEnergies
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.ledger import EnergyStart, ledger_rows
from polycontact.simulation.recording.records import ElementRecord, RememberedRecord, SampleBlock

BLOCK_BYTES = 1 << 20
"""About so much is gathered before Python takes it over."""

MOST_ROWS = 200
"""So many samples at most."""

REACTIONS = (
    "accelerations",
    "angular_accelerations",
    "joint_accelerations",
    "reactions",
    "loop_reactions",
    "drives",
    "element_forces",
    "centres_of_pressure",
)


def plain_state(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers of a state, one after the other, as compiled code takes them by their address."""
    return np.ascontiguousarray(y, dtype=np.float64)


class Sampler:
    """Takes samples of a compiled system.

    ``elements``: also the contact elements of pairs that touch; ``reactions``: also forces in joints, loops and force
    elements, drives, accelerations and centres of pressure; ``start``: where the ledger is measured from, by
    default the first sample.
    """

    def __init__(
        self,
        compiled: CompiledSystem,
        evaluator: Evaluator,
        *,
        elements: bool = False,
        reactions: bool = False,
        start: EnergyStart | None = None,
    ) -> None:
        self._compiled, self._evaluator = compiled, evaluator
        self._elements = elements
        self._element_lists: list[tuple[ElementRecord, ...]] = []
        self._last_remembered: tuple[RememberedRecord, ...] | None = None
        """Of the last sample, where there was no room for it."""
        self._reactions = reactions
        self.start = start
        self.rows = rows = SampleRows()
        tree, pairs = compiled.setup.tree, compiled.setup.pairs
        counts = {
            "n_states": tree.n_states,
            "n_discrete": len(evaluator.discrete),
            "n_bodies": tree.n_bodies - 1,
            "n_coordinates": tree.n_coordinates,
            "n_speeds": tree.n_speeds,
            "n_pairs": pairs.n_pairs,
            "n_loops": len(compiled.system.loops),
            "n_numbers": evaluator.n_element_forces,
        }
        numbers = tree.n_states + 31 * tree.n_bodies + 4 * tree.n_speeds + 15 * pairs.n_pairs
        room = min(max(BLOCK_BYTES // (8 * numbers), 1), MOST_ROWS)
        rows.reserve(room=1 if elements else room, **counts)
        rows.has_reactions, rows.looks_always = int(reactions), int(elements)
        remembering = compiled.setup.remembering
        remembered = rows.remembered
        remembered.reserve(n_pairs=len(remembering), room_of_lists=0, room=0, room_of_values=0)
        remembered.pairs[:] = remembering
        rows.place_of_discrete = evaluator.discrete.ctypes.data

    def take(
        self,
        run: RunSteps,
        t: float,
        y: NDArray[np.float64],
        counters: tuple[int, int],
        lost_in_steps: float = 0.0,
    ) -> int:
        """Take a sample at time t (s) and state y, with its loops closed; what Python must do then, a `Need`.

        ``counters``: evaluations and steps so far; ``lost_in_steps`` (J): energy that the steps themselves have taken.
        """
        state = plain_state(y)
        needs = int(sample_of(run.place, t, state.ctypes.data, *counters, lost_in_steps))
        if needs & Need.OPEN_LOOPS:
            self._compiled.project(t, np.array(y))  # says why
        return needs

    @property
    def is_full(self) -> bool:
        """Whether samples must be handed over before the next is taken."""
        return bool(self.rows.n == self.rows.room or self._last_remembered is not None)

    def take_extras(self) -> None:
        """Take what compiled code has not taken of the last sample, from the memory of its evaluation."""
        if self._elements:
            self._element_lists.append(self._element_records())
        if self.rows.remembered.is_full:
            self._last_remembered = tuple(
                RememberedRecord(pair, law, each.keys, each.values)
                for pair, laws in self._evaluator.remembered().items()
                for law, each in laws.items()
                if len(each.keys)
            )

    def hand_over(self) -> SampleBlock | None:
        """The samples taken since the last time, or None; the first of all is where the ledger is measured from."""
        rows, n = self.rows, self.rows.n
        if n == 0:
            return None
        integrals = rows.state[:n, self._compiled.ledger :]
        if self.start is None:
            self.start = EnergyStart.of(StoredEnergies(*rows.stored[0].tolist()), integrals[0])
        names = ["time", "state", "discrete", "positions", "quaternions", "velocities", "angular_velocities"]
        names += ["coordinates", "speeds", "wrenches", "contact", "evaluations", "steps"]
        names += REACTIONS if self._reactions else []
        arrays: dict[str, NDArray[Any]] = {name: getattr(rows, name)[:n].copy() for name in names}
        arrays["energies"] = ledger_rows(rows.stored[:n], integrals, self.start, rows.lost[:n])
        elements, self._element_lists = self._element_lists, []
        remembered = self._take_remembered(n)
        rows.n = 0
        return SampleBlock(arrays, elements if self._elements else None, remembered)

    def _take_remembered(self, n: int) -> list[tuple[RememberedRecord, ...]]:
        """What contact laws remember at each of n samples; there is more room from now on, where it was little."""
        rows = self.rows.remembered
        found: list[list[RememberedRecord]] = [[] for _ in range(n)]
        first_key = first = 0
        for sample, pair, law, count, width in rows.lists[: rows.n_lists].tolist():
            keys = rows.keys[first_key : first_key + count].copy()
            values = rows.values[first : first + count * width].reshape(count, width).copy()
            found[sample].append(RememberedRecord(pair, law, keys, values))
            first_key, first = first_key + count, first + count * width
        last, self._last_remembered = self._last_remembered, None
        if last is not None:
            found[-1] = list(last)
            self._reserve_remembered(last)
        rows.n_lists = rows.n = rows.n_values = rows.is_full = 0
        return [tuple(each) for each in found]

    def _reserve_remembered(self, last: tuple[RememberedRecord, ...]) -> None:
        """Room for as many samples like the last as fit into a block, one at least."""
        rows = self.rows.remembered
        lists, keys = len(last), sum(len(each.keys) for each in last)
        values = sum(each.values.size for each in last)
        n = min(max(BLOCK_BYTES // (8 * (values + keys + 3 * lists)), 1), MOST_ROWS, self.rows.room)
        rows.reserve(
            room_of_lists=max(n * lists, rows.room_of_lists),
            room=max(n * keys, rows.room),
            room_of_values=max(n * values, rows.room_of_values),
        )

    def _element_records(self) -> tuple[ElementRecord, ...]:
        """Contact elements of every pair that touches, in world axes, from the memory of the evaluation."""
        found, shapes = self._evaluator.contacts_seen(0.0).contacts, self._evaluator.shapes
        records = []
        for pair in np.flatnonzero(found.area > 0.0):
            k = found.kinematics[pair]
            kinematics = RelativeKinematics(
                rotation=k[:9].reshape(3, 3), position=k[9:12], velocity=k[12:15], angular_velocity=k[15:]
            )
            memory = self._evaluator.contact_memory(int(pair))
            elements = self._compiled.setup.pairing(int(pair)).elements_in(memory, kinematics)
            e = self._compiled.setup.pairs.shape_e[pair]
            R, r = shapes.rotation[e], shapes.position[e]
            records.append(
                ElementRecord(
                    pairing=int(pair),
                    position=elements.position @ R.T + r,
                    normal=elements.normal @ R.T,
                    area=elements.area,
                    depth=elements.depth,
                    pressure=elements.pressure,
                    slip=elements.slip @ R.T,
                    base_triangle=elements.base_triangle.astype(np.int32),
                    side=elements.side.astype(np.int8),
                )
            )
        return tuple(records)
