"""Layers that relax, creep, yield and keep dents: what a body's material remembers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.linear_network import LinearNetwork
from polycontact.contact.options import is_number, option
from polycontact.errors import ContactError, UnitError
from polycontact.units import quantity


@described("rheological_layer")
@dataclass(frozen=True, repr=False)
class RheologicalLayer(ElasticLayer):
    """A layer on a rigid body that is elastic at once, and remembers how it was pressed.

    Young's modulus is that of a quick load. Terms of a Prony series relax a share of it each; a damping time adds a
    dashpot beside all springs (Kelvin and Voigt); above a yield pressure the layer keeps a dent, which stays on the
    triangles of the base where it was made. `maxwell`, `standard_linear`, `kelvin_voigt` and `plastic` make the usual
    ones. With another body's layer it is in series: the same pressure presses both in.
    """

    prony: tuple[tuple[float, float], ...] = field(
        default=(),
        metadata=option(
            "terms (share of the modulus that relaxes, time in s in which it does to 1/e); shares add up to at most 1",
            title="Prony series",
        ),
    )
    damping_time: float = field(
        default=0.0,
        metadata=option(
            "time of a dashpot beside all springs, its damping over the stiffness at once", "s", at_least=0.0
        ),
    )
    yield_pressure: float | None = field(
        default=None, metadata=option("pressure from which a dent stays; left out: none does", "Pa", above=0.0)
    )
    hardening: float = field(
        default=0.0,
        metadata=option("by how much the yield pressure rises with the depth of the dent", "N/m³", at_least=0.0),
    )
    healing_time: float | None = field(
        default=None,
        metadata=option("time in which a dent without load fades to 1/e; left out: it stays", "s", above=0.0),
    )

    _owner = "rheological layer"

    def __post_init__(self) -> None:
        object.__setattr__(self, "prony", checked_terms(self.prony, self._owner))
        super().__post_init__()
        if self.yield_pressure is None:
            for name, value in (("hardening", self.hardening or None), ("healing_time", self.healing_time)):
                if value is not None:
                    raise ContactError(
                        f"{self._owner}: {name} is {value:g}, but without a yield pressure there is no dent; give "
                        f"yield_pressure in Pa, or leave {name} out"
                    )
        elif self.damping_time > 0.0:
            raise ContactError(
                f"{self._owner}: both a yield pressure and a damping time of {self.damping_time:g} s are given; a "
                f"dashpot beside all springs would carry any load past the yield pressure; give a Prony term instead"
            )

    @classmethod
    def maxwell(
        cls, youngs_modulus: float, poissons_ratio: float, thickness: float, *, relaxation_time: float
    ) -> RheologicalLayer:
        """A layer that relaxes wholly (Maxwell): it flows under a lasting load. E Pa, b m, ``relaxation_time`` s."""
        return cls(youngs_modulus, poissons_ratio, thickness, prony=((1.0, relaxation_time),))

    @classmethod
    def standard_linear(
        cls, youngs_modulus: float, poissons_ratio: float, thickness: float, *, share: float, relaxation_time: float
    ) -> RheologicalLayer:
        """The standard linear solid: a ``share`` of the modulus E (Pa) relaxes within ``relaxation_time`` (s)."""
        return cls(youngs_modulus, poissons_ratio, thickness, prony=((share, relaxation_time),))

    @classmethod
    def kelvin_voigt(
        cls, youngs_modulus: float, poissons_ratio: float, thickness: float, *, damping_time: float
    ) -> RheologicalLayer:
        """Spring and dashpot side by side (Kelvin and Voigt): it creeps within ``damping_time`` (s). E Pa, b m."""
        return cls(youngs_modulus, poissons_ratio, thickness, damping_time=damping_time)

    @classmethod
    def plastic(
        cls,
        youngs_modulus: float,
        poissons_ratio: float,
        thickness: float,
        *,
        yield_pressure: float,
        hardening: float = 0.0,
        healing_time: float | None = None,
    ) -> RheologicalLayer:
        """Elastic up to a ``yield_pressure`` (Pa), then a dent stays; ``hardening`` N/m³, ``healing_time`` s."""
        return cls(
            youngs_modulus,
            poissons_ratio,
            thickness,
            yield_pressure=yield_pressure,
            hardening=hardening,
            healing_time=healing_time,
        )

    @property
    def network(self) -> LinearNetwork:
        """Its springs and dashpots, per area, without what yields."""
        c_0 = self.stiffness
        spring = max(1.0 - sum(share for share, _ in self.prony), 0.0) * c_0
        branches = tuple((share * c_0, time) for share, time in self.prony)
        return LinearNetwork(spring, self.damping_time * c_0, branches)

    def relaxation(self, time: float) -> float:
        """Stiffness (N/m³) that is left a ``time`` (s) after a sudden depth, without what yields."""
        network = self.network
        return network.spring + sum(c * math.exp(-time / tau) for c, tau in network.branches)


def network_of(layer: ElasticLayer) -> LinearNetwork | None:
    """Springs and dashpots of a layer; None of a rigid one."""
    if layer.is_rigid:
        return None
    return layer.network if isinstance(layer, RheologicalLayer) else LinearNetwork(layer.stiffness)


def remembers(layer: ElasticLayer) -> bool:
    """Whether a layer is more than elastic."""
    if not isinstance(layer, RheologicalLayer) or layer.is_rigid:
        return False
    return bool(layer.prony or layer.damping_time or layer.yield_pressure is not None)


def checked_terms(terms: object, owner: str) -> tuple[tuple[float, float], ...]:
    """Terms (share, time in s) of a Prony series; times may be texts such as "10 ms"."""
    if not isinstance(terms, tuple | list):
        raise ContactError(f"{owner}: prony is {terms!r}; give a list of terms (share, time in s)")
    found = tuple(_checked_term(i, term, owner) for i, term in enumerate(terms, start=1))
    total = sum(share for share, _ in found)
    if total > 1.0 + 1e-9:
        raise ContactError(
            f"{owner}: shares of the Prony series add up to {total:.6g}; they are parts of Young's modulus at once, of "
            f"which no more than all can relax: at most 1"
        )
    return found


def _checked_term(number: int, term: object, owner: str) -> tuple[float, float]:
    """One term of a Prony series."""
    if not isinstance(term, tuple | list) or len(term) != 2:
        raise ContactError(f"{owner}: term {number} of the Prony series is {term!r}; give (share, time in s)")
    share, time = term
    if isinstance(time, str):
        try:
            time = quantity(time, "s")
        except UnitError as error:
            raise ContactError(f"{owner}: time of term {number} of the Prony series: {error}") from None
    for what, value, unit in (("share", share, ""), ("time", time, " s")):
        if not is_number(value) or not 0.0 < value < math.inf:
            raise ContactError(
                f"{owner}: {what} of term {number} of the Prony series is {value!r}{unit}; it must be positive and "
                f"finite"
            )
    return float(share), float(time)
