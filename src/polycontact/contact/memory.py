"""The arrays a pairing owns and the row of slots through which compiled code sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels import memory as slots
from polycontact.kernels.exact import BUFFER_LENGTH
from polycontact.kernels.law import FORCE_COLUMNS
from polycontact.kernels.loops import LOOP_COLUMNS
from polycontact.surfaces.contact_data import ContactData


class PairingMemory:
    """Buffers of one pairing. They grow when an evaluation asks for more and never shrink."""

    def __init__(self, e: ContactData, f: ContactData, parameters: NDArray[np.float64]) -> None:
        self.row: NDArray[np.int64] = np.zeros(slots.N_SLOTS, dtype=np.int64)
        self._owned: dict[int, NDArray[Any]] = {}
        self._attach_surface(slots.E, e)
        self._attach_surface(slots.F, f)
        self._attach(slots.E + slots.X, e.vertices)
        self._allocate(slots.F + slots.X, (len(f.vertices), 3), np.float64)
        self.parameters = parameters
        self._attach(slots.PARAMETERS, parameters)
        self._allocate(slots.POSE, (slots.POSE_LENGTH,), np.float64)
        self._allocate(slots.STACK, (slots.STACK_LENGTH, 6), np.int32)
        self._allocate(slots.BUFFER, (BUFFER_LENGTH,), np.float64)
        self._allocate(slots.TRIANGLE_PAIR, (12, 3), np.float64)
        self._allocate(slots.SUMMARY, (slots.N_SUMMARY,), np.float64)
        self.reserve_segments(256)
        self.reserve_candidates(4096)
        self.reserve_elements(512)

    def array(self, slot: int) -> NDArray[Any]:
        """The array whose address a slot holds."""
        return self._owned[slot]

    def grow(self, status: int) -> None:
        """Make room for what overflowed, with as much again to spare."""
        needed = 2 * int(self.row[slots.NEEDED])
        if status & slots.OVERFLOW_CANDIDATES:
            self.reserve_candidates(needed)
        if status & slots.OVERFLOW_SEGMENTS:
            self.reserve_segments(needed)
        if status & slots.OVERFLOW_ELEMENTS:
            self.reserve_elements(needed)

    def reserve_candidates(self, n: int) -> None:
        """Room for n leaf pairs; the list kept so far is forgotten."""
        self.row[slots.MAX_CANDIDATES] = n
        self._allocate(slots.CANDIDATES, (n, 2), np.int32)
        self._allocate(slots.GAPS, (n,), np.float64)
        self._reserve_scratch()
        self.forget_candidates()

    def reserve_segments(self, n: int) -> None:
        """Room for n intersection segments."""
        self.row[slots.MAX_SEGMENTS] = n
        self._allocate(slots.SEGMENT_TRIANGLES, (n, 2), np.int32)
        self._allocate(slots.SEGMENT_KINDS, (n, 2), np.int32)
        self._allocate(slots.SEGMENT_ENDS, (n, 6), np.float64)
        self._allocate(slots.ORDER, (n,), np.int32)
        self._allocate(slots.LOOP, (n + 1, LOOP_COLUMNS), np.float64)
        self._allocate(slots.LOOP_IDS, (n + 1, 2), np.int64)
        for side in (slots.E, slots.F):
            self._allocate(side + slots.NEXT, (n,), np.int32)
        self._reserve_scratch()

    def reserve_elements(self, n: int) -> None:
        """Room for n contact elements."""
        self.row[slots.MAX_ELEMENTS] = n
        self._allocate(slots.POINT, (n, 3), np.float64)
        self._allocate(slots.NORMAL, (n, 3), np.float64)
        self._allocate(slots.ELEMENT, (n, 3), np.float64)
        self._allocate(slots.TARGET_POINT, (n, 2), np.float64)
        self._allocate(slots.ELEMENT_TRIANGLES, (n, 4), np.int32)
        self._allocate(slots.FORCE, (n, FORCE_COLUMNS), np.float64)

    def forget_candidates(self) -> None:
        """Make the next evaluation search the trees anew."""
        self._owned[slots.POSE][slots.AGE] = 0.0

    def _reserve_scratch(self) -> None:
        n = max(int(self.row[slots.MAX_CANDIDATES]), 2 * int(self.row[slots.MAX_SEGMENTS])) + 4
        self._allocate(slots.CANDIDATE_SCRATCH, (n, 2), np.int64)
        self._allocate(slots.SORT_SCRATCH, (n, 2), np.int64)

    def _attach_surface(self, side: int, data: ContactData) -> None:
        n_vertices, n_triangles = len(data.vertices), len(data.triangles)
        self.row[side + slots.N_VERTICES] = n_vertices
        self.row[side + slots.N_TRIANGLES] = n_triangles
        self.row[side + slots.CLOSED] = int(data.closed)
        self.row[side + slots.N_COMPONENTS] = len(data.component_vertices)
        self._attach(side + slots.VERTICES, data.vertices)
        self._attach(side + slots.TRIANGLES, data.triangles)
        self._attach(side + slots.NEIGHBOURS, data.neighbours)
        self._attach(side + slots.TRIANGLE_EDGES, data.triangle_edges)
        self._attach(side + slots.CORNERS, data.corners)
        self._attach(side + slots.BARYCENTRES, data.barycentres)
        self._attach(side + slots.NORMALS, data.normals)
        self._attach(side + slots.AREAS, data.areas)
        self._attach(side + slots.CORNER_NORMALS, data.corner_normals)
        self._attach(side + slots.BOXES, data.boxes)
        self._attach(side + slots.ORIENTED_BOXES, data.oriented_boxes)
        self._attach(side + slots.COMPONENT_VERTICES, data.component_vertices)
        self._attach(side + slots.TRIANGLE_COMPONENT, data.triangle_component)
        self._allocate(side + slots.CONTAINED, (len(data.component_vertices),), np.int32)
        for field in (slots.VERTEX_STAMP, slots.VERTEX_STATE):
            self._allocate(side + field, (n_vertices,), np.int64)
        self._allocate(side + slots.MARK, (n_triangles,), np.int64)
        for field in (slots.HEAD, slots.HIT, slots.CUT, slots.CUT_STATE, slots.INNER, slots.INNER_PARENT):
            self._allocate(side + field, (n_triangles,), np.int32)

    def attach_line_boxes(self, side: int, boxes: NDArray[np.float64]) -> None:
        """Boxes around the penetration lines of a surface, in the layout of its tree."""
        self._attach(side + slots.LINE_BOXES, boxes)

    def _attach(self, slot: int, array: NDArray[Any]) -> None:
        assert array.flags.c_contiguous  # made so by ContactData
        self._owned[slot] = array
        self.row[slot] = array.ctypes.data

    def _allocate(self, slot: int, shape: tuple[int, ...], dtype: Any) -> None:
        self._attach(slot, np.zeros(shape, dtype=dtype))
