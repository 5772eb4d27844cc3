"""Quantities of a run over time, as figures of plotly: notebooks show them, and files of them need no network."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.replacing import write_whole
from polycontact.simulation.recording.histories import no_such
from polycontact.simulation.recording.sample_quantities import CONTACT_COLUMNS, CONTACT_UNITS, variable_unit
from polycontact.unit_choice import SI, UnitChoice

if TYPE_CHECKING:
    from polycontact.simulation.recording.trajectory import Trajectory

AXES = ("x", "y", "z", "size")
"""Names of the curves of a vector."""

BODY = {"position": "m", "velocity": "m/s", "angular_velocity": "rad/s", "force": "N", "torque": "N m"}
"""What is plotted of a body, and its unit; force and torque are those of all its contacts, at its origin."""

PAIRING = {"force": "N", "torque": "N m", **dict(zip(CONTACT_COLUMNS, CONTACT_UNITS, strict=True))}
"""What is plotted of a pairing."""

JOINT = {"coordinates": "m, rad", "speeds": "m/s, rad/s"}
"""What is plotted of a joint."""

MOST_CURVES = 10
"""Pairings in the figure of a whole run: those with the greatest forces."""


class Curves(NamedTuple):
    """Curves of one quantity: its ``title``, the values (n,) of each by name, and their unit, or one for each."""

    title: str
    values: dict[str, NDArray[np.float64]]
    unit: str | tuple[str, ...]

    def shown_in(self, choice: UnitChoice) -> Curves:
        """These curves in the units that were chosen."""
        own = (self.unit,) * len(self.values) if isinstance(self.unit, str) else self.unit
        shown = [choice.shown(unit) for unit in own]
        values = {
            name: each if factor == 1.0 else factor * each
            for (name, each), (_, factor) in zip(self.values.items(), shown, strict=True)
        }
        return Curves(self.title, values, tuple(unit for unit, _ in shown))

    @property
    def axis(self) -> str:
        """Text of the axis: title and units."""
        units = [self.unit] if isinstance(self.unit, str) else dict.fromkeys(unit for unit in self.unit if unit != "1")
        return ", ".join((self.title, *units))


def plot(
    trajectory: Trajectory,
    name: str | None,
    quantity: str | None,
    path: str | os.PathLike[str] | None,
    units: UnitChoice = SI,
) -> Any:
    """A figure of what ``name`` and ``quantity`` say, see `Trajectory.plot`."""
    if not len(trajectory):
        raise SimulationError("the run has no samples; there is nothing to plot")
    panels = _overview(trajectory) if name is None else [curves_of(trajectory, name, quantity)]
    figure = _figure(trajectory, [panel.shown_in(units) for panel in panels], units)
    if path is not None:
        try:
            write_whole(path, figure.to_html(include_plotlyjs=True))
        except OSError as error:
            raise SimulationError(f"{path}: cannot be written: {error.strerror}; choose another place") from error
    return figure


def curves_of(trajectory: Trajectory, name: str, quantity: str | None) -> Curves:
    """The curves of a quantity of a body, a joint or a pairing, or of an energy by its name."""
    if name in trajectory.energies and quantity is None:
        return Curves(f"{name} energy", {name: trajectory.energies[name]}, "J")
    if name in trajectory.bodies:
        return _curves(name, quantity or "position", BODY, lambda key: _of_body(trajectory, name, key))
    if name in trajectory.joints:
        joint = trajectory.joint(name)
        chosen = quantity or "coordinates"
        values = _curves(name, chosen, JOINT, lambda key: getattr(joint, key)).values
        columns = joint.record.coordinates if chosen == "coordinates" else joint.record.speeds
        units = tuple(variable_unit(each) for each in columns)
        return Curves(f"{name}: {chosen}", dict(zip(columns, values.values(), strict=True)), units)
    try:
        pairing = trajectory.pairing(name)
    except SimulationError:
        names = [*trajectory.bodies, *trajectory.joints, *trajectory.pairings, *trajectory.energies]
        raise no_such("body, joint, pairing or energy", name, names, "plot") from None
    return _curves(pairing.name, quantity or "force", PAIRING, lambda key: getattr(pairing, key))


def _curves(name: str, quantity: str, known: dict[str, str], get: Any) -> Curves:
    key = quantity.replace(" ", "_")
    if key not in known:
        raise no_such("quantity", quantity, list(known), name)
    values = np.asarray(get(key), float)
    title = f"{name}: {key.replace('_', ' ')}"
    if values.ndim == 1:
        return Curves(title, {key.replace("_", " "): values}, known[key])
    if known is JOINT:
        return Curves(title, {str(i): column for i, column in enumerate(values.T)}, known[key])
    return Curves(title, dict(zip(AXES, (*values.T, np.linalg.norm(values, axis=1)), strict=True)), known[key])


def _of_body(trajectory: Trajectory, name: str, key: str) -> NDArray[np.float64]:
    if key in ("force", "torque"):
        force, torque = contact_wrench(trajectory, name)
        return force if key == "force" else torque
    return np.asarray(getattr(trajectory.body(name), key))


def contact_wrench(trajectory: Trajectory, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Force (n, 3) N and torque (n, 3) N m at its origin of all contacts on a body, world axes."""
    origin = trajectory.body(name).position
    force, torque = np.zeros_like(origin), np.zeros_like(origin)
    contacts = trajectory.contacts
    for i in np.unique(contacts.rows["pairing"]).tolist():
        record = trajectory.description.pairings[i]
        if name not in (record.e, record.f):
            continue
        sign = 1.0 if name == record.e else -1.0
        own, of_f = contacts.history("wrenches", i), trajectory.body(record.f)
        marker = of_f.position + of_f.rotation @ of_f.record.shapes[record.shape_f].position
        force += sign * own[:, :3]
        torque += sign * (own[:, 3:] + np.cross(marker - origin, own[:, :3]))
    return force, torque


def _overview(trajectory: Trajectory) -> list[Curves]:
    """Sizes of the contact forces, and the energies that change."""
    contacts = trajectory.contacts
    greatest = np.zeros(contacts.n_pairings)
    np.maximum.at(greatest, contacts.rows["pairing"], contacts.forces)
    order = np.argsort(-greatest, kind="stable")[:MOST_CURVES]
    forces = {
        trajectory.pairings[i]: np.linalg.norm(trajectory.pairing(i).force, axis=1)
        for i in order.tolist()
        if greatest[i] > 0.0
    }
    energies = {name: values for name, values in trajectory.energies.items() if np.ptp(values) > 0.0}
    panels = [Curves("contact forces", forces, "N")] if forces else []
    return [*panels, Curves("energies", energies, "J")]


def _figure(trajectory: Trajectory, panels: list[Curves], units: UnitChoice) -> Any:
    try:
        from plotly.subplots import make_subplots
    except ImportError as error:
        raise SimulationError(
            "plots need the package plotly, which is not installed; get it with 'pip install plotly'"
        ) from error
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.08)
    unit, factor = units.shown("s")
    for row, panel in enumerate(panels, 1):
        for name, values in panel.values.items():
            figure.add_scatter(x=factor * trajectory.time, y=values, name=name, mode="lines", row=row, col=1)
        figure.update_yaxes(title_text=panel.axis, row=row, col=1)
    figure.update_xaxes(title_text=f"time, {unit}", row=len(panels), col=1)
    figure.update_layout(title=trajectory.description.name, template="plotly_white", hovermode="x unified")
    return figure
