"""The geometries of a scenario's shapes, each made once and shared, and the mass properties that follow from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rigid_bodies import RigidMass, combined_mass, placed_mass
from polycontact.scenario.schema.body_keys import Body, Material
from polycontact.scenario.schema.orientation_keys import Orientation
from polycontact.scenario.schema.shape_keys import Mesh, Shape
from polycontact.surfaces.alternatives import MESH, geometry_of, has_own_mass, keys_of
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import FEATURE_ANGLE


class GeometryStore:
    """Makes the geometries of shapes; equal shapes share one, and with it the search trees of a mesh."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, Geometry] = {}

    def __len__(self) -> int:
        return len(self._made)

    def geometry(self, shape: Shape) -> Geometry:
        """What ``shape`` takes part in contact as, in its own frame."""
        return self._make(shape, shape.geometry)

    def solid(self, shape: Shape) -> Geometry:
        """The geometry from which mass and inertia of ``shape`` are computed."""
        return self._make(shape, shape.geometry if has_own_mass(shape.kind, shape.geometry) else MESH)

    def _make(self, shape: Shape, geometry: str) -> Geometry:
        arguments = {key: value for key, value in shape.arguments().items() if key in keys_of(shape.kind, geometry)}
        key = f"{shape.kind} {geometry} {arguments!r}"
        if key not in self._made:
            if isinstance(shape, Mesh):
                arguments["file"] = self._folder / shape.file
            self._made[key] = geometry_of(shape.kind, arguments, geometry)
        made = self._made[key]
        return self._balanced(key, made, shape) if shape.balanced and isinstance(made, Surface) else made

    def _balanced(self, key: str, surface: Surface, shape: Shape) -> Geometry:
        angle = FEATURE_ANGLE if shape.feature_angle is None else shape.feature_angle
        balanced_key = f"{key} balanced {angle!r}"
        if balanced_key not in self._made:
            self._made[balanced_key] = surface.balanced(angle)
        return self._made[balanced_key]


def rotation_of(orientation: Orientation | None) -> NDArray[np.float64]:
    """The rotation matrix (3, 3), the identity if there is no orientation."""
    return np.eye(3) if orientation is None else orientation.rotation()


def mass_of(body: Body, materials: dict[str, Material], store: GeometryStore) -> RigidMass:
    """What a moving body weighs: as given, or the sum of its shapes."""
    if body.mass is not None and (body.inertia is not None or body.inertia_matrix is not None):
        inertia = np.diag(body.inertia) if body.inertia is not None else np.array(body.inertia_matrix)
        return RigidMass(body.mass, np.array(body.centre or (0.0, 0.0, 0.0)), inertia)
    total = combined_mass(
        placed_mass(
            store.solid(shape),
            _density(shape, body, materials),
            rotation_of(shape.orientation),
            np.array(shape.position),
        )
        for shape in body.all_shapes
    )
    if body.mass is None:
        return total
    return RigidMass(body.mass, total.centre, total.inertia * (body.mass / total.mass))


def _density(shape: Shape, body: Body, materials: dict[str, Material]) -> float:
    """Density of a shape, kg/m³: its own, the body's, its material's; 1 where only ratios count."""
    if shape.density is not None:
        return shape.density
    if body.density is not None:
        return body.density
    name = shape.material or body.material
    density = materials[name].density if name is not None else None
    return 1.0 if density is None else density
