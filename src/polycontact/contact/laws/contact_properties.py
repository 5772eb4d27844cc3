"""Material data of a surface for the spring–damper response, and how those of two surfaces are mixed."""

from __future__ import annotations

from dataclasses import dataclass, field

from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError


@dataclass(frozen=True, kw_only=True)
class ContactProperties:
    """Contact data of one surface, with the defaults of Otter, Elmqvist and Díaz López (Modelica 2005), section 2.

    The paper's table gives its d_w the unit N m s/rad; its equation τ = d_w |f_n| makes it a length, and so it is here:
    the ``spin_length``, the torque per normal force of a contact that spins.
    """

    stiffness: float = field(default=1e7, metadata=option("spring constant c", "N/m", above=0.0))
    damping: float = field(default=0.0, metadata=option("damping constant d", "N s/m", at_least=0.0))
    spin_length: float = field(
        default=0.0, metadata=option("spin torque per normal force d_w", "m", title="spin length", at_least=0.0)
    )
    friction: float = field(default=0.0, metadata=option("coefficient of friction μ", at_least=0.0))
    slip_velocity: float = field(
        default=1e-3,
        metadata=option("v_min, from where friction is full", "m/s", title="slip velocity", above=0.0),
    )
    spin_velocity: float = field(
        default=1e-3,
        metadata=option("ω_min, from where the spin torque is full", "rad/s", title="spin velocity", above=0.0),
    )

    def __post_init__(self) -> None:
        check_options(self, "contact properties")

    @property
    def damping_time(self) -> float:
        """d/c, s: the damping beside the stiffness, which is the same for a point and for an area."""
        return self.damping / self.stiffness

    def mixed(self, other: ContactProperties) -> ContactProperties:
        """Those of two surfaces in contact: springs in series, the mean of everything else.

        Two dampers in series would add a state; the mean of the dampings is the paper's approximation.
        """
        if not isinstance(other, ContactProperties):
            raise ContactError(f"contact properties are mixed with {other!r}; give ContactProperties(…)")
        return ContactProperties(
            stiffness=self.stiffness * other.stiffness / (self.stiffness + other.stiffness),
            damping=0.5 * (self.damping + other.damping),
            spin_length=0.5 * (self.spin_length + other.spin_length),
            friction=0.5 * (self.friction + other.friction),
            slip_velocity=0.5 * (self.slip_velocity + other.slip_velocity),
            spin_velocity=0.5 * (self.spin_velocity + other.spin_velocity),
        )
