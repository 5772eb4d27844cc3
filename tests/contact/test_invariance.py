"""The wrench under common motions, swapped bodies and other units; what it must never do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import polycontact as pc
from scenes import LAW, STIFFNESS, Tally, at, examples, pairing, random_rotation, rotation

RELAXED = settings(deadline=None, derandomize=True, max_examples=examples(40))
pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")

SHAPES = {
    "box": pc.shapes.box((0.3, 0.2, 0.25), (6, 4, 5)),
    "sphere": pc.shapes.sphere(0.2, 2),
    "torus": pc.shapes.torus(0.2, 0.08, 24, 12),
    "bubble": pc.shapes.bubble(),
}
SWAPPED = {pc.Base.E: pc.Base.F, pc.Base.F: pc.Base.E, pc.Base.BOTH: pc.Base.BOTH}
DAMPED = pc.LayerLaw(stiffness=STIFFNESS, damping=2e4, transition_depth=2e-3)
COULOMB = pc.RegularisedCoulomb(coefficient=0.4, velocity=0.05)
OPTIONS = [
    {},
    {"elements": "whole"},
    {"depth": "base_normal"},
    {"depth": "base_normal", "elements": "whole"},
    {"depth": "target_normal"},
    {"method": "penetration_lines", "max_penetration": 0.2},
]

Array = NDArray[np.float64]
shape_names = st.sampled_from(sorted(SHAPES))
seeds = st.integers(0, 2**32 - 1)
bases = st.sampled_from([pc.Base.E, pc.Base.F, pc.Base.BOTH])
options = st.sampled_from(OPTIONS)


def random_state(rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """Pose and velocity of F in E: bodies of about 0.2 m that mostly overlap."""
    return random_rotation(rng), rng.uniform(-0.15, 0.15, 3), rng.normal(size=3), 3.0 * rng.normal(size=3)


def test_most_random_states_touch() -> None:
    """Of zeros every property below would be true."""
    rng = np.random.default_rng(12)
    for chosen in OPTIONS:
        touching = Tally()
        for e in SHAPES.values():
            for f in SHAPES.values():
                pair = pairing(e, f, law=DAMPED, friction=COULOMB, **chosen)
                for _ in range(4):
                    touching.note(pair.wrench(*random_state(rng)).any())
        touching.assert_share(0.85)


def assert_same(a: Array, b: Array, *, rel: float = 1e-9) -> None:
    """Equal up to rounding, forces and torques each against their own size (and that of single elements)."""
    scale = max(np.abs(a[:3]).max(), np.abs(b[:3]).max(), 1.0)
    np.testing.assert_allclose(a[:3], b[:3], rtol=0.0, atol=rel * scale)
    np.testing.assert_allclose(a[3:], b[3:], rtol=0.0, atol=rel * scale)


@RELAXED
@given(shape_names, shape_names, seeds, bases, options)
def test_moving_both_meshes_and_the_frame_of_e(
    name_e: str, name_f: str, seed: int, base: pc.Base, chosen: dict[str, object]
) -> None:
    """E's mesh moved in its frame, by Q and s, and the pose of F with it: the wrench turns with Q."""
    rng = np.random.default_rng(seed)
    R, r, v, w = random_state(rng)
    Q, s = random_rotation(rng), rng.normal(size=3)
    e, f = SHAPES[name_e], SHAPES[name_f]
    settings_ = {"law": DAMPED, "friction": COULOMB, "base": base, **chosen}
    wrench = pairing(e, f, **settings_).wrench(R, r, v, w)
    moved = pairing(e.transformed(Q, s), f, **settings_).wrench(Q @ R, Q @ r + s, Q @ v, Q @ w)
    assert_same(np.concatenate((Q @ wrench[:3], Q @ wrench[3:])), moved, rel=1e-8)


@RELAXED
@given(shape_names, shape_names, seeds, bases, options)
def test_moving_marker_f_on_its_body(
    name_e: str, name_f: str, seed: int, base: pc.Base, chosen: dict[str, object]
) -> None:
    """F's mesh moved in its frame and the marker back: the same force, the torque about the new marker."""
    rng = np.random.default_rng(seed)
    R, r, v, w = random_state(rng)
    Q, s = random_rotation(rng), rng.normal(size=3)
    e, f = SHAPES[name_e], SHAPES[name_f]
    settings_ = {"law": DAMPED, "friction": COULOMB, "base": base, **chosen}
    wrench = pairing(e, f, **settings_).wrench(R, r, v, w)
    R_new = R @ Q.T
    r_new = r - R_new @ s
    moved = pairing(e, f.transformed(Q, s), **settings_).wrench(R_new, r_new, v + np.cross(w, r_new - r), w)
    at_new_marker = np.concatenate((wrench[:3], wrench[3:] + np.cross(r - r_new, wrench[:3])))
    assert_same(at_new_marker, moved, rel=1e-8)


@RELAXED
@given(shape_names, shape_names, seeds, bases, options)
def test_swapping_the_bodies_gives_the_opposite_wrench(
    name_e: str, name_f: str, seed: int, base: pc.Base, chosen: dict[str, object]
) -> None:
    rng = np.random.default_rng(seed)
    R, r, v, w = random_state(rng)
    e, f = SHAPES[name_e], SHAPES[name_f]
    settings_ = {"law": DAMPED, "friction": COULOMB, **chosen}
    on_e = pairing(e, f, base=base, **settings_).wrench(R, r, v, w)
    # E as seen from F: the velocity of E's marker relative to a frame that moves with F.
    Rt = np.ascontiguousarray(R.T)
    on_f = pairing(f, e, base=SWAPPED[base], **settings_).wrench(Rt, -Rt @ r, Rt @ (np.cross(w, r) - v), -Rt @ w)
    force_on_f = -Rt @ on_e[:3]
    torque_on_f_at_e = -Rt @ (on_e[3:] + np.cross(r, on_e[:3]))
    assert_same(np.concatenate((force_on_f, torque_on_f_at_e)), on_f, rel=1e-8)


def test_swapping_the_bodies_swaps_the_layers() -> None:
    rng = np.random.default_rng(3)
    soft, hard = pc.ElasticLayer(1e6, 0.3, 0.01), pc.ElasticLayer(5e6, 0.4, 0.02)
    e, f = SHAPES["bubble"], SHAPES["sphere"]
    for _ in range(10):
        R, r, v, w = random_state(rng)
        Rt = np.ascontiguousarray(R.T)
        on_e = pc.ContactPairing(e, f, base=pc.Base.E, layers=(soft, hard), friction=COULOMB).wrench(R, r, v, w)
        swapped = pc.ContactPairing(f, e, base=pc.Base.F, layers=(hard, soft), friction=COULOMB)
        on_f = swapped.wrench(Rt, -Rt @ r, Rt @ (np.cross(w, r) - v), -Rt @ w)
        torque = -Rt @ (on_e[3:] + np.cross(r, on_e[:3]))
        assert_same(np.concatenate((-Rt @ on_e[:3], torque)), on_f, rel=1e-8)


@RELAXED
@given(shape_names, shape_names, seeds, bases, options, st.sampled_from([1e-9, 1e-3, 2.0, 1e3, 1e6]))
def test_scaling_all_lengths(
    name_e: str, name_f: str, seed: int, base: pc.Base, chosen: dict[str, object], s: float
) -> None:
    """Lengths and velocities times s, the same c_l and d_l: forces times s³, torques times s⁴."""
    rng = np.random.default_rng(seed)
    R, r, v, w = random_state(rng)
    e, f = SHAPES[name_e], SHAPES[name_f]
    friction = pc.RegularisedCoulomb(coefficient=0.4, velocity=0.05 * s)
    law = pc.LayerLaw(stiffness=STIFFNESS, damping=2e4, transition_depth=2e-3 * s)
    larger = {**chosen, "max_penetration": s * 0.2} if "max_penetration" in chosen else chosen
    wrench = pairing(e, f, law=DAMPED, friction=COULOMB, base=base, **chosen).wrench(R, r, v, w)
    scaled = pairing(e.scaled(s), f.scaled(s), law=law, friction=friction, base=base, **larger)
    found = scaled.wrench(R, s * r, s * v, w)
    assert_same(wrench, np.concatenate((found[:3] / s**3, found[3:] / s**4)), rel=1e-8)


@RELAXED
@given(shape_names, shape_names, seeds, options)
def test_both_sided_is_the_mean(name_e: str, name_f: str, seed: int, chosen: dict[str, object]) -> None:
    rng = np.random.default_rng(seed)
    state = random_state(rng)
    e, f = SHAPES[name_e], SHAPES[name_f]
    wrench = {base: pairing(e, f, base=base, law=DAMPED, friction=COULOMB, **chosen).wrench(*state) for base in pc.Base}
    assert_same(wrench[pc.Base.BOTH], 0.5 * (wrench[pc.Base.E] + wrench[pc.Base.F]), rel=1e-12)


@RELAXED
@given(shape_names, shape_names, seeds, bases, options)
def test_zero_when_apart(name_e: str, name_f: str, seed: int, base: pc.Base, chosen: dict[str, object]) -> None:
    rng = np.random.default_rng(seed)
    R, _, v, w = random_state(rng)
    e, f = SHAPES[name_e], SHAPES[name_f]
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    reach = (e.vertices @ direction).max() - (f.vertices @ R.T @ direction).min()
    tangent = np.cross(direction, rng.normal(size=3))
    pair = pairing(e, f, base=base, law=DAMPED, friction=COULOMB, **chosen)
    for gap in (1e-12, 1e-6, 0.01, 10.0):
        r = (reach + gap) * direction + 0.1 * tangent
        assert not pair.wrench(R, r, v, w).any()
        result = pair.evaluate(at(R, r, velocity=v, angular_velocity=w))
        assert not result.in_contact
        assert len(result.elements) == 0


@RELAXED
@given(shape_names, shape_names, seeds, bases, options)
def test_no_tension_and_friction_opposes_slip(
    name_e: str, name_f: str, seed: int, base: pc.Base, chosen: dict[str, object]
) -> None:
    rng = np.random.default_rng(seed)
    R, r, v, w = random_state(rng)
    law = pc.LayerLaw(stiffness=STIFFNESS, damping=1e6)  # strong: most elements that recede would pull
    pair = pairing(SHAPES[name_e], SHAPES[name_f], base=base, law=law, friction=COULOMB, **chosen)
    elements = pair.evaluate(at(R, r, velocity=v, angular_velocity=w)).elements
    if not len(elements):
        return
    smooth = pairing(SHAPES[name_e], SHAPES[name_f], base=base, law=law, **chosen)
    pressed = smooth.evaluate(at(R, r, velocity=v, angular_velocity=w)).elements.force
    assert (elements.pressure >= 0.0).all()
    assert (elements.depth > 0.0).all()
    into_e = np.where(elements.side == 0, 1.0, -1.0)[:, None] * elements.normal
    normal = np.einsum("ij,ij->i", pressed, into_e)
    np.testing.assert_allclose(normal, elements.pressure * elements.area, rtol=1e-9, atol=1e-9 * np.abs(normal).max())
    assert (elements.friction_load <= normal * (1.0 + 1e-9)).all()
    # Friction drags E along with the slip of F, and so never adds to the power of the slip.
    tangential = elements.force - pressed
    dragged = np.einsum("ij,ij->i", tangential, elements.slip)
    assert (dragged >= -1e-9 * np.abs(normal).max()).all()
    across = np.linalg.norm(np.cross(tangential, elements.slip), axis=1)
    assert (across <= 1e-9 * np.abs(normal).max() * (1.0 + np.abs(elements.slip).max())).all()
    size = np.linalg.norm(tangential, axis=1)
    assert (size <= 0.4 * elements.friction_load * (1.0 + 1e-9) + 1e-9).all()
    fast = np.linalg.norm(elements.slip, axis=1) >= COULOMB.velocity
    np.testing.assert_allclose(size[fast], 0.4 * elements.friction_load[fast], rtol=1e-7, atol=1e-7)


@RELAXED
@given(shape_names, shape_names, seeds, bases, st.sampled_from(["distance", "base_normal"]))
def test_elements_sum_to_the_wrench(name_e: str, name_f: str, seed: int, base: pc.Base, depth: str) -> None:
    rng = np.random.default_rng(seed)
    R, r, v, w = random_state(rng)
    pair = pairing(SHAPES[name_e], SHAPES[name_f], base=base, law=DAMPED, friction=COULOMB, depth=depth)
    result = pair.evaluate(at(R, r, velocity=v, angular_velocity=w))
    elements = result.elements
    torque = np.cross(elements.position - r, elements.force).sum(axis=0)
    assert_same(np.concatenate((elements.force.sum(axis=0), torque)), np.concatenate((result.force, result.torque)))
    if depth == "base_normal":
        along = np.einsum("ij,ij->i", elements.target_point - elements.base_point, elements.normal)
        np.testing.assert_allclose(along, elements.depth, rtol=1e-7, atol=1e-12)
    else:
        assert (elements.peak >= 1.0).all()  # never less than the mean


def test_force_pushes_the_bodies_apart() -> None:
    """Spheres, convex: the force on E points from F to E, and its torque about their centres vanishes."""
    sphere = pc.shapes.sphere(0.2, 3)
    pair = pairing(sphere, sphere)
    rng = np.random.default_rng(8)
    for _ in range(20):
        R = random_rotation(rng)
        direction = random_rotation(rng)[:, 0]
        wrench = pair.wrench(R, 0.35 * direction)
        force = np.linalg.norm(wrench[:3])
        assert wrench[:3] @ direction < -0.99 * force
        assert np.linalg.norm(wrench[3:]) < 0.02 * force * 0.2


def test_damping_grows_with_the_approach_and_friction_with_the_slip() -> None:
    sphere, plate = pc.shapes.sphere(0.2, 3), pc.shapes.box((1.0, 1.0, 0.2), (4, 4, 1))
    pair = pairing(plate, sphere, base=pc.Base.F, law=DAMPED, friction=COULOMB)
    r = np.array([0.1, 0.05, 0.29])
    eye = np.eye(3)
    still = pair.wrench(eye, r)
    assert still[2] < 0.0
    assert pair.wrench(eye, r, (0, 0, -0.1))[2] < still[2] < pair.wrench(eye, r, (0, 0, 0.1))[2] <= 0.0
    assert pair.wrench(eye, r, (0, 0, 1e6))[2] == 0.0
    for angle in np.linspace(0.0, 2.0 * np.pi, 9):
        slip = np.array([np.cos(angle), np.sin(angle), 0.0])
        dragged = pair.wrench(eye, r, slip) - still
        assert dragged[:3] @ slip > 0.3 * abs(still[2])  # E is dragged along by F
        assert abs(np.cross(dragged[:3], slip)[2]) < 0.02 * abs(still[2])
    assert (
        pairing(plate, sphere, base=pc.Base.F).wrench(eye, r, (1.0, 0.0, 0.0)).tobytes()
        == pairing(plate, sphere, base=pc.Base.F).wrench(eye, r).tobytes()
    )


def test_spin_about_the_normal_gives_a_torque_against_it() -> None:
    sphere, plate = pc.shapes.sphere(0.2, 3), pc.shapes.box((1.0, 1.0, 0.2), (4, 4, 1))
    pair = pairing(plate, sphere, base=pc.Base.F, law=LAW, friction=COULOMB)
    r = np.array([0.1, 0.05, 0.28])
    for spin in (-5.0, 5.0):
        torque = pair.wrench(np.eye(3), r, (0, 0, 0), (0, 0, spin))[5]
        assert torque * spin > 0.0  # on E: dragged along


@pytest.mark.parametrize("depth", ["distance", "base_normal", "target_normal"])
def test_a_turn_of_a_body_about_its_axis_of_symmetry_changes_nothing(depth: str) -> None:
    box = pc.shapes.box((0.3, 0.3, 0.25), (4, 4, 3))
    sphere = pc.shapes.sphere(0.2, 3)
    pair = pairing(sphere, box, depth=depth)
    r = np.array([0.02, 0.01, 0.3])
    first = pair.wrench(np.eye(3), r)
    for k in (1, 2, 3):
        assert_same(first, pair.wrench(np.rint(rotation((0, 0, 1), 0.5 * np.pi * k)), r), rel=1e-9)
