"""The shapes of bodies: each kind is a function of `polycontact.shapes` with its arguments, or a mesh file.

As what a shape takes part in contact, `polycontact.surfaces.alternatives` says.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from polycontact.scenario.schema.base import (
    MAX_ENTRIES,
    ORIGIN,
    Colour,
    Lengths2,
    Lengths3,
    Name,
    NotNegative,
    Number,
    OneOf,
    Parts,
    Parts2,
    Parts3,
    Points,
    Positive,
    Switch,
    Table,
    Vector,
    at_most,
    optional,
    required,
)
from polycontact.scenario.schema.orientation_keys import Orientation
from polycontact.scenario.schema.surface_keys import ContactPropertiesTable
from polycontact.surfaces.alternatives import BOX_EXPONENT, GEOMETRIES, MESH, check_choice
from polycontact.surfaces.file_units import UNITS

Subdivisions = Annotated[int, Field(strict=True, ge=0, le=8)]
Hexagonal = Annotated[int, Field(strict=True, ge=12, le=4098, multiple_of=6)]
Fineness = Annotated[int, Field(strict=True, ge=3, le=4096)]


def _edge_radius() -> Any:
    return optional('with geometry = "convex": radius by which its edges are rounded; sharp if left out', "m")


def _exponent() -> Any:
    return optional(f'with geometry = "implicit": from 2, an ellipsoid, to 100; {BOX_EXPONENT:g} if left out')


Exponent = Annotated[Number, Field(ge=2.0, le=100.0)]


class ShapeTable(Table):
    """What all shapes share: where they sit on the body, what they are made of, and whether they touch."""

    kind: str
    position: Vector = optional("position of the shape in the body", "m", ORIGIN)
    orientation: Orientation | None = optional("how the shape is turned in the body")
    material: Name | None = optional("name of its material; by default that of the body")
    density: Positive | None = optional("density, by default that of the body or of the material", "kg/m³")
    contact: Switch | None = optional("false: picture and mass only, no contact; by default as the body")
    contact_properties: ContactPropertiesTable | None = optional(
        "spring, damper and friction of its surface; by default those of the body or of the material"
    )
    colour: Colour | None = optional('colour "#rrggbb"; by default that of the body')
    balanced: Switch = optional(
        "true: move the vertices so that the mesh has the volume of the round body that they lie on", "", False
    )
    feature_angle: Annotated[Number, Field(gt=0.0, le=0.5 * math.pi)] | None = optional(
        "with balanced = true: edges that bend by this or more are sharp; π/6 if left out", "rad"
    )
    geometry: Annotated[str, OneOf(GEOMETRIES)] = optional(
        "as what it takes part in contact: its mesh or, where it can be, the exact convex, parametric or implicit "
        "body, to which keys of the mesh mean nothing",
        "",
        MESH,
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.feature_angle is not None and not self.balanced:
            raise ValueError("feature_angle means nothing without balanced = true; add that, or leave it out")
        check_choice(self.kind, self.arguments(), self.geometry)
        return self

    def arguments(self) -> dict[str, Any]:
        """The given arguments of `geometry_of`, which makes the shape."""
        own = type(self).model_fields.keys() - ShapeTable.model_fields.keys() - {"kind"}
        return {key: getattr(self, key) for key in sorted(own & self.model_fields_set)}


class Box(ShapeTable):
    """A rectangular box, centred at its origin."""

    kind: Literal["box"] = required("which kind it is")
    size: Lengths3 = required("edge lengths along x, y, z, or one for all", "m")
    divisions: Parts3 | None = optional("parts of each edge, one number or three; 1 if left out")
    edge_radius: NotNegative | None = _edge_radius()
    exponent: Exponent | None = _exponent()


class Plane(ShapeTable):
    """An open rectangle at z = 0 about its origin, normal +z."""

    kind: Literal["plane"] = required("which kind it is")
    size: Lengths2 = required("edge lengths along x and y, or one for both", "m")
    divisions: Parts2 | None = optional("parts of each edge, one number or two; 1 if left out")


class Disc(ShapeTable):
    """An open disc at z = 0 about its origin, normal +z."""

    kind: Literal["disc"] = required("which kind it is")
    radius: Positive = required("radius", "m")
    segments: Fineness | None = optional("edges on the border; 48 if left out")
    rings: Parts | None = optional("concentric rings; as many as fit the edges if left out")


class Sphere(ShapeTable):
    """A sphere about its origin."""

    kind: Literal["sphere"] = required("which kind it is")
    radius: Positive = required("radius", "m")
    subdivisions: Subdivisions | None = optional("the sphere has 20 · 4^subdivisions triangles; 3 if left out")


class Ellipsoid(ShapeTable):
    """An ellipsoid about its origin."""

    kind: Literal["ellipsoid"] = required("which kind it is")
    semi_axes: Lengths3 = required("semi-axes along x, y, z", "m")
    subdivisions: Subdivisions | None = optional("it has 20 · 4^subdivisions triangles; 3 if left out")


class Capsule(ShapeTable):
    """A cylinder along z with hemispherical ends, about its origin."""

    kind: Literal["capsule"] = required("which kind it is")
    radius: Positive = required("radius", "m")
    length: Positive = required("distance between the centres of the two ends", "m")
    segments: Annotated[int, Field(strict=True, ge=6, le=4096)] | None = optional("edges around; 48 if left out")
    rings: Parts | None = optional("layers along the cylinder; as many as fit the edges if left out")


class Torus(ShapeTable):
    """A torus about the z axis, centred at its origin."""

    kind: Literal["torus"] = required("which kind it is")
    major_radius: Positive = required("distance from the axis to the centre of the tube", "m")
    minor_radius: Positive = required("radius of the tube, less than major_radius", "m")
    segments: Fineness | None = optional("edges around the axis; 48 if left out")
    tube_segments: Fineness | None = optional("edges around the tube; 24 if left out")


class Cylinder(ShapeTable):
    """A cylinder along z about its origin."""

    kind: Literal["cylinder"] = required("which kind it is")
    radius: Positive = required("radius", "m")
    length: Positive = required("length along z", "m")
    segments: Fineness | None = optional("edges around; 48 if left out")
    rings: Parts | None = optional("layers along the wall; as many as fit the edges if left out")
    cap_rings: Parts | None = optional("rings on each cap; as many as fit the edges if left out")
    edge_radius: NotNegative | None = _edge_radius()
    exponent: Exponent | None = _exponent()


class Cone(ShapeTable):
    """A cone with its apex at its origin and its base at z = height."""

    kind: Literal["cone"] = required("which kind it is")
    radius: Positive = required("radius of the base", "m")
    height: Positive = required("height along z", "m")
    segments: Fineness | None = optional("edges around the base; 48 if left out")
    rings: Parts | None = optional("layers along the slant; as many as fit the edges if left out")
    cap_rings: Parts | None = optional("rings on the base; as many as fit the edges if left out")
    edge_radius: NotNegative | None = _edge_radius()


class Revolve(ShapeTable):
    """What a profile sweeps about an axis."""

    kind: Literal["revolve"] = required("which kind it is")
    profile: Points = required("points [axial, radius]; a radius of 0 is a pole", "m")
    segments: Fineness | None = optional("edges around; 48 if left out")
    axis: Literal["x", "y", "z"] | None = optional('axis of revolution; "z" if left out')
    graded: Switch | None = optional("true: fewer edges where the radius is small")
    edge_radius: NotNegative | None = _edge_radius()


class Extrude(ShapeTable):
    """A prism over a polygon from z = 0 to height."""

    kind: Literal["extrude"] = required("which kind it is")
    polygon: Points = required("corners [x, y], either way round", "m")
    height: Positive = required("height along z", "m")
    holes: Annotated[tuple[Points, ...], at_most(MAX_ENTRIES)] = optional(
        "polygons of holes, each a list of corners [x, y]", "m", ()
    )
    spacing: Positive | None = optional("longest edge of the two faces, about", "m")
    divisions: Parts | None = optional("layers along z; as many as fit the edges if left out")
    edge_radius: NotNegative | None = _edge_radius()


class PlateWithHole(ShapeTable):
    """A plate with a round hole, about its origin."""

    kind: Literal["plate_with_hole"] = required("which kind it is")
    size: Lengths2 = required("edge lengths along x and y, or one for both", "m")
    thickness: Positive = required("thickness along z", "m")
    hole_radius: Positive = required("radius of the hole", "m")
    segments: Fineness | None = optional("edges around the hole; 48 if left out")
    spacing: Positive | None = optional("longest edge, about; a twelfth of the shorter side if left out", "m")
    divisions: Parts | None = optional("layers through the thickness; as many as fit the edges if left out")


class SphericalCup(ShapeTable):
    """A cylindrical block with a spherical hollow about its origin."""

    kind: Literal["spherical_cup"] = required("which kind it is")
    radius: Positive = required("radius of the hollow", "m")
    thickness: Positive | None = optional("thickness of the wall; half of the radius if left out", "m")
    opening: Annotated[Number, Field(ge=0.01, le=0.5 * math.pi)] | None = optional(
        "angle between -z and the rim; π/2 if left out", "rad"
    )
    segments: Annotated[int, Field(strict=True, ge=6, le=4096)] | None = optional("edges of the rim; 48 if left out")


class Horseshoe(ShapeTable):
    """A bar bent to a U that stands on its two ends."""

    kind: Literal["horseshoe"] = required("which kind it is")
    radius: Positive | None = optional("radius of the middle line of the arch; 0.06 m if left out", "m")
    width: Positive | None = optional("width of the bar; 0.02 m if left out", "m")
    thickness: Positive | None = optional("thickness along y; 0.012 m if left out", "m")
    leg_length: Positive | None = optional("length of the legs; 0.06 m if left out", "m")
    segments: Annotated[int, Field(strict=True, ge=2, le=4096)] | None = optional(
        "edges along the arch; 24 if left out"
    )


class TableShape(ShapeTable):
    """A table that stands on four legs at z = 0."""

    kind: Literal["table"] = required("which kind it is")
    size: Lengths2 | None = optional("edge lengths of the top; [1.2, 0.8] m if left out", "m")
    height: Positive | None = optional("height of the upper side; 0.75 m if left out", "m")
    top_thickness: Positive | None = optional("thickness of the top; 0.04 m if left out", "m")
    leg_width: Positive | None = optional("width of a leg; 0.06 m if left out", "m")
    leg_inset: Annotated[Number, Field(ge=0.0)] | None = optional("inset of the legs; 0 m if left out", "m")
    spacing: Positive | None = optional("longest edge along the axes; the width of a leg if left out", "m")


class ThreadedBolt(ShapeTable):
    """A bolt with a metric thread along z and a hexagon head below its origin."""

    kind: Literal["threaded_bolt"] = required("which kind it is")
    diameter: Positive = required("diameter over the crests of the thread", "m")
    pitch: Positive = required("advance of a turn", "m")
    length: Positive = required("length of the thread along z", "m")
    head_height: Positive | None = optional("height of the head; 0.64 diameters if left out", "m")
    across_flats: Positive | None = optional("width of the head across flats; 1.6 diameters if left out", "m")
    segments: Hexagonal | None = optional("edges around; 48 if left out")
    divisions: Parts | None = optional("strips on each flank of the thread; 2 if left out")


class ThreadedNut(ShapeTable):
    """A hexagon nut with a metric thread along z, standing on its origin."""

    kind: Literal["threaded_nut"] = required("which kind it is")
    diameter: Positive = required("diameter over the crests of the bolt that it fits", "m")
    pitch: Positive = required("advance of a turn", "m")
    height: Positive | None = optional("height along z; 0.8 diameters if left out", "m")
    clearance: NotNegative | None = optional("how much farther from the axis it is than the bolt; 0 if left out", "m")
    across_flats: Positive | None = optional("width across flats; 1.6 diameters if left out", "m")
    segments: Hexagonal | None = optional("edges around; 48 if left out")
    divisions: Parts | None = optional("strips on each flank of the thread; 2 if left out")


class SpurGear(ShapeTable):
    """A spur gear with involute teeth about z."""

    kind: Literal["spur_gear"] = required("which kind it is")
    module: Positive = required("module: the pitch diameter over the number of teeth", "m")
    teeth: Annotated[int, Field(strict=True, ge=6, le=10_000)] = required("number of teeth; 18 or more at 20°")
    width: Positive = required("width along z", "m")
    pressure_angle: Annotated[Number, Field(ge=0.15, le=0.6)] | None = optional(
        "pressure angle; that of ISO 53, 20°, if left out", "rad"
    )
    backlash: NotNegative | None = optional("how much thinner a tooth is on the pitch circle; 0 if left out", "m")
    bore: Positive | None = optional("radius of the hole; half of that of the root if left out", "m")
    flank_edges: Annotated[int, Field(strict=True, ge=1, le=1000)] | None = optional(
        "edges on each flank of a tooth; 8 if left out"
    )
    spacing: Positive | None = optional("longest edge of the two faces, about", "m")
    divisions: Parts | None = optional("layers along z; as many as fit the edges if left out")
    edge_radius: NotNegative | None = _edge_radius()


class Bubble(ShapeTable):
    """The bubble of the PCM paper: a peanut of 0.4 m about y."""

    kind: Literal["bubble"] = required("which kind it is")
    meridians: Fineness | None = optional("vertices of a ring; 25, the published mesh, if left out")
    rings: Parts | None = optional("rings; 19, the published mesh, if left out")


class BubbleWith(ShapeTable):
    """The bubble with about a given number of triangles."""

    kind: Literal["bubble_with"] = required("which kind it is")
    n_triangles: Annotated[int, Field(strict=True, ge=100, le=10_000_000)] = required("number of triangles, about")


class Container(ShapeTable):
    """The container of the PCM paper: an open inverted pyramid with its apex at the origin."""

    kind: Literal["container"] = required("which kind it is")


class Paraboloid(ShapeTable):
    """An open bowl, dome or saddle z = x²/(2 R_x) + y²/(2 R_y) over a rectangle about its origin, normal up."""

    kind: Literal["paraboloid"] = required("which kind it is")
    radii: tuple[Number, Number] = required("radii of curvature R_x and R_y at the apex; negative: bent down", "m")
    size: Lengths2 | None = optional("edge lengths of the rectangle, or one for both; 1 m if left out", "m")
    divisions: Parts2 | None = optional("parts of each edge, one number or two; 36 if left out")


class CosineSurface(ShapeTable):
    """Open hills and valleys z = A cos(2π x / λ) over a rectangle about its origin, normal up."""

    kind: Literal["cosine_surface"] = required("which kind it is")
    amplitude: Number = required("amplitude A: half of the height of the hills above the valleys", "m")
    wavelength: Positive = required("distance λ of the hills along x", "m")
    size: Lengths2 | None = optional("edge lengths of the rectangle, or one for both; [2, 1] m if left out", "m")
    divisions: Parts2 | None = optional("parts of each edge, one number or two; 18 for each wave if left out")


class Mesh(ShapeTable):
    """A mesh file: OBJ, STL, PLY, OFF or ASCII DXF; with the extra cad also glTF, 3MF or STEP."""

    kind: Literal["mesh"] = required("which kind it is")
    file: Annotated[str, Field(strict=True, min_length=1, max_length=4096)] = required(
        "path of the file, relative to the scenario file"
    )
    unit: Annotated[str, OneOf(tuple(UNITS))] | None = optional(
        "length of one unit of the file; as the file declares, or m, if left out; never given for STEP"
    )
    scale: Positive | None = optional("factor for all coordinates; 1 if left out")
    flip: Switch | None = optional("true: turn a mesh that is inside out")
    subdivisions: Annotated[int, Field(strict=True, ge=0, le=6)] | None = optional(
        "each triangle is divided into 4^subdivisions, new vertices on the round body that the mesh is of; 0 if left "
        "out"
    )
    edge_radius: NotNegative | None = _edge_radius()


Shape = Annotated[
    Box
    | Plane
    | Disc
    | Sphere
    | Ellipsoid
    | Capsule
    | Torus
    | Cylinder
    | Cone
    | Revolve
    | Extrude
    | PlateWithHole
    | SphericalCup
    | Horseshoe
    | TableShape
    | ThreadedBolt
    | ThreadedNut
    | SpurGear
    | Bubble
    | BubbleWith
    | Container
    | Paraboloid
    | CosineSurface
    | Mesh,
    Field(discriminator="kind"),
]
