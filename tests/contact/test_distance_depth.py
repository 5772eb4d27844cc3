"""The depth as a distance to the target: right in every pose, conservative, continuous, the same bits in any order."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import polycontact as pc
from proof.properties.approach import random_direction, way_to_contact
from proof.properties.path_work import random_path, work_around
from proof.properties.various_bodies import body

C = 1e8
U = 1e-3
LAW = pc.LayerLaw(stiffness=C)
Array = NDArray[np.float64]


def turned(surface: pc.Surface, R: Array) -> pc.Surface:
    """The same body, described in a frame that is turned by R."""
    return pc.Surface(surface.vertices @ R, surface.triangles)


def force_in_world(
    e: pc.Surface, f: pc.Surface, position: Array, base: pc.Base, rng: np.random.Generator | None = None
) -> Array:
    """Force on E in world axes, with meshes in frames of any direction."""
    R_e, R_f = (Rotation.random(random_state=rng).as_matrix() if rng else np.eye(3) for _ in range(2))
    pair = pc.ContactPairing(turned(e, R_e), turned(f, R_f), law=LAW, base=base)
    return R_e @ pair.wrench(R_e.T @ R_f, R_e.T @ position)[:3]


def box(n: int) -> pc.Surface:
    return pc.shapes.box((0.4, 0.4, 0.2), (n, n, max(1, n // 2)))


def table(n: int) -> pc.Surface:
    return pc.shapes.box((1.2, 1.2, 0.1), (n, n, 1))


POSES: dict[str, tuple[Callable[[int], pc.Surface], tuple[float, float, float], float]] = {
    "over an edge by a quarter": (table, (-0.5, 0.0, -0.15 + U), 12e3),
    "over a corner": (table, (-0.5, -0.5, -0.15 + U), 9e3),
    "equal boxes": (box, (0.0, 0.0, -0.2 + U), 16e3),
    "equal boxes, 1 cm aside": (box, (0.01, 0.0, -0.2 + U), 15.6e3),
}


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("pose", POSES)
def test_boxes_at_edges_and_corners(pose: str, base: pc.Base, n: int) -> None:
    other, position, expected = POSES[pose]
    rng = np.random.default_rng(len(pose) + n)
    narrowest = 0.3  # m, of the overlap
    for turn in (None, rng, rng):
        force = force_in_world(box(n), other(n), np.array(position), base, turn)
        # A strip of the depth's width along each edge carries half of what lies beside it.
        assert force[2] == pytest.approx(expected, rel=4.0 * U / narrowest)
        assert np.abs(force[:2]).max() <= U / narrowest * force[2]


@pytest.mark.parametrize("half_angle", [5.0, 10.0, 30.0, 60.0])
def test_spikes(half_angle: float) -> None:
    """A cone gets c·V as the base; against a plate as the base c·V·sin of its half angle."""
    cone = pc.shapes.cone(0.1 * np.tan(np.radians(half_angle)), 0.1)
    plate = pc.shapes.box((0.8, 0.8, 0.1), (3, 3, 1))
    assert cone.vertices[:, 2].min() == 0.0  # its tip
    kinematics = pc.RelativeKinematics(position=(0.011, 0.007, 0.02 - 0.05))
    found = pc.ContactPairing(cone, plate, law=LAW).evaluate(kinematics)
    assert found.force == pytest.approx([0.0, 0.0, C * found.volume], abs=5e-3 * C * found.volume)
    found = pc.ContactPairing(cone, plate, law=LAW, base=pc.Base.F).evaluate(kinematics)
    share = np.linalg.norm(found.force) / (C * found.volume)
    # 32 sides instead of a circle lie 0.5 % nearer to the axis; the rest is the tolerance.
    assert share == pytest.approx(np.sin(np.radians(half_angle)), rel=0.02)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_contained_body_is_pushed_out(base: pc.Base) -> None:
    ball, room = pc.shapes.sphere(0.05, 2), pc.shapes.box((1.0, 1.0, 1.0), 2)
    pair = pc.ContactPairing(ball, room, law=LAW, base=base)
    with pytest.warns(pc.ContactWarning, match="wholly inside"):
        found = pair.evaluate(pc.RelativeKinematics(position=(0.3, 0.1, 0.05)))
    share = 0.5 if base is pc.Base.BOTH else 1.0
    # The nearest wall stands at x = -0.2 of the ball's frame: the ball is pushed there.
    assert found.force == pytest.approx([-share * C * ball.volume, 0.0, 0.0], abs=1e-6 * C * ball.volume)


def test_pyramid_on_a_plane_meshed_ever_finer() -> None:
    vertices = np.array([[0.1, 0, 0], [0, 0.1, 0], [-0.1, 0, 0], [0, -0.1, 0], [0, 0, -0.1]], dtype=float)
    triangles = [[0, 1, 2], [0, 2, 3], [1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]]
    pyramid = pc.Surface(vertices, triangles)
    forces = [
        pc.ContactPairing(pyramid, pc.shapes.box((1.0, 1.0, 0.2), (n, n, 1)), law=LAW).wrench(
            np.eye(3), (0.013, 0.007, -0.1 - 0.1 + 0.03)
        )[2]
        for n in (1, 4, 16, 64)
    ]
    volume = 2.0 * 0.03**2 * 0.03 / 3.0
    assert forces == pytest.approx([C * volume] * 4, rel=2e-3)


def test_octahedron_in_its_cube() -> None:
    """Edges meet edges to rounding everywhere: by symmetry there is no force."""
    corners = np.vstack((np.eye(3), -np.eye(3)))
    triangles = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    octahedron, cube = pc.Surface(corners, triangles), pc.shapes.box((1.0, 1.0, 1.0))
    for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH):
        found = pc.ContactPairing(octahedron, cube, law=LAW, base=base).evaluate(pc.RelativeKinematics())
        # A face of the octahedron inside the cube carries some 1e7 N; an element larger than its triangle would show.
        assert np.linalg.norm(found.force) < 1e-2 * C * 0.1


def test_slivers_have_no_false_depth() -> None:
    """A box that stands flush on another, pressed in by rounding: its sides have elements of 1e-18 m² inside."""
    box, table = pc.shapes.box((0.2, 0.2, 0.1)), pc.shapes.box((1.0, 1.0, 0.1))
    found = pc.ContactPairing(box, table, law=LAW).evaluate(pc.RelativeKinematics(position=(-0.3, -0.05, -0.1)))
    assert found.elements.depth.max(initial=0.0) < 1e-9


def test_plate_pressed_through() -> None:
    """A plate 1 mm thick, 3 mm deep in a floor, gets c·V and says so."""
    plate, floor = pc.shapes.box((0.2, 0.2, 1e-3), (4, 4, 1)), pc.shapes.box((1.0, 1.0, 0.5), (2, 2, 1))
    # Its lower face 3 mm deep, its upper face 2 mm: wholly inside.
    position = (0.0, 0.0, -0.25 - 0.5e-3 + 3e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        inside = pc.ContactPairing(plate, floor, law=LAW).evaluate(pc.RelativeKinematics(position=position))
    assert inside.force[2] == pytest.approx(C * 0.04 * 1e-3, rel=1e-3)
    tilted = Rotation.from_rotvec((0.04, 0.0, 0.0)).as_matrix()
    pair = pc.ContactPairing(plate, floor, law=LAW)
    with pytest.warns(pc.ContactWarning, match="deeper than it is thick"):
        found = pair.evaluate(pc.RelativeKinematics(rotation=tilted, position=position))
    assert found.status & pc.ContactStatus.PRESSED_THROUGH


@pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
def test_plate_sinks_without_a_jump() -> None:
    """c·A·u down to its thickness, c·V from there on; with the paper's depth nothing from there on."""
    plate, floor = pc.shapes.box((0.2, 0.2, 1e-3), (4, 4, 1)), pc.shapes.box((1.0, 1.0, 0.5), (2, 2, 1))
    pair = pc.ContactPairing(plate, floor, law=LAW)
    paper = pc.ContactPairing(plate, floor, law=LAW, depth="base_normal")
    for u in (1e-4, 5e-4, 0.99e-3, 1e-3 - 1e-9, 1e-3, 1e-3 + 1e-9, 1.01e-3, 1.5e-3, 3e-3):
        position = (0.0, 0.0, -0.25 - 0.5e-3 + u)
        # Side faces 1 mm high, 0.2 m apart, cancel each other.
        assert pair.wrench(np.eye(3), position)[2] == pytest.approx(C * 0.04 * min(u, 1e-3), rel=1e-3)
        expected = C * 0.04 * u if u < 1e-3 else 0.0
        assert paper.wrench(np.eye(3), position)[2] == pytest.approx(expected, rel=1e-3)


@pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
def test_front_face_of_a_plate_alone() -> None:
    """An open sheet that looks down, in a floor and across a post: c·A·u however deep."""
    sheet = pc.shapes.plane(0.2, 4).flipped()
    floor, post = pc.shapes.box((1.0, 1.0, 0.5), (2, 2, 1)), pc.shapes.box((0.1, 0.1, 0.5), (2, 2, 4))
    for ground, area in ((floor, 0.04), (post, 0.01)):
        for u in (1e-4, 3e-3):
            force = pc.ContactPairing(sheet, ground, law=LAW).wrench(np.eye(3), (0.0, 0.0, -0.25 + u))[:3]
            # Along the edges of the post, a strip of the depth's width carries half: 2 u of 0.1 m.
            assert force[2] == pytest.approx(C * area * u, rel=1e-6 if ground is floor else 2.1 * u / 0.1)
            assert np.abs(force[:2]).max() < 1e-6 * force[2]


BODIES = ("ball", "coarse ball", "box", "fine box", "torus", "cylinder", "cone", "plate", "table", "bubble")


def draw_bodies(rng: np.random.Generator) -> tuple[pc.Surface, pc.Surface, pc.Base]:
    e, f = (body(str(name)) for name in rng.choice(BODIES, 2))
    return e, f, pc.Base(rng.choice(["E", "F", "both"]))


def contact_pose(e: pc.Surface, f: pc.Surface, rng: np.random.Generator, depth: float) -> tuple[Array, Array]:
    """A pose in which the bodies have met along a random direction and gone on by ``depth`` of the smaller size."""
    R, direction = Rotation.random(random_state=rng).as_matrix(), random_direction(rng)
    way = way_to_contact(e, f, R, direction)
    return R, ((way or 0.0) - depth * min(e.size, f.size)) * direction


def test_work_around_closed_paths() -> None:
    rng = np.random.default_rng(7)
    found: dict[float, list[float]] = {1e-2: [], 1e-3: []}
    for _ in range(20):
        e, f, base = draw_bodies(rng)
        depth = float(rng.choice([0.01, 0.03, 0.1]))
        seed = int(rng.integers(2**31))
        for tolerance, work in found.items():
            again = np.random.default_rng(seed)
            pair = pc.ContactPairing(e, f, law=LAW, method=pc.contact.PolygonalMethod(base=base, tolerance=tolerance))
            path = random_path(again, *contact_pose(e, f, again, depth), 0.8 * depth * min(e.size, f.size))
            work.append(work_around(pair, path, 160).left_over)
    usual, fine = (np.array(each)[np.isfinite(each)] for each in found.values())
    assert len(usual) >= 12  # pairs that touch
    assert np.median(usual) < 1e-3
    assert usual.max() < 1e-2
    assert np.median(fine) < np.median(usual)


def test_force_is_continuous() -> None:
    """Where the force changes most along a path it changes by next to nothing over a billionth of the size."""
    rng = np.random.default_rng(3)
    looked_at = 0
    for _ in range(10):
        e, f, base = draw_bodies(rng)
        law = pc.LayerLaw(stiffness=1e7, damping=1e3)
        pair = pc.ContactPairing(
            e, f, law=law, base=base, friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.1)
        )
        R, r = contact_pose(e, f, rng, 0.02)
        size = min(e.size, f.size)
        v, w, way = rng.normal(size=(3, 3))
        way *= 0.25 * size / np.linalg.norm(way)
        places = [r + way * s for s in np.linspace(-0.5, 0.5, 80)]
        forces = [pair.wrench(R, p, v, w)[:3] for p in places]
        greatest = max(np.linalg.norm(force) for force in forces)
        if greatest == 0.0:
            continue
        steps = [np.linalg.norm(b - a) for a, b in pairwise(forces)]
        for k in np.argsort(steps)[-2:]:
            looked_at += 1
            low, high, f_low, f_high = places[k], places[k + 1], forces[k], forces[k + 1]
            while np.linalg.norm(high - low) > 1e-9 * size:
                middle = 0.5 * (low + high)
                force = pair.wrench(R, middle, v, w)[:3]
                if np.linalg.norm(force - f_low) > np.linalg.norm(f_high - force):
                    high, f_high = middle, force
                else:
                    low, f_low = middle, force
            assert np.linalg.norm(f_high - f_low) < 1e-6 * max(np.linalg.norm(f_high), 1e-2 * greatest)
    assert looked_at >= 12


def test_what_is_remembered_changes_no_bit() -> None:
    rng = np.random.default_rng(5)
    compared = 0
    for _ in range(8):
        e, f, base = draw_bodies(rng)
        pair = pc.ContactPairing(e, f, law=LAW, base=base)
        R, r = contact_pose(e, f, rng, 0.05)
        way = 0.02 * min(e.size, f.size) * rng.normal(size=3)
        places = [r + way * s for s in np.linspace(0.0, 1.0, 30)]
        coherent = [pair.wrench(R, p) for p in places]
        for p, wrench in list(zip(places, coherent, strict=True))[::10]:
            fresh = pc.ContactPairing(e, f, law=LAW, base=base).wrench(R, p)
            assert np.array_equal(fresh, wrench)
            compared += bool(np.any(wrench != 0.0))
    assert compared >= 10


def test_tolerance_is_refused_where_it_makes_no_sense() -> None:
    with pytest.raises(pc.ContactError, match="tolerance"):
        pc.contact.PolygonalMethod(tolerance=0.0)
    with pytest.raises(pc.ContactError, match="tolerance"):
        pc.contact.PolygonalMethod(tolerance=float("nan"))


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_flanks_that_slide_along_the_target_are_not_damped(base: pc.Base) -> None:
    """A block sunk in by 0.1 mm and pulled sideways: damping of its submerged side faces would hold it back."""
    block, floor = pc.shapes.box((0.05, 0.05, 0.05), 4), pc.shapes.box((0.5, 0.5, 0.1), 3)
    law = pc.LayerLaw(stiffness=1e7, damping=1e5)
    pair = pc.ContactPairing(block, floor, law=law, base=base)
    wrench = pair.wrench(np.eye(3), (0.0, 0.0, -0.075 + 1e-4), (0.3, 0.1, 0.0))
    assert wrench[2] == pytest.approx(1e7 * 0.05**2 * 1e-4, rel=0.02)
    assert np.abs(wrench[:2]).max() < 1e-6 * wrench[2]
    sinking = pair.wrench(np.eye(3), (0.0, 0.0, -0.075 + 1e-4), (0.0, 0.0, 0.01))
    assert sinking[2] - wrench[2] == pytest.approx(1e5 * 0.05**2 * 0.01, rel=0.02)
