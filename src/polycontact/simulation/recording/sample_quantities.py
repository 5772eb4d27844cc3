"""The arrays of a sample, each with its shape, unit and meaning: one table for recorders, files and trajectories.

Units of joint variables follow from their names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.records import RunDescription, Sample, SampleBlock

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

REACTIONS = (
    Quantity("accelerations", "m/s²", "acceleration of the origin of each body, world axes"),
    Quantity("angular_accelerations", "rad/s²", "angular acceleration of each body, world axes"),
    Quantity("joint_accelerations", "SI", "time derivatives of the speeds of all joints"),
    Quantity("reactions", "N, N m", "force and torque on the child of each joint at its point, world axes"),
    Quantity("loop_reactions", "N, N m", "force and torque on body b of each loop at its point, world axes"),
    Quantity("drives", "N m or N", "effort of prescribed motions and motors along the speeds of all joints"),
    Quantity("element_forces", "N or N m", "forces of the built-in force elements and couplers"),
    Quantity("centres_of_pressure", "m", "centre of pressure of each pairing in the world, nan where nothing presses"),
)
"""What is recorded where reactions are."""

ALL_QUANTITIES = QUANTITIES + REACTIONS

CONTACT_COLUMNS = ("area", "depth", "pressure", "elastic_energy", "damping_power", "friction_power")
"""Columns of `Sample.contact`."""

CONTACT_UNITS = ("m²", "m", "Pa", "J", "W", "W")

PAIRING_QUANTITIES = ("wrenches", "contact", "centres_of_pressure")
"""Quantities with a row for each pairing; of these only the pairings in contact are stored."""


def expected_shapes(description: RunDescription, n_discrete: int) -> Shapes:
    """Shape of each quantity of one sample of the run described."""
    n_bodies, n_pairings = len(description.bodies), len(description.pairings)
    n_speeds = sum(len(joint.speeds) for joint in description.joints)
    shapes: Shapes = {
        "time": (),
        "state": (len(description.state_names),),
        "discrete": (n_discrete,),
        "positions": (n_bodies, 3),
        "quaternions": (n_bodies, 4),
        "velocities": (n_bodies, 3),
        "angular_velocities": (n_bodies, 3),
        "coordinates": (sum(len(joint.coordinates) for joint in description.joints),),
        "speeds": (n_speeds,),
        "wrenches": (n_pairings, 6),
        "contact": (n_pairings, len(CONTACT_COLUMNS)),
        "energies": (len(description.energies),),
        "evaluations": (),
        "steps": (),
    }
    if description.reactions:
        shapes |= {
            "accelerations": (n_bodies, 3),
            "angular_accelerations": (n_bodies, 3),
            "joint_accelerations": (n_speeds,),
            "reactions": (len(description.joints), 6),
            "loop_reactions": (len(description.loops), 6),
            "drives": (n_speeds,),
            "element_forces": (sum(len(each.numbers) for each in description.forces),),
            "centres_of_pressure": (n_pairings, 3),
        }
    return shapes


def quantities_in(shapes: Shapes) -> tuple[Quantity, ...]:
    """The quantities that a run with these shapes records."""
    return tuple(quantity for quantity in ALL_QUANTITIES if quantity.name in shapes)


def sample_arrays(sample: Sample, shapes: Shapes, last_time: float, label: str) -> dict[str, NDArray[Any]]:
    """The quantities of ``sample`` as arrays, or an error that says what is wrong with it.

    They are copies, but for those of pairings, of which few rows are kept. ``last_time`` (s): that of the sample
    before; ``label``: how messages call the run.
    """
    if not last_time < sample.time < math.inf:
        raise SimulationError(
            f"{label}: a sample at t = {sample.time!r} s cannot follow the one at t = {last_time!r} s; samples are "
            "added with finite, strictly increasing times"
        )
    recorded = quantities_in(shapes)
    if any(getattr(sample, quantity.name) is None for quantity in recorded):
        raise _no_reactions(sample.time, label)
    arrays = {}
    for quantity in recorded:
        take = np.asarray if quantity.name in PAIRING_QUANTITIES else np.array
        arrays[quantity.name] = take(getattr(sample, quantity.name), quantity.dtype)
    for name, array in arrays.items():
        if array.shape != shapes[name]:
            raise SimulationError(
                f"{label}: the sample at t = {sample.time!r} s has '{name}' of shape {array.shape}; the description of "
                f"the run demands {shapes[name]}"
            )
    return arrays


def _no_reactions(t: float, label: str) -> SimulationError:
    return SimulationError(
        f"{label}: the sample at t = {float(t)!r} s has no reactions, earlier ones have; record them for the whole run "
        "or not at all"
    )


def block_of(sample: Sample, shapes: Shapes, last_time: float, label: str) -> SampleBlock:
    """One sample as a block, or an error that says what is wrong with it, as `sample_arrays`."""
    arrays = sample_arrays(sample, shapes, last_time, label)
    elements = None if sample.elements is None else [sample.elements]
    return SampleBlock({name: array[None] for name, array in arrays.items()}, elements, [sample.remembered])


def check_block(block: SampleBlock, shapes: Shapes, last_time: float, label: str) -> None:
    """Raise an error where times do not grow, or a quantity is missing or of another shape."""
    times = np.concatenate([[last_time], block.arrays["time"]])
    bad = np.flatnonzero(~(np.diff(times) > 0.0) | ~np.isfinite(times[1:]))
    if len(bad):
        before, after = times[bad[0] : bad[0] + 2].tolist()
        raise SimulationError(
            f"{label}: a sample at t = {after!r} s cannot follow the one at t = {before!r} s; samples are added with "
            "finite, strictly increasing times"
        )
    if not shapes.keys() <= block.arrays.keys():
        raise _no_reactions(times[1], label)
    for name, shape in shapes.items():
        found = block.arrays[name].shape
        if found != (len(block), *shape):
            raise SimulationError(
                f"{label}: samples from t = {float(times[1])!r} s on have '{name}' of shape {found}; the description "
                f"of the run demands {shape} of each"
            )


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
        "joints": [joint.name for joint in description.joints],
        "loops": [loop.name for loop in description.loops],
        "element forces": [f"{each.name}.{name}" for each in description.forces for name in each.numbers],
    }


JOINT_UNITS = (
    ("angular_speed", "rad/s"),
    ("angle", "rad"),
    ("displacement", "m"),
    ("speed", "m/s"),
    ("q", "1"),
    ("v", "m/s"),
    ("w", "rad/s"),
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
)
"""Unit of a coordinate or speed of a joint by how its name begins; the first that fits."""


def variable_unit(name: str) -> str:
    """Unit of a coordinate or speed."""
    return next((unit for start, unit in JOINT_UNITS if name.startswith(start)), "SI")


def acceleration_unit(speed: str) -> str:
    """Unit of the time derivative of a speed."""
    return f"{variable_unit(speed)}²"


def effort_unit(speed: str) -> str:
    """Unit of a force or torque along a speed."""
    return "N m" if variable_unit(speed) == "rad/s" else "N"
