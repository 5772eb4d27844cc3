"""Pelvis, torso and head of the standing man as solids; x forward, y left, z up from the ground, m.

The lofts follow breadths and depths of an average man; parts add what makes a body of them: buttocks, chest,
shoulder girdle, face.
"""

from __future__ import annotations

from typing import Final

from tools.pedestrian.fields import Cone, Ellipsoid, Focus, Loft, Part, Primitive, Solid


def _both(left: Primitive, right: Primitive, blend: float, *, is_cut: bool = False) -> tuple[Part, Part]:
    return Part(left, blend, is_cut), Part(right, blend, is_cut)


def _ellipsoids(
    centre: tuple[float, float, float],
    radii: tuple[float, float, float],
    blend: float,
    *,
    pitch: float = 0.0,
    is_cut: bool = False,
) -> tuple[Part, Part]:
    """An ellipsoid on the left and its mirror image on the right."""
    x, y, z = centre
    return _both(Ellipsoid((x, y, z), radii, pitch), Ellipsoid((x, -y, z), radii, pitch), blend, is_cut=is_cut)


def _cones(
    start: tuple[float, float, float],
    end: tuple[float, float, float],
    radii: tuple[float, float],
    blend: float,
) -> tuple[Part, Part]:
    """A round cone on the left and its mirror image on the right."""
    (x, y, z), (u, v, w) = start, end
    return _both(Cone((x, y, z), (u, v, w), radii), Cone((x, -y, z), (u, -v, w), radii), blend)


PELVIS: Final = Solid(
    Loft(
        (
            (0.850, -0.010, 0.0, 0.080, 0.125),
            (0.880, -0.008, 0.0, 0.092, 0.155),
            (0.920, -0.005, 0.0, 0.101, 0.172),
            (0.970, -0.002, 0.0, 0.104, 0.168),
            (1.020, 0.000, 0.0, 0.103, 0.153),
            (1.065, 0.000, 0.0, 0.094, 0.138),
        ),
        caps=(0.040, 0.045),
        squareness=2.3,
    ),
    (
        *_ellipsoids((-0.062, 0.072, 0.898), (0.062, 0.078, 0.088), 0.04),  # buttocks
        Part(Ellipsoid((0.060, 0.0, 0.862), (0.034, 0.040, 0.044)), 0.04),  # groin
    ),
)

TORSO: Final = Solid(
    Loft(
        (
            (1.040, 0.000, 0.0, 0.102, 0.149),
            (1.090, 0.002, 0.0, 0.103, 0.145),
            (1.160, 0.003, 0.0, 0.107, 0.149),
            (1.240, 0.002, 0.0, 0.112, 0.158),
            (1.310, -0.002, 0.0, 0.114, 0.163),
            (1.370, -0.010, 0.0, 0.107, 0.158),
            (1.420, -0.020, 0.0, 0.088, 0.135),
            (1.460, -0.028, 0.0, 0.068, 0.095),
            (1.485, -0.030, 0.0, 0.058, 0.068),
        ),
        caps=(0.040, 0.025),
        squareness=2.3,
    ),
    (
        *_cones((-0.030, 0.060, 1.455), (-0.022, 0.185, 1.424), (0.045, 0.052), 0.05),  # shoulder girdle
        *_cones((-0.040, 0.015, 1.515), (-0.032, 0.130, 1.458), (0.033, 0.030), 0.05),  # trapezius
        *_ellipsoids((0.058, 0.078, 1.340), (0.050, 0.082, 0.065), 0.05),  # chest
        *_ellipsoids((-0.045, 0.125, 1.290), (0.055, 0.048, 0.110), 0.05),  # back, below the arms
        *_ellipsoids((-0.085, 0.080, 1.365), (0.036, 0.060, 0.085), 0.04),  # shoulder blades
        Part(Ellipsoid((0.073, 0.0, 1.150), (0.037, 0.080, 0.105)), 0.04),  # belly
        Part(Cone((-0.150, 0.0, 1.10), (-0.165, 0.0, 1.36), (0.032, 0.032)), 0.04, is_cut=True),  # spine
    ),
)

HEAD: Final = Solid(
    Loft(
        (
            (1.480, -0.028, 0.0, 0.058, 0.061),
            (1.520, -0.020, 0.0, 0.056, 0.057),
            (1.550, -0.010, 0.0, 0.060, 0.056),
            (1.590, 0.000, 0.0, 0.078, 0.062),
            (1.630, 0.000, 0.0, 0.089, 0.069),
            (1.665, -0.003, 0.0, 0.096, 0.075),
            (1.695, -0.006, 0.0, 0.094, 0.074),
        ),
        caps=(0.040, 0.055),
    ),
    (
        Part(Ellipsoid((-0.025, 0.0, 1.655), (0.080, 0.077, 0.072)), 0.03),  # back of the skull
        Part(Ellipsoid((0.040, 0.0, 1.560), (0.056, 0.054, 0.034), pitch=12.0), 0.025),  # jaw
        Part(Ellipsoid((0.082, 0.0, 1.536), (0.019, 0.023, 0.017)), 0.020),  # chin
        Part(Ellipsoid((0.064, 0.0, 1.595), (0.030, 0.042, 0.045)), 0.03),  # front of the face
        *_ellipsoids((0.062, 0.040, 1.605), (0.028, 0.024, 0.022), 0.02),  # cheekbones
        *_ellipsoids((0.075, 0.025, 1.657), (0.024, 0.030, 0.014), 0.015),  # brow
        *_ellipsoids((0.106, 0.032, 1.634), (0.020, 0.020, 0.013), 0.014, is_cut=True),  # eye sockets
        Part(Cone((0.090, 0.0, 1.640), (0.116, 0.0, 1.604), (0.009, 0.012)), 0.012),  # nose
        *_ellipsoids((0.103, 0.012, 1.601), (0.012, 0.010, 0.009), 0.008),  # nostrils
        Part(Ellipsoid((0.094, 0.0, 1.579), (0.015, 0.026, 0.008)), 0.004),  # upper lip
        Part(Ellipsoid((0.093, 0.0, 1.560), (0.015, 0.022, 0.008)), 0.003),  # lower lip
        *_ellipsoids((-0.008, 0.075, 1.630), (0.017, 0.011, 0.029), 0.008, pitch=-12.0),  # ears
        *_ellipsoids((0.012, 0.042, 1.572), (0.030, 0.014, 0.026), 0.020),  # angles of the jaw
        *_ellipsoids((0.080, 0.032, 1.633), (0.013, 0.015, 0.011), 0.004),  # eyes
    ),
    focus=Focus((0.10, 0.0, 1.595), 0.060, 1.5),
)
