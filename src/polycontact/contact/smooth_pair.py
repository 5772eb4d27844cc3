"""Two surfaces given by formulas, prepared for evaluations: set-up once, memory for each evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.contact_memory import ContactMemory
from polycontact.contact.description import ContactDescription
from polycontact.contact.distance import Distance, DistanceStatus, status_by_sign
from polycontact.contact.laws import PreparedLaw
from polycontact.errors import ContactError
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.contact.evaluate import evaluate
from polycontact.kernels.smooth.smooth_evaluation import SmoothEvaluation
from polycontact.kernels.smooth.smooth_method import EVALUATE_SMOOTH, MEASURE_SMOOTH
from polycontact.surfaces.implicit.implicit_geometry import ImplicitGeometry
from polycontact.surfaces.parametric.parametric_geometry import ParametricGeometry
from polycontact.surfaces.smooth_surface import OpenedSurface, SmoothGeometry, attach_side, prepare_surface
from polycontact.tolerances import LARGEST_REACH, SMALLEST_REACH

_ZERO = np.zeros(3)


@dataclass(frozen=True)
class SmoothPair:
    """The set-up of two surfaces: shared by all evaluations, never changed.

    ``reach`` (m): how far coordinates of both reach; ``scale`` (m): a length of the smaller one.
    """

    e: OpenedSurface
    f: OpenedSurface
    reach: float
    scale: float
    laws: tuple[PreparedLaw, ...]
    depth_share: float
    entry: int = EVALUATE_SMOOTH
    gap_entry: int = MEASURE_SMOOTH
    _idle: list[SmoothMemory] = field(default_factory=list)

    def make_memory(self) -> SmoothMemory:
        """Memory for one evaluation at a time."""
        return SmoothMemory(self)

    def distance(self, R: NDArray[np.float64], r: NDArray[np.float64]) -> Distance:
        """Distance at rotation R and position r (m) of F in E; nan with a status where none is found."""
        try:
            memory = self._idle.pop()
        except IndexError:
            memory = self.make_memory()
        status = evaluate(MEASURE_SMOOTH, memory.address, R, r, _ZERO, _ZERO, np.empty(6))
        found = memory.evaluation.found
        nowhere = np.full(3, np.nan)
        k = found.chosen
        told = (found.distance[k], found.point_e[k], found.point_f[k], found.normal[k])
        distance, point_e, point_f, normal = (np.array(each if k >= 0 else nowhere) for each in told)
        self._idle.append(memory)
        if status & Status.BAD_KINEMATICS:
            raise ContactError(f"the kinematics are too large or not a rotation: R={R}, r={r}")
        lie = status_by_sign(float(distance.flat[0])) if k >= 0 else DistanceStatus.NOT_FOUND
        return Distance(float(distance.flat[0]), point_e, point_f, normal, lie)


def prepare_smooth(e: SmoothGeometry, f: SmoothGeometry, description: ContactDescription, name: str) -> SmoothPair:
    """Set-up of a pair; samples of the surfaces are shared with other pairs."""
    reach = float(np.abs(e.bounds).max() + np.abs(f.bounds).max())
    if not SMALLEST_REACH < reach < LARGEST_REACH:
        raise ContactError(
            f"{name}: coordinates reach {reach:.3g} m; surfaces between {SMALLEST_REACH} m and {LARGEST_REACH} m can "
            f"be evaluated; check their units"
        )
    own, other = prepare_surface(e), prepare_surface(f)
    scale = 0.25 * min(own.view.size, other.view.size)
    return SmoothPair(own, other, reach, scale, description.prepare_laws(), description.depth_share)


class SmoothMemory(ContactMemory):
    """Working memory of one evaluation of two smooth surfaces."""

    def __init__(self, pair: SmoothPair) -> None:
        self.pair = pair  # its surfaces live as long as this memory
        self.evaluation = evaluation = SmoothEvaluation()
        super().__init__(evaluation.header, pair.laws, pair.depth_share)
        evaluation.reach, evaluation.scale = pair.reach, pair.scale
        attach_side(evaluation.e, pair.e.view)
        attach_side(evaluation.f, pair.f.view, is_f=True)
        evaluation.search.reserve(room_f=pair.f.view.n)
        evaluation.search.of_e.reserve(room=pair.e.view.n)
        evaluation.search.of_f.reserve(room=pair.f.view.n)


def check_parametric(name: str, e: object, f: object) -> None:
    """Refuse what the method for parametric surfaces does not take: one of the two may be implicit."""
    _check(name, e, f, (ParametricGeometry, ImplicitGeometry), "parametric")
    if not isinstance(e, ParametricGeometry) and not isinstance(f, ParametricGeometry):
        raise ContactError(f"{name}: both surfaces are implicit; take ImplicitMethod()")


def check_implicit(name: str, e: object, f: object) -> None:
    """Raise an error if ``e`` or ``f`` is not an implicit surface."""
    _check(name, e, f, (ImplicitGeometry,), "implicit")


def _check(name: str, e: object, f: object, known: tuple[type, ...], kind: str) -> None:
    for what, geometry in (("e", e), ("f", f)):
        if not isinstance(geometry, known):
            hint = "take ParametricMethod()" if isinstance(geometry, ParametricGeometry) else f"see polycontact.{kind}"
            raise ContactError(f"{name}: {what} is {geometry!r}; expected a surface given by a formula, {hint}")
