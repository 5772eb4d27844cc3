"""Volume of the overlap against an independent program's boolean intersection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import polycontact as pc
from scenes import Tally, at, examples, pairing, random_rotation

manifold3d = pytest.importorskip("manifold3d")
RELAXED = settings(deadline=None, derandomize=True, max_examples=examples(60))
pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
Array = NDArray[np.float64]


def hollow(outer: pc.Surface, cavity: pc.Surface) -> pc.Surface:
    """A body with a cavity: two components, the inner one inside out."""
    return joined(outer, cavity.flipped(), name="hollow")


def joined(a: pc.Surface, b: pc.Surface, name: str = "joined") -> pc.Surface:
    return pc.Surface(
        np.concatenate((a.vertices, b.vertices)),
        np.concatenate((a.triangles, b.triangles + len(a.vertices))),
        name=name,
    )


SHAPES = {
    "sphere": pc.shapes.sphere(0.15, 2),
    "box": pc.shapes.box((0.3, 0.2, 0.25), (3, 2, 2)),
    "coarse box": pc.shapes.box((0.3, 0.2, 0.25)),
    "torus": pc.shapes.torus(0.15, 0.06, 16, 8),
    "bubble": pc.shapes.bubble(),
    "plate": pc.shapes.plate_with_hole(0.4, 0.05, 0.1, segments=16),
    "hollow sphere": hollow(pc.shapes.sphere(0.2, 2), pc.shapes.sphere(0.15, 2)),
    "two spheres": joined(
        pc.shapes.sphere(0.1, 2).transformed(position=(0.15, 0, 0)),
        pc.shapes.sphere(0.1, 2).transformed(position=(-0.15, 0, 0)),
    ),
}


def solid(surface: pc.Surface, R: Array | None = None, r: Array | None = None) -> object:
    vertices = surface.vertices if R is None else surface.vertices @ R.T + r
    corners = np.array(surface.triangles, dtype=np.uint64)
    body = manifold3d.Manifold(manifold3d.Mesh64(np.array(vertices, order="C"), corners))
    assert body.status() == manifold3d.Error.NoError
    return body


def boolean_volume(e: pc.Surface, f: pc.Surface, R: Array, r: Array) -> float:
    return float((solid(e) ^ solid(f, R, r)).volume())


def assert_same_volume(e: pc.Surface, f: pc.Surface, R: Array, r: Array) -> float:
    """The volume, which is that of the boolean intersection."""
    found = pairing(e, f).evaluate(at(R, r)).volume
    assert found == pytest.approx(boolean_volume(e, f, R, r), rel=1e-6, abs=1e-9 * min(e.volume, f.volume))
    return found


def test_random_poses() -> None:
    overlapping = Tally()

    @RELAXED
    @given(st.sampled_from(sorted(SHAPES)), st.sampled_from(sorted(SHAPES)), st.integers(0, 2**32 - 1))
    def check(name_e: str, name_f: str, seed: int) -> None:
        rng = np.random.default_rng(seed)
        R, r = random_rotation(rng), rng.uniform(-0.18, 0.18, 3)
        overlapping.note(assert_same_volume(SHAPES[name_e], SHAPES[name_f], R, r))

    check()
    overlapping.assert_share(0.8)


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_cut_by_a_box(name: str) -> None:
    rng = np.random.default_rng(len(name))
    for _ in range(5):
        assert_same_volume(SHAPES[name], SHAPES["box"], random_rotation(rng), rng.uniform(-0.2, 0.2, 3))


def test_deep_overlap_of_bubbles() -> None:
    rng = np.random.default_rng(2)
    bubble = SHAPES["bubble"]
    for _ in range(10):
        assert_same_volume(bubble, bubble, random_rotation(rng), 0.03 * rng.normal(size=3))


def test_a_body_inside_another() -> None:
    """One body contained, either way round, and apart: the smaller volume, or none."""
    small, large = pc.shapes.sphere(0.05, 2), pc.shapes.box((0.4, 0.4, 0.4), 2)
    for e, f in ((small, large), (large, small)):
        assert pairing(e, f).evaluate(at()).volume == pytest.approx(small.volume, rel=1e-12)
        assert pairing(e, f).evaluate(at(None, (1, 0, 0))).volume == 0.0


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("x", [0.0, 0.1, 0.18, 0.3])
def test_two_components_of_which_one_is_contained(swap: bool, x: float) -> None:
    """One sphere of a pair inside the box, the other cut by it, outside or inside as well."""
    pair, box = SHAPES["two spheres"], pc.shapes.box((0.5, 0.5, 0.5))
    e, f = (box, pair) if swap else (pair, box)
    assert_same_volume(e, f, np.eye(3), np.array([x if not swap else -x, 0.01, 0.02]))


def test_a_cavity_inside_the_other_body() -> None:
    """The box cuts the outer wall of a hollow sphere and encloses its cavity."""
    shell = hollow(pc.shapes.sphere(0.2, 2), pc.shapes.sphere(0.05, 2))
    box = pc.shapes.box((0.3, 0.3, 0.3))
    assert_same_volume(shell, box, np.eye(3), np.array([0.01, 0.02, 0.03]))
    assert_same_volume(box, shell, np.eye(3), np.array([0.01, 0.02, 0.03]))


def test_a_body_in_a_cavity_does_not_overlap() -> None:
    shell = hollow(pc.shapes.sphere(0.2, 2), pc.shapes.sphere(0.15, 2))
    ball = pc.shapes.sphere(0.05, 2)
    for e, f in ((shell, ball), (ball, shell)):
        result = pairing(e, f).evaluate(at())
        assert result.volume == 0.0
        assert not result.in_contact
        assert result.status is pc.ContactStatus.NORMAL


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e3, 1e6])
def test_volume_scales(scale: float) -> None:
    rng = np.random.default_rng(3)
    e, f = SHAPES["torus"], SHAPES["box"]
    R, r = random_rotation(rng), np.array([0.1, 0.05, 0.02])
    found = pairing(e.scaled(scale), f.scaled(scale)).evaluate(at(R, scale * r)).volume
    assert found == pytest.approx(scale**3 * boolean_volume(e, f, R, r), rel=1e-6)


def test_volume_of_a_small_overlap_far_from_the_origin() -> None:
    """A cap of some 1e-9 m³ on bodies far from their markers keeps its digits."""
    sphere = pc.shapes.sphere(0.15, 3)
    shift = np.array([50.0, -30.0, 20.0])
    near = pairing(sphere, sphere).evaluate(at(None, (0.2985, 0.001, 0.002))).volume
    moved = sphere.transformed(position=shift)
    far = pairing(moved, moved).evaluate(at(None, (0.2985, 0.001, 0.002))).volume
    assert near > 0.0
    assert far == pytest.approx(near, rel=1e-6)


def test_volume_of_open_surfaces_is_not_defined() -> None:
    plane, sphere = pc.shapes.plane(1.0, 4), pc.shapes.sphere(0.1, 2)
    assert np.isnan(pairing(plane, sphere).evaluate(at(None, (0, 0, 0.05))).volume)


@pytest.mark.parametrize("name", SHAPES)
def test_force_on_a_plane_is_stiffness_times_volume(name: str) -> None:
    """Above a plane target the depth is linear: c V along its normal, for every shape, and nothing sideways."""
    body = SHAPES[name]
    plate = pc.shapes.box((8.0, 8.0, 2.0), (3, 3, 1)).transformed(position=(0.0, 0.0, -1.0))
    pair = pairing(plate, body, base=pc.Base.F)
    rng = np.random.default_rng(11)
    for depth in (1e-4, 0.005, 0.02, 0.06):
        R = random_rotation(rng)
        r = np.array([0.6, 0.0, -(body.vertices @ R.T)[:, 2].min() - depth])  # above one triangle of the plate
        result = pair.evaluate(at(R, r))
        force = pair.stiffness * boolean_volume(plate, body, R, r)
        assert force > 0.0
        np.testing.assert_allclose(result.force, (0.0, 0.0, -force), rtol=0.0, atol=1e-6 * force)
        # The centre of pressure of an element lies deeper than its mean and not as deep as its deepest point.
        table = result.elements
        apart = np.linalg.norm(table.target_point - table.base_point, axis=1)
        assert (apart >= table.depth * (1.0 - 1e-9) - 1e-15).all()
        assert (apart <= table.peak_depth * (1.0 + 1e-9) + 1e-15).all()


def test_force_on_a_plane_is_stiffness_times_volume_with_the_target_normal() -> None:
    """A flat target, no undercuts: each element's depth along the target's normal times its area is the volume."""
    plate, sphere = pc.shapes.box((1.0, 1.0, 0.4), (2, 2, 1)), pc.shapes.sphere(0.15, 3)
    pair = pairing(plate, sphere, base=pc.Base.F, depth="target_normal")
    for depth in (0.005, 0.02, 0.06):
        result = pair.evaluate(at(None, (0.11, 0.07, 0.35 - depth)))
        assert -result.force[2] == pytest.approx(pair.stiffness * result.volume, rel=2e-2)


def test_undercuts_count_too_much_with_the_target_normal() -> None:
    """Sphere pressed in by more than its radius: the columns between plane and lower half, not the cap."""
    radius, depth = 0.1, 0.18
    plane = pc.shapes.plane(10.0, 2)  # lines of steep triangles reach far
    pair = pairing(plane, pc.shapes.sphere(radius, 4), base=pc.Base.F, depth="target_normal")
    force = -pair.wrench(np.eye(3), (0.013, 0.007, radius - depth))[2]
    cap = np.pi * depth**2 * (radius - depth / 3.0)
    columns = np.pi * radius**2 * (depth - radius) + 2.0 / 3.0 * np.pi * radius**3
    assert columns > 1.13 * cap
    assert force == pytest.approx(pair.stiffness * columns, rel=1e-2)  # an inscribed mesh of level 4: 0.5 %
