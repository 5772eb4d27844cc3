"""One body of a comparison: the same shape as mesh, convex, parametric or implicit geometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.errors import SurfaceError
from polycontact.surfaces.alternatives import geometry_of, keys_of
from polycontact.surfaces.convex import ConvexMesh
from polycontact.surfaces.convex.core import ConvexGeometry
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.implicit.implicit_geometry import ImplicitGeometry
from polycontact.surfaces.parametric.parametric_geometry import ParametricGeometry
from polycontact.surfaces.surface import Surface

FORMS = ("mesh", "convex", "convex mesh", "parametric", "implicit")
"""As what a body can take part; "convex" is a shape by its dimensions, "convex mesh" the solid inside its mesh."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A geometry, and where its origin lies in the frame of the body's shape, m."""

    geometry: Geometry
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Side:
    """A shape of a body.

    ``given``: the geometry with which it takes part in its own contact; ``kind`` and ``arguments``: what it is in
    `polycontact.shapes`, None where only the geometry is known; ``forms``: geometries by hand, which go first.
    """

    name: str
    given: Geometry
    kind: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    forms: Mapping[str, Placed] = field(default_factory=dict)
    _made: dict[str, Placed] = field(default_factory=dict)

    @property
    def own(self) -> Placed:
        """The geometry with which it takes part in its own contact, where it lies."""
        return next((each for each in self.forms.values() if each.geometry is self.given), Placed(self.given))

    def as_form(self, form: str) -> Placed:
        """The shape in one of `FORMS`, made once; a `SurfaceError` says why it has none."""
        if form in self.forms:
            return self.forms[form]
        if form not in self._made:
            self._made[form] = self._make(form)
        return self._made[form]

    def _make(self, form: str) -> Placed:
        if form == form_of(self.given):
            return Placed(self.given)
        if form == "convex mesh":
            mesh = self.as_form("mesh")
            return Placed(ConvexMesh(mesh.geometry), mesh.origin)  # type: ignore[arg-type]
        if form == "mesh":
            return Placed(self._mesh())
        if self.kind is None:
            raise SurfaceError(f"{self.name} is known by its {form_of(self.given)} only, which tells no {form} shape")
        made = geometry_of(self.kind, self._arguments_of(form), form)
        if form == "convex" and isinstance(made, ConvexMesh):
            raise SurfaceError(f"{self.name}: a {self.kind} is convex by its mesh, see convex mesh")
        return Placed(made)

    def _mesh(self) -> Surface:
        if self.kind is not None:
            made = geometry_of(self.kind, self._arguments_of("mesh"), "mesh")
            if isinstance(made, Surface):
                return made
        return self.given.picture

    def _arguments_of(self, form: str) -> dict[str, Any]:
        """Arguments without those of other geometries."""
        known = () if self.kind is None else keys_of(self.kind, form)
        return {key: value for key, value in self.arguments.items() if key in known}


def form_of(geometry: Geometry) -> str:
    """The name in `FORMS` of a geometry; "geometry" for one of another kind."""
    if isinstance(geometry, Surface):
        return "mesh"
    if isinstance(geometry, ConvexMesh):
        return "convex mesh"
    if isinstance(geometry, ParametricGeometry):
        return "parametric"
    if isinstance(geometry, ImplicitGeometry):
        return "implicit"
    return "convex" if isinstance(geometry, ConvexGeometry) else "geometry"


def moved(pose: RelativeKinematics, e: Placed, f: Placed) -> RelativeKinematics:
    """The pose of the frames of two placed geometries, from that of the shapes; at rest."""
    R, r, *_ = pose.arrays()
    return RelativeKinematics(rotation=R, position=r + R @ np.array(f.origin) - np.array(e.origin))


def torque_moved(
    force: NDArray[np.float64], torque: NDArray[np.float64], pose: RelativeKinematics, f: Placed
) -> NDArray[np.float64]:
    """Torque about the origin of shape F (N m), from that about the origin of its placed geometry."""
    R = pose.arrays()[0]
    return np.asarray(torque + np.cross(R @ np.array(f.origin), force))
