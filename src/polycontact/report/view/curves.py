"""What of a run is plotted over time beside the picture: forces, patches, energies, speeds, joints.

In: a trajectory, or a few samples of one. Out: a row of numbers for each curve, in SI units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.report.areal_pairings import areal_pairings
from polycontact.report.pairing_loads import most_loaded
from polycontact.report.view.display_units import AREA, DEPTH, FORCE, PRESSURE, Quantity
from polycontact.simulation.recording.records import RunDescription
from polycontact.simulation.recording.sample_quantities import variable_unit
from polycontact.simulation.recording.trajectory import Trajectory

MOST_OF_A_KIND = 12
"""Curves of pairings, of bodies and of joints: so many of each at most, so that a page stays small; the most loaded of
the pairings, the first of the others."""

ENERGY = Quantity("energy", "Energy", ((1e-6, "MJ"), (1e-3, "kJ"), (1.0, "J"), (1e3, "mJ")))
SPEED = Quantity("speed", "Speed", ((1.0, "m/s"), (1e3, "mm/s"), (1e6, "µm/s")))
LENGTH = Quantity("length", "Displacement", ((1.0, "m"), (1e3, "mm"), (1e6, "µm")))

Values = Callable[[Trajectory], NDArray[np.float64]]
"""The values (n,) of all samples."""


@dataclass(frozen=True)
class Curve:
    """A curve: its ``group`` in the list, its ``label``, what it is in which units, and its values.

    ``pairing``: number of the pairing whose force it is.
    """

    group: str
    label: str
    quantity: Quantity
    values: Values
    pairing: int | None = None


def total_force(trajectory: Trajectory) -> NDArray[np.float64]:
    """(n,) Sum of the sizes of all contact forces at each sample, N; 0 where a failed run left none."""
    contacts = trajectory.contacts
    force = contacts.total(contacts.forces)
    return np.asarray(np.nan_to_num(force, nan=0.0, posinf=0.0, neginf=0.0))


def greatest(trajectory: Trajectory, key: str) -> NDArray[np.float64]:
    """(n,) Greatest value over the pairings with patches at each sample."""
    return trajectory.contacts.greatest(_areal(trajectory, key))


def run_curves(description: RunDescription, peaks: NDArray[np.float64]) -> tuple[Curve, ...]:
    """The curves of a run: the sum of the contact forces first; ``peaks`` (n_pairings,) N: greatest forces.

    Pressure and area where not all contacts are points, which have neither.
    """
    curves: list[Curve] = []
    if description.pairings:
        curves += [
            Curve("Contact", "sum of contact forces", FORCE, total_force),
            Curve("Contact", "greatest depth", DEPTH, _greatest_depth),
        ]
    if areal_pairings(description).any():
        curves += [
            Curve("Contact", "greatest pressure", PRESSURE, lambda run: greatest(run, PRESSURE.key)),
            Curve("Contact", "contact area", AREA, lambda run: run.contacts.total(_areal(run, AREA.key))),
        ]
    curves += pairing_curves(description, peaks)
    curves += [
        Curve("Energy", f"{name.replace('_', ' ')} energy", ENERGY, _column_of("energies", i))
        for i, name in enumerate(description.energies)
    ]
    moved = [i for i, joint in enumerate(description.joints) if joint.speeds]
    names = [description.joints[i].child for i in moved]
    bodies = [i for i, body in enumerate(description.bodies) if body.name in names]
    for i in bodies[:MOST_OF_A_KIND]:
        curves.append(Curve("Speed", f"speed of {description.bodies[i].name}", SPEED, _speed_of(i)))
    return tuple(curves + _joint_curves(description))


def pairing_curves(description: RunDescription, peaks: NDArray[np.float64]) -> list[Curve]:
    """Forces of the most loaded pairings, in their order; none of a single one, which is the sum of all."""
    n_pairings = len(description.pairings)
    if n_pairings < 2:
        return []
    shown = most_loaded(peaks, MOST_OF_A_KIND)
    group = "Contact force"
    if n_pairings > MOST_OF_A_KIND:
        which = "most loaded of {} pairings" if len(shown) == MOST_OF_A_KIND else "of {} pairings that touched"
        group += f": the {len(shown)} {which.format(n_pairings)}"
    return [Curve(group, f"force {description.pairings[i].name}", FORCE, _force_of(i), i) for i in shown]


def _joint_curves(description: RunDescription) -> list[Curve]:
    """Coordinates of joints with one of them."""
    curves: list[Curve] = []
    first = 0
    for joint in description.joints:
        if len(joint.coordinates) == 1 and len(curves) < MOST_OF_A_KIND:
            unit = variable_unit(joint.coordinates[0])
            quantity = Quantity("angle", "Angle", ((57.29577951308232, "°"),)) if unit == "rad" else LENGTH
            curves.append(Curve("Joint", f"joint {joint.name}", quantity, _column_of("coordinates", first)))
        first += len(joint.coordinates)
    return curves


def curve_values(trajectory: Trajectory, curves: tuple[Curve, ...]) -> NDArray[np.float64]:
    """(number of curves, n) Values of all curves at all samples; 0 where a failed run left none."""
    rows = [curve.values(trajectory) for curve in curves]
    values = np.stack(rows) if rows else np.empty((0, len(trajectory)))
    return np.asarray(np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0))


def _greatest_depth(trajectory: Trajectory) -> NDArray[np.float64]:
    """(n,) Greatest depth over all pairings at each sample, those of points too."""
    depth = np.nan_to_num(trajectory.contacts.column("depth"), nan=0.0, posinf=0.0, neginf=0.0)
    return trajectory.contacts.greatest(depth)


def _areal(trajectory: Trajectory, key: str) -> NDArray[np.float64]:
    """A column of the table of contacts, 0 for pairings without patches."""
    contacts = trajectory.contacts
    column = np.where(areal_pairings(trajectory.description)[contacts.rows["pairing"]], contacts.column(key), 0.0)
    return np.asarray(np.nan_to_num(column, nan=0.0, posinf=0.0, neginf=0.0))


def _force_of(pairing: int) -> Values:
    return lambda run: np.asarray(np.linalg.norm(run.contacts.history("wrenches", pairing)[:, :3], axis=1))


def _speed_of(body: int) -> Values:
    return lambda run: np.asarray(np.linalg.norm(run.array("velocities")[:, body], axis=1))


def _column_of(name: str, column: int) -> Values:
    return lambda run: np.asarray(run.array(name)[:, column])
