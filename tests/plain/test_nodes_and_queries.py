"""Hitting nodes and queries of small meshes, compiled and, with NUMBA_DISABLE_JIT=1, in plain Python: closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc

LAW = pc.LayerLaw(stiffness=1e7)
BOX = pc.shapes.box((0.2, 0.2, 0.1), (2, 2, 1))
I3 = np.eye(3)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_a_box_on_a_box(base: pc.Base) -> None:
    pair = pc.ContactPairing(BOX, BOX, method=pc.contact.NodeBlockMethod(base=base, block_size=0.08), law=LAW)
    result = pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -0.099)))
    # Only the corners of the face that lies on the other's are beside it by rounding or not; the middle node is inside.
    assert result.force[2] >= 1e7 * 0.01 * 1e-3 * (1.0 - 1e-9)
    assert not pair.wrench(I3, (0.0, 0.0, -0.101)).any()
    assert result.status is pc.ContactStatus.NORMAL


def test_a_box_on_a_sheet() -> None:
    pair = pc.ContactPairing(BOX, pc.shapes.plane(1.0, 1), method=pc.contact.NodeBlockMethod(block_size=0.3), law=LAW)
    assert pair.wrench(I3, (0.1, 0.0, -0.049))[2] == pytest.approx(1e7 * 0.04 * 1e-3, rel=1e-9)


def test_distances() -> None:
    pair = pc.ContactPairing(BOX, BOX, method=pc.contact.NodeBlockMethod(block_size=0.1), law=LAW)
    assert pair.distance(I3, (0.0, 0.03, 0.15)).distance == pytest.approx(0.05, rel=1e-12)
    assert pair.distance(I3, (0.22, 0.0, 0.12)).distance == pytest.approx(np.hypot(0.02, 0.02), rel=1e-12)
    tip = pc.Surface(
        [(0, 0, 0), (0.1, 0, 0.2), (-0.1, 0.1, 0.2), (-0.1, -0.1, 0.2)], [(0, 2, 1), (0, 3, 2), (0, 1, 3), (1, 2, 3)]
    )
    into = pc.ContactPairing(BOX, tip, method=pc.contact.NodeBlockMethod(block_size=0.1), law=LAW)
    found = into.distance(I3, (0.01, 0.02, 0.04))  # the tip 10 mm below the top
    assert found.distance == pytest.approx(-0.01, rel=1.1e-3)
    np.testing.assert_allclose(found.normal, (0.0, 0.0, 1.0), atol=1e-9)
    assert into.swept_distance(I3, (0, 0, 0.1), (0, 0, -1), (0, 1, 0), 0.01) < 0.05 - 0.01
    assert into.free_time(I3, (0, 0, 0.1), (0, 0, -1), (0, 0, 0)) == pytest.approx(0.05, rel=1e-9)


def test_points_and_rays() -> None:
    found = BOX.closest_points([(0.0, 0.0, 0.2), (0.01, 0.0, 0.04), (0.2, 0.0, 0.05)])
    np.testing.assert_allclose(found.distances, (0.15, -0.01, 0.1), rtol=1e-12)
    hits = BOX.rays([(0.01, 0.02, 1.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)], [(0, 0, -1), (2, 0, 0), (0, 0, 1)])
    np.testing.assert_allclose(hits.distances, (0.95, 0.1, np.inf), rtol=1e-12)
