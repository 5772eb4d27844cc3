"""Outlines of contact elements, as kernels give them on request."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from scenes import Tally, at, pairing, random_rotation

pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
Array = NDArray[np.float64]

SCENES = {
    "bubbles": (pc.shapes.bubble(), pc.shapes.bubble(), (0.03, 0.36, 0.02)),
    "legs on one triangle": (pc.shapes.table(), pc.shapes.box((3.0, 3.0, 0.5)), (0.0, 0.0, -0.245)),
    "ring on a plate": (pc.shapes.torus(0.15, 0.06), pc.shapes.box((0.5, 0.5, 0.2)), (0.0, 0.0, -0.15)),
}


def signed_area(loop: Array, normal: Array) -> float:
    return float(0.5 * np.cross(loop[1:-1] - loop[0], loop[2:] - loop[0]).sum(axis=0) @ normal)


def areas_within(result: pc.ContactResult) -> list[tuple[tuple[Array, ...], float, Array]]:
    """Each outline once, with the area of all elements that have it, m², and the outward normal."""
    found: dict[int, tuple[tuple[Array, ...], float, Array]] = {}
    for loops, area, normal in zip(result.outlines, result.elements.area, -result.elements.normal, strict=True):
        found[id(loops)] = (loops, found.get(id(loops), (loops, 0.0, normal))[1] + area, normal)
    return list(found.values())


@pytest.mark.parametrize("depth", ["distance", "base_normal"])
@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("scene", sorted(SCENES))
def test_outlines_bound_the_area_of_their_elements(scene: str, base: pc.Base, depth: str) -> None:
    e, f, position = SCENES[scene]
    pair = pairing(e, f, base=base, depth=depth)
    rng = np.random.default_rng(3)
    cut = Tally()
    for k in range(4):
        R = np.eye(3) if k == 0 else np.linalg.qr(np.eye(3) + 0.05 * rng.normal(size=(3, 3)))[0]
        result = pair.evaluate(at(R * np.sign(np.linalg.det(R)), position))
        assert len(result.outlines) == len(result.elements)
        within = areas_within(result)
        assert depth == "distance" or len(within) == len(result.elements)
        for loops, area, normal in within:
            cut.note(len(loops) != 1 or len(loops[0]) != 3)
            found = sum(signed_area(loop, normal) for loop in loops)
            # Both sum the same triangles in another order; slivers of 1e-9 m² carry the rounding of coordinates.
            assert found == pytest.approx(area, rel=1e-9, abs=1e-15)
    assert cut.examples >= 2
    if (scene, base, depth) != (
        "legs on one triangle",
        pc.Base.E,
        "base_normal",
    ):  # feet lie wholly inside, flanks do not count
        cut.assert_share(0.05)


@pytest.mark.parametrize("depth", ["distance", "base_normal"])
def test_a_hole_inside_one_triangle(depth: str) -> None:
    """A prism with a hole beside its middle stands on a plate so coarse that one triangle carries it."""
    plate = pc.Surface(
        [[-2.0, -2.0, 0.0], [3.0, -2.0, 0.0], [-2.0, 3.0, 0.0], [0.0, 0.0, -1.0]],
        [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]],
    )
    square = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    prism = pc.shapes.extrude(square, 1.0, holes=[[(0.1, 0.1), (0.4, 0.1), (0.4, 0.4), (0.1, 0.4)]])
    result = pairing(plate, prism, depth=depth, base=pc.Base.E).evaluate(at(None, (-0.3, -0.35, -0.01)))
    ((loops, area, _),) = areas_within(result)
    normal = np.array([0.0, 0.0, 1.0])
    assert sorted(signed_area(loop, normal) for loop in loops) == pytest.approx([-0.09, 1.0], rel=1e-12)
    assert area == pytest.approx(0.91, rel=1e-12)


def test_whole_elements_are_triangles_in_frame_e() -> None:
    ball, box = pc.shapes.sphere(0.1, 2), pc.shapes.box(1.0)
    R, r = random_rotation(np.random.default_rng(1)), np.array([0.0, 0.0, 0.58])
    result = pairing(box, ball, base=pc.Base.F, elements="whole").evaluate(at(R, r))
    assert len(result.elements) > 3
    for (loop,), triangle in zip(result.outlines, result.elements.base_triangle, strict=True):
        np.testing.assert_allclose(loop, ball.vertices[ball.triangles[triangle]] @ R.T + r, atol=1e-15)


def test_nothing_to_outline() -> None:
    assert pairing(pc.shapes.box(1.0), pc.shapes.box(1.0)).evaluate(at(None, (5, 0, 0))).outlines == ()
