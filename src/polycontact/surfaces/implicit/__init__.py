"""Implicit surfaces 0 = h(r), for `ImplicitMethod` (S4.25, S4.26)."""

from polycontact.surfaces.implicit.half_space import HalfSpace
from polycontact.surfaces.implicit.super_ellipsoid import Sphere, SuperEllipsoid
from polycontact.surfaces.implicit.user_surface import UserSurface

__all__ = ["HalfSpace", "Sphere", "SuperEllipsoid", "UserSurface"]
