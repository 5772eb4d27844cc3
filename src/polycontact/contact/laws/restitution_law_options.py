"""The penalty law of Schmucker, Rusin and Konyev with a restitution factor, printed and calibrated."""

from __future__ import annotations

from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.laws.impact_damping import calibrated_damping, printed_damping
from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError


@described("restitution", part="law")
@dataclass(frozen=True, kw_only=True)
class RestitutionLaw:
    """Penalty law that knows the speed of the collision, F = max([1 + a ṗ/v_coll] S p, 0), of Schmucker et al.

    The paper's a = (1 − ε)/ε gives a restitution that is larger than ε; the calibrated factor gives ε itself (see
    `impact_damping`). v_coll is the speed of approach with which a contact of two bodies begins, a mean weighted by the
    depth if the contact has several elements; it is remembered until the bodies part. If a contact begins more slowly
    than the rest speed, or exists at the start, v_coll is the rest speed, so that the damping stays finite.
    """

    stiffness: float | None = field(
        default=None,
        metadata=option(
            "stiffness S, of a point in N/m; left out where it follows from the elastic layers of the bodies",
            "N/m³",
            above=0.0,
        ),
    )
    restitution: float = field(
        default=1.0,
        metadata=option(
            "restitution factor ε",
            above=0.0,
            at_most=1.0,
            because="a factor of 0 would need infinite damping; take 0.01 for a collision that hardly rebounds",
        ),
    )
    calibrated: bool = field(
        default=True, metadata=option("whether a rebound has the restitution ε; false for the law as it is printed")
    )
    rest_speed: float = field(
        default=0.01,
        metadata=option("smallest speed v_coll that counts", "m/s", title="rest speed", above=0.0),
    )
    memory_width = 1

    def __post_init__(self) -> None:
        check_options(self, "restitution law")
        if not isinstance(self.calibrated, bool):
            raise ContactError(f"restitution law: calibrated is {self.calibrated!r}; give True or False")

    @property
    def damping(self) -> float:
        """Factor a of ṗ/v_coll in the law, from the coefficient of restitution."""
        return calibrated_damping(self.restitution) if self.calibrated else printed_damping(self.restitution)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law with its own stiffness, or else ``stiffness`` (N/m³); without either an error is raised."""
        from polycontact.kernels.contact.restitution_law import REBOUND_AT, RestitutionParameters

        parameters = RestitutionParameters()
        given = stiffness if self.stiffness is None else self.stiffness
        if given is None:
            raise ContactError("no stiffness: give RestitutionLaw(stiffness=…) in N/m³, or layers=(…, …)")
        parameters.stiffness = given
        parameters.damping = self.damping
        parameters.rest_speed = self.rest_speed
        return PreparedLaw(REBOUND_AT, parameters, memory_width=self.memory_width)
