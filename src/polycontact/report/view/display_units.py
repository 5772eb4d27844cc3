"""What patches can be coloured by, and the unit in which a value is read most easily."""

from __future__ import annotations

from dataclasses import dataclass

from polycontact.unit_choice import SI, UnitChoice


@dataclass(frozen=True)
class Quantity:
    """A quantity in SI units, with its larger and smaller units: (factor from SI, name), the largest unit first."""

    key: str
    label: str
    units: tuple[tuple[float, str], ...]

    def unit_for(self, greatest: float, choice: UnitChoice = SI) -> tuple[float, str]:
        """The unit that was chosen, or the largest in which ``greatest`` is at least 1; the smallest where none is."""
        factor, unit = next((unit for unit in self.units if greatest * unit[0] >= 1.0), self.units[-1])
        shown, more = choice.shown(unit)
        return factor * more, shown

    def text(self, value: float) -> str:
        """A value with its unit, in four digits; of 0 that of SI."""
        if value == 0.0:
            return f"0 {next(unit for factor, unit in self.units if factor == 1.0)}"
        factor, unit = self.unit_for(abs(value))
        return f"{value * factor:.4g} {unit}"


PRESSURE = Quantity("pressure", "Pressure", ((1e-9, "GPa"), (1e-6, "MPa"), (1e-3, "kPa"), (1.0, "Pa")))
DEPTH = Quantity("depth", "Depth", ((1.0, "m"), (1e3, "mm"), (1e6, "µm"), (1e9, "nm")))
SLIP = Quantity("slip", "Slip speed", ((1.0, "m/s"), (1e3, "mm/s"), (1e6, "µm/s")))
FORCE = Quantity("force", "Force", ((1e-6, "MN"), (1e-3, "kN"), (1.0, "N"), (1e3, "mN")))
TORQUE = Quantity("torque", "Torque", ((1e-3, "kN m"), (1.0, "N m"), (1e3, "mN m")))
AREA = Quantity("area", "Area", ((1.0, "m²"), (1e4, "cm²"), (1e6, "mm²"), (1e12, "µm²")))
VOLUME = Quantity("volume", "Volume", ((1.0, "m³"), (1e3, "dm³"), (1e6, "cm³"), (1e9, "mm³")))

SHOWN = (PRESSURE, DEPTH, SLIP)
"""In the order of the columns of `PatchPiece.values`."""

MAPS = {
    "greatest_pressure": Quantity("pressure", "Greatest pressure", PRESSURE.units),
    "contact_time": Quantity("contact_time", "Contact time", ((1.0, "s"), (1e3, "ms"), (1e6, "µs"))),
    "sliding": Quantity("sliding", "Sliding distance", DEPTH.units),
    "friction_energy": Quantity(
        "friction_energy", "Friction energy", ((1e-6, "MJ/m²"), (1e-3, "kJ/m²"), (1.0, "J/m²"), (1e3, "mJ/m²"))
    ),
    "wear": Quantity("wear", "Wear depth", (*DEPTH.units, (1e12, "pm"), (1e15, "fm"))),
    "dent": Quantity("dent", "Dent depth", DEPTH.units),
}
"""What bodies can be coloured by, where a run has kept maps: by the word for it, the map by its name as the key."""

FAINT = 1e-3
"""Triangles with less than this part of the greatest value of a map keep the colour of their body: a glancing touch."""
