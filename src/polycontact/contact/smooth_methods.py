"""Methods for surfaces given by formulas: one point of contact, on the common normal of both (S4.22 to S4.26)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polycontact.contact.kinds import described
from polycontact.errors import ContactError
from polycontact.kernels.contact.contact_report import Status
from polycontact.surfaces.implicit.half_space import HalfSpace
from polycontact.surfaces.implicit.implicit_geometry import ImplicitGeometry
from polycontact.surfaces.implicit.super_ellipsoid import Sphere, SuperEllipsoid
from polycontact.surfaces.implicit.user_implicit_surface import UserSurface as ImplicitUserSurface
from polycontact.surfaces.parametric.ellipsoid import Ellipsoid
from polycontact.surfaces.parametric.height_surfaces import CosineSurface, Paraboloid, Plane
from polycontact.surfaces.parametric.parametric_geometry import ParametricGeometry
from polycontact.surfaces.parametric.user_parametric_surface import UserSurface as ParametricUserSurface

if TYPE_CHECKING:
    from polycontact.contact.description import ContactDescription
    from polycontact.contact.methods import PreparedPair

for _kind, _class in {
    "parametric_ellipsoid": Ellipsoid,
    "parametric_plane": Plane,
    "parametric_paraboloid": Paraboloid,
    "parametric_cosine_surface": CosineSurface,
    "parametric_user_surface": ParametricUserSurface,
    "implicit_sphere": Sphere,
    "implicit_super_ellipsoid": SuperEllipsoid,
    "implicit_half_space": HalfSpace,
    "implicit_user_surface": ImplicitUserSurface,
}.items():
    described(_kind)(_class)

LOST_CONTACT = {
    Status.NO_COMMON_NORMAL: "no points of the two surfaces that face each other were found, so there is no force; a "
    "body has left the domain of the other's surface, or the surface is too rich for the grid from which the search "
    "starts: enlarge the domain, or give its function more divisions",
    Status.SINGULAR_SURFACE: "the search for the point of contact ended at a singular place, where a surface has no "
    "normal; there is no force, or a doubtful one: give the function another chart (n_charts), or turn the surface so "
    "that its pole lies elsewhere",
    Status.SURFACE_NOT_FINITE: "the function of a surface, or a derivative of it, is not a finite number near the "
    "contact: narrow its domain, or mend the function",
}
"""What is said of contacts with these status bits."""


@described("parametric", part="method")
@dataclass(frozen=True, kw_only=True)
class ParametricMethod:
    """One point between parametric surfaces r(α, β), by their common normal (Otter and others 2005, variant 1).

    Surfaces are those of `polycontact.parametric`, or users' own (`parametric_surface`); one of the two may be
    implicit. Laws count per point: N/m, N s/m.
    """

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Set-up of two surfaces."""
        from polycontact.contact.smooth_pair import prepare_smooth

        _check(name, e, f, (ParametricGeometry, ImplicitGeometry), "parametric")
        if not isinstance(e, ParametricGeometry) and not isinstance(f, ParametricGeometry):
            raise ContactError(f"{name}: both surfaces are implicit; take ImplicitMethod()")
        return prepare_smooth(e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """Contact begins where surfaces meet."""
        return 0.0


@described("implicit", part="method")
@dataclass(frozen=True, kw_only=True)
class ImplicitMethod:
    """One point between implicit surfaces 0 = h(r), by their common normal (Otter and others 2005, variant 2).

    Surfaces are those of `polycontact.implicit`, or users' own (`implicit_surface`). Laws count per point: N/m, N s/m.
    """

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Set-up of two surfaces."""
        from polycontact.contact.smooth_pair import prepare_smooth

        _check(name, e, f, (ImplicitGeometry,), "implicit")
        return prepare_smooth(e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """Contact begins where surfaces meet."""
        return 0.0


def _check(name: str, e: object, f: object, known: tuple[type, ...], kind: str) -> None:
    """Refuse geometries that the method does not know."""
    for what, geometry in (("e", e), ("f", f)):
        if not isinstance(geometry, known):
            hint = "take ParametricMethod()" if isinstance(geometry, ParametricGeometry) else f"see polycontact.{kind}"
            raise ContactError(f"{name}: {what} is {geometry!r}; expected a surface given by a formula, {hint}")
