"""A nut on its bolt, shifted and tilted at random: no depth beyond the way it was moved, no jumps, no lost work."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import polycontact as pc
from scenes import Tally

PITCH, CLEARANCE = 1.5e-3, 1e-4
C = 1e10
Array = NDArray[np.float64]

BOLT = pc.shapes.threaded_bolt(0.01, PITCH, 0.02)
NUT = pc.shapes.threaded_nut(0.01, PITCH, 0.008, clearance=CLEARANCE, segments=60)
SAG = 0.005 * (1.0 - math.cos(math.pi / 48)) + 0.0051 * (1.0 - math.cos(math.pi / 60))
GAP = 0.5 * (CLEARANCE - SAG) - 1.1e-5
"""Least distance of the threads in the middle of the play, m: flanks at 30° are half as far apart as radii are. Where
the thread ends, its corners are joined straight from column to column: half of a rise of 25 µm, along the flank."""

ROUNDING = 1e-9
"""Elements with less than this share of the contact's area are rounding and carry nothing."""


def screwed(angle: float, shift: Array, tilt: Array) -> tuple[Array, Array]:
    """Pose of the bolt in the nut's frame, which is screwed up by ``angle`` (rad), shifted (m) and tilted (rad)."""
    middle = np.array([0.0, 0.0, 0.004])
    R = Rotation.from_rotvec(tilt).as_matrix() @ Rotation.from_rotvec((0.0, 0.0, angle)).as_matrix()
    r = middle + np.array([0.0, 0.0, PITCH * angle / (2.0 * math.pi)]) + shift - R @ middle
    return np.ascontiguousarray(R.T), -R.T @ r


def moved_by(shift: Array, tilt: Array) -> float:
    """The farthest that the nut's thread was moved from the middle of its play, m."""
    return float(np.linalg.norm(shift) + np.linalg.norm(tilt) * math.hypot(0.0051, 0.004))


def random_move(rng: np.random.Generator) -> tuple[float, Array, Array]:
    """Screwed by up to six turns, shifted by 0.4 to twice the clearance, and tilted."""
    size = 10.0 ** rng.uniform(-4.4, -3.7)
    direction, tilt = rng.normal(size=3), rng.normal(size=3) * (1.0, 1.0, 0.0)
    angle = rng.uniform(4.0 * math.pi, 16.0 * math.pi)
    return angle, size * direction / np.linalg.norm(direction), 50.0 * size * rng.uniform() * tilt


def test_no_gap_in_the_middle_of_the_play() -> None:
    """At any angle the threads are apart, and they touch where the play of half of 1.15 clearances ends."""
    pair = pc.ContactPairing(NUT, BOLT, law=pc.LayerLaw(stiffness=C))
    none = np.zeros(3)
    play = CLEARANCE * math.tan(math.radians(30.0))
    for angle in np.linspace(4.0 * math.pi, 16.0 * math.pi, 13):
        assert not pair.wrench(*screwed(angle, none, none)).any()
        for side in (-1.0, 1.0):
            found = pair.wrench(*screwed(angle, np.array([0.0, 0.0, side * (play + 5e-6)]), none))
            assert side * found[2] < 0.0
            assert np.linalg.norm(found[:2]) < 0.1 * abs(found[2])
            # Facets lie inside of the bolt and outside of the nut's hole by less than SAG: they touch a little earlier.
            before = side * (play - 0.6 * SAG)
            assert not pair.wrench(*screwed(angle, np.array([0.0, 0.0, before]), none)).any()


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_no_depth_beyond_what_the_nut_was_moved(base: pc.Base) -> None:
    """The distance to a surface changes by no more than one moves: the next thread, a pitch away, is never meant."""
    rng = np.random.default_rng(7)
    pair = pc.ContactPairing(NUT, BOLT, law=pc.LayerLaw(stiffness=C), base=base)
    touching, shallow = Tally(), Tally()
    for _ in range(120):
        angle, shift, tilt = random_move(rng)
        R, r = screwed(angle, shift, tilt)
        found = pair.evaluate(pc.RelativeKinematics(rotation=R, position=r))
        most = moved_by(shift, tilt) - GAP
        touching.note(found.in_contact)
        if found.in_contact:
            elements = found.elements
            depth = elements.depth[elements.area > ROUNDING * elements.area.sum()]
            shallow.note(depth.max() < 1e-5)
            assert depth.max() <= most
            assert depth.max() < 0.2 * PITCH
    touching.assert_share(0.4)
    shallow.assert_share(0.05)


def test_no_element_carries_the_nut_alone() -> None:
    """On its lower flanks, a micrometre deep and more: more than a thousand elements, each with its part."""
    pair = pc.ContactPairing(NUT, BOLT, law=pc.LayerLaw(stiffness=C))
    none = np.zeros(3)
    for angle in np.linspace(4.0 * math.pi, 16.0 * math.pi, 25):
        R, r = screwed(angle, np.array([0.0, 0.0, -7e-5]), none)
        found = pair.evaluate(pc.RelativeKinematics(rotation=R, position=r))
        load = found.elements.pressure * found.elements.area
        assert len(load) > 1000
        assert load.max() < 0.01 * load.sum()


def test_force_is_continuous() -> None:
    rng = np.random.default_rng(8)
    pair = pc.ContactPairing(NUT, BOLT, law=pc.LayerLaw(stiffness=C))
    looked_at = 0
    for _ in range(8):
        angle, shift, tilt = random_move(rng)
        shift *= 9e-5 / np.linalg.norm(shift)
        to = shift + 2e-5 * rng.normal(size=3)
        turn = rng.uniform(-0.05, 0.05)

        def force(s: float) -> Array:
            return pair.wrench(*screwed(angle + s * turn, shift + s * (to - shift), tilt))[:3]  # noqa: B023

        values = [force(s) for s in np.linspace(0.0, 1.0, 16)]
        greatest = max(np.linalg.norm(each) for each in values)
        steps = [np.linalg.norm(b - a) for a, b in pairwise(values)]
        if greatest == 0.0:
            continue
        k = int(np.argmax(steps))
        low, high, f_low, f_high = k / 15.0, (k + 1) / 15.0, values[k], values[k + 1]
        while high - low > 1e-8:  # to the larger half, down to a picometre
            middle = 0.5 * (low + high)
            at = force(middle)
            if np.linalg.norm(at - f_low) > np.linalg.norm(f_high - at):
                high, f_high = middle, at
            else:
                low, f_low = middle, at
        looked_at += 1
        assert np.linalg.norm(f_high - f_low) < 1e-4 * greatest
    assert looked_at >= 6


def test_work_around_a_closed_path_is_none() -> None:
    """Down on the flanks, aside, up and back: the work is that of a potential, but for the sum's own error."""
    pair = pc.ContactPairing(NUT, BOLT, law=pc.LayerLaw(stiffness=C))
    none = np.zeros(3)
    corners = np.array(
        [[0.0, 0.0, -6e-5], [0.0, 0.0, -9e-5], [6e-5, 0.0, -9e-5], [6e-5, 0.0, -6e-5], [0.0, 0.0, -6e-5]]
    )
    angle = 20.0
    R, _ = screwed(angle, none, none)
    total, gross = 0.0, 0.0
    nodes, weights = np.polynomial.legendre.leggauss(12)
    for a, b in pairwise(corners):
        for node, weight in zip(nodes, weights, strict=True):
            wrench = pair.wrench(*screwed(angle, a + 0.5 * (1.0 + node) * (b - a), none))
            part = 0.5 * weight * float((R.T @ wrench[:3]) @ (b - a))  # on the nut, in the bolt's frame
            total += part
            gross += abs(part)
    assert gross > 0.0
    # The force has a kink wherever a facet begins to touch, so Gauss' rule with 12 points is good to about 1e-3.
    assert abs(total) < 5e-3 * gross
