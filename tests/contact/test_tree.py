"""The tree search finds what brute force finds; reuse between poses, batches and threads change no bit."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.contact.detection import detect_collision
from scenes import LAW, Tally, assert_polygons_close, examples, pairing, random_rotation, rotation, segment_set

RELAXED = settings(deadline=None, derandomize=True, max_examples=examples(60))
BUBBLE = pc.shapes.bubble()
SMALL = {
    "box": pc.shapes.box((0.3, 0.2, 0.25), (2, 3, 1)),
    "sphere": pc.shapes.sphere(0.2, 1),
    "torus": pc.shapes.torus(0.2, 0.08, 12, 8),
    "bubble": pc.shapes.bubble(9, 7),
    "plane": pc.shapes.plane((0.5, 0.4), (3, 4)),
    "container": pc.shapes.container(),
}
IDENTITY = np.eye(3)
pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
FRICTION = pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)

Pose = tuple[NDArray[np.float64], NDArray[np.float64]]
Segments = set[tuple[int, int, int, int]]


def brute_force(e: pc.Surface, f: pc.Surface, R: NDArray[np.float64], r: NDArray[np.float64]) -> Segments:
    """Segments of all pairs of triangles, no box looked at."""
    pair = pairing(e, f)
    pair.wrench(R, r)
    memory = pair._memory
    everything = np.indices((e.n_triangles, f.n_triangles)).reshape(2, -1).T
    memory.reserve_candidates(len(everything))
    memory.reserve_segments(len(everything))
    evaluation = memory.evaluation
    candidates, setup, header = evaluation.candidates, evaluation.setup, evaluation.header
    candidates.pairs[:] = everything
    candidates.n, candidates.margin = len(everything), 0.0
    detect_collision(setup.e, setup.f, header.pose, candidates, evaluation.segments, evaluation.work, header.report)
    return segment_set(pair)


def searched(pair: pc.ContactPairing, R: NDArray[np.float64], r: NDArray[np.float64]) -> Segments:
    pair.wrench(R, r)
    return segment_set(pair)


def test_tree_search_is_brute_force() -> None:
    meeting = Tally()

    @RELAXED
    @given(st.sampled_from(sorted(SMALL)), st.sampled_from(sorted(SMALL)), st.integers(0, 2**32 - 1))
    def check(name_e: str, name_f: str, seed: int) -> None:
        rng = np.random.default_rng(seed)
        e, f = SMALL[name_e], SMALL[name_f]
        R, r = random_rotation(rng), rng.uniform(-0.2, 0.2, 3)
        found = searched(pairing(e, f), R, r)
        assert found == brute_force(e, f, R, r)
        meeting.note(found)

    check()
    meeting.assert_share(0.75)


def test_tree_search_is_brute_force_in_touching_poses() -> None:
    meeting = Tally()

    @RELAXED
    @given(
        st.sampled_from(["box", "sphere", "plane"]),
        st.tuples(*[st.integers(-4, 4)] * 3),
        st.tuples(*[st.integers(0, 3)] * 3),
        st.sampled_from([1e-9, 1.0, 1e6]),
    )
    def check(name: str, steps: tuple[int, int, int], quarters: tuple[int, int, int], scale: float) -> None:
        e, f = SMALL["box"].scaled(scale), SMALL[name].scaled(scale)
        R = np.eye(3)
        for axis, k in zip(np.eye(3), quarters, strict=True):
            R = R @ np.rint(rotation(axis, 0.5 * np.pi * k))
        r = scale * np.array(steps) * (0.075, 0.05, 0.0625)
        found = searched(pairing(e, f), R, r)
        assert found == brute_force(e, f, R, r)
        meeting.note(found)

    check()
    meeting.assert_share(0.6)


@RELAXED
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-7, 1e-4, 3e-3, 0.03]))
def test_reused_candidates_give_all_segments(seed: int, step: float) -> None:
    """Along a path the kept list of pairs must hold every pair that brute force finds, at each pose."""
    rng = np.random.default_rng(seed)
    e, f = SMALL["bubble"], SMALL["torus"]
    pair = pairing(e, f)
    R, r = random_rotation(rng), rng.uniform(-0.15, 0.15, 3)
    drift, spin = rng.normal(size=3), rotation(rng.normal(size=3), 4.0 * step)
    for _ in range(12):
        assert searched(pair, R, r) == brute_force(e, f, R, r)
        R, r = R @ spin, r + step * drift


def test_shifted_meshes_far_from_their_origin() -> None:
    """Vertices at 10³ times the size of the bodies: rounding is larger, and nothing is lost."""
    rng = np.random.default_rng(5)
    shift = np.array([300.0, -500.0, 200.0])
    e, f = SMALL["torus"].transformed(position=shift), SMALL["bubble"].transformed(position=-shift)
    pair = pairing(e, f, base=pc.Base.BOTH)
    for _ in range(20):
        R = random_rotation(rng)
        r = shift + R @ shift + rng.uniform(-0.2, 0.2, 3)
        assert searched(pair, R, r) == brute_force(e, f, R, r)
        assert_polygons_close(pair)


@pytest.mark.parametrize("stretch", [-4e-7, 4e-7])
def test_drifted_rotation_in_a_touching_pose(stretch: float) -> None:
    """A rotation within the accepted tolerance: the boxes must not hide what the triangles do."""
    box = pc.shapes.box((0.3, 0.3, 0.3), 3)
    R = (1.0 + stretch) * np.eye(3)
    for axis in np.eye(3):
        for gap in np.linspace(-2.0, 2.0, 9) * 0.15 * abs(stretch):
            r = (0.3 + gap) * axis
            assert searched(pairing(box, box), R, r) == brute_force(box, box, R, r)


def test_drifted_rotation_closes_polygons() -> None:
    rng = np.random.default_rng(0)
    box = pc.shapes.box((0.3, 0.3, 0.3), 6)
    pair = pairing(box, box)
    for _ in range(300):
        R = np.eye(3) + 1.5e-7 * rng.normal(size=(3, 3))
        pair.wrench(R, np.array([0.3, 0.0, 0.0]) + 3e-8 * rng.normal(size=3))
        assert_polygons_close(pair)


def path(n: int, step: float, seed: int) -> list[Pose]:
    """Two bubbles that slide and roll on each other, with a jump in the middle and one back."""
    rng = np.random.default_rng(seed)
    R, r = random_rotation(rng), np.array([0.13, 0.02, 0.02])
    axis, drift = rng.normal(size=3), rng.normal(size=3) * (0.2, 1.0, 1.0)
    swing = max(3.0 * np.pi / n, step / 0.02)
    out = []
    for k in range(n):
        R = R @ rotation(axis, 5.0 * step)
        r = r + step * drift * np.cos(swing * k)
        jump = np.array([0.0, 0.25, 0.0]) if n // 2 <= k < n // 2 + 5 else np.zeros(3)
        out.append((R.copy(), r + jump))
    return out


def cold(
    pair: pc.ContactPairing, R: NDArray[np.float64], r: NDArray[np.float64], *velocities: NDArray[np.float64]
) -> bytes:
    """Wrench of a pairing that has forgotten all earlier poses."""
    pair._memory.forget_candidates()
    for side in (pair._memory.evaluation.e, pair._memory.evaluation.f):
        side.hit[:] = 0
    return pair.wrench(R, r, *velocities).tobytes()


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("step", [1e-9, 1e-5, 1e-3, 0.02])
def test_a_followed_path_gives_the_bits_of_cold_evaluations(step: float, base: pc.Base) -> None:
    warm, fresh = (pairing(BUBBLE, BUBBLE, base=base, friction=FRICTION) for _ in range(2))
    v, w = np.array([0.1, -0.3, 0.2]), np.array([1.0, 2.0, -0.5])
    searches, contacts = 0, 0
    for R, r in path(120, step, 7):
        kept = warm.wrench(R, r, v, w)
        assert kept.tobytes() == cold(fresh, R, r, v, w)
        searches += warm._memory.report.tree_searches
        contacts += bool(kept.any())
    assert contacts > 30
    if step < 1e-4:
        assert searches < 40  # candidates really were reused


def test_corrections_of_long_steps_search_no_tree() -> None:
    """As an integrator asks: where it predicts the bodies, and there again after a correction."""
    warm, fresh = (pairing(BUBBLE, BUBBLE) for _ in range(2))
    searches = []
    for k in range(20):
        R, r = rotation(np.array([0.3, 1.0, 0.2]), 0.05 * k), np.array([0.01 * k, 0.2, 0.05])
        for correction in (0.0, 1e-8, -2e-8):
            kept = warm.wrench(R, r + correction)
            assert kept.any()
            assert kept.tobytes() == cold(fresh, R, r + correction)
            searches.append(warm._memory.report.tree_searches)
    assert searches[:3] == [1, 1, 0]  # nothing is expected of a first pose
    assert searches[3:] == [1, 0, 0] * 19
    for k in range(20):
        warm.wrench(rotation(np.array([1.0, 0.0, 0.0]), 0.3 * k), np.array([0.0, 0.2, 0.0]))
    assert warm._memory.evaluation.candidates.margin == 0.0  # and nothing any more of unrelated poses


def test_a_followed_path_gives_the_bits_of_new_pairings() -> None:
    warm = pairing(BUBBLE, BUBBLE, elements="whole", depth="target_normal")
    for R, r in path(300, 1e-3, 8)[::3]:
        fresh = pairing(BUBBLE, BUBBLE, elements="whole", depth="target_normal")
        assert warm.wrench(R, r).tobytes() == fresh.wrench(R, r).tobytes()


def test_penetration_lines_have_no_memory() -> None:
    options = {"method": "penetration_lines", "base": pc.Base.BOTH}
    warm = pairing(BUBBLE, BUBBLE, **options)
    for R, r in path(60, 1e-3, 9)[::3]:
        assert warm.wrench(R, r).tobytes() == pairing(BUBBLE, BUBBLE, **options).wrench(R, r).tobytes()


def test_poses_in_any_order_give_the_same_bits() -> None:
    poses = path(100, 3e-3, 10)
    pair = pairing(BUBBLE, BUBBLE)
    first = [pair.wrench(R, r).tobytes() for R, r in poses]
    backwards = [pair.wrench(R, r).tobytes() for R, r in poses[::-1]][::-1]
    order = np.random.default_rng(3).permutation(len(poses))
    shuffled = {int(k): pair.wrench(*poses[k]).tobytes() for k in order}
    assert first == backwards == [shuffled[k] for k in range(len(poses))]


def test_buffers_that_grow_change_no_bit() -> None:
    """A pairing whose buffers start too small for a deep contact of fine meshes."""
    fine = pc.shapes.sphere(0.2, 5)
    small, large = pairing(fine, fine, base=pc.Base.BOTH), pairing(fine, fine, base=pc.Base.BOTH)
    large._memory.reserve_candidates(200_000)
    large._memory.reserve_segments(20_000)
    large._memory.reserve_elements(50_000)
    R, r = rotation((1, 2, 3), 0.4), np.array([0.1, 0.02, 0.03])
    assert small.wrench(R, r).tobytes() == large.wrench(R, r).tobytes()
    assert small.wrench(R, r).tobytes() == large.wrench(R, r).tobytes()


def batch_of(n: int) -> tuple[list[pc.ContactPairing], list[Pose]]:
    shapes = [BUBBLE, SMALL["sphere"], SMALL["torus"], SMALL["box"]]
    pairings = [
        pairing(
            shapes[k % 4],
            shapes[(k + 1) % 4],
            base=pc.Base(("E", "F", "both")[k % 3]),
            friction=FRICTION,
            name=f"pair {k}",
        )
        for k in range(n)
    ]
    return pairings, path(n, 0.02, 11)


def test_a_batch_gives_the_bits_of_single_calls() -> None:
    pairings, poses = batch_of(12)
    alone, _ = batch_of(12)
    batch = pc.PairingBatch(pairings)
    rng = np.random.default_rng(4)
    for _ in range(5):
        v, w = rng.normal(size=(2, 12, 3))
        r = np.stack([r for _, r in poses]) + 0.01 * rng.normal(size=3)
        R = np.stack([R for R, _ in poses])
        together = batch.wrenches(R, r, v, w)
        for k, pair in enumerate(alone):
            assert together[k].tobytes() == pair.wrench(R[k], r[k], v[k], w[k]).tobytes()
            assert pairings[k].wrench(R[k], r[k], v[k], w[k]).tobytes() == together[k].tobytes()


def test_a_batch_whose_buffers_grow_gives_the_bits_of_single_calls() -> None:
    fine = pc.shapes.sphere(0.2, 4)
    R = np.stack([rotation((1, 2, 3), 0.4), np.eye(3)])
    r = np.array([[0.05, 0.02, 0.03], [0.3, 0.01, 0.0]])
    together = pc.PairingBatch([pairing(fine, fine), pairing(fine, fine)]).wrenches(R, r)
    for k in range(2):
        assert together[k].tobytes() == pairing(fine, fine).wrench(R[k], r[k]).tobytes()


@pytest.mark.parametrize("fault", ["not finite", "contained"])
def test_an_error_in_a_batch_leaves_the_other_pairings_sound(fault: str) -> None:
    """A refused row must not leave another pairing with the vertices of one pose marked as the next's."""
    sphere, box = pc.shapes.sphere(0.1, 2), pc.shapes.box((1.0, 1.0, 1.0))
    first = pairing(sphere, box if fault == "contained" else sphere, containment="error")
    second = pairing(sphere, sphere)
    start = (np.nan, 0.0, 0.0) if fault == "not finite" else (0.0, 0.0, 0.0)
    with pytest.raises(pc.ContactError):
        pc.PairingBatch([first, second]).wrenches(np.stack([IDENTITY] * 2), np.array([start, (0.15, 0.02, 0.01)]))
    later = np.array([0.0, 0.16, 0.03])
    assert second.wrench(IDENTITY, later).tobytes() == pairing(sphere, sphere).wrench(IDENTITY, later).tobytes()


def test_pairings_in_parallel_threads_give_the_same_bits() -> None:
    poses = path(60, 3e-3, 12)

    def follow(_: int) -> list[bytes]:
        pair = pairing(BUBBLE, BUBBLE, base=pc.Base.BOTH)
        return [pair.wrench(R, r).tobytes() for R, r in poses]

    expected = follow(0)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(follow, range(8)))


def test_one_pairing_in_several_threads_gives_the_same_bits() -> None:
    poses = path(60, 3e-3, 13)
    pair = pairing(BUBBLE, BUBBLE)
    expected = [pair.wrench(R, r).tobytes() for R, r in poses]

    def one(k: int) -> tuple[int, bytes, bytes]:
        R, r = poses[k % len(poses)]
        result = pair.evaluate(pc.RelativeKinematics(rotation=R, position=r))
        return k, pair.wrench(R, r).tobytes(), np.concatenate((result.force, result.torque)).tobytes()

    with ThreadPoolExecutor(4) as pool:
        for k, light, full in pool.map(one, np.random.default_rng(1).permutation(240).tolist()):
            assert light == full == expected[k % len(poses)]


def test_batches_that_share_pairings_do_not_lock_each_other_out() -> None:
    sphere = pc.shapes.sphere(0.1, 2)
    pairs = [pairing(sphere, sphere) for _ in range(4)]
    R, r = np.stack([IDENTITY] * 4), np.tile([0.15, 0.02, 0.01], (4, 1))
    batches = [pc.PairingBatch(pairs), pc.PairingBatch(pairs[::-1])]

    def work(batch: pc.PairingBatch) -> None:
        for _ in range(2000):
            batch.wrenches(R, r)

    threads = [threading.Thread(target=work, args=(batch,), daemon=True) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert not any(thread.is_alive() for thread in threads)


def test_repeated_evaluations_give_the_same_bits() -> None:
    R, r = rotation((1, 2, 3), 0.4), np.array([0.13, 0.02, 0.02])
    pair = pc.ContactPairing(BUBBLE, BUBBLE, law=LAW)
    results = {pair.wrench(R, r).tobytes() for _ in range(20)} | {
        pc.ContactPairing(BUBBLE, pc.shapes.bubble(), law=LAW).wrench(R, r).tobytes() for _ in range(3)
    }
    assert len(results) == 1
