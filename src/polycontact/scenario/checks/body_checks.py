"""Checks of bodies: names, materials, mass, placement and mesh files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.raw_content import Raw, doubled_names, entries, is_zero, table, text
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.library_materials import known_materials

_PLACED_BY_JOINT = ("position", "orientation", "velocity", "angular_velocity")


def check_bodies(raw: Raw, folder: Path) -> Iterator[Problem]:
    """Problems of the bodies: names, materials and masses, and their files in ``folder``."""
    yield from doubled_names(raw, "bodies")
    if all(raw.get(key, []) == [] for key in ("bodies", "robots", "assemblies")):
        yield Problem(("bodies",), "is missing; give the bodies under [[bodies]], [[robots]] or [[assemblies]]")
    carried = {name for _, each in entries(raw, "joints") if (name := text(each, "child")) is not None}
    for i, body in entries(raw, "bodies"):
        where = ("bodies", i)
        if text(body, "name") == WORLD:
            yield Problem((*where, "name"), f"{shown(WORLD)} is the inertial frame; choose another")
        yield from _check_materials(raw, where, body)
        yield from _check_mass(raw, where, body)
        yield from _check_placement(where, body, text(body, "name") in carried)
        for place, shape in shapes_of(body):
            yield from _check_file((*where, *place), shape, folder)


def shapes_of(body: Raw) -> Iterator[tuple[Location, dict[str, Any]]]:
    """Where the shapes of a body stand in its table, and the shapes."""
    if isinstance(body.get("shape"), dict):
        yield ("shape",), body["shape"]
    for i, shape in entries(body, "shapes"):
        yield ("shapes", i), shape


def material_of(raw: Raw, body: Raw, shape: Raw) -> dict[str, Any] | None:
    """The material of a shape; None if it has none or one that is not there."""
    name = text(shape, "material") or text(body, "material")
    found = table(raw, "materials").get(name) if name is not None else None
    return found if isinstance(found, dict) else None


def _check_materials(raw: Raw, where: Location, body: Raw) -> list[Problem]:
    known = table(raw, "materials")
    users = [(where, body)] + [((*where, *place), shape) for place, shape in shapes_of(body)]
    return [
        Problem((*place, "material"), unknown("material", name, known_materials(raw)))
        for place, user in users
        if (name := text(user, "material")) is not None and name not in known
    ]


def _check_mass(raw: Raw, where: Location, body: Raw) -> list[Problem]:
    problems = []
    if "shape" in body and "shapes" in body:
        problems.append(Problem((*where, "shapes"), "give shape or shapes, not both"))
    if "density" in body and "mass" in body:
        problems.append(Problem((*where, "mass"), "give density or mass, not both: a density sets the mass"))
    if "inertia" in body and "inertia_matrix" in body:
        problems.append(Problem((*where, "inertia_matrix"), "give inertia or inertia_matrix, not both"))
    for key in ("centre", "inertia", "inertia_matrix"):
        if key in body and "mass" not in body:
            problems.append(Problem((*where, key), "needs a mass beside it"))
    has_inertia = "inertia" in body or "inertia_matrix" in body
    if "centre" in body and "mass" in body and not has_inertia:
        problems.append(Problem((*where, "centre"), "needs an inertia about it; or leave the centre to the shapes"))
    if body.get("fixed") is True or "mass" in body:
        if "mass" in body and not has_inertia and not list(shapes_of(body)) and body.get("fixed") is not True:
            problems.append(
                Problem(
                    (*where, "inertia"),
                    "is missing; give inertia, or a shape from which it follows, in kg m²",
                )
            )
        return problems
    shapes = [shape for _, shape in shapes_of(body)]
    if shapes and all("density" in (material_of(raw, body, shape) or {}) or "density" in shape for shape in shapes):
        return problems
    if not shapes or "density" not in body:
        remedy = (
            "give density (kg/m³) or mass (kg), or fixed = true"
            if shapes
            else ("give a shape and its density (kg/m³), or mass (kg) and inertia (kg m²), or fixed = true")
        )
        problems.append(Problem((*where, "mass"), f"is missing: a body that moves needs it; {remedy}"))
    return problems


def _check_placement(where: Location, body: Raw, is_carried: bool) -> list[Problem]:
    problems = []
    if body.get("fixed") is True:
        if is_carried:
            problems.append(Problem((*where, "fixed"), "the body is carried by a joint; leave out one of them"))
        for key in ("velocity", "angular_velocity"):
            if key in body and not is_zero(body[key]):
                problems.append(Problem((*where, key), f"{shown(body[key])}, but a fixed body does not move"))
    elif is_carried:
        problems += [
            Problem((*where, key), "the body's joint places it: give the joint at, coordinates and speeds instead")
            for key in _PLACED_BY_JOINT
            if key in body
        ]
    return problems


def _check_file(where: Location, shape: Raw, folder: Path) -> list[Problem]:
    file = text(shape, "file")
    if shape.get("kind") != "mesh" or not file:
        return []
    try:
        mode = os.stat(folder / file).st_mode
    except (OSError, ValueError):
        return [Problem((*where, "file"), f"{shown(file)}: there is no such file in {shown(str(folder))}")]
    if not stat.S_ISREG(mode):
        return [Problem((*where, "file"), f"{shown(file)} is a folder or a device, not a mesh file")]
    return []
