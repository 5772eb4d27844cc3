"""What is tried: every method, with its options, in every form of the two bodies that it knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polycontact.comparison.compared_body import Placed, Side
from polycontact.contact.convex_kinds import ConvexMethod
from polycontact.contact.description import POINT_METHODS
from polycontact.contact.methods import Base, ContactMethod, PenetrationLines, PolygonalMethod
from polycontact.contact.node_block_options import NodeBlockMethod
from polycontact.contact.smooth_methods import ImplicitMethod, ParametricMethod
from polycontact.errors import PolycontactError

BASES = (Base.E, Base.F, Base.BOTH)
DEPTHS = ("distance", "base_normal", "target_normal")


@dataclass(frozen=True, eq=False)
class Trial:
    """A method on two forms of the bodies."""

    method: ContactMethod
    forms: tuple[str, str]
    e: Placed
    f: Placed

    @property
    def is_point(self) -> bool:
        """Whether its law counts per point."""
        return isinstance(self.method, POINT_METHODS)

    @property
    def label(self) -> str:
        """Method and options in a few words."""
        return label_of(self.method)


@dataclass(frozen=True)
class Misfit:
    """A method that does not fit, and why."""

    label: str
    forms: tuple[str, str]
    reason: str


def label_of(method: ContactMethod) -> str:
    """A method with its options in a few words."""
    match method:
        case PolygonalMethod():
            return f"polygonal, {method.depth.replace('_', ' ')}, {method.elements}, base {method.base.value}"
        case PenetrationLines():
            return f"penetration lines, {method.depth.replace('_', ' ')}, base {method.base.value}"
        case NodeBlockMethod():
            return f"nodes, {method.normal} normals, base {method.base.value}"
    kinds: dict[type[object], str] = {
        ConvexMethod: "convex",
        ParametricMethod: "parametric",
        ImplicitMethod: "implicit",
    }
    return kinds.get(type(method), type(method).__name__)


def mesh_methods() -> Iterator[ContactMethod]:
    """Every method for meshes, with the options that change what is measured."""
    for depth in DEPTHS:
        for elements in ("clipped", "whole"):
            yield from (PolygonalMethod(base=base, depth=depth, elements=elements) for base in BASES)  # type: ignore[arg-type]
    yield from (PenetrationLines(base=base) for base in BASES)
    yield from (NodeBlockMethod(base=base) for base in BASES)


POINT_FORMS: tuple[tuple[ContactMethod, str, str], ...] = (
    (ConvexMethod(), "convex", "convex"),
    (ConvexMethod(), "convex mesh", "convex mesh"),
    (ParametricMethod(), "parametric", "parametric"),
    (ParametricMethod(), "parametric", "implicit"),
    (ParametricMethod(), "implicit", "parametric"),
    (ImplicitMethod(), "implicit", "implicit"),
)
"""Methods with one point, and the forms of E and F with which they are tried."""


def find_trials(e: Side, f: Side) -> tuple[list[Trial], list[Misfit]]:
    """All that can be tried, and what not, with reasons."""
    trials: list[Trial] = []
    misfits: list[Misfit] = []
    wanted = [(method, "mesh", "mesh") for method in mesh_methods()]
    for method, form_e, form_f in (*wanted, *POINT_FORMS):
        reasons = []
        placed = []
        for side, form in ((e, form_e), (f, form_f)):
            try:
                placed.append(side.as_form(form))
            except PolycontactError as error:
                reasons.append(f"{side.name} as {form}: {error}")
        if reasons:
            misfits.append(Misfit(label_of(method), (form_e, form_f), "; ".join(reasons)))
        else:
            trials.append(Trial(method, (form_e, form_f), placed[0], placed[1]))
    return trials, misfits
