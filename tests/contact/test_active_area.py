"""Active triangles against winding numbers by solid angles; patches and polygons against the elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import polycontact as pc
from scenes import STIFFNESS, Tally, assert_polygons_close, at, examples, pairing, random_rotation, rotation, segments

RELAXED = settings(deadline=None, derandomize=True, max_examples=examples(60))
pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
Array = NDArray[np.float64]

SHAPES = {
    "torus": pc.shapes.torus(0.15, 0.06, 16, 8),
    "bubble": pc.shapes.bubble(11, 9),
    "plate": pc.shapes.plate_with_hole(0.4, 0.08, 0.1, segments=12),
    "horseshoe": pc.shapes.horseshoe(0.12, 0.04, 0.024, 0.12, segments=8),
    "table": pc.shapes.table((0.4, 0.3), 0.3, leg_width=0.04),
    "cup": pc.shapes.spherical_cup(0.15, segments=12),
    "box": pc.shapes.box((0.3, 0.2, 0.25)),
}
shape_names = st.sampled_from(sorted(SHAPES))
seeds = st.integers(0, 2**32 - 1)


def random_pose(seed: int) -> tuple[Array, Array]:
    """Bodies of 0.2 m to 0.4 m that mostly overlap, many of them rings and frames."""
    rng = np.random.default_rng(seed)
    return random_rotation(rng), rng.uniform(-0.12, 0.12, 3)


def dot(a: Sequence[Array], b: Sequence[Array]) -> Array:
    """Scalar products of vectors given by their components, each an array."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def winding(points: Array, corners: Array) -> Array:
    """How often a closed surface with the given triangle corners (m, 3, 3) winds around each point."""
    a, b, c = ([corners[None, :, i, k] - points[:, None, k] for k in range(3)] for i in range(3))
    la, lb, lc = (np.sqrt(dot(x, x)) for x in (a, b, c))
    b_cross_c = [b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2] for i in range(3)]
    bottom = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return np.asarray(np.arctan2(dot(a, b_cross_c), bottom).sum(axis=1) / (2.0 * np.pi))


def off_all_planes(points: Array, corners: Array) -> NDArray[np.bool_]:
    """Points that lie in the plane of no triangle: for them the solid angles are certain."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return np.abs(points @ normals.T - (corners[:, 0] * normals).sum(axis=1)).min(axis=1) > 1e-9


def assert_active_is_inside(pair: pc.ContactPairing, R: Array, r: Array) -> bool:
    """Whether the surfaces meet; if they do, active is what is cut or lies inside the other."""
    result = pair.evaluate(at(R, r))
    assert_polygons_close(pair)
    triangles, _ = segments(pair)
    if not len(triangles):
        return False
    placed = pair.e.vertices[pair.e.triangles], (pair.f.vertices @ R.T + r)[pair.f.triangles]
    for side, surface in enumerate((pair.e, pair.f)):
        points, other = placed[side].mean(axis=1), placed[1 - side]
        cut = np.zeros(surface.n_triangles, dtype=bool)
        cut[surface.contact_data.order[triangles[:, side]]] = True
        active = np.zeros(surface.n_triangles, dtype=bool)
        active[result.active_triangles[side]] = True
        assert active[cut].all()
        sure = ~cut & off_all_planes(points, other)
        np.testing.assert_array_equal(active[sure], winding(points[sure], other) > 0.5)
    return True


def test_random_poses() -> None:
    meeting = Tally()

    @RELAXED
    @given(shape_names, shape_names, seeds)
    def check(name_e: str, name_f: str, seed: int) -> None:
        pair = pairing(SHAPES[name_e], SHAPES[name_f], base=pc.Base.BOTH)
        meeting.note(assert_active_is_inside(pair, *random_pose(seed)))

    check()
    meeting.assert_share(0.75)


def test_aligned_poses() -> None:
    meeting = Tally()

    @RELAXED
    @given(
        shape_names,
        shape_names,
        st.tuples(*[st.integers(-2, 2)] * 3),
        st.tuples(st.integers(0, 2), st.integers(0, 3)),
    )
    def check(name_e: str, name_f: str, steps: tuple[int, int, int], turn: tuple[int, int]) -> None:
        R = np.rint(rotation(np.eye(3)[turn[0]], 0.5 * np.pi * turn[1]))
        pair = pairing(SHAPES[name_e], SHAPES[name_f], base=pc.Base.BOTH)
        meeting.note(assert_active_is_inside(pair, R, 0.05 * np.array(steps)))

    check()
    meeting.assert_share(0.6)


def test_patches_share_out_the_elements() -> None:
    with_patches = Tally()

    @RELAXED
    @given(shape_names, shape_names, seeds, st.sampled_from([pc.Base.E, pc.Base.F, pc.Base.BOTH]))
    def check(name_e: str, name_f: str, seed: int, base: pc.Base) -> None:
        R, r = random_pose(seed)
        result = pairing(SHAPES[name_e], SHAPES[name_f], base=base).evaluate(at(R, r))
        assert_patches_share_out_the_elements(result)
        with_patches.note(result.patches)

    check()
    with_patches.assert_share(0.75)


def assert_patches_share_out_the_elements(result: pc.ContactResult) -> None:
    rows = [row for patch in result.patches for row in patch.elements.tolist()]
    assert sorted(rows) == list(range(len(result.elements)))
    size = np.linalg.norm(result.elements.force, axis=1).sum() + 1e-9
    for name in ("force", "torque"):
        total = sum((getattr(patch, name) for patch in result.patches), np.zeros(3))
        np.testing.assert_allclose(total, getattr(result, name), rtol=0.0, atol=1e-10 * size)
    for patch in result.patches:
        assert (result.elements.side[patch.elements] == patch.side).all()
        assert patch.area == pytest.approx(result.elements.area[patch.elements].sum())
        assert patch.n_borders >= 1
    assert all(polygon.is_closed for polygon in result.polygons)
    assert sum(len(polygon.triangles) for polygon in result.polygons) == result.statistics.lines


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F])
def test_borders_and_patches_of_known_contacts(base: pc.Base) -> None:
    """A ring in a floor has two borders, a ball one, and a table on its legs four patches."""
    floor = pc.shapes.box((1.0, 1.0, 0.2), (4, 4, 1)).transformed(position=(0.0, 0.0, -0.1))
    side = 0 if base is pc.Base.E else 1
    ring = pairing(floor, pc.shapes.torus(0.2, 0.06, 32, 16), base=base).evaluate(at(None, (0.01, 0.02, 0.05)))
    assert [patch.n_borders for patch in ring.patches] == [2]
    assert len(ring.polygons) == 2
    ball = pairing(floor, pc.shapes.sphere(0.1, 3), base=base).evaluate(at(None, (0.11, 0.02, 0.09)))
    assert [(patch.n_borders, patch.side) for patch in ball.patches] == [(1, side)]
    table = pairing(floor, pc.shapes.table((0.6, 0.4), 0.3), base=base).evaluate(at(None, (0.01, 0.02, -0.001)))
    assert len(table.patches) == 4
    assert len(table.polygons) == 4
    foot, below = 0.06**2, (0.06 - 0.002) ** 2  # m², of one leg, 1 mm deep
    for patch in table.patches:
        if base is pc.Base.F:  # on the plane floor: what is displaced; walls count with what of them is inside
            assert patch.area == pytest.approx(foot + 4 * 0.06 * 0.001, rel=1e-6)
            assert patch.force[2] == pytest.approx(-STIFFNESS * foot * 0.001, rel=1e-6)
        else:  # near its borders the floor is nearer to the walls of the leg: the depth is a frustum
            assert patch.area == pytest.approx(foot, rel=1e-6)
            frustum = 0.001 / 3.0 * (foot + below + np.sqrt(foot * below))
            # What cells miss is measured by the whole load: the slope, 1 mm wide, is narrower than they are, and of its
            # 3.3 % they see a part.
            assert patch.force[2] == pytest.approx(-STIFFNESS * frustum, rel=3.5e-2)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F])
def test_legs_without_their_walls(base: pc.Base) -> None:
    """With the paper's depth walls fade out: each foot counts whole, on either base."""
    floor = pc.shapes.box((1.0, 1.0, 0.2), (4, 4, 1)).transformed(position=(0.0, 0.0, -0.1))
    pair = pairing(floor, pc.shapes.table((0.6, 0.4), 0.3), base=base, depth="base_normal")
    table = pair.evaluate(at(None, (0.01, 0.02, -0.001)))
    upright = [patch for patch in table.patches if patch.max_depth < 0.002]
    assert len(upright) == 4
    for patch in upright:
        assert patch.area == pytest.approx(0.06**2, rel=1e-6)
        assert patch.force[2] == pytest.approx(-STIFFNESS * 0.06**2 * 0.001, rel=1e-6)
