"""Friction of the spring–damper response: sliding and spinning, both regularised linearly."""

from __future__ import annotations

from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.laws.contact_properties import ContactProperties
from polycontact.contact.options import check_options, option


@described("spin_friction", part="friction")
@dataclass(frozen=True, kw_only=True)
class SpinFriction:
    """Coulomb friction, and a torque about the normal of each element that resists spinning.

    A contact with an area resists spinning by itself, because its elements slip. A point does not; the torque then
    represents the friction of the true contact area. A disc under even pressure has d_w = 2/3 μ times its radius.
    """

    coefficient: float = field(metadata=option("coefficient of friction μ", title="friction coefficient", at_least=0.0))
    velocity: float = field(
        default=1e-3,
        metadata=option(
            "slip velocity v_min below which friction fades out, linear in the slip",
            "m/s",
            title="friction velocity",
            above=0.0,
        ),
    )
    spin_length: float = field(
        default=0.0,
        metadata=option(
            "spin torque per normal force d_w, a length; the paper's table gives another unit",
            "m",
            title="spin length",
            at_least=0.0,
        ),
    )
    spin_velocity: float = field(
        default=1e-3,
        metadata=option(
            "angular velocity ω_min about the normal below which the torque fades out, linearly",
            "rad/s",
            title="spin velocity",
            above=0.0,
        ),
    )

    def __post_init__(self) -> None:
        check_options(self, "spin friction")

    @classmethod
    def between(cls, a: ContactProperties, b: ContactProperties) -> SpinFriction:
        """The law of a pair of surfaces: the mean of the values of both."""
        mixed = a.mixed(b)
        return cls(
            coefficient=mixed.friction,
            velocity=mixed.slip_velocity,
            spin_length=mixed.spin_length,
            spin_velocity=mixed.spin_velocity,
        )

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law; friction regularised by velocities needs no ``stiffness``."""
        from polycontact.kernels.contact.spin_friction import SPIN_AT, SpinParameters

        parameters = SpinParameters()
        parameters.coefficient = self.coefficient
        parameters.velocity = self.velocity
        parameters.spin_length = self.spin_length
        parameters.spin_velocity = self.spin_velocity
        return PreparedLaw(SPIN_AT, parameters)
