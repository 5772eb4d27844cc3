"""Markers name a frame on a body: whatever is given in a marker's frame is the same as given in the body's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.multibody.evaluation import Evaluation
from scenes import random_rotation

Array = NDArray[np.float64]
BODY = {"mass": 1.3, "centre": (0.1, 0.2, -0.1), "inertia": (0.3, 0.4, 0.5)}


def evaluated(system: pc.MultibodySystem) -> Evaluation:
    compiled = system.compile()
    return compiled.evaluate(0.0, compiled.start_state())


def bodies() -> pc.MultibodySystem:
    system = pc.MultibodySystem("markers")
    system.add_body("base", **BODY)
    system.add_joint("pivot", "spherical", "world", "base", speeds=(0.5, 1.0, -0.7))
    system.add_body("tip", **BODY, position=(0.5, 0.2, 0.1), angular_velocity=(1.0, 2.0, 3.0))
    return system


def same(one: pc.MultibodySystem, two: pc.MultibodySystem) -> None:
    first, second = evaluated(one), evaluated(two)
    # Rounding of one more product of rotations, times the stabilisation of loops.
    for name in ("rotation", "position", "velocity"):
        np.testing.assert_allclose(getattr(second.bodies, name), getattr(first.bodies, name), atol=1e-9)
    np.testing.assert_allclose(second.acceleration, first.acceleration, atol=1e-9)


@pytest.fixture
def frames() -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(6)
    return [(random_rotation(rng), rng.normal(size=3)) for _ in range(2)]


def test_joint_between_markers(frames: list[tuple[Array, Array]]) -> None:
    (R_a, r_a), (R_b, r_b) = frames
    start = {"coordinates": (0.3, 0.2), "speeds": (1.0, -0.4)}
    plain = bodies()
    plain.add_joint("j", "cylindrical", "base", "tip", at=r_a, rotation=R_a, child_at=r_b, child_rotation=R_b, **start)
    marked = bodies()
    marked.add_marker("socket", "base", r_a, R_a)
    marked.add_marker("plug", "tip", r_b, R_b)
    joint = marked.add_joint("j", "cylindrical", "socket", "plug", **start)
    assert (joint.parent, joint.child) == ("base", "tip")
    same(plain, marked)


def test_loop_and_spring_between_markers(frames: list[tuple[Array, Array]]) -> None:
    (R_a, r_a), (R_b, r_b) = frames
    plain, marked = bodies(), bodies()
    marked.add_marker("socket", "base", r_a, R_a)
    marked.add_marker("plug", "tip", r_b, R_b)
    p, q = np.array([0.1, 0.0, 0.2]), np.array([0.0, -0.3, 0.0])
    plain.add_force(pc.multibody.SpringDamper("s", "base", r_a + R_a @ p, "tip", r_b + R_b @ q, 40.0, 3.0))
    marked.add_force(pc.multibody.SpringDamper("s", "socket", p, "plug", q, 40.0, 3.0))
    same(plain, marked)
    plain.add_loop("l", "spherical", "base", "tip", at_a=r_a + R_a @ p, at_b=r_b + R_b @ q)
    marked.add_loop("l", "spherical", "socket", "plug", at_a=p, at_b=q)
    same(plain, marked)


def test_a_users_force_at_a_marker(frames: list[tuple[Array, Array]]) -> None:
    R, r = frames[0]
    plain, marked = bodies(), bodies()
    marked.add_marker("eye", "tip", r, R)
    point, force = np.array([0.1, 0.2, 0.3]), (1.0, 2.0, 3.0)
    plain.add_force(pc.multibody.PythonForce("f", lambda view: view.add_force("tip", force, r + R @ point)))
    marked.add_force(pc.multibody.PythonForce("f", lambda view: view.add_force("eye", force, point)))
    same(plain, marked)
    placed = evaluated(marked).bodies
    R_tip, r_tip = placed.pose("tip")
    R_eye, r_eye = placed.pose("eye")
    np.testing.assert_allclose(R_eye, R_tip @ R, atol=1e-15)
    np.testing.assert_allclose(r_eye, r_tip + R_tip @ r, atol=1e-15)
    w, v = placed.twist("tip")
    np.testing.assert_allclose(placed.twist("eye")[1], v + np.cross(w, R_tip @ r), atol=1e-14)


@pytest.mark.parametrize("kind", ["fixed", "prismatic"])
def test_frames_of_a_loop_hold_bodies_that_are_turned(kind: str, frames: list[tuple[Array, Array]]) -> None:
    """With the joint's frame given on both bodies, a start that fits it stays, however they are turned."""
    (R_a, r_a), (R_b, r_b) = frames
    tree = bodies()
    tree.add_joint("j", kind, "base", "tip", at=r_a, rotation=R_a, child_at=r_b, child_rotation=R_b)
    carried = evaluated(tree)
    (R, r), (w, v) = carried.bodies.pose("tip"), carried.bodies.twist("tip")
    closed = pc.MultibodySystem("closed")
    closed.add_body("base", **BODY)
    closed.add_joint("pivot", "spherical", "world", "base", speeds=(0.5, 1.0, -0.7))
    closed.add_body("tip", **BODY, position=r, rotation=R, velocity=v, angular_velocity=w)
    closed.add_loop("l", kind, "base", "tip", at_a=r_a, at_b=r_b, rotation_a=R_a, rotation_b=R_b)
    same(tree, closed)


@pytest.mark.parametrize(
    ("act", "fragments"),
    [
        (lambda s: s.add_marker("tip", "base"), ("marker 'tip' exists already",)),
        (lambda s: s.add_marker("m", "bas"), ("marker 'm'", "did you mean 'base'?")),
        (lambda s: s.add_marker("m", "base", (0, 0)), ("marker 'm': position has shape (2,)",)),
        (lambda s: s.add_marker("m", "base", rotation=np.ones((3, 3))), ("rotation is not a rotation",)),
        (lambda s: (s.add_marker("m", "base"), s.add_body("m", **BODY)), ("body 'm' exists already",)),
        (
            lambda s: (s.add_marker("m", "base"), s.add_loop("l", "fixed", "m", "base")),
            ("loop 'l': both ends are on 'base'",),
        ),
        (
            lambda s: (s.add_marker("peg", "tip"), s.add_joint("j", "fixed", "base", "pge")),
            ("joint 'j'", "did you mean 'peg'?"),
        ),
    ],
)
def test_message(act: object, fragments: tuple[str, ...]) -> None:
    with pytest.raises(pc.MultibodyError) as caught:
        act(bodies())  # type: ignore[operator]
    for fragment in fragments:
        assert fragment in str(caught.value), caught.value
