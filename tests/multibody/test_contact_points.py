"""Where rigid bodies touch: points of every method and depth, for faces, edges, corners and round bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

import polycontact as pc
from polycontact.multibody.contact_points import ContactPoints
from polycontact.multibody.rigid_contacts import RigidContacts
from scenes import rotation

Array = NDArray[np.float64]

BOX = (0.3, 0.2, 0.1)
DEPTH = 1e-4
CORNERS = [(0.15, 0.1), (0.15, -0.1), (-0.15, 0.1), (-0.15, -0.1)]

METHODS: dict[str, dict[str, Any]] = {
    **{f"polygonal, {depth}": {"depth": depth} for depth in ("distance", "base_normal", "target_normal")},
    "base F": {"base": "F"},
    "both": {"base": "both"},
    "lines": {"method": pc.contact.PenetrationLines(max_penetration=0.05)},
    "node blocks": {"method": pc.contact.NodeBlockMethod(block_size=0.1)},
    "convex": {"method": pc.contact.ConvexMethod()},
}
methods = pytest.mark.parametrize("options", METHODS.values(), ids=METHODS.keys())


def law_of(options: dict[str, Any]) -> pc.LayerLaw | pc.laws.SpringDamperLaw:
    convex = isinstance(options.get("method"), pc.contact.ConvexMethod)
    return pc.laws.SpringDamperLaw(stiffness=1e5) if convex else pc.LayerLaw(stiffness=1e7)


def touching(
    upper: Any,
    lower: Any,
    position: ArrayLike,
    turned: Array | None = None,
    *,
    swapped: bool = False,
    **options: Any,
) -> ContactPoints:
    """Points of an upper body, in the world, over a fixed one at the origin."""
    system = pc.MultibodySystem()
    system.add_body(
        "upper", surface=upper, mass=1.0, position=position, rotation=np.eye(3) if turned is None else turned
    )
    system.add_body("lower", surface=lower, fixed=True)
    pair = ("lower", "upper") if swapped else ("upper", "lower")
    system.add_contact(*pair, **{"law": law_of(options), **options})
    compiled = system.compile()
    return RigidContacts(compiled.setup, compiled.evaluator()).touch(0.0, compiled.start_state())


def plate(size: float = 1.0) -> pc.Surface:
    return pc.shapes.box((size, size, 0.1), (5, 5, 1))


def assert_corners(points: ContactPoints, corners: list[tuple[float, float]], atol: float) -> None:
    """Each corner has a point nearby, and no point lies outside all of them."""
    for corner in corners:
        assert np.linalg.norm(points.point[:, :2] - corner, axis=1).min() <= atol
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    assert (points.point[:, :2] >= low - atol).all()
    assert (points.point[:, :2] <= high + atol).all()


@methods
@pytest.mark.parametrize("swapped", [False, True])
def test_a_box_lies_on_its_corners(options: dict[str, Any], swapped: bool) -> None:
    if swapped and isinstance(options.get("method"), pc.contact.NodeBlockMethod):
        pytest.skip("nodes of the plate lie in the planes of the box's sides")
    points = touching(pc.shapes.box(BOX, (3, 2, 1)), plate(), (0.0, 0.0, 0.1 - DEPTH), swapped=swapped, **options)
    method = options.get("method")
    of_elements = isinstance(method, pc.contact.PenetrationLines | pc.contact.NodeBlockMethod)
    # Of some methods only the elements are known, not their border; those of the plate are 0.2 m large.
    if not (swapped and of_elements):
        assert_corners(points, CORNERS, 0.08 if of_elements or swapped or "base" in options else 1e-3)
    push = -1.0 if swapped else 1.0
    np.testing.assert_allclose(points.frame[:, :3], np.tile((0.0, 0.0, push), (len(points), 1)), atol=1e-9)
    np.testing.assert_allclose(points.depth, DEPTH, rtol=0.02)
    assert (np.abs(points.point[:, 2] - 0.05) <= DEPTH).all()


@methods
def test_frames_are_right_handed_and_unit(options: dict[str, Any]) -> None:
    turned = rotation((1.0, 2.0, 0.5), 0.1)
    points = touching(pc.shapes.box(BOX, (3, 2, 1)), plate(), (0.0, 0.0, 0.11), turned, **options)
    assert len(points)
    for row in points.frame:
        n, t, s = row.reshape(3, 3)
        np.testing.assert_allclose(np.array([n, t, s]) @ np.array([n, t, s]).T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(np.cross(n, t), s, atol=1e-12)


@pytest.mark.parametrize("name", ["polygonal, distance", "polygonal, base_normal", "convex"])
def test_over_an_edge_the_overlap_bears(name: str) -> None:
    points = touching(pc.shapes.box(BOX, (3, 2, 1)), plate(), (0.5, 0.0, 0.1 - DEPTH), **METHODS[name])
    assert_corners(points, [(0.35, 0.1), (0.35, -0.1), (0.5, 0.1), (0.5, -0.1)], 2e-3)


@methods
@pytest.mark.parametrize("swapped", [False, True])
def test_a_corner_is_pushed_along_the_normal_of_the_plate(options: dict[str, Any], swapped: bool) -> None:
    method = options.get("method")
    if isinstance(method, pc.contact.PenetrationLines) or (isinstance(method, pc.contact.NodeBlockMethod) and swapped):
        pytest.skip("no line through a triangle's middle, and no node of the plate, meets the corner")
    turned = rotation((0.0, 1.0, 0.0), math.atan(math.sqrt(0.5))) @ rotation((1.0, 0.0, 0.0), math.pi / 4.0)
    cube = pc.shapes.box((0.1, 0.1, 0.1), 2)
    low = (turned @ cube.vertices.T)[2].min()
    points = touching(cube, plate(), (0.013, 0.017, 0.05 - low - 1e-3), turned, swapped=swapped, **options)
    push = -1.0 if swapped else 1.0
    np.testing.assert_allclose(points.frame[:, :3], np.tile((0.0, 0.0, push), (len(points), 1)), atol=1e-6)
    assert points.depth.max() == pytest.approx(1e-3, rel=0.7)  # mean depths of elements are less than the deepest


def test_a_ball_touches_at_its_deepest_point() -> None:
    points = touching(
        pc.convex.Sphere(0.1),
        pc.convex.Box((1.0, 1.0, 0.1)),
        (0.2, 0.1, 0.15 - DEPTH),
        method=pc.contact.ConvexMethod(),
    )
    assert len(points) == 1
    np.testing.assert_allclose(points.point[0], (0.2, 0.1, 0.05 - 0.5 * DEPTH), atol=1e-9)
    mesh = touching(pc.shapes.sphere(0.1, 3), plate(), (0.2, 0.1, 0.15 - DEPTH))
    assert np.linalg.norm(mesh.point[:, :2] - (0.2, 0.1), axis=1).max() < 0.01  # edges of the mesh


def test_edges_that_cross_touch_in_a_point() -> None:
    edge = rotation((0.0, 1.0, 0.0), math.pi / 4.0)
    across = rotation((0.0, 0.0, 1.0), math.pi / 2.0) @ edge
    half = 0.05 * math.sqrt(2.0)
    system = pc.MultibodySystem()
    cube = pc.convex.Box((0.1, 0.1, 0.1))
    system.add_body("upper", surface=cube, mass=1.0, position=(0.0, 0.0, 2.0 * half - DEPTH), rotation=across)
    system.add_body("lower", surface=cube, fixed=True, rotation=edge)
    system.add_contact("upper", "lower", method=pc.contact.ConvexMethod(), law=pc.laws.SpringDamperLaw(stiffness=1e5))
    compiled = system.compile()
    points = RigidContacts(compiled.setup, compiled.evaluator()).touch(0.0, compiled.start_state())
    assert len(points) == 1
    np.testing.assert_allclose(points.point[0, :2], 0.0, atol=1e-9)
    np.testing.assert_allclose(points.frame[0, :3], (0.0, 0.0, 1.0), atol=1e-9)


@pytest.mark.parametrize("geometry", ["convex", "mesh"])
def test_a_cylinder_lies_on_a_line_and_stands_on_its_rim(geometry: str) -> None:
    convex = geometry == "convex"
    shape = pc.convex.Cylinder(0.1, 0.4) if convex else pc.shapes.cylinder(0.1, 0.4, segments=48)
    ground = pc.convex.Box((1.0, 1.0, 0.1)) if convex else plate()
    options: dict[str, Any] = {"method": pc.contact.ConvexMethod()} if convex else {}
    lying = touching(shape, ground, (0.0, 0.0, 0.15 - DEPTH), rotation((0.0, 1.0, 0.0), math.pi / 2.0), **options)
    assert np.abs(lying.point[:, 1]).max() < (
        1e-9 if convex else 0.008
    )  # half a side of the prism, and the mesh's line
    assert np.ptp(lying.point[:, 0]) == pytest.approx(0.4, rel=1e-2 if convex else 0.15)
    standing = touching(shape, ground, (0.0, 0.0, 0.25 - DEPTH), **options)
    radii = np.linalg.norm(standing.point[:, :2], axis=1)
    assert (radii > 0.09).sum() >= 4
    assert radii.max() < 0.1 + 1e-6
    assert np.linalg.norm(standing.point[:, :2].mean(axis=0)) < 0.03


def test_two_patches_have_points_each() -> None:
    bridge = pc.shapes.table((0.6, 0.4), 0.3)
    points = touching(bridge, plate(), (0.0, 0.0, 0.05 - DEPTH))
    quadrants = {(x > 0, y > 0) for x, y in points.point[:, :2]}
    assert len(quadrants) == 4
    np.testing.assert_allclose(points.frame[:, 2], 1.0, atol=1e-9)


def test_a_ball_in_a_vee_is_pushed_from_both_sides() -> None:
    system = pc.MultibodySystem()
    system.add_body("ball", surface=pc.convex.Sphere(0.1), mass=1.0, position=(0.0, 0.0, 0.1 * math.sqrt(2.0) - 1e-4))
    for name, angle in (("left", math.pi / 4.0), ("right", -math.pi / 4.0)):
        turned = rotation((0.0, 1.0, 0.0), angle)
        place = turned @ np.array([0.0, 0.0, -0.05])
        system.add_body(name, surface=pc.convex.Box((1.0, 1.0, 0.1)), fixed=True, position=place, rotation=turned)
        system.add_contact("ball", name, method=pc.contact.ConvexMethod(), law=pc.laws.SpringDamperLaw(stiffness=1e5))
    compiled = system.compile()
    points = RigidContacts(compiled.setup, compiled.evaluator()).touch(0.0, compiled.start_state())
    np.testing.assert_allclose(np.sort(points.frame[:, 0]), (-math.sqrt(0.5), math.sqrt(0.5)), atol=1e-9)


def test_bodies_about_to_touch_are_seen_within_reach() -> None:
    for upper, lower, options in (
        (pc.convex.Sphere(0.1), pc.convex.Box((1.0, 1.0, 0.1)), {"method": pc.contact.ConvexMethod()}),
        (pc.shapes.box(BOX, 1), plate(), {}),
    ):
        height = 0.15 if isinstance(upper, pc.convex.Sphere) else 0.1
        system = pc.MultibodySystem()
        system.add_body("upper", surface=upper, mass=1.0, position=(0.0, 0.0, height + 1e-4))
        system.add_body("lower", surface=lower, fixed=True)
        system.add_contact("upper", "lower", **{"law": law_of(options), **options})
        compiled = system.compile()
        contacts = RigidContacts(compiled.setup, compiled.evaluator())
        y = compiled.start_state()
        assert len(contacts.touch(0.0, y)) == 0
        assert len(contacts.touch(0.0, y, reach=0.9e-4)) == 0
        near = contacts.touch(0.0, y, reach=1.1e-4)
        assert len(near) == 1
        assert near.depth[0] == pytest.approx(-1e-4, rel=1e-6)
        np.testing.assert_allclose(near.frame[0, :3], (0.0, 0.0, 1.0), atol=1e-9)
