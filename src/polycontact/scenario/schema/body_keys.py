"""Bodies and what they are made of. One entry gives a body its mass, its picture and its contact shape."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from polycontact.contact.layers import ElasticLayer
from polycontact.contact.rheological_layer import RheologicalLayer
from polycontact.errors import ContactError
from polycontact.scenario.schema.base import (
    ORIGIN,
    Colour,
    Matrix,
    Name,
    NotNegative,
    Number,
    Positive,
    Switch,
    Table,
    Vector,
    at_most,
    optional,
    required,
)
from polycontact.scenario.schema.orientation_keys import Orientation
from polycontact.scenario.schema.shape_keys import Shape
from polycontact.scenario.schema.surface_keys import ContactPropertiesTable

LAYER_KEYS = ("youngs_modulus", "poissons_ratio", "thickness")
RHEOLOGY_KEYS = ("prony", "damping_time", "yield_pressure", "hardening", "healing_time")
"""What layers remember, see `RheologicalLayer`."""


class Material(Table):
    """An elastic layer (youngs_modulus, poissons_ratio and thickness) or rigid = true, a density, contact properties.

    ``material`` takes from the library what is not given: the density and, with a thickness, modulus and ratio.
    """

    material: Name | None = optional('name in the library of materials, such as "steel"')
    youngs_modulus: Positive | None = optional("Young's modulus E of the layer", "Pa")
    poissons_ratio: Annotated[Number, Field(gt=-1.0, lt=0.5)] | None = optional("Poisson's ratio ν of the layer")
    thickness: Positive | None = optional("thickness b of the layer", "m")
    prony: Annotated[tuple[tuple[Positive, Positive], ...], at_most(100)] | None = optional(
        "terms [share, time in s] of a Prony series: each share of the modulus relaxes within its time; the modulus is "
        "that of a quick load"
    )
    damping_time: NotNegative | None = optional(
        "time of a dashpot beside the spring of the layer, its damping over its stiffness", "s"
    )
    yield_pressure: Positive | None = optional("pressure from which a dent stays in the layer", "Pa")
    hardening: NotNegative | None = optional("by how much the yield pressure rises with the depth of the dent", "N/m³")
    healing_time: Positive | None = optional("time in which a dent without load fades to 1/e", "s")
    rigid: Switch = optional("true: no layer, the other body takes the whole depth", "", False)
    density: Positive | None = optional("density of the bodies made of it", "kg/m³")
    contact_properties: ContactPropertiesTable | None = optional(
        "spring, damper and friction of the surfaces made of it, mixed with those of the other surface of a pair"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        missing = [key for key in LAYER_KEYS if getattr(self, key) is None]
        if self.rigid and len(missing) < len(LAYER_KEYS):
            given = [key for key in LAYER_KEYS if key not in missing]
            raise ValueError(f"rigid = true has no layer; leave out {' and '.join(given)}, or rigid")
        if 0 < len(missing) < len(LAYER_KEYS):
            raise ValueError(f"the layer is incomplete: {' and '.join(missing)} missing")
        said = [key for key in RHEOLOGY_KEYS if getattr(self, key) is not None]
        if said and self.material is None and (self.rigid or missing):
            raise ValueError(
                f"{' and '.join(said)} {'says' if len(said) == 1 else 'say'} what a layer remembers, but there is "
                f"none; give {', '.join(LAYER_KEYS)} too"
            )
        if said and not missing:
            self.layer()
        return self

    def layer(self) -> ElasticLayer | None:
        """The layer of it; None where it says nothing of its stiffness. What cannot be is a ValueError."""
        if self.rigid:
            return ElasticLayer.rigid()
        if self.youngs_modulus is None or self.poissons_ratio is None or self.thickness is None:
            return None
        elastic = (self.youngs_modulus, self.poissons_ratio, self.thickness)
        more = {key: value for key in RHEOLOGY_KEYS if (value := getattr(self, key)) is not None}
        if not more:
            return ElasticLayer(*elastic)
        try:
            return RheologicalLayer(*elastic, **more)
        except ContactError as error:
            raise ValueError(str(error)) from None


class Body(Table):
    """A rigid body. Without a joint it is free, or fixed to the world with fixed = true."""

    name: Name = required("name of the body, unique")
    shape: Shape | None = optional("its shape: picture, contact and, with a density, mass")
    shapes: Annotated[tuple[Shape, ...], at_most(1000)] = optional("several shapes instead of one", "", ())
    material: Name | None = optional(
        'name of a table under [materials]: its layer and density; or in the library, such as "steel": its density'
    )
    density: Positive | None = optional("density, from which mass, centre and inertia follow", "kg/m³")
    mass: Positive | None = optional("mass; without an inertia that of a solid of its shapes is used", "kg")
    centre: Vector | None = optional("centre of mass in the body's frame; by default the origin", "m")
    inertia: tuple[Positive, Positive, Positive] | None = optional(
        "moments of inertia [Ixx, Iyy, Izz] about the centre, body axes", "kg m²"
    )
    inertia_matrix: Matrix | None = optional("inertia matrix about the centre, body axes, row by row", "kg m²")
    contact: Switch = optional(
        "false: takes no part in contact; contact_handling, its name in the source, is read too", "", True
    )
    contact_properties: ContactPropertiesTable | None = optional(
        "spring, damper and friction of its surface, mixed with those of the other body of a pair; by default those of "
        "its material"
    )
    fixed: Switch = optional("true: fixed to the world; needs no mass", "", False)
    position: Vector = optional("position of the body's frame in the world at the start", "m", ORIGIN)
    orientation: Orientation | None = optional("how the body is turned at the start")
    velocity: Vector = optional("velocity of the body's origin at the start, world axes", "m/s", ORIGIN)
    angular_velocity: Vector = optional("angular velocity at the start, world axes", "rad/s", ORIGIN)
    colour: Colour | None = optional('colour "#rrggbb"')

    @property
    def all_shapes(self) -> tuple[Shape, ...]:
        """All shapes of the body, in whichever way its table gives them."""
        return self.shapes if self.shape is None else (self.shape,)


class MarkerTable(Table):
    """A named frame on a body; loops and springs may name it instead of the body."""

    name: Name = required("name of the marker, unique and not that of a body")
    body: Name = required('name of the body it is on, or "world"')
    position: Vector = optional("its position in the body's frame", "m", ORIGIN)
    orientation: Orientation | None = optional("how it is turned in the body's frame")
