"""A sample of a run at one instant: the state, and what the system is and does there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.rotations import to_quaternions
from polycontact.simulation.ledger import EnergyStart, ledger_row
from polycontact.simulation.recording.records import ElementRecord, Sample


class Sampler:
    """Makes samples of a compiled system.

    ``elements``: also the contact elements of pairs that touch; ``start``: where the ledger is measured from, by
    default the first sample.
    """

    def __init__(self, compiled: CompiledSystem, *, elements: bool = False, start: EnergyStart | None = None) -> None:
        self._compiled = compiled
        self._elements = elements
        self._rates = np.zeros(compiled.n_states)
        self.start = start

    def sample(self, t: float, y: NDArray[np.float64], evaluations: int, steps: int) -> Sample:
        """The sample at time t (s) and state y; the first one is where the ledger is measured from."""
        compiled = self._compiled
        view = compiled.view
        y = np.array(y)
        if compiled.has_loops:
            compiled.project(t, y)
        compiled.rates(t, y, self._rates)
        energies = np.array([*compiled.energies().values()])
        if self.start is None:
            self.start = EnergyStart.of(energies)
        velocities = view.bodies.velocity[1:]
        return Sample(
            time=float(t),
            state=y,
            discrete=compiled.discrete.copy(),
            positions=view.bodies.position[1:].copy(),
            quaternions=to_quaternions(view.bodies.rotation[1:].reshape(-1, 3, 3)),
            velocities=velocities[:, 3:].copy(),
            angular_velocities=velocities[:, :3].copy(),
            coordinates=view.joints.q.copy(),
            speeds=view.joints.v.copy(),
            wrenches=self._world_wrenches(),
            contact=_summaries(view),
            energies=ledger_row(energies, y[compiled.ledger :], self.start),
            evaluations=evaluations,
            steps=steps,
            elements=self._element_records() if self._elements else None,
        )

    def _world_wrenches(self) -> NDArray[np.float64]:
        """Force and torque on E at marker F, turned into world axes."""
        view = self._compiled.view
        wrenches = view.contacts.wrench
        of_e = view.placed.rotation[view.pairs.shape_e].reshape(-1, 3, 3)
        forces = np.einsum("nij,nj->ni", of_e, wrenches[:, :3])
        torques = np.einsum("nij,nj->ni", of_e, wrenches[:, 3:])
        return np.hstack([forces, torques])

    def _element_records(self) -> tuple[ElementRecord, ...]:
        """Contact elements of every pair that touches, in world axes."""
        compiled = self._compiled
        view = compiled.view
        records = []
        for pair in np.flatnonzero(view.contacts.area > 0.0):
            k = view.contacts.kinematics[pair]
            kinematics = RelativeKinematics(
                rotation=k[:9].reshape(3, 3), position=k[9:12], velocity=k[12:15], angular_velocity=k[15:]
            )
            found = compiled.prepare_pair(int(pair)).evaluate(kinematics).elements
            e = view.pairs.shape_e[pair]
            R, r = view.placed.rotation[e].reshape(3, 3), view.placed.position[e]
            records.append(
                ElementRecord(
                    pairing=int(pair),
                    position=found.position @ R.T + r,
                    normal=found.normal @ R.T,
                    area=found.area,
                    depth=found.depth,
                    pressure=found.pressure,
                    slip=found.slip @ R.T,
                    base_triangle=found.base_triangle.astype(np.int32),
                    side=found.side.astype(np.int8),
                )
            )
        return tuple(records)


def _summaries(view: SystemView) -> NDArray[np.float64]:
    """Area, depth, pressure, elastic energy and powers lost of every pair: (n, 6)."""
    c = view.contacts
    return np.column_stack([c.area, c.depth, c.pressure, c.energy, c.damping_power, c.friction_power])
