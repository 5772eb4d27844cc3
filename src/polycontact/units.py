"""Numbers with a unit, as a person writes them: "12 mm", "3000 rpm", "5 N/mm"; their dimension is checked.

A table of some forty symbols with exact factors. An angle is a dimension of its own, so that a torsional stiffness is
not taken for a torque, nor a frequency for an angular velocity.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple

from polycontact.errors import UnitError

__all__ = ["UNITS", "Unit", "parse_unit", "quantity"]

Dimension = tuple[int, int, int, int]
"""Exponents of length, mass, time and angle."""


class Unit(NamedTuple):
    """A unit: ``ratio`` · π to the power ``pi`` SI units of its dimension (exponents of m, kg, s and rad)."""

    ratio: Fraction
    dimension: Dimension
    pi: int = 0

    @property
    def factor(self) -> float:
        """How many SI units it is."""
        return float(self.ratio) * math.pi**self.pi

    def power(self, exponent: int) -> Unit:
        """The unit to an integer power."""
        length, mass, time, angle = (each * exponent for each in self.dimension)
        return Unit(self.ratio**exponent, (length, mass, time, angle), self.pi * exponent)

    def times(self, other: Unit) -> Unit:
        """The product with another unit."""
        length, mass, time, angle = (a + b for a, b in zip(self.dimension, other.dimension, strict=True))
        return Unit(self.ratio * other.ratio, (length, mass, time, angle), self.pi + other.pi)


_PREFIXES: Final = {"n": -9, "µ": -6, "u": -6, "m": -3, "c": -2, "k": 3, "M": 6, "G": 9}

_FORCE, _TORQUE = (1, 1, -2, 0), (2, 1, -2, 0)


def _table() -> dict[str, Unit]:
    with_prefixes = (
        ("m", 0, (1, 0, 0, 0), "nµumck"),
        ("g", -3, (0, 1, 0, 0), "mk"),
        ("s", 0, (0, 0, 1, 0), "nµum"),
        ("rad", 0, (0, 0, 0, 1), "µum"),
        ("Hz", 0, (0, 0, -1, 0), "kM"),
        ("N", 0, _FORCE, "mkM"),
        ("Pa", 0, (-1, 1, -2, 0), "kMG"),
        ("J", 0, _TORQUE, "mkM"),
        ("W", 0, (2, 1, -3, 0), "mkM"),
        ("Nm", 0, _TORQUE, "mk"),
        ("Nmm", -3, _TORQUE, ""),
        ("Ns", 0, (1, 1, -1, 0), "m"),
    )
    table = {
        prefix + symbol: Unit(Fraction(10) ** (_PREFIXES.get(prefix, 0) + power), dimension)
        for symbol, power, dimension, prefixes in with_prefixes
        for prefix in ("", *prefixes)
    }
    pound_force = Fraction("0.45359237") * Fraction("9.80665")
    others = {
        "in": (Fraction("0.0254"), (1, 0, 0, 0)),
        "ft": (Fraction("0.3048"), (1, 0, 0, 0)),
        "t": (Fraction(1000), (0, 1, 0, 0)),
        "lb": (Fraction("0.45359237"), (0, 1, 0, 0)),
        "min": (Fraction(60), (0, 0, 1, 0)),
        "h": (Fraction(3600), (0, 0, 1, 0)),
        "lbf": (pound_force, _FORCE),
        "bar": (Fraction(100_000), (-1, 1, -2, 0)),
        "psi": (pound_force / Fraction("0.0254") ** 2, (-1, 1, -2, 0)),
    }
    table |= {symbol: Unit(ratio, dimension) for symbol, (ratio, dimension) in others.items()}
    turns = {"deg": Fraction(1, 180), "rev": Fraction(2)}
    table |= {symbol: Unit(ratio, (0, 0, 0, 1), 1) for symbol, ratio in turns.items()}
    table["rpm"] = Unit(Fraction(1, 30), (0, 0, -1, 1), 1)
    return table | dict.fromkeys(("°", "degree", "degrees"), table["deg"])


UNITS: Final = _table()
"""The units that may be written, by symbol."""

_KNOWN: Final = {
    "m": ("a length", "12 mm"),
    "kg": ("a mass", "250 g"),
    "s": ("a time", "1 ms"),
    "rad": ("an angle", "15 deg"),
    "m²": ("an area", "5 mm²"),
    "m/s": ("a velocity", "36 km/h"),
    "rad/s": ("an angular velocity", "3000 rpm"),
    "m/s²": ("an acceleration", "981 cm/s²"),
    "Hz": ("a frequency", "50 Hz"),
    "N": ("a force", "2 kN"),
    "N m": ("a torque or an energy", "50 N mm"),
    "W": ("a power", "2 kW"),
    "Pa": ("a pressure or a modulus", "70 GPa"),
    "N/m": ("a stiffness", "5 N/mm"),
    "N s/m": ("a damping", "0.2 N s/mm"),
    "N m/rad": ("a torsional stiffness", "3 N m/deg"),
    "N m s/rad": ("a torsional damping", "50 N mm s/rad"),
    "N/m³": ("a stiffness per area", "0.6 N/mm³"),
    "N s/m³": ("a damping per area", "1e-3 N s/mm³"),
    "kg/m³": ("a density", "7.85 g/cm³"),
    "kg m²": ("a moment of inertia", "30 kg mm²"),
    "s/m": ("an inverse velocity", "0.2 s/m"),
}
"""What is measured in each SI unit, and an example."""

_NUMBER: Final = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*", re.DOTALL)
_TOKEN: Final = re.compile(r"\s*(?:([()/])|[·*](?!\*)|([a-zA-Zµ°]+|1(?=\s*/))(?:(?:\^|\*\*)?(-?\d)|(⁻?[¹²³⁴-⁹]))?)\s*")
_SUPERSCRIPTS: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_LONGEST: Final = 100
"""Most characters of a quantity."""

_LEAST: Final = 1e-200
"""Least magnitude of a number with a unit; the greatest is its inverse."""


def quantity(text: str, unit: str | None = None) -> float:
    """The number that a text with a unit means, such as "12 mm", in SI units.

    ``unit``: the unit in which it is wanted, such as "N/m" or "degrees", whose dimension the text must have; several
    are separated by " or ", as in "rad or m". Raises a `UnitError` that says what is wrong, what was expected, and an
    example.
    """
    if not isinstance(text, str):
        raise UnitError(f'{text!r} is not a text with a unit, such as "12 mm"')
    shown = _shown(text)
    expected = expectation(unit) if unit else 'a number with a unit, such as "12 mm"'
    number, written = _split(text, shown, expected)
    try:
        found = _parsed(written, shown)
    except UnitError as error:
        raise UnitError(f"{error}; expected is {expected}") from None
    if unit is None:
        return _value(number, found, shown)
    for wanted in _alternatives(unit):
        if wanted.dimension == found.dimension:
            return _value(number, found.times(wanted.power(-1)), shown)
    raise UnitError(f"{shown} is {_told(found.dimension)}; expected is {expected}")


@cache
def parse_unit(text: str) -> Unit:
    """The unit of a text such as "N s/m³"."""
    return _parsed(text, _shown(text))


def has_dimension(unit: str) -> bool:
    """Whether texts with units can be given for a number in ``unit``; not where it has none, or depends on others."""
    try:
        return bool(unit) and bool(_alternatives(unit))
    except UnitError:
        return False


def expectation(unit: str) -> str:
    """What is expected of a number in ``unit``, in words with an example."""
    parts = []
    for each in unit.split(" or "):
        what, example = _known().get(parse_unit(each).dimension, ("a number", f"1 {each}"))
        parts.append(f'{what} in {each}, such as "{example}"')
    return ", or ".join(parts)


@cache
def _alternatives(unit: str) -> tuple[Unit, ...]:
    return tuple(parse_unit(each) for each in unit.split(" or "))


@cache
def _known() -> dict[Dimension, tuple[str, str]]:
    return {parse_unit(unit).dimension: told for unit, told in _KNOWN.items()}


def _told(dimension: Dimension) -> str:
    if dimension in _known():
        return _known()[dimension][0]
    powers = zip(("m", "kg", "s", "rad"), dimension, strict=True)
    return "in " + " ".join(f"{symbol}^{power}" for symbol, power in powers if power)


def _shown(text: str) -> str:
    return json.dumps(text[:60], ensure_ascii=False)


def _split(text: str, shown: str, expected: str) -> tuple[str, str]:
    """The number and the unit of a text."""
    found = _NUMBER.fullmatch(text.replace("−", "-").replace("μ", "µ")) if len(text) <= _LONGEST else None
    if found is None:
        raise UnitError(f"{shown} does not begin with a number; expected is {expected}")
    if not found[2]:
        raise UnitError(f"{shown} has no unit; expected is {expected}, or a plain number without quotes")
    if re.match(r",\s*\d", found[2]):
        raise UnitError(f"{shown} has a decimal comma; write a point; expected is {expected}")
    return found[1], found[2]


def _value(number: str, unit: Unit, shown: str) -> float:
    """The number of SI units, rounded once where there is no π: "12 mm" is the same number as 0.012."""
    plain = float(number)
    if plain == 0.0 and not re.search("[1-9]", number.lower().partition("e")[0]):
        return plain
    if _LEAST <= abs(plain) <= 1.0 / _LEAST:  # the fraction of others would have very many digits
        ratio = Fraction(number) * unit.ratio
        if _LEAST <= abs(ratio) <= 1.0 / _LEAST:
            return float(ratio) * math.pi**unit.pi
    raise UnitError(
        f"{shown} is beyond what can be computed with; give a magnitude above {_LEAST:g}, below {1 / _LEAST:g}"
    )


def _parsed(text: str, shown: str) -> Unit:
    """The product of factors; a slash divides by the one factor, or the group in parentheses, that follows it."""
    unit, rest, divides, inside, after_slash = Unit(Fraction(1), (0, 0, 0, 0)), text, False, False, False
    n_factors = 0
    while rest:
        token = _TOKEN.match(rest)
        if token is None:
            raise UnitError(f'{shown}: the unit {text!r} cannot be read at {rest[:10]!r}; write it as in "N s/m^3"')
        rest = rest[token.end() :]
        mark, symbol, digits, raised = token.groups()
        if mark == "/" and not divides and not inside:
            divides, after_slash = True, False
        elif mark == "(" and divides and not inside:
            inside = True
        elif mark == ")" and inside:
            divides, inside, after_slash = False, False, True
        elif mark:
            raise UnitError(f'{shown}: the unit {text!r} has a {mark!r} out of place; write it as in "N/(m s)"')
        elif symbol:
            if after_slash:
                raise UnitError(f'{shown}: what {text!r} divides by is not clear; write it as in "N/(m s)" or "N s/m"')
            exponent = int(digits or (raised or "1").translate(_SUPERSCRIPTS))
            unit = unit.times(_looked_up(symbol, shown).power(-exponent if divides else exponent))
            n_factors += 1
            divides, after_slash = divides and inside, divides and not inside
    if divides or not n_factors:
        raise UnitError(f'{shown}: the unit {text!r} is incomplete; write it as in "N s/m^3"')
    return unit


def _looked_up(symbol: str, shown: str) -> Unit:
    if symbol == "1":
        return Unit(Fraction(1), (0, 0, 0, 0))
    if symbol in UNITS:
        return UNITS[symbol]
    same = [each for each in UNITS if each.lower() == symbol.lower()]
    close = same or difflib.get_close_matches(symbol, UNITS, 1)
    hint = f" (did you mean {close[0]!r}?)" if close else f"; known are {', '.join(UNITS)}"
    raise UnitError(f"{shown}: there is no unit {symbol!r}{hint}")
