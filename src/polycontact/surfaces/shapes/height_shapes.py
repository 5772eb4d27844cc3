"""Open surfaces z(x, y) over a rectangle: paraboloid, cosine surface. Exact ones are in `polycontact.parametric`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.flat_shapes import plane
from polycontact.surfaces.surface import Surface

_PER_WAVE = 18


def paraboloid(radii: ArrayLike, size: ArrayLike = 1.0, divisions: ArrayLike = 36) -> Surface:
    """z = x²/(2 R_x) + y²/(2 R_y) over a rectangle of ``size`` (one edge length or two, m), open, normal up.

    ``radii`` (m): of curvature at the apex, one or two; positive: a bowl, negative: a dome, infinite: straight. Each
    edge is split into ``divisions`` equal parts (one number or two).
    """
    try:
        rounded = np.broadcast_to(np.asarray(radii, dtype=np.float64), 2)
    except (TypeError, ValueError):
        rounded = np.zeros(2)
    if not (np.abs(rounded) > 0.0).all():
        raise SurfaceError(f"paraboloid: radii = {radii!r} m; give one number or two, other than 0")
    flat = plane(size, divisions)
    x, y = flat.vertices[:, 0], flat.vertices[:, 1]
    return _lifted(flat, 0.5 * (x * x / rounded[0] + y * y / rounded[1]), "paraboloid")


def cosine_surface(
    amplitude: float, wavelength: float, size: ArrayLike = (2.0, 1.0), divisions: ArrayLike | None = None
) -> Surface:
    """z = A cos(2π x / λ) over a rectangle of ``size`` (one edge length or two, m), open, normal up.

    ``amplitude`` A and ``wavelength`` λ in m. Each edge is split into ``divisions`` equal parts (one number or two), by
    default 18 for each wave and as many along y as make triangles about as long.
    """
    amplitude = check.real_number("cosine_surface", "amplitude", amplitude, "m", -check.LENGTH_RANGE[1], 1e50)
    wavelength = check.length("cosine_surface", "wavelength", wavelength)
    lengths = check.lengths("cosine_surface", "size", size, 2)
    if divisions is None:
        n_waves = lengths[0] / wavelength
        check.refuse_too_many("cosine_surface", n_waves * _PER_WAVE, "make the wavelength longer, or the size less")
        n_x = max(8, math.ceil(_PER_WAVE * n_waves))
        divisions = (n_x, max(1, round(n_x * lengths[1] / lengths[0])))
    flat = plane(lengths, divisions)
    return _lifted(flat, amplitude * np.cos(2.0 * math.pi / wavelength * flat.vertices[:, 0]), "cosine_surface")


def _lifted(flat: Surface, heights: NDArray[np.float64], name: str) -> Surface:
    return Surface(np.column_stack((flat.vertices[:, :2], heights)), flat.triangles, name=name)
