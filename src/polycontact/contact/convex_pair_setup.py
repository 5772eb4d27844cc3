"""Two convex shapes prepared for contact: set-up once, memory for each evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.contact_memory import ContactMemory
from polycontact.contact.description import ContactDescription
from polycontact.contact.distance import Distance, DistanceStatus, status_by_sign
from polycontact.contact.laws import PreparedLaw
from polycontact.errors import ContactError, SurfaceError
from polycontact.kernels.contact.convex_method import EVALUATE_CONVEX, MEASURE_GAP, ConvexEvaluation
from polycontact.kernels.geometry.convex_distance import measure_at
from polycontact.kernels.geometry.convex_pair import ConvexPair, Verdict, reserve_pair
from polycontact.kernels.geometry.convex_shape import ConvexShape
from polycontact.surfaces.convex.convex_mesh import ConvexMesh
from polycontact.surfaces.convex.core import ConvexGeometry
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import LARGEST_REACH, SMALLEST_REACH, TOO_FAR


@dataclass(frozen=True)
class ConvexSetup:
    """The set-up of two convex shapes: shared by all evaluations, never changed."""

    e: ConvexShape
    f: ConvexShape
    laws: tuple[PreparedLaw, ...]
    depth_share: float
    name: str
    entry: int = EVALUATE_CONVEX
    gap_entry: int = MEASURE_GAP
    idle: list[ConvexPair] = field(default_factory=list)
    """Memory for queries of the distance, each used by one thread at a time."""

    def make_memory(self) -> ConvexMemory:
        """Memory for one evaluation at a time."""
        return ConvexMemory(self)

    def distance(self, R: NDArray[np.float64], r: NDArray[np.float64]) -> Distance:
        """Signed distance of F, at position ``r`` (m) and rotation ``R`` in E, from E; see `Distance`."""
        if not np.abs(r).max() < TOO_FAR:
            raise ContactError(f"{self.name}: position {r.tolist()} m is too far away")
        try:
            pair = self.idle.pop()
        except IndexError:
            pair = ConvexPair()
            _lay_out(pair, self)
        pair.rotation[:], pair.position[:] = R, r
        verdict = measure_at(pair.address)
        if not np.isfinite(pair.distance):
            raise ContactError(f"{self.name}: the distance is {pair.distance} m; a support mapping gives no number")
        settled = verdict != Verdict.UNSETTLED
        status = status_by_sign(pair.distance) if settled else DistanceStatus.NOT_SETTLED
        found = Distance(pair.distance, pair.point_e.copy(), pair.point_f.copy(), pair.normal.copy(), status)
        self.idle.append(pair)
        return found


class ConvexMemory(ContactMemory):
    """Memory of one evaluation of two convex shapes."""

    def __init__(self, setup: ConvexSetup) -> None:
        self.evaluation = ConvexEvaluation()
        self.evaluation.reach = setup.e.reach + setup.f.reach
        _lay_out(self.evaluation.pair, setup)
        super().__init__(self.evaluation.header, setup.laws, setup.depth_share)


def _lay_out(pair: ConvexPair, setup: ConvexSetup) -> None:
    reserve_pair(pair)
    pair.e, pair.f = setup.e, setup.f


def prepare_convex(e: object, f: object, description: ContactDescription, name: str) -> ConvexSetup:
    """Set-up of two convex shapes; surfaces that are convex become shapes."""
    core_e, core_f = _core(e, "e", name), _core(f, "f", name)
    reach = core_e.reach + core_f.reach
    if not SMALLEST_REACH < reach < LARGEST_REACH:
        raise ContactError(
            f"{name}: coordinates reach {reach:.3g} m; shapes between {SMALLEST_REACH} m and {LARGEST_REACH} m can be "
            f"evaluated"
        )
    return ConvexSetup(core_e, core_f, description.prepare_laws(), description.depth_share, name)


def _core(geometry: object, what: str, name: str) -> ConvexShape:
    if isinstance(geometry, Surface):
        try:
            return ConvexMesh(geometry).convex_core
        except SurfaceError as error:
            raise ContactError(f"{name}: {error}") from error
    if not isinstance(geometry, ConvexGeometry):
        raise ContactError(
            f"{name}: {what} is {geometry!r}; expected a shape of polycontact.convex, or a Surface that is convex"
        )
    return geometry.convex_core
