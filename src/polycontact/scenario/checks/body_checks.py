"""Checks of bodies: names, materials, mass, placement and mesh files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.table_checks import doubled_names, is_zero, vector_told
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.library_materials import known_materials
from polycontact.scenario.readable_tables import entries, given, tables
from polycontact.scenario.schema.body_keys import Body, Material
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema.shape_keys import ShapeTable

_PLACED_BY_JOINT = ("position", "orientation", "velocity", "angular_velocity")


def check_bodies(model: ScenarioModel, folder: Path) -> Iterator[Problem]:
    """Problems of the bodies: names, materials and masses, and their files in ``folder``."""
    yield from doubled_names("bodies", model.bodies)
    if all(array == () for array in (model.bodies, model.robots, model.assemblies)):
        yield Problem(("bodies",), "is missing; give the bodies under [[bodies]], [[robots]] or [[assemblies]]")
    carried = {joint.child for joint in tables(model.joints)}
    for i, body in entries(model.bodies):
        where = ("bodies", i)
        if body.name == WORLD:
            yield Problem((*where, "name"), f"{shown(WORLD)} is the inertial frame; choose another")
        yield from _check_materials(model, where, body)
        yield from _check_mass(model, where, body)
        yield from _check_placement(where, body, body.name in carried)
        for place, shape in shapes_of(body):
            yield from _check_file((*where, *place), shape, folder)


def shapes_of(body: Body) -> Iterator[tuple[Location, ShapeTable]]:
    """Where the shapes of a body stand in its table, and the shapes."""
    if body.shape is not None:
        yield ("shape",), body.shape
    for i, shape in entries(body.shapes):
        yield ("shapes", i), shape


def material_of(model: ScenarioModel, body: Body, shape: ShapeTable) -> Material | None:
    """The material of a shape; None if it has none or one that is not there."""
    name = shape.material or body.material
    return None if name is None else (model.materials or {}).get(name)


def _check_materials(model: ScenarioModel, where: Location, body: Body) -> Iterator[Problem]:
    named = [(where, body.material)] + [((*where, *place), shape.material) for place, shape in shapes_of(body)]
    for place, name in named:
        if name is not None and name not in (model.materials or {}):
            yield Problem((*place, "material"), unknown("material", name, known_materials(model)))


def _check_mass(model: ScenarioModel, where: Location, body: Body) -> Iterator[Problem]:
    if given(body, "shape") and given(body, "shapes"):
        yield Problem((*where, "shapes"), "give shape or shapes, not both")
    if given(body, "density") and given(body, "mass"):
        yield Problem((*where, "mass"), "give density or mass, not both: a density sets the mass")
    if given(body, "inertia") and given(body, "inertia_matrix"):
        yield Problem((*where, "inertia_matrix"), "give inertia or inertia_matrix, not both")
    for key in ("centre", "inertia", "inertia_matrix"):
        if given(body, key) and not given(body, "mass"):
            yield Problem((*where, key), "needs a mass beside it")
    has_inertia = given(body, "inertia") or given(body, "inertia_matrix")
    if given(body, "centre") and given(body, "mass") and not has_inertia:
        yield Problem((*where, "centre"), "needs an inertia about it; or leave the centre to the shapes")
    shapes = [shape for _, shape in shapes_of(body)]
    if body.fixed:
        return
    if given(body, "mass"):
        if not has_inertia and not shapes:
            told = "is missing; give inertia, or a shape from which it follows, in kg m²"
            yield Problem((*where, "inertia"), told)
    elif not shapes:
        remedy = "give a shape and its density (kg/m³), or mass (kg) and inertia (kg m²), or fixed = true"
        yield Problem((*where, "mass"), f"is missing: a body that moves needs it; {remedy}")
    elif not given(body, "density") and not all(_has_density(model, body, shape) for shape in shapes):
        remedy = "give density (kg/m³) or mass (kg), or fixed = true"
        yield Problem((*where, "mass"), f"is missing: a body that moves needs it; {remedy}")


def _has_density(model: ScenarioModel, body: Body, shape: ShapeTable) -> bool:
    material = material_of(model, body, shape)
    return given(shape, "density") or (material is not None and given(material, "density"))


def _check_placement(where: Location, body: Body, is_carried: bool) -> Iterator[Problem]:
    if body.fixed:
        if is_carried:
            yield Problem((*where, "fixed"), "the body is carried by a joint; leave out one of them")
        for key, value in (("velocity", body.velocity), ("angular_velocity", body.angular_velocity)):
            if value is not None and not is_zero(value):
                yield Problem((*where, key), f"{vector_told(value)}, but a fixed body does not move")
    elif is_carried:
        for key in _PLACED_BY_JOINT:
            if given(body, key):
                told = "the body's joint places it: give the joint at, coordinates and speeds instead"
                yield Problem((*where, key), told)


def _check_file(where: Location, shape: ShapeTable, folder: Path) -> Iterator[Problem]:
    file = getattr(shape, "file", None)
    if file is None:
        return
    try:
        mode = os.stat(folder / file).st_mode
    except (OSError, ValueError):
        yield Problem((*where, "file"), f"{shown(file)}: there is no such file in {shown(str(folder))}")
        return
    if not stat.S_ISREG(mode):
        yield Problem((*where, "file"), f"{shown(file)} is a folder or a device, not a mesh file")
