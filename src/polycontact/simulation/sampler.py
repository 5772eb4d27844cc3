"""A sample of a run at one instant: the state, and what the system is and does there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.rotations import to_quaternions
from polycontact.simulation.ledger import EnergyStart, ledger_row
from polycontact.simulation.recording.records import ElementRecord, RememberedRecord, Sample


class Sampler:
    """Makes samples of a compiled system.

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
        self._compiled = compiled
        self._evaluator = evaluator
        self._elements = elements
        self._reactions = reactions
        self.start = start

    def take(self, t: float, y: NDArray[np.float64], evaluations: int, steps: int) -> tuple[Evaluation, Sample]:
        """The system at time t (s) and state y, with its loops closed, and a sample of it.

        ``evaluations`` and ``steps`` so far. The first sample is where the ledger is measured from.
        """
        y = np.array(y)
        if self._compiled.has_loops:
            self._compiled.project(t, y)
        found = self._evaluator.evaluate(t, y)
        if self.start is None:
            self.start = EnergyStart.of(found.energies, found.state[self._compiled.ledger :])
        return found, self._sample(found, self.start, evaluations, steps)

    def _sample(self, found: Evaluation, start: EnergyStart, evaluations: int, steps: int) -> Sample:
        bodies = found.bodies
        return Sample(
            time=found.time,
            state=found.state,
            discrete=found.discrete,
            positions=bodies.position[1:],
            quaternions=to_quaternions(bodies.rotation[1:]),
            velocities=bodies.velocity[1:, 3:],
            angular_velocities=bodies.velocity[1:, :3],
            coordinates=bodies.coordinates,
            speeds=bodies.speeds,
            wrenches=self._world_wrenches(found),
            contact=found.contacts.summaries(),
            energies=ledger_row(found.energies, found.state[self._compiled.ledger :], start),
            evaluations=evaluations,
            steps=steps,
            elements=self._element_records(found) if self._elements else None,
            remembered=tuple(
                RememberedRecord(pair, law, each.keys, each.values)
                for pair, laws in self._evaluator.remembered().items()
                for law, each in laws.items()
                if len(each.keys)
            ),
            **(_reactions(found) if self._reactions else {}),
        )

    def _world_wrenches(self, found: Evaluation) -> NDArray[np.float64]:
        """Force and torque on E at marker F, turned into world axes."""
        wrench = found.contacts.wrench
        of_e = found.shapes.rotation[self._compiled.setup.pairs.shape_e]
        forces = np.einsum("nij,nj->ni", of_e, wrench[:, :3])
        torques = np.einsum("nij,nj->ni", of_e, wrench[:, 3:])
        return np.hstack([forces, torques])

    def _element_records(self, found: Evaluation) -> tuple[ElementRecord, ...]:
        """Contact elements of every pair that touches, in world axes, from the memory of the evaluation."""
        records = []
        for pair in np.flatnonzero(found.contacts.area > 0.0):
            k = found.contacts.kinematics[pair]
            kinematics = RelativeKinematics(
                rotation=k[:9].reshape(3, 3), position=k[9:12], velocity=k[12:15], angular_velocity=k[15:]
            )
            memory = self._evaluator.contact_memory(int(pair))
            elements = self._compiled.setup.pairing(int(pair)).elements_in(memory, kinematics)
            e = self._compiled.setup.pairs.shape_e[pair]
            R, r = found.shapes.rotation[e], found.shapes.position[e]
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


def _reactions(found: Evaluation) -> dict[str, NDArray[np.float64]]:
    """Fields of a sample with reactions and accelerations."""
    return {
        "accelerations": found.acceleration[1:, 3:],
        "angular_accelerations": found.acceleration[1:, :3],
        "joint_accelerations": found.joint_accelerations,
        "reactions": found.reactions.joints,
        "loop_reactions": found.reactions.loops,
        "drives": found.reactions.drives,
        "element_forces": found.reactions.elements,
        "centres_of_pressure": found.centres_of_pressure,
    }
