"""Implicit surfaces 0 = h(r), for `ImplicitMethod`."""

from polycontact.surfaces.implicit.half_space import HalfSpace
from polycontact.surfaces.implicit.super_ellipsoid import Sphere, SuperEllipsoid
from polycontact.surfaces.implicit.user_implicit_surface import UserSurface

__all__ = ["HalfSpace", "Sphere", "SuperEllipsoid", "UserSurface"]
