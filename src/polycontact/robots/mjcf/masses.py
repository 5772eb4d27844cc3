"""Mass properties of the bodies of an MJCF model: as <inertial> says, or those of their geoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polycontact.errors import MultibodyError, PolycontactError, RobotError
from polycontact.multibody.rigid_bodies import RigidMass, check_inertia, combined_mass
from polycontact.robots import xml_values as values
from polycontact.robots.mjcf.mesh_surfaces import MeshSurfaces
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import MESH, PLANE, MjcfGeom, MjcfMesh
from polycontact.robots.mjcf.mjcf_placement import PLACEMENT, parse_frame
from polycontact.robots.mjcf.settings import CompilerSettings
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.alternatives import geometry_of
from polycontact.surfaces.mass import MassProperties
from polycontact.surfaces.reading.source import shown

_FULL = ("xx", "yy", "zz", "xy", "xz", "yz")


class BodyMasses:
    """Gives bodies their mass; ``surfaces`` make the meshes whose volume counts."""

    def __init__(
        self,
        settings: CompilerSettings,
        meshes: Mapping[str, MjcfMesh],
        surfaces: MeshSurfaces,
        leftovers: Leftovers,
    ) -> None:
        self._settings = settings
        self._meshes = meshes
        self._surfaces = surfaces
        self._leftovers = leftovers

    def of_body(self, element: Element, owner: str, geoms: Sequence[MjcfGeom]) -> RigidMass | None:
        """Mass properties of a <body>; None where it has none."""
        inertial = element.only("inertial")
        setting = self._settings.inertia_from_geoms
        if inertial is not None and setting != "true":
            mass = self._as_given(inertial, owner)
        elif setting != "false":
            mass = self._of_geoms(element, geoms)
        else:
            mass = None
        return self._bounded(mass)

    def _as_given(self, element: Element, owner: str) -> RigidMass | None:
        owner = f"{owner}: inertial"
        self._leftovers.list_attributes(element, (*PLACEMENT, "mass", "diaginertia", "fullinertia"))
        mass = values.number(element, "mass", owner, "kg", negative=False)
        frame = parse_frame(element, self._settings, owner)
        if "diaginertia" in element.attributes and "fullinertia" in element.attributes:
            element.fail(f"{owner}: diaginertia and fullinertia are given; leave one out")
        if "fullinertia" in element.attributes:
            six = dict(zip(_FULL, values.numbers(element, "fullinertia", owner, 6, "kg m²"), strict=True))
            own = np.array([[six["".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
        else:
            own = np.diag(values.numbers(element, "diaginertia", owner, 3, "kg m²", "0 0 0"))
        if mass == 0.0 and not own.any():
            return None
        if mass == 0.0:
            element.fail(f"{owner}: mass is 0 kg, and its inertia is not; give a positive mass, or no inertia")
        if self._settings.balance_inertia:
            own = _balanced(own)
        if self._settings.least_inertia == 0.0:
            try:
                check_inertia(owner, own)
            except MultibodyError as error:
                element.fail(f"{error}; or let the compiler mend it: balanceinertia or boundinertia")
        inertia = frame.rotation @ own @ frame.rotation.T
        return RigidMass(mass, frame.position, 0.5 * (inertia + inertia.T))

    def _of_geoms(self, element: Element, geoms: Sequence[MjcfGeom]) -> RigidMass | None:
        low, high = self._settings.inertia_groups
        parts = [self._of_geom(element, geom) for geom in geoms if low <= geom.group <= high]
        found = [part for part in parts if part is not None]
        return combined_mass(found) if found else None

    def _of_geom(self, element: Element, geom: MjcfGeom) -> RigidMass | None:
        if geom.kind == PLANE or geom.mass == 0.0 or (geom.mass is None and geom.density == 0.0):
            return None
        try:
            solid = self._solid(geom)
        except RobotError:
            raise
        except PolycontactError as error:
            label = shown(geom.name) if geom.name else f"in line {geom.line}"
            raise RobotError(
                f"{element.file}: line {geom.line}: geom {label}: {error}; or give the body an <inertial>, or the geom "
                f'mass="0"'
            ) from error
        factor = geom.density if geom.mass is None else geom.mass / solid.mass
        R, r = geom.frame
        inertia = factor * (R @ solid.inertia @ R.T)
        return RigidMass(factor * solid.mass, r + R @ solid.centre, 0.5 * (inertia + inertia.T))

    def _solid(self, geom: MjcfGeom) -> MassProperties:
        """Mass properties of the geom in its own frame, of the density of 1 kg/m³."""
        if geom.kind != MESH:
            return geometry_of(geom.kind, geom.arguments, "convex").mass_properties(1.0)
        mesh = self._meshes[geom.mesh]
        if mesh.inertia == "shell":
            raise RobotError(
                f"{self._surfaces.file}: line {mesh.line}: mesh {shown(mesh.name)}: the mass of a shell is not read; "
                f"give the body an <inertial>"
            )
        surface = self._surfaces.hull(mesh) if mesh.inertia == "convex" else self._surfaces.surface(mesh)
        return surface.mass_properties(1.0)

    def _bounded(self, mass: RigidMass | None) -> RigidMass | None:
        """Mass properties raised to the compiler's boundmass and boundinertia."""
        least, least_inertia = self._settings.least_mass, self._settings.least_inertia
        if not (least or least_inertia):
            return mass
        if mass is None:
            mass = RigidMass(0.0, np.zeros(3), np.zeros((3, 3)))
        moments, axes = np.linalg.eigh(mass.inertia)
        bounded = RigidMass(
            max(mass.mass, least), mass.centre, axes @ np.diag(np.maximum(moments, least_inertia)) @ axes.T
        )
        return bounded if bounded.mass > 0.0 else None


def scaled_to(total: float, masses: Mapping[str, RigidMass | None]) -> dict[str, RigidMass | None]:
    """All masses and inertias by the same factor, so that they are ``total`` (kg) together."""
    now = sum(each.mass for each in masses.values() if each is not None)
    factor = total / now if now > 0.0 else 1.0
    return {
        name: None if each is None else RigidMass(factor * each.mass, each.centre, factor * each.inertia)
        for name, each in masses.items()
    }


def _balanced(
    inertia: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Moments that belong to no body become three times their mean, as MuJoCo has it."""
    moments, axes = np.linalg.eigh(inertia)
    if moments[0] + moments[1] >= moments[2]:
        return inertia
    return np.asarray(axes @ np.diag(np.full(3, moments.mean())) @ axes.T)
