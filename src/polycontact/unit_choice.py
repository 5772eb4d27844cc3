"""In which units numbers are shown: SI units, or those chosen, such as millimetres and degrees.

One choice serves plots, tables and reports. A unit of length is also that of velocities, areas and so on, as a unit of
angle is that of angular velocities; all other units, of forces, torques, pressures, times and so on, change only where
one of their own is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from polycontact.errors import UnitError
from polycontact.units import UNITS, Dimension, Unit, parse_unit

__all__ = ["UnitChoice", "Units", "choose_units"]

QUANTITIES: Final = {
    "length": "m",
    "angle": "rad",
    "time": "s",
    "mass": "kg",
    "area": "m²",
    "volume": "m³",
    "velocity": "m/s",
    "angular velocity": "rad/s",
    "acceleration": "m/s²",
    "angular acceleration": "rad/s²",
    "force": "N",
    "torque": "N m",
    "energy": "J",
    "power": "W",
    "pressure": "Pa",
    "impulse": "N s",
    "stiffness": "N/m",
    "damping": "N s/m",
}
"""What a unit can be chosen for, and its SI unit."""

_LENGTH, _ANGLE = (1, 0, 0, 0), (0, 0, 0, 1)
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Key(NamedTuple):
    """What a unit is of: its dimension, and whether it is an energy, which has that of a torque."""

    dimension: Dimension
    is_energy: bool


@dataclass(frozen=True)
class UnitChoice:
    """The units chosen, each by what it is of."""

    chosen: tuple[tuple[Key, str], ...] = ()

    def shown(self, unit: str) -> tuple[str, float]:
        """The unit in which numbers in ``unit`` are shown, and the factor they are multiplied by."""
        target = _target(self, unit)
        return (unit, 1.0) if target is None else (target, _factor(unit, target))

    def title(self, title: str) -> tuple[str, float]:
        """A title such as "depth [m]" or "x, m/s" with the unit that is shown, and the factor of its numbers."""
        for before, after in (("[", "]"), (", ", "")):
            start = title.rfind(before)
            if start >= 0 and title.endswith(after):
                unit = title[start + len(before) : len(title) - len(after)]
                target, factor = self.shown(unit)
                return f"{title[: start + len(before)]}{target}{after}", factor
        return title, 1.0


Units = str | Sequence[str] | Mapping[str, str] | UnitChoice | None
"""Units as they are chosen: "mm deg", ["mm", "N mm"] or {"length": "mm"}; None for SI units."""

SI: Final = UnitChoice()


def choose_units(units: Units) -> UnitChoice:
    """The choice that a text, a list or a table of units means; a `UnitError` tells what is wrong with it."""
    if units is None or isinstance(units, UnitChoice):
        return units or SI
    if isinstance(units, Mapping):
        return _choice([(_of_quantity(name, unit), unit) for name, unit in units.items()])
    if isinstance(units, str):
        units = [part.strip() for part in units.replace(";", ",").split(",")] if "," in units else units.split()
    return _choice([(_key(unit), unit) for unit in units if unit])


def _choice(pairs: Sequence[tuple[Key, str]]) -> UnitChoice:
    found: dict[Key, str] = {}
    for key, unit in pairs:
        if key in found and found[key] != unit:
            raise UnitError(f"units: {found[key]!r} and {unit!r} are units of the same quantity; choose one of them")
        found[key] = unit
    return UnitChoice(tuple(sorted(found.items())))


def _of_quantity(name: str, unit: str) -> Key:
    """What a unit that is chosen for a quantity by its name is of."""
    plain = str(name).replace("_", " ").casefold()
    if plain not in QUANTITIES:
        raise UnitError(f"units: there is no quantity {name!r}; there are {', '.join(QUANTITIES)}")
    wanted = parse_unit(QUANTITIES[plain])
    if _parsed(unit).dimension != wanted.dimension:
        raise UnitError(f"units: {unit!r} is no unit of {plain}, such as {QUANTITIES[plain]}")
    return Key(wanted.dimension, plain == "energy")


def _key(unit: str) -> Key:
    """What a unit is of; it must be one that numbers are shown in."""
    dimension = _parsed(unit).dimension
    if dimension not in {parse_unit(each).dimension for each in QUANTITIES.values()}:
        raise UnitError(f"units: {unit!r} is of nothing that is shown; there are units of {', '.join(QUANTITIES)}")
    return Key(dimension, "J" in unit)


def _parsed(unit: str) -> Unit:
    """A unit, or an error that lists those that exist."""
    try:
        return parse_unit(unit if isinstance(unit, str) else repr(unit))
    except UnitError as error:
        told = str(error) if str(error).endswith("?") else f"{error}."
        listed = "" if "known are" in told else f" There are {', '.join(UNITS)}"
        raise UnitError(f"units: {told}{listed}") from None


@cache
def _target(choice: UnitChoice, unit: str) -> str | None:
    """The unit that stands for ``unit``; None where it stays."""
    chosen = dict(choice.chosen)
    try:
        dimension = parse_unit(unit).dimension
    except UnitError:  # "1", or several units in one
        return None
    own = chosen.get(Key(dimension, "J" in unit))
    if own is not None or dimension[1] != 0:
        return own
    length, _, time, angle = dimension
    parts = [(chosen.get(Key(_LENGTH, False), "m"), length), (chosen.get(Key(_ANGLE, False), "rad"), angle)]
    if not any(power and name not in ("m", "rad") for name, power in parts):
        return None
    return _written([*parts, ("s", time)])


def _written(parts: Sequence[tuple[str, int]]) -> str:
    """Factors with their powers as a unit: "mm/s²"."""
    above = " ".join(_raised(name, power) for name, power in parts if power > 0)
    below = " ".join(_raised(name, -power) for name, power in parts if power < 0)
    return (above or "1") + (f"/({below})" if " " in below else f"/{below}" if below else "")


def _raised(name: str, power: int) -> str:
    return name if power == 1 else name + str(power).translate(_SUPERSCRIPTS)


@cache
def _factor(unit: str, target: str) -> float:
    """How many of ``target`` one of ``unit`` is."""
    return parse_unit(unit).times(parse_unit(target).power(-1)).factor
