"""Assemblies from CAD files as bodies: each part with its name, its place and its mesh; equal parts share a surface."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.laws import ContactProperties
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.materials import Material, material_named
from polycontact.errors import ContactError, MultibodyError, SurfaceError
from polycontact.multibody import checks
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import WORLD, Shape
from polycontact.surfaces.alternatives import MESH
from polycontact.surfaces.convex import ConvexMesh
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.mass import MassProperties
from polycontact.surfaces.reading.assembly import AssemblyContent, read_assembly
from polycontact.surfaces.repair import repair_surface
from polycontact.surfaces.surface import Surface
from polycontact.wording import counted

ALL: Final = "all"

Densities = float | Mapping[str, float] | None
Materials = str | Material | Mapping[str, str | Material] | None


@dataclass(frozen=True, eq=False)
class AssemblyPart:
    """A part: its ``surface`` in its own frame, which stands at ``position`` (m), turned by ``rotation`` (3, 3).

    ``density`` in kg/m³ and the name of its ``material``, None where none was given.
    """

    name: str
    surface: Surface
    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    density: float | None
    material: str | None = None

    def __repr__(self) -> str:
        return f"AssemblyPart({self.name!r}, {counted(len(self.surface.triangles), 'triangle')})"

    @property
    def size(self) -> NDArray[np.float64]:
        """Lengths (3,) of the box around it along its own axes, m."""
        return np.asarray(self.surface.bounds[1] - self.surface.bounds[0])

    def mass_properties(self) -> MassProperties:
        """Mass, centre and inertia in its own frame; a `MultibodyError` where it has no density or is not closed."""
        if self.density is None:
            raise MultibodyError(f"part {self.name!r} has no density; give density (kg/m³) or material")
        try:
            return self.surface.mass_properties(self.density)
        except SurfaceError as error:
            raise MultibodyError(f"part {self.name!r}: {error}; or keep it fixed: fixed=[{self.name!r}]") from error


@dataclass(frozen=True, eq=False)
class Assembly:
    """The parts of a CAD ``file`` by name; ``notes`` say what was done while reading."""

    name: str
    file: Path
    parts: Mapping[str, AssemblyPart]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        shapes = len({id(part.surface) for part in self.parts.values()})
        return f"Assembly({self.name!r}, parts: {len(self.parts)}, different surfaces: {shapes})"


def load_assembly(
    path: str | os.PathLike[str],
    *,
    density: Densities = None,
    material: Materials = None,
    repair: bool = False,
) -> Assembly:
    """The parts of a STEP, 3MF or glTF file, in m: each node with its name, its place and its surface.

    ``density`` (kg/m³) or ``material`` (a name of `materials`, or a `Material`): of all parts, or of each by its name.
    ``repair``: mend surfaces as `repair_surface` does. Parts that are placed several times share one surface. 3MF
    declares its unit, STEP is converted to m, glTF is in m. Needs the extra ``cad``.
    """
    return assembly_of(read_assembly(path), density=density, material=material, repair=repair)


def assembly_of(
    content: AssemblyContent, *, density: Densities = None, material: Materials = None, repair: bool = False
) -> Assembly:
    """The assembly of a file that was read; options as for `load_assembly`."""
    names = [part.name for part in content.parts]
    densities, made_of = _densities(content.source.name, names, density, material)
    surfaces = _surfaces(content, repair)
    parts = {
        part.name: AssemblyPart(
            part.name,
            surfaces[part.mesh],
            part.rotation,
            part.position,
            densities.get(part.name),
            made_of.get(part.name),
        )
        for part in content.parts
    }
    return Assembly(content.source.path.stem, content.source.path, parts, content.notes)


def add_assembly(
    system: MultibodySystem,
    assembly: Assembly | str | os.PathLike[str],
    *,
    density: Densities = None,
    material: Materials = None,
    fixed: Iterable[str] = (),
    leave_out: Iterable[str] = (),
    prefix: str = "",
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike | None = None,
    contact: bool = True,
    geometry: str = MESH,
    layer: ElasticLayer | None = None,
    contact_properties: ContactProperties | None = None,
) -> Assembly:
    """Add an assembly, or that of a file: its parts become bodies where it places them, ``prefix`` before their names.

    ``density`` (kg/m³) or ``material``: as for `load_assembly`, for a path. ``fixed``: names of parts that stay where
    they are and need no mass, or "all"; ``leave_out``: names of parts that become no bodies. ``position`` (m) and
    ``rotation`` (3, 3): where the assembly's frame stands. ``contact``: whether the parts take part in contact;
    ``geometry``: as what, "mesh" or, for parts that are convex, "convex"; ``layer`` and ``contact_properties``: see
    `Shape`, whose material is that of the part. All other parts are free; joints that are added later take the place of
    that. An assembly is added whole or, with an error, not at all.
    """
    if not isinstance(assembly, Assembly):
        assembly = load_assembly(assembly, density=density, material=material)
    elif density is not None or material is not None:
        raise MultibodyError("add_assembly: density and material belong to load_assembly, which has made it already")
    add_parts(
        system,
        assembly,
        fixed=fixed,
        leave_out=leave_out,
        prefix=prefix,
        position=position,
        rotation=rotation,
        contact=contact,
        geometry=geometry,
        of_contacts={
            name: {"layer": layer, "contact_properties": contact_properties, "material": part.material}
            for name, part in assembly.parts.items()
        },
    )
    return assembly


def add_parts(
    system: MultibodySystem,
    assembly: Assembly,
    *,
    fixed: Iterable[str],
    leave_out: Iterable[str],
    prefix: str,
    position: ArrayLike,
    rotation: ArrayLike | None,
    contact: bool,
    geometry: str,
    of_contacts: Mapping[str, Mapping[str, Any]],
) -> None:
    """Add the parts of an assembly as bodies; options as for `add_assembly`, ``of_contacts``: those of the `Shape`."""
    owner = f"assembly {assembly.file.name!r}"
    if geometry not in (MESH, "convex"):
        raise MultibodyError(f'{owner}: geometry is {geometry!r}; give "mesh" or "convex"')
    if not isinstance(prefix, str):
        raise MultibodyError(f"{owner}: prefix is {prefix!r}; give a text that goes before all names")
    still = _named(assembly, "fixed", fixed)
    left_out = _named(assembly, "leave_out", leave_out)
    R, r = checks.rotation(owner, "rotation", rotation), checks.array(owner, "position", position, (3,), "m")
    geometries = _geometries(assembly, geometry)
    parts = [part for name, part in assembly.parts.items() if name not in left_out]
    for part in parts:
        checks.checked_name("body", prefix + part.name, [*system.bodies, *system.markers, WORLD])
    for target in (MultibodySystem(), system):  # what is wrong is told before the system has half an assembly
        for part in parts:
            is_fixed = part.name in still
            target.add_body(
                prefix + part.name,
                shapes=[Shape(geometries[id(part.surface)], contact=contact, **of_contacts[part.name])],
                fixed=is_fixed,
                position=r + R @ part.position,
                rotation=R @ part.rotation,
                **({} if is_fixed else _mass(part)),
            )


def _mass(part: AssemblyPart) -> dict[str, Any]:
    own = part.mass_properties()
    return {"mass": own.mass, "centre": own.centre, "inertia": own.inertia}


def _named(assembly: Assembly, what: str, names: Iterable[str]) -> set[str]:
    if names == ALL:
        return set(assembly.parts)
    if isinstance(names, str):
        raise MultibodyError(f'{what} is {names!r}; give a list of names of parts, or "{ALL}"')
    return {checks.known("part", name, assembly.parts, f"assembly {assembly.file.name!r}: {what}") for name in names}


def _densities(
    file: str, names: list[str], density: Densities, material: Materials
) -> tuple[dict[str, float], dict[str, str]]:
    """Density of each part, kg/m³, and the name of its material, as far as given."""
    owner = f"assembly {file!r}"
    if density is not None and material is not None:
        raise MultibodyError(f"{owner}: both density and material are given; leave one out")
    given = density if material is None else material
    if given is None:
        return {}, {}
    by_part: Mapping[str, Any] = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    found, made_of = {}, {}
    for name, value in by_part.items():
        checks.known("part", name, names, owner)
        if material is not None:
            try:
                made_of[name] = material_named(value).name
                value = material_named(value).density
            except ContactError as error:
                raise MultibodyError(f"{owner}: {error}") from error
        found[name] = checks.number(f"{owner}: part {name!r}", "density", value, "kg/m³", positive=True)
    return found, made_of


def _surfaces(content: AssemblyContent, repair: bool) -> list[Surface]:
    """A surface for each mesh, named after the first part that has it."""
    made = []
    for number, (vertices, triangles) in enumerate(content.meshes):
        name = next(part.name for part in content.parts if part.mesh == number)
        told = f"{content.source.name}: part {name!r}"
        try:
            if repair:
                surface = repair_surface((vertices, triangles))
            else:
                surface = Surface(vertices, triangles, name=told)
        except SurfaceError as error:
            mend = "" if repair else "; repair=True mends what can be mended"
            where = "" if str(error).startswith(told) else f"{told}: "
            raise SurfaceError(f"{where}{error}{mend}") from error
        surface.name = name
        made.append(surface)
    return made


def _geometries(assembly: Assembly, geometry: str) -> dict[int, Geometry]:
    surfaces = {id(part.surface): part.surface for part in assembly.parts.values()}
    if geometry == MESH:
        return dict(surfaces)
    return {key: ConvexMesh(surface) for key, surface in surfaces.items()}
