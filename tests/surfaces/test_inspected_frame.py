"""The frame in which a mesh is inspected: about the centre of its box, in units of the box's diagonal."""

from __future__ import annotations

import numpy as np
import pytest

from polycontact.surfaces.inspection.subject import Subject
from polycontact.surfaces.inspection.unchecked_mesh import mesh_from


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e150])
@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (3.0, -2.0, 0.5)])
def test_the_box_is_centred_and_its_diagonal_is_one(scale: float, place: tuple[float, float, float]) -> None:
    corners = np.array([(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 1.0)])
    vertices = scale * np.vstack((corners + place, [(100.0, 0.0, 0.0), (np.nan, 0.0, 0.0)]))
    subject = Subject(mesh_from((vertices, np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3), (0, 1, 5)]))))
    assert subject.size == pytest.approx(scale * np.sqrt(21.0), rel=1e-14)
    np.testing.assert_allclose(subject.bounds, scale * np.array((place, np.add(place, (4.0, 2.0, 1.0)))), rtol=1e-14)
    used = subject.points[:4]
    np.testing.assert_allclose(used, (corners - (2.0, 1.0, 0.5)) / np.sqrt(21.0), atol=1e-14)
    assert not subject.points[4:].any()  # unused, and not finite
