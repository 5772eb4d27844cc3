"""Parametric surfaces r(α, β), for `ParametricMethod`."""

from polycontact.surfaces.parametric.ellipsoid import Ellipsoid
from polycontact.surfaces.parametric.height_surfaces import CosineSurface, Paraboloid, Plane
from polycontact.surfaces.parametric.user_parametric_surface import UserSurface

__all__ = ["CosineSurface", "Ellipsoid", "Paraboloid", "Plane", "UserSurface"]
