"""Bodies that coincide at the start: faces lie on faces, no depth tells it, and a run says so all the same."""

from __future__ import annotations

import warnings
from contextlib import suppress

import pytest

import polycontact as pc

LAW = pc.LayerLaw(stiffness=1e8, damping=1e5)
CUBE = pc.shapes.box((0.1, 0.1, 0.1), 2)
HIGH = pc.shapes.box((0.2, 0.2, 0.1), 2)
LOW = pc.shapes.box((0.1, 0.1, 0.05), 2)
BALL = pc.shapes.sphere(0.05, 2)


def system(e: pc.Surface, f: pc.Surface, position: tuple[float, float, float]) -> pc.MultibodySystem:
    made = pc.MultibodySystem()
    made.add_body("table", surface=e, density=1000.0, fixed=True)
    made.add_body("part", surface=f, density=1000.0, position=position)
    made.add_contact("table", "part", law=LAW, base=pc.Base.E)  # with the part as the base its depth would tell
    return made


@pytest.mark.parametrize(
    ("e", "f", "position"),
    [
        (CUBE, CUBE, (0.0, 0.0, 0.0)),
        (CUBE, CUBE, (1e-9, 0.0, 0.0)),
        (CUBE, pc.Surface(CUBE.vertices[:, [1, 2, 0]], CUBE.triangles), (0.0, 0.0, 0.0)),
        (BALL, BALL, (0.0, 0.0, 0.0)),
        (HIGH, LOW, (0.0, 0.0, 0.025)),
        (HIGH, LOW, (0.05, 0.05, 0.025)),
    ],
    ids=["equal", "by rounding beside", "other triangles", "balls", "flush inside", "inside in a corner"],
)
@pytest.mark.filterwarnings("ignore:.*far side:polycontact.ContactWarning")
def test_bodies_in_one_place_are_told(e: pc.Surface, f: pc.Surface, position: tuple[float, float, float]) -> None:
    message = r"bodies '(part|table)' and '(table|part)' take up the same place .* 100 % .* move one, or leave"
    # A body that is inside another after the first step ends the run.
    with pytest.warns(pc.ContactWarning, match=message), suppress(pc.IntegrationError):
        pc.simulate(system(e, f, position), end_time=1e-6)


@pytest.mark.parametrize(
    ("f", "position"),
    [(LOW, (0.0, 0.0, 0.075 - 1e-5)), (LOW, (0.15, 0.0, 0.0)), (BALL, (0.0, 0.0, 0.0999))],
    ids=["stacked", "flush beside", "ball"],
)
def test_bodies_that_touch_are_not(f: pc.Surface, position: tuple[float, float, float]) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", pc.ContactWarning)
        pc.simulate(system(HIGH, f, position), end_time=1e-6)
    assert not [each for each in told if "take up the same place" in str(each.message)]


def test_pin_in_a_hole_takes_no_place_of_it() -> None:
    """The middle of the pin lies in the hole, not in the ring; it rests 10 µm deep in its wall."""
    ring = pc.shapes.revolve([(-0.01, 0.0101), (-0.01, 0.02), (0.01, 0.02), (0.01, 0.0101), (-0.01, 0.0101)], 96)
    made = system(ring, pc.shapes.cylinder(0.01, 0.05, segments=96), (0.0, 0.0, 0.0))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", pc.ContactWarning)
        pc.simulate(made, end_time=1e-6)
    assert not [each for each in told if "take up the same place" in str(each.message)]
