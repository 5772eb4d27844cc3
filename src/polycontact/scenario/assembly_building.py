"""Assemblies of a scenario: added to its system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from polycontact.multibody.assembly_bodies import Assembly, add_parts, assembly_of
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.scenario.assembly_content import read_once
from polycontact.scenario.schema.assembly_keys import AssemblyTable
from polycontact.scenario.schema.body_keys import Material
from polycontact.scenario.shape_surfaces import rotation_of
from polycontact.scenario.surface_data import SurfaceDataStore


def add_assembly_table(
    system: MultibodySystem,
    entry: AssemblyTable,
    folder: Path,
    materials: Mapping[str, Material],
    data: SurfaceDataStore,
) -> Assembly:
    """Add the parts of an assembly; ``materials`` by name, and their contact ``data``; files relative to ``folder``."""
    content = read_once(folder / entry.file)
    names = [part.name for part in content.parts]
    chosen = {name: entry.materials.get(name, entry.material) for name in names}
    densities = {
        name: density
        for name, material in chosen.items()
        if (density := entry.density if material is None else materials[material].density) is not None
    }
    assembly = assembly_of(content, density=densities, repair=entry.repair)
    add_parts(
        system,
        assembly,
        fixed=entry.fixed,
        leave_out=entry.leave_out,
        prefix=entry.prefix or "",
        position=entry.position,
        rotation=rotation_of(entry.orientation),
        contact=entry.contact,
        geometry=entry.geometry,
        of_contacts={name: data.of_material(material).options() for name, material in chosen.items()},
    )
    return assembly
