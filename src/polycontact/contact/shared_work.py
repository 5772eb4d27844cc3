"""Memory that evaluations of mesh contacts share, where they are made one after the other.

Two kinds: work space, whose content means nothing from one evaluation to the next, and what is known of the facets of
surfaces whatever the pose: lists of rivals and walls, found when they are asked for. They change how much work is done,
never a result, and are given back with the last evaluation that has them.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Final

from polycontact.kernels.contact.evaluation_view import LEVELS, Cells, Evaluation, Parts, Side
from polycontact.kernels.geometry.facet_walls import Walls
from polycontact.kernels.geometry.rivals import Rivals
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh

EDGES_PER_SEGMENT: Final = 32
"""Room for edges of regions: borders of cut triangles take up to nine a segment, and a triangle with many of them that
is divided as often as it may be takes them once a level."""
LEAST_EDGES: Final = 10_240
"""The same where there are few segments: without room cells are not divided any further, so it is plentiful."""

_numbers = itertools.count(1)
_ELEMENTS_OF_A_SIDE: Final = 2**40
"""Elements that a side of a memory may divide along facets until their numbers are those of another."""


class Facets:
    """What is known of the facets of a surface."""

    def __init__(self, mesh: SurfaceMesh) -> None:
        self.mesh = mesh
        """Keeps its address from being given to another."""
        self.rivals, self.walls = Rivals(), Walls()
        self.rivals.reserve(n=2 * mesh.n_triangles, n_triangles=mesh.n_triangles)
        self.walls.reserve(n=mesh.n_triangles)


class SharedWork:
    """Work space and lists for evaluations of any pairs, one at a time. It grows with what any of them needs.

    An evaluation that has taken a part keeps it where that part grows for others.
    """

    def __init__(self) -> None:
        self._cells, self._parts = Cells(), Parts()
        self._cells.reserve(room=0, room_of_rows=0, depth=LEVELS + 3)
        self._parts.reserve(room=0, room_of_crossings=0)
        self._parts.allocate("corner_root")
        self._facets: weakref.WeakValueDictionary[int, Facets] = weakref.WeakValueDictionary()

    def lend_for_elements(self, evaluation: Evaluation, n: int) -> None:
        """Let an evaluation have work space for ``n`` rows of the table."""
        if n > self._cells.room_of_rows:
            self._cells.reserve(room_of_rows=n)
        evaluation.cells.borrow(self._cells)

    def lend_for_segments(self, evaluation: Evaluation, n: int) -> None:
        """Let an evaluation have work space for ``n`` segments."""
        if n + 1 > self._parts.room:
            self._cells.reserve(room=max(EDGES_PER_SEGMENT * n, LEAST_EDGES))
            self._parts.reserve(room=n + 1, room_of_crossings=2 * n)
        evaluation.cells.borrow(self._cells)
        evaluation.parts.borrow(self._parts)

    def lend_facets(self, side: Side) -> Facets:
        """Let a side of an evaluation have the lists of its surface; they stay as long as somebody keeps the result."""
        mesh = side.mesh
        found = self._facets.get(mesh.address)
        if found is None:
            found = self._facets[mesh.address] = Facets(mesh)
        side.rivals.borrow(found.rivals)
        side.walls.borrow(found.walls)
        side.walls.element = _ELEMENTS_OF_A_SIDE * next(_numbers)
        return found
