"""The half-space z < 0 as an implicit surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polycontact.errors import SurfaceError
from polycontact.surfaces.implicit.implicit_geometry import ImplicitGeometry
from polycontact.surfaces.mass import MassProperties
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.flat_shapes import plane
from polycontact.surfaces.smooth_surface import Array
from polycontact.surfaces.surface import Surface


@dataclass(frozen=True)
class HalfSpace(ImplicitGeometry):
    """All that lies below z = 0, for `ImplicitMethod`; contact is looked for in a block of it.

    - ``size`` (m): of the square in which it is looked for.
    - ``depth`` (m): how far below z = 0 bodies are still pushed out.
    - ``name``: how messages and pages call it.
    """

    size: float = 2.0
    depth: float = 1.0
    name: str = "half-space"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check.length("HalfSpace", "size", self.size))
        object.__setattr__(self, "depth", check.length("HalfSpace", "depth", self.depth))

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        from polycontact.kernels.smooth.surface_codes import HALF_SPACE

        return HALF_SPACE

    @property
    def numbers(self) -> tuple[float, ...]:
        """Empty: the plane z = 0 has no parameters."""
        return ()

    @property
    def is_closed(self) -> bool:
        """False: a half-space bounds no finite solid."""
        return False

    @property
    def bounds(self) -> Array:
        """The block in which contact is looked for, m."""
        half = 0.5 * self.size
        return np.array([[-half, -half, -self.depth], [half, half, 0.0]])

    @property
    def thickness(self) -> float:
        """The depth of the block, m."""
        return self.depth

    @property
    def picture(self) -> Surface:
        """A square of the plane with edges of ``size``, as a triangle mesh."""
        square = plane(self.size, 24)
        return Surface(square.vertices, square.triangles, name=self.name)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Raises an error: a half-space has no finite mass."""
        raise SurfaceError(f"{self.name}: a half-space has no mass; fix its body, or give mass and inertia")
