"""The length of penetration lines that nobody gave: the same in all axes and for both orders of the bodies."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import polycontact as pc
from scenes import STIFFNESS, pairing, random_rotation

LINES = pc.contact.PenetrationLines()
ROUNDING = 1e-12
"""Turned vertices are rounded to 1e-16 of the size, and a rod's volume is a fiftieth of its cube."""

BODIES = {
    "rod": pc.shapes.box((1.0, 0.02, 0.02), (50, 2, 2)),
    "plate": pc.shapes.box((1.0, 0.8, 0.01), (10, 8, 1)),
    "cube": pc.shapes.box((0.3, 0.3, 0.3), 3),
    "ring": pc.shapes.torus(0.15, 0.01, 64, 16),
    "ball": pc.shapes.sphere(0.1, 3),
    "sheet": pc.shapes.plane(1.0, 4),
    "cup": pc.shapes.spherical_cup(0.2),
    "container": pc.shapes.container(),
    "room": pc.shapes.box((2.0, 2.0, 1.0), 2).flipped(),
}


def length(e: pc.Surface, f: pc.Surface, base: pc.Base = pc.Base.E) -> float:
    return pc.contact.PenetrationLines(base=base).line_length(e, f)


@pytest.mark.parametrize("other", ["cube", "sheet"])
@pytest.mark.parametrize("name", BODIES)
def test_neither_axes_nor_order_nor_base_matter(name: str, other: str) -> None:
    e, f = BODIES[name], BODIES[other]
    expected = length(e, f)
    assert math.isfinite(expected)
    assert expected > 0.0
    rng = np.random.default_rng(1)
    for _ in range(20):
        turned = e.transformed(random_rotation(rng), rng.uniform(-1.0, 1.0, 3))
        for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH):
            assert length(turned, f, base) == pytest.approx(expected, rel=ROUNDING)
            assert length(f, turned, base) == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.parametrize(
    ("name", "expected", "slack"),
    [
        ("plate", 0.01, 0.03),  # its narrow faces add 2 % of area
        ("rod", 0.01, 0.02),  # its ends add 1 %
        ("ball", 0.2 / 3.0, 0.01),  # an inscribed mesh of level 3
        ("ring", 0.01, 0.03),  # the radius of its wire, of sixteen sides
        ("cube", 0.1, ROUNDING),
    ],
)
def test_lengths_that_an_engineer_expects(name: str, expected: float, slack: float) -> None:
    assert length(BODIES[name], BODIES["sheet"]) == pytest.approx(expected, rel=slack)


def test_the_thinner_body_counts() -> None:
    assert length(BODIES["plate"], BODIES["cube"]) == length(BODIES["plate"], BODIES["sheet"])
    assert length(BODIES["cube"], BODIES["room"]) == length(BODIES["cube"], BODIES["sheet"])


def test_two_sheets_look_a_quarter_of_the_smaller_one_far() -> None:
    small = pc.shapes.plane((0.2, 0.2), 2)
    assert length(BODIES["sheet"], small) == pytest.approx(0.05, rel=ROUNDING)
    wave = 1e-6 * np.array([0.0, 0.0, 1.0]) * (np.arange(len(small.vertices))[:, None] % 2)
    wavy = small.with_vertices(small.vertices + wave)
    assert length(BODIES["sheet"], wavy) == pytest.approx(0.05, rel=1e-3)  # a wave of 1e-6 m is no thickness


@pytest.mark.parametrize("depth", [0.004, 0.006, 0.009])
def test_a_rod_carries_the_same_whatever_axes_it_was_exported_with(depth: float) -> None:
    """A square rod pressed into a block: c A u, along x as along any other direction, as base and as target."""
    rod, block = BODIES["rod"], pc.shapes.box((2.0, 2.0, 0.2), (40, 40, 1))
    rng = np.random.default_rng(2)
    for Q in (np.eye(3), *(random_rotation(rng) for _ in range(5))):
        turned = rod.transformed(Q)
        on_rod = pairing(turned, block, method=LINES).wrench(Q, Q @ (0.0, 0.0, depth - 0.11))
        lines = pc.contact.PenetrationLines(base=pc.Base.F)
        swapped = pairing(block, turned, method=lines).wrench(Q.T, (0.0, 0.0, 0.11 - depth))
        for wrench in (on_rod, swapped):
            assert np.linalg.norm(wrench[:3]) == pytest.approx(STIFFNESS * 0.02 * depth, rel=1e-9)


def test_a_given_length_stays() -> None:
    assert pc.contact.PenetrationLines(max_penetration=0.123).line_length(BODIES["rod"], BODIES["cube"]) == 0.123


def test_lines_that_are_too_short_are_told() -> None:
    """A box that has sunk deeper than its lines are long gets no force: a body would fall through the floor unseen."""
    box, floor = pc.shapes.box((0.1, 0.1, 0.1), 4), pc.shapes.box((1.0, 1.0, 0.5), 4)
    method = pc.contact.PenetrationLines(max_penetration=0.01)
    pair = pc.ContactPairing(box, floor, law=pc.LayerLaw(stiffness=1e8), method=method)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pc.ContactWarning)
        assert pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, 0.009 - 0.3))).force[2] > 0.0
    with pytest.warns(pc.ContactWarning, match=r"20 mm deep .* lines are 10 mm long: .* make max_penetration greater"):
        assert pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, 0.02 - 0.3))).force[2] == 0.0


def test_a_run_tells_of_lines_that_are_too_short() -> None:
    system = pc.MultibodySystem()
    system.add_body("floor", surface=pc.shapes.box((1.0, 1.0, 0.5), 4), fixed=True)
    box = pc.shapes.box((0.1, 0.1, 0.1), 4)
    system.add_body("box", surface=box, density=1000.0, position=(0.0, 0.0, 0.3), velocity=(0.0, 0.0, -3.0))
    method = pc.contact.PenetrationLines(max_penetration=0.002, base=pc.Base.F)
    system.add_contact("floor", "box", law=pc.LayerLaw(stiffness=1e6), method=method)
    with pytest.warns(pc.ContactWarning, match=r"'floor–box': at t = .* s the base lies .* deep in the target"):
        pc.simulate(system, end_time=0.02)
