"""What the surfaces went through in a run: maps on their triangles, read by name as numpy arrays."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.replacing import replacing
from polycontact.simulation.recording.histories import find_name
from polycontact.simulation.recording.map_rows import MAP_QUANTITIES, SELDOM, MapQuantity
from polycontact.simulation.recording.records import RunDescription, ShapeRecord
from polycontact.wording import counted

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ContactTotals:
    """What one contact did in all: ``friction_energy`` (J); worn volumes of its first and second body (m³)."""

    friction_energy: float
    wear_volume_e: float = 0.0
    wear_volume_f: float = 0.0


class SurfaceMap:
    """The maps of one shape: an array with a number for each triangle of its mesh, by name or as an attribute.

    ``body`` and ``shape``: the name of the body and the number of the shape on it; ``vertices`` (n, 3) m and
    ``triangles`` (m, 3) of its mesh. Contact time, sliding distance and wear are means over each triangle, so that
    their integrals over the surface are right however coarse it is. The friction energy is that of the whole contact,
    on either body: how much of the heat each takes is not known.
    """

    def __init__(self, body: str, shape: int, mesh: ShapeRecord, rows: NDArray[Any]) -> None:
        self.body, self.shape = body, shape
        self.vertices, self.triangles = mesh.vertices, mesh.triangles
        self._rows = rows

    def __repr__(self) -> str:
        greatest = ", ".join(f"{each.title} {self.array(each.name).max():.4g} {each.unit}" for each in self.quantities)
        return f"SurfaceMap({self.body!r}, {counted(len(self.triangles), 'triangle')}; greatest: {greatest})"

    def array(self, name: str) -> Array:
        """A map by its name, such as "sliding": a number for each triangle, in its unit of `quantities`."""
        find_name("map", name, [each.name for each in MAP_QUANTITIES], f"body {self.body!r}")
        return np.asarray(self._rows[name], dtype=np.float64)

    @property
    def pressure(self) -> Array:
        """Greatest pressure, Pa."""
        return self.array("pressure")

    @property
    def contact_time(self) -> Array:
        """Time in contact, mean over each triangle, s."""
        return self.array("contact_time")

    @property
    def sliding(self) -> Array:
        """Distance over which the other surface slid, m."""
        return self.array("sliding")

    @property
    def friction_energy(self) -> Array:
        """Energy lost in friction over area, J/m²."""
        return self.array("friction_energy")

    @property
    def wear(self) -> Array:
        """Depth of the wear, m; zeros where no contact wears."""
        return self.array("wear")

    @property
    def dent(self) -> Array:
        """Depth of permanent dents, m; zeros where no law leaves any."""
        return self.array("dent")

    @property
    def quantities(self) -> tuple[MapQuantity, ...]:
        """The maps that there are, with units; of wear and dents only where there are some."""
        return tuple(each for each in MAP_QUANTITIES if each.name not in SELDOM or self._rows[each.name].any())

    @cached_property
    def areas(self) -> Array:
        """Area of each triangle, m²."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        return np.asarray(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1))

    def total(self, name: str) -> float:
        """Integral of a map over the surface, such as the friction energy (J) or the worn volume (m³)."""
        return float(self.array(name) @ self.areas)


class SurfaceMaps(Mapping[str, SurfaceMap]):
    """Maps of all shapes in contact, by the name of their body: ``maps["cam"].wear``.

    Where several shapes of a body are in contact, ``maps["cam", 1]`` has that of shape 1; the name alone is refused.
    ``contacts``: totals by the name of the contact. ``friction_energy``: what the run's ledger has lost in friction
    while the maps were kept, J; ``unplaced``: the part of it that is on no map, as that of contacts without triangles.
    ``corrected``: by how much the friction energies of all steps had to be corrected so that they add up to the
    ledger, as a part of it: how sure a map is. ``begin`` (s): since when the maps are kept.
    """

    def __init__(
        self, description: RunDescription, rows: NDArray[Any], statistics: Mapping[str, Any], label: str
    ) -> None:
        self._label = label
        bodies = {body.name: body for body in description.bodies}
        first, self._maps = 0, dict[tuple[str, int], SurfaceMap]()
        for each in description.maps:
            part = rows[first : first + each.n_triangles]
            mesh = bodies[each.body].shapes[each.shape]
            self._maps[each.body, each.shape] = SurfaceMap(each.body, each.shape, mesh, part)
            first += each.n_triangles
        self.contacts = {name: ContactTotals(**values) for name, values in statistics.get("contacts", {}).items()}
        self.friction_energy = float(statistics.get("friction_energy", 0.0))
        self.unplaced = float(statistics.get("unplaced", 0.0))
        self.corrected = float(statistics.get("corrected", 0.0))
        self.begin = float(statistics.get("begin", 0.0))

    def __repr__(self) -> str:
        return (
            f"SurfaceMaps({', '.join(map(repr, self))}; friction energy {self.friction_energy:.4g} J, "
            f"corrected by {100.0 * self.corrected:.2g} %)"
        )

    def __getitem__(self, key: str | tuple[str, int]) -> SurfaceMap:
        if isinstance(key, tuple):
            if key not in self._maps:
                known = ", ".join(map(repr, self._maps)) or "none"
                raise SimulationError(f"{self._label}: no maps of {key!r}; there are {known}")
            return self._maps[key]
        name = list(self)[find_name("body with maps", key, list(self), self._label)]
        found = [each for each in self._maps if each[0] == name]
        if len(found) > 1:
            raise SimulationError(
                f"{self._label}: body {name!r} has several shapes with maps; give one of {', '.join(map(repr, found))}"
            )
        return self._maps[found[0]]

    def __contains__(self, key: object) -> bool:
        return key in self._maps or key in list(self)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(body for body, _ in self._maps))

    def __len__(self) -> int:
        return len(dict.fromkeys(body for body, _ in self._maps))

    @property
    def shapes(self) -> tuple[SurfaceMap, ...]:
        """The maps of all shapes."""
        return tuple(self._maps.values())

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a row for each triangle: body, shape, number, barycentre (m), area (m²) and all maps."""
        titles = ["body", "shape", "triangle", "x [m]", "y [m]", "z [m]", "area [m²]"]
        titles += [f"{each.title} [{each.unit}]" for each in MAP_QUANTITIES]
        with replacing(Path(path)) as part, part.open("w", newline="", encoding="utf-8") as stream:
            table = csv.writer(stream)
            table.writerow(titles)
            for each in self.shapes:
                middles = each.vertices[each.triangles].mean(axis=1)
                columns = [each.array(quantity.name).tolist() for quantity in MAP_QUANTITIES]
                for i, numbers in enumerate(zip(*middles.T.tolist(), each.areas.tolist(), *columns, strict=True)):
                    table.writerow([each.body, each.shape, i, *(f"{number:.9g}" for number in numbers)])
