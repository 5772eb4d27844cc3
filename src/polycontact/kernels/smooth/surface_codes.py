"""Built-in surfaces: points and derivatives by their formulas, called as users' surfaces are.

Each code gets the addresses of the surface's parameters and of the point that it fills in.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.law_compilation import as_user_parameters
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.smooth.surface_views import ParametricPoint, as_implicit_point, as_parametric_point

_SIGNATURE = (types.int64, types.int64)


@kernel
def _fill_in(at: ParametricPoint, z: float, zx: float, zy: float, zxx: float, zyy: float) -> None:
    """A surface z(x, y) with α = x and β = y, without a mixed derivative."""
    point = at.point
    tangents = at.tangents
    bends = at.bends
    point[0], point[1], point[2] = at.alpha, at.beta, z
    tangents[0, 0], tangents[0, 1], tangents[0, 2] = 1.0, 0.0, zx
    tangents[1, 0], tangents[1, 1], tangents[1, 2] = 0.0, 1.0, zy
    for i in range(3):
        for a in range(3):
            bends[i, a] = 0.0
    bends[0, 2] = zxx
    bends[2, 2] = zyy


@entry_kernel(_SIGNATURE)
def ellipsoid(parameters: int, place: int) -> int:
    """Semi-axes a, b, c: unit sphere by stereographic projection from its poles, one chart each, stretched (S4.23).

    Chart 0 has its centre at the north pole, chart 1 at the south pole: neither is singular where it is used.
    """
    axes = as_user_parameters(parameters).values
    at = as_parametric_point(place)
    point = at.point
    tangents = at.tangents
    bends = at.bends
    up = 1.0 if at.chart == 0 else -1.0
    x = at.alpha
    y = up * at.beta  # mirrored in the south, so that normals point outward there too
    k = 2.0 / (1.0 + x * x + y * y)
    kx = -x * k * k
    ky = -y * k * k
    kxx = -k * k + 2.0 * x * x * k * k * k
    kxy = 2.0 * x * y * k * k * k
    kyy = -k * k + 2.0 * y * y * k * k * k
    a = axes[0]
    b = axes[1]
    c = axes[2] * up
    point[0], point[1], point[2] = a * k * x, b * k * y, c * (k - 1.0)
    tangents[0, 0], tangents[0, 1], tangents[0, 2] = a * (k + x * kx), b * y * kx, c * kx
    tangents[1, 0], tangents[1, 1], tangents[1, 2] = up * a * x * ky, up * b * (k + y * ky), up * c * ky
    bends[0, 0], bends[0, 1], bends[0, 2] = a * (2.0 * kx + x * kxx), b * y * kxx, c * kxx
    bends[1, 0], bends[1, 1], bends[1, 2] = up * a * (ky + x * kxy), up * b * (kx + y * kxy), up * c * kxy
    bends[2, 0], bends[2, 1], bends[2, 2] = a * x * kyy, b * (2.0 * ky + y * kyy), c * kyy
    return 0


@entry_kernel(_SIGNATURE)
def paraboloid(parameters: int, place: int) -> int:
    """z = κ_x x²/2 + κ_y y²/2, parameters: both curvatures (1/m); without them a plane."""
    curvatures = as_user_parameters(parameters).values
    at = as_parametric_point(place)
    zx = curvatures[0] * at.alpha
    zy = curvatures[1] * at.beta
    _fill_in(at, 0.5 * (zx * at.alpha + zy * at.beta), zx, zy, curvatures[0], curvatures[1])
    return 0


@entry_kernel(_SIGNATURE)
def cosine_surface(parameters: int, place: int) -> int:
    """z = A cos(k x), parameters: A (m) and k (1/m) (S4.24)."""
    values = as_user_parameters(parameters).values
    at = as_parametric_point(place)
    amplitude = values[0]
    k = values[1]
    z = amplitude * math.cos(k * at.alpha)
    _fill_in(at, z, -amplitude * k * math.sin(k * at.alpha), 0.0, -k * k * z, 0.0)
    return 0


@inline_kernel
def _norm_of_two(u: float, v: float, p: float) -> tuple[float, float, float, float, float, float]:
    """(u^p + v^p)^(1/p) of u, v ≥ 0 with derivatives: value, by u, by v, by uu, uv, vv; p at least 2.

    The larger one is taken out, so that no power overflows.
    """
    larger = max(u, v)
    if larger == 0.0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    n = larger * ((u / larger) ** p + (v / larger) ** p) ** (1.0 / p)
    a = u / n
    b = v / n
    by_u = a ** (p - 1.0)
    by_v = b ** (p - 1.0)
    k = (p - 1.0) / n
    return (n, by_u, by_v, k * (a ** (p - 2.0) - by_u * by_u), -k * by_u * by_v, k * (b ** (p - 2.0) - by_v * by_v))


@entry_kernel(_SIGNATURE)
def super_ellipsoid(parameters: int, place: int) -> int:
    """p-th root of |x/a|^p + (|y/b|^q + |z/c|^q)^(p/q), less 1; parameters a, b, c, p, q and the number of x (S4.25).

    The root has the same zeros and, unlike the sum of powers itself, a gradient of about one size all over the
    surface: what makes the equations manageable near edges for high exponents (S4.26).
    """
    values = as_user_parameters(parameters).values
    at = as_implicit_point(place)
    r = at.place
    g = at.gradient
    H = at.hessian
    x = int(values[5])
    y = (x + 1) % 3
    z = (x + 2) % 3
    sx = math.copysign(1.0 / values[x], r[x])
    sy = math.copysign(1.0 / values[y], r[y])
    sz = math.copysign(1.0 / values[z], r[z])
    m, m_y, m_z, m_yy, m_yz, m_zz = _norm_of_two(sy * r[y], sz * r[z], values[4])
    n, n_x, n_m, n_xx, n_xm, n_mm = _norm_of_two(sx * r[x], m, values[3])
    at.value = n - 1.0
    g[x], g[y], g[z] = sx * n_x, sy * n_m * m_y, sz * n_m * m_z
    H[x, x] = sx * sx * n_xx
    H[y, y] = sy * sy * (n_mm * m_y * m_y + n_m * m_yy)
    H[z, z] = sz * sz * (n_mm * m_z * m_z + n_m * m_zz)
    H[x, y] = H[y, x] = sx * sy * n_xm * m_y
    H[x, z] = H[z, x] = sx * sz * n_xm * m_z
    H[y, z] = H[z, y] = sy * sz * (n_mm * m_y * m_z + n_m * m_yz)
    return 0


@entry_kernel(_SIGNATURE)
def half_space(parameters: int, place: int) -> int:
    """h = z: all that lies below the plane z = 0."""
    at = as_implicit_point(place)
    g = at.gradient
    H = at.hessian
    at.value = at.place[2]
    g[0], g[1], g[2] = 0.0, 0.0, 1.0
    for i in range(3):
        for j in range(3):
            H[i, j] = 0.0
    return 0


ELLIPSOID = address_of(ellipsoid)
PARABOLOID = address_of(paraboloid)
COSINE_SURFACE = address_of(cosine_surface)
SUPER_ELLIPSOID = address_of(super_ellipsoid)
HALF_SPACE = address_of(half_space)
