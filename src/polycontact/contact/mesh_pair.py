"""Two surfaces prepared for the methods that work on meshes: set-up once, memory for each evaluation (S0.18)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.base_choice import with_base
from polycontact.contact.contact_memory import ContactMemory
from polycontact.contact.description import ContactDescription
from polycontact.contact.distance import Distance
from polycontact.contact.laws import PreparedLaw
from polycontact.contact.methods import Base, PenetrationLines, PolygonalMethod
from polycontact.contact.shared_work import Facets, SharedWork
from polycontact.errors import ContactError
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.contact.evaluation_view import (
    BaseKind,
    ContactSetup,
    DepthKind,
    ElementKind,
    Evaluation,
    LineBoxes,
    Side,
)
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.surfaces.contact_data import ContactData
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import LARGEST_REACH, SMALLEST_REACH

BASES = {Base.E: BaseKind.E, Base.F: BaseKind.F, Base.BOTH: BaseKind.BOTH}
"""Bases as kernels know them."""
_DEPTHS = {
    "distance": DepthKind.DISTANCE,
    "base_normal": DepthKind.BASE_NORMAL,
    "target_normal": DepthKind.TARGET_NORMAL,
}
_ELEMENTS = {"clipped": ElementKind.CLIPPED, "whole": ElementKind.WHOLE}

_FIRST_ROOM = {"elements": (8, 128, 512), "segments": (8, 128, 256), "candidates": (2, 512, 4096)}
"""Room at first: one for so many triangles of the larger mesh, at least and at most. A contact of two meshes of a
thousand triangles takes some 60 elements."""
_MARGIN_IN_EDGES = 0.35
"""Largest margin of kept candidates in mean edges of the finer mesh: more makes lists longer than searches."""


@dataclass(frozen=True)
class MeshPair:
    """The set-up of two surfaces for a method: shared by all evaluations, never changed."""

    entry: int
    setup: ContactSetup
    laws: tuple[PreparedLaw, ...]
    depth_share: float
    shares_work: ClassVar[bool] = True

    def make_memory(self, shared: SharedWork | None = None) -> MeshMemory:
        """Memory for one evaluation at a time; ``shared`` with those that are never evaluated at the same time."""
        return MeshMemory(self, SharedWork() if shared is None else shared)

    def distance(self, R: NDArray[np.float64], r: NDArray[np.float64]) -> Distance:
        """Signed distance of the surfaces, see `ContactPairing.distance`."""
        from polycontact.contact.mesh_distance import mesh_distance

        return mesh_distance(self.setup.e, self.setup.f, R, r)


def prepare_polygonal(
    method: PolygonalMethod, e: Surface, f: Surface, description: ContactDescription, name: str
) -> MeshPair:
    """Data of a pair whose contact is found from intersection polygons."""
    from polycontact.kernels.contact.polygonal_method import EVALUATE_POLYGONAL

    method, _ = with_base(method, e, f)
    pair = _prepare(EVALUATE_POLYGONAL, e, f, description, name)
    pair.setup.base = BASES[method.base]
    pair.setup.depth_kind = _DEPTHS[method.depth]
    pair.setup.tolerance = method.tolerance
    pair.setup.element_kind = _ELEMENTS[method.elements]
    return pair


def prepare_lines(
    method: PenetrationLines, e: Surface, f: Surface, description: ContactDescription, name: str
) -> MeshPair:
    """Data of a pair whose contact is found from penetration lines."""
    from polycontact.kernels.contact.lines_method import EVALUATE_LINES

    method, _ = with_base(method, e, f)
    pair = _prepare(EVALUATE_LINES, e, f, description, name)
    length = method.line_length(e, f)
    pair.setup.base = BASES[method.base]
    pair.setup.depth_kind = _DEPTHS[method.depth]
    pair.setup.element_kind = ElementKind.WHOLE
    pair.setup.max_penetration = length
    _attach_lines(pair.setup.lines_e, e.contact_data, length)
    _attach_lines(pair.setup.lines_f, f.contact_data, length)
    return pair


def _attach_lines(lines: LineBoxes, data: ContactData, length: float) -> None:
    lines.n_nodes = len(data.boxes)
    lines.boxes = data.line_boxes(length)


def checked_reach(e: Surface, f: Surface, name: str) -> float:
    """How far coordinates of both surfaces reach, m; refused where exact products of them would not be exact."""
    reach = float(np.abs(e.bounds).max() + np.abs(f.bounds).max())
    if not SMALLEST_REACH < reach < LARGEST_REACH:
        raise ContactError(
            f"{name}: coordinates reach {reach:.3g} m; surfaces between {SMALLEST_REACH} m and {LARGEST_REACH} m can "
            f"be evaluated; check the unit of the mesh"
        )
    return reach


def _prepare(entry: int, e: Surface, f: Surface, description: ContactDescription, name: str) -> MeshPair:
    """Surfaces, tolerances and laws of a pair, which both methods need."""
    reach = checked_reach(e, f, name)
    setup = ContactSetup()
    setup.e, setup.f = e.contact_data.view, f.contact_data.view
    setup.reach = reach
    setup.max_margin = _MARGIN_IN_EDGES * min(e.contact_data.mean_edge, f.contact_data.mean_edge)
    return MeshPair(entry, setup, description.prepare_laws(), description.depth_share)


class MeshMemory(ContactMemory):
    """Memory of one evaluation of two surfaces."""

    def __init__(self, pair: MeshPair, shared: SharedWork) -> None:
        self.evaluation = evaluation = Evaluation()
        self._shared = shared
        self._facets: list[Facets] = []
        n_triangles = max(pair.setup.e.n_triangles, pair.setup.f.n_triangles)
        room = {what: min(max(n_triangles // each, least), most) for what, (each, least, most) in _FIRST_ROOM.items()}
        super().__init__(evaluation.header, pair.laws, pair.depth_share, room=room["elements"])
        evaluation.setup = pair.setup
        _attach_side(evaluation.e, pair.setup.e, is_f=False)
        _attach_side(evaluation.f, pair.setup.f, is_f=True)
        if pair.setup.depth_kind == DepthKind.DISTANCE:
            for side in (evaluation.e, evaluation.f):
                side.samples.reserve(n=side.n_triangles + side.n_vertices, n_vertices=side.n_vertices)
                self._facets.append(shared.lend_facets(side))
        work = evaluation.work
        work.allocate("stack", "digits", "expansion")
        work.three = work.pair.three = 3
        self.reserve_segments(room["segments"])
        self.reserve_candidates(room["candidates"])

    def grow(self, status: int) -> None:
        """Make room for what overflowed, with as much again to spare; the same pose again is no motion."""
        super().grow(status)
        self.forget_candidates()
        if status & Status.OVERFLOW_CANDIDATES:
            self.reserve_candidates(2 * max(self.report.needed, self.evaluation.candidates.room))
        if status & Status.OVERFLOW_SEGMENTS:
            self.reserve_segments(2 * max(self.report.needed, self.evaluation.segments.room))

    def reserve_candidates(self, n: int) -> None:
        """Room for n pairs of triangles; the list kept so far is forgotten."""
        self.evaluation.candidates.reserve(room=n, room_and_4=n + 4)
        self.forget_candidates()

    def reserve_elements(self, n: int) -> None:
        """Room for n contact elements."""
        self._shared.lend_for_elements(self.evaluation, n)
        super().reserve_elements(n)  # last: cells have room for all that is in the table

    def reserve_segments(self, n: int) -> None:
        """Room for n intersection segments."""
        self._shared.lend_for_segments(self.evaluation, n)
        self.evaluation.segments.reserve(room=n)  # last: parts have room for all segments

    def forget_candidates(self) -> None:
        """Make the next evaluation search the trees anew."""
        self.evaluation.candidates.age = 0


def _attach_side(side: Side, mesh: SurfaceMesh, is_f: bool) -> None:
    """Memory of one surface during an evaluation."""
    side.mesh = mesh
    side.is_f = int(is_f)
    side.reserve(n_vertices=mesh.n_vertices, n_triangles=mesh.n_triangles, n_components=mesh.n_components)
    if not is_f:
        side.x = mesh.vertices
