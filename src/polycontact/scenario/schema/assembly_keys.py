"""Assemblies from CAD files: their parts become bodies of the scenario."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from polycontact.scenario.schema.base import (
    MAX_ENTRIES,
    ORIGIN,
    Name,
    OneOf,
    Positive,
    Switch,
    Table,
    Vector,
    at_most,
    optional,
    required,
)
from polycontact.scenario.schema.orientation_keys import Orientation

MAX_ASSEMBLIES = 100
"""Most assemblies of a scenario."""

GEOMETRIES = ("mesh", "convex")

_Names = Annotated[tuple[Name, ...], at_most(MAX_ENTRIES)]


class AssemblyTable(Table):
    """An assembly in a STEP, 3MF or glTF file. Joints, forces and contacts name its parts as the file does."""

    name: Name = required("name of the assembly, unique among assemblies")
    file: Annotated[str, Field(strict=True, min_length=1, max_length=4096)] = required(
        "path of the STEP, 3MF or glTF file, relative to the scenario file"
    )
    prefix: Name | None = optional("goes before the names of all its parts")
    material: Name | None = optional(
        'what its parts are made of: a table under [materials], or a name in the library, such as "steel"'
    )
    materials: dict[Name, Name] = optional("materials of single parts by their names", "", {})
    density: Positive | None = optional("density of its parts instead of a material", "kg/m³")
    fixed: Literal["all"] | _Names = optional('names of parts that stay where they are, or "all"', "", ())
    leave_out: _Names = optional("names of parts that become no bodies", "", ())
    position: Vector = optional("where its frame stands in the world", "m", ORIGIN)
    orientation: Orientation | None = optional("how its frame is turned")
    contact: Switch = optional("false: its parts take no part in contact", "", True)
    geometry: Annotated[str, OneOf(GEOMETRIES)] = optional(
        "as what: meshes, or exact convex solids where all parts are convex", "", "mesh"
    )
    repair: Switch = optional("true: mend its surfaces", "", False)
