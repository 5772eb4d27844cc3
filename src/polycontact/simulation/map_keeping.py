"""Maps of what the surfaces go through, kept while a run goes on (`kernels/stepping/mapped_steps.py` adds them up)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.contact_memory import faces_of_keys
from polycontact.contact.laws.rheology_law_options import RheologyLaw
from polycontact.contact.layers_in_series import law_of_layers, yielding
from polycontact.contact.methods import PenetrationLines, PolygonalMethod
from polycontact.errors import SimulationError, SimulationWarning, level_of_the_caller
from polycontact.kernels.addresses import c_address_of
from polycontact.kernels.contact.triangle_maps import ENERGY, SLIDING, TIME, WEAR, TriangleMap
from polycontact.kernels.dynamics.evaluation_views import Powers
from polycontact.kernels.stepping.run_steps import MAPS, RunSteps
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.contact_setup import shapes_in_contact
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.recording.map_rows import MAP_QUANTITIES, MAP_ROW
from polycontact.simulation.recording.records import MappedShape
from polycontact.simulation.recording.run_peaks import MOST_PEAKS
from polycontact.simulation.recording.surface_maps import SurfaceMaps
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.surfaces.surface import Surface
from polycontact.wording import counted

MESH_METHODS = (PolygonalMethod, PenetrationLines)
"""Methods whose elements lie on triangles of both surfaces."""


def finds_triangles(contact: Contact) -> bool:
    """Whether the elements of a contact lie on triangles of both surfaces."""
    return isinstance(contact.description.method, MESH_METHODS)


def mapped_shapes(compiled: CompiledSystem) -> tuple[MappedShape, ...]:
    """The shapes of a system that can have maps: those in contacts whose elements lie on triangles."""
    return tuple(MappedShape(body, shape, mesh.n_triangles) for _, body, shape, mesh in _surfaces(compiled))


def _surfaces(compiled: CompiledSystem) -> Iterator[tuple[int, str, int, Surface]]:
    """Number in the kernels, body, number on the body and mesh of each shape that can have maps."""
    mapped = [each for each in compiled.contacts if finds_triangles(each)]
    used = {(each.e, each.shape_e) for each in mapped} | {(each.f, each.shape_f) for each in mapped}
    for (body, shape), number in shapes_in_contact(compiled.system).items():
        mesh = compiled.system.bodies[body].shapes[shape].surface
        if (body, shape) in used and isinstance(mesh, Surface):
            yield number, body, shape, mesh


def refuse_unmapped(compiled: CompiledSystem) -> None:
    """Raise an error where no contact can have maps; a warning tells which ones cannot where others can."""
    without = [each for each in compiled.contacts if not finds_triangles(each)]
    if not without and compiled.contacts:
        return
    named = ", ".join(f"{each.name!r} ({type(each.description.method).__name__})" for each in without[:5])
    more = f" and {len(without) - 5} more" if len(without) > 5 else ""
    if len(without) == len(compiled.contacts):
        reason = f"{named}{more} find points, not triangles" if without else "there are no contacts"
        raise SimulationError(
            f"maps of the surfaces are asked for, but {reason}; leave maps out, or take PolygonalMethod or "
            f"PenetrationLines on meshes"
        )
    warnings.warn(
        f"{counted(len(without), 'contact')} without triangles leave nothing on the maps: {named}{more}; their "
        f"friction energy is told in maps.contacts and maps.unplaced",
        SimulationWarning,
        stacklevel=level_of_the_caller(),
    )


def earlier_maps(compiled: CompiledSystem, earlier: Trajectory | None) -> SurfaceMaps | None:
    """The maps of the part of a run before, in its file; an error where they do not fit the meshes of the system.

    A part without a recorded end has none: a warning says that those of the run begin anew.
    """
    if earlier is None:
        return None
    had, has = earlier.description.maps, mapped_shapes(compiled)
    if had != has:
        was, now = next(pair for pair in zip_longest(had, has) if pair[0] != pair[1])
        raise SimulationError(
            f"the maps of the run before do not fit the meshes of this system: {_told(was)} there is {_told(now)} "
            f"here; continue it with the system it was made from, or write the continuation to another file"
        )
    if not earlier.has_maps:
        warnings.warn(
            f"the part of the run before has no recorded end and so no maps: they begin at {earlier.time[-1]:.6g} s",
            SimulationWarning,
            stacklevel=level_of_the_caller(),
        )
        return None
    return earlier.maps


def _told(shape: MappedShape | None) -> str:
    """A mapped shape in words."""
    if shape is None:
        return "no shape"
    return f"shape {shape.shape} of body {shape.body!r} with {counted(shape.n_triangles, 'triangle')}"


class MapKeeper:
    """Keeps maps while a run goes on, from ``begin`` (s) on; ``earlier``: those of the part before, in its file."""

    def __init__(self, compiled: CompiledSystem, begin: float, earlier: SurfaceMaps | None) -> None:
        from polycontact.kernels.stepping.mapped_steps import MappedSteps, map_step

        self._compiled, self._earlier = compiled, earlier
        self._begin = begin if earlier is None else earlier.begin
        setup = compiled.setup
        self._surfaces = list(_surfaces(compiled))
        self._maps: dict[int, TriangleMap] = {}
        self._view = view = MappedSteps()
        view.reserve(n=setup.tree.n_states, n_shapes=setup.shapes.n_shapes, n_pairs=len(compiled.contacts))
        view.friction = setup.tree.ledger + list(Powers.fields).index("friction")
        view.evaluation, view.seen[:] = 1, -1
        for number, _, _, mesh in self._surfaces:
            made = TriangleMap()
            made.reserve(n=mesh.n_triangles)
            made.mesh = mesh.contact_data.view
            self._maps[number] = made
            view.place[number] = made.address
        for pair, contact in enumerate(compiled.contacts):
            view.is_mapped[pair] = int(finds_triangles(contact))
            if contact.description.wear is not None:
                view.wear_rate[pair] = contact.description.wear.rates
            if finds_triangles(contact):
                shapes = (setup.pairs.shape_e[pair], setup.pairs.shape_f[pair])
                view.edge[pair] = min(self._maps[int(each)].mesh.mean_edge for each in shapes)
        self._code = c_address_of(map_step, MAPS)

    def attach(self, run: RunSteps) -> None:
        """Let the accepted steps of a run leave their traces."""
        run.maps, run.place_of_maps = self._code, self._view.address

    def finish(self, observer: Evaluator) -> tuple[NDArray[Any], dict[str, Any]]:
        """Rows of the maps, and what the statistics of the run tell of them; those of the part before are joined."""
        view = self._view
        mapped = float(view.energy[view.is_mapped == 1].sum())
        placed = float(view.energy.sum())
        # What the last steps owe is spread over all that was found, so that the sum is the ledger's.
        factor = 1.0 + view.owed / placed if placed > 0.0 else 1.0
        rows = self._joined(self._rows(factor, observer))
        unplaced = view.booked - factor * mapped
        energy, volumes = factor * view.energy, view.wear_rate * view.rubbed[:, None]
        told = {
            "contacts": self._contacts(energy, volumes),
            "friction_energy": view.booked,
            "unplaced": unplaced if abs(unplaced) > 1e-12 * abs(view.booked) else 0.0,
            "corrected": view.corrected / view.booked if view.booked > 0.0 else 0.0,
            "begin": self._begin,
        }
        return rows, self._after_earlier(told)

    def _rows(self, factor: float, observer: Evaluator) -> NDArray[Any]:
        """The maps of this run, in the order of the meshes."""
        dents = self._dents(observer)
        parts = []
        for number, _, _, mesh in self._surfaces:
            found, order = self._maps[number], mesh.contact_data.order
            rows = np.zeros(mesh.n_triangles, MAP_ROW)
            rows["pressure"][order] = found.pressure
            rows["contact_time"][order] = found.sums[:, TIME]
            rows["sliding"][order] = found.sums[:, SLIDING]
            rows["friction_energy"][order] = factor * found.sums[:, ENERGY]
            rows["wear"][order] = found.sums[:, WEAR]
            rows["dent"][order] = dents.get(number, 0.0)
            parts.append(rows)
        return np.concatenate(parts)

    def _dents(self, observer: Evaluator) -> dict[int, NDArray[np.float64]]:
        """Depths of permanent dents by the number of the shape, in leaf order, m: means over triangles.

        Of layers that yield, on bodies whose triangles are the elements: what is remembered belongs to those.
        """
        pairs, found = self._compiled.setup.pairs, dict[int, NDArray[np.float64]]()
        areas = {number: mesh.contact_data.areas for number, _, _, mesh in self._surfaces}
        for pair in self._compiled.setup.remembering:
            description = self._compiled.contacts[pair].description
            law = law_of_layers(description.law, description.layers)
            if not isinstance(law, RheologyLaw) or description.layers is None or not self._view.is_mapped[pair]:
                continue
            kept = observer.contact_memory(pair).remembered()[0]
            triangle, side = faces_of_keys(kept.keys)
            volumes = law.dent_volumes(kept.values)
            for i, owner in enumerate(yielding(description.layers)):
                shape = int(pairs.shape_f[pair] if owner else pairs.shape_e[pair])
                on, depth = side == owner, found.setdefault(shape, np.zeros(len(areas[shape])))
                np.maximum.at(depth, triangle[on], volumes[on, i] / areas[shape][triangle[on]])
        return found

    def _joined(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The rows with those of the part of the run before."""
        if self._earlier is not None:
            for quantity in MAP_QUANTITIES:
                before = np.concatenate([each.array(quantity.name) for each in self._earlier.shapes])
                join = np.add if quantity.adds_up else np.maximum
                rows[quantity.name] = join(rows[quantity.name], before)
        return rows

    def _contacts(self, energy: NDArray[np.float64], volumes: NDArray[np.float64]) -> dict[str, dict[str, float]]:
        """Totals of the contacts that lost most in friction."""
        order = [int(pair) for pair in np.argsort(-energy, kind="stable")[:MOST_PEAKS] if energy[pair] > 0.0]
        return {
            self._compiled.contacts[pair].name: {
                "friction_energy": float(energy[pair]),
                "wear_volume_e": float(volumes[pair, 0]),
                "wear_volume_f": float(volumes[pair, 1]),
            }
            for pair in sorted(order)
        }

    def _after_earlier(self, told: dict[str, Any]) -> dict[str, Any]:
        """Totals with those of the part of the run before."""
        if self._earlier is None:
            return told
        before = self._earlier
        contacts = told["contacts"]
        for name, totals in before.contacts.items():
            known = contacts.get(name, {})
            contacts[name] = {key: value + known.get(key, 0.0) for key, value in vars(totals).items()}
        lost = told["friction_energy"] + before.friction_energy
        corrected = told["corrected"] * told["friction_energy"] + before.corrected * before.friction_energy
        return told | {
            "friction_energy": lost,
            "unplaced": told["unplaced"] + before.unplaced,
            "corrected": corrected / lost if lost > 0.0 else 0.0,
        }
