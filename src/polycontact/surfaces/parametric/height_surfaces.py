"""Surfaces z(x, y) over a rectangle, with α = x and β = y: plane, paraboloid, cosine surface.

The body is what lies below; they are open, so their bodies are fixed or get their mass by hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from polycontact.errors import SurfaceError
from polycontact.surfaces.parametric.parametric_geometry import ParametricGeometry
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.smooth_surface import Chart

_FAR = 1e50
_PER_WAVE, _MOST_WAVES = 24, 80


def _over(size: float | tuple[float, float], divisions: tuple[int, int] = (32, 32)) -> tuple[Chart, ...]:
    """The one chart over a rectangle of this size (m) about the origin."""
    x, y = (0.5 * each for each in check.lengths("surface", "size", size, 2))
    return (Chart(((-x, x), (-y, y)), divisions=divisions),)


@dataclass(frozen=True)
class Plane(ParametricGeometry):
    """The plane z = 0 over a rectangle, for `ParametricMethod`; its normal is z.

    - ``size`` (m): one length, or two along x and y.
    - ``name``: how messages and pages call it.
    """

    size: float | tuple[float, float] = (2.0, 2.0)
    name: str = "plane"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check.lengths("Plane", "size", self.size, 2))

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        from polycontact.kernels.smooth.surface_codes import PARABOLOID

        return PARABOLOID

    @property
    def numbers(self) -> tuple[float, ...]:
        """Both curvatures of the height z(x, y): 0, for a plane."""
        return (0.0, 0.0)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """One chart, over the rectangle of ``size``."""
        return _over(self.size)


@dataclass(frozen=True)
class Paraboloid(ParametricGeometry):
    """z = x²/(2 R_x) + y²/(2 R_y) over a rectangle, for `ParametricMethod`; its normal is z at the apex.

    - ``radii`` (m): of curvature at the apex, R_x and R_y; positive: a bowl, negative: a dome, infinite: straight.
    - ``size`` (m): of the rectangle, one length, or two along x and y.
    - ``name``: how messages and pages call it.
    """

    radii: tuple[float, float]
    size: float | tuple[float, float] = (1.0, 1.0)
    name: str = "paraboloid"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check.lengths("Paraboloid", "size", self.size, 2))
        try:
            radii = tuple(float(each) for each in self.radii)
        except (TypeError, ValueError):
            radii = ()
        if len(radii) != 2 or not all(abs(each) > 0.0 for each in radii):
            raise SurfaceError(f"Paraboloid: radii = {self.radii!r} m; give two numbers other than 0")
        object.__setattr__(self, "radii", radii)

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        from polycontact.kernels.smooth.surface_codes import PARABOLOID

        return PARABOLOID

    @property
    def numbers(self) -> tuple[float, ...]:
        """Both curvatures at the apex, 1/m."""
        return (1.0 / self.radii[0], 1.0 / self.radii[1])

    @property
    def charts(self) -> tuple[Chart, ...]:
        """One chart, over the rectangle of ``size``."""
        return _over(self.size, (48, 48))


@dataclass(frozen=True)
class CosineSurface(ParametricGeometry):
    """z = A cos(2π x / λ) over a rectangle, for `ParametricMethod`: hills and valleys along y.

    - ``amplitude`` A (m), ``wavelength`` λ (m).
    - ``size`` (m): of the rectangle, one length, or two along x and y.
    - ``name``: how messages and pages call it.
    """

    amplitude: float
    wavelength: float
    size: float | tuple[float, float] = (2.0, 1.0)
    name: str = "cosine surface"

    def __post_init__(self) -> None:
        amplitude = check.real_number("CosineSurface", "amplitude", self.amplitude, "m", -_FAR, _FAR)
        object.__setattr__(self, "amplitude", amplitude)
        object.__setattr__(self, "wavelength", check.length("CosineSurface", "wavelength", self.wavelength))
        length, width = check.lengths("CosineSurface", "size", self.size, 2)
        object.__setattr__(self, "size", (length, width))
        if length > _MOST_WAVES * self.wavelength:
            raise SurfaceError(
                f"CosineSurface: {length:g} m hold {length / self.wavelength:.0f} waves of "
                f"{self.wavelength:g} m; at most {_MOST_WAVES} are searched reliably, divide it among several shapes"
            )

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        from polycontact.kernels.smooth.surface_codes import COSINE_SURFACE

        return COSINE_SURFACE

    @property
    def numbers(self) -> tuple[float, ...]:
        """Amplitude, m, and wave number, 1/m."""
        return (self.amplitude, 2.0 * math.pi / self.wavelength)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """One over the rectangle, with more samples where there are more waves."""
        length, _ = check.lengths("CosineSurface", "size", self.size, 2)
        return _over(self.size, (max(48, math.ceil(_PER_WAVE * length / self.wavelength)), 24))
