"""Two surfaces prepared for the methods that work on meshes: set-up once, memory for each evaluation (S0.18)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.contact_memory import ContactMemory
from polycontact.contact.description import ContactDescription
from polycontact.contact.distance import Distance
from polycontact.contact.laws import PreparedLaw
from polycontact.contact.methods import Base, PenetrationLines, PolygonalMethod
from polycontact.errors import ContactError
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.contact.evaluation_view import (
    LEVELS,
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

_MARGIN_IN_EDGES = 0.35
"""Largest margin of kept candidates in mean edges of the finer mesh: more makes lists longer than searches."""


@dataclass(frozen=True)
class MeshPair:
    """The set-up of two surfaces for a method: shared by all evaluations, never changed."""

    entry: int
    setup: ContactSetup
    laws: tuple[PreparedLaw, ...]
    depth_share: float

    def make_memory(self) -> MeshMemory:
        """Memory for one evaluation at a time."""
        return MeshMemory(self)

    def distance(self, R: NDArray[np.float64], r: NDArray[np.float64]) -> Distance:
        """Signed distance of the surfaces, see `ContactPairing.distance`."""
        from polycontact.contact.mesh_distance import mesh_distance

        return mesh_distance(self.setup.e, self.setup.f, R, r)


def prepare_polygonal(
    method: PolygonalMethod, e: Surface, f: Surface, description: ContactDescription, name: str
) -> MeshPair:
    """Data of a pair whose contact is found from intersection polygons."""
    from polycontact.kernels.contact.polygonal_method import EVALUATE_POLYGONAL

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

    def __init__(self, pair: MeshPair) -> None:
        self.evaluation = evaluation = Evaluation()
        evaluation.cells.reserve(depth=LEVELS + 3)
        super().__init__(evaluation.header, pair.laws, pair.depth_share)
        evaluation.setup = pair.setup
        _attach_side(evaluation.e, pair.setup.e, is_f=False)
        _attach_side(evaluation.f, pair.setup.f, is_f=True)
        if pair.setup.depth_kind == DepthKind.DISTANCE:
            for side, other in ((evaluation.e, BaseKind.F), (evaluation.f, BaseKind.E)):
                side.rivals.reserve(n=2 * side.n_triangles)
                side.walls.reserve(n=side.n_triangles)
                if pair.setup.base != other:
                    side.samples.reserve(n=side.n_triangles + side.n_vertices, n_vertices=side.n_vertices)
        work = evaluation.work
        work.allocate("stack", "digits", "expansion")
        work.three = work.pair.three = 3
        evaluation.parts.allocate("corner_root")
        self.reserve_segments(256)
        self.reserve_candidates(4096)

    def grow(self, status: int) -> None:
        """Make room for what overflowed, with as much again to spare."""
        super().grow(status)
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
        self.evaluation.cells.reserve(room_of_rows=n)
        super().reserve_elements(n)  # last: cells have room for all that is in the table

    def reserve_segments(self, n: int) -> None:
        """Room for n intersection segments."""
        self.evaluation.cells.reserve(room=32 * n + 2048)
        self.evaluation.parts.reserve(room=n + 1, room_of_crossings=2 * n)
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
