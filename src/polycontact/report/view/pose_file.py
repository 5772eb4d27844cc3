"""A single contact in a TOML file: two surfaces, the law between them, and their relative kinematics.

.. code-block:: toml

    [e]
    kind = "sphere"
    radius = 0.1                      # m

    [f]
    kind = "mesh"
    file = "plate.stl"                # relative to this file
    unit = "mm"

    [contact]
    stiffness = 5.9e5                 # N/m³
    friction = { coefficient = 0.25, velocity = 0.01 }

    [kinematics]                      # of F as seen from E
    position = [0.0, 0.0, -0.105]     # m
    orientation = { axis = [0, 0, 1], angle_degrees = 30 }
    velocity = [-0.5, 0.0, 0.0]       # m/s
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import ValidationError

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.errors import PolycontactError, ScenarioError
from polycontact.multibody.pair_description import ContactRules, describe_pair
from polycontact.multibody.rigid_bodies import Shape
from polycontact.scenario.checks.part_checks import check_parts, is_off
from polycontact.scenario.contact_parts import contact_options
from polycontact.scenario.file_problems import Problem, refuse
from polycontact.scenario.old_names import told_of_old_names, with_new_names
from polycontact.scenario.reading import parse_toml, read_text
from polycontact.scenario.schema.base import (
    MAX_ENTRIES,
    ORIGIN,
    Name,
    Table,
    Vector,
    at_most,
    optional,
    required,
)
from polycontact.scenario.schema.body_keys import Material
from polycontact.scenario.schema.contact_keys import ContactOptions
from polycontact.scenario.schema.orientation_keys import Orientation
from polycontact.scenario.schema.shape_keys import Shape as ShapeKeys
from polycontact.scenario.schema_errors import schema_problems
from polycontact.scenario.shape_surfaces import GeometryStore, rotation_of
from polycontact.scenario.surface_data import SurfaceDataStore
from polycontact.scenario.told_kinds import with_kinds
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.surface import Surface


class PoseKinematics(Table):
    """Pose and velocity of surface F as seen from surface E, in frame E."""

    position: Vector = optional("position of F", "m", ORIGIN)
    orientation: Orientation | None = optional("how F is turned")
    velocity: Vector = optional("velocity of F", "m/s", ORIGIN)
    angular_velocity: Vector = optional("angular velocity of F", "rad/s", ORIGIN)


class PoseModel(Table):
    """The file: two shapes as in a scenario, contact options as in a scenario, and the relative kinematics."""

    name: Name | None = optional("name of the contact")
    e: ShapeKeys = required("shape of surface E, with its kind")
    f: ShapeKeys = required("shape of surface F, with its kind")
    materials: Annotated[dict[Name, Material], at_most(MAX_ENTRIES)] = optional("materials by name", "", {})
    contact: ContactOptions = required("the law: stiffness in N/m³, or materials with elastic layers, and options")
    kinematics: PoseKinematics = required("how F lies and moves relative to E")


@dataclass(frozen=True)
class Pose:
    """A contact pairing and the kinematics at which to look at it."""

    pairing: ContactPairing
    kinematics: RelativeKinematics

    def evaluate(self) -> ContactResult:
        """The contact at the pose of the file."""
        return self.pairing.evaluate(self.kinematics)


def load_pose(path: str | os.PathLike[str]) -> Pose:
    """The contact in a TOML file; a `ScenarioError` lists all that is wrong with the file."""
    path = Path(path)
    written = parse_toml(
        read_text(path, "a single contact", "it needs [e], [f], [contact] and [kinematics]"), path.name
    )
    if "bodies" in written or "simulation" in written:
        told = "this is a scenario, no single contact; leave --pose out to see the model"
        raise ScenarioError(path.name, (told,))
    old = told_of_old_names(written, path.name)
    raw = with_kinds(with_new_names(written))
    try:
        model = PoseModel.model_validate(raw)
    except ValidationError as error:
        raise refuse(path.name, raw, *schema_problems(error, raw, PoseModel)) from error
    problems = old + list(check_parts(("contact",), model.contact))
    if is_off("method", model.contact):
        problems.append(Problem(("contact",), 'its method is "none": there is no contact to look at; choose another'))
    store = GeometryStore(path.parent)
    geometries = [_geometry(key, shape, store, problems) for key, shape in (("e", model.e), ("f", model.f))]
    if problems:
        raise refuse(path.name, raw, problems)
    try:
        pairing = _pairing(model, geometries[0], geometries[1])
    except PolycontactError as error:
        raise refuse(path.name, raw, [Problem(("contact",), str(error))]) from error
    given = model.kinematics
    kinematics = RelativeKinematics(
        rotation=rotation_of(given.orientation),
        position=given.position,
        velocity=given.velocity,
        angular_velocity=given.angular_velocity,
    )
    return Pose(pairing, kinematics)


def _geometry(key: str, shape: ShapeKeys, store: GeometryStore, problems: list[Problem]) -> Any:
    """The geometry of a shape where the file puts it; None with a problem where it cannot be made."""
    try:
        geometry = store.geometry(shape)
        if isinstance(geometry, Surface):
            return geometry.transformed(rotation_of(shape.orientation), shape.position)
    except PolycontactError as error:
        problems.append(Problem((key,), str(error)))
        return None
    for placed in ("position", "orientation"):
        if placed in shape.model_fields_set:
            remedy = "here meshes alone are moved; leave it out and move F by [kinematics]"
            problems.append(Problem((key, placed), f'of a shape with geometry = "{shape.geometry}": {remedy}'))
    return geometry


def _pairing(model: PoseModel, e: Geometry, f: Geometry) -> ContactPairing:
    store = SurfaceDataStore(model.materials)
    shapes = (Shape(e, **store.of_shape(model.e).options()), Shape(f, **store.of_shape(model.f).options()))
    name = model.name or "e–f"
    made = describe_pair(name, ("e", "f"), shapes, {}, contact_options(model.contact), ContactRules())
    return ContactPairing(e, f, name=model.name, description=made.description)
