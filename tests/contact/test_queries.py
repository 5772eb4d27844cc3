"""Signed distances of meshes: against another program and closed forms, continuity, bounds of motions, bad input."""

from __future__ import annotations

import math
from dataclasses import dataclass

import coal
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polycontact as pc
from scenes import LAW, Tally, random_rotation, rotation

I3 = np.eye(3)
SURFACES = {
    "sphere": pc.shapes.sphere(0.1, 3),
    "torus": pc.shapes.torus(0.1, 0.04),
    "box": pc.shapes.box((0.2, 0.15, 0.1)),
    "plate": pc.shapes.plate_with_hole((0.3, 0.3), 0.05, 0.06),
    "cone": pc.shapes.cone(0.1, 0.2),
    "sheet": pc.shapes.plane(0.4, 3),
}


def pair_of(e: pc.Surface, f: pc.Surface) -> pc.ContactPairing:
    """By nodes, which are prepared soonest; the distance is that of the surfaces for every method."""
    return pc.ContactPairing(e, f, method=pc.contact.NodeBlockMethod(), law=LAW, name="the pair")


def coal_model(surface: pc.Surface) -> coal.BVHModelOBBRSS:
    model = coal.BVHModelOBBRSS()
    model.beginModel(surface.n_triangles, len(surface.vertices))
    model.addVertices(surface.vertices)
    model.addTriangles(surface.triangles.astype(np.int64))
    model.endModel()
    return model


def coal_distance(e: object, f: object, R: np.ndarray, r: np.ndarray) -> float:
    result = coal.DistanceResult()
    coal.distance(e, coal.Transform3s(), f, coal.Transform3s(R, r), coal.DistanceRequest(), result)
    return float(result.min_distance)


@pytest.mark.parametrize("name_f", SURFACES)
@pytest.mark.parametrize("name_e", ["torus", "plate", "sheet"])
def test_distances_are_those_of_coal(name_e: str, name_f: str) -> None:
    e, f = SURFACES[name_e], SURFACES[name_f]
    pair, models = pair_of(e, f), (coal_model(e), coal_model(f))
    rng = np.random.default_rng(4)
    apart, meeting = Tally(), Tally()
    for _ in range(40):
        R, r = random_rotation(rng), rng.normal(size=3)
        r *= rng.uniform(0.05, 0.5) / np.linalg.norm(r)
        found = pair.distance(R, r)
        theirs = coal_distance(*models, R, r)
        apart.note(found.status is pc.contact.DistanceStatus.SEPARATED)
        meeting.note(found.distance < 0.0)
        # Witnesses lie on both surfaces, the distance apart along the normal.
        assert np.abs(e.closest_points([found.point_e]).distances).max() < 1e-14
        assert np.abs(f.closest_points([R.T @ (found.point_f - r)]).distances).max() < 1e-14
        np.testing.assert_allclose(found.point_f, found.point_e + found.distance * found.normal, atol=1e-15)
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
        if found.distance > 0.0:
            assert found.distance == pytest.approx(theirs, abs=1e-14)
        else:
            assert theirs <= 1e-14
    apart.assert_share(0.3)
    if name_e != "sheet" or name_f != "sheet":
        meeting.assert_share(0.03)


def test_two_boxes_have_the_distance_of_their_faces_edges_and_corners() -> None:
    box = pc.shapes.box(0.2)
    pair = pair_of(box, box)
    for shift, expected in (
        ((0.0, 0.05, 0.3), 0.1),
        ((0.0, 0.24, 0.23), 0.05),
        ((0.22, 0.26, 0.29), math.sqrt(0.02**2 + 0.06**2 + 0.09**2)),
        ((0.0, 0.03, 0.19), -0.01),
    ):
        assert pair.distance(I3, shift).distance == pytest.approx(expected, rel=1e-12)
    touching = pair.distance(I3, (0.0, 0.03, 0.2))
    assert touching.distance == pytest.approx(0.0, abs=1e-16)


def test_crossed_bars_whose_corners_are_outside() -> None:
    """Edge against edge: the depth of the deepest point of an edge, by hand (overlap of the diagonals over √2)."""
    bar = pc.shapes.box((1.0, 0.1, 0.1)).transformed(rotation=rotation((1, 0, 0), math.pi / 4))
    pair = pair_of(bar, bar)
    across = rotation((0, 0, 1), math.pi / 2)
    height = 0.1 * math.sqrt(2.0)
    apart = pair.distance(across, (0.0, 0.0, height + 0.01))
    assert apart.distance == pytest.approx(0.01, rel=1e-9)
    np.testing.assert_allclose(apart.normal, (0, 0, 1), atol=1e-9)
    for overlap in (1e-4, 0.01, 0.03):
        found = pair.distance(across, (0.0, 0.0, height - overlap))
        assert found.status is pc.contact.DistanceStatus.PENETRATING
        assert found.distance == pytest.approx(-overlap / math.sqrt(2.0), rel=1.1e-3)  # NEARLY


def test_balls_have_the_distance_of_their_centres() -> None:
    ball = pc.shapes.sphere(0.1, 4)
    pair = pair_of(ball, ball)
    direction = np.array([1.0, 2.0, -0.5]) / math.sqrt(5.25)
    for centre in (0.25, 0.21, 0.19, 0.15, 0.05):
        found = pair.distance(random_rotation(np.random.default_rng(5)), centre * direction)
        expected = centre - 0.2
        # Of facets 5 mm long that miss the sphere by 0.3 mm; depths beyond the centre are those of the near side.
        assert found.distance == pytest.approx(expected if centre > 0.1 else -0.1, abs=7e-4 if centre > 0.1 else 0.07)
        if centre > 0.1:
            assert found.normal @ direction > 0.99


def test_a_body_inside_another_is_as_deep_as_its_farthest_point() -> None:
    ball, block = pc.shapes.sphere(0.1, 2), pc.shapes.box(1.0)
    for pair, sign in ((pair_of(ball, block), -1.0), (pair_of(block, ball), 1.0)):
        found = pair.distance(I3, (0.0, 0.0, sign * 0.3))  # the ball's centre 0.2 below the top, its pole 0.3
        assert found.status is pc.contact.DistanceStatus.PENETRATING
        assert found.distance == pytest.approx(-0.3, rel=1.1e-3)
        np.testing.assert_allclose(found.normal, (0, 0, sign), atol=1e-9)  # from the ball down, from the block up


def test_it_is_continuous_and_falls_at_the_rate_of_the_motion() -> None:
    """Along a straight way through each other no jump is larger than what the motion and the accuracy allow."""
    e, f = SURFACES["torus"], SURFACES["box"]
    pair = pair_of(e, f)
    R = rotation((1, 2, 3), 0.7)
    steps = np.linspace(-0.3, 0.3, 301)
    values = np.array([pair.distance(R, (x, 0.03, 0.02)).distance for x in steps])
    assert values.max() > 0.03
    assert values.min() < -0.02
    jump = np.abs(np.diff(values))
    assert (jump <= steps[1] - steps[0] + 2e-3 * np.abs(values[1:]) + 1e-12).all()


def test_open_surfaces_have_no_inside() -> None:
    sheet, ball = SURFACES["sheet"], SURFACES["sphere"]
    across = rotation((1, 0, 0), math.pi / 2)
    crossing = pair_of(sheet, sheet).distance(across, (0.01, 0.02, 0.03))
    assert (crossing.distance, crossing.status) == (0.0, pc.contact.DistanceStatus.TOUCHING)
    # A sheet in a ball is as deep as its deepest point, the ball in the sheet has no depth.
    assert pair_of(sheet, ball).distance(I3, (0.0, 0.0, 0.05)).distance == pytest.approx(-0.05, rel=2e-2)
    assert pair_of(ball, sheet).distance(I3, (0.0, 0.0, 0.15)).distance == pytest.approx(0.05, rel=1e-9)


def test_what_moves_in_a_room_is_apart_from_its_wall() -> None:
    pair = pair_of(pc.shapes.sphere(0.02, 2), pc.shapes.sphere(0.1, 4).flipped())
    assert pair.distance(I3, (0.0, 0.0, 0.05)).distance == pytest.approx(0.03, abs=2e-4)
    assert pair.distance(I3, (0.0, 0.0, 0.09)).distance == pytest.approx(-0.01, abs=2e-4)


def test_all_methods_for_meshes_know_it() -> None:
    e, f = SURFACES["box"], SURFACES["cone"]
    R, r = rotation((1, 1, 0), 0.3), (0.3, 0.1, 0.0)
    lines = pc.ContactPairing(e, f, method=pc.contact.PenetrationLines(), law=LAW)
    assert lines.distance(R, r).distance == pair_of(e, f).distance(R, r).distance


@dataclass(frozen=True)
class Unknowing:
    """A method whose pair knows no distance."""

    def prepare(self, e: object, f: object, description: object, name: str) -> object:
        made = pc.contact.NodeBlockMethod().prepare(e, f, description, name)

        class Pair:
            entry, make_memory = made.entry, made.make_memory

        return Pair()

    def margin(self, e: object, f: object) -> float:
        return 0.0


def test_a_method_without_it_is_named() -> None:
    pair = pc.ContactPairing(SURFACES["box"], SURFACES["cone"], method=Unknowing(), law=LAW, name="mine")
    with pytest.raises(pc.ContactError, match="mine: Unknowing cannot measure distances"):
        pair.distance(I3, (1.0, 0.0, 0.0))
    with pytest.raises(pc.ContactError, match="Unknowing"):
        pair.free_time(I3, (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("R", "r"), [(2 * I3, (0, 0, 1)), (I3, (0, math.nan, 1)), (np.eye(2), (0, 0, 1)), (I3, (0, 1)), ("a", (0, 0, 1))]
)
def test_bad_poses_are_refused(R: object, r: object) -> None:
    with pytest.raises(pc.ContactError, match=r"relative kinematics: (rotation|position)"):
        pair_of(SURFACES["box"], SURFACES["cone"]).distance(R, r)


@pytest.mark.parametrize("duration", [-1.0, math.nan, math.inf, "long", None])
def test_bad_durations_are_refused(duration: object) -> None:
    with pytest.raises(pc.ContactError, match=r"the pair: duration is .* s; give a number that is zero or positive"):
        pair_of(SURFACES["box"], SURFACES["cone"]).swept_distance(I3, (1, 0, 0), (1, 0, 0), (0, 0, 0), duration)


def pose_after(R: np.ndarray, r: np.ndarray, v: np.ndarray, w: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    return Rotation.from_rotvec(w * t).as_matrix() @ R, r + v * t


def test_swept_distances_are_lower_bounds() -> None:
    rng = np.random.default_rng(6)
    free = Tally()
    for _ in range(30):
        e, f = (SURFACES[name] for name in rng.choice(list(SURFACES), 2))
        pair = pair_of(e, f)
        R, r = random_rotation(rng), rng.normal(size=3)
        r *= 0.6 / np.linalg.norm(r)
        v, w = rng.normal(size=3), rng.normal(size=3) * rng.choice([0.0, 1.0, 20.0])
        duration = rng.uniform(0.0, 0.3)
        bound = pair.swept_distance(R, r, v, w, duration)
        free.note(bound > 0.0)
        for t in np.linspace(0.0, duration, 7):
            assert pair.distance(*pose_after(R, r, v, w, t)).distance >= bound - 1e-12
        step = pair.free_time(R, r, v, w)
        assert pair.swept_distance(R, r, v, w, step) >= -1e-12
        assert pair.distance(*pose_after(R, r, v, w, step)).distance >= -1e-12
    free.assert_share(0.2)


def test_conservative_advancement_comes_to_the_first_touch() -> None:
    """A ball that flies to a plate at 1 m/s and spins: the time to touch, by hand."""
    pair = pair_of(pc.shapes.box((1.0, 1.0, 0.2)), pc.shapes.sphere(0.1, 3))
    v, w = np.array([0.0, 0.0, -1.0]), np.array([0.0, 0.0, 3.0])
    t, r = 0.0, np.array([0.1, 0.0, 0.7])
    for _ in range(200):
        step = pair.free_time(*pose_after(I3, r, v, w, t), v, w)
        t += step
        if step < 1e-9:
            break
    assert t == pytest.approx(0.5, abs=1e-6)  # 0.7 m less 0.1 m of the plate and 0.1 m of the ball
    assert pair.free_time(I3, (0, 0, 0.15), v, w) == 0.0
    assert pair.free_time(I3, r, np.zeros(3), np.zeros(3)) == math.inf
