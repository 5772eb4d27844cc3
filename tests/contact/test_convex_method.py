"""One contact point for each pair of convex shapes: forces, energy, invariance, and systems that use them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.kernels.views import JIT_IS_OFF
from scenes import random_rotation
from tools.convex_peers import KINDS, random_shape

convex = pc.convex
METHOD = pc.contact.ConvexMethod()
SPRING = pc.LayerLaw(stiffness=2e4)

pytestmark = pytest.mark.skipif(JIT_IS_OFF, reason="runs and hundreds of poses take minutes as plain Python")


def pairing(e: Any, f: Any, **options: Any) -> pc.ContactPairing:
    return pc.ContactPairing(e, f, **{"method": METHOD, "law": SPRING, **options})


def pose(rng: np.random.Generator, e: Any, f: Any) -> tuple[np.ndarray, np.ndarray]:
    """A pose of two shapes that overlap by some millimetres."""
    R, n = random_rotation(rng), random_rotation(rng)[:, 0]
    pair = pairing(e, f)
    return R, (10.0 - pair.distance(R, 10.0 * n).distance - 0.003) * n


def test_ball_on_a_plate() -> None:
    result = pairing(convex.Box((1.0, 1.0, 0.1)), convex.Sphere(0.1)).evaluate(
        pc.RelativeKinematics(position=(0.1, 0.2, 0.14), velocity=(0.0, 0.0, -1.0))
    )
    # Shapes are smaller by 1e-9 of themselves, some 1.5e-8 of this depth (S4.12).
    np.testing.assert_allclose(result.force, (0.0, 0.0, -200.0), rtol=2e-8, atol=1e-10)
    np.testing.assert_allclose(result.torque, 0.0, atol=1e-10)
    table = result.elements
    assert len(table) == 1
    np.testing.assert_allclose(table.base_point[0], (0.1, 0.2, 0.05), atol=1e-14)
    np.testing.assert_allclose(table.target_point[0], (0.1, 0.2, 0.04), atol=1e-9)
    np.testing.assert_allclose(table.position[0], (0.1, 0.2, 0.045), atol=1e-9)
    assert (table.area[0], table.weight[0], table.depth[0]) == (1.0, 1.0, pytest.approx(0.01))
    assert table.approach[0] == pytest.approx(1.0)
    assert result.in_contact
    assert result.patches == ()


def test_shapes_that_stand_on_each_other_do_not_touch() -> None:
    """S4.12: but for the shrinking, rounding would decide."""
    for height in (0.1, 0.3, 0.7):
        pair = pairing(convex.Box((1.0, 1.0, height)), convex.Box(height))
        assert not pair.evaluate(pc.RelativeKinematics(position=(0.1, 0.2, height))).in_contact
        assert pair.evaluate(pc.RelativeKinematics(position=(0.1, 0.2, height * (1 - 1e-8)))).in_contact


def test_surfaces_that_are_convex_will_do() -> None:
    box = pc.shapes.box((0.2, 0.3, 0.4))
    R, r = random_rotation(np.random.default_rng(1)), (0.05, 0.02, 0.25)
    expected = pairing(convex.Box((0.2, 0.3, 0.4)), convex.Sphere(0.1)).wrench(R, r)
    assert np.linalg.norm(expected) > 1.0
    np.testing.assert_allclose(pairing(box, convex.Sphere(0.1)).wrench(R, r), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_force_is_the_gradient_of_the_energy(kind: str) -> None:
    """c u²/2: minus its derivatives by position and rotation are force and torque on F, whatever the shapes."""
    rng = np.random.default_rng(11)
    e, f = convex.Ellipsoid((0.3, 0.2, 0.25)), random_shape(kind, rng)
    pair = pairing(e, f)
    for _ in range(5):
        R, r = pose(rng, e, f)
        wrench = pair.wrench(R, r)
        step = 1e-6
        found = np.empty(6)
        for k in range(3):
            moves = [energy(pair, R, r + s * step * np.eye(3)[k]) for s in (1, -1)]
            found[k] = (moves[0] - moves[1]) / (2 * step)
            turns = [energy(pair, turn(s * step * np.eye(3)[k]) @ R, r) for s in (1, -1)]
            found[3 + k] = (turns[0] - turns[1]) / (2 * step)
        # Central differences of steps of 1e-6: errors of some 1e-9 of the load.
        np.testing.assert_allclose(found, wrench, atol=1e-6 * np.abs(wrench).max())


def turn(vector: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(vector).as_matrix()


def energy(pair: pc.ContactPairing, R: np.ndarray, r: np.ndarray) -> float:
    return 0.5 * SPRING.stiffness * min(pair.distance(R, r).distance, 0.0) ** 2


@pytest.mark.parametrize("kind", KINDS)
def test_swapping_and_moving_both(kind: str) -> None:
    rng = np.random.default_rng(5)
    e, f = random_shape(kind, rng), random_shape("cone", rng)
    R, r = pose(rng, e, f)
    forward, backward = pairing(e, f).wrench(R, r), pairing(f, e).wrench(R.T, -R.T @ r)
    np.testing.assert_allclose(R @ backward[:3], -forward[:3], rtol=1e-7, atol=1e-7)
    # Torques are at the marker of the other body: both at that of E.
    at_e = forward[3:] + np.cross(r, forward[:3])
    np.testing.assert_allclose(R @ backward[3:], -at_e, rtol=1e-6, atol=1e-6)


def test_damping_and_friction_act_at_the_point() -> None:
    law = pc.LayerLaw(stiffness=2e4, damping=50.0)
    pair = pairing(convex.Box(1.0), convex.Sphere(0.1), law=law, friction=pc.RegularisedCoulomb(coefficient=0.3))
    wrench = pair.wrench(np.eye(3), (0.0, 0.0, 0.59), (0.2, 0.0, -1.0), (0.0, 0.0, 0.0))
    assert wrench[2] == pytest.approx(-250.0)
    assert wrench[0] == pytest.approx(0.3 * 250.0)


def test_bad_input_is_named() -> None:
    with pytest.raises(pc.ContactError, match=r"torus–sphere: torus: the surface is not convex"):
        pairing(pc.shapes.torus(0.1, 0.03), convex.Sphere(0.1))
    with pytest.raises(pc.ContactError, match=r"e is 3; expected a shape of polycontact.convex"):
        pairing(3, convex.Sphere(0.1))
    with pytest.raises(pc.ContactError, match="or leave the method out"):
        pc.ContactPairing(convex.Sphere(0.1), convex.Sphere(0.1), method=pc.contact.PolygonalMethod(), law=SPRING)
    pair = pairing(convex.Sphere(0.1), convex.Sphere(0.1))
    with pytest.raises(pc.ContactError, match="not a proper rotation"):
        pair.distance(2 * np.eye(3), (0.0, 0.0, 1.0))
    with pytest.raises(pc.ContactError, match="position is not finite"):
        pair.distance(np.eye(3), (0.0, 0.0, math.nan))
    with pytest.raises(pc.ContactError, match="too far"):
        pair.distance(np.eye(3), (0.0, 0.0, 1e160))
    with pytest.raises(pc.ContactError, match="rotation is not a proper"):
        pair.wrench(2 * np.eye(3), (0.0, 0.0, 0.1))


def test_threads_share_a_pairing() -> None:
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(2)
    e, f = random_shape("cylinder", rng), random_shape("ellipsoid", rng)
    poses = [pose(rng, e, f) for _ in range(40)]
    pair = pairing(e, f)
    alone = [pair.distance(*each).distance for each in poses]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: pair.distance(*each).distance, poses)) == alone


def test_a_ball_bounces(tmp_path: Path) -> None:
    """A ball falls 0.2 m on a box: m g + √((m g)² + 2 c m g h) at most, and it comes up again."""
    system = pc.MultibodySystem("bounce")
    system.add_body("plate", surface=convex.Box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_body("ball", surface=convex.Sphere(0.1), mass=1.0, position=(0.1, 0.05, 0.3))
    system.add_contact("plate", "ball", method=METHOD, law=SPRING, name="bounce")
    file = tmp_path / "ball.h5"
    run = pc.simulate(system, end_time=0.42, rtol=1e-8, atol=1e-9, output_step=1e-3, record=file, contact_events=True)
    load = -run.trajectory.pairing("bounce").force[:, 2].min()
    # Samples are 1 ms apart, and the load changes by 1 % within that at its top.
    assert load == pytest.approx(9.81 + math.sqrt(9.81**2 + 2 * 2e4 * 9.81 * 0.2), rel=2e-2)
    assert [event.kind for event in run.events] == ["start", "end"]
    height, speed = run.trajectory.body("ball").position[-1, 2], run.trajectory.body("ball").velocity[-1, 2]
    assert height + speed**2 / (2 * 9.81) == pytest.approx(0.3, abs=1e-4)
    assert np.abs(run.trajectory.body("ball").angular_velocity[-1]).max() < 1e-9
    page = tmp_path / "ball.html"
    pc.save_page(file, page)
    assert page.stat().st_size > 10_000


def test_a_box_rests_on_its_feet(tmp_path: Path) -> None:
    """Several convex shapes on a body, a point for each (S4.41): each foot bears a quarter of the weight."""
    system = pc.MultibodySystem("rest")
    block = convex.ConvexMesh(pc.shapes.box((0.2, 0.2, 0.1)))
    corners = [(x, y, -0.04) for x in (-0.08, 0.08) for y in (-0.08, 0.08)]
    feet = [pc.Shape(convex.Sphere(0.02, name=f"foot {k}"), position=corner) for k, corner in enumerate(corners)]
    inertia = 2.0 * (0.2**2 + 0.1**2) / 12
    system.add_body(
        "box",
        shapes=[pc.Shape(block), *feet],
        mass=2.0,
        centre=(0.0, 0.0, 0.0),
        inertia=(inertia, inertia, 2.0 * 0.2**2 / 6),
        position=(0.1, 0.05, 0.061),
    )
    system.add_body("plate", surface=convex.Box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    law = pc.LayerLaw(stiffness=1e5, damping=300.0, transition_depth=1e-5)
    friction = pc.RegularisedCoulomb(coefficient=0.5, velocity=1e-3)
    system.add_contact("plate", "box", method=METHOD, law=law, friction=friction)
    file = tmp_path / "rest.h5"
    run = pc.simulate(system, end_time=0.5, rtol=1e-5, atol=1e-7, record=file)
    box = run.trajectory.body("box")
    assert box.position[-1, 2] == pytest.approx(0.06 - 2.0 * 9.81 / 4e5, abs=1e-6)
    assert np.abs(box.velocity[-1]).max() < 1e-5
    pc.save_page(file, tmp_path / "rest.html")
