"""The pieces of surface for which nodes stand: thirds of triangles, by node and by smooth sheet."""

from __future__ import annotations

import numpy as np

import polycontact as pc
from polycontact.contact.node_cells import node_cells

SIDES = (0.3, 0.2, 0.1)


def area_vector(loops: list[np.ndarray]) -> np.ndarray:
    return sum((0.5 * np.cross(x[2] - x[0], x[3] - x[1]) for x in loops), start=np.zeros(3))


def test_each_face_at_the_corner_of_a_box_is_a_sheet() -> None:
    """The outlines of a sheet lie in one face and have its area; those of all sheets are the outlines of the node."""
    cells = node_cells(pc.shapes.box(SIDES).contact_data)
    assert len(cells.vertex) == 8
    total = np.zeros(3)
    for node, vertex in enumerate(cells.vertex.tolist()):
        first = cells.first[node]
        assert cells.first[node + 1] - first == 3
        sheets = [cells.outlines(vertex, part) for part in range(3)]
        for part, loops in enumerate(sheets):
            area = area_vector(loops)
            np.testing.assert_allclose(area, cells.area_vectors[first + part], atol=1e-15)
            assert np.count_nonzero(np.abs(area) > 1e-12) == 1  # square to an axis
            total += np.abs(area)
        together = cells.outlines(vertex, None)
        assert len(together) == sum(map(len, sheets))
        assert {loop.tobytes() for loop in together} == {loop.tobytes() for loops in sheets for loop in loops}
    x, y, z = SIDES
    np.testing.assert_allclose(total, (2 * y * z, 2 * x * z, 2 * x * y))
