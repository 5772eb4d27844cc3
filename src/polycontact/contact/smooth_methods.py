"""Methods for surfaces given by formulas: one point of contact, on the common normal of both (S4.22 to S4.26)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polycontact.contact.kinds import described, described_in

if TYPE_CHECKING:
    from polycontact.contact.description import ContactDescription
    from polycontact.contact.methods import PreparedPair

_PARAMETRIC, _IMPLICIT = "polycontact.surfaces.parametric", "polycontact.surfaces.implicit"

described_in(
    {
        "parametric_ellipsoid": f"{_PARAMETRIC}.ellipsoid:Ellipsoid",
        "parametric_plane": f"{_PARAMETRIC}.height_surfaces:Plane",
        "parametric_paraboloid": f"{_PARAMETRIC}.height_surfaces:Paraboloid",
        "parametric_cosine_surface": f"{_PARAMETRIC}.height_surfaces:CosineSurface",
        "parametric_user_surface": f"{_PARAMETRIC}.user_parametric_surface:UserSurface",
        "implicit_sphere": f"{_IMPLICIT}.super_ellipsoid:Sphere",
        "implicit_super_ellipsoid": f"{_IMPLICIT}.super_ellipsoid:SuperEllipsoid",
        "implicit_half_space": f"{_IMPLICIT}.half_space:HalfSpace",
        "implicit_user_surface": f"{_IMPLICIT}.user_implicit_surface:UserSurface",
    }
)


@described("parametric", part="method")
@dataclass(frozen=True, kw_only=True)
class ParametricMethod:
    """One point between parametric surfaces r(α, β), by their common normal (Otter and others 2005, variant 1).

    Surfaces are those of `polycontact.parametric`, or users' own (`parametric_surface`); one of the two may be
    implicit. Laws count per point: N/m, N s/m.
    """

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Data of the pair that all evaluations share; at least one surface must be parametric, the other smooth."""
        from polycontact.contact.smooth_pair import check_parametric, prepare_smooth

        check_parametric(name, e, f)
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
        """Data of the pair that all evaluations share; both surfaces must be implicit."""
        from polycontact.contact.smooth_pair import check_implicit, prepare_smooth

        check_implicit(name, e, f)
        return prepare_smooth(e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """Contact begins where surfaces meet."""
        return 0.0
