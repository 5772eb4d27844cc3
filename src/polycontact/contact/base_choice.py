"""Which of two meshes is the base where nobody says it (``base="auto"``).

The first of these that tells the two surfaces apart decides:

1. the **sharper** body: the one with the smaller mean radius (`surfaces.bluntness`). A spike in a plate carries
   c times the volume that it displaces if it is the base, and less by the sine of its half angle if the plate is. Small
   bodies are sharper than large ones of the same shape, floors are blunt because they are large;
2. the **finer** mesh: the one with the smaller triangles;
3. the **smaller** body, by its area;
4. neither, where one mesh is a copy or a mirror image of the other: a number made from the vertices, which says nothing
   but is the same in either order. Of two identical meshes either gives the same, and the first body is the base.

Methods that sample the depth once on each triangle or vertex of the base are as inaccurate as its triangles are coarse:
for all but the depth "distance", 2 comes before 1.

The rule looks at the two meshes alone, so that neither order, names nor poses of the bodies change the contact.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from polycontact.contact.description import ContactDescription
from polycontact.contact.methods import Base, has_distance_depth
from polycontact.surfaces.bluntness import Bluntness
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import ALIKE, SAME_MESH


class ChosenBase(NamedTuple):
    """The base, E or F, and in words why."""

    base: Base
    reason: str


def has_open_base(method: object) -> bool:
    """Whether the base of a method is left to the program."""
    return getattr(method, "base", None) is Base.AUTO


def with_chosen_base(description: ContactDescription, e: Any, f: Any) -> ContactDescription:
    """The description with a base of its own for two geometries, and why it is this one."""
    method, reason = with_base(description.method, e, f)
    return replace(description, method=method, base_reason=reason) if reason else description


def with_base(method: Any, e: Any, f: Any) -> tuple[Any, str]:
    """The method with a base of its own for two surfaces, and why it is this one; empty where it was said."""
    if not has_open_base(method) or not (isinstance(e, Surface) and isinstance(f, Surface)):
        return method, ""
    chosen = choose_base(method, e, f)
    return replace(method, base=chosen.base), chosen.reason


def choose_base(method: object, e: Surface, f: Surface) -> ChosenBase:
    """The base of two surfaces, which does not depend on their order unless they are copies of each other."""
    if e is f:
        return ChosenBase(Base.E, _SAME)
    of_e, of_f = e.bluntness, f.bluntness
    for criterion in _ORDER_OF_DISTANCES if has_distance_depth(method) else _ORDER_OF_SAMPLES:
        base = criterion.base_of(of_e, of_f)
        if base is not None:
            mine, other = (of_e, of_f) if base is Base.E else (of_f, of_e)
            names = ("E", "F") if base is Base.E else ("F", "E")
            return ChosenBase(base, criterion.words(names, mine, other))
    digests = [_digest(surface) for surface in (e, f)]
    if digests[0] == digests[1]:
        return ChosenBase(Base.E, _SAME)
    return ChosenBase(Base.E if digests[0] < digests[1] else Base.F, "as sharp, as fine and as large as the other")


@dataclass(frozen=True)
class _Criterion:
    """A number of a surface, which is smaller for the base, and by how much (a factor) it must be to decide."""

    number: Callable[[Bluntness], float]
    margin: float
    words: Callable[[tuple[str, str], Bluntness, Bluntness], str]

    def base_of(self, e: Bluntness, f: Bluntness) -> Base | None:
        """E or F; None where they are alike in this."""
        of_e, of_f = self.number(e), self.number(f)
        if self.margin * of_e < of_f:
            return Base.E
        return Base.F if self.margin * of_f < of_e else None


_SAME = "both bodies have the same mesh"


def _sharper(names: tuple[str, str], base: Bluntness, other: Bluntness) -> str:
    of_other = "has no convex spot" if math.isinf(other.radius) else f"like one of {_length(other.radius)}"
    of_base = f"on average curved like a ball of {_length(base.radius)} radius"
    return f"{names[0]} is sharper: {of_base}, {names[1]} {of_other}"


def _finer(names: tuple[str, str], base: Bluntness, other: Bluntness) -> str:
    return f"{names[0]} has the finer mesh: triangles of {_length(base.triangle)}, {names[1]} {_length(other.triangle)}"


def _smaller(names: tuple[str, str], base: Bluntness, other: Bluntness) -> str:
    return f"{names[0]} is smaller: {base.area:.3g} m² of surface, {names[1]} {other.area:.3g} m²"


_SHARPER, _FINER, _SMALLER = (
    _Criterion(lambda each: each.radius, ALIKE, _sharper),
    _Criterion(lambda each: each.triangle, SAME_MESH, _finer),
    _Criterion(lambda each: each.area, SAME_MESH, _smaller),
)
_ORDER_OF_DISTANCES = (_SHARPER, _FINER, _SMALLER)
_ORDER_OF_SAMPLES = (replace(_FINER, margin=ALIKE), _SHARPER, _FINER, _SMALLER)


def _length(value: float) -> str:
    """A length in mm, or in m from a metre on."""
    return f"{value:.3g} m" if value >= 1.0 else f"{1e3 * value:.3g} mm"


def _digest(surface: Surface) -> bytes:
    """A number made from a mesh: other meshes have another one."""
    made = hashlib.sha256(surface.vertices.tobytes())
    made.update(surface.triangles.tobytes())
    return made.digest()
