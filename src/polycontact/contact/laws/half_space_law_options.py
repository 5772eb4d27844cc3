"""The half-space law: two elastic bodies of which only Young's moduli and Poisson's ratios are known."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.laws.impact_damping import delivered_restitution
from polycontact.contact.materials import Material, material_named
from polycontact.contact.options import check_options, is_number, option
from polycontact.errors import ContactError
from polycontact.tolerances import MOST_FACTORISED, MOST_ON_HALF_SPACE

if TYPE_CHECKING:
    from polycontact.kernels.contact.half_space_work import Flexibility, HalfSpaceWork


@described("half_space", part="law")
@dataclass(frozen=True, kw_only=True)
class HalfSpaceLaw:
    """Normal law of two elastic half-spaces: pressures that move the surfaces out of each other's way.

    A pressure anywhere moves the whole surface (Boussinesq, Love), so that the pressures of all elements are found
    together: p ≥ 0, gap ≥ 0, and one of the two is zero at each element. Nothing but E and ν of the bodies is needed:
    no layer, no thickness. It holds where the contact is small beside the bodies: not for thin bodies, for contacts
    that reach an edge, for seats that conform to each other, nor beyond yield. Damping is that of Hunt and Crossley.
    """

    youngs_modulus: float = field(
        metadata=option("Young's modulus E of both bodies, or of E alone", "Pa", title="Young's modulus", above=0.0)
    )
    poissons_ratio: float = field(
        metadata=option(
            "Poisson's ratio ν of both bodies, or of E alone", title="Poisson's ratio", above=-1.0, at_most=0.5
        )
    )
    youngs_modulus_f: float | None = field(
        default=None,
        metadata=option(
            "Young's modulus of F; left out where F is of the material of E",
            "Pa",
            title="Young's modulus of F",
            above=0.0,
        ),
    )
    poissons_ratio_f: float | None = field(
        default=None,
        metadata=option(
            "Poisson's ratio of F; left out where F is of the material of E",
            title="Poisson's ratio of F",
            above=-1.0,
            at_most=0.5,
        ),
    )
    rigid: Literal["neither", "E", "F"] = field(
        default="neither", metadata=option("body that does not give way at all: the other one takes the whole depth")
    )
    dissipation: float = field(
        default=0.0,
        metadata=option("dissipation α: slow impacts have the restitution 1 − α v", "s/m", at_least=0.0),
    )

    def __post_init__(self) -> None:
        check_options(self, "half-space law")
        if (self.youngs_modulus_f is None) != (self.poissons_ratio_f is None):
            given, lacks = ("modulus", "Poisson's ratio")
            if self.youngs_modulus_f is None:
                given, lacks = lacks, "Young's modulus"
            raise ContactError(f"half-space law: of F only the {given} is given; give its {lacks} too, or neither")

    @classmethod
    def between(
        cls, of_e: Material | str | None, of_f: Material | str | None, *, dissipation: float = 0.0
    ) -> HalfSpaceLaw:
        """The law of two materials, or of their names in `materials`; None for a body that is rigid.

        ``dissipation``: α, s/m.
        """
        solids = [None if each is None else material_named(each) for each in (of_e, of_f)]
        e, f = (each or solids[1 - k] for k, each in enumerate(solids))
        if e is None or f is None:
            raise ContactError("half-space law: both bodies are rigid; give one of them a material")
        return cls(
            youngs_modulus=e.youngs_modulus,
            poissons_ratio=e.poissons_ratio,
            youngs_modulus_f=f.youngs_modulus,
            poissons_ratio_f=f.poissons_ratio,
            rigid="E" if solids[0] is None else "F" if solids[1] is None else "neither",
            dissipation=dissipation,
        )

    @property
    def _compliances(self) -> tuple[float, float]:
        """(1 − ν²)/E of both bodies, 1/Pa; zero for a rigid one."""
        E, nu = self.youngs_modulus, self.poissons_ratio
        E_f = E if self.youngs_modulus_f is None else self.youngs_modulus_f
        nu_f = nu if self.poissons_ratio_f is None else self.poissons_ratio_f
        return (
            0.0 if self.rigid == "E" else (1.0 - nu * nu) / E,
            0.0 if self.rigid == "F" else (1.0 - nu_f * nu_f) / E_f,
        )

    @property
    def modulus(self) -> float:
        """Contact modulus E*, Pa: 1/E* = (1 − ν_E²)/E_E + (1 − ν_F²)/E_F."""
        return 1.0 / sum(self._compliances)

    @property
    def depth_share(self) -> float:
        """Share of the depth that E takes: as its compliance is to that of both."""
        return self._compliances[0] * self.modulus

    def restitution(self, speed: float) -> float:
        """Coefficient of restitution of an impact with a relative ``speed`` (m/s) along the normal.

        It depends on the dissipation and the speed alone, as damping is in proportion to the elastic force.
        """
        if not is_number(speed) or speed < 0.0:
            raise ContactError(f"half-space law: the speed is {speed!r} m/s; give a number that is zero or positive")
        return delivered_restitution(1.5 * self.dissipation * speed)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law; ``stiffness`` of layers does not matter."""
        from polycontact.kernels.contact.half_space_law import PRESS_HALF_SPACE_AT
        from polycontact.kernels.contact.half_space_work import HalfSpaceParameters

        parameters = HalfSpaceParameters()
        parameters.modulus = self.modulus
        parameters.damping = 1.5 * self.dissipation
        return PreparedLaw(PRESS_HALF_SPACE_AT, parameters, make_work=_Work)


class _Work:
    """Work space of the law in one evaluation."""

    def __init__(self) -> None:
        from polycontact.kernels.contact.half_space_work import HalfSpaceWork

        self._view = HalfSpaceWork()
        self.grow(0)

    @property
    def view(self) -> HalfSpaceWork:
        """What the stage works in."""
        return self._view

    def reserve_elements(self, n: int) -> None:
        """Room for n elements."""
        self._view.reserve(room=n)
        self._view.n_last = 0
        for matrix in (*self._matrices, self._view.factor):
            matrix.reserve(room=n)
            matrix.n = 0

    def grow(self, needed: int) -> None:
        """Room for so many numbers of a matrix, and half as much again, which contacts grow by in a few steps."""
        if needed > MOST_ON_HALF_SPACE**2:
            raise ContactError(
                f"half-space law: {math.isqrt(needed)} elements may carry at once, which takes a matrix of "
                f"{8e-9 * needed:.2g} GB; up to {MOST_ON_HALF_SPACE} are allowed: take a coarser mesh for the base"
            )
        room = needed + needed // 2
        for matrix in self._matrices:
            matrix.reserve(room_of_entries=room)
            matrix.n = 0
        factor = self._view.factor
        factor.reserve(room_of_entries=min(room, MOST_FACTORISED**2))
        factor.n = 0

    @property
    def _matrices(self) -> tuple[Flexibility, ...]:
        return (self._view.first, self._view.second)
