"""The force laws: what presses and what rubs, one class each, all over the same table of elements."""

from polycontact.contact.laws.contact_law import ContactLaw, PreparedLaw
from polycontact.contact.laws.contact_properties import ContactProperties
from polycontact.contact.laws.half_space_law_options import HalfSpaceLaw
from polycontact.contact.laws.hertz_point import HertzPoint
from polycontact.contact.laws.hunt_crossley import HuntCrossley
from polycontact.contact.laws.layer_law_options import LayerLaw
from polycontact.contact.laws.regularised_coulomb import RegularisedCoulomb
from polycontact.contact.laws.restitution_law_options import RestitutionLaw
from polycontact.contact.laws.spin_friction_options import SpinFriction
from polycontact.contact.laws.spring_damper import SpringDamperLaw
from polycontact.contact.laws.stick_friction_options import StickFriction

__all__ = [
    "BUILT_IN_LAWS",
    "LAYER_LAWS",
    "ContactLaw",
    "ContactProperties",
    "HalfSpaceLaw",
    "HertzPoint",
    "HuntCrossley",
    "LayerLaw",
    "PreparedLaw",
    "RegularisedCoulomb",
    "RestitutionLaw",
    "SpinFriction",
    "SpringDamperLaw",
    "StickFriction",
]

LAYER_LAWS = (LayerLaw, RestitutionLaw)
"""Normal laws whose stiffness may follow from elastic layers."""

BUILT_IN_LAWS = (
    *LAYER_LAWS,
    RegularisedCoulomb,
    SpringDamperLaw,
    SpinFriction,
    HuntCrossley,
    HertzPoint,
    HalfSpaceLaw,
    StickFriction,
)
"""All laws of this package."""
