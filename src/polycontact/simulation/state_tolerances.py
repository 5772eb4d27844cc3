"""Tolerances of every state of a system, from the few that a run is asked for."""

from __future__ import annotations

import math

import numpy as np

from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.joint_types import JointKind
from polycontact.simulation.integrators import IntegratorSettings
from polycontact.simulation.run_options import RunOptions
from polycontact.surfaces.geometry import size_of


def integrator_settings(options: RunOptions, compiled: CompiledSystem, start: Evaluation) -> IntegratorSettings:
    """Tolerances of each state: positions, velocities, users' states, and the ledger by the energy at the start."""
    n_q, n_v = compiled.n_coordinates, compiled.n_speeds
    velocity_atol = options.position_atol if options.velocity_atol is None else options.velocity_atol
    atol = np.full(compiled.n_states, options.position_atol)
    atol[compiled.ledger :] = _energy_tolerance(options, compiled, start, velocity_atol)
    atol[n_q : n_q + n_v] = velocity_atol
    return IntegratorSettings(
        rtol=options.rtol,
        atol=atol,
        max_step=math.inf if options.max_step is None else options.max_step,
        first_step=options.first_step,
    )


def _energy_tolerance(options: RunOptions, compiled: CompiledSystem, start: Evaluation, velocity_atol: float) -> float:
    """Tolerance of the ledger (J): ``rtol`` of an energy that the run may turn over.

    That is the energy of the start, a fall by the system's size and a crossing of it; not less than all mass has
    at a speed that does not count. So the ledger is no reason for steps shorter than the motion needs.
    """
    moving = [joint.child for joint in compiled.setup.joints if joint.kind is not JointKind.FIXED]
    mass = sum(compiled.system.bodies[name].mass for name in moving)
    if not mass > 0.0:
        return options.rtol
    size = _size(compiled, start)
    speed = size / (options.end_time - options.start_time)
    fall = float(np.linalg.norm(compiled.system.gravity)) * size
    energy = start.energies.kinetic + start.energies.springs + start.energies.contact
    return max(options.rtol * (energy + mass * (fall + 0.5 * speed**2)), mass * velocity_atol**2)


def _size(compiled: CompiledSystem, start: Evaluation) -> float:
    """Size of a system (m) at the start: how far its bodies lie apart, and the largest of them."""
    places = start.bodies.position[1:]
    bodies = compiled.system.bodies.values()
    sizes = [size_of(shape.surface) for body in bodies for shape in body.shapes]
    sizes += [
        float(np.linalg.norm(body.centre)) + math.sqrt(0.5 * float(np.trace(body.inertia)) / body.mass)
        for body in bodies
        if body.mass > 0.0
    ]
    return float(np.linalg.norm(np.ptp(places, axis=0))) + max(sizes, default=0.0)
