"""The man and the car of the pedestrian scenario: shapes, masses, joints and the pose at the start."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.scenario.pedestrian.anthropometry import BODY_MASS, segment_inertias
from polycontact.scenario.pedestrian.car import CAR_TRIANGLES, car_surface
from polycontact.scenario.pedestrian.delaunay import delaunay
from polycontact.scenario.pedestrian.landmarks import LIMBS, ORIGINS, SEGMENTS, STATURE
from polycontact.scenario.pedestrian.pose import WALKING, SegmentPose, segment_poses, start_pose
from polycontact.scenario.pedestrian.segments import MAN_TRIANGLES, segment_surfaces
from polycontact.scenario.pedestrian.skeleton import (
    JOINTS,
    MAN_PAIRINGS,
    ManJoint,
    degrees_of_freedom,
)
from polycontact.scenario.pedestrian.skinning import FEWEST_ON_RING, share_out, skin
from polycontact.scenario.pedestrian.trunk import HEAD

NEIGHBOURS = {frozenset((joint.parent, joint.child)) for joint in JOINTS}
SURFACES = [*SEGMENTS, "car"]


def surface_of(name: str) -> pc.Surface:
    return car_surface() if name == "car" else segment_surfaces()[name]


def smallest_angles(surface: pc.Surface) -> NDArray[np.float64]:
    """Smallest angle of each triangle, degrees."""
    corners = surface.vertices[surface.triangles]
    angles = []
    for i in range(3):
        a, b = corners[:, (i + 1) % 3] - corners[:, i], corners[:, (i + 2) % 3] - corners[:, i]
        angles.append(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.einsum("ij,ij->i", a, b)))
    return np.degrees(np.min(angles, axis=0))


def placed(name: str, poses: dict[str, SegmentPose]) -> NDArray[np.float64]:
    pose = poses[name]
    return np.asarray(segment_surfaces()[name].vertices @ pose.rotation.T + pose.position)


def touches(first: str, second: str, poses: dict[str, SegmentPose]) -> bool:
    surfaces = segment_surfaces()
    pair = pc.ContactPairing(surfaces[first], surfaces[second], law=pc.LayerLaw(stiffness=1e6))
    R = poses[first].rotation.T
    kinematics = pc.RelativeKinematics(
        rotation=R @ poses[second].rotation, position=R @ (poses[second].position - poses[first].position)
    )
    return pair.evaluate(kinematics).in_contact


def test_counts_are_those_of_the_paper() -> None:
    surfaces = segment_surfaces()
    assert tuple(surfaces) == SEGMENTS
    assert len(SEGMENTS) == 15
    assert sum(surface.n_triangles for surface in surfaces.values()) == MAN_TRIANGLES == 20_452
    assert car_surface().n_triangles == CAR_TRIANGLES == 1_240


@pytest.mark.parametrize("name", SURFACES)
def test_surface_is_sound(name: str) -> None:
    surface = surface_of(name)
    report = pc.check_surface(surface)
    assert report.ok
    assert not report.problems
    assert report.n_components == 1
    assert surface.is_closed
    assert surface.volume > 0.0
    assert surface.name == name


@pytest.mark.parametrize("name", SURFACES)
def test_triangles_are_well_shaped(name: str) -> None:
    angles = smallest_angles(surface_of(name))
    assert np.mean(angles > 20.0) >= 0.99
    assert angles.min() > 15.0


@pytest.mark.parametrize("limb", LIMBS)
def test_sides_are_mirror_images(limb: str) -> None:
    left, right = segment_surfaces()[f"left {limb}"], segment_surfaces()[f"right {limb}"]
    np.testing.assert_array_equal(right.vertices, left.vertices * (1.0, -1.0, 1.0))
    np.testing.assert_array_equal(right.triangles, left.triangles[:, ::-1])


def test_generation_is_deterministic() -> None:
    once, again = (skin(HEAD, 600, name="head") for _ in range(2))
    np.testing.assert_array_equal(once.vertices, again.vertices)
    np.testing.assert_array_equal(once.triangles, again.triangles)


def test_vertices_lie_on_the_skin() -> None:
    surface = skin(HEAD, 1_200, name="head")
    assert np.abs(HEAD.distance(surface.vertices)).max() < 1e-4


def test_shares_add_up() -> None:
    counts = share_out(101, np.array([0.1, 1.0, 2.0, 3.0, 0.2]))
    assert counts.sum() == 101
    assert counts.min() >= FEWEST_ON_RING
    assert np.argmax(counts) == 3


def test_delaunay_circles_are_empty() -> None:
    points = np.stack(np.meshgrid(np.arange(0, 50, 10), np.arange(0, 30, 10)), axis=-1).reshape(-1, 2)
    points[7] += (3, 1)
    triangles = delaunay(points)
    corners = points[triangles].astype(float)
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    assert (areas > 0.0).all()
    assert areas.sum() == pytest.approx(40.0 * 20.0)
    for triangle, origin, u, v, area in zip(triangles, corners[:, 0], a, b, areas, strict=True):
        uu, vv = u @ u, v @ v
        middle = np.array([v[1] * uu - u[1] * vv, u[0] * vv - v[0] * uu]) / (4.0 * area)
        others = np.delete(points, triangle, axis=0) - origin
        assert (np.linalg.norm(others - middle, axis=1) >= np.linalg.norm(middle) - 1e-9).all()


def test_skin_refuses_numbers_it_cannot_meet() -> None:
    with pytest.raises(pc.SurfaceError, match="even"):
        skin(HEAD, 601, name="head")


def test_standing_man_has_human_size() -> None:
    points = np.concatenate([s.vertices + ORIGINS[name] for name, s in segment_surfaces().items()])
    low, high = points.min(axis=0), points.max(axis=0)
    assert low[2] == pytest.approx(0.0, abs=0.005)
    assert high[2] == pytest.approx(STATURE, abs=0.01)
    assert 0.45 < high[1] - low[1] < 0.55
    volume = sum(surface.volume for surface in segment_surfaces().values())
    assert 0.072 < volume < 0.095  # neighbours overlap at the joints


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_neighbours_overlap_at_their_joint(joint: ManJoint) -> None:
    assert touches(joint.parent, joint.child, start_pose())


def test_degrees_of_freedom() -> None:
    assert len(JOINTS) == 14
    assert degrees_of_freedom() == 29
    assert {joint.child for joint in JOINTS} == set(SEGMENTS) - {"pelvis"}


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_start_pose_is_within_the_stops(joint: ManJoint) -> None:
    angles = WALKING[joint.name]
    assert len(angles) == joint.kind.degrees_of_freedom
    for angle, stop in zip(angles, joint.ranges, strict=False):
        assert stop.lower <= angle <= stop.upper
    if joint.swing is not None:
        poses = segment_poses(WALKING)
        parent, child = poses[joint.parent], poses[joint.child]
        limb = parent.rotation.T @ child.rotation @ (0.0, 0.0, -1.0)
        assert np.linalg.norm(joint.swing.direction) == pytest.approx(1.0)
        assert math.degrees(math.acos(limb @ joint.swing.direction)) < joint.swing.swing


def test_masses_add_up() -> None:
    inertias = segment_inertias()
    assert tuple(inertias) == SEGMENTS
    assert math.fsum(each.mass for each in inertias.values()) == pytest.approx(BODY_MASS, abs=1e-12)
    assert inertias["left thigh"].mass == pytest.approx(7.5)


@pytest.mark.parametrize("name", SEGMENTS)
def test_inertia_is_that_of_a_body(name: str) -> None:
    inertia = segment_inertias()[name]
    np.testing.assert_allclose(inertia.inertia, inertia.inertia.T, rtol=1e-12, atol=1e-15)
    small, middle, large = np.linalg.eigvalsh(inertia.inertia)
    assert small > 0.0
    assert small + middle >= large
    low, high = segment_surfaces()[name].bounds
    assert (low < inertia.centre).all()
    assert (inertia.centre < high).all()


@pytest.mark.parametrize("limb", LIMBS)
def test_inertias_are_mirror_images(limb: str) -> None:
    left, right = segment_inertias()[f"left {limb}"], segment_inertias()[f"right {limb}"]
    mirror = np.diag((1.0, -1.0, 1.0))
    np.testing.assert_allclose(right.centre, mirror @ left.centre, atol=1e-12)
    np.testing.assert_allclose(right.inertia, mirror @ left.inertia @ mirror, rtol=1e-9, atol=1e-12)


def test_start_pose_is_free_of_contact() -> None:
    poses = start_pose()
    found = [
        (first, second)
        for first, second in itertools.combinations(SEGMENTS, 2)
        if frozenset((first, second)) not in NEIGHBOURS and touches(first, second, poses)
    ]
    assert found == []


def test_start_pose_stands_on_both_feet() -> None:
    poses = start_pose()
    lowest = [placed(f"{side} foot", poses)[:, 2].min() for side in ("left", "right")]
    assert min(lowest) == pytest.approx(0.0, abs=1e-12)
    assert max(lowest) < 0.005
    assert all(placed(name, poses)[:, 2].min() > -1e-12 for name in SEGMENTS)


def test_pairings_are_between_segments_that_are_apart() -> None:
    assert len(MAN_PAIRINGS) == 12
    pairs = {frozenset(pair) for pair in MAN_PAIRINGS}
    assert len(pairs) == 12
    assert not pairs & NEIGHBOURS
    assert all(pair <= set(SEGMENTS) for pair in pairs)


def test_car_has_the_size_of_a_compact() -> None:
    car = car_surface()
    low, high = car.bounds
    assert high[0] == pytest.approx(0.0, abs=0.01)
    np.testing.assert_allclose(high - low, (4.2, 1.75, 1.42), atol=0.03)
    assert low[2] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(low[1], -high[1], atol=1e-12)


def test_car_is_finest_where_the_man_comes_down() -> None:
    car = car_surface()
    hit = (car.normals[:, 2] > 0.3) & (car.barycentres[:, 0] > -3.3)
    assert np.sqrt(car.areas[hit]).mean() < np.sqrt(car.areas[~hit]).mean()


def test_roof_is_flat_enough_to_lie_on() -> None:
    car = car_surface()
    x, y, z = car.barycentres.T
    roof = (z > 1.3) & (x < -2.1) & (x > -3.1) & (np.abs(y) < 0.45)
    slopes = np.degrees(np.arccos(car.normals[roof, 2]))
    assert roof.sum() > 40
    assert slopes.max() < 10.0
