"""The surfaces of a scenario's shapes, each made once and shared, and the mass properties that follow from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rigid_bodies import RigidMass, combined_mass, placed_mass
from polycontact.scenario.schema.body_keys import Body, Material
from polycontact.scenario.schema.orientation_keys import Orientation
from polycontact.scenario.schema.shape_keys import Mesh, Shape
from polycontact.surfaces import shapes
from polycontact.surfaces.mesh_loading import load_surface
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import FEATURE_ANGLE


class SurfaceStore:
    """Makes the surfaces of shapes; equal shapes share one surface, and with it the search trees."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, Surface] = {}

    def surface(self, shape: Shape) -> Surface:
        """The surface of ``shape``, in its own frame."""
        arguments = shape.arguments()
        key = f"{shape.kind} {arguments!r}"
        if key not in self._made:
            if isinstance(shape, Mesh):
                path = self._folder / str(arguments.pop("file"))
                self._made[key] = load_surface(path, **arguments)
            else:
                self._made[key] = getattr(shapes, shape.kind)(**arguments)
        return self._balanced(key, shape) if shape.balanced else self._made[key]

    def _balanced(self, key: str, shape: Shape) -> Surface:
        angle = FEATURE_ANGLE if shape.feature_angle is None else shape.feature_angle
        balanced_key = f"{key} balanced {angle!r}"
        if balanced_key not in self._made:
            self._made[balanced_key] = self._made[key].balanced(angle)
        return self._made[balanced_key]


def rotation_of(orientation: Orientation | None) -> NDArray[np.float64]:
    """The rotation matrix (3, 3), the identity if there is no orientation."""
    return np.eye(3) if orientation is None else orientation.rotation()


def mass_of(body: Body, materials: dict[str, Material], store: SurfaceStore) -> RigidMass:
    """What a moving body weighs: as given, or the sum of its shapes."""
    if body.mass is not None and (body.inertia is not None or body.inertia_matrix is not None):
        inertia = np.diag(body.inertia) if body.inertia is not None else np.array(body.inertia_matrix)
        return RigidMass(body.mass, np.array(body.centre or (0.0, 0.0, 0.0)), inertia)
    total = combined_mass(
        placed_mass(
            store.surface(shape),
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
