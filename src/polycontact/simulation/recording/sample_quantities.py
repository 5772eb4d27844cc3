"""The arrays of a sample, each with its shape, unit and meaning: one table for recorders, files and trajectories."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.records import RunDescription, Sample

Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Quantity:
    """A field of `Sample` that is recorded as an array with one row for each sample."""

    name: str
    unit: str
    meaning: str
    dtype: str = "<f8"


QUANTITIES = (
    Quantity("time", "s", "time of the sample"),
    Quantity("state", "SI", "state of the integrator"),
    Quantity("discrete", "SI", "state that changes in jumps only"),
    Quantity("positions", "m", "origin of each body in the world"),
    Quantity("quaternions", "1", "orientation of each body in the world, (w, x, y, z)"),
    Quantity("velocities", "m/s", "velocity of the origin of each body, world axes"),
    Quantity("angular_velocities", "rad/s", "angular velocity of each body, world axes"),
    Quantity("coordinates", "SI", "coordinates of all joints, one after the other"),
    Quantity("speeds", "SI", "speeds of all joints, one after the other"),
    Quantity("wrenches", "N, N m", "force and torque on E at marker F of each pairing, world axes"),
    Quantity(
        "contact",
        "m², m, Pa, J, W, W",
        "area, greatest depth, greatest pressure, elastic energy, damping power, friction power of each pairing",
    ),
    Quantity("energies", "J", "energies"),
    Quantity("evaluations", "1", "evaluations of the equations of motion since the start", "<i8"),
    Quantity("steps", "1", "steps of the integrator since the start", "<i8"),
)

CONTACT_COLUMNS = ("area", "depth", "pressure", "elastic_energy", "damping_power", "friction_power")
"""Columns of `Sample.contact`."""

CONTACT_UNITS = ("m²", "m", "Pa", "J", "W", "W")


def expected_shapes(description: RunDescription, n_discrete: int) -> Shapes:
    """Shape of each quantity of one sample of the run described."""
    n_bodies, n_pairings = len(description.bodies), len(description.pairings)
    return {
        "time": (),
        "state": (len(description.state_names),),
        "discrete": (n_discrete,),
        "positions": (n_bodies, 3),
        "quaternions": (n_bodies, 4),
        "velocities": (n_bodies, 3),
        "angular_velocities": (n_bodies, 3),
        "coordinates": (sum(len(joint.coordinates) for joint in description.joints),),
        "speeds": (sum(len(joint.speeds) for joint in description.joints),),
        "wrenches": (n_pairings, 6),
        "contact": (n_pairings, len(CONTACT_COLUMNS)),
        "energies": (len(description.energies),),
        "evaluations": (),
        "steps": (),
    }


def sample_arrays(sample: Sample, shapes: Shapes, last_time: float, label: str) -> dict[str, NDArray[Any]]:
    """Copies of the quantities of ``sample`` as arrays, or an error that says what is wrong with it.

    ``last_time`` (s): that of the sample before; ``label``: how messages call the run.
    """
    if not last_time < sample.time < math.inf:
        raise SimulationError(
            f"{label}: a sample at t = {sample.time!r} s cannot follow the one at t = {last_time!r} s; samples are "
            "added with finite, strictly increasing times"
        )
    arrays = {quantity.name: np.array(getattr(sample, quantity.name), quantity.dtype) for quantity in QUANTITIES}
    for name, array in arrays.items():
        if array.shape != shapes[name]:
            raise SimulationError(
                f"{label}: the sample at t = {sample.time!r} s has '{name}' of shape {array.shape}; the description of "
                f"the run demands {shapes[name]}"
            )
    return arrays


def row_names(description: RunDescription) -> dict[str, Any]:
    """What the rows of the arrays of a sample stand for, by kind, for readers other than `Trajectory`."""
    return {
        "bodies": [body.name for body in description.bodies],
        "pairings": [pairing.name for pairing in description.pairings],
        "state": list(description.state_names),
        "coordinates": [f"{joint.name}.{name}" for joint in description.joints for name in joint.coordinates],
        "speeds": [f"{joint.name}.{name}" for joint in description.joints for name in joint.speeds],
        "energies": list(description.energies),
        "contact columns": list(CONTACT_COLUMNS),
    }
