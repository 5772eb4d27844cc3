"""Broad phase, tree, method and law are replaced from outside the package, one by one and all at once (S2.3, X.5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.views import JIT_IS_OFF
from sphere_method import Ball, BallOnGround, Ground

RADIUS, SPRING = 0.05, 2e4
"""m, N/m."""

# The parts ----------------------------------------------------------------------------------------------------


@pc.multibody.broad_phase("sweep along z", room=lambda n_shapes, n_pairs: n_shapes)
def sweep_along_z(boxes: Any, pairs: Any, near: Any, memory: Any) -> int:
    """Shapes by their lower z, sorted anew each time; pairs in the order of the sweep, found by search."""
    n_shapes = boxes.n_shapes
    for k in range(n_shapes):
        memory[k] = k
    for k in range(1, n_shapes):
        shape, at = memory[k], k
        while at > 0 and boxes.low[memory[at - 1], 2] > boxes.low[shape, 2]:
            memory[at] = memory[at - 1]
            at -= 1
        memory[at] = shape
    n = 0
    for k in range(n_shapes):
        i = memory[k]
        for m in range(k + 1, n_shapes):
            j = memory[m]
            if boxes.low[j, 2] > boxes.high[i, 2]:
                break
            overlap = True
            for axis in range(2):
                overlap = overlap and boxes.low[i, axis] <= boxes.high[j, axis]
                overlap = overlap and boxes.low[j, axis] <= boxes.high[i, axis]
            if overlap:
                at = np.searchsorted(pairs.key, min(i, j) * n_shapes + max(i, j))
                if at < pairs.n_pairs and pairs.key[at] == min(i, j) * n_shapes + max(i, j):
                    near[n] = at
                    n += 1
    return n


def along_a_curve(surface: pc.Surface) -> NDArray[np.int64]:
    """Triangles in the order of a Morton curve through their barycentres."""
    low, high = surface.bounds
    cells = ((surface.barycentres - low) / (high - low).max() * 1023).astype(np.int64)
    code = sum(((cells[:, axis] >> bit) & 1) << (3 * bit + axis) for bit in range(10) for axis in range(3))
    return np.argsort(code, kind="stable")


@pc.laws.contact_law("linear, from outside")
def linear(elements: Any, parameters: Any) -> None:
    """As a layer law without damping; parameter: N/m³, or N/m for points."""
    for k in range(elements.n):
        force = elements.share * elements.weight[k] * elements.area[k] * parameters[0] * elements.depth[k]
        elements.normal_force[k] = force
        elements.elastic_force[k] = force
        elements.energy[k] = 0.5 * force * elements.depth[k]


# Broad phases -------------------------------------------------------------------------------------------------


def heap(n: int, broad_phase: pc.multibody.BroadPhase, **options: Any) -> pc.MultibodySystem:
    """Balls of two sizes that fall on a plate and on each other; ``options`` of all contacts."""
    rng = np.random.default_rng(5)
    system = pc.MultibodySystem("heap", broad_phase=broad_phase)
    options = {"method": pc.contact.ConvexMethod(), "law": pc.LayerLaw(stiffness=SPRING, damping=20.0), **options}
    system.add_body("plate", surface=pc.convex.Box((2.0, 2.0, 0.2)), fixed=True, position=(0, 0, -0.1))
    for i in range(n):
        place = np.array([0.11 * (i % 3), 0.11 * (i // 3 % 3), 0.06 + 0.11 * (i // 9)]) + rng.uniform(-0.01, 0.01, 3)
        ball = pc.convex.Sphere(RADIUS if i % 4 else 0.6 * RADIUS)
        system.add_body(f"ball {i}", surface=ball, mass=1.0, position=place, velocity=rng.normal(size=3))
    system.find_contacts(**options)
    return system


BROAD_PHASES = [pc.multibody.UNIFORM_GRID, pc.multibody.ALL_PAIRS, sweep_along_z]


@pytest.mark.parametrize("broad_phase", BROAD_PHASES, ids=lambda each: each.name)
def test_another_broad_phase_gives_the_same_bits(broad_phase: pc.multibody.BroadPhase) -> None:
    runs = [pc.simulate(heap(27, each), end_time=0.08) for each in (pc.multibody.SWEEP_AND_PRUNE, broad_phase)]
    assert np.count_nonzero(runs[0].trajectory.array("contact")) > 100, "they touch"
    for name in ("state", "wrenches", "contact", "energies"):
        np.testing.assert_array_equal(*[run.trajectory.array(name) for run in runs], err_msg=name)
    assert runs[0].statistics.evaluations == runs[1].statistics.evaluations


def scattered(n: int, broad_phase: pc.multibody.BroadPhase, seed: int) -> pc.MultibodySystem:
    """Boxes of very different sizes, a few of them far away; every third pair cannot touch."""
    rng = np.random.default_rng(seed)
    system = pc.MultibodySystem("scattered", broad_phase=broad_phase)
    for i in range(n):
        size = 10.0 ** rng.uniform(-2.0, 0.3, 3)
        away = 1e9 if i % 10 == 0 else 1.0
        box = pc.convex.Box(size)
        system.add_body(f"b{i}", surface=box, mass=1.0, position=away * rng.uniform(-1.0, 1.0, 3))
    pairs = [(i, j) for i in range(n) for j in range(i) if (i + j) % 3]
    for i, j in pairs:
        system.add_contact(f"b{i}", f"b{j}", method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e3))
    return system


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("broad_phase", BROAD_PHASES, ids=lambda each: each.name)
def test_the_same_near_pairs_wherever_bodies_are(broad_phase: pc.multibody.BroadPhase, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (scattered(40, each, seed).compile() for each in (pc.multibody.SWEEP_AND_PRUNE, broad_phase))
    y = first.start_state()
    seen = 0
    for _ in range(5):
        near = first.evaluate(0.0, y).contacts.near
        np.testing.assert_array_equal(near, second.evaluate(0.0, y).contacts.near)
        seen += len(near)
        y[: first.n_coordinates] += 0.2 * rng.normal(size=first.n_coordinates)
        first.project(0.0, y)
    assert seen > 50


def test_a_broad_phase_is_set_later_too() -> None:
    system = heap(9, pc.multibody.SWEEP_AND_PRUNE)
    before = system.compile()
    system.broad_phase = pc.multibody.ALL_PAIRS
    assert system.compile() is not before
    with pytest.raises(pc.MultibodyError, match="broad_phase is 'grid'; give SWEEP_AND_PRUNE"):
        system.broad_phase = "grid"  # type: ignore[assignment]


@pc.multibody.broad_phase("one pair twice")
def twice(boxes: Any, pairs: Any, near: Any, memory: Any) -> int:
    near[0] = near[1] = 3
    return 2


@pc.multibody.broad_phase("no pair")
def no_pair(boxes: Any, pairs: Any, near: Any, memory: Any) -> int:
    near[0] = pairs.n_pairs
    return 1


@pc.multibody.broad_phase("too many")
def too_many(boxes: Any, pairs: Any, near: Any, memory: Any) -> int:
    return int(pairs.n_pairs) + 1


@pc.multibody.broad_phase("bad room", room=lambda n_shapes, n_pairs: -1)
def bad_room(boxes: Any, pairs: Any, near: Any, memory: Any) -> int:
    return 0


@pytest.mark.parametrize(
    ("broad_phase", "told"),
    [
        (twice, "'one pair twice' gave 3 at t = 0 s: more pairs than there are, no pair, or one given twice"),
        (no_pair, "'no pair' gave 45 at t = 0 s"),
        (too_many, "'too many' gave 46 at t = 0 s"),
        (bad_room, "'bad room': room for 10 shapes and 45 pairs is -1; give a whole number"),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_what_is_no_list_of_pairs_is_refused(broad_phase: pc.multibody.BroadPhase, told: str) -> None:
    """Each would otherwise count a force twice, or read beyond an array."""
    compiled = heap(9, broad_phase).compile()
    with pytest.raises(pc.MultibodyError, match=told):
        compiled.evaluate(0.0, compiled.start_state())


def test_what_is_no_broad_phase_is_refused() -> None:
    with pytest.raises(pc.MultibodyError, match=r"has 2 arguments; expected \(boxes, pairs, near, memory\)"):
        pc.multibody.broad_phase("short")(lambda boxes, pairs: 0)
    if JIT_IS_OFF:
        return

    def silent(boxes: Any, pairs: Any, near: Any, memory: Any) -> None:
        near[0] = 0

    with pytest.raises(pc.MultibodyError, match="'silent' cannot be compiled; it must return how many"):
        pc.multibody.broad_phase("silent")(silent)  # type: ignore[arg-type]


# Trees --------------------------------------------------------------------------------------------------------


def shuffled(surface: pc.Surface) -> NDArray[np.int64]:
    return np.random.default_rng(1).permutation(surface.n_triangles)


POSES = [(np.eye(3), np.array([0.7, 0.05, 0.65])), (np.eye(3)[[1, 2, 0]], np.array([0.6, 0.5, 0.6]))]


@pytest.mark.parametrize("leaves", [along_a_curve, shuffled], ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    "method",
    [
        pc.contact.PolygonalMethod(),
        pc.contact.PolygonalMethod(depth="base_normal"),
        pc.contact.PenetrationLines(),
        pc.contact.NodeBlockMethod(),
    ],
    ids=["distance", "base_normal", "lines", "nodes"],
)
def test_contact_does_not_depend_on_the_tree(leaves: Any, method: Any) -> None:
    """A Morton curve, and an order that is as bad as can be: forces differ by the order of sums only."""
    torus, ball = pc.shapes.torus(0.7, 0.3), pc.shapes.sphere(0.4, 3)
    law, friction = pc.LayerLaw(stiffness=1e6), pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01)
    usual = pc.ContactPairing(torus, ball, method=method, law=law, friction=friction)
    trees = torus.with_tree(leaves), ball.with_tree(leaves(ball))
    other = pc.ContactPairing(*trees, method=method, law=law, friction=friction)
    for R, r in POSES:
        force = usual.wrench(R, r, (0.1, 0.2, -0.3))
        assert np.linalg.norm(force[:3]) > 100.0
        np.testing.assert_allclose(other.wrench(R, r, (0.1, 0.2, -0.3)), force, rtol=0, atol=1e-12 * abs(force).max())


def test_a_tree_keeps_its_leaves_when_vertices_move() -> None:
    ball = pc.shapes.sphere(0.4, 2).with_tree(along_a_curve)
    order = along_a_curve(ball)
    np.testing.assert_array_equal(ball.tree.order, order)
    np.testing.assert_array_equal(ball.contact_data.order, order)
    for surface in (ball, pc.shapes.sphere(0.4, 2).with_tree(along_a_curve)):  # with and without data for kernels
        moved = surface.with_vertices(1.5 * surface.vertices)
        np.testing.assert_array_equal(moved.tree.order, order)
        np.testing.assert_allclose(moved.tree.boxes, 1.5 * ball.tree.boxes, atol=1e-15)
    assert not np.array_equal(pc.shapes.sphere(0.4, 2).tree.order, order)


def test_the_surface_itself_keeps_its_tree() -> None:
    ball = pc.shapes.sphere(0.4, 2)
    before = ball.contact_data.order.copy()
    ball.with_tree(along_a_curve)
    np.testing.assert_array_equal(ball.contact_data.order, before)


@pytest.mark.parametrize(
    ("leaves", "told"),
    [
        ([0, 1, 2], r"have shape \(3,\) and type int64; give the numbers of its 12 triangles"),
        (np.arange(12.0), "type float64; give"),
        (np.arange(1, 13), "do not hold every triangle once, see triangle 12"),
        ([0, *range(11)], "do not hold every triangle once, see triangle 0"),
        (np.arange(-1, 11), "see triangle -1"),
    ],
)
def test_what_is_no_order_of_leaves_is_refused(leaves: Any, told: str) -> None:
    with pytest.raises(pc.SurfaceError, match=told):
        pc.shapes.box((1.0, 1.0, 1.0)).with_tree(leaves)


# Laws and methods ---------------------------------------------------------------------------------------------


def test_a_law_from_outside_gives_what_ours_gives() -> None:
    plate, ball = pc.shapes.plane(2.0, 8), pc.shapes.sphere(0.4, 3)
    ours = pc.ContactPairing(ball, plate, law=pc.LayerLaw(stiffness=1e6))
    theirs = pc.ContactPairing(ball, plate, law=linear(1e6))
    expected = ours.wrench(np.eye(3), (0.0, 0.0, -0.38))
    assert expected[2] > 100.0
    np.testing.assert_allclose(theirs.wrench(np.eye(3), (0.0, 0.0, -0.38)), expected, rtol=1e-14, atol=1e-12)


def bouncing(**options: Any) -> pc.MultibodySystem:
    """A ball over the ground, or over a plate, by one point."""
    is_ours = isinstance(options["method"], pc.contact.ConvexMethod)
    system = pc.MultibodySystem("bouncing", broad_phase=options.pop("broad_phase", pc.multibody.SWEEP_AND_PRUNE))
    ground = pc.convex.Box((4.0, 4.0, 0.5)) if is_ours else Ground()
    ball = pc.convex.Sphere(RADIUS) if is_ours else Ball(RADIUS)
    system.add_body("ground", surface=ground, fixed=True, position=(0, 0, -0.25 if is_ours else 0.0))
    system.add_body("ball", surface=ball, mass=1.0, position=(0.1, 0.0, 0.2), velocity=(0.5, 0.0, 0.0))
    system.add_contact("ground", "ball", **options)
    return system


def test_all_four_at_once() -> None:
    """Method, law and broad phase from outside: a bounce as ours, to the tolerance of the integration; with trees too.

    The method is another than ours, and so is the shape of the ground: only the depth is the same, but for 1e-9 by
    which convex shapes are smaller.
    """
    tolerances = {"end_time": 0.4, "rtol": 1e-9, "atol": 1e-11}
    ours = pc.simulate(bouncing(method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=SPRING)), **tolerances)
    own = bouncing(method=BallOnGround(), law=linear(SPRING), broad_phase=sweep_along_z)
    disc = pc.shapes.box((0.2, 0.2, 0.05), 4).with_tree(along_a_curve)
    own.add_body("disc", surface=disc, mass=1.0, position=(1.0, 0.0, 0.5))
    own.add_body("floor", surface=pc.shapes.plane(1.0).with_tree(along_a_curve), fixed=True, position=(1.0, 0.0, 0.3))
    own.add_contact("disc", "floor", law=linear(1e6), name="landing")
    theirs = pc.simulate(own, **tolerances)
    expected, found = (run.trajectory.body("ball").position for run in (ours, theirs))
    assert expected[:, 2].min() < RADIUS
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert theirs.trajectory.pairing("landing").in_contact.any()
